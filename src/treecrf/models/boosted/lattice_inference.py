"""Log likelihood and gradients of a training set on the labels that each position may have: forward-backward."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treecrf.chain._lattice_kernels import Recursions
from treecrf.chain.beam import Beam, beam_of, gather_pairs, keep_entries
from treecrf.chain.lattice import (
    Lattice,
    Weights,
    agreeing_entries,
    entries_of,
    one_thread,
    pairs_of,
    run_backward,
    run_forward,
)
from treecrf.compiled.struct import allocate
from treecrf.models.boosted._gradient_kernels import write_rows
from treecrf.models.boosted.training import N_SHARES, gradients_of, shares_of
from treecrf.models.execution import Workers
from treecrf.sequences import MISSING
from treecrf.trees.packing import Packing

_NO_COUNTS = np.empty((0, 0))


class LatticeInference:
    """Forward-backward on a lattice that has every position's true label.

    Gradients are those of pairs, or without `by_pair` of entries and transitions. Log likelihoods and counts of
    transitions are multiplied by `sequence_weights`; gradients are not.

    Attributes
    ----------
    gradients : int64, shape (n_pairs,) or (n_entries,)
        ``I - P``, packed.
    entries : int64, shape (n_entries,), or None
        In a beam, the entries of the whole lattice that its entries are.
    """

    def __init__(
        self,
        lattice: Lattice,
        labels: NDArray[np.int16],
        n_labels: int,
        by_pair: bool,
        sequence_weights: NDArray[np.float64] | None = None,
        entries: NDArray[np.int64] | None = None,
    ) -> None:
        self.lattice, self.by_pair, self._weights, self.entries = lattice, by_pair, sequence_weights, entries
        self._true_entries = entries_of(lattice, labels)
        self._true_pairs = pairs_of(lattice, self._true_entries)
        before = np.concatenate([[0], labels[:-1]])
        before[lattice.offsets[:-1]] = n_labels
        self._true_steps = (labels, before)
        self._recursions = allocate(Recursions, n_entries=len(lattice.labels), n_positions=len(labels))
        self._expected = np.zeros((0 if by_pair else N_SHARES, n_labels, n_labels + 1))
        self._pair_marginals = np.empty(lattice.first_pair[-1] if by_pair else 0)
        self.gradients: NDArray[np.int64] = (
            self._pair_marginals.view(np.int64) if by_pair else np.zeros(len(lattice.labels), dtype=np.int64)
        )

    def excess(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Observed less expected number of every transition, and the expected one, shape (n_labels, n_labels + 1)."""
        expected = self._expected.sum(axis=0)
        observed = np.zeros(expected.shape)
        weights = 1.0 if self._weights is None else np.repeat(self._weights, np.diff(self.lattice.offsets))
        np.add.at(observed, self._true_steps, weights)
        return observed - expected, expected

    def infer(self, workers: Workers, weights: Weights, packing: Packing) -> float:
        """Write the gradients, from exponentials of potentials; return the log likelihood."""
        shares = enumerate(shares_of(self.lattice.offsets, N_SHARES))
        with one_thread(self.lattice, weights):
            workers.map("gradient", partial(self._differentiate, weights, packing), shares)
        steps = weights.pairs[self._true_pairs] if len(weights.pairs) else weights.transitions[self._true_steps]
        logs = np.log(weights.unary[self._true_entries] * steps * self._recursions.scales)
        if self._weights is not None:
            logs *= np.repeat(self._weights, np.diff(self.lattice.offsets))
        return float(logs.sum())

    def _differentiate(self, weights: Weights, packing: Packing, share: int, bounds: tuple[int, int]) -> None:
        lattice, (first, last) = self.lattice, bounds
        counts = _NO_COUNTS if self.by_pair else self._expected[share]
        counts[:] = 0.0
        run_forward(lattice, weights, first, last, self._recursions)
        if self._weights is None:
            run_backward(lattice, weights, first, last, self._recursions, self._pair_marginals, counts)
        else:
            self._count_weighted(weights, self._weights, counts, first, last)
        begin, end = lattice.offsets[first], lattice.offsets[last]
        if self.by_pair:  # gradients take the place of marginals
            write_rows(lattice.first_pair, self._true_pairs, self._pair_marginals, begin, end, packing, self.gradients)
        else:
            write_rows(lattice.first, self._true_entries, self._recursions.alphas, begin, end, packing, self.gradients)

    def _count_weighted(
        self, weights: Weights, of_sequences: NDArray[np.float64], counts: NDArray[np.float64], first: int, last: int
    ) -> None:
        """The backward recursion of sequences of equal weight at a time, whose counts are then multiplied by it."""
        some = of_sequences[first:last]
        bounds = np.flatnonzero(np.diff(some, prepend=np.nan, append=np.nan) != 0.0) + first
        for begin, end in pairwise(bounds.tolist()):
            part = np.zeros_like(counts)
            run_backward(self.lattice, weights, begin, end, self._recursions, self._pair_marginals, part)
            counts += of_sequences[begin] * part


class PartialLatticeInference(LatticeInference):
    """The difference of two: on the lattice, and on its entries that agree with the labels that are not `MISSING`."""

    def __init__(
        self,
        lattice: Lattice,
        labels: NDArray[np.int16],
        n_labels: int,
        by_pair: bool,
        sequence_weights: NDArray[np.float64] | None = None,
        entries: NDArray[np.int64] | None = None,
    ) -> None:
        complete = np.where(labels == MISSING, lattice.labels[lattice.first[:-1]], labels)
        super().__init__(lattice, complete, n_labels, by_pair, sequence_weights, entries)
        self._kept = agreeing_entries(lattice, labels)
        everything = Weights(np.empty(len(lattice.labels)), np.empty((0, 0)), np.empty(0))
        inside = beam_of(lattice, everything, self._kept)
        self._agreeing = LatticeInference(inside.lattice, complete, n_labels, by_pair, sequence_weights)
        self._places = inside.entries
        if by_pair:
            numbers = np.arange(lattice.first_pair[-1], dtype=np.float64)
            kept_numbers = np.empty(inside.lattice.first_pair[-1])
            gather_pairs(lattice, numbers, self._kept, kept_numbers)
            self._places = kept_numbers.astype(np.int64)

    def excess(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `LatticeInference`; what is observed is expected of the labels that agree."""
        excess, expected = super().excess()
        return excess - self._agreeing.excess()[0], expected

    def infer(self, workers: Workers, weights: Weights, packing: Packing) -> float:
        log_likelihood = super().infer(workers, weights, packing)
        inside = beam_of(self.lattice, weights, self._kept).potentials
        log_likelihood -= self._agreeing.infer(workers, inside, packing)
        self.gradients[self._places] -= gradients_of(self._agreeing.gradients, packing)
        return log_likelihood


def training_beam(
    workers: Workers, lattice: Lattice, potentials: Weights, n_best: int, true_entries: NDArray[np.int64]
) -> Beam:
    """The beam of a training set, with every position's true label."""
    kept = np.zeros(len(lattice.labels), dtype=np.bool_)

    def keep(first: int, last: int) -> None:
        keep_entries(lattice, potentials, n_best, true_entries, first, last, kept)

    workers.map("gradient", keep, shares_of(lattice.offsets, N_SHARES))
    with workers.timed("gradient"):
        return beam_of(lattice, potentials, kept)
