"""Finding the best split of a node: the gains of all tests from its histogram."""

from __future__ import annotations

import numpy as np
from numba import float64, int64, types, void

from treecrf.compiled.kernel import kernel
from treecrf.trees.packing import PACKING, count, total

MINIMUM_GAIN = 1e-10
"""A smaller gain is rounding error, not a gain (gradients are probabilities, so sums are of order 1)."""


@kernel(types.Tuple((float64, int64))(float64[::1]))
def best_of(gains):
    """The largest gain and the first feature that has it; 0 and -1 if none is above 0."""
    # Numbers of at least 0 keep their order as integers, whose maximum is found many at a time.
    ordered = gains.view(np.int64)
    largest = int64(0)
    for feature in range(len(gains)):
        largest = max(largest, ordered[feature])
    if largest > 0:
        for feature in range(len(gains)):
            if ordered[feature] == largest:
                return gains[feature], feature
    return 0.0, int64(-1)


@kernel(float64(float64, float64, float64, float64, float64), error_model="numpy")
def gain_of(n_true, total_true, n_rows, total, l2_regularization):
    """The fall of the squared error by a split, with the leaf values of equation 3.1 (PhD section 3.2).

    ``G_true^2 / (N_true + lambda) + G_false^2 / (N_false + lambda) - G^2 / (N + lambda)``; symmetric in the two children
    to the last bit, so a test and its complement tie exactly.
    """
    total_false = total - total_true
    weight_true = n_true + l2_regularization
    weight_false = (n_rows - n_true) + l2_regularization
    numerator = total_true * total_true * weight_false + total_false * total_false * weight_true
    return numerator / (weight_true * weight_false) - total * total / (n_rows + l2_regularization)


@kernel(void(int64[::1], int64, float64, PACKING, float64[::1]), error_model="numpy")
def score_tests(histogram, node_sum, l2_regularization, packing, gains):
    """Write the gain of every test, 0 where it is not more than `MINIMUM_GAIN`.

    `histogram` and `gains` have shape (n_features,): for each test the packed sum of the node's rows where it holds,
    and what is written. `node_sum` is the packed sum of all rows of the node.
    """
    node_count = count(node_sum, packing)
    node_total = total(node_sum, packing)
    half = int64(1) << (packing.shift - 1)
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    # All gains first, the best of them later: so the compiler makes several divisions at once.
    for feature in range(len(histogram)):
        true_sum = histogram[feature]
        n_true = (true_sum + half) >> packing.shift
        total_true = float64(true_sum - (n_true << packing.shift)) * unit
        gain = gain_of(float64(n_true), total_true, float64(node_count), node_total, l2_regularization)
        gains[feature] = gain if (n_true > 0) & (n_true < node_count) & (gain > MINIMUM_GAIN) else 0.0
