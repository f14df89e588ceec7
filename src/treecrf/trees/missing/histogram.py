"""Histograms of weighted copies: for each test a pair, the weight and the gradient of the copies where it holds.

Both are integers (weights in units of 1 / `treecrf.trees.missing.leaves.FULL`, gradients in fixed point), so sums do not
depend on their order and the histogram of one child is its parent's minus its sibling's. A whole copy has the
very gradient of its row, so without missing cells all sums are those of `treecrf.trees.histogram`.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int16, int32, int64, types, uint32, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.trees.histogram import add_rows
from treecrf.trees.lanes import add_pair
from treecrf.trees.packing import PACKING, steps
from treecrf.trees.problem import FULL
from treecrf.trees.sweep import JOINT_CODES, space_all, sweep_window_tests

_ONE = 1.0 / FULL
_LARGE = 1.5 * 2.0**52
_LARGE_BITS = int(np.float64(_LARGE).view(np.int64))


@kernel(int64(float64))
def _round(value):
    """The nearest integer, for numbers of less than 2^51: it appears in the last bits of a large number.

    Packed sums are smaller: `treecrf.trees.packing.choose_packing` leaves a sum the bits that counts do not need.
    """
    return np.float64(value + _LARGE).view(np.int64) - _LARGE_BITS


@kernel(types.UniTuple(int64, 2)(int64, int64, int64[:, ::1], int32[::1], PACKING, int64[::1]))
def _weigh(position, weight, rows, states, packing, state_sums):
    """Weight and gradient of the copies of a position over some states; also added to the sums by state."""
    share = float64(weight) * _ONE
    total_weight, total_gradient = int64(0), int64(0)
    for i in range(uint64(len(states))):
        row = rows[uint64(states[i]), uint64(position)]
        if row != 0:  # the state is possible here
            n_rows = steps(row, packing)
            gradient = _round(float64(row - (n_rows << packing.shift)) * share)
            add_pair(state_sums, uint64(2) * i, n_rows * weight, gradient)
            total_weight += n_rows * weight
            total_gradient += gradient
    return total_weight, total_gradient


@kernel(void(int32[::1], int32[::1], int64[:, ::1], int32[::1], uint32[:, ::1], PACKING, int64[::1]))
def scan_weights(positions, weights, rows, states, cells, packing, histogram):
    """Add the weights of copies to the window cells of a histogram of weights alone, shape (n_features,).

    The other parameters are those of `scan_copies`.
    """
    n_slots = cells.shape[1]
    for i in range(uint64(len(positions))):
        position = uint64(positions[i])
        row_sum = int64(0)
        for j in range(uint64(len(states))):
            row_sum += rows[uint64(states[j]), position]
        weight = steps(row_sum, packing) * weights[i]
        for slot in range(uint64(n_slots)):
            histogram[uint64(cells[position, slot])] += weight


@kernel(void(int32[::1], int32[::1], int64[:, ::1], int32[::1], uint32[:, ::1], PACKING, int64[::1], int64[::1]))
def scan_copies(positions, weights, rows, states, cells, packing, state_sums, histogram):
    """Add copies to the window cells of a histogram, and to the sums by state.

    `rows`, shape (n_all_states, n_positions), are packed gradients. `state_sums`, shape (2 * n_all_states,), has weight
    and gradient by place in `states`, the states of the copies; `histogram`, shape (2 * n_features,), has them by test.
    """
    n_slots = cells.shape[1]
    for i in range(uint64(len(positions))):
        position = uint64(positions[i])
        weight, gradient = _weigh(position, weights[i], rows, states, packing, state_sums)
        for slot in range(uint64(n_slots)):
            add_pair(histogram, uint64(2) * uint64(cells[position, slot]), weight, gradient)


@kernel(void(int64, PACKING, int64[::1], int64))
def _unpack(packed, packing, pairs, place):
    """Write a packed sum of whole rows as weight and gradient."""
    n_rows = steps(packed, packing)
    pairs[2 * place] = n_rows * FULL
    pairs[2 * place + 1] = packed - (n_rows << packing.shift)


@kernel(
    void(
        int64[:, ::1], int32[::1], JOINT_CODES, int64[::1], PACKING, int64[::1], int64[::1], int64[::1], int64[::1],
        int64[::1], int64[::1],
    )
)  # fmt: skip
def sweep_whole_rows(
    rows, states, joint_codes, first_cell, packing, position_sums, spaced, table, part, state_sums, histogram
):
    """The same as `scan_copies` for all positions, undivided; overwrites the cells and the sums by state.

    `joint_codes` has missing cells; `position_sums`, `spaced`, `table` and `part` are work space.
    """
    add_rows(rows, states, position_sums)
    for i in range(len(states)):
        state_rows = rows[states[i]]
        packed = int64(0)
        for position in range(uint64(len(state_rows))):
            packed += state_rows[position]
        _unpack(packed, packing, state_sums, i)
    total = space_all(joint_codes, position_sums, spaced)
    sweep_window_tests(joint_codes, total, first_cell, spaced, table, part)
    for cell in range(len(part)):
        _unpack(part[cell], packing, histogram, cell)


@kernel(void(int64[::1], int32[::1], int16[:, ::1], int64, int64[::1], int64[::1]))
def fill_weighted_label_tests(state_sums, states, labels_of_state, n_codes, node_sum, histogram):
    """Overwrite the tests of previous labels, shape (2 * order * n_codes,), from the sums by state, and sum these up.

    `state_sums` are by place in `states`; `n_codes` counts the labels and START; `node_sum` is overwritten.
    """
    histogram[:] = 0
    node_sum[:] = 0
    for i in range(len(states)):
        for which in range(2):
            value = state_sums[2 * i + which]
            node_sum[which] += value
            for lag in range(labels_of_state.shape[1]):
                histogram[2 * (lag * n_codes + labels_of_state[states[i], lag]) + which] += value
