"""Rules for the values of arrays that come from files, declared beside each array's type and shape.

A rule is what a struct's field, or another declared array, holds besides its shape::

    columns: Annotated[Int32, "n_splits", below("n_columns")]

Kernels index without bounds checks: every array that they index with has a rule that keeps them inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import places_in

Known = Mapping[str, Any]
"""Lengths of axes and other limits by name, and the arrays that were declared, and found right, before."""


class Rule(NamedTuple):
    """What the values of an array must be.

    Attributes
    ----------
    need : str
        Goes on after "must", such as "be finite".
    holds : callable
        Whether an array, with what is known, keeps the rule.
    """

    need: str
    holds: Callable[[NDArray[Any], Known], bool]


FINITE = Rule("be finite", lambda values, _: bool(np.isfinite(values).all()))
MOST_WEIGHT = 1e100
WEIGHTS = Rule(
    f"be finite, and at most {MOST_WEIGHT:g} away from 0", lambda values, _: bool((np.abs(values) <= MOST_WEIGHT).all())
)
"""Of what is learnt: sums and products of some then stay in the range of float64."""

NOT_INFINITE = Rule("be finite, or NaN where not known", lambda values, _: not np.isinf(values).any())
NOT_NEGATIVE = Rule("be finite and at least 0", lambda values, _: bool((np.isfinite(values) & (values >= 0)).all()))
POSITIVE = Rule("be above 0", lambda values, _: bool((values > 0).all()))
SHARES = Rule("be above 0 and at most 1", lambda values, _: bool(((values > 0) & (values <= 1)).all()))
TRUTH = Rule("be true or false", lambda values, _: bool((values.view(np.uint8) <= 1).all()))
SOME = Rule("have at least one entry", lambda values, _: len(values) > 0)
SOME_IN_EACH_ROW = Rule("hold somewhere in each row", lambda values, _: bool(values.any(axis=-1).all()))


def between(least: int, most: int) -> Rule:
    """Numbers of a range, its ends included."""
    return Rule(f"be {least} to {most}", lambda values, _: bool(((values >= least) & (values <= most)).all()))


def below(limit: str) -> Rule:
    """Numbers from 0 to below a limit that is known by name."""
    return Rule(f"be at least 0 and below {limit}", lambda values, known: _is_below(values, known[limit]))


def offsets_into(length: str, *, least: int = 0, most: int | None = None) -> Rule:
    """Where parts of an axis begin, and its length: from 0, each part with at least and at most so many entries."""

    def holds(values: NDArray[Any], known: Known) -> bool:
        if not len(values) or values[0] != 0 or values[-1] != known[length]:
            return False
        if _is_below(values, known[length] + 1):  # then no difference overflows
            sizes = np.diff(values)
            return bool((sizes >= least).all() and (most is None or (sizes <= most).all()))
        return False

    return Rule(f"begin at 0, never fall and end at {length}", holds)


def earlier_in(offsets: str) -> Rule:
    """A place of the same part of an axis, at most that of the entry itself: 0 for the first entry of each part."""

    def holds(values: NDArray[Any], known: Known) -> bool:
        first = known[offsets]
        return bool(((values >= 0) & (values <= places_in(first))).all())

    return Rule("name an earlier place", holds)


def equal_to(what: str) -> Rule:
    """Another array, known by name."""
    return Rule(f"be {what}", lambda values, known: np.array_equal(values, known[what]))


def _is_below(values: NDArray[Any], limit: int) -> bool:
    return not values.size or bool(values.min() >= 0 and values.max() < limit)
