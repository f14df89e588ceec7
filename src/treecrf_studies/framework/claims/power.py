"""Power of undecided comparisons: thresholds that the interval contains, the smallest difference it would find, and how
many sequences would find the published one.

With a standard error s and normal quantiles z, a test at level a finds a difference of (z[1 - a/2] + z[0.8]) s in 80 %
of experiments of this size, and an interval shows equivalence of equal methods within (z[0.95] + z[0.9]) s. The
standard error is the half width of the interval divided by its quantile, so that with few degrees of freedom these are
upper bounds. It falls with the square root of the number of sequences or documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, isfinite
from typing import Any

from scipy.stats import norm

from treecrf_studies.framework.claims.judge import Observation
from treecrf_studies.framework.claims.kinds import Measured
from treecrf_studies.rendering.cells import count_text, number

POWER = 0.8
"""The share of experiments of this size that find the difference."""

TESTED_FOR_DIFFERENCE = ("better", "outcome")
"""Kinds that a significant difference decides."""

LEVEL_OF_INTERVAL, LEVEL_OF_REPEATS = 0.1, 0.05
"""Of the 90 % interval of a difference, and of the 95 % interval over repeated measurements."""


def with_power(observation: Observation, found: Measured[Any], kind: str, parameters: Mapping[str, Any]) -> Observation:
    """An observation, where it is open with what it straddles, what would have been found, and how many sequences would
    decide.
    """
    ends = found.repeated or found.interval
    if observation.is_decided or ends is None or not all(map(isfinite, ends)):
        return observation
    no_difference = {0.0} if kind in TESTED_FOR_DIFFERENCE else set()
    straddled = sorted(edge for edge in {*edges(kind, parameters), *no_difference} if ends[0] <= edge <= ends[1])
    inside = " and ".join(f"{edge:g}".replace("-", "−") for edge in straddled)
    smallest = smallest_difference(ends, kind, parameters.get("level"), found.repeated is not None)
    needed = number_needed(found, kind, parameters, smallest)
    text = f"about {count_text(needed)} {found.units}" if needed else ""
    return replace(observation, straddled=inside, smallest=number(smallest), n_needed=text)


def number_needed(found: Measured[Any], kind: str, parameters: Mapping[str, Any], smallest: float) -> int:
    """How many independent units decide with the probability `POWER`, to two digits; 0 where that is not known or there
    are as many.

    They find the published difference or, without one, that of the margin; or they show that equal methods are within
    the margin.
    """
    target = abs(found.published or 0.0) if kind in TESTED_FOR_DIFFERENCE else 0.0
    target = target or parameters.get("margin", 0.0)
    if not target or smallest <= target:
        return 0
    needed = found.n * (smallest / target) ** 2
    digits = 10 ** max(len(str(int(needed))) - 2, 0)
    return ceil(needed / digits) * digits


def smallest_difference(
    ends: tuple[float, float], kind: str, level: float | None = None, repeated: bool = False
) -> float:
    """The smallest difference that the experiment behind an interval finds with the probability `POWER`.

    Parameters
    ----------
    ends : (float, float)
        The 90 % interval of a difference or, if `repeated`, the 95 % interval over repeated measurements.
    kind : str
        Of the claim. For "equal" and "not_worse" it is the smallest margin within which equal methods are shown to be
        so.
    level : float, optional
        Of the two-sided test that decides; that of the interval unless given.
    repeated : bool
    """
    own_level = LEVEL_OF_REPEATS if repeated else LEVEL_OF_INTERVAL
    standard_error = (ends[1] - ends[0]) / 2 / norm.isf(own_level / 2)
    tested = level if level is not None and kind in TESTED_FOR_DIFFERENCE else own_level
    missed = (1 - POWER) / (2 if kind == "equal" else 1)
    return float(standard_error * (norm.isf(tested / 2) + norm.isf(missed)))


def edges(kind: str, parameters: Mapping[str, Any]) -> tuple[float, ...]:
    """The values at which a kind of claim begins or ceases to hold."""
    margin, bound = parameters.get("margin", 0.0), parameters.get("bound", 0.0)
    if kind in (*TESTED_FOR_DIFFERENCE, "equal"):
        return (-margin, margin)
    if kind == "not_worse":
        return (-margin,)
    if kind == "near":
        return (parameters["target"] - parameters["tolerance"], parameters["target"] + parameters["tolerance"])
    if kind == "above" and parameters.get("leans") is not None:
        return (parameters["leans"], bound)
    return (bound,) if "bound" in parameters else ()
