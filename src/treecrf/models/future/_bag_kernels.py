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
    """Probability that a bag holds a positive instance (PhD equation 5.11).

    Parameters
    ----------
    instance_probabilities : float64, shape (n_instances,)
    offsets, instance_offsets : int64, shape (n_sequences + 1,)
        Of positions, and of instances.
    bag : int64
        Most instances of a bag, or `WHOLE_FUTURE`.
    probabilities : float64, shape (n_positions,)
        Written; 0 where the bag is empty.
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


@kernel(
    void(float64[::1], float64[::1], float64[::1], int64[::1], int64[::1], int64, float64[::1], int64[::1]),
)
def instance_gradient(residuals, probabilities, instance_probabilities, offsets, instance_offsets, bag, sums, counts):
    """Gradient of the likelihood with respect to the score of every instance (PhD proposition 5.2, without eta).

    An instance lies in the bags of up to u positions; their gradients are summed.

    Parameters
    ----------
    residuals : float64, shape (n_positions,)
        ``I(y_t = 1) - P(y_t = 1 | ..)``.
    probabilities, instance_probabilities, offsets, instance_offsets, bag : see `noisy_or`
    sums : float64, shape (n_instances,)
        Written.
    counts : int64, shape (n_instances,)
        Written: the number of bags that an instance lies in.
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

    Parameters
    ----------
    scores, direction : float64, shape (n_positions, n_labels)
        F of every label given the true previous labels, and what is added to it ``step`` times.
    step : float64
    labels : int16, shape (n_positions,)
    """
    total = 0.0
    for t in range(len(labels)):
        own = scores[t, labels[t]] + step * direction[t, labels[t]]
        normalizer = 0.0  # relative to the true label's
        largest = 0.0
        for label in range(scores.shape[1]):
            largest = max(largest, scores[t, label] + step * direction[t, label] - own)
        for label in range(scores.shape[1]):
            normalizer += np.exp(scores[t, label] + step * direction[t, label] - own - largest)
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
        largest = scores[t].max()
        total = 0.0
        for label in range(n_labels):
            total += np.exp(scores[t, label] - largest)
        for label in range(n_labels):
            residuals[t, label] = (label == labels[t]) - np.exp(scores[t, label] - largest) / total
