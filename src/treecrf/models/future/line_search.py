"""The best step between 0 and an upper bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scipy.optimize import minimize_scalar, root_scalar

_LADDER = tuple(4.0**i for i in range(-6, 41))
_FIRST_CONCAVE = 5  # 1/4: what lies below is one interval
_TOLERANCE = 1e-3  # of a step, relative to it


class Step(NamedTuple):
    """What a search finds.

    Attributes
    ----------
    step, value : float
        Step 0 and the value there, if no step is better.
    reach : float
        The largest step that the search needed: with a lower bound down to this one, it finds the same.
    """

    step: float
    value: float
    reach: float


def best_step(objective: Callable[[float], float], upper: float) -> Step:
    """Find a step of at most `upper` that maximizes an objective, which may have several maxima.

    Powers of 4 are tried first, since a good step may be of any size below the bound; then Brent's method searches
    between the neighbours of the best one.
    """
    steps = [0.0, *(step for step in _LADDER if step <= upper)]
    values = [objective(step) for step in steps]
    best = max(range(len(steps)), key=values.__getitem__)
    low, high = steps[max(best - 1, 0)], min(_LADDER[best], upper)  # the ladder's next rung
    found = minimize_scalar(
        lambda step: -objective(step), bounds=(low, high), method="bounded", options={"xatol": _TOLERANCE * high}
    )
    if -found.fun > values[best]:
        return Step(float(found.x), float(-found.fun), high)
    return Step(steps[best], values[best], high)


def best_concave_step(slope: Callable[[float], float], upper: float) -> tuple[float, float]:
    """The step of at most `upper` that maximizes a concave objective, from its slope, and the reach (see `Step`)."""
    if slope(0.0) <= 0.0:
        return 0.0, 0.0
    low = 0.0
    for rung in _LADDER[_FIRST_CONCAVE:]:
        high = min(rung, upper)
        if slope(high) <= 0.0:
            found = root_scalar(slope, bracket=(low, high), method="brentq", rtol=_TOLERANCE, xtol=_TOLERANCE * high)
            return float(found.root), high
        if high == upper:
            break
        low = high
    return upper, upper
