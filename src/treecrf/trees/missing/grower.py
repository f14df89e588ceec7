"""Growing one regression tree where cells are missing: `treecrf.trees.grower` with weighted copies of rows.

The trees are the same to the bit where no cell is missing. A window split sends the rows whose outcome is known, sets
the others aside, and gives these to one side or to both (see `treecrf.trees.missing.partition`). The weights of a row's
copies sum to its own, so one child is scanned and the other is the difference, as ever.

Histograms have a pair for each test, the weight and the gradient of the copies where it holds. Both are integers
(weights in units of 1 / `treecrf.trees.tree.FULL`, gradients in fixed point), so sums do not depend on their order
and the histogram of one child is its parent's minus its sibling's. A whole copy has the very gradient of its row, so
without missing cells all sums are those of `treecrf.trees.best_first`.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int32, int64, types, uint32, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int64, compiled_type, struct
from treecrf.trees.best_first import NO_BOUND, SAMPLE, BestSplits, add_rows, make_grower, subtract_sibling
from treecrf.trees.missing.partition import (
    WeightedRows,
    distribute,
    entries_of,
    has_room,
    init_weighted_root,
    keep_some,
    split_by_label,
    take_known,
)
from treecrf.trees.missing.surrogates import Sides, choose_surrogates, count_unknown
from treecrf.trees.packing import PACKING, steps
from treecrf.trees.splitting import UNKNOWN, side_gain, write_set
from treecrf.trees.tree import FULL, PROBLEM, TREE, set_of, share_of_known

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
            state_sums[uint64(2) * i] += n_rows * weight
            state_sums[uint64(2) * i + uint64(1)] += gradient
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
            place = uint64(2) * uint64(cells[position, slot])
            histogram[place] += weight
            histogram[place + uint64(1)] += gradient


@kernel(void(int64, PACKING, int64[::1], int64))
def _unpack(packed, packing, pairs, place):
    """Write a packed sum of whole rows as weight and gradient."""
    n_rows = steps(packed, packing)
    pairs[2 * place] = n_rows * FULL
    pairs[2 * place + 1] = packed - (n_rows << packing.shift)


@kernel(void(int64[:, ::1], int32[::1], uint32[:, ::1], PACKING, int64[::1], int64[::1], int64[::1], int64[::1]))
def scan_whole_rows(rows, states, cells, packing, position_sums, part, state_sums, histogram):
    """The same as `scan_copies` for all positions, undivided; overwrites the cells and the sums by state.

    `position_sums` and `part` are work space.
    """
    add_rows(rows, states, position_sums)
    for i in range(len(states)):
        state_rows = rows[states[i]]
        packed = int64(0)
        for position in range(uint64(len(state_rows))):
            packed += state_rows[position]
        _unpack(packed, packing, state_sums, i)
    # Packed sums are unpacked once for each cell, not once for each row.
    part[:] = 0
    for position in range(uint64(len(position_sums))):
        value = position_sums[position]
        for slot in range(uint64(cells.shape[1])):
            part[cells[position, slot]] += value
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


@struct
class WeightedWorkspace(NamedTuple):
    """Buffers of one thread, made once per training."""

    copies: WeightedRows
    histograms: Annotated[Int64, "n_leaves, 2 * n_features", "Weight and gradient of a leaf's copies by test."]
    node_sums: Annotated[Int64, "n_leaves, 2", "Weight and gradient of all copies of a leaf."]
    splits: BestSplits
    state_sums: Annotated[Int64, "2 * n_all_states", "Weight and gradient of scanned copies by state."]
    sums: Annotated[Int64, "2", "Weight and gradient of scanned copies."]
    sides: Sides
    n_states_of_depth: Annotated[Int64, "n_depths"]
    position_sums: Annotated[Int64, "n_positions", "Work space of `scan_whole_rows`, as `part`."]
    part: Annotated[Int64, "n_cells"]


WEIGHTED_WORKSPACE = compiled_type(WeightedWorkspace)


# --- scans ------------------------------------------------------------------------------------------


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int32[::1], int32[::1], int64[::1]))
def _scan(problem, workspace, rows, leaf, positions, weights, histogram):
    """Add copies, with the states of `leaf`, to the sums by state and to the window cells of a histogram."""
    columns, copies = problem.columns, workspace.copies
    states = copies.states[leaf, : copies.n_states[leaf]]
    scan_copies(positions, weights, rows, states, columns.cells, problem.packing, workspace.state_sums, histogram)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, int64[::1]))
def _scan_leaf(problem, workspace, rows, leaf, free, histogram):
    """Scan the copies of a leaf into an empty histogram; lists may be written from `free` on."""
    copies, columns = workspace.copies, problem.columns
    if copies.whole[leaf]:
        states = copies.states[leaf, : copies.n_states[leaf]]
        scan_whole_rows(
            rows,
            states,
            columns.cells,
            problem.packing,
            workspace.position_sums,
            workspace.part,
            workspace.state_sums,
            histogram,
        )
        return
    begin, end = entries_of(copies, leaf, free)
    histogram[:] = 0
    workspace.state_sums[:] = 0
    positions, weights = copies.positions[begin:end], copies.weights[begin:end]
    _scan(problem, workspace, rows, leaf, positions, weights, histogram)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64, int64[::1]))
def _fill_label_part(problem, workspace, leaf, histogram):
    """Write the label tests of the copies that were scanned, which have the states of `leaf`, and their sum."""
    copies = workspace.copies
    states = copies.states[leaf, : copies.n_states[leaf]]
    fill_weighted_label_tests(
        workspace.state_sums,
        states,
        problem.labels_of_state,
        problem.n_labels + 1,
        workspace.sums,
        histogram[2 * problem.columns.first_cell[-1] :],
    )


@kernel(void(WEIGHTED_WORKSPACE, int64, int64, boolean))
def _divide_sums(workspace, leaf, child, child_was_scanned):
    """Give both children their histograms: the scanned one lies at the child, that of both at the leaf."""
    subtract_sibling(workspace.histograms[child], workspace.histograms[leaf], child_was_scanned)
    for which in range(2):
        value = workspace.sums[which]
        rest = workspace.node_sums[leaf, which] - value
        workspace.node_sums[child, which] = value if child_was_scanned else rest
        workspace.node_sums[leaf, which] = rest if child_was_scanned else value


# --- splits -----------------------------------------------------------------------------------------


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64))
def _bound_singles(problem, workspace, leaf):
    """See `treecrf.trees.best_first.make_grower`: there is no bound, as what is missing differs by column."""
    workspace.splits.bounds[leaf] = NO_BOUND


@kernel(types.Tuple((int64, float64))(PROBLEM, WEIGHTED_WORKSPACE, int64, int64), error_model="numpy")
def _take_sums(problem, workspace, leaf, column):
    """See `treecrf.trees.best_first.make_grower`."""
    sums, histogram, node_sum = workspace.splits.sums, workspace.histograms[leaf], workspace.node_sums[leaf]
    first, last = problem.first_feature[column], problem.first_feature[column + 1]
    has_missing = column < len(problem.columns.first_cell) - 1
    n_codes = last - first - has_missing
    unit = 1.0 / float64(int64(1) << problem.packing.fraction_bits)
    weight_unit = _ONE * problem.packing.weight_unit
    for code in range(last - first):
        sums.weights[code] = float64(histogram[2 * (first + code)]) * weight_unit
        sums.gradients[code] = float64(histogram[2 * (first + code) + 1]) * unit
    if not has_missing:
        sums.weights[n_codes] = sums.gradients[n_codes] = 0.0
    weight, gradient = node_sum[0], node_sum[1]
    if has_missing and problem.split_params.missing == UNKNOWN:
        weight -= histogram[2 * (last - 1)]
        gradient -= histogram[2 * (last - 1) + 1]
    sums.total[0], sums.total[1] = float64(weight) * weight_unit, float64(gradient) * unit
    factor = sums.total[0] / (float64(max(node_sum[0], 1)) * weight_unit) if problem.missing_policy.scales_gain else 1.0
    return n_codes, factor


@kernel(types.UniTuple(int64, 2)(PROBLEM, WEIGHTED_WORKSPACE, int64, int64, TREE))
def _write_test(problem, workspace, leaf, child, tree):
    """Write the set of the split that makes `child`; return weight and gradient of the rows where it holds."""
    column, number = int64(tree.columns[child - 1]), (child - 1) * (1 + tree.surrogates.shape[1])
    n_codes, _ = _take_sums(problem, workspace, leaf, column)
    begin, kind, splits = tree.first_code[number], int64(problem.feature_types[column]), workspace.splits
    n_written = write_set(splits.sums, n_codes, kind, problem.split_params, splits.candidates[leaf], tree.codes[begin:])
    n_cells = problem.first_feature[column + 1] - problem.first_feature[column]
    if n_written > 0 and tree.codes[begin + n_written - 1] >= n_cells:
        n_written -= 1  # the code for missing, which columns of previous labels do not have
    tree.first_code[number + 1] = begin + n_written
    weight = gradient = int64(0)
    for i in range(begin, begin + n_written):
        feature = problem.first_feature[column] + tree.codes[i]
        weight += workspace.histograms[leaf, 2 * feature]
        gradient += workspace.histograms[leaf, 2 * feature + 1]
    return weight, gradient


@kernel(int64(PROBLEM, WEIGHTED_WORKSPACE, int64, int64, int64, int64), error_model="numpy")
def _share_of_child(problem, workspace, leaf, slot, weight, gradient):
    """Part of an unknown copy that goes to the true child, of this weight and gradient, where no surrogate tells."""
    node_sum, missing = workspace.node_sums[leaf], problem.columns.first_cell[slot + 1] - 1
    missing_weight = workspace.histograms[leaf, 2 * missing]
    missing_gradient = workspace.histograms[leaf, 2 * missing + 1]
    known_weight = node_sum[0] - missing_weight
    if problem.missing_policy.learns_direction and missing_weight > 0:
        unit = 1.0 / float64(int64(1) << problem.packing.fraction_bits)
        weight_unit = _ONE * problem.packing.weight_unit
        with_missing = float64(weight + missing_weight) * weight_unit, float64(gradient + missing_gradient) * unit
        sums = workspace.splits.sums  # those of the slot, as the test has just been written
        gain_true = side_gain(*with_missing, sums, problem.split_params)
        gain_false = side_gain(float64(weight) * weight_unit, float64(gradient) * unit, sums, problem.split_params)
        return FULL if gain_true > gain_false else 0
    return share_of_known(problem.missing_policy, weight, known_weight)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, int64, boolean, TREE), separate=True)
def _find_surrogates(problem, workspace, rows, leaf, child, n_unknown, child_was_scanned, tree):
    """Write the surrogates of the split that makes `child`; one side's known copies have been scanned."""
    scanned, both, first_cell = workspace.histograms[child], workspace.histograms[leaf], problem.columns.first_cell
    copies, sides = workspace.copies, workspace.sides
    other = sides.false_weights if child_was_scanned else sides.true_weights
    same = sides.true_weights if child_was_scanned else sides.false_weights
    states, n_absent = copies.states[leaf, : copies.n_states[leaf]], copies.used[2]
    slot = int64(tree.columns[child - 1])
    whole = copies.vector_of[leaf] >= 0 and not problem.missing_policy.blends
    if whole and len(problem.missing_counts) > 0 and n_absent < n_unknown:
        count_unknown(
            problem.missing_counts,
            slot,
            copies.absent_positions[:n_absent],
            problem.depths,
            states,
            problem.labels_of_state,
            problem.n_labels,
            workspace.n_states_of_depth,
            problem.columns.cells,
            other,
        )
    else:
        other[:] = 0
        scan_weights(
            copies.unknown_positions[:n_unknown],
            copies.unknown_weights[:n_unknown],
            rows,
            states,
            problem.columns.cells,
            problem.packing,
            other,
        )
    for cell in range(first_cell[-1]):
        same[cell] = scanned[2 * cell]
        other[cell] = both[2 * cell] - scanned[2 * cell] - other[cell]
    choose_surrogates(problem, sides, slot, tree, child - 1)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, TREE))
def _split_by_window(problem, workspace, rows, leaf, child, tree):
    """Split a leaf on codes of a slot: copies, histograms, sums; the split's share and surrogates."""
    columns, copies, scanned, sides = problem.columns, workspace.copies, workspace.histograms[child], workspace.sides
    slot = int64(tree.columns[child - 1])
    weight, gradient = _write_test(problem, workspace, leaf, child, tree)
    tree.shares[child - 1] = _share_of_child(problem, workspace, leaf, slot, weight, gradient)
    codes = set_of(tree, (child - 1) * (1 + tree.surrogates.shape[1]))
    missing = columns.first_cell[slot + 1] - 1
    sides.totals[0] = weight
    sides.totals[1] = workspace.node_sums[leaf, 0] - workspace.histograms[leaf, 2 * missing] - weight
    n_unknown = take_known(copies, columns, leaf, child, slot, codes)
    n_true = copies.ends[child] - copies.begins[child]
    n_false = copies.n_entries[leaf] if copies.vector_of[leaf] >= 0 else copies.ends[leaf] - copies.begins[leaf]
    child_is_smaller = n_true <= n_false
    smaller = child if child_is_smaller else leaf
    _scan_leaf(problem, workspace, rows, smaller, copies.ends[child] + n_unknown, scanned)
    if problem.missing_policy.n_surrogates > 0:
        _find_surrogates(problem, workspace, rows, leaf, child, n_unknown, child_is_smaller, tree)
    n_told = distribute(copies, columns, tree, child, n_unknown, child_is_smaller)
    _scan(problem, workspace, rows, leaf, copies.unknown_positions[:n_told], copies.unknown_weights[:n_told], scanned)
    _fill_label_part(problem, workspace, leaf, scanned)
    _divide_sums(workspace, leaf, child, child_is_smaller)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, TREE))
def _split_by_previous_label(problem, workspace, rows, leaf, child, tree):
    """Split a leaf on previous labels: both children keep its copies."""
    copies, scanned, n_sets = workspace.copies, workspace.histograms[child], 1 + tree.surrogates.shape[1]
    lag, number = tree.columns[child - 1] - (len(problem.columns.first_cell) - 1), (child - 1) * n_sets
    true_weight, _ = _write_test(problem, workspace, leaf, child, tree)
    child_is_smaller = 2 * true_weight <= workspace.node_sums[leaf, 0]
    split_by_label(copies, problem.labels_of_state, leaf, child, lag, set_of(tree, number))
    smaller = child if child_is_smaller else leaf
    _scan_leaf(problem, workspace, rows, smaller, copies.used[0], scanned)
    _fill_label_part(problem, workspace, smaller, scanned)
    _divide_sums(workspace, leaf, child, child_is_smaller)
    tree.shares[child - 1] = 0
    tree.surrogates[child - 1, :, :] = -1
    for empty in range(number + 1, number + n_sets):
        tree.first_code[empty + 1] = tree.first_code[number + 1]


@kernel(void(PROBLEM, int64[:, ::1], SAMPLE, WEIGHTED_WORKSPACE))
def _init_root(problem, rows, sample, workspace):
    copies = workspace.copies
    init_weighted_root(copies)
    keep_some(copies, sample.positions)
    _scan_leaf(problem, workspace, rows, 0, copies.used[0], workspace.histograms[0])
    _fill_label_part(problem, workspace, 0, workspace.histograms[0])
    workspace.node_sums[0, 0] = workspace.sums[0]
    workspace.node_sums[0, 1] = workspace.sums[1]


@kernel(boolean(PROBLEM, int64[:, ::1], WEIGHTED_WORKSPACE, int64, int64, TREE))
def _split(problem, rows, workspace, leaf, child, tree):
    if not has_room(workspace.copies):
        return False
    if tree.columns[child - 1] < len(problem.columns.first_cell) - 1:
        _split_by_window(problem, workspace, rows, leaf, child, tree)
    else:
        _split_by_previous_label(problem, workspace, rows, leaf, child, tree)
    return True


@kernel(types.UniTuple(float64, 2)(PROBLEM, WEIGHTED_WORKSPACE, int64))
def _sum_of(problem, workspace, leaf):
    unit = 1.0 / float64(int64(1) << problem.packing.fraction_bits)
    return float64(workspace.node_sums[leaf, 1]) * unit, float64(workspace.node_sums[leaf, 0]) * (
        _ONE * problem.packing.weight_unit
    )


grow_weighted_tree = make_grower(
    int64[:, ::1], WEIGHTED_WORKSPACE, _init_root, _bound_singles, _take_sums, _split, _sum_of
)
"""See `make_grower`; `rows` are those of `treecrf.trees.grower`, and on return ``copies`` tell which rows of the sample
are in which leaf.
"""
