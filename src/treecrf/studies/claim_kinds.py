"""Kinds of claims: what was measured, and whether it satisfies a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Generic, TypeVar, cast

from treecrf.studies.claims import FAILS, HOLDS, LEANS, Observation

ROUNDING = 1e-9
"""Differences below it are errors of rounding."""

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
        p-value that the value differs from 0, by a valid test, if there is one.
    papers_p : float or None
        The same by the test of the paper.
    interval : (float, float) or None
        90 % interval of the value, that of two one-sided tests at 0.05.
    repeated : (float, float) or None
        95 % interval of the value over repeated measurements: of times, which differ from one measurement to the next.
    """

    value: Value
    numbers: str
    difference: str = ""
    p: float | None = None
    papers_p: float | None = None
    interval: tuple[float, float] | None = None
    repeated: tuple[float, float] | None = None

    def observe(self, degree: Callable[[Measured[Value]], Fraction], target: float | None = None) -> Observation:
        """The observation that the claim holds to this degree, or to several where measurements do not decide.

        Between the ends of `repeated` a kind looks at the value nearest to `target`, if it has one.
        """
        degrees = [degree(each) for each in self._possible(target)]
        return Observation(self.numbers, min(degrees), self.difference or self.numbers, max(degrees))

    def by_papers_test(self) -> Measured[Value]:
        """The same as the paper's test sees it: it calls equal what does not differ significantly."""
        if self.papers_p is None:
            return self
        return replace(self, p=self.papers_p, interval=None if self.interval is None else (0.0, 0.0))

    def _possible(self, target: float | None) -> Iterator[Measured[Value]]:
        yield self
        if self.repeated is not None:
            low, high = self.repeated
            nearest = [] if target is None else [min(max(target, low), high)]
            for value in (low, high, *nearest):
                yield replace(self, value=cast(Value, value))  # only numbers are repeated


def better(found: Measured[float], level: float = 1, margin: float = 0, leans: bool = False) -> Fraction:
    """Larger than `margin`, and significantly if there is a test; if `leans`, any advantage leans to the claim."""
    if found.value > margin and (found.p is None or found.p < level):
        return HOLDS
    return LEANS if leans and found.value > 0 else FAILS


def outcome(found: Measured[float], level: float) -> Fraction:
    """`HOLDS` if significantly above 0, `FAILS` if significantly below, else `LEANS`."""
    if found.p is None or not found.p < level or found.value == 0:  # NaN decides nothing
        return LEANS
    return HOLDS if found.value > 0 else FAILS


def not_worse(found: Measured[float], level: float, margin: float) -> Fraction:
    """Significantly above 0, or the interval above -`margin`; leans if no test decides. A large p alone says nothing."""
    decided = outcome(found, level)
    return HOLDS if decided == LEANS and _lies_within(found, -margin) else decided


def equal(found: Measured[float], level: float, margin: float) -> Fraction:
    """Equivalent: not significantly different from 0, and the interval within `margin`; leans if no test decides."""
    if outcome(found, level) != LEANS:
        return FAILS
    return HOLDS if _lies_within(found, -margin, margin) else LEANS


def above(found: Measured[float], bound: float, leans: float | None = None) -> Fraction:
    """Larger than `bound`; leans to the claim if larger than `leans`."""
    return HOLDS if found.value > bound else LEANS if leans is not None and found.value > leans else FAILS


def at_least(found: Measured[float], bound: float) -> Fraction:
    """Not smaller than `bound`."""
    return HOLDS if found.value + ROUNDING >= bound else FAILS


def at_most(found: Measured[float], bound: float) -> Fraction:
    """Not larger than `bound`."""
    return HOLDS if found.value <= bound + ROUNDING else FAILS


def near(found: Measured[float], target: float, tolerance: float) -> Fraction:
    """No further than `tolerance` from `target`."""
    return HOLDS if abs(found.value - target) <= tolerance + ROUNDING else FAILS


def order(found: Measured[Sequence[str]], order: Sequence[str]) -> Fraction:
    """The first names are those of `order`."""
    return HOLDS if list(found.value[: len(order)]) == list(order) else FAILS


def rises(found: Measured[Sequence[float]], tolerance: float) -> Fraction:
    """From one value to the next a curve falls by at most `tolerance`."""
    return HOLDS if largest_fall(found.value) <= tolerance + ROUNDING else FAILS


KINDS: dict[str, Callable[..., Fraction]] = {
    kind.__name__: kind for kind in (better, outcome, not_worse, equal, above, at_least, at_most, near, order, rises)
}
"""Kinds of claims: whether a `Measured` holds, leans or fails."""


def largest_fall(curve: Sequence[float]) -> float:
    """How much a curve falls at most from one value to the next; negative if it rises everywhere."""
    return max(first - second for first, second in pairwise(curve))


def _lies_within(found: Measured[float], low: float, high: float = float("inf")) -> bool:
    """Whether the interval is known and lies there, the ends excluded."""
    return found.interval is not None and low < found.interval[0] and found.interval[1] < high
