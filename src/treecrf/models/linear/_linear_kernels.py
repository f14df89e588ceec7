"""Kernels of linear CRFs: scores of windows, the recursions of an order-1 chain, gradients, the vector operations of
L-BFGS in a fixed order.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int16, int32, int64, types, uint32, void

from treecrf.compiled.kernel import kernel

ROUNDING = 2.0**-53
"""Half the distance from 1 to the next number."""


@kernel(void(uint32[:, ::1], float64[:, ::1], float64[:, ::1]))
def score_windows(cells, weights, scores):
    """Sum the weights of each window's cells.

    Parameters
    ----------
    cells : uint32, shape (n_windows, n_slots)
    weights : float64, shape (n_cells, n_labels)
        A cell beyond them has no weights.
    scores : float64, shape (n_windows, n_labels)
        Overwritten.
    """
    n_labels = scores.shape[1]
    for window in range(len(cells)):
        for label in range(n_labels):
            scores[window, label] = 0.0
        for slot in range(cells.shape[1]):
            cell = cells[window, slot]
            if cell < len(weights):
                for label in range(n_labels):
                    scores[window, label] += weights[cell, label]


@kernel(void(uint32[:, ::1], float64[:, ::1], float64[:, ::1]))
def add_cell_gradients(cells, errors, gradient):
    """Add each window's errors, shape (n_windows, n_labels), to the gradients of its cells."""
    n_labels = errors.shape[1]
    for window in range(len(cells)):
        for slot in range(cells.shape[1]):
            cell = cells[window, slot]
            for label in range(n_labels):
                gradient[cell, label] += errors[window, label]


@kernel(void(float64[:, ::1], float64[::1], float64[:, ::1]))
def exponentiate(scores, shifts, exponentials):
    """Write the largest score of each window, and the exponentials of its scores less that one."""
    n_labels = scores.shape[1]
    for window in range(len(scores)):
        shifts[window] = scores[window, 0]
        for label in range(n_labels):
            shifts[window] = max(shifts[window], scores[window, label])
        for label in range(n_labels):
            exponentials[window, label] = math.exp(scores[window, label] - shifts[window])


@kernel(
    float64(
        float64[:, ::1],
        int32[::1],
        float64[:, ::1],
        int64[::1],
        int16[::1],
        float64[:, ::1],
        float64[:, ::1],
        float64[:, ::1],
    ),
    allocates=True,
)
def differentiate(scores, window_of, transitions, offsets, labels, alphas, errors, transition_gradient):
    """The log likelihood, and its gradient by window and by transition.

    The scaled forward-backward recursions (PhD section 2.3) for potentials that are a window's score of the label
    plus a weight of the pair (previous label, label); no weight at the first position.

    Parameters
    ----------
    scores : float64, shape (n_windows, n_labels)
    window_of : int32, shape (n_positions,)
        Window of each position.
    transitions : float64, shape (n_labels, n_labels)
        By previous label and label.
    offsets : int64, shape (n_sequences + 1,); labels : int16, shape (n_positions,)
    alphas : float64, shape (n_positions, n_labels)
        Work space.
    errors : float64, shape (n_windows, n_labels)
        Overwritten: observed minus expected number of times that a window has a label.
    transition_gradient : float64, shape (n_labels, n_labels)
        Overwritten: the same for pairs of labels.

    Returns
    -------
    float64
        NaN or infinite where the weights are so large that a scaled value leaves the range of float64.
    """
    n_labels = scores.shape[1]
    vectors = np.empty((3, n_labels))
    beta, next_beta, local = vectors[0], vectors[1], vectors[2]
    factors, exponentials = np.empty((n_labels, n_labels)), np.empty((len(scores), n_labels))
    scales, shifts = np.empty(len(alphas)), np.empty(len(scores))
    for before in range(n_labels):
        for label in range(n_labels):
            transition_gradient[before, label] = 0.0
            factors[before, label] = math.exp(transitions[before, label])
    exponentiate(scores, shifts, exponentials)
    for window in range(len(scores)):
        for label in range(n_labels):
            errors[window, label] = 0.0
    total = 0.0
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            window = window_of[position]
            scale = 0.0
            for label in range(n_labels):
                value = 1.0
                if position > begin:
                    value = 0.0
                    for before in range(n_labels):
                        value += alphas[position - 1, before] * factors[before, label]
                value *= exponentials[window, label]
                alphas[position, label] = value
                scale += value
            scales[position] = scale
            for label in range(n_labels):
                alphas[position, label] /= scale
            observed = labels[position]
            total += scores[window, observed] - shifts[window] - math.log(scale)
            errors[window, observed] += 1.0
            if position > begin:
                total += transitions[labels[position - 1], observed]
                transition_gradient[labels[position - 1], observed] += 1.0
        for label in range(n_labels):
            beta[label] = 1.0
        for position in range(end - 1, begin - 1, -1):
            window = window_of[position]
            for label in range(n_labels):
                errors[window, label] -= alphas[position, label] * beta[label]
                local[label] = exponentials[window, label] * beta[label] / scales[position]
            if position > begin:
                for before in range(n_labels):
                    value = 0.0
                    for label in range(n_labels):
                        product = factors[before, label] * local[label]
                        transition_gradient[before, label] -= alphas[position - 1, before] * product
                        value += product
                    next_beta[before] = value
                for before in range(n_labels):
                    beta[before] = next_beta[before]
    return total


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
    """`differentiate` where some pairs of labels alone have a weight, in a time that grows with their number.

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
    exponentiate(scores, shifts, exponentials)
    for window in range(len(scores)):
        for label in range(n_labels):
            errors[window, label] = 0.0
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


@kernel(float64(float64[::1], float64[::1]))
def dot(first, second):
    """The inner product of two vectors, added from the first element to the last."""
    total = 0.0
    for i in range(len(first)):
        total += first[i] * second[i]
    return total


@kernel(types.UniTuple(float64, 2)(float64[::1], float64[::1], float64[::1]))
def two_dots(first, second, third):
    """The inner products of a vector with two others, added as `dot` adds them, in the time of one."""
    of_second = of_third = 0.0
    for i in range(len(first)):
        of_second += first[i] * second[i]
        of_third += first[i] * third[i]
    return of_second, of_third


@kernel(void(float64[::1], float64[:, ::1], float64[:, ::1], int64, int64, float64[::1]), allocates=True)
def find_direction(gradient, steps, changes, oldest, n_kept, direction):
    """Minus the approximate inverse Hessian times the gradient (Nocedal and Wright 2006, algorithm 7.4).

    Parameters
    ----------
    gradient : float64, shape (n_weights,)
    steps, changes : float64, shape (n_memory, n_weights)
        Of the last iterations: changes of the weights and of the gradient, in a ring.
    oldest, n_kept : int
        Row of the oldest one, and how many there are.
    direction : float64, shape (n_weights,)
        Overwritten.
    """
    n_memory, n_weights = steps.shape
    for i in range(n_weights):
        direction[i] = -gradient[i]
    if n_kept == 0:
        return
    shares, curvatures = np.empty(n_kept), np.empty(n_kept)
    for place in range(n_kept - 1, -1, -1):
        row = (oldest + place) % n_memory
        along, curvatures[place] = two_dots(steps[row], direction, changes[row])
        shares[place] = along / curvatures[place]
        for i in range(n_weights):
            direction[i] -= shares[place] * changes[row, i]
    newest = (oldest + n_kept - 1) % n_memory
    scale = curvatures[n_kept - 1] / dot(changes[newest], changes[newest])
    for i in range(n_weights):
        direction[i] *= scale
    for place in range(n_kept):
        row = (oldest + place) % n_memory
        share = shares[place] - dot(changes[row], direction) / curvatures[place]
        for i in range(n_weights):
            direction[i] += share * steps[row, i]
