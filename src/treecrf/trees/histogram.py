"""Histograms: packed sums of a node's rows by window cell and by state."""

from __future__ import annotations

from numba import int32, int64, njit, uint8, void

# The rows of a node are a product: positions x states. A window test looks at the position alone, so the
# states of a position are summed once (`position_sums`) and one pass over the window serves them all:
# |P| (|S| + slots) additions instead of |P| |S| slots.


@njit(void(int64[:, ::1], int32[::1], int64, int32[::1], int64[::1]), cache=True, nogil=True)
def sum_states(rows, states, n_states, positions, position_sums):
    """Sum the rows of each position over the node's states.

    Parameters
    ----------
    rows : int64, shape (n_positions, n_all_states)
        Packed gradients; 0 where a state is not valid at a position.
    states : int32; n_states : int64
        The first `n_states` entries are the node's states.
    positions : int32, shape (n,)
    position_sums : int64, shape (n_positions,)
        Written at `positions`.
    """
    for position in positions:
        value = int64(0)
        for i in range(n_states):
            value += rows[position, states[i]]
        position_sums[position] = value


@njit(
    int64(
        int64[:, ::1], int32[::1], int64, int32[::1], int64[::1], uint8[:, ::1], int64[::1], int64[::1], int64[::1]
    ),
    cache=True,
    nogil=True,
)
def fill_histogram(rows, states, n_states, positions, position_sums, codes, first_cell, histogram, state_sums):
    """Fill a node's histogram and state sums; return the packed sum of its rows.

    Parameters
    ----------
    rows, states, n_states, positions : as in `sum_states`
    position_sums : int64, shape (n_positions,)
        As `sum_states` wrote it for this node.
    codes : uint8, shape (n_positions, n_slots)
    first_cell : int64, shape (n_slots + 1,)
    histogram : int64, shape (n_cells,); state_sums : int64, shape (n_all_states,)
        Overwritten.
    """
    n_slots = codes.shape[1]
    histogram[:] = 0
    node_sum = int64(0)
    for position in positions:
        value = position_sums[position]
        node_sum += value
        for slot in range(n_slots):
            histogram[first_cell[slot] + codes[position, slot]] += value
    if n_states == 1:
        state_sums[states[0]] = node_sum
        return node_sum
    for i in range(n_states):
        state_sums[states[i]] = 0
    for position in positions:
        for i in range(n_states):
            state_sums[states[i]] += rows[position, states[i]]
    return node_sum
