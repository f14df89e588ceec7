"""Growing one regression tree on complete data: the rows of its leaves, and their histograms.

A leaf's rows are a product P x S of positions and states. Which leaf a row (p, s) is in is kept in *lanes*:
``membership[lane, p]`` is the number of the leaf, where the lane of a leaf is the smallest of its states.
Two leaves that share a position share no state, so they never meet in a lane. A window split writes only the
positions that leave; they are found by walking the postings of the tested cell or the leaf's own list,
whichever is shorter, so the larger child is not touched.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, int16, int32, int64, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Int16, Int32, Int64, compiled_type, struct
from treecrf.trees.best_first import (
    PROBLEM,
    SAMPLE,
    NodeStats,
    add_rows,
    choose_split,
    fill_label_tests,
    fill_window_tests,
    share_of_known,
    subtract_sibling,
    write_test,
    write_values,
)
from treecrf.trees.columns import COLUMNS
from treecrf.trees.forest import TREE, copy_states, divide_states, set_of, take_all_states
from treecrf.trees.packing import steps


@struct
class Leaves(NamedTuple):
    """The rows of all leaves."""

    membership: Annotated[Int16, "n_all_states, n_positions", "Leaf that a row is in; -1 where a lane holds no row."]
    states: Annotated[Int32, "n_leaves, n_all_states", "States of each leaf, ascending."]
    n_states: Annotated[Int64, "n_leaves"]
    whole: Annotated[Bool, "n_leaves", "Whether a leaf has all positions; its list is then all of them in order."]
    begins: Annotated[Int64, "n_leaves", "A leaf has those of positions[begin:end] whose membership it is."]
    ends: Annotated[Int64, "n_leaves"]
    positions: Annotated[Int32, "6 * n_positions"]
    exact: Annotated[Bool, "n_leaves", "Whether a leaf's list has no strangers."]
    used: Annotated[Int64, "1", "Entries of `positions` that are in use."]
    holds: Annotated[Bool, "n_most_codes + 1", "Whether the test of the split that is being made holds for a code."]


LEAVES = compiled_type(Leaves)


def with_longer_list(leaves: Leaves) -> Leaves:
    """The same buffers with a list of twice the length, for when `has_room` is false."""
    return leaves._replace(positions=np.zeros(2 * len(leaves.positions), dtype=np.int32))


@kernel(boolean(LEAVES))
def has_room(leaves):
    """Whether the list is long enough for one more split."""
    return leaves.used[0] + leaves.membership.shape[1] <= len(leaves.positions)


@kernel(void(LEAVES, int32[::1]))
def init_root(leaves, positions):
    """Make the root, leaf 0: these positions, ascending, with every state."""
    n_members, n_positions = len(positions), leaves.membership.shape[1]
    take_all_states(leaves.states, leaves.n_states, 0)
    leaves.whole[0] = n_members == n_positions
    leaves.exact[0] = True
    leaves.begins[0] = 0
    leaves.ends[0] = n_members
    leaves.used[0] = n_positions
    leaves.membership[0, :] = 0 if leaves.whole[0] else -1
    for state in range(1, len(leaves.membership)):
        leaves.membership[state, :] = -1
    for i in range(n_members):
        leaves.positions[i] = positions[i]
    if not leaves.whole[0]:
        for i in range(uint64(n_members)):
            leaves.membership[0, uint64(positions[i])] = 0


@kernel(int64(LEAVES, COLUMNS, int64, int64, int64, int32[::1], int64))
def _split_by_postings(leaves, columns, leaf, child, slot, codes, begin):
    """Collect the true child at ``positions[begin:]`` from the postings of the set's cells; return its end."""
    membership = leaves.membership[leaves.states[leaf, 0]]
    positions = leaves.positions
    end = begin
    for code in codes:
        cell = columns.first_cell[slot] + code
        for i in range(uint64(columns.first_posting[cell]), uint64(columns.first_posting[cell + 1])):
            position = uint64(columns.postings[i])
            member_of = membership[position]
            moves = member_of == leaf  # no branch: it would be mispredicted every few positions
            membership[position] = child if moves else member_of
            positions[uint64(end)] = position
            end += moves
    return end


@kernel(void(LEAVES, COLUMNS, int64, int64, int64, int32[::1]))
def _split_by_list(leaves, columns, leaf, child, slot, codes):
    """Partition the leaf's own list, keeping order: the false child's stays in place, the true child's follows all
    others.

    before   [ begin                      end )   the leaf, perhaps with strangers in between      ...  used ) after
    [ begin  false  kept )                                                                ...  used  true  free )
    """
    membership = leaves.membership[leaves.states[leaf, 0]]
    positions, holds, of_slot = leaves.positions, leaves.holds, columns.codes[slot]
    for code in codes:
        holds[code] = True
    begin, used = leaves.begins[leaf], leaves.used[0]
    kept, free = begin, used
    if leaves.exact[leaf]:  # no branches in these loops: they would be mispredicted
        for i in range(uint64(begin), uint64(leaves.ends[leaf])):
            position = positions[i]
            true = holds[of_slot[uint64(position)]]
            positions[uint64(kept)] = position
            positions[uint64(free)] = position
            kept += not true
            free += true
    else:
        for i in range(uint64(begin), uint64(leaves.ends[leaf])):
            position = positions[i]
            is_member, true = membership[uint64(position)] == leaf, holds[of_slot[uint64(position)]]
            positions[uint64(kept)] = position
            positions[uint64(free)] = position
            kept += is_member & (not true)
            free += is_member & true
    for i in range(uint64(used), uint64(free)):
        membership[uint64(positions[i])] = child
    for code in codes:
        holds[code] = False
    leaves.ends[leaf] = kept
    leaves.begins[child] = used
    leaves.ends[child] = leaves.used[0] = free
    leaves.exact[leaf] = True


@kernel(void(LEAVES, COLUMNS, int64, int64, int64, int32[::1], boolean))
def split_by_window(leaves, columns, leaf, child, slot, codes, child_is_smaller):
    """Split a leaf on a set of a slot's codes; the smaller child, which will be scanned, has an exact list then."""
    n_postings = int64(0)
    for code in codes:
        cell = columns.first_cell[slot] + code
        n_postings += columns.first_posting[cell + 1] - columns.first_posting[cell]
    begin, end = leaves.begins[leaf], leaves.ends[leaf]
    if n_postings < end - begin and child_is_smaller:
        leaves.begins[child] = leaves.used[0]
        leaves.ends[child] = _split_by_postings(leaves, columns, leaf, child, slot, codes, leaves.used[0])
        leaves.used[0] = leaves.ends[child]
        leaves.exact[leaf] = False
    else:
        _split_by_list(leaves, columns, leaf, child, slot, codes)
    leaves.exact[child] = True
    copy_states(leaves.states, leaves.n_states, leaf, child)
    leaves.whole[leaf] = leaves.whole[child] = False


@kernel(void(LEAVES, int16[:, ::1], int64, int64, int64, int32[::1]))
def split_by_label(leaves, labels_of_state, leaf, child, lag, codes):
    """Split a leaf on a set of previous labels: both children keep its positions, each in a lane of its own."""
    begin, end, used = leaves.begins[leaf], leaves.ends[leaf], leaves.used[0]
    positions = leaves.positions
    membership = leaves.membership[leaves.states[leaf, 0]]
    divide_states(leaves.states, leaves.n_states, labels_of_state, leaf, child, lag, codes)
    leaf_membership = leaves.membership[leaves.states[leaf, 0]]
    child_membership = leaves.membership[leaves.states[child, 0]]
    n_members = 0
    if leaves.whole[leaf]:
        leaf_membership[:] = leaf
        child_membership[:] = child
        n_members = end - begin
    else:
        for i in range(uint64(begin), uint64(end)):
            position = uint64(positions[i])
            positions[uint64(begin + n_members)] = position
            if membership[position] == leaf:
                leaf_membership[position] = leaf
                child_membership[position] = child
                n_members += 1
    for i in range(uint64(n_members)):
        positions[uint64(used) + i] = positions[uint64(begin) + i]
    leaves.whole[child] = leaves.whole[leaf]
    leaves.exact[leaf] = leaves.exact[child] = True
    leaves.ends[leaf] = begin + n_members
    leaves.begins[child] = used
    leaves.ends[child] = leaves.used[0] = used + n_members


@struct
class Workspace(NamedTuple):
    """Buffers of one thread, made once per training."""

    leaves: Leaves
    position_sums: Annotated[Int64, "n_all_states, n_positions", "By lane: sum of a position over the leaf's states."]
    nodes: NodeStats


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
    workspace.nodes.totals[leaf, 0] = node_sum


@kernel(boolean(PROBLEM, int64[:, ::1], WORKSPACE, int64, int64, TREE))
def _split(problem, rows, workspace, leaf, child, tree):
    """Split the rows; the child with fewer of them is scanned, the histogram of the other is the difference."""
    leaves, columns, packing, nodes = workspace.leaves, problem.columns, problem.packing, workspace.nodes
    if not has_room(leaves):
        return False
    scanned, both = nodes.histograms[child], nodes.histograms[leaf]  # the child has none yet
    child_sum, _ = write_test(problem, nodes, leaf, child, tree)
    n_true, n_both = steps(child_sum, packing), steps(nodes.totals[leaf, 0], packing)
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
    nodes.totals[child, 0] = child_sum
    nodes.totals[leaf, 0] -= child_sum
    if child + 1 < problem.max_leaves:
        _fill_histogram(problem, rows, workspace, child if child_is_smaller else leaf, scanned)
        subtract_sibling(scanned, both, child_is_smaller)
    return True


@kernel(int64(PROBLEM, int64[:, ::1], SAMPLE, WORKSPACE, TREE))
def grow_tree(problem, rows, sample, workspace, tree):
    """Grow a tree; return its number of splits, or -1 if the list has no room for another.

    `rows`, shape (n_all_states, n_positions), are the packed gradients of one label, 0 where a state is not valid;
    `tree` has room for ``max_leaves`` leaves and is written from the front. On return ``leaves`` tell which rows of the
    sample are in which leaf.
    """
    init_root(workspace.leaves, sample.positions)
    _add_states(workspace, rows, 0)
    _fill_histogram(problem, rows, workspace, 0, workspace.nodes.histograms[0])
    n_leaves, leaf = int64(1), int64(0)
    while n_leaves < problem.max_leaves:
        leaf = choose_split(problem, sample, workspace.nodes, n_leaves, tree)
        if leaf < 0:
            break
        if not _split(problem, rows, workspace, leaf, n_leaves, tree):
            return int64(-1)
        n_leaves += 1
    write_values(problem, workspace.nodes, n_leaves, tree)
    return n_leaves - 1
