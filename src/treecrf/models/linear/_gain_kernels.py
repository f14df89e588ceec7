"""Kernels of `treecrf.models.linear.induced_crf`: the gain of a feature, and pairs of features that hold together."""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int32, int64, types, void

from treecrf.compiled.kernel import kernel

MOST_STEPS = 50
"""Of Newton's method for one weight."""

LARGEST_WEIGHT = 700.0
"""In size: its exponential is near the end of float64."""

TOLERANCE = 1e-11
"""Newton's method stops where another step would gain less."""


@kernel(types.UniTuple(float64, 2)(float64[::1], int64, float64, float64), error_model="numpy")
def fit_weight(probabilities, n_tokens, n_observed, variance):
    """The gain of one weight that multiplies the odds of a label at some tokens (McCallum 2003, section 4).

    Maximizes ``w n_observed - sum_i log(1 - p_i + p_i e^w) - w^2 / (2 variance)`` by Newton's method. It halves the
    interval between the points where the slope was seen to be positive and negative instead, where it would leave
    that or where its step is more than half the last one: from small or large probabilities it may jump to and fro.

    Parameters
    ----------
    probabilities : float64, shape (>= n_tokens,)
        Of the label at each token, without the weight.
    n_tokens : int
    n_observed : float
        Number of the tokens that have the label.
    variance : float

    Returns
    -------
    gain, weight : float64
    """
    weight, odds, last_step = 0.0, 1.0, np.inf
    lowest, highest = -np.inf, np.inf
    for _ in range(MOST_STEPS):
        total, squares = 0.0, 0.0
        for i in range(n_tokens):
            likely = probabilities[i] * odds
            share = likely / (1.0 - probabilities[i] + likely)
            total += share
            squares += share * share
        slope = n_observed - total - weight / variance
        curvature = total - squares + 1.0 / variance
        if slope * slope < TOLERANCE * curvature:
            break
        if slope > 0.0:
            lowest = weight
        else:
            highest = weight
        step = slope / curvature
        is_slow = abs(step) > 0.5 * abs(last_step) and highest - lowest < np.inf
        if is_slow or not lowest < weight + step < highest:
            step = 0.5 * (lowest + highest) - weight
        weight, last_step = min(max(weight + step, -LARGEST_WEIGHT), LARGEST_WEIGHT), step
        odds = math.exp(weight)
    gain = weight * n_observed - weight * weight / (2.0 * variance)
    # a product of 16 factors between e^-|w| and e^|w| stays in range while |w| < 44
    product, n_factors = 1.0, 0
    most_factors = 16 if abs(weight) < 40.0 else 1
    for i in range(n_tokens):
        product *= 1.0 - probabilities[i] + probabilities[i] * odds
        n_factors += 1
        if n_factors == most_factors:
            gain -= math.log(product)
            product, n_factors = 1.0, 0
    return gain - math.log(product), weight


@kernel(
    void(int64[::1], int32[::1], int64, int64, int64[::1], float64[:, ::1], float64[:, ::1], float64, float64[::1]),
    allocates=True,
)
def measure_gains(first, windows, begin, end, first_token, probabilities, observed, variance, gains):
    """Write the gain of features begin .. end - 1: the sum over labels of the gain of one weight each.

    Parameters
    ----------
    first, windows : as in `treecrf.models.linear.conjunctions.Occurrences`
    begin, end : int
    first_token : int64, shape (n_windows + 1,)
        Error tokens of each window.
    probabilities : float64, shape (n_labels, n_tokens)
    observed : float64, shape (n_labels, n_windows)
        Number of error tokens of each window that have the label.
    variance : float
    gains : float64, shape (n_features,)
    """
    buffer = np.empty(probabilities.shape[1])
    for feature in range(begin, end):
        gains[feature] = 0.0
        for label in range(len(probabilities)):
            n_tokens, n_observed = int64(0), 0.0
            for i in range(first[feature], first[feature + 1]):
                window = windows[i]
                n_observed += observed[label, window]
                for token in range(first_token[window], first_token[window + 1]):
                    buffer[n_tokens] = probabilities[label, token]
                    n_tokens += 1
            if n_tokens > 0:
                gains[feature] += max(0.0, fit_weight(buffer, n_tokens, n_observed, variance)[0])


@kernel(void(int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], int64[:, ::1]))
def count_pairs(first_feature, features, first_cell, cells, n_tokens, counts):
    """Count the windows with error tokens in which a feature and a basic cell both hold.

    Parameters
    ----------
    first_feature, features : int64, shape (n_windows + 1,); int32
        The features that hold in each window.
    first_cell, cells : the same for basic cells
    n_tokens : int64, shape (n_windows,)
        Error tokens of each window.
    counts : int64, shape (n_features, n_cells)
        Zero; changed in place.
    """
    for window in range(len(n_tokens)):
        if n_tokens[window]:
            for i in range(first_feature[window], first_feature[window + 1]):
                for j in range(first_cell[window], first_cell[window + 1]):
                    counts[features[i], cells[j]] += 1


@kernel(void(int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], int32[:, ::1], int64[::1], int32[::1]))
def list_pairs(first_feature, features, first_cell, cells, n_tokens, candidate_of, next_place, windows):
    """Write the windows of each candidate.

    Parameters
    ----------
    first_feature, features, first_cell, cells, n_tokens : as for `count_pairs`
    candidate_of : int32, shape (n_features, n_cells)
        Candidate that a pair stands for; -1: none.
    next_place : int64, shape (n_candidates,)
        Where the next window of each candidate goes; changed in place.
    windows : int32
        Overwritten.
    """
    for window in range(len(n_tokens)):
        if n_tokens[window]:
            for i in range(first_feature[window], first_feature[window + 1]):
                for j in range(first_cell[window], first_cell[window + 1]):
                    candidate = candidate_of[features[i], cells[j]]
                    if candidate >= 0:
                        windows[next_place[candidate]] = window
                        next_place[candidate] += 1


@kernel(void(int64[::1], int32[::1], int64[::1], int64[::1], int32[::1]))
def transpose(first, windows, next_place, first_of_window, features):
    """List the features of each window, ascending, from the windows of each feature.

    Parameters
    ----------
    first, windows : as in `treecrf.models.linear.conjunctions.Occurrences`
    next_place : int64, shape (n_windows,)
        Work space.
    first_of_window : int64, shape (n_windows + 1,); features : int32
        Overwritten.
    """
    first_of_window[:] = 0
    for i in range(len(windows)):
        first_of_window[windows[i] + 1] += 1
    for window in range(len(next_place)):
        next_place[window] = first_of_window[window]
        first_of_window[window + 1] += first_of_window[window]
    for feature in range(len(first) - 1):
        for i in range(first[feature], first[feature + 1]):
            features[next_place[windows[i]]] = feature
            next_place[windows[i]] += 1
