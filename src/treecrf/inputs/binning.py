"""Bins of numbers."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from treecrf.estimators.checks import FINITE, named, optional, several
from treecrf.io.arrays import Floats, cumulated, of_observations
from treecrf.io.messages import quoted
from treecrf.sequences import MISSING, NARROW_CATEGORIES, Attribute, SequenceSet

MOST_BINS = NARROW_CATEGORIES
"""Of a number: more would make every window code take two bytes."""

FEW_BINS = 5
"""Of a number whose bins have a weight each, as in linear CRFs, unless stated otherwise. On generated sequences of a
Gaussian hidden Markov model with 12 numbers, 5-fold cross-validation of `LinearCRF` prefers 2 or 3 bins with 1,000
positions and 5 with 9,000, where ten lose two points and `MOST_BINS` twenty.
"""

EDGES = named(optional(several("edges", FINITE)))
"""What `Binner.edges_` must be as JSON values."""


class Binner:
    """Cuts numbers into bins that hold about equally many of the training set's cells.

    A bin ends in the middle between two numbers of the training set, so that numbers that are rounded, or in another
    unit and back, stay in their bins. Increasing functions of a number have bins with the same cells of the training
    set. Numbers beyond those of the training set fall into the first or the last bin.

    Parameters
    ----------
    n_bins : int
        Most bins of a number, up to `MOST_BINS`; there are fewer where many cells are equal.

    Attributes
    ----------
    edges_ : dict of float64 arrays, shape (number of bins - 1,), or None
        By number: where each bin but the last ends, ascending; None if the training set has NaN alone, and so nothing
        to tell apart: such a number is always missing. An edge belongs to the bin that it ends.
    """

    edges_: dict[str, Floats | None]

    def __init__(self, n_bins: int = MOST_BINS) -> None:
        self.n_bins = n_bins

    def fit(self, train: SequenceSet, weights: Floats | None = None) -> Self:
        """Find the edges, with positions of these weights, shape (n_positions,); labels are not looked at."""
        self.__dict__.pop("attributes", None)
        counts = of_observations(weights, train.offsets, train.observation_offsets)
        self.edges_ = {
            name: _find_edges(train.numbers[:, j], counts, self.n_bins) for j, name in enumerate(train.number_names)
        }
        return self

    def described(self) -> dict[str, list[float] | None]:
        """`edges_` as JSON values."""
        return {name: None if edges is None else edges.tolist() for name, edges in self.edges_.items()}

    @classmethod
    def from_edges(cls, edges: Any, n_bins: int = MOST_BINS) -> Self:
        """The binner that `described` its edges; a ValueError if they do not rise, or are too many."""
        binner = cls(n_bins)
        binner.edges_ = {name: None if e is None else np.array(e, dtype=np.float64) for name, e in edges.items()}
        for name, rising in binner.edges_.items():
            if rising is None:
                continue
            rises = rising.ndim == 1 and np.isfinite(rising).all() and (np.diff(rising) > 0).all()
            if not rises or len(rising) >= n_bins:
                raise ValueError(f"the edges of the bins of {quoted(name)} do not rise, or are too many")
        return binner

    def transform(self, data: SequenceSet) -> SequenceSet:
        """The same set with an ordered attribute, after the others, in place of each number; its categories name the
        bins.
        """
        if not self.edges_:
            return data
        columns = [data.values]
        for j, edges in enumerate(self.edges_.values()):
            numbers = data.numbers[:, j]
            known = ~np.isnan(numbers) & (edges is not None)
            codes = np.searchsorted(() if edges is None else edges, numbers)
            columns.append(np.where(known, codes, MISSING)[:, None])
        return data.derived(
            values=np.hstack(columns, dtype=np.int32),
            attributes=(*data.attributes, *self.attributes),
            numbers=np.empty((len(data.values), 0)),
            number_names=(),
        )

    def interval(self, name: str, first: int, last: int) -> str:
        """What the bins ``first`` to ``last`` of a number hold together, such as "above 0.5 to 2"."""
        edges = self.edges_[name]
        return "any number" if edges is None else _interval(_edge_texts(edges), first, last)

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The ordered attributes that stand for the numbers."""
        return tuple(
            Attribute(name, () if edges is None else _name_bins(edges), ordered=True)
            for name, edges in self.edges_.items()
        )


_ROUNDING = 4 * np.finfo(np.float64).eps  # of a change of units and back: numbers that differ by less are one
_CLOSE = 1e-9  # sums of weights that are this close are equal


def _find_edges(numbers: Floats, weights: Floats | None, n_bins: int) -> Floats | None:
    known, sums = cumulated(numbers, weights)
    if not len(known):
        return None if np.isnan(numbers).all() else np.empty(0)
    with np.errstate(over="ignore"):
        differs = np.diff(known) > _ROUNDING * np.maximum(np.abs(known[1:]), np.abs(known[:-1]))
    ends = np.append(np.flatnonzero(differs), len(known) - 1)  # of equal numbers
    if len(ends) > n_bins:
        wanted = np.floor(np.arange(1, n_bins) * sums[-1] / n_bins + _CLOSE)
        ends = np.unique(ends[np.searchsorted(sums[ends], wanted)])
    ends = ends[ends < len(known) - 1]
    low, high = known[ends], known[ends + 1]
    middle = 0.5 * low + 0.5 * high  # their sum may be too large
    return np.where((low <= middle) & (middle < high), middle, low)


def _name_bins(edges: Floats) -> tuple[str, ...]:
    texts = _edge_texts(edges)
    return tuple(_interval(texts, number, number) for number in range(len(texts) + 1))


def _edge_texts(edges: Floats) -> list[str]:
    """The edges with as many digits as make them distinct."""
    for digits in range(4, 18):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == len(texts):
            break
    return texts


def _interval(edges: list[str], first: int, last: int) -> str:
    low = f"above {edges[first - 1]}" if first else ""
    high = f"to {edges[last]}" if last < len(edges) else ""
    return " ".join(filter(None, (low, high))) or "any number"
