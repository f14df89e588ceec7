"""The recursions of lattices; where every position may have every label, as matrix products over all sequences at once.

Products are taken by one thread (`one_thread`): with more, their last bits depend on the number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from treecrf.chain._lattice_kernels import Lattice, Recursions, Weights, backward, forward

_LEAST_LABELS = 64  # with fewer the loops of the kernels are as fast


def one_thread(lattice: Lattice, weights: Weights) -> AbstractContextManager[Any]:
    """What `run_forward` and `run_backward` have to be called in."""
    return threadpool_limits(1, user_api="blas") if _has_all_labels(lattice, weights) else nullcontext()


def run_forward(lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions) -> None:
    """`treecrf.chain._lattice_kernels.forward`, the faster way."""
    way = forward_by_products if _has_all_labels(lattice, weights) else forward
    way(lattice, weights, first, last, recursions)


def run_backward(
    lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions, pair_marginals: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> None:  # fmt: skip
    """`treecrf.chain._lattice_kernels.backward`, the faster way."""
    if _has_all_labels(lattice, weights) and not len(pair_marginals):
        backward_by_products(lattice, weights, first, last, recursions, counts)
    else:
        backward(lattice, weights, first, last, recursions, pair_marginals, counts)


def forward_by_products(lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions) -> None:
    """Forward recursion on the sequences ``first`` to ``last - 1`` of a lattice with all labels, without weights of pairs.

    Parameters
    ----------
    lattice, weights : Lattice, Weights
        Exponentials of potentials.
    first, last : int
    recursions : Recursions
        As after `treecrf.chain._lattice_kernels.forward`, up to rounding.
    """
    n_labels = len(weights.transitions)
    unary, alphas = (values.reshape(-1, n_labels) for values in (weights.unary, recursions.alphas))
    after, at_start = np.ascontiguousarray(weights.transitions[:, :-1].T), weights.transitions[:, -1]
    for place, rows in _places(lattice.offsets[first : last + 1]):
        found = (alphas[rows - 1] @ after if place else at_start) * unary[rows]
        scales = 1.0 / found.sum(axis=1)
        alphas[rows], recursions.scales[rows] = found * scales[:, None], scales


def backward_by_products(
    lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions, counts: NDArray[np.float64]
) -> None:
    """Backward recursion after `forward_by_products`; `counts` as in `treecrf.chain._lattice_kernels.backward`."""
    n_labels, offsets = len(weights.transitions), lattice.offsets[first : last + 1]
    unary, alphas, betas = (
        values.reshape(-1, n_labels) for values in (weights.unary, recursions.alphas, recursions.betas)
    )
    steps, at_start = np.ascontiguousarray(weights.transitions[:, :-1]), weights.transitions[:, -1]
    betas[offsets[0] : offsets[-1]] = 1.0
    for place, rows in reversed(list(_places(offsets))):
        now = betas[rows] * unary[rows] * recursions.scales[rows, None]
        if place:
            betas[rows - 1] = now @ steps
        if place and len(counts):
            counts[:, :-1] += steps * (now.T @ alphas[rows - 1])
        elif len(counts):
            counts[:, -1] += at_start * now.sum(axis=0)
    alphas[offsets[0] : offsets[-1]] *= betas[offsets[0] : offsets[-1]]


def _has_all_labels(lattice: Lattice, weights: Weights) -> bool:
    n_labels = len(weights.transitions)
    is_whole = len(lattice.labels) == (len(lattice.first) - 1) * n_labels
    return is_whole and n_labels >= _LEAST_LABELS and not len(weights.pairs)


def _places(offsets: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each place in a sequence, with the positions there of the sequences that are long enough."""
    lengths = np.diff(offsets)
    longest_first = np.argsort(-lengths, kind="stable")
    begins, n_longer = offsets[:-1][longest_first], np.searchsorted(-lengths[longest_first], -np.arange(lengths.max()))
    for place, n_rows in enumerate(n_longer):
        yield place, begins[:n_rows] + place
