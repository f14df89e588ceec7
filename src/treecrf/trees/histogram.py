"""Histograms: packed sums of a node's rows by test, first window cells, then previous labels."""

from __future__ import annotations

from numba import boolean, int16, int32, int64, uint32, uint64, void

from treecrf.compiled.kernel import kernel

# The rows of a node are a product: positions x states. A window test looks at the position alone, so the
# states of a position are summed once (`position_sums`) and one pass over the window serves them all:
# |P| (|S| + slots) additions instead of |P| |S| slots. Indices are made unsigned where they cannot be
# negative: numba then leaves out the test for Python's wraparound, a third of the time here.


_CHUNK = 1024  # positions: their sums stay in the first cache


@kernel(void(int64[:, ::1], int32[::1], int64[::1]))
def add_rows(rows, states, sums):
    """Write the sum of the rows of some states at each position, shape (n_positions,)."""
    for begin in range(0, len(sums), _CHUNK):
        chunk = sums[begin : begin + _CHUNK]
        chunk[:] = 0
        for i in range(len(states)):
            addends = rows[states[i]][begin : begin + _CHUNK]
            for j in range(uint64(len(chunk))):
                chunk[j] += addends[j]


@kernel(void(int64[::1], int64[::1], boolean))
def subtract_sibling(scanned, both, child_was_scanned):
    """Give two children their histograms from that of one of them and that of both.

    `child_was_scanned` says whether `scanned` is that of the true child. On return `scanned` is that of the true child
    and `both` that of the false one; both have shape (n_features,).
    """
    if child_was_scanned:
        for i in range(len(both)):
            both[i] -= scanned[i]
    else:
        for i in range(len(both)):
            value = scanned[i]
            scanned[i] = both[i] - value
            both[i] = value


@kernel(int64(int32[::1], int64[::1], uint32[:, ::1], int64[::1]))
def fill_window_tests(positions, position_sums, cells, histogram):
    """Overwrite a histogram's part for window cells, shape (n_cells,); return the packed sum of its rows.

    `positions` are the node's; `position_sums`, shape (n_positions,), sums the rows of each over the node's states.
    """
    n_slots = cells.shape[1]
    histogram[:] = 0
    node_sum = int64(0)
    for i in range(uint64(len(positions))):
        position = uint64(positions[i])
        value = position_sums[position]
        node_sum += value
        for slot in range(uint64(n_slots)):
            histogram[cells[position, slot]] += value
    return node_sum


@kernel(void(int32[::1], boolean, int64[:, ::1], int32[::1], int16[:, ::1], int64, int64[::1]))
def fill_label_tests(positions, whole, rows, states, labels_of_state, node_sum, histogram):
    """Overwrite the part of a histogram that belongs to the tests of previous labels, shape (order * (n_labels + 1),).

    Tests are numbered ``lag * (n_labels + 1) + label``, the last label being START. `whole` says whether `positions`
    are all of them, in order. `rows`, shape (n_all_states, n_positions), are packed gradients, 0 where a state is not
    valid; `states` are the node's, and `node_sum` is the packed sum of its rows.
    """
    histogram[:] = 0
    order = labels_of_state.shape[1]
    if order == 0:
        return
    n_codes = len(histogram) // order
    rest = node_sum
    for i in range(len(states)):
        state_rows = rows[states[i]]
        state_sum = rest  # the last state has what the others leave
        if i < len(states) - 1:
            state_sum = int64(0)
            if whole:
                for position in range(uint64(len(state_rows))):
                    state_sum += state_rows[position]
            else:
                for j in range(uint64(len(positions))):
                    state_sum += state_rows[uint64(positions[j])]
        rest -= state_sum
        for lag in range(order):
            histogram[lag * n_codes + labels_of_state[states[i], lag]] += state_sum
