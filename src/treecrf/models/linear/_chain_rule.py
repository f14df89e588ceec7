"""The weighted log likelihood of order-1 chains and its gradient, by the chain rule.

P(Y | X) is the product of P(y_t | y_{t-1}, X), each of which the backward recursion gives (PhD section 2.3), so that
each factor can have a weight of its own. Where all weigh the same,
`treecrf.models.linear._linear_kernels.differentiate` needs no division for each label before.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int16, int32, int64

from treecrf.chain._kernels import longest
from treecrf.compiled.kernel import kernel


@kernel(
    float64(
        float64[:, ::1],
        int32[::1],
        float64[:, ::1],
        int64[::1],
        int16[::1],
        float64[::1],
        float64[:, ::1],
        float64[:, ::1],
    ),
    allocates=True,
    error_model="numpy",
)
def differentiate_weighted(scores, window_of, transitions, offsets, labels, weights, errors, transition_gradient):
    """As `treecrf.models.linear._linear_kernels.differentiate`, for weights of positions, shape (n_positions,)."""
    n_labels = scores.shape[1]
    errors[:, :] = 0.0
    transition_gradient[:, :] = 0.0
    factors = np.exp(transitions)
    ahead = np.empty((longest(offsets), n_labels))  # exponentials of a place's scores times its backward values
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


@kernel(
    float64(
        float64[:, ::1],
        int32[::1],
        float64[:, ::1],
        int64[::1],
        int16[::1],
        float64[::1],
        float64[:, ::1],
        float64[:, ::1],
    ),
    allocates=True,
    error_model="numpy",
)
def differentiate_pairs(scores, window_of, transitions, offsets, labels, weights, errors, transition_gradient):
    """The weighted log likelihood, and its gradient by window and by transition.

    `differentiate_weighted` is apart from it, as windows that score labels alone need no exponential of each pair. The
    potential of a label is its window's score of the pair (label before, label) plus a weight of this pair.

    Parameters
    ----------
    scores : float64, shape (n_windows, (n_labels + 1) * n_labels)
        By label before, START last, and label.
    window_of : int32, shape (n_positions,)
        Window of each position.
    transitions : float64, shape (n_labels, n_labels)
        By label before and label.
    offsets : int64, shape (n_sequences + 1,); labels : int16, shape (n_positions,)
    weights : float64, shape (n_positions,)
        What the logarithm of each position's factor is multiplied by.
    errors : float64, shape of `scores`
        Overwritten: observed minus expected weight of a window's pairs.
    transition_gradient : float64, shape (n_labels, n_labels)
        Overwritten: the same for pairs of labels, first positions left out.

    Returns
    -------
    float64
        NaN or infinite where the scores are so large that a scaled value leaves the range of float64.
    """
    n_labels = len(transitions)
    start = n_labels * n_labels
    errors[:, :] = 0.0
    transition_gradient[:, :] = 0.0
    exponentials = np.empty(scores.shape)
    for window in range(len(scores)):
        shift = -np.inf
        for pair in range(scores.shape[1]):
            score = scores[window, pair]
            if pair < start:
                score += transitions[pair // n_labels, pair % n_labels]
            exponentials[window, pair] = score
            shift = max(shift, score)
        for pair in range(scores.shape[1]):
            exponentials[window, pair] = math.exp(exponentials[window, pair] - shift)
    betas = np.empty((longest(offsets), n_labels))
    mass, next_mass, shares = np.empty(n_labels), np.empty(n_labels), np.empty(n_labels)
    total = 0.0
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        betas[end - begin - 1] = 1.0
        for place in range(end - begin - 2, -1, -1):
            window, highest = window_of[begin + place + 1], 0.0
            for label in range(n_labels):
                value = 0.0
                for following in range(n_labels):
                    value += exponentials[window, label * n_labels + following] * betas[place + 1, following]
                betas[place, label] = value
                highest = max(highest, value)
            for label in range(n_labels):
                betas[place, label] /= highest
        mass[0] = weights[begin]
        for place in range(end - begin):
            position = begin + place
            window, weight, observed = window_of[position], weights[position], labels[position]
            before_observed = labels[position - 1] if place > 0 else 0
            next_mass[:] = 0.0
            for before in range(n_labels if place > 0 else 1):
                row = before * n_labels if place > 0 else start
                whole = 0.0
                for label in range(n_labels):
                    shares[label] = exponentials[window, row + label] * betas[place, label]
                    whole += shares[label]
                if before == before_observed:
                    if weight > 0.0:
                        total += weight * math.log(shares[observed] / whole)
                    errors[window, row + observed] += weight
                    if place > 0:
                        transition_gradient[before, observed] += weight
                if mass[before] == 0.0:
                    continue
                share = mass[before] / whole
                for label in range(n_labels):
                    expected = share * shares[label]
                    next_mass[label] += expected
                    errors[window, row + label] -= expected
                    if place > 0:
                        transition_gradient[before, label] -= expected
            if position + 1 < end:
                next_mass[observed] += weights[position + 1] - weight
            mass, next_mass = next_mass, mass
    return total
