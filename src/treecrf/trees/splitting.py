"""Finding the best split of a node: gains of all tests from its histogram and its sums by state."""

from __future__ import annotations

from numba import float64, int16, int32, int64, njit, types

from treecrf.trees.packing import PACKING

MINIMUM_GAIN = 1e-10
"""A smaller gain is rounding error, not a gain (gradients are probabilities, so sums are of order 1)."""

@njit(float64(float64, int64, float64, int64, float64), cache=True, nogil=True, error_model="numpy")
def _children_score(total_true, n_true, node_total, node_count, l2_regularization):
    """``G_true^2 / (N_true + lambda) + G_false^2 / (N_false + lambda)``, symmetric to the last bit."""
    total_false = node_total - total_true
    weight_true = n_true + l2_regularization
    weight_false = (node_count - n_true) + l2_regularization
    return (total_true * total_true * weight_false + total_false * total_false * weight_true) / (
        weight_true * weight_false
    )


_SPLIT = types.Tuple((float64, int64, int64))


@njit(
    _SPLIT(int64[::1], int64[::1], int64[::1], int64, int16[:, ::1], int32[::1], int64, int64, float64, PACKING),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def find_best_split(
    histogram, first_cell, state_sums, node_sum, labels_of_state, states, n_states, n_labels, l2_regularization, packing
):
    """Find the test with the largest gain; the lowest feature index wins ties.

    The gain is the fall of the squared error with the leaf values of equation 3.1 (PhD section 3.2):
    ``G_true^2 / (N_true + lambda) + G_false^2 / (N_false + lambda) - G^2 / (N + lambda)``.

    Parameters
    ----------
    histogram : int64, shape (n_cells,)
        Packed sums of the node's rows by window cell.
    first_cell : int64, shape (n_slots + 1,)
    state_sums : int64, shape (n_all_states,)
        Packed sums of the node's rows by state.
    node_sum : int64
    labels_of_state : int16, shape (n_all_states, order)
    states : int32, shape (n_all_states,); n_states : int64
        The first `n_states` entries are the states of the node.

    Returns
    -------
    gain : float64, column : int64, code : int64
        Column ``j < n_slots`` tests slot j for `code`; column ``n_slots + i`` tests the label ``i + 1``
        places back. The column is -1 when no test gains more than `MINIMUM_GAIN`.
    """
    n_slots = len(first_cell) - 1
    half = int64(1) << (packing.shift - 1)
    shift = packing.shift
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    node_count = (node_sum + half) >> shift
    node_total = float64(node_sum - (node_count << shift)) * unit
    score = node_total * node_total / (node_count + l2_regularization)

    best = score + MINIMUM_GAIN
    best_feature = int64(-1)
    for cell in range(len(histogram)):
        packed = histogram[cell]
        n_true = (packed + half) >> shift
        if n_true > 0 and n_true < node_count:
            total_true = float64(packed - (n_true << shift)) * unit
            gained = _children_score(total_true, n_true, node_total, node_count, l2_regularization)
            if gained > best:
                best = gained
                best_feature = cell
    best_column = int64(-1)
    best_code = int64(0)
    if best_feature >= 0:
        best_column = 0
        while first_cell[best_column + 1] <= best_feature:
            best_column += 1
        best_code = best_feature - first_cell[best_column]

    if n_states > 1:
        for lag in range(labels_of_state.shape[1]):
            for label in range(n_labels + 1):  # the last one is START
                packed = int64(0)
                for i in range(n_states):
                    if labels_of_state[states[i], lag] == label:
                        packed += state_sums[states[i]]
                n_true = (packed + half) >> shift
                if n_true > 0 and n_true < node_count:
                    total_true = float64(packed - (n_true << shift)) * unit
                    gained = _children_score(total_true, n_true, node_total, node_count, l2_regularization)
                    if gained > best:
                        best = gained
                        best_column = n_slots + lag
                        best_code = label
    return best - score, best_column, best_code
