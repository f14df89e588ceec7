"""Finding the best split of a node: gains of all tests from its histogram and its sums by state."""

from __future__ import annotations

from numba import float64, int16, int32, int64, njit, types

from treecrf.trees.packing import PACKING, count, total

MINIMUM_GAIN = 1e-10
"""A smaller gain is rounding error, not a gain (gradients are probabilities, so sums are of order 1)."""

@njit(float64(int64, float64, int64, float64, PACKING), cache=True, nogil=True, error_model="numpy")
def _children_score(true_sum, node_total, node_count, l2_regularization, packing):
    """``G_true^2 / (N_true + lambda) + G_false^2 / (N_false + lambda)``, symmetric to the last bit; -1 for no split."""
    n_true = (true_sum + (int64(1) << (packing.shift - 1))) >> packing.shift
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    total_true = float64(true_sum - (n_true << packing.shift)) * unit
    total_false = node_total - total_true
    weight_true = n_true + l2_regularization
    weight_false = (node_count - n_true) + l2_regularization
    numerator = total_true * total_true * weight_false + total_false * total_false * weight_true
    score = numerator / (weight_true * weight_false)
    return score if (n_true > 0) & (n_true < node_count) else -1.0


_SPLIT = types.Tuple((float64, int64, int64))


@njit(
    _SPLIT(int64[::1], int64[::1], int64[::1], int64, int16[:, ::1], int32[::1], int64, int64, float64, PACKING, float64[::1]),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def find_best_split(
    histogram, first_cell, state_sums, node_sum, labels_of_state, states, n_states, n_labels, l2_regularization, packing, scores
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
    scores : float64, shape (n_cells,)
        Work space.

    Returns
    -------
    gain : float64, column : int64, code : int64
        Column ``j < n_slots`` tests slot j for `code`; column ``n_slots + i`` tests the label ``i + 1``
        places back. The column is -1 when no test gains more than `MINIMUM_GAIN`.
    """
    n_slots = len(first_cell) - 1
    node_count = count(node_sum, packing)
    node_total = total(node_sum, packing)
    score = node_total * node_total / (node_count + l2_regularization)

    # Scores first, the best of them second: so the compiler can do several divisions at once.
    for cell in range(len(histogram)):
        scores[cell] = _children_score(histogram[cell], node_total, node_count, l2_regularization, packing)
    best = score + MINIMUM_GAIN
    best_cell = int64(-1)
    for cell in range(len(histogram)):
        if scores[cell] > best:
            best = scores[cell]
            best_cell = cell
    best_column = int64(-1)
    best_code = int64(0)
    if best_cell >= 0:
        best_column = 0
        while first_cell[best_column + 1] <= best_cell:
            best_column += 1
        best_code = best_cell - first_cell[best_column]

    if n_states > 1:
        for lag in range(labels_of_state.shape[1]):
            for label in range(n_labels + 1):  # the last one is START
                true_sum = int64(0)
                for i in range(n_states):
                    if labels_of_state[states[i], lag] == label:
                        true_sum += state_sums[states[i]]
                state_score = _children_score(true_sum, node_total, node_count, l2_regularization, packing)
                if state_score > best:
                    best = state_score
                    best_column = n_slots + lag
                    best_code = label
    return best - score, best_column, best_code
