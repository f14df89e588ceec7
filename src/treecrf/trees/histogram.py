"""Histograms: packed sums of a node's rows by test, first window cells, then previous labels."""

from __future__ import annotations

from numba import int16, int32, int64, njit, uint16, uint64, void

# The rows of a node are a product: positions x states. A window test looks at the position alone, so the
# states of a position are summed once (`position_sums`) and one pass over the window serves them all:
# |P| (|S| + slots) additions instead of |P| |S| slots. Indices are made unsigned where they cannot be
# negative: numba then leaves out the test for Python's wraparound, a third of the time here.


@njit(int64(int32[::1], int64[::1], uint16[:, ::1], int64[::1]), cache=True, nogil=True)
def fill_window_tests(positions, position_sums, cells, histogram):
    """Fill the part of a histogram that belongs to window cells; return the packed sum of its rows.

    Parameters
    ----------
    positions : int32, shape (n,)
        The node's positions.
    position_sums : int64, shape (n_positions,)
        For each position, the packed sum of its rows over the node's states.
    cells : uint16, shape (n_positions, n_slots)
    histogram : int64, shape (n_cells,)
        Overwritten.
    """
    n_slots = cells.shape[1]
    histogram[:] = 0
    node_sum = int64(0)
    for i in range(len(positions)):
        position = uint64(positions[i])
        value = position_sums[position]
        node_sum += value
        for slot in range(n_slots):
            histogram[cells[position, slot]] += value
    return node_sum


@njit(
    void(int32[::1], int64[:, ::1], int32[::1], int64, int16[:, ::1], int64, int64[::1]),
    cache=True,
    nogil=True,
)
def fill_label_tests(positions, rows, states, n_states, labels_of_state, node_sum, histogram):
    """Fill the part of a histogram that belongs to the tests of previous labels.

    Parameters
    ----------
    positions : int32, shape (n,)
    rows : int64, shape (n_positions, n_all_states)
        Packed gradients; 0 where a state is not valid at a position.
    states : int32; n_states : int64
        The first `n_states` entries are the node's states.
    labels_of_state : int16, shape (n_all_states, order)
    node_sum : int64
        Packed sum of the node's rows.
    histogram : int64, shape (order * (n_labels + 1),)
        Overwritten; test ``lag * (n_labels + 1) + label``, the last label being START.
    """
    histogram[:] = 0
    order = labels_of_state.shape[1]
    if order == 0:
        return
    n_codes = len(histogram) // order
    if n_states == 1:
        for lag in range(order):
            histogram[lag * n_codes + labels_of_state[states[0], lag]] = node_sum
        return
    for i in range(n_states):
        state = uint64(states[i])
        state_sum = int64(0)
        for j in range(len(positions)):
            state_sum += rows[uint64(positions[j]), state]
        for lag in range(order):
            histogram[lag * n_codes + labels_of_state[state, lag]] += state_sum
