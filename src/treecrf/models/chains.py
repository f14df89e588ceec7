"""Chains with potentials, as predictions need them: marginals, likelihood, the likeliest labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain import lattice as lattices
from treecrf.chain import partial
from treecrf.chain import trellis as trellises
from treecrf.chain.lattice import Lattice, Weights
from treecrf.chain.trellis import Trellis
from treecrf.sequences import MISSING


class Chains(Protocol):
    """The chains of a data set."""

    def marginals(self) -> NDArray[np.float64]:
        """P(y_t | X), shape (n_positions, n_labels)."""

    def log_likelihood(self, labels: NDArray[np.int16]) -> NDArray[np.float64]:
        """log P(Y | X) of every sequence, shape (n_sequences,); labels that are `MISSING` are summed over."""

    def viterbi(self) -> NDArray[np.int16]:
        """The likeliest labels, shape (n_positions,)."""

    def trellis(self) -> Trellis:
        """All their paths, to be constrained (`treecrf.chain.trellis`)."""


class DenseChains(NamedTuple):
    """Chains of any order, all of whose potentials are given (`treecrf.chain`).

    Attributes
    ----------
    potentials : float64, shape (n_labels, n_positions, n_states)
    offsets : int64, shape (n_sequences + 1,)
    order : int
    """

    potentials: NDArray[np.float64]
    offsets: NDArray[np.int64]
    order: int

    def marginals(self) -> NDArray[np.float64]:
        """See `Chains`."""
        return chain.forward_backward(self.potentials, self.offsets, self.order).labels

    def log_likelihood(self, labels: NDArray[np.int16]) -> NDArray[np.float64]:
        """See `Chains`."""
        return partial.log_likelihood(self.potentials, labels, self.offsets, self.order)

    def viterbi(self) -> NDArray[np.int16]:
        """See `Chains`."""
        if not self.order:  # positions by themselves
            return self.potentials[:, :, 0].argmax(axis=0).astype(np.int16)
        return chain.viterbi(self.potentials, self.offsets, self.order).labels

    def trellis(self) -> Trellis:
        """See `Chains`."""
        return trellises.trellis_of_potentials(self.potentials, self.offsets, self.order)


PART_BYTES = 2**22
"""Of the potentials of a part of `ScoredChains`: they stay in a cache."""


class ScoredChains(NamedTuple):
    """Chains of order 0 or 1 whose potentials are a score of the position and one of the pair with the label before.

    What they answer is what `DenseChains` do, to the last bit, but their potentials are made for a few sequences at a time.

    Attributes
    ----------
    scores : float64, shape (n_positions, n_labels) or (n_positions, n_states * n_labels)
        Of each label, or by state before and label.
    by_state : float64, shape (n_labels, n_states)
        By label and the state before (`treecrf.chain.StateSpace`): of order 1 the label before, START last.
    offsets : int64, shape (n_sequences + 1,)
    order : int
    """

    scores: NDArray[np.float64]
    by_state: NDArray[np.float64]
    offsets: NDArray[np.int64]
    order: int

    def potentials(self) -> NDArray[np.float64]:
        """Those of `DenseChains`, of all positions together."""
        n_labels = len(self.by_state)
        by_position = self.scores.reshape(len(self.scores), -1, n_labels).transpose(2, 0, 1)
        return np.add(by_position, self.by_state[:, None, :], order="C")

    def marginals(self) -> NDArray[np.float64]:
        """See `Chains`."""
        return np.concatenate([part.marginals() for _, part in self._parts()])

    def log_likelihood(self, labels: NDArray[np.int16]) -> NDArray[np.float64]:
        """See `Chains`."""
        is_partial = (labels == MISSING).any()  # each part is asked as the whole would be: the last digits differ
        ask = partial.partial_log_likelihood if is_partial else partial.log_likelihood
        return np.concatenate(
            [ask(part.potentials, labels[at], part.offsets, self.order) for at, part in self._parts()]
        )

    def viterbi(self) -> NDArray[np.int16]:
        """See `Chains`."""
        if not self.order:
            return (self.scores + self.by_state[:, 0]).argmax(axis=1).astype(np.int16)
        return np.concatenate([part.viterbi() for _, part in self._parts()])

    def trellis(self) -> Trellis:
        """See `Chains`."""
        if not self.order:
            return trellises.trellis_of_scores(self.scores + self.by_state[:, 0], self.offsets)
        if self.scores.shape[1] > len(self.by_state):
            return trellises.trellis_of_potentials(self.potentials(), self.offsets, self.order)
        whole = trellises.trellis_of_scores(self.scores, self.offsets)
        return whole._replace(transitions=self.by_state.copy())

    def _parts(self) -> Iterator[tuple[slice, DenseChains]]:
        """The positions of one or more sequences, and their chains."""
        n_together = max(PART_BYTES // self.by_state.nbytes, 1)
        n_sequences, first = len(self.offsets) - 1, 0
        while first < n_sequences:
            begin = self.offsets[first]
            last = int(np.searchsorted(self.offsets, begin + n_together, side="right")) - 1
            last = max(last, first + 1)
            places = slice(begin, self.offsets[last])
            part = self._replace(scores=self.scores[places], offsets=self.offsets[first : last + 1] - begin)
            yield places, DenseChains(part.potentials(), part.offsets, self.order)
            first = last


class LatticeChains(NamedTuple):
    """Chains whose positions may have some labels alone (`treecrf.chain.lattice`).

    Attributes
    ----------
    lattice : Lattice
    potentials : Weights
    """

    lattice: Lattice
    potentials: Weights

    def marginals(self) -> NDArray[np.float64]:
        """See `Chains`; 0 for labels that a position may not have."""
        found = lattices.forward_backward(self.lattice, self.potentials).labels
        return lattices.by_label(self.lattice, found, len(self.potentials.transitions))

    def log_likelihood(self, labels: NDArray[np.int16]) -> NDArray[np.float64]:
        """See `Chains`; minus infinity for labels that a position may not have."""
        if (labels == MISSING).any():
            return partial.lattice_log_likelihood(self.lattice, self.potentials, labels)
        return lattices.log_likelihood(self.lattice, self.potentials, labels)

    def viterbi(self) -> NDArray[np.int16]:
        """See `Chains`."""
        return lattices.viterbi(self.lattice, self.potentials)

    def trellis(self) -> Trellis:
        """See `Chains`; labels that a position may not have are on no path."""
        return trellises.trellis_of_lattice(self.lattice, self.potentials)
