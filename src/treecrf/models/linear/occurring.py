"""The objective of a linear CRF that has weights of what occurs in the training set alone: of a cell for the labels
that occur with it, and of pairs of labels that occur (CRFsuite, ``feature.possible_states=0``). Text has few of many
pairs of word and label.
"""

from __future__ import annotations

import math
import time
from typing import Annotated, NamedTuple, Self

import numpy as np
from numba import float64, int16, int32, int64, uint32, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int64, struct
from treecrf.io.arrays import Codes, Floats, Ints
from treecrf.models.linear.lbfgs import dot
from treecrf.models.linear.likelihood import exponentiate, likelihood_of
from treecrf.sequences import MISSING
from treecrf.trees.columns import distinct_windows

ROUNDING = 2.0**-53
"""Half the distance from 1 to the next number."""

DENSE = 3
"""Times as long a pair takes by itself as in the table of all pairs."""


@kernel(void(uint32[:, ::1], int64[::1], int64[::1], float64[::1], float64[:, ::1]))
def score_occurring(cells, starts, labels, weights, scores):
    """Sum the weights of each window's cells, which have weights for some labels alone.

    Parameters
    ----------
    cells : uint32, shape (n_windows, n_slots)
    starts : int64, shape (n_cells + 2,)
        Of each cell's weights; the last cell stands for none, and has no weights.
    labels : int64, shape (n_weights,)
        Of each weight.
    weights : float64, shape (n_weights,)
    scores : float64, shape (n_windows, n_labels)
        Overwritten.
    """
    for window in range(len(cells)):
        for label in range(scores.shape[1]):
            scores[window, label] = 0.0
        for slot in range(cells.shape[1]):
            cell = cells[window, slot]
            for place in range(starts[cell], starts[cell + 1]):
                scores[window, labels[place]] += weights[place]


@kernel(void(uint32[:, ::1], int64[::1], int64[::1], float64[:, ::1], float64[::1]))
def add_occurring_gradients(cells, starts, labels, errors, gradient):
    """Add each window's errors, shape (n_windows, n_labels), to the gradients of these weights."""
    for window in range(len(cells)):
        for slot in range(cells.shape[1]):
            cell = cells[window, slot]
            for place in range(starts[cell], starts[cell + 1]):
                gradient[place] += errors[window, labels[place]]


@kernel(
    float64(
        float64[:, ::1],
        int32[::1],
        int64[:, ::1],
        float64[::1],
        int64[::1],
        int16[::1],
        float64[:, ::1],
        float64[::1],
    ),
    allocates=True,
)
def differentiate_occurring(scores, window_of, pairs, weights, offsets, labels, errors, gradient):
    """`treecrf.models.linear.likelihood.differentiate` where some pairs of labels alone have a weight: the time grows
    with their number.

    The factor of a pair without weight is 1, and alphas add up to 1: what leads to a label is 1 plus the sum over its
    pairs of alpha times (factor - 1). It counts with the rounding error of 1 at least.

    Parameters
    ----------
    pairs : int64, shape (n_pairs, 2)
        Label before and label.
    weights : float64, shape (n_pairs,)
    gradient : float64, shape (n_pairs,)
        Overwritten: minus the expected number of each pair.
    scores, window_of, offsets, labels, errors : see `differentiate`

    Returns
    -------
    float64
        Without the weights of the observed pairs.
    """
    n_labels, n_pairs = scores.shape[1], len(pairs)
    beta, local = np.empty(n_labels), np.empty(n_labels)
    excess, exponentials = np.empty(n_pairs), np.empty((len(scores), n_labels))
    alphas = np.empty((len(labels), n_labels))
    scales, shifts = np.empty(len(alphas)), np.empty(len(scores))
    for pair in range(n_pairs):
        gradient[pair] = 0.0
        excess[pair] = math.expm1(weights[pair])
    errors[:, :] = 0.0
    exponentiate(scores, shifts, exponentials)
    total = 0.0
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            window = window_of[position]
            for label in range(n_labels):
                alphas[position, label] = 1.0
            for pair in range(n_pairs if position > begin else 0):
                alphas[position, pairs[pair, 1]] += alphas[position - 1, pairs[pair, 0]] * excess[pair]
            scale = 0.0
            for label in range(n_labels):
                alphas[position, label] = max(alphas[position, label], ROUNDING) * exponentials[window, label]
                scale += alphas[position, label]
            scales[position] = scale
            for label in range(n_labels):
                alphas[position, label] /= scale
            observed = labels[position]
            total += scores[window, observed] - shifts[window] - math.log(scale)
            errors[window, observed] += 1.0
        for label in range(n_labels):
            beta[label] = 1.0
        for position in range(end - 1, begin - 1, -1):
            window = window_of[position]
            together = 0.0
            for label in range(n_labels):
                errors[window, label] -= alphas[position, label] * beta[label]
                local[label] = exponentials[window, label] * beta[label] / scales[position]
                together += local[label]
            if position > begin:
                for label in range(n_labels):
                    beta[label] = together
                for pair in range(n_pairs):
                    before, after = pairs[pair, 0], pairs[pair, 1]
                    beta[before] += excess[pair] * local[after]
                    gradient[pair] -= alphas[position - 1, before] * (excess[pair] + 1.0) * local[after]
    return total


@struct
class Places(NamedTuple):
    """Which weights there are: of cells for some labels, and after them of some pairs of labels."""

    starts: Annotated[
        Int64, "n_cells + 2", "Of each cell's weights; the last cell stands for none, and has no weights."
    ]
    labels: Annotated[Int64, "n_weights_of_cells"]
    pairs: Annotated[Int64, "n_pairs, 2", "Label before and label, ascending."]
    n_labels: Annotated[int, "Of the training set."]

    @classmethod
    def occurring(
        cls, cells: NDArray[np.uint32], n_cells: int, labels: Codes, offsets: Ints, n_labels: int, order: int
    ) -> Self:
        """Those of what occurs in a training set (`OccurringObjective`)."""
        known = labels != MISSING
        keys = np.unique(cells[known].astype(np.int64) * n_labels + labels[known, None])
        of_weight, of_label = np.divmod(keys[keys < n_cells * n_labels], n_labels)
        pairs = occurring_pairs(labels, offsets, n_labels, order)
        return cls(np.searchsorted(of_weight, np.arange(n_cells + 2)), of_label, pairs, n_labels)

    @classmethod
    def of_all_cells(cls, n_cells: int, labels: Codes, offsets: Ints, n_labels: int, order: int) -> Self:
        """Those of each cell for all labels, and of pairs that occur."""
        starts = np.minimum(np.arange(n_cells + 2), n_cells) * n_labels
        of_label = np.tile(np.arange(n_labels), n_cells)
        return cls(starts, of_label, occurring_pairs(labels, offsets, n_labels, order), n_labels)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.starts) - 2

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return len(self.labels) + len(self.pairs)

    def among_all(self, weights: Floats, order: int) -> Floats:
        """The weights of all cells for all labels, and of order 1 of all pairs; 0 where there is none."""
        every = np.zeros(self.n_cells * self.n_labels + (self.n_labels**2 if order else 0))
        of_cells = np.repeat(np.arange(self.n_cells + 1), np.diff(self.starts)) * self.n_labels + self.labels
        of_pairs = self.n_cells * self.n_labels + self.pairs @ [self.n_labels, 1]
        every[np.append(of_cells, of_pairs)] = weights
        return every

    def pairs_of(self, labels: Codes, offsets: Ints) -> Ints:
        """The number of the pair of the label before and the label, by position; -1 where there is none."""
        places = _where_pairs(labels, offsets) if len(self.pairs) else np.empty(0, dtype=np.int64)
        numbers = np.full(len(labels), -1)
        keys = self.pairs @ [self.n_labels, 1]
        numbers[places] = np.searchsorted(keys, labels[places - 1].astype(np.int64) * self.n_labels + labels[places])
        return numbers


def _where_pairs(labels: Codes, offsets: Ints) -> Ints:
    """Positions that have a known label, as has the one before in their sequence."""
    known = labels != MISSING
    follows = known & np.append(False, known[:-1])
    follows[offsets[:-1]] = False
    return np.flatnonzero(follows)


def occurring_pairs(labels: Codes, offsets: Ints, n_labels: int, order: int) -> Ints:
    """Pairs of a label before and a label that occur, shape (n_pairs, 2), ascending; none with order 0."""
    there = _where_pairs(labels, offsets) if order else np.empty(0, dtype=np.int64)
    return np.column_stack(
        np.divmod(np.unique(labels[there - 1].astype(np.int64) * n_labels + labels[there]), n_labels)
    )


class OccurringObjective:
    """What `treecrf.models.linear.linear_crf.Objective` is, for these weights; the others are 0.

    Parameters
    ----------
    cells : uint32, shape (n_positions, n_slots)
        Of the windows; `n_cells` where there is none.
    n_cells : int
    labels : int16, shape (n_positions,)
        `MISSING` where they are not known.
    offsets : int64, shape (n_sequences + 1,)
    n_labels : int
    order : 0 or 1
    variance : float
    weights : float64, shape (n_positions,), optional

    Attributes
    ----------
    n_weights : int
    seconds : float
    """

    def __init__(
        self,
        cells: NDArray[np.uint32],
        n_cells: int,
        labels: NDArray[np.int16],
        offsets: NDArray[np.int64],
        n_labels: int,
        order: int,
        variance: float,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        places = self._places = Places.occurring(cells, n_cells, labels, offsets, n_labels, order)
        numbers = places.pairs_of(labels, offsets)
        self._counts = np.bincount(numbers[numbers >= 0], minlength=len(places.pairs)).astype(np.float64)
        self.n_weights, self._order = places.n_weights, order
        distinct, self._window_of = distinct_windows(cells)
        self._cells, self._variance = cells[distinct], float(variance)
        self._labels, self._offsets = labels.copy(), offsets.copy()  # writable, as the kernels' types say
        is_dense = DENSE * len(places.pairs) > n_labels**2 or order == 0 or weights is not None
        is_dense = is_dense or bool((labels == MISSING).any())
        self._likelihood = likelihood_of(labels, n_labels, offsets, order, weights) if is_dense else None
        self._scores = np.empty((len(self._cells), n_labels))
        self.seconds = 0.0

    def all_weights(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of all cells and transitions."""
        return self._places.among_all(weights, self._order)

    def value(self, weights: NDArray[np.float64]) -> float:
        """What is minimized."""
        return self(weights)[0]

    def __call__(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """What is minimized, and its gradient, for weights of shape (n_weights,): cells, then transitions."""
        began = time.thread_time()
        starts, label_of, pairs, n_labels = self._places
        n_places = len(label_of)
        of_pairs, errors = weights[n_places:], np.empty_like(self._scores)
        score_occurring(self._cells, starts, label_of, weights[:n_places], self._scores)
        observed = np.zeros(self.n_weights)
        if self._likelihood is None:
            log_likelihood = dot(of_pairs, self._counts) + differentiate_occurring(
                *(self._scores, self._window_of, pairs, of_pairs, self._offsets, self._labels),
                *(errors, observed[n_places:]),
            )
            observed[n_places:] += self._counts
        else:
            transitions, of_transitions = np.zeros((2, n_labels, n_labels))
            transitions[tuple(pairs.T)] = of_pairs
            log_likelihood = self._likelihood.differentiate(
                self._scores, self._window_of, transitions, errors, of_transitions
            )
            observed[n_places:] = of_transitions[tuple(pairs.T)]
        add_occurring_gradients(self._cells, starts, label_of, errors, observed[:n_places])
        value = dot(weights, weights) / (2 * self._variance) - log_likelihood
        self.seconds += time.thread_time() - began
        return value, weights / self._variance - observed
