"""Forward-backward on the sequences of a training set, and its packed gradients."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treecrf.chain._lattice_kernels import Recursions
from treecrf.chain.beam import Beam, beam_of, keep_entries
from treecrf.chain.lattice import Lattice, Weights, entries_of, one_thread, pairs_of, run_backward, run_forward
from treecrf.compiled.struct import allocate
from treecrf.models.boosted._lattice_gradient import write_rows
from treecrf.models.resources import Runner
from treecrf.trees.packing import Packing

N_SHARES = 16
"""Shares of the sequences, whatever the number of threads: counts are added in the same order."""

_NO_PAIRS, _NO_COUNTS = np.empty(0), np.empty((0, 0))


class LatticeInference:
    """Forward-backward on a lattice that has every position's true label.

    Parameters
    ----------
    lattice : Lattice
    labels : int16, shape (n_positions,)
    n_labels : int
    by_pair : bool
        Whether gradients are those of pairs, or of entries and transitions.
    sequence_weights : float64, shape (n_sequences,), optional
        By which log likelihoods and counts of transitions are multiplied; gradients are not.

    Attributes
    ----------
    gradients : int64, shape (n_pairs,) or (n_entries,)
        ``I - P``, packed.
    true_entries : int64, shape (n_positions,)
    """

    def __init__(
        self, lattice: Lattice, labels: NDArray[np.int16], n_labels: int, by_pair: bool,
        sequence_weights: NDArray[np.float64] | None = None,
    ) -> None:  # fmt: skip
        self.lattice, self.by_pair, self._weights = lattice, by_pair, sequence_weights
        self.true_entries = entries_of(lattice, labels)
        self._true_pairs = pairs_of(lattice, self.true_entries)
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

    def infer(self, run: Runner, weights: Weights, packing: Packing, seconds: dict[str, float]) -> float:
        """Write the gradients, from exponentials of potentials; return the log likelihood."""
        with one_thread(self.lattice, weights):
            seconds["gradient"] += run_shares(run, self.lattice, partial(self._differentiate, weights, packing))
        steps = weights.pairs[self._true_pairs] if len(weights.pairs) else weights.transitions[self._true_steps]
        logs = np.log(weights.unary[self.true_entries] * steps * self._recursions.scales)
        if self._weights is not None:
            logs *= np.repeat(self._weights, np.diff(self.lattice.offsets))
        return float(logs.sum())

    def _differentiate(self, weights: Weights, packing: Packing, share: int, first: int, last: int) -> None:
        lattice = self.lattice
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
            write_rows(lattice.first, self.true_entries, self._recursions.alphas, begin, end, packing, self.gradients)

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


def training_beam(
    run: Runner, lattice: Lattice, potentials: Weights, n_best: int, true_entries: NDArray[np.int64],
    seconds: dict[str, float],
) -> Beam:  # fmt: skip
    """The beam of a training set, with every position's true label."""
    kept = np.zeros(len(lattice.labels), dtype=np.bool_)

    def keep(share: int, first: int, last: int) -> None:
        keep_entries(lattice, potentials, n_best, true_entries, first, last, kept)

    seconds["gradient"] += run_shares(run, lattice, keep)
    begin = time.thread_time()
    beam = beam_of(lattice, potentials, kept)
    seconds["gradient"] += time.thread_time() - begin
    return beam


def run_shares(run: Runner, lattice: Lattice, work: Callable[[int, int, int], None]) -> float:
    """Call ``work(share, first, last)`` for shares of the sequences; return CPU seconds."""

    def timed(share: int, first: int, last: int) -> float:
        begin = time.thread_time()
        work(share, first, last)
        return time.thread_time() - begin

    bounds = np.searchsorted(lattice.offsets, np.linspace(0, lattice.offsets[-1], N_SHARES + 1)).tolist()
    return sum(
        run([partial(timed, i, first, last) for i, (first, last) in enumerate(pairwise(bounds)) if first < last])
    )
