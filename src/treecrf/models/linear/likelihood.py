"""The log likelihood of window scores and transitions, and its gradient: weighted, and of labels some of which are not
known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.chain._kernels import MAX_POTENTIAL
from treecrf.chain.inference import allows
from treecrf.io.arrays import gather_ranges
from treecrf.models.linear._chain_rule import differentiate_pairs, differentiate_weighted
from treecrf.models.linear._linear_kernels import differentiate
from treecrf.sequences import MISSING


class Likelihood:
    """The order-1 chains of a training set with known labels, whose windows score labels, or pairs of a label and the
    one before.
    """

    def __init__(
        self, labels: NDArray[np.int16], offsets: NDArray[np.int64], weights: NDArray[np.float64] | None = None
    ) -> None:
        self._labels, self._offsets = labels.copy(), offsets.copy()  # writable, as the kernels' types say
        self._weights = weights
        self._alphas: NDArray[np.float64] | None = None

    def differentiate(
        self,
        scores: NDArray[np.float64],
        window_of: NDArray[np.int32],
        transitions: NDArray[np.float64],
        errors: NDArray[np.float64],
        transition_gradient: NDArray[np.float64],
    ) -> float:
        """See `treecrf.models.linear._linear_kernels.differentiate`, and `differentiate_pairs` for scores of pairs."""
        shared = (scores, window_of, transitions, self._offsets, self._labels)
        if scores.shape[1] > len(transitions):
            weights = np.ones(len(self._labels)) if self._weights is None else self._weights
            return float(differentiate_pairs(*shared, weights, errors, transition_gradient))
        if self._weights is not None:
            return float(differentiate_weighted(*shared, self._weights, errors, transition_gradient))
        if self._alphas is None:
            self._alphas = np.empty((len(self._labels), scores.shape[1]))
        return float(differentiate(*shared, self._alphas, errors, transition_gradient))


class PartialLikelihood:
    """The same where some labels are not known, by Tsuboi et al. (2008), section 4 (`treecrf.models.boosted.training`).

    Weights are equal within a sequence that has unknown labels.
    """

    def __init__(
        self,
        labels: NDArray[np.int16],
        n_labels: int,
        offsets: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        complete = np.where(labels == MISSING, 0, labels).astype(np.int16)
        self._whole = Likelihood(complete, offsets, weights)
        sequences = np.flatnonzero(np.logical_or.reduceat(labels == MISSING, offsets[:-1]))
        inside, self._positions = gather_ranges(offsets, sequences)
        of_positions = None if weights is None else weights[self._positions]
        self._agreeing = Likelihood(complete[self._positions], inside, of_positions)
        self._allowed = allows(labels[self._positions], n_labels).T

    def differentiate(
        self,
        scores: NDArray[np.float64],
        window_of: NDArray[np.int32],
        transitions: NDArray[np.float64],
        errors: NDArray[np.float64],
        transition_gradient: NDArray[np.float64],
    ) -> float:
        """See `Likelihood.differentiate`."""
        value = self._whole.differentiate(scores, window_of, transitions, errors, transition_gradient)
        windows = window_of[self._positions]
        allowed = np.tile(self._allowed, scores.shape[1] // self._allowed.shape[1])
        agreeing = np.where(allowed, scores[windows], -MAX_POTENTIAL)
        of_positions, of_pairs = np.empty_like(agreeing), np.empty_like(transition_gradient)
        each = np.arange(len(windows), dtype=np.int32)
        value -= self._agreeing.differentiate(agreeing, each, transitions, of_positions, of_pairs)
        np.subtract.at(errors, windows, of_positions)
        transition_gradient -= of_pairs
        return value


def likelihood_of(
    labels: NDArray[np.int16],
    n_labels: int,
    offsets: NDArray[np.int64],
    order: int,
    weights: NDArray[np.float64] | None,
) -> Likelihood | PartialLikelihood:
    """The likelihood of a training set; of order 0, positions whose label is not known are left out."""
    unknown = labels == MISSING
    if not unknown.any():
        return Likelihood(labels, offsets, weights)
    if order:
        return PartialLikelihood(labels, n_labels, offsets, weights)
    known = np.where(unknown, 0.0, 1.0 if weights is None else weights)
    return Likelihood(np.where(unknown, 0, labels).astype(np.int16), offsets, known)
