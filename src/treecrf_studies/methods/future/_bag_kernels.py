"""Bags of future instances: noisy-OR, its gradient, and the local likelihood along a step (PhD section 5.3).

The bag of position t holds the instances t+1 .. t+u of its sequence, those of them that are there. An instance is an
observation: a sequence may have some after its last position.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int16, int64, void

from treecrf.compiled.kernel import kernel

WHOLE_FUTURE = -1
"""Size of a bag that reaches to the end of the sequence."""


@kernel(void(float64[::1], int64[::1], int64[::1], int64, float64[::1]))
def noisy_or(instance_probabilities, offsets, instance_offsets, bag, probabilities):
    """Probability that the bag of each position holds a positive instance (PhD equation 5.11); 0 where it is empty.

    `offsets` and `instance_offsets` are those of positions and of instances; `bag` is the most instances of a bag, or
    `WHOLE_FUTURE`.
    """
    for sequence in range(len(offsets) - 1):
        first, end = instance_offsets[sequence], instance_offsets[sequence + 1]
        length = offsets[sequence + 1] - offsets[sequence]
        if bag == WHOLE_FUTURE or bag >= end - first:
            none_positive = 1.0
            for place in range(end - first - 1, -1, -1):
                if place < length:
                    probabilities[offsets[sequence] + place] = 1.0 - none_positive
                none_positive *= 1.0 - instance_probabilities[first + place]
        else:
            for place in range(length):
                none_positive = 1.0
                for instance in range(first + place + 1, min(first + place + 1 + bag, end)):
                    none_positive *= 1.0 - instance_probabilities[instance]
                probabilities[offsets[sequence] + place] = 1.0 - none_positive


@kernel(void(float64[::1], float64[::1], float64[::1], int64[::1], int64[::1], int64, float64[::1], int64[::1]))
def instance_gradient(residuals, probabilities, instance_probabilities, offsets, instance_offsets, bag, sums, counts):
    """Gradient of the likelihood with respect to the score of every instance (PhD proposition 5.2, without eta).

    An instance lies in the bags of up to u positions, whose number goes to `counts`; their gradients are summed in
    `sums`. `residuals`, shape (n_positions,), are ``I(y_t = 1) - P(y_t = 1 | ..)``; the other parameters are those of
    `noisy_or`.
    """
    for sequence in range(len(offsets) - 1):
        first, end = instance_offsets[sequence], instance_offsets[sequence + 1]
        position, length = offsets[sequence], offsets[sequence + 1] - offsets[sequence]
        everything = bag == WHOLE_FUTURE or bag >= end - first
        before = 0.0  # sum over all positions before the instance
        for place in range(end - first):
            oldest = 0 if everything else max(place - bag, 0)
            newest = min(place, length)
            if everything:
                total = before
                if place < length:
                    before += residuals[position + place] * (1.0 - probabilities[position + place])
            else:
                total = 0.0
                for t in range(position + oldest, position + newest):
                    total += residuals[t] * (1.0 - probabilities[t])
            sums[first + place] = total * instance_probabilities[first + place]
            counts[first + place] = max(newest - oldest, 0)


@kernel(float64(float64[:, ::1], float64[:, ::1], float64, int16[::1]), error_model="numpy")
def log_likelihood_along(scores, direction, step, labels):
    """Log likelihood of the labels after a step (PhD equation 5.4).

    `scores` and `direction`, shape (n_positions, n_labels), are F of every label given the true previous labels, and
    what is added to it ``step`` times.
    """
    total = 0.0
    for t in range(len(labels)):
        true_score = scores[t, labels[t]] + step * direction[t, labels[t]]
        normalizer = 0.0  # relative to the true label's
        largest = 0.0
        for label in range(scores.shape[1]):
            largest = max(largest, scores[t, label] + step * direction[t, label] - true_score)
        for label in range(scores.shape[1]):
            normalizer += np.exp(scores[t, label] + step * direction[t, label] - true_score - largest)
        total -= largest + np.log(normalizer)
    return total


@kernel(float64(float64[:, ::1], float64[:, ::1], float64, int16[::1]), error_model="numpy")
def slope_along(scores, direction, step, labels):
    """Derivative of `log_likelihood_along` with respect to the step."""
    n_positions, n_labels = scores.shape
    total = 0.0
    for t in range(n_positions):
        largest = -np.inf
        for label in range(n_labels):
            largest = max(largest, scores[t, label] + step * direction[t, label])
        normalizer = 0.0
        expected = 0.0
        for label in range(n_labels):
            weight = np.exp(scores[t, label] + step * direction[t, label] - largest)
            normalizer += weight
            expected += weight * direction[t, label]
        total += direction[t, labels[t]] - expected / normalizer
    return total


@kernel(void(float64[:, ::1], int16[::1], float64[:, ::1]), error_model="numpy")
def residuals_of(scores, labels, residuals):
    """``I(y_t = y) - P(y_t = y | ..)`` of every label (PhD proposition 5.1), written to the last parameter."""
    n_positions, n_labels = scores.shape
    for t in range(n_positions):
        largest = -np.inf
        for label in range(n_labels):
            largest = max(largest, scores[t, label])
        total = 0.0
        for label in range(n_labels):
            total += np.exp(scores[t, label] - largest)
        for label in range(n_labels):
            residuals[t, label] = (label == labels[t]) - np.exp(scores[t, label] - largest) / total
