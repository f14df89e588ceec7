"""Incomplete Cholesky factors of kernel matrices (Altun, Smola and Hofmann 2004, section 5.3; Fine and Scheinberg 2001)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.models.kernel.gram import Inputs, Kernel
from treecrf.models.resources import check_memory

LEAST_TRACE = 1e-3
"""A factor is complete where the trace of what it leaves of the kernel matrix is below this."""

LEAST_RESIDUAL = 1e-10
"""A window that is left less of its diagonal entry is a combination of pivots."""


def incomplete_cholesky(
    kernel: Kernel, inputs: Inputs, rank: int, pivots: str, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A factor G of the kernel matrix, ``K = G G'`` but for the residual that the pivots leave.

    Parameters
    ----------
    kernel : Kernel
    inputs : shape (n_windows, n_inputs)
    rank : int
        Most pivots.
    pivots : "greedy", "random" or "uniform"
        The next pivot is the window with the largest residual on the diagonal, the first of equals; or it is drawn in
        proportion to the residuals (RPCholesky: Chen, Epperly, Tropp and Webber 2024); or any other window.
    seed : int
        Of the draws.

    Returns
    -------
    factor : float64, shape (n_windows, n_pivots)
    chosen : int64, shape (n_pivots,)
        The pivots' windows, in order. The factor's rows of the pivots are lower triangular.
    """
    n_windows = inputs.shape[0]
    rank = min(rank, n_windows)
    check_memory(8 * n_windows * rank, f"the factor of {n_windows:,} windows and rank {rank:,}", "give a lower rank")
    rng = np.random.default_rng(seed)
    shuffled = iter(rng.permutation(n_windows))
    residual = kernel.diagonal(inputs)
    factor = np.empty((n_windows, rank), order="F")
    chosen: list[int] = []
    while len(chosen) < rank and residual.sum() >= LEAST_TRACE:
        if pivots == "greedy":
            pivot = int(residual.argmax())
        elif pivots == "random":
            pivot = int(rng.choice(n_windows, p=residual / residual.sum()))
        else:
            pivot = int(next(window for window in shuffled if residual[window] > LEAST_RESIDUAL))
        done = factor[:, : len(chosen)]
        column = kernel.between(inputs[[pivot]], inputs)[0] - done @ done[pivot]
        column[chosen] = 0.0
        column /= np.sqrt(residual[pivot])
        residual -= column**2
        np.maximum(residual, 0.0, out=residual)
        residual[pivot] = 0.0
        factor[:, len(chosen)] = column
        chosen.append(pivot)
    return factor[:, : len(chosen)], np.array(chosen, dtype=np.int64)
