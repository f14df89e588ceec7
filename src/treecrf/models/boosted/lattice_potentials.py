"""Potentials of the labels that positions may have, and of the pairs of labels that may follow each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.lattice import Lattice, Weights, transitions_of_pairs

_NO_PAIRS = np.empty(0)


class LatticePotentials:
    """Potentials ``U(y_t, t) + F(y_t, y_{t-1}, t)``; F is a matrix of transitions until `begin_pairs`.

    Parameters
    ----------
    lattice : Lattice
    start : float64, shape (n_labels, n_labels + 1)
        The first transitions.
    exponentiated : bool
        Whether `unary` and `pairs` are kept as exponentials: forward-backward then takes none.

    Attributes
    ----------
    unary : float64, shape (n_entries,)
    transitions : float64, shape (n_labels, n_labels + 1)
        Never exponentials; what F was when `pairs` began.
    pairs : float64, shape (n_pairs,) or (0,)
    """

    def __init__(self, lattice: Lattice, start: NDArray[np.float64], exponentiated: bool) -> None:
        self.lattice, self.exponentiated = lattice, exponentiated
        self.unary = np.full(len(lattice.labels), 1.0 if exponentiated else 0.0)
        self.transitions, self.pairs = start.copy(), _NO_PAIRS

    def begin_pairs(self) -> None:
        """Keep F for each pair from now on."""
        if not len(self.pairs):
            self.pairs = transitions_of_pairs(self.lattice, self._kept(self.transitions))

    def weights(self) -> Weights:
        """All of them, exponentials where they are kept so."""
        return Weights(self.unary, self._kept(self.transitions), self.pairs)

    def add_leaves(self, entries: NDArray[np.int64], values: NDArray[np.float64], leaves: NDArray[np.int16]) -> None:
        """Add to U of some entries the values of their leaves."""
        if self.exponentiated:
            self.unary[entries] *= np.exp(values)[leaves]
        else:
            self.unary[entries] += values[leaves]

    def add_transitions(self, step: NDArray[np.float64]) -> None:
        """Add a matrix to F."""
        self.transitions += step
        if len(self.pairs):
            steps = transitions_of_pairs(self.lattice, self._kept(step))
            if self.exponentiated:
                self.pairs *= steps
            else:
                self.pairs += steps

    def _kept(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(values) if self.exponentiated else values
