"""The n likeliest label sequences of constrained chains, exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.chain._n_best_kernels import allocate_search, find_n_best
from treecrf.chain.trellis import Trellis, check_reached, log_scores

NO_LABEL = -1
"""In place of the labels of a path that there is not."""


class NBest(NamedTuple):
    """The likeliest label sequences of each sequence, the likeliest first.

    Attributes
    ----------
    labels : int16, shape (n, n_positions)
        Row i holds the (i + 1)-th likeliest path of every sequence, -1 where a sequence has fewer.
    log_probabilities : float64, shape (n, n_sequences)
        log P(path | X); minus infinity where a sequence has fewer.
    n_paths : int64, shape (n_sequences,)
        How many paths each sequence has here: n, unless there are fewer label sequences.
    """

    labels: NDArray[np.int16]
    log_probabilities: NDArray[np.float64]
    n_paths: NDArray[np.int64]


def n_best(trellis: Trellis, n: int, log_partition: NDArray[np.float64]) -> NBest:
    """The n best paths of each sequence of a trellis.

    Of equally likely ones comes first the one with the lowest last label, then with the lowest label before it, and so on:
    the first path is that of `treecrf.chain.viterbi`.

    Parameters
    ----------
    trellis : Trellis
    n : int
    log_partition : float64, shape (n_sequences,)
        Of `treecrf.chain.trellis.forward_backward`; scores less these are the log probabilities.

    Raises
    ------
    ValueError
        If n is less than 1, or a sequence has no path.
    """
    labels, n_paths = _search(trellis, n)
    log_probabilities = np.full((n, len(n_paths)), -np.inf)
    for rank in range(n_paths.max()):
        is_there = n_paths > rank
        path = np.maximum(labels[rank], 0)  # label 0 stands in where there is no path
        log_probabilities[rank, is_there] = (log_scores(trellis, path) - log_partition)[is_there]
    return NBest(labels, log_probabilities, n_paths)


def best_path(trellis: Trellis) -> NDArray[np.int16]:
    """The likeliest labels of a trellis, shape (n_positions,); ties and errors as of `n_best`."""
    return _search(trellis, 1)[0][0]


def _search(trellis: Trellis, n: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n={n!r}: give the number of paths, at least 1.")
    n_positions, n_labels = trellis.unary.shape
    search = allocate_search(n, int(np.diff(trellis.offsets).max()), n_labels**trellis.order)
    labels, n_paths = np.full((n, n_positions), NO_LABEL, dtype=np.int16), np.empty(len(trellis.offsets) - 1, np.int64)
    check_reached(trellis, find_n_best(trellis, search, labels, n_paths))
    return labels, n_paths
