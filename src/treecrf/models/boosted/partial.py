"""Sequences of a training set some of whose labels are not known (Tsuboi et al. 2008, section 4).

Their log likelihood is that of the known labels, summed over all that complete them: ``log Z(labels that agree) - log Z``.
Its gradient is ``P(y, s | known labels, X) - P(y, s | X)``: the marginals of the chain without the labels in conflict, less
those of the chain. Both come from the same recursions, on exponentials that are 0 for labels in conflict; any labels that
complete the known ones are part of both gradients, and cancel out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.partial import allows
from treecrf.io.arrays import gather_ranges
from treecrf.models.resources import Runner
from treecrf.sequences import MISSING
from treecrf.trees.packing import Packing

_SHARES = 16


def completed(labels: NDArray[np.int16]) -> NDArray[np.int16]:
    """Labels that complete the known ones: the first label where none is known."""
    return np.where(labels == MISSING, 0, labels).astype(np.int16)


def as_sequences(
    labels: NDArray[np.int16], offsets: NDArray[np.int64], order: int, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Offsets and weights of a training that sees each label given the `order` labels before it, if these are known.

    A position whose label, or one of those before it, is not known is left out: it weighs 0. Where positions differ in weight
    each is a sequence by itself, else nothing changes.
    """
    left_out = labels == MISSING
    place = np.arange(len(labels)) - np.repeat(offsets[:-1], np.diff(offsets))
    for lag in range(1, order + 1):
        left_out[lag:] |= (labels[:-lag] == MISSING) & (place[lag:] >= lag)
    if weights is None and not left_out.any():
        return offsets, None
    weighted = np.where(left_out, 0.0, 1.0 if weights is None else weights)
    return np.arange(len(labels) + 1), weighted


class PartialSequences:
    """The chains of the sequences with unknown labels, without the labels in conflict.

    Parameters
    ----------
    labels : int16, shape (n_positions,)
        `MISSING` where not known; of all sequences.
    offsets : int64, shape (n_sequences + 1,)
    space : chain.StateSpace
    forward, backward : kernels of `treecrf.models.boosted._gradient`
    packing : Packing
    """

    def __init__(
        self,
        labels: NDArray[np.int16],
        offsets: NDArray[np.int64],
        space: chain.StateSpace,
        forward: Callable[..., None],
        backward: Callable[..., None],
        packing: Packing,
    ) -> None:
        self._sequences = np.flatnonzero(np.logical_or.reduceat(labels == MISSING, offsets[:-1]))
        self._offsets, self._positions = gather_ranges(offsets, self._sequences)
        self._forward, self._backward, self._packing = forward, backward, packing
        known = labels[self._positions]
        self._allowed = allows(known, space.n_labels).astype(np.float64)[:, :, None]
        self._labels = completed(known)
        self._observed = chain.state_sequence(self._labels, self._offsets, space.n_labels, space.order)
        n = len(known)
        self._exponentials = np.empty((space.n_labels, n, space.n_states))
        self._rows = np.zeros((space.n_labels, space.n_states, n), dtype=np.int64)
        self._alphas = np.empty((n, space.n_labels ** max(space.order, 1)))
        self._scales = np.empty(n)
        self._log_likelihoods = np.empty(len(self._sequences))

    def correct(
        self, run: Runner, exponentials: NDArray[np.float64], scales: NDArray[np.float64], rows: NDArray[np.int64],
        log_likelihoods: NDArray[np.float64],
    ) -> float:  # fmt: skip
        """Turn gradients and log likelihoods of completed labels into those of the known ones; return CPU seconds.

        `scales` are what the forward recursion on `exponentials` left.
        """
        shares = np.linspace(0, self._offsets[-1], _SHARES + 1)
        bounds = np.unique(np.searchsorted(self._offsets, shares)).tolist()
        work = partial(self._correct, exponentials, scales, rows, log_likelihoods)
        return sum(run([partial(work, first, last) for first, last in pairwise(bounds)]))

    def _correct(
        self, exponentials: NDArray[np.float64], scales: NDArray[np.float64], rows: NDArray[np.int64],
        log_likelihoods: NDArray[np.float64], first: int, last: int,
    ) -> float:  # fmt: skip
        before = time.thread_time()
        begin, end = int(self._offsets[first]), int(self._offsets[last])
        positions = self._positions[begin:end]
        np.multiply(exponentials[:, positions], self._allowed[:, begin:end], out=self._exponentials[:, begin:end])
        shared: tuple[Any, ...] = (self._exponentials, self._offsets, first, last, self._labels, self._observed)
        self._forward(*shared, self._alphas, self._scales, self._log_likelihoods)
        self._backward(*shared, self._packing, self._alphas, self._scales, self._rows)
        rows[:, :, positions] -= gradients_of(self._rows[:, :, begin:end], self._packing)
        gained = np.log(scales[positions]) - np.log(self._scales[begin:end])  # scales are inverse
        log_likelihoods[self._sequences[first:last]] = np.add.reduceat(gained, self._offsets[first:last] - begin)
        return time.thread_time() - before


def gradients_of(packed: NDArray[np.int64], packing: Packing) -> NDArray[np.int64]:
    """The packed rows without their weights."""
    weights = (packed + (1 << (packing.shift - 1))) >> packing.shift
    return packed - (weights << packing.shift)
