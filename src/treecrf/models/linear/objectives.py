"""What linear CRFs minimize: with weights of all pairs of a cell and a label, or of those that occur in the training set."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.models.linear._linear_kernels import (
    add_cell_gradients,
    add_occurring_gradients,
    differentiate_occurring,
    dot,
    score_occurring,
    score_windows,
)
from treecrf.models.linear.likelihood import likelihood_of
from treecrf.models.linear.outcomes import Outcomes
from treecrf.sequences import MISSING, SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import distinct_windows, number_cells

DENSE = 3
"""Times as long a pair takes by itself as in the table of all pairs."""


class Objective:
    """The negative log likelihood of a training set with its Gaussian prior, and the gradient.

    Positions with the same window share its score, which is computed once.
    """

    def __init__(
        self,
        train: SequenceSet,
        labels: NDArray[np.int16],
        window: tuple[int, int],
        outcomes: Outcomes,
        variance: float,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        cells, n_cells = window_cells(train, window)
        distinct, self._window_of = distinct_windows(cells)
        self._cells = cells[distinct]
        self._outcomes, self._variance = outcomes, float(variance)
        self._likelihood = likelihood_of(labels, outcomes.n_labels, train.offsets, outcomes.order, weights)
        self.n_cells = n_cells
        self._scores = np.empty((len(self._cells), outcomes.size))
        self.n_weights = outcomes.n_weights(n_cells)
        self.seconds = 0.0

    @staticmethod
    def all_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of all cells and transitions."""
        return weights

    def __call__(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """What is minimized, and its gradient, for weights of shape (n_weights,): cells, then transitions."""
        began = time.thread_time()
        of_cells, of_pairs = self._outcomes.part(weights)
        score_windows(self._cells, of_cells, self._scores)
        scores, transitions = self._outcomes.combined(self._scores), of_pairs.copy()
        errors, pair_gradient = np.empty_like(scores), np.empty_like(transitions)
        log_likelihood = self._likelihood.differentiate(scores, self._window_of, transitions, errors, pair_gradient)
        cell_gradient = np.zeros((self.n_cells + 1, self._outcomes.size))
        add_cell_gradients(self._cells, self._outcomes.by_outcome(errors), cell_gradient)
        gradient = weights / self._variance
        for part, observed in zip(self._outcomes.part(gradient), (cell_gradient[:-1], pair_gradient), strict=True):
            part -= observed
        value = dot(weights, weights) / (2 * self._variance) - log_likelihood
        self.seconds += time.thread_time() - began
        return value, gradient


class OccurringObjective:
    """What `Objective` is, for the weights of cells and the labels with which they occur in the training set, and of pairs
    of labels that occur (CRFsuite, ``feature.possible_states=0``); the others are 0. Text has few of many pairs of word
    and label.

    Attributes
    ----------
    n_weights, n_cells : int
    seconds : float
    """

    def __init__(
        self,
        train: SequenceSet,
        labels: NDArray[np.int16],
        window: tuple[int, int],
        outcomes: Outcomes,
        variance: float,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        cells, self.n_cells = window_cells(train, window)
        n_labels = outcomes.n_labels
        known = labels != MISSING
        keys = np.unique(cells[known].astype(np.int64) * n_labels + labels[known, None])
        self._places = keys[keys < self.n_cells * n_labels]  # among all weights
        of_weight, self._label_of = np.divmod(self._places, n_labels)
        self._starts = np.searchsorted(of_weight, np.arange(self.n_cells + 2))
        follows = np.ones(len(labels), dtype=np.bool_)
        follows[train.offsets[:-1]] = False
        there = (
            np.flatnonzero(follows & known & np.append(False, known[:-1])) if outcomes.order else np.empty(0, np.int64)
        )
        pairs, counts = np.unique(labels[there - 1].astype(np.int64) * n_labels + labels[there], return_counts=True)
        self._pairs, self._counts = np.column_stack(np.divmod(pairs, n_labels)), counts.astype(np.float64)
        distinct, self._window_of = distinct_windows(cells)
        self._cells = cells[distinct]
        self._outcomes, self._variance = outcomes, float(variance)
        self._labels, self._offsets = labels.copy(), train.offsets.copy()  # writable, as the kernels' types say
        is_dense = DENSE * len(pairs) > n_labels**2 or outcomes.order == 0 or weights is not None or not known.all()
        self._likelihood = likelihood_of(labels, n_labels, train.offsets, outcomes.order, weights) if is_dense else None
        self._scores = np.empty((len(self._cells), n_labels))
        self.n_weights = len(self._places) + len(self._pairs)
        self.seconds = 0.0

    def all_weights(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of all cells and transitions."""
        every = np.zeros(self._outcomes.n_weights(self.n_cells))
        of_cells, of_pairs = self._outcomes.part(every)
        of_cells.ravel()[self._places] = weights[: len(self._places)]
        of_pairs[tuple(self._pairs.T)] = weights[len(self._places) :]
        return every

    def __call__(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """What is minimized, and its gradient, for weights of shape (n_weights,): cells, then transitions."""
        began = time.thread_time()
        n_places = len(self._places)
        of_pairs, errors = weights[n_places:], np.empty_like(self._scores)
        score_occurring(self._cells, self._starts, self._label_of, weights[:n_places], self._scores)
        observed = np.zeros(self.n_weights)
        if self._likelihood is None:
            log_likelihood = dot(of_pairs, self._counts) + differentiate_occurring(
                *(self._scores, self._window_of, self._pairs, of_pairs, self._offsets, self._labels),
                *(errors, observed[n_places:]),
            )
            observed[n_places:] += self._counts
        else:
            transitions, of_transitions = np.zeros((2, self._outcomes.n_labels, self._outcomes.n_labels))
            transitions[tuple(self._pairs.T)] = of_pairs
            log_likelihood = self._likelihood.differentiate(
                self._scores, self._window_of, transitions, errors, of_transitions
            )
            observed[n_places:] = of_transitions[tuple(self._pairs.T)]
        add_occurring_gradients(self._cells, self._starts, self._label_of, errors, observed[:n_places])
        value = dot(weights, weights) / (2 * self._variance) - log_likelihood
        self.seconds += time.thread_time() - began
        return value, weights / self._variance - observed


def window_cells(data: SequenceSet, window: tuple[int, int]) -> tuple[NDArray[Any], int]:
    """The cells of each window, numbered as in `treecrf.trees.columns.Columns`, and how many cells there are.

    uint32, shape (n_positions, n_slots); a code that belongs to no cell has the number of cells.
    """
    first_cell = np.concatenate([[0], np.cumsum(slot_sizes(data.attributes, window))]).astype(np.int64)
    return number_cells(window_codes(data, window), first_cell), int(first_cell[-1])
