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

from typing import NamedTuple

import numpy as np
from numba import float64, int16, int32, int64, njit, types, uint64, void
from numpy.typing import NDArray

from treecrf.trees.columns import COLUMNS, Columns
from treecrf.trees.groups import GROUPS, Groups, add_margins
from treecrf.trees.histogram import fill_label_tests, fill_window_tests
from treecrf.trees.packing import PACKING, count, total
from treecrf.trees.splitting import find_best_split
from treecrf.trees.tree import TREE


class Workspace(NamedTuple):
    """Buffers of one thread, made once per training.

    Attributes
    ----------
    membership : int16, shape (n_all_states, n_positions)
        Number of the leaf that a row is in; -1 where a lane holds no row.
    position_sums : int64, shape (n_all_states, n_positions)
        By lane: packed sum of a position's rows over the states of its leaf. `grow_tree` finds those of the
        root, over all states, in lane 0.
    histograms : int64, shape (max_leaves, n_features)
        Window cells first, then the tests of previous labels (see `fill_label_tests`).
    states : int32, shape (max_leaves, n_all_states); n_states : int64, shape (max_leaves,)
        States of each leaf, ascending.
    begins, ends : int64, shape (max_leaves,)
        A leaf's positions are among ``positions[begin:end]``, those whose membership bears its number.
    positions, scratch : int32, shape (capacity,), (n_positions,)
    node_sums : int64, shape (max_leaves,)
    gains : float64, shape (max_leaves,); features : int64, shape (max_leaves,)
        Gain and feature of each leaf's best split.
    scores : float64, shape (n_features,)
    tables : int64, shape (n_entries,)
        Joint tables of `Groups`.
    """

    membership: NDArray[np.int16]
    position_sums: NDArray[np.int64]
    histograms: NDArray[np.int64]
    states: NDArray[np.int32]
    n_states: NDArray[np.int64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    positions: NDArray[np.int32]
    scratch: NDArray[np.int32]
    node_sums: NDArray[np.int64]
    gains: NDArray[np.float64]
    features: NDArray[np.int64]
    scores: NDArray[np.float64]
    tables: NDArray[np.int64]


WORKSPACE = types.NamedTuple(
    (
        int16[:, ::1], int64[:, ::1], int64[:, ::1], int32[:, ::1], int64[::1], int64[::1], int64[::1],
        int32[::1], int32[::1], int64[::1], float64[::1], int64[::1], float64[::1],
        int64[::1],
    ),
    Workspace,
)  # fmt: skip


def make_workspace(
    columns: Columns, groups: Groups, n_label_tests: int, max_leaves: int, position_sums: NDArray[np.int64]
) -> Workspace:
    """Allocate the buffers that `grow_tree` needs, but for `position_sums`, which the gradient is written to."""
    n_all_states = len(position_sums)
    n_positions, n_features = len(columns.cells), int(columns.first_cell[-1]) + n_label_tests
    return Workspace(
        membership=np.full((n_all_states, n_positions), -1, dtype=np.int16),
        position_sums=position_sums,
        histograms=np.zeros((max_leaves, n_features), dtype=np.int64),
        states=np.zeros((max_leaves, n_all_states), dtype=np.int32),
        n_states=np.zeros(max_leaves, dtype=np.int64),
        begins=np.zeros(max_leaves, dtype=np.int64),
        ends=np.zeros(max_leaves, dtype=np.int64),
        positions=np.zeros(4 * n_positions, dtype=np.int32),
        scratch=np.zeros(n_positions, dtype=np.int32),
        node_sums=np.zeros(max_leaves, dtype=np.int64),
        gains=np.zeros(max_leaves, dtype=np.float64),
        features=np.zeros(max_leaves, dtype=np.int64),
        scores=np.zeros(n_features),
        tables=np.zeros(groups.first_entry[-1], dtype=np.int64),
    )


@njit(int32[::1](int32[::1], int64), cache=True, nogil=True)
def _with_room(positions, needed):
    """The list of positions itself, or a longer copy where `needed` entries do not fit."""
    if needed <= len(positions):
        return positions
    longer = np.empty(max(needed, 2 * len(positions)), dtype=np.int32)
    longer[: len(positions)] = positions
    return longer


@njit(int64(WORKSPACE, COLUMNS, int32[::1], int64, int64, int64, int64), cache=True, nogil=True)
def _split_by_postings(workspace, columns, positions, leaf, child, cell, begin):
    """Collect the true child at ``positions[begin:]`` from the cell's postings; return its end."""
    membership = workspace.membership[workspace.states[leaf, 0]]
    end = begin
    for i in range(columns.first_posting[cell], columns.first_posting[cell + 1]):
        position = columns.postings[i]
        member_of = membership[uint64(position)]
        moves = member_of == leaf  # no branch: it would be mispredicted every few positions
        membership[uint64(position)] = child if moves else member_of
        positions[uint64(end)] = position
        end += moves
    return end


@njit(int64(WORKSPACE, COLUMNS, int32[::1], int64, int64, int64, int64), cache=True, nogil=True)
def _split_by_list(workspace, columns, positions, leaf, child, slot, cell):
    """Partition the leaf's own list, keeping order.

        before   [ begin                                   end )   the leaf, perhaps with strangers in between
        after    [ begin  true )  [ middle  false )                strangers are dropped

    Returns ``middle``; the leaf's begin and end become those of the false child.
    """
    membership = workspace.membership[workspace.states[leaf, 0]]
    middle = workspace.begins[leaf]
    n_false = 0
    for i in range(workspace.begins[leaf], workspace.ends[leaf]):
        position = uint64(positions[i])
        if membership[position] == leaf:
            if columns.cells[position, slot] == cell:
                membership[position] = child
                positions[middle] = position
                middle += 1
            else:
                workspace.scratch[n_false] = position
                n_false += 1
    positions[middle : middle + n_false] = workspace.scratch[:n_false]
    workspace.begins[leaf] = middle
    workspace.ends[leaf] = middle + n_false
    return middle


@njit(int32[::1](WORKSPACE, COLUMNS, int32[::1], int64, int64, int64, int64, PACKING), cache=True, nogil=True)
def _split_window(workspace, columns, positions, leaf, child, used, slot, packing):
    """Split a leaf on a window cell; return the list of positions (it may have had to grow).

    The child that will be scanned, the one with fewer rows, is left with an exact list.
    """
    cell = workspace.features[leaf]
    true_count = count(workspace.histograms[leaf, cell], packing)
    n_postings = columns.first_posting[cell + 1] - columns.first_posting[cell]
    begin, end = workspace.begins[leaf], workspace.ends[leaf]
    if n_postings < end - begin and 2 * true_count <= count(workspace.node_sums[leaf], packing):
        positions = _with_room(positions, used + n_postings)
        workspace.begins[child] = used
        workspace.ends[child] = _split_by_postings(
            workspace, columns, positions, leaf, child, cell, used
        )  # fmt: skip
    else:
        workspace.begins[child] = begin
        workspace.ends[child] = _split_by_list(workspace, columns, positions, leaf, child, slot, cell)
    n_states = workspace.n_states[leaf]
    workspace.states[child, :n_states] = workspace.states[leaf, :n_states]
    workspace.n_states[child] = n_states
    return positions


@njit(void(WORKSPACE, int16[:, ::1], int64, int64, int64, int64), cache=True, nogil=True)
def _divide_states(workspace, labels_of_state, leaf, child, lag, code):
    """Give the states that have the label `code` at `lag` to the child."""
    n_true = 0
    n_false = 0
    for i in range(workspace.n_states[leaf]):
        state = workspace.states[leaf, i]
        if labels_of_state[state, lag] == code:
            workspace.states[child, n_true] = state
            n_true += 1
        else:
            workspace.states[leaf, n_false] = state
            n_false += 1
    workspace.n_states[child] = n_true
    workspace.n_states[leaf] = n_false


@njit(
    int32[::1](WORKSPACE, int64[:, ::1], int16[:, ::1], int32[::1], int64, int64, int64, int64, int64),
    cache=True,
    nogil=True,
)
def _split_states(workspace, rows, labels_of_state, positions, leaf, child, used, lag, code):
    """Split a leaf on a previous label; return the list of positions (it may have had to grow).

    Both children keep the leaf's positions, each in a lane of its own. Positions where a child has no valid
    state (START far from the beginning) are dropped from its list.
    """
    lane = workspace.states[leaf, 0]
    begin, end = workspace.begins[leaf], workspace.ends[leaf]
    positions = _with_room(positions, used + end - begin)
    _divide_states(workspace, labels_of_state, leaf, child, lag, code)
    child_states, n_child_states = workspace.states[child], workspace.n_states[child]
    leaf_lane, child_lane = workspace.states[leaf, 0], workspace.states[child, 0]
    membership, sums = workspace.membership[lane], workspace.position_sums[lane]
    leaf_membership, leaf_sums = workspace.membership[leaf_lane], workspace.position_sums[leaf_lane]
    child_membership, child_sums = workspace.membership[child_lane], workspace.position_sums[child_lane]
    n_leaf = begin
    n_child = used
    for i in range(begin, end):
        position = uint64(positions[i])
        if membership[position] == leaf:
            child_sum = int64(0)
            for j in range(n_child_states):
                child_sum += rows[position, uint64(child_states[j])]
            leaf_sum = sums[position] - child_sum
            leaf_sums[position] = leaf_sum
            child_sums[position] = child_sum
            leaf_membership[position] = leaf if leaf_sum != 0 else -1
            child_membership[position] = child if child_sum != 0 else -1
            positions[uint64(n_leaf)] = position
            n_leaf += leaf_sum != 0
            positions[uint64(n_child)] = position
            n_child += child_sum != 0
    workspace.ends[leaf] = n_leaf
    workspace.begins[child] = used
    workspace.ends[child] = n_child
    return positions


@njit(
    void(WORKSPACE, COLUMNS, GROUPS, int64[:, ::1], int16[:, ::1], int32[::1], int64, int64[::1]),
    cache=True,
    nogil=True,
)
def _fill_histogram(workspace, columns, groups, rows, labels_of_state, positions, leaf, histogram):
    """Scan a leaf that has an exact list: slot by slot, or group by group where it has many positions."""
    n_cells = columns.first_cell[-1]
    states, n_states = workspace.states[leaf], workspace.n_states[leaf]
    members = positions[workspace.begins[leaf] : workspace.ends[leaf]]
    position_sums = workspace.position_sums[states[0]]
    n_spared = columns.cells.shape[1] - groups.entries.shape[1]
    if len(members) * n_spared > 4 * len(workspace.tables):  # additions spared against entries summed out
        node_sum = fill_window_tests(members, position_sums, groups.entries, workspace.tables)
        histogram[:n_cells] = 0
        add_margins(workspace.tables, groups, columns.first_cell, histogram[:n_cells])
    else:
        node_sum = fill_window_tests(members, position_sums, columns.cells, histogram[:n_cells])
    fill_label_tests(members, rows, states, n_states, labels_of_state, node_sum, histogram[n_cells:])
    workspace.node_sums[leaf] = node_sum


@njit(
    void(WORKSPACE, COLUMNS, GROUPS, int64[:, ::1], int16[:, ::1], int32[::1], int64, int64, PACKING),
    cache=True,
    nogil=True,
)
def _fill_children(workspace, columns, groups, rows, labels_of_state, positions, leaf, child, packing):
    """Histograms of both children: the one with fewer rows is scanned, the other is the difference."""
    scanned = workspace.histograms[child]  # free: the child has none yet
    other = workspace.histograms[leaf]
    if count(workspace.node_sums[child], packing) <= count(workspace.node_sums[leaf], packing):
        _fill_histogram(workspace, columns, groups, rows, labels_of_state, positions, child, scanned)
        for feature in range(len(other)):
            other[feature] -= scanned[feature]
    else:
        _fill_histogram(workspace, columns, groups, rows, labels_of_state, positions, leaf, scanned)
        for feature in range(len(other)):
            value = scanned[feature]
            scanned[feature] = other[feature] - value
            other[feature] = value


@njit(void(WORKSPACE, int64, float64, PACKING), cache=True, nogil=True)
def _find_split(workspace, leaf, l2_regularization, packing):
    """Store the best split of a leaf."""
    histogram, node_sum = workspace.histograms[leaf], workspace.node_sums[leaf]
    gain, feature = find_best_split(histogram, node_sum, l2_regularization, packing, workspace.scores)
    workspace.gains[leaf] = gain
    workspace.features[leaf] = feature


@njit(void(WORKSPACE, COLUMNS, GROUPS, int64[:, ::1], int16[:, ::1]), cache=True, nogil=True)
def _plant(workspace, columns, groups, rows, labels_of_state):
    """Make the root, leaf 0: every position and every state."""
    n_positions, n_all_states = rows.shape
    for state in range(n_all_states):
        workspace.states[0, state] = state
    workspace.n_states[0] = n_all_states
    workspace.begins[0] = 0
    workspace.ends[0] = n_positions
    workspace.membership[0, :] = 0
    workspace.membership[1:, :] = -1
    for position in range(n_positions):
        workspace.positions[position] = position
    _fill_histogram(workspace, columns, groups, rows, labels_of_state, workspace.positions, 0, workspace.histograms[0])


@njit(types.Tuple((int64, int64))(int64, int64[::1], int64), cache=True, nogil=True)
def _column_of(feature, first_cell, n_labels):
    """Column and code of a feature: slots by their cells, then one column for each lag."""
    n_slots = len(first_cell) - 1
    if feature >= first_cell[n_slots]:
        label_test = feature - first_cell[n_slots]
        return n_slots + label_test // (n_labels + 1), label_test % (n_labels + 1)
    column = 0
    while first_cell[column + 1] <= feature:
        column += 1
    return column, feature - first_cell[column]


@njit(
    int64(int64[:, ::1], COLUMNS, GROUPS, int16[:, ::1], int64, int64, float64, PACKING, WORKSPACE, TREE),
    cache=True,
    nogil=True,
)
def grow_tree(
    rows, columns, groups, labels_of_state, n_labels, max_leaves, l2_regularization, packing, workspace, tree
):
    """Grow one tree best-first; return its number of splits.

    Parameters
    ----------
    rows : int64, shape (n_positions, n_all_states)
        Packed gradients of one label; 0 where a state is not valid at a position.
    columns : Columns
    groups : Groups
        Of the same codes.
    labels_of_state : int16, shape (n_all_states, order)
    workspace : Workspace
        On return ``membership``, ``states`` and ``n_states`` tell which rows are in which leaf.
    tree : Tree
        Arrays of length ``max_leaves - 1`` (values: ``max_leaves``), written from the front.
    """
    n_slots = len(columns.first_cell) - 1
    positions = workspace.positions
    _plant(workspace, columns, groups, rows, labels_of_state)
    _find_split(workspace, 0, l2_regularization, packing)
    used = len(rows)
    n_leaves = 1
    while n_leaves < max_leaves:
        leaf = 0
        for other in range(1, n_leaves):
            if workspace.gains[other] > workspace.gains[leaf]:
                leaf = other
        if workspace.gains[leaf] <= 0.0:
            break
        column, code = _column_of(workspace.features[leaf], columns.first_cell, n_labels)
        tree.parents[n_leaves - 1] = leaf
        tree.columns[n_leaves - 1] = column
        tree.codes[n_leaves - 1] = code
        if column < n_slots:
            positions = _split_window(workspace, columns, positions, leaf, n_leaves, used, column, packing)
        else:
            positions = _split_states(
                workspace, rows, labels_of_state, positions, leaf, n_leaves, used, column - n_slots, code
            )  # fmt: skip
        used = max(used, workspace.ends[n_leaves])
        workspace.node_sums[n_leaves] = workspace.histograms[leaf, workspace.features[leaf]]
        workspace.node_sums[leaf] -= workspace.node_sums[n_leaves]
        if n_leaves + 1 < max_leaves:
            _fill_children(workspace, columns, groups, rows, labels_of_state, positions, leaf, n_leaves, packing)
            _find_split(workspace, leaf, l2_regularization, packing)
            _find_split(workspace, n_leaves, l2_regularization, packing)
        n_leaves += 1
    for leaf in range(n_leaves):
        node_sum = workspace.node_sums[leaf]
        tree.values[leaf] = total(node_sum, packing) / (count(node_sum, packing) + l2_regularization)
    return n_leaves - 1
