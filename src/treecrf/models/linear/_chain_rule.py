"""The weighted log likelihood of order-1 chains and its gradient, where positions have weights.

The recursions are those of `treecrf.models.boosted._gradient_kernels`.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int16, int32, int64

from treecrf.compiled.kernel import kernel


@kernel(
    float64(float64[:, ::1], int32[::1], float64[:, ::1], int64[::1], int16[::1], float64[::1], float64[:, ::1],
    float64[:, ::1]), allocates=True, error_model="numpy"
)  # fmt: skip
def differentiate_weighted(scores, window_of, transitions, offsets, labels, weights, errors, transition_gradient):
    """As `treecrf.models.linear._linear_kernels.differentiate`, for weights of positions, shape (n_positions,)."""
    n_labels = scores.shape[1]
    errors[:, :] = 0.0
    transition_gradient[:, :] = 0.0
    factors = np.exp(transitions)
    longest = 0
    for sequence in range(len(offsets) - 1):
        longest = max(longest, offsets[sequence + 1] - offsets[sequence])
    ahead = np.empty((longest, n_labels))  # exponentials of a place's scores times its backward values
    mass, next_mass, shares = np.empty(n_labels), np.empty(n_labels), np.empty(n_labels)
    total = 0.0
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for place in range(end - begin - 1, -1, -1):
            window = window_of[begin + place]
            shift, highest = scores[window].max(), 0.0
            for label in range(n_labels):
                value = 1.0
                if begin + place + 1 < end:
                    value = 0.0
                    for following in range(n_labels):
                        value += factors[label, following] * ahead[place + 1, following]
                value *= math.exp(scores[window, label] - shift)
                ahead[place, label] = value
                highest = max(highest, value)
            for label in range(n_labels):
                ahead[place, label] /= highest
        mass[:] = 0.0
        mass[0] = weights[begin]
        for place in range(end - begin):
            position = begin + place
            window, weight, observed = window_of[position], weights[position], labels[position]
            next_mass[:] = 0.0
            for before in range(n_labels if place > 0 else 1):
                whole = 0.0
                for label in range(n_labels):
                    shares[label] = ahead[place, label] * (factors[before, label] if place > 0 else 1.0)
                    whole += shares[label]
                for label in range(n_labels):
                    expected = mass[before] * shares[label] / whole
                    next_mass[label] += expected
                    errors[window, label] -= expected
                    if place > 0:
                        transition_gradient[before, label] -= expected
                if weight > 0.0 and (place == 0 or before == labels[position - 1]):
                    total += weight * math.log(shares[observed] / whole)
            errors[window, observed] += weight
            if place > 0:
                transition_gradient[labels[position - 1], observed] += weight
            if position + 1 < end:
                next_mass[observed] += weights[position + 1] - weight
            mass, next_mass = next_mass, mass
    return total
