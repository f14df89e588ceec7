"""Growing one regression tree on complete data."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import boolean, float64, int64, njit, types, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int64, compiled_type, struct
from treecrf.trees.best_first import grow_best_first
from treecrf.trees.best_split import NO_BOUND, BestSplits
from treecrf.trees.histogram import add_rows, fill_label_tests, fill_window_tests, take_rest
from treecrf.trees.leaves import Leaves, has_room, plant_leaves, split_by_label, split_by_window
from treecrf.trees.packing import steps, total
from treecrf.trees.problem import PROBLEM
from treecrf.trees.sampling import SAMPLE
from treecrf.trees.search import INCORPORATED, UNKNOWN, allowed_gain, write_set
from treecrf.trees.sweep import has_one_lane, space_all, space_some, sweep_is_faster, sweep_members, sweep_window_tests
from treecrf.trees.tree import TREE, set_of


@struct
class Workspace(NamedTuple):
    """Buffers of one thread, made once per training."""

    leaves: Leaves
    position_sums: Annotated[Int64, "n_all_states, n_positions", "By lane: sum of a position over the leaf's states."]
    histograms: Annotated[Int64, "n_leaves, n_features", "Window cells first, then tests of previous labels."]
    node_sums: Annotated[Int64, "n_leaves"]
    splits: BestSplits
    gains: Annotated[Float64, "n_features", "Of the tests of a leaf."]
    spaced: Annotated[Int64, "n_spaced", "Work space of `sweep_window_tests`, as `table`."]
    table: Annotated[Int64, "n_table"]


WORKSPACE = compiled_type(Workspace)


@kernel(void(WORKSPACE, int64[:, ::1], int64))
def _add_states(workspace, rows, leaf):
    """Write the sums of a leaf of several states; those of a leaf of one state are its rows."""
    leaves = workspace.leaves
    states = leaves.states[leaf, : leaves.n_states[leaf]]
    sums = workspace.position_sums[states[0]]
    if len(states) == 1:
        return
    if leaves.whole[leaf]:
        add_rows(rows, states, sums)
    else:
        for i in range(uint64(leaves.begins[leaf]), uint64(leaves.ends[leaf])):
            position = uint64(leaves.positions[i])
            value = int64(0)
            for j in range(uint64(len(states))):
                value += rows[uint64(states[j]), position]
            sums[position] = value


@kernel(void(PROBLEM, int64[:, ::1], WORKSPACE, int64, int64[::1]))
def _fill_histogram(problem, rows, workspace, leaf, histogram):
    """Scan a leaf that has an exact list, or sweep over all positions if it has most of them."""
    columns, sweep, leaves = problem.columns, problem.sweep, workspace.leaves
    n_cells = columns.first_cell[-1]
    cells = histogram[:n_cells]
    members = leaves.positions[leaves.begins[leaf] : leaves.ends[leaf]]
    states = leaves.states[leaf, : leaves.n_states[leaf]]
    position_sums = rows[states[0]] if len(states) == 1 else workspace.position_sums[states[0]]
    if has_one_lane(sweep) and sweep_is_faster(sweep, len(members)):
        node_sum = sweep_members(sweep, members, position_sums, columns.first_cell, workspace.table, cells)
    elif not has_one_lane(sweep) and (leaves.whole[leaf] or sweep_is_faster(sweep, len(members))):
        if leaves.whole[leaf]:
            node_sum = space_all(sweep, position_sums, workspace.spaced)
        else:
            node_sum = space_some(sweep, members, position_sums, workspace.spaced)
        sweep_window_tests(sweep, node_sum, columns.first_cell, workspace.spaced, workspace.table, cells)
    else:
        node_sum = fill_window_tests(members, position_sums, columns.cells, cells)
    label_tests = histogram[n_cells:]
    fill_label_tests(members, leaves.whole[leaf], rows, states, problem.labels_of_state, node_sum, label_tests)
    workspace.node_sums[leaf] = node_sum


@njit(inline="always")
def _plant(problem, rows, sample, workspace):
    plant_leaves(workspace.leaves, sample.positions)
    _add_states(workspace, rows, 0)
    _fill_histogram(problem, rows, workspace, 0, workspace.histograms[0])


@kernel(types.UniTuple(float64, 2)(PROBLEM, WORKSPACE, int64))
def _weight_and_total(problem, workspace, leaf):
    """Weight and sum of gradients of a leaf's rows."""
    node_sum, packing = workspace.node_sums[leaf], problem.packing
    return float64(steps(node_sum, packing)) * packing.weight_unit, total(node_sum, packing)


@kernel(void(PROBLEM, WORKSPACE, int64), error_model="numpy")
def _bound_singles(problem, workspace, leaf):
    """See `treecrf.trees.best_split.bound_leaf`. All columns are unpacked together: calls for each would take most of the time.

    The bound is the best gain itself.
    """
    growth, packing, bounds = problem.growth, problem.packing, workspace.splits.bounds[leaf]
    if growth.missing != UNKNOWN:
        bounds[:] = NO_BOUND
        return
    histogram, gains = workspace.histograms[leaf], workspace.gains
    half, shift, weight_unit = int64(1) << (packing.shift - 1), packing.shift, packing.weight_unit
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    weight, gradient = _weight_and_total(problem, workspace, leaf)
    for feature in range(uint64(len(histogram))):
        packed = histogram[feature]
        n_steps = (packed + half) >> shift
        weight_true = float64(n_steps) * weight_unit
        gradient_true = float64(packed - (n_steps << shift)) * unit
        gains[feature] = allowed_gain(weight_true, gradient_true, weight, gradient, growth)
    for column in range(len(bounds)):
        best = 0.0
        for feature in range(uint64(problem.first_feature[column]), uint64(problem.first_feature[column + 1])):
            best = max(best, gains[feature])
        bounds[column] = best


@kernel(types.Tuple((int64, float64))(PROBLEM, WORKSPACE, int64, int64))
def _take_sums(problem, workspace, leaf, column):
    """See `treecrf.trees.best_split.bound_leaf`."""
    packing, sums = problem.packing, workspace.splits.sums
    first, last = problem.first_feature[column], problem.first_feature[column + 1]
    histogram = workspace.histograms[leaf, first:last]
    half = int64(1) << (packing.shift - 1)
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    weights, gradients, n = sums.weights, sums.gradients, uint64(last - first)
    for code in range(n):
        packed = histogram[code]
        n_steps = (packed + half) >> packing.shift
        weights[code] = float64(n_steps) * packing.weight_unit
        gradients[code] = float64(packed - (n_steps << packing.shift)) * unit
    weights[n] = gradients[n] = 0.0
    sums.total[0], sums.total[1] = _weight_and_total(problem, workspace, leaf)
    has_missing = problem.growth.missing == INCORPORATED and column < len(problem.columns.first_cell) - 1
    return last - first - has_missing, 1.0


@kernel(int64(PROBLEM, WORKSPACE, int64, int64, TREE))
def _write_test(problem, workspace, leaf, child, tree):
    """Write the set of the split that makes `child`; return the packed sum of the rows where it holds."""
    column, split = int64(tree.columns[child - 1]), child - 1
    n_codes, _ = _take_sums(problem, workspace, leaf, column)
    begin, kind, splits = tree.first_code[split], int64(problem.kinds[column]), workspace.splits
    n_written = write_set(splits.sums, n_codes, kind, problem.growth, splits.candidates[leaf], tree.codes[begin:])
    tree.first_code[split + 1] = begin + n_written
    packed = int64(0)
    for i in range(begin, begin + n_written):
        packed += workspace.histograms[leaf, problem.first_feature[column] + tree.codes[i]]
    return packed


@kernel(boolean(PROBLEM, int64[:, ::1], WORKSPACE, int64, int64, TREE))
def _split(problem, rows, workspace, leaf, child, tree):
    """Split the rows; the child with fewer of them is scanned, the histogram of the other is the difference."""
    leaves, columns, packing, node_sums = workspace.leaves, problem.columns, problem.packing, workspace.node_sums
    if not has_room(leaves):
        return False
    scanned, both = workspace.histograms[child], workspace.histograms[leaf]  # the child has none yet
    child_sum = _write_test(problem, workspace, leaf, child, tree)
    child_is_smaller = 2 * steps(child_sum, packing) <= steps(node_sums[leaf], packing)
    column, codes, n_slots = int64(tree.columns[child - 1]), set_of(tree, child - 1), len(columns.first_cell) - 1
    if column < n_slots:
        split_by_window(leaves, columns, leaf, child, column, codes, child_is_smaller)
    else:
        split_by_label(leaves, problem.labels_of_state, leaf, child, column - n_slots, codes)
        _add_states(workspace, rows, leaf)
        _add_states(workspace, rows, child)
    node_sums[child] = child_sum
    node_sums[leaf] -= child_sum
    if child + 1 < problem.max_leaves:
        _fill_histogram(problem, rows, workspace, child if child_is_smaller else leaf, scanned)
        take_rest(scanned, both, child_is_smaller)
    return True


@njit(inline="always")
def _sum_of(problem, workspace, leaf):
    weight, gradient = _weight_and_total(problem, workspace, leaf)
    return gradient, weight


@kernel(int64(PROBLEM, int64[:, ::1], SAMPLE, WORKSPACE, TREE))
def grow_tree(problem, rows, sample, workspace, tree):
    """`grow_best_first`; on return ``leaves`` tell which rows of the sample are in which leaf."""
    return grow_best_first(_plant, _bound_singles, _take_sums, _split, _sum_of, problem, rows, sample, workspace, tree)
