"""Chains whose potentials are weights of the cells of a window, and of labels after others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.lattice import Weights, build_lattice
from treecrf.models.chains import LatticeChains
from treecrf.models.linear._linear_kernels import score_windows


def score_cells(cells: NDArray[np.uint32], cell_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of the weights of each window's cells, shape (n_positions, n_labels).

    `cells` are from `treecrf.models.linear.linear_crf.window_cells`; `cell_weights` has the shape (n_cells + 1, n_labels).
    """
    scores = np.empty((len(cells), cell_weights.shape[1]))
    score_windows(cells, cell_weights, scores)
    return scores


def window_chains(
    scores: NDArray[np.float64],
    transitions: NDArray[np.float64],
    offsets: NDArray[np.int64],
    possible: NDArray[np.bool_],
) -> LatticeChains:
    """Chains of the labels that are possible.

    Parameters
    ----------
    scores : float64, shape (n_positions, n_labels)
    transitions : float64, shape (n_labels, n_labels + 1)
        By label and label before, START last.
    offsets : int64, shape (n_sequences + 1,)
    possible : bool, shape (n_labels,)
    """
    lattice = build_lattice(offsets, possible[None], np.zeros(len(scores), dtype=np.int64))
    return LatticeChains(lattice, Weights(scores[:, possible].ravel(), transitions, np.empty(0)))
