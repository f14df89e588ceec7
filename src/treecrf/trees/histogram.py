"""Histograms: packed sums of a node's rows by window cell and by state."""

from __future__ import annotations

from numba import int32, int64, njit, uint16, uint64, void

# The rows of a node are a product: positions x states. A window test looks at the position alone, so the
# states of a position are summed once (`position_sums`) and one pass over the window serves them all:
# |P| (|S| + slots) additions instead of |P| |S| slots. Indices are made unsigned where they cannot be
# negative: numba then leaves out the test for Python's wraparound, a third of the time here.


@njit(int64(int32[::1], int64[::1], uint16[:, ::1], int64[::1]), cache=True, nogil=True)
def fill_histogram(positions, position_sums, cells, histogram):
    """Fill a node's histogram; return the packed sum of its rows.

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


@njit(void(int32[::1], int64[:, ::1], int32[::1], int64, int64[::1]), cache=True, nogil=True)
def fill_state_sums(positions, rows, states, n_states, state_sums):
    """Sum a node's rows by state.

    Parameters
    ----------
    positions : int32, shape (n,)
    rows : int64, shape (n_positions, n_all_states)
        Packed gradients; 0 where a state is not valid at a position.
    states : int32; n_states : int64
        The first `n_states` entries are the node's states.
    state_sums : int64, shape (n_all_states,)
        Overwritten at those states.
    """
    for i in range(n_states):
        state_sums[states[i]] = 0
    if n_states == rows.shape[1]:  # all states, as in the root: no need to look up which
        for j in range(len(positions)):
            for i in range(n_states):
                state_sums[uint64(i)] += rows[uint64(positions[j]), uint64(i)]
    else:
        for j in range(len(positions)):
            for i in range(n_states):
                state = uint64(states[i])
                state_sums[state] += rows[uint64(positions[j]), state]
