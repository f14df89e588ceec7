"""Gains of tests whose outcome is not known for some of a node's rows."""

from __future__ import annotations

from numba import boolean, float64, int64, types, void

from treecrf.compiled.kernel import kernel
from treecrf.trees.holes.leaves import FULL
from treecrf.trees.packing import PACKING
from treecrf.trees.problem import HANDLING
from treecrf.trees.splitting import MINIMUM_GAIN, gain_of

_ONE = 1.0 / FULL


@kernel(float64(int64, int64, int64, int64, float64, float64), error_model="numpy")
def _gain(weight_true, gradient_true, weight, gradient, l2_regularization, unit):
    """The gain of dividing some weighted rows; 0 unless both sides have weight."""
    n_true, n_rows = float64(weight_true) * _ONE, float64(weight) * _ONE
    gain = gain_of(n_true, float64(gradient_true) * unit, n_rows, float64(gradient) * unit, l2_regularization)
    return gain if (weight_true > 0) & (weight_true < weight) & (gain > MINIMUM_GAIN) else 0.0


@kernel(types.UniTuple(float64, 2)(int64[::1], int64, int64, int64[::1], float64, float64))
def _gains_of_directions(histogram, cell, missing, node_sum, l2_regularization, unit):
    """Gains with the unknown rows on the false and on the true side; 0 unless the test tells known rows apart."""
    weight, gradient = histogram[2 * cell], histogram[2 * cell + 1]
    if weight == 0 or weight == node_sum[0] - histogram[2 * missing]:
        return 0.0, 0.0
    gain_false = _gain(weight, gradient, node_sum[0], node_sum[1], l2_regularization, unit)
    weight += histogram[2 * missing]
    gradient += histogram[2 * missing + 1]
    return gain_false, _gain(weight, gradient, node_sum[0], node_sum[1], l2_regularization, unit)


@kernel(boolean(int64[::1], int64, int64, int64[::1], float64, PACKING))
def direction_is_true(histogram, cell, missing, node_sum, l2_regularization, packing):
    """Whether unknown rows go to the true side: where the gain is larger; without such rows, to the larger side."""
    if histogram[2 * missing] == 0:
        return 2 * histogram[2 * cell] > node_sum[0]
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    gain_false, gain_true = _gains_of_directions(histogram, cell, missing, node_sum, l2_regularization, unit)
    return gain_true > gain_false


@kernel(void(int64[::1], int64[::1], int64[::1], float64, PACKING, HANDLING, float64[::1]))
def score_weighted_tests(
    histogram, node_sum, first_cell, l2_regularization, packing, handling, gains
):  # fmt: skip
    """Write the gain of every test, shape (n_features,), 0 where it is not more than `MINIMUM_GAIN`.

    Without a learned direction the gain is that of the rows where the test's outcome is known. With a learned direction
    it is that of all rows, the unknown ones on the side where it is larger. A test must hold for some known row and
    fail for another.

    `histogram`, shape (2 * n_features,), has weight and gradient of the node's copies where a test holds; the last cell
    of each slot is "missing", which no test asks for.
    """
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    for slot in range(len(first_cell) - 1):
        missing = first_cell[slot + 1] - 1
        known_weight = node_sum[0] - histogram[2 * missing]
        known_gradient = node_sum[1] - histogram[2 * missing + 1]
        factor = float64(known_weight) / float64(max(node_sum[0], 1)) if handling.scales_gain else 1.0
        for cell in range(first_cell[slot], missing):
            if handling.learns_direction:
                gains[cell] = max(
                    *_gains_of_directions(histogram, cell, missing, node_sum, l2_regularization, unit)
                )  # fmt: skip
            else:
                gains[cell] = factor * _gain(
                    histogram[2 * cell], histogram[2 * cell + 1], known_weight, known_gradient, l2_regularization, unit
                )
        gains[missing] = 0.0
    for feature in range(first_cell[-1], len(gains)):
        gains[feature] = _gain(
            histogram[2 * feature], histogram[2 * feature + 1], node_sum[0], node_sum[1], l2_regularization, unit
        )
