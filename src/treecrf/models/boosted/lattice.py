"""Potentials of the labels that positions may have, and the rows of each label's tree."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.lattice import Lattice, Weights, predecessor_counts, transitions_of_pairs


class LatticePotentials:
    """Potentials ``U(y_t, t) + T(y_t, y_{t-1})``, or those of pairs, ``F(y_t, y_{t-1}, t)``.

    Parameters
    ----------
    lattice : Lattice
    start : float64, shape (n_labels, n_labels + 1)
        The first T or F.
    full : bool
        Whether they are those of pairs.
    exponentiated : bool
        Whether `unary` and `pairs` are kept as exponentials: forward-backward then takes none.

    Attributes
    ----------
    unary : float64, shape (n_entries,)
        U; where there are pairs, nothing is added to it.
    transitions : float64, shape (n_labels, n_labels + 1)
        T, never as exponentials.
    pairs : float64, shape (n_pairs,) or (0,)
        F.
    """

    def __init__(self, lattice: Lattice, start: NDArray[np.float64], full: bool, exponentiated: bool) -> None:
        self.lattice, self.exponentiated = lattice, exponentiated
        self.unary = np.full(len(lattice.labels), 1.0 if exponentiated else 0.0)
        self.transitions = start.copy()
        self.pairs = transitions_of_pairs(lattice, self._kept(start)) if full else np.empty(0)

    def weights(self) -> Weights:
        """All of them, exponentials where they are kept so."""
        return Weights(self.unary, self._kept(self.transitions), self.pairs)

    def add_leaves(self, entries: NDArray[np.int64], values: NDArray[np.float64], leaves: NDArray[np.int16]) -> None:
        """Add to U of some entries the values of their leaves."""
        if self.exponentiated:
            self.unary[entries] *= np.exp(values)[leaves]
        else:
            self.unary[entries] += values[leaves]

    def _kept(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(values) if self.exponentiated else values


class LabelRows(NamedTuple):
    """Where a lattice has a label.

    Attributes
    ----------
    entries : int64, shape (n,)
        Ascending.
    positions : int32, shape (n,)
    blocks : int64, shape (n,)
        First pair of each entry.
    """

    entries: NDArray[np.int64]
    positions: NDArray[np.int32]
    blocks: NDArray[np.int64]


def rows_by_label(lattice: Lattice, n_labels: int) -> list[LabelRows]:
    """Where a lattice has each label."""
    counts = np.diff(lattice.first)
    before = predecessor_counts(lattice.offsets, counts)
    positions = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    blocks = (np.arange(len(lattice.labels)) - lattice.first[positions]) * before[positions]
    blocks += lattice.first_pair[positions]
    order = np.argsort(lattice.labels, kind="stable")
    bounds = np.searchsorted(lattice.labels[order], np.arange(n_labels + 1))
    parts = [order[begin:end] for begin, end in pairwise(bounds)]
    return [LabelRows(part, positions[part], blocks[part]) for part in parts]
