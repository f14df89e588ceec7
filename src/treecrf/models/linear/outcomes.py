"""What the features of a linear CRF have weights for, the cells of windows, and chains of their scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.lattice import Weights, build_lattice
from treecrf.models.chains import LatticeChains
from treecrf.models.linear._linear_kernels import score_windows

FEATURES = ("pairs", "labels", "both")
"""Values of the setting `features` that stand for all weights."""

OCCURRING = "occurring"
"""That for the weights of labels with which a cell occurs."""


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of a first-order chain, or of one without order, that each feature has a weight for.

    Parameters
    ----------
    n_labels : int
    order : 0 or 1
    features : "pairs", "labels", "both" or "occurring"
        Pairs are numbered by label before, START last, and label; labels come before them.
    """

    n_labels: int
    order: int
    features: str

    @property
    def has_pairs(self) -> bool:
        """Whether pairs of labels are among them."""
        return bool(self.order) and self.features not in ("labels", OCCURRING)

    @property
    def n_extra(self) -> int:
        """Number of labels that come before pairs."""
        return self.n_labels if self.has_pairs and self.features == "both" else 0

    @property
    def size(self) -> int:
        """Number of outcomes."""
        return self.n_extra + (self.n_labels * (self.n_labels + 1) if self.has_pairs else self.n_labels)

    def n_weights(self, n_features: int) -> int:
        """Number of weights of so many features and of the pairs of labels by themselves."""
        return n_features * self.size + (self.n_labels**2 if self.order else 0)

    def part(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights of features, shape (n_features, size), and of pairs of labels by label before and label (views)."""
        n_pairs = self.n_labels**2 if self.order else 0
        of_features = weights[: len(weights) - n_pairs].reshape(-1, self.size)
        if not n_pairs:
            return of_features, np.zeros((self.n_labels, self.n_labels))
        return of_features, weights[-n_pairs:].reshape(self.n_labels, self.n_labels)

    def combined(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of windows by label, or by pair where there are pairs, from those by outcome, shape (n_windows, size)."""
        if not self.n_extra:
            return scores
        of_labels = np.tile(scores[:, : self.n_extra], self.n_labels + 1)
        return np.asarray(scores[:, self.n_extra :] + of_labels)

    def by_outcome(self, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient by outcome, shape (n_windows, size), from that by `combined` score."""
        if not self.n_extra:
            return errors
        of_labels = errors.reshape(len(errors), self.n_labels + 1, self.n_labels).sum(axis=1)
        return np.hstack([of_labels, errors])


def score_cells(cells: NDArray[np.uint32], cell_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of the weights of each window's cells, shape (n_positions, n_labels).

    `cells` are from `treecrf.models.linear.objectives.window_cells`; `cell_weights` has the shape (n_cells + 1,
    n_labels).
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
    """Chains of the labels that are possible; transitions are by label and label before, START last."""
    lattice = build_lattice(offsets, possible[None], np.zeros(len(scores), dtype=np.int64))
    return LatticeChains(lattice, Weights(scores[:, possible].ravel(), transitions, np.empty(0)))
