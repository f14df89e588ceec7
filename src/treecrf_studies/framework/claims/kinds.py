"""Kinds of claims: what was measured, and whether it satisfies a claim.

A kind gives the worst and the best degree that the measurement leaves possible: a test that finds no difference does
not show that there is none, nor an interval that contains a threshold on which side of it the value is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, isfinite, isnan
from statistics import NormalDist
from typing import Any, Generic, TypeVar

from treecrf_studies.framework.claims.judge import FAILS, HOLDS, LEANS, Degrees, Observation
from treecrf_studies.rendering.cells import count_text, number

ROUNDING = 1e-9
"""Differences below it are errors of rounding."""

YES, NO, OPEN = (HOLDS, HOLDS), (FAILS, FAILS), (FAILS, HOLDS)

Value = TypeVar("Value")


@dataclass(frozen=True)
class Measured(Generic[Value]):
    """What a claim is about, as measured on a data set: a value as the kind of the claim needs it, and words for it.

    Attributes
    ----------
    value : object
    numbers : str
        What was measured, and where.
    difference : str
        How that differs from the claim, the end of a sentence; `numbers` if empty.
    p : float or None
        p-value that the value differs from 0, by the sequence-level test; NaN where none can be had.
    interval : (float, float) or None
        90 % interval of the value, that of two one-sided tests at 0.05; NaN where none can be had.
    papers : (float, float) or None
        Value and p-value by the test of the paper.
    repeated : (float, float) or None
        95 % interval of the value over repeated measurements of a time.
    what : str
        Which methods are compared, or what the value is of; `numbers` if empty.
    methods : tuple of str
        One or two methods that it is about, as readers see them.
    published : float or None
        The same value as the paper prints it.
    printed : str
        The same in the quantity that the paper prints, where that is another.
    alike : float or None
        The value averaged as the published one, where the test averages otherwise.
    unit : str or None
        What readers see after the value; unless given, "points" of a value that a test or a 90 % interval is about.
    n : int
        How many independent `units` the test goes over; 0 where that is not known.
    units : str
        Such as documents.
    by_paper : bool
        Whether value and p are those of the paper's test, for which what does not differ significantly is equal.
    """

    value: Value
    numbers: str
    difference: str = ""
    p: float | None = None
    interval: tuple[float, float] | None = None
    papers: tuple[Value, float] | None = None
    repeated: tuple[float, float] | None = None
    what: str = ""
    methods: tuple[str, ...] = ()
    published: float | None = None
    printed: str = ""
    alike: float | None = None
    unit: str | None = None
    n: int = 0
    units: str = ""
    by_paper: bool = False

    def observe(self, kind: Callable[[Measured[Value]], Degrees]) -> Observation:
        """The observation that the claim holds to the degrees of this kind."""
        worst, best = kind(self)
        return Observation(self.numbers, worst, self.difference or self.numbers, best, self.repeated is not None)

    def observe_by_paper(self, kind: Callable[[Measured[Value]], Degrees]) -> Observation:
        """`observe` by the paper's test, or where it has none by the value alone: nothing stays open."""
        if (self.papers is not None and isnan(self.papers[1])) or (self.papers is None and self.p is not None):
            return self.observe(kind)
        value, p = self.papers or (self.value, None)
        alone = replace(self, value=value, p=p, interval=None, repeated=None, by_paper=True)
        return replace(alone.observe(kind), best=None)


def differs(measured: Measured[float], level: float) -> bool:
    """Whether the value differs significantly from 0."""
    return measured.p is not None and measured.p < level and measured.value != 0  # NaN decides nothing


def better(measured: Measured[float], level: float, margin: float) -> Degrees:
    """Significantly above 0; significantly below fails, and so does what is equivalent: an interval within `margin`."""
    if differs(measured, level):
        return YES if measured.value > 0 else NO
    return NO if _lies_within(measured, -margin, margin) else OPEN


def outcome(measured: Measured[float], level: float, margin: float) -> Degrees:
    """As `better`, but what is equivalent leans to the claim, so that better, equivalent and worse can be counted."""
    if differs(measured, level):
        return YES if measured.value > 0 else NO
    return (LEANS, LEANS) if _lies_within(measured, -margin, margin) else OPEN


def not_worse(measured: Measured[float], level: float, margin: float) -> Degrees:
    """Significantly above 0, or the interval above -`margin`; significantly below 0 fails."""
    if differs(measured, level):
        return YES if measured.value > 0 else NO
    return YES if _lies_within(measured, -margin) else OPEN


def not_different(measured: Measured[float], level: float) -> Degrees:
    """No significant difference from 0, the literal claim; it does not show that there is none, which is `equal`."""
    if measured.p is None or isnan(measured.p):
        return OPEN
    return NO if differs(measured, level) else YES


def equal(measured: Measured[float], level: float, margin: float) -> Degrees:
    """Equivalent: not significantly different from 0, and the interval within `margin`; a difference fails."""
    if differs(measured, level):
        return NO
    return YES if _lies_within(measured, -margin, margin) else OPEN


def above(measured: Measured[float], bound: float, leans: float | None = None) -> Degrees:
    """Larger than `bound`; leans to the claim if larger than `leans`."""

    def degree(value: float) -> Fraction:
        return HOLDS if value > bound else LEANS if leans is not None and value > leans else FAILS

    return over_interval(measured, degree)


def at_least(measured: Measured[float], bound: float) -> Degrees:
    """Not smaller than `bound`."""
    return over_interval(measured, lambda value: HOLDS if value + ROUNDING >= bound else FAILS)


def at_most(measured: Measured[float], bound: float) -> Degrees:
    """Not larger than `bound`."""
    return over_interval(measured, lambda value: HOLDS if value <= bound + ROUNDING else FAILS)


def near(measured: Measured[float], target: float, tolerance: float) -> Degrees:
    """No further than `tolerance` from `target`."""
    return over_interval(
        measured, lambda value: HOLDS if abs(value - target) <= tolerance + ROUNDING else FAILS, target
    )


def order(measured: Measured[Sequence[str]], order: Sequence[str]) -> Degrees:
    """The first names are those of `order`."""
    return YES if list(measured.value[: len(order)]) == list(order) else NO


def rises(measured: Measured[Sequence[float]], tolerance: float) -> Degrees:
    """From one value to the next a curve falls by at most `tolerance`."""
    return YES if largest_fall(measured.value) <= tolerance + ROUNDING else NO


@dataclass(frozen=True)
class Kind:
    """A kind of claims: the function that judges a `Measured`, and the keys of a row that it takes."""

    judge: Callable[..., Degrees]
    parameters: tuple[str, ...] = ()


TESTED = {
    "better": Kind(better, ("level", "margin")),
    "outcome": Kind(outcome, ("level", "margin")),
    "not_worse": Kind(not_worse, ("level", "margin")),
    "not_different": Kind(not_different, ("level",)),
    "equal": Kind(equal, ("level", "margin")),
}
"""Kinds that a test decides."""

CLAIM_KINDS = TESTED | {
    "above": Kind(above, ("bound", "leans")),
    "at_least": Kind(at_least, ("bound",)),
    "at_most": Kind(at_most, ("bound",)),
    "near": Kind(near, ("target", "tolerance")),
    "order": Kind(order, ("order",)),
    "rises": Kind(rises, ("tolerance",)),
}


def largest_fall(curve: Sequence[float]) -> float:
    """How much a curve falls at most from one value to the next; negative if it rises everywhere."""
    return max(first - second for first, second in pairwise(curve))


def _lies_within(measured: Measured[float], low: float, high: float = float("inf")) -> bool:
    """Whether the interval is known and lies there, the ends excluded; for the paper's test no significance is
    enough.
    """
    if measured.by_paper:
        return measured.p is not None and not isnan(measured.p)
    return measured.interval is not None and low < measured.interval[0] and measured.interval[1] < high


def over_interval(
    measured: Measured[float], degree: Callable[[float], Fraction], target: float | None = None
) -> Degrees:
    """The degrees of all values in the interval, if there is one; between its ends `target` may have another."""
    ends = measured.repeated or measured.interval
    if ends is None:
        return degree(measured.value), degree(measured.value)
    if any(map(isnan, ends)):
        return OPEN
    nearest = [] if target is None else [min(max(target, ends[0]), ends[1])]
    degrees = [degree(value) for value in (*ends, measured.value, *nearest)]
    return min(degrees), max(degrees)


# --- power ------------------------------------------------------------------------------------------
#
# Of undecided comparisons: thresholds that the interval contains, the smallest difference it would find, and how many
# sequences would find the published one. With a standard error s and normal quantiles z, a test at level a finds a
# difference of (z[1 - a/2] + z[0.8]) s in 80 % of experiments of this size, and an interval shows equivalence of equal
# methods within (z[0.95] + z[0.9]) s. The standard error is the half width of the interval divided by its quantile, so
# that with few degrees of freedom these are upper bounds. It falls with the square root of the number of sequences.

POWER = 0.8
"""The share of experiments of this size that find the difference."""

TESTED_FOR_DIFFERENCE = ("better", "outcome")
"""Kinds that a significant difference decides."""

LEVEL_OF_INTERVAL, LEVEL_OF_REPEATS = 0.1, 0.05
"""Of the 90 % interval of a difference, and of the 95 % interval over repeated measurements."""


def with_power(
    observation: Observation, measured: Measured[Any], kind: str, parameters: Mapping[str, Any]
) -> Observation:
    """An observation, where it is open with what it straddles, what would have been found, and how many sequences would
    decide.
    """
    ends = measured.repeated or measured.interval
    if observation.is_decided or ends is None or not all(map(isfinite, ends)):
        return observation
    no_difference = {0.0} if kind in TESTED_FOR_DIFFERENCE else set()
    straddled = sorted(edge for edge in {*edges(kind, parameters), *no_difference} if ends[0] <= edge <= ends[1])
    inside = " and ".join(f"{edge:g}".replace("-", "−") for edge in straddled)
    smallest = smallest_difference(ends, kind, parameters.get("level"), measured.repeated is not None)
    needed = number_needed(measured, kind, parameters, smallest)
    text = f"about {count_text(needed)} {measured.units}" if needed else ""
    return replace(observation, straddled=inside, smallest=number(smallest), n_needed=text)


def number_needed(measured: Measured[Any], kind: str, parameters: Mapping[str, Any], smallest: float) -> int:
    """How many independent units decide with the probability `POWER`, to two digits; 0 where that is not known or there
    are as many.

    They find the published difference or, without one, that of the margin; or they show that equal methods are within
    the margin.
    """
    target = abs(measured.published or 0.0) if kind in TESTED_FOR_DIFFERENCE else 0.0
    target = target or parameters.get("margin", 0.0)
    if not target or smallest <= target:
        return 0
    needed = measured.n * (smallest / target) ** 2
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
    standard_error = (ends[1] - ends[0]) / 2 / _quantile(own_level / 2)
    tested = level if level is not None and kind in TESTED_FOR_DIFFERENCE else own_level
    missed = (1 - POWER) / (2 if kind == "equal" else 1)
    return float(standard_error * (_quantile(tested / 2) + _quantile(missed)))


def _quantile(above: float) -> float:
    """The value that a standard normal variable is above with this probability."""
    return NormalDist().inv_cdf(1 - above)


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
