"""Growing one regression tree on complete data."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import boolean, float64, int64, types, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int64, compiled_type, struct
from treecrf.trees.best_first import (
    SAMPLE,
    BestSplits,
    NodeStats,
    add_rows,
    bound_singles,
    fill_label_tests,
    fill_window_tests,
    make_grower,
    subtract_sibling,
    take_sums,
    weight_and_total,
    write_test,
)
from treecrf.trees.packing import steps
from treecrf.trees.partition import Leaves, has_room, init_root, split_by_label, split_by_window
from treecrf.trees.tree import PROBLEM, TREE, set_of, share_of_known


@struct
class Workspace(NamedTuple):
    """Buffers of one thread, made once per training."""

    leaves: Leaves
    position_sums: Annotated[Int64, "n_all_states, n_positions", "By lane: sum of a position over the leaf's states."]
    nodes: NodeStats
    splits: BestSplits


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
    """Scan a leaf that has an exact list."""
    columns, leaves = problem.columns, workspace.leaves
    n_cells = columns.first_cell[-1]
    members = leaves.positions[leaves.begins[leaf] : leaves.ends[leaf]]
    states = leaves.states[leaf, : leaves.n_states[leaf]]
    position_sums = rows[states[0]] if len(states) == 1 else workspace.position_sums[states[0]]
    node_sum = fill_window_tests(members, position_sums, columns.cells, histogram[:n_cells])
    label_tests = histogram[n_cells:]
    fill_label_tests(members, leaves.whole[leaf], rows, states, problem.labels_of_state, node_sum, label_tests)
    workspace.nodes.totals[leaf] = node_sum


@kernel(void(PROBLEM, int64[:, ::1], SAMPLE, WORKSPACE))
def _init_root(problem, rows, sample, workspace):
    init_root(workspace.leaves, sample.positions)
    _add_states(workspace, rows, 0)
    _fill_histogram(problem, rows, workspace, 0, workspace.nodes.histograms[0])


@kernel(void(PROBLEM, WORKSPACE, int64))
def _bound_singles(problem, workspace, leaf):
    bound_singles(problem, workspace.nodes, workspace.splits, leaf)


@kernel(types.Tuple((int64, float64))(PROBLEM, WORKSPACE, int64, int64))
def _take_sums(problem, workspace, leaf, column):
    return take_sums(problem, workspace.nodes, workspace.splits, leaf, column)


@kernel(boolean(PROBLEM, int64[:, ::1], WORKSPACE, int64, int64, TREE))
def _split(problem, rows, workspace, leaf, child, tree):
    """Split the rows; the child with fewer of them is scanned, the histogram of the other is the difference."""
    leaves, columns, packing, nodes = workspace.leaves, problem.columns, problem.packing, workspace.nodes
    if not has_room(leaves):
        return False
    scanned, both = nodes.histograms[child], nodes.histograms[leaf]  # the child has none yet
    child_sum = write_test(problem, nodes, workspace.splits, leaf, child, tree)
    n_true, n_both = steps(child_sum, packing), steps(nodes.totals[leaf], packing)
    child_is_smaller = 2 * n_true <= n_both
    column, codes, n_slots = int64(tree.columns[child - 1]), set_of(tree, child - 1), len(columns.first_cell) - 1
    tree.shares[child - 1] = 0
    if column < n_slots:
        if problem.missing_policy.learns_direction or problem.missing_policy.blends:  # what predictions divide
            tree.shares[child - 1] = share_of_known(problem.missing_policy, n_true, n_both)
        split_by_window(leaves, columns, leaf, child, column, codes, child_is_smaller)
    else:
        split_by_label(leaves, problem.labels_of_state, leaf, child, column - n_slots, codes)
        _add_states(workspace, rows, leaf)
        _add_states(workspace, rows, child)
    nodes.totals[child] = child_sum
    nodes.totals[leaf] -= child_sum
    if child + 1 < problem.max_leaves:
        _fill_histogram(problem, rows, workspace, child if child_is_smaller else leaf, scanned)
        subtract_sibling(scanned, both, child_is_smaller)
    return True


@kernel(types.UniTuple(float64, 2)(PROBLEM, WORKSPACE, int64))
def _sum_of(problem, workspace, leaf):
    weight, gradient = weight_and_total(problem, workspace.nodes, leaf)
    return gradient, weight


grow_tree = make_grower(int64[:, ::1], WORKSPACE, _init_root, _bound_singles, _take_sums, _split, _sum_of)
"""See `make_grower`; `rows` have shape (n_all_states, n_positions), and on return ``leaves`` tell which rows of the
sample are in which leaf.
"""
