"""Gradients of a training set whose positions do not all weigh 1 (`treecrf.models.weights`)."""

from __future__ import annotations

import time
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.models.boosted._chain_rule import chain_rule_gradient
from treecrf.models.resources import Runner
from treecrf.models.weights import vary_within
from treecrf.trees.packing import Packing
from treecrf.trees.weighting import weigh_rows


class Weighting:
    """The weights of a training set.

    Parameters
    ----------
    weights : float64, shape (n_positions,)
    offsets : int64, shape (n_sequences + 1,)
    order : int
    packing : Packing
    """

    def __init__(self, weights: NDArray[np.float64], offsets: NDArray[np.int64], order: int, packing: Packing) -> None:
        self._weights, self._offsets, self._order, self._packing = weights, offsets, order, packing
        self._varies = vary_within(weights, offsets)

    def weigh(
        self, run: Runner, bounds: list[int], shared: tuple[Any, ...], rows: NDArray[np.int64],
        log_likelihoods: NDArray[np.float64],
    ) -> float:  # fmt: skip
        """Weigh the gradients and log likelihoods of all sequences; return CPU seconds.

        Parameters
        ----------
        bounds : list of int
            Shares of the sequences.
        shared : tuple
            Exponentials, offsets, labels and observed states.
        rows, log_likelihoods
            As all sequences would have them with a weight of 1.
        """
        work = partial(self._weigh, shared, rows, log_likelihoods)
        return sum(run([partial(work, first, last) for first, last in pairwise(bounds)]))

    def _weigh(
        self,
        shared: tuple[Any, ...],
        rows: NDArray[np.int64],
        log_likelihoods: NDArray[np.float64],
        first: int,
        last: int,
    ) -> float:
        before = time.thread_time()
        weigh_rows(rows, self._offsets[first], self._offsets[last], self._weights, self._packing)
        log_likelihoods[first:last] *= self._weights[self._offsets[first:last]]
        exponentials, offsets, labels, observed = shared
        changes = np.flatnonzero(np.diff(self._varies[first:last], prepend=False, append=False)) + first
        for begin, end in changes.reshape(-1, 2):
            chain_rule_gradient(
                exponentials, offsets, begin, end, labels, observed, self._order, self._weights, self._packing, rows,
                log_likelihoods,
            )  # fmt: skip
        return time.thread_time() - before
