"""Best-first growing of one regression tree (PhD table 3.1), with leaf values by equation 3.1.

Leaves are numbered by birth: the root is leaf 0, and split ``i`` turns part of leaf ``parents[i]`` into leaf
``i + 1``: the rows where the test is true leave, those where it is false stay under the old number.

A leaf's rows are a product P x S of positions and states. Which leaf a row (p, s) is in is kept in *lanes*:
``membership[lane, p]`` is the number of the leaf, where the lane of a leaf is the smallest of its states.
Two leaves that share a position share no state, so they never meet in a lane. A window split writes only the
positions that leave; they are found by walking the postings of the tested cell or the leaf's own list,
whichever is shorter, so the larger child is not touched.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import float64, int16, int64, types, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Float64, Int16, Int32, Int64, compiled_type, struct
from treecrf.trees.columns import COLUMNS
from treecrf.trees.histogram import fill_label_tests, fill_window_tests
from treecrf.trees.packing import PACKING, count
from treecrf.trees.packing import total as total_of
from treecrf.trees.sampling import SAMPLE, pass_over
from treecrf.trees.splitting import best_of, score_tests
from treecrf.trees.states import copy_states, divide_states, take_all_states
from treecrf.trees.sweep import (
    SWEEP,
    space_all,
    space_some,
    sweep_is_faster,
    sweep_window_tests,
)  # fmt: skip
from treecrf.trees.tree import TREE

_CHUNK = 1024  # positions: their sums stay in the first cache


@struct
class Workspace(NamedTuple):
    """Buffers of one thread, made once per training."""

    membership: Annotated[Int16, "n_all_states, n_positions", "Leaf that a row is in; -1 where a lane holds no row."]
    position_sums: Annotated[Int64, "n_all_states, n_positions", "By lane: sum of a position over the leaf's states."]
    histograms: Annotated[Int64, "n_leaves, n_features", "Window cells first, then tests of previous labels."]
    states: Annotated[Int32, "n_leaves, n_all_states", "States of each leaf, ascending."]
    n_states: Annotated[Int64, "n_leaves"]
    whole: Annotated[Bool, "n_leaves", "Whether a leaf has all positions; its list is then all of them in order."]
    begins: Annotated[Int64, "n_leaves", "A leaf has those of positions[begin:end] whose membership it is."]
    ends: Annotated[Int64, "n_leaves"]
    positions: Annotated[Int32, "6 * n_positions"]
    scratch: Annotated[Int32, "n_positions"]
    node_sums: Annotated[Int64, "n_leaves"]
    gains: Annotated[Float64, "n_leaves", "Of each leaf's best split."]
    features: Annotated[Int64, "n_leaves", "Of each leaf's best split."]
    scores: Annotated[Float64, "n_features"]
    spaced: Annotated[Int64, "n_spaced", "Work space of `sweep_window_tests`, as `table`."]
    table: Annotated[Int64, "n_table"]


WORKSPACE = compiled_type(Workspace)


@kernel(int64(WORKSPACE, COLUMNS, int64, int64, int64, int64))
def _split_by_postings(workspace, columns, leaf, child, cell, begin):
    """Collect the true child at ``positions[begin:]`` from the cell's postings; return its end."""
    membership = workspace.membership[workspace.states[leaf, 0]]
    positions = workspace.positions
    end = begin
    for i in range(uint64(columns.first_posting[cell]), uint64(columns.first_posting[cell + 1])):
        position = uint64(columns.postings[i])
        member_of = membership[position]
        moves = member_of == leaf  # no branch: it would be mispredicted every few positions
        membership[position] = child if moves else member_of
        positions[uint64(end)] = position
        end += moves
    return end


@kernel(int64(WORKSPACE, COLUMNS, int64, int64, int64, int64))
def _split_by_list(workspace, columns, leaf, child, slot, cell):
    """Partition the leaf's own list, keeping order.

        before   [ begin                                   end )   the leaf, perhaps with strangers in between
        after    [ begin  true )  [ middle  false )                strangers are dropped

    Returns ``middle``; the leaf's begin and end become those of the false child.
    """
    membership = workspace.membership[workspace.states[leaf, 0]]
    positions = workspace.positions
    middle = workspace.begins[leaf]
    n_false = 0
    for i in range(uint64(workspace.begins[leaf]), uint64(workspace.ends[leaf])):
        position = uint64(positions[i])
        if membership[position] == leaf:
            if columns.cells[position, uint64(slot)] == cell:
                membership[position] = child
                positions[uint64(middle)] = position
                middle += 1
            else:
                workspace.scratch[uint64(n_false)] = position
                n_false += 1
    for i in range(uint64(n_false)):
        positions[uint64(middle) + i] = workspace.scratch[i]
    workspace.begins[leaf] = middle
    workspace.ends[leaf] = middle + n_false
    return middle


@kernel(void(WORKSPACE, COLUMNS, int64, int64, int64, int64, PACKING))
def _split_window(workspace, columns, leaf, child, used, slot, packing):
    """Split a leaf on a window cell.

    The child that will be scanned, the one with fewer rows, is left with an exact list.
    """
    cell = workspace.features[leaf]
    true_count = count(workspace.histograms[leaf, cell], packing)
    n_postings = columns.first_posting[cell + 1] - columns.first_posting[cell]
    begin, end = workspace.begins[leaf], workspace.ends[leaf]
    if n_postings < end - begin and 2 * true_count <= count(workspace.node_sums[leaf], packing):
        workspace.begins[child] = used
        workspace.ends[child] = _split_by_postings(workspace, columns, leaf, child, cell, used)
    else:
        workspace.begins[child] = begin
        workspace.ends[child] = _split_by_list(workspace, columns, leaf, child, slot, cell)
    copy_states(workspace.states, workspace.n_states, leaf, child)
    workspace.whole[leaf] = workspace.whole[child] = False


@kernel(void(WORKSPACE, int64[:, ::1], int64))
def _add_states(workspace, rows, leaf):
    """Write the sums of a leaf of several states; those of a leaf of one state are its rows."""
    states, n_states = workspace.states[leaf], workspace.n_states[leaf]
    if n_states == 1:
        return
    sums = workspace.position_sums[states[0]]
    if workspace.whole[leaf]:
        for begin in range(0, len(sums), _CHUNK):
            chunk = sums[begin : begin + _CHUNK]
            chunk[:] = 0
            for i in range(n_states):
                addends = rows[states[i]][begin : begin + _CHUNK]
                for j in range(uint64(len(chunk))):
                    chunk[j] += addends[j]
    else:
        for i in range(uint64(workspace.begins[leaf]), uint64(workspace.ends[leaf])):
            position = uint64(workspace.positions[i])
            value = int64(0)
            for j in range(uint64(n_states)):
                value += rows[uint64(states[j]), position]
            sums[position] = value


@kernel(void(WORKSPACE, int16[:, ::1], int64, int64, int64, int64, int64))
def _split_states(workspace, labels_of_state, leaf, child, used, lag, code):
    """Split a leaf on a previous label.

    Both children keep the leaf's positions, each in a lane of its own.
    """
    begin, end = workspace.begins[leaf], workspace.ends[leaf]
    positions = workspace.positions
    membership = workspace.membership[workspace.states[leaf, 0]]
    divide_states(workspace.states, workspace.n_states, labels_of_state, leaf, child, lag, code)
    leaf_membership = workspace.membership[workspace.states[leaf, 0]]
    child_membership = workspace.membership[workspace.states[child, 0]]
    n_members = 0
    if workspace.whole[leaf]:
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
    workspace.whole[child] = workspace.whole[leaf]
    workspace.ends[leaf] = begin + n_members
    workspace.begins[child] = used
    workspace.ends[child] = used + n_members


@kernel(void(WORKSPACE, COLUMNS, SWEEP, int64[:, ::1], int16[:, ::1], int64, int64[::1]))
def _fill_histogram(workspace, columns, sweep, rows, labels_of_state, leaf, histogram):
    """Scan a leaf that has an exact list, or sweep over all positions if it has most of them."""
    n_cells = columns.first_cell[-1]
    cells = histogram[:n_cells]
    members = workspace.positions[workspace.begins[leaf] : workspace.ends[leaf]]
    state = workspace.states[leaf, 0]
    position_sums = rows[state] if workspace.n_states[leaf] == 1 else workspace.position_sums[state]
    if workspace.whole[leaf] or sweep_is_faster(sweep, len(members)):
        if workspace.whole[leaf]:
            total = space_all(sweep, position_sums, workspace.spaced)
        else:
            total = space_some(sweep, members, position_sums, workspace.spaced)
        sweep_window_tests(sweep, total, columns.first_cell, workspace.spaced, workspace.table, cells)
    else:
        total = fill_window_tests(members, position_sums, columns.cells, cells)
    states = workspace.states[leaf, : workspace.n_states[leaf]]
    fill_label_tests(members, workspace.whole[leaf], rows, states, labels_of_state, total, histogram[n_cells:])
    workspace.node_sums[leaf] = total


@kernel(void(WORKSPACE, COLUMNS, SWEEP, int64[:, ::1], int16[:, ::1], int64, int64, PACKING))
def _fill_children(workspace, columns, sweep, rows, labels_of_state, leaf, child, packing):
    """Histograms of both children: the one with fewer rows is scanned, the other is the difference."""
    scanned = workspace.histograms[child]  # free: the child has none yet
    other = workspace.histograms[leaf]
    if count(workspace.node_sums[child], packing) <= count(workspace.node_sums[leaf], packing):
        _fill_histogram(workspace, columns, sweep, rows, labels_of_state, child, scanned)
        for feature in range(len(other)):
            other[feature] -= scanned[feature]
    else:
        _fill_histogram(workspace, columns, sweep, rows, labels_of_state, leaf, scanned)
        for feature in range(len(other)):
            value = scanned[feature]
            scanned[feature] = other[feature] - value
            other[feature] = value


@kernel(void(WORKSPACE, COLUMNS, SAMPLE, int64, int64, int64, float64, PACKING))
def _find_split(workspace, columns, sample, leaf, node, n_labels, l2_regularization, packing):
    """Store the best split of a leaf, which is the node of this number."""
    histogram, node_sum = workspace.histograms[leaf], workspace.node_sums[leaf]
    score_tests(histogram, node_sum, l2_regularization, packing, workspace.scores)
    pass_over(sample, node, columns.first_cell, n_labels + 1, workspace.scores)
    gain, feature = best_of(workspace.scores)
    workspace.gains[leaf] = gain
    workspace.features[leaf] = feature


@kernel(void(WORKSPACE, COLUMNS, SWEEP, SAMPLE, int64[:, ::1], int16[:, ::1]))
def _plant(workspace, columns, sweep, sample, rows, labels_of_state):
    """Make the root, leaf 0: every position of the sample and every state."""
    n_all_states, n_positions = rows.shape
    n_members = len(sample.positions)
    take_all_states(workspace.states, workspace.n_states, 0)
    workspace.whole[0] = n_members == n_positions
    workspace.begins[0] = 0
    workspace.ends[0] = n_members
    workspace.membership[0, :] = 0 if workspace.whole[0] else -1
    for state in range(1, n_all_states):
        workspace.membership[state, :] = -1
    for i in range(n_members):
        workspace.positions[i] = sample.positions[i]
    if not workspace.whole[0]:
        for i in range(uint64(n_members)):
            workspace.membership[0, uint64(sample.positions[i])] = 0
    _add_states(workspace, rows, 0)
    _fill_histogram(workspace, columns, sweep, rows, labels_of_state, 0, workspace.histograms[0])


@kernel(types.Tuple((int64, int64))(int64, int64[::1], int64))
def column_of(feature, first_cell, n_labels):
    """Column and code of a feature: slots by their cells, then one column for each lag."""
    n_slots = len(first_cell) - 1
    if feature >= first_cell[n_slots]:
        label_test = feature - first_cell[n_slots]
        return n_slots + label_test // (n_labels + 1), label_test % (n_labels + 1)
    column = 0
    while first_cell[column + 1] <= feature:
        column += 1
    return column, feature - first_cell[column]


@kernel(int64(int64[:, ::1], SAMPLE, COLUMNS, SWEEP, int16[:, ::1], int64, int64, float64, PACKING, WORKSPACE, TREE))
def grow_tree(
    rows, sample, columns, sweep, labels_of_state, n_labels, max_leaves, l2_regularization, packing, workspace, tree
):
    """Grow one tree best-first; return its number of splits, or -1 if ``workspace.positions`` is too short.

    Parameters
    ----------
    rows : int64, shape (n_all_states, n_positions)
        Packed gradients of one label; 0 where a state is not valid at a position.
    sample : Sample
    columns : Columns
    sweep : Sweep
        Of the same windows.
    labels_of_state : int16, shape (n_all_states, order)
    workspace : Workspace
        On return ``membership``, ``states`` and ``n_states`` tell which rows of the sample are in which leaf.
    tree : Tree
        Arrays of length ``max_leaves - 1`` (values: ``max_leaves``), written from the front.
    """
    n_slots = len(columns.first_cell) - 1
    _plant(workspace, columns, sweep, sample, rows, labels_of_state)
    _find_split(workspace, columns, sample, 0, 0, n_labels, l2_regularization, packing)
    n_positions = rows.shape[1]
    used = n_positions
    n_leaves = 1
    while n_leaves < max_leaves:
        leaf = 0
        for other in range(1, n_leaves):
            if workspace.gains[other] > workspace.gains[leaf]:
                leaf = other
        if workspace.gains[leaf] <= 0.0:
            break
        column, code = column_of(workspace.features[leaf], columns.first_cell, n_labels)
        tree.parents[n_leaves - 1] = leaf
        tree.columns[n_leaves - 1] = column
        tree.codes[n_leaves - 1] = code
        if used + n_positions > len(workspace.positions):
            return -1
        if column < n_slots:
            _split_window(workspace, columns, leaf, n_leaves, used, column, packing)
        else:
            _split_states(workspace, labels_of_state, leaf, n_leaves, used, column - n_slots, code)
            _add_states(workspace, rows, leaf)
            _add_states(workspace, rows, n_leaves)
        used = max(used, workspace.ends[n_leaves])
        workspace.node_sums[n_leaves] = workspace.histograms[leaf, workspace.features[leaf]]
        workspace.node_sums[leaf] -= workspace.node_sums[n_leaves]
        if n_leaves + 1 < max_leaves:
            _fill_children(workspace, columns, sweep, rows, labels_of_state, leaf, n_leaves, packing)
            node = 2 * n_leaves - 1
            _find_split(workspace, columns, sample, leaf, node, n_labels, l2_regularization, packing)
            _find_split(workspace, columns, sample, n_leaves, node + 1, n_labels, l2_regularization, packing)
        n_leaves += 1
    for leaf in range(n_leaves):
        node_sum = workspace.node_sums[leaf]
        tree.values[leaf] = total_of(node_sum, packing) / (count(node_sum, packing) + l2_regularization)
    return n_leaves - 1
