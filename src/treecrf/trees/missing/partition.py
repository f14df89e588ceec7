"""Leaves that hold weighted copies of rows, for tests whose outcome is not known (PhD sections 4.2 and 4.3).

Where the tested cell is missing, a row goes to the true child, to the false child, or to both with weights
that sum to its own. Labels are never missing, so the weight of a row (position, state) depends on the position
alone, and a leaf is still a product of positions and states.

Worked example, instance weighting: 10 rows; the test holds in 2, fails in 6, is unknown in 2. Each of the
unknown two has weight 2 / 8 in the true child and 6 / 8 in the false one, which then hold 2.5 and 7.5 rows. If
the children are leaves with the values 4.0 and 0.8, a row that is unknown gets 0.25 * 4.0 + 0.75 * 0.8 = 1.6.
Surrogate splitting: the unknown row goes where its best known surrogate says, so it gets 4.0 or 0.8. Default
direction: both rows go to one side, found in training: 4.0 or 0.8.

A leaf with many positions keeps its weights in a dense *vector*, so that a split visits the postings of the
tested cell and of "missing" alone; other leaves keep a list.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int32, int64, types, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Int32, Int64, allocate, compiled_type, struct
from treecrf.trees.columns import COLUMNS, Columns
from treecrf.trees.forest import FULL, TREE, Forest, Tree, copy_states, divide_states, set_of, take_all_states

_HALF = FULL >> 1
_FEW = 8  # a dense leaf that holds less than this part of the positions becomes a list


@struct
class WeightedRows(NamedTuple):
    """The copies of all leaves."""

    states: Annotated[Int32, "n_leaves, n_all_states", "States of each leaf, ascending."]
    n_states: Annotated[Int64, "n_leaves"]
    positions: Annotated[Int32, "8 * n_positions", "Lists; a leaf has entries begins[leaf] to ends[leaf] - 1."]
    weights: Annotated[Int32, "8 * n_positions"]
    begins: Annotated[Int64, "n_leaves"]
    ends: Annotated[Int64, "n_leaves"]
    vector_of: Annotated[Int64, "n_leaves", "Row of `vectors` with a leaf's weights, -1 where it has a list."]
    vectors: Annotated[Int32, "8, n_positions"]
    n_entries: Annotated[Int64, "n_leaves", "Number of positive weights of a leaf with a vector."]
    whole: Annotated[Bool, "n_leaves", "Whether a leaf has all positions, undivided."]
    unknown_positions: Annotated[Int32, "n_positions", "WeightedRows set aside by `take_known` until `distribute`."]
    unknown_weights: Annotated[Int32, "n_positions"]
    absent_positions: Annotated[Int32, "n_positions", "Where `take_known` found no cell, outside a leaf with a vector."]
    holds: Annotated[Bool, "n_most_codes + 1", "Whether the test of the split that is being made holds for a code."]
    resolved: Annotated[Int64, "n_surrogates, 3", "Slot, cell of missing and polarity of its surrogates."]
    agrees: Annotated[Bool, "n_surrogates, n_cells + 1", "Whether the set of a surrogate has a cell."]
    used: Annotated[Int64, "3", "Entries of the lists, vectors, and absent positions that are in use."]


WEIGHTED_ROWS = compiled_type(WeightedRows)


def with_longer_lists(copies: WeightedRows) -> WeightedRows:
    """The same buffers with lists of twice the length, for when `has_room` is false."""
    longer = [np.zeros(2 * len(copies.positions), dtype=np.int32) for _ in range(2)]
    return copies._replace(positions=longer[0], weights=longer[1])


@kernel(boolean(WEIGHTED_ROWS))
def has_room(copies):
    """Whether the lists are long enough for one more split."""
    return copies.used[0] + 2 * copies.vectors.shape[1] <= len(copies.positions)


@kernel(void(WEIGHTED_ROWS))
def init_weighted_root(copies):
    """Make the root, leaf 0: every position, whole, with every state."""
    take_all_states(copies.states, copies.n_states, 0)
    copies.vectors[0, :] = FULL
    copies.vector_of[0] = 0
    copies.n_entries[0] = copies.vectors.shape[1]
    copies.whole[0] = True
    copies.used[0] = 0
    copies.used[1] = 1


@kernel(void(WEIGHTED_ROWS, int32[::1]))
def keep_some(copies, positions):
    """Leave the root these positions alone, ascending."""
    vector = copies.vectors[0]
    if len(positions) == len(vector):
        return
    vector[:] = 0
    for i in range(uint64(len(positions))):
        vector[uint64(positions[i])] = FULL
    copies.n_entries[0] = len(positions)
    copies.whole[0] = False


@kernel(int64(WEIGHTED_ROWS, int32[::1], int64))
def _list_vector(copies, vector, begin):
    """Write the positive weights of a vector as list entries from `begin` on; return their end."""
    end = begin
    for position in range(uint64(len(vector))):
        copies.positions[uint64(end)] = position
        copies.weights[uint64(end)] = vector[position]
        end += vector[position] > 0
    return end


@kernel(void(WEIGHTED_ROWS, int64, int64))
def _take_list(copies, leaf, end):
    """Let a leaf have the list that has just been written at the end of those in use."""
    copies.begins[leaf] = copies.used[0]
    copies.ends[leaf] = end
    copies.vector_of[leaf] = -1
    copies.used[0] = end


@kernel(types.UniTuple(int64, 2)(WEIGHTED_ROWS, int64, int64))
def entries_of(copies, leaf, free):
    """Begin and end of a leaf's list; one is written at `free` for a leaf that has a vector."""
    if copies.vector_of[leaf] < 0:
        return copies.begins[leaf], copies.ends[leaf]
    return free, _list_vector(copies, copies.vectors[copies.vector_of[leaf]], free)


@kernel(types.UniTuple(int64, 2)(WEIGHTED_ROWS, COLUMNS, int64, int64, int64, int32[::1]))
def _take_from_vector(copies, columns, leaf, begin, slot, codes):
    """`take_known` from a leaf with a vector, by postings; returns the child's end and the number of unknown copies."""
    positions, weights, end, n_unknown, n_absent = copies.positions, copies.weights, begin, int64(0), int64(0)
    vector = copies.vectors[copies.vector_of[leaf]]
    for code in codes:
        cell = columns.first_cell[slot] + code
        for i in range(uint64(columns.first_posting[cell]), uint64(columns.first_posting[cell + 1])):
            position = uint64(columns.postings[i])
            weight = vector[position]
            positions[uint64(end)] = position
            weights[uint64(end)] = weight
            vector[position] = 0
            end += weight > 0
    missing = columns.first_cell[slot + 1] - 1
    for i in range(uint64(columns.first_posting[missing]), uint64(columns.first_posting[missing + 1])):
        position = uint64(columns.postings[i])
        weight = vector[position]
        copies.unknown_positions[uint64(n_unknown)] = position
        copies.unknown_weights[uint64(n_unknown)] = weight
        copies.absent_positions[uint64(n_absent)] = position
        vector[position] = 0
        n_unknown += weight > 0
        n_absent += weight == 0
    copies.n_entries[leaf] -= end - begin + n_unknown
    copies.used[2] = n_absent
    return end, n_unknown


@kernel(types.UniTuple(int64, 2)(WEIGHTED_ROWS, COLUMNS, int64, int64, int64, int32[::1]))
def _take_from_list(copies, columns, leaf, begin, slot, codes):
    """`take_known` from a leaf with a list."""
    positions, weights, holds, end, n_unknown = copies.positions, copies.weights, copies.holds, begin, int64(0)
    missing, of_slot = columns.first_cell[slot + 1] - 1 - columns.first_cell[slot], columns.codes[slot]
    for code in codes:
        holds[code] = True
    kept = copies.begins[leaf]
    for i in range(uint64(copies.begins[leaf]), uint64(copies.ends[leaf])):
        position = uint64(positions[i])
        weight = weights[i]
        at = of_slot[position]
        true, unknown = holds[at], at == missing  # no branches: they would be mispredicted
        positions[uint64(end)] = position
        weights[uint64(end)] = weight
        end += true
        copies.unknown_positions[uint64(n_unknown)] = position
        copies.unknown_weights[uint64(n_unknown)] = weight
        n_unknown += unknown
        positions[uint64(kept)] = position
        weights[uint64(kept)] = weight
        kept += not (true | unknown)
    copies.ends[leaf] = kept
    for code in codes:
        holds[code] = False
    copies.used[2] = 0
    return end, n_unknown


@kernel(int64(WEIGHTED_ROWS, COLUMNS, int64, int64, int64, int32[::1]))
def take_known(copies, columns, leaf, child, slot, codes):
    """Begin a window split: the child gets the copies whose test holds; return how many unknown ones are set aside."""
    copy_states(copies.states, copies.n_states, leaf, child)
    copies.whole[leaf] = copies.whole[child] = False
    begin = copies.used[0]
    if copies.vector_of[leaf] >= 0:
        end, n_unknown = _take_from_vector(copies, columns, leaf, begin, slot, codes)
    else:
        end, n_unknown = _take_from_list(copies, columns, leaf, begin, slot, codes)
    copies.begins[child] = begin
    copies.ends[child] = end
    copies.vector_of[child] = -1
    return n_unknown


@kernel(int64(WEIGHTED_ROWS, COLUMNS, TREE, int64, boolean))
def _resolve(copies, columns, tree, split, value):
    """Note the surrogates of a split, with `value` where their sets have a cell; return how many there are."""
    surrogates = tree.surrogates[split]
    n_surrogates = 0
    while n_surrogates < len(surrogates) and surrogates[n_surrogates, 0] >= 0:
        slot = surrogates[n_surrogates, 0]
        copies.resolved[n_surrogates, 0] = slot
        copies.resolved[n_surrogates, 1] = columns.first_cell[slot + 1] - 1
        copies.resolved[n_surrogates, 2] = surrogates[n_surrogates, 1]
        n_surrogates += 1
        for code in set_of(tree, split * (1 + len(surrogates)) + n_surrogates):
            copies.agrees[n_surrogates - 1, columns.first_cell[slot] + code] = value
    return n_surrogates


@kernel(int64(WEIGHTED_ROWS, COLUMNS, int64, uint64, int64))
def _share_of_true(copies, columns, n_surrogates, position, share):
    """Part of an unknown copy that the true child gets: what the first known surrogate says, else `share`."""
    for i in range(n_surrogates - 1, -1, -1):  # from the last, without branches, which would be mispredicted
        at = columns.cells[position, uint64(copies.resolved[i, 0])]
        says = FULL * (copies.agrees[i, at] == copies.resolved[i, 2])
        share = share if at == copies.resolved[i, 1] else says
    return share


@kernel(void(WEIGHTED_ROWS, int64, int64))
def _give_all(copies, taker, n_unknown):
    """Give all copies that are set aside to one leaf."""
    if copies.vector_of[taker] >= 0:
        vector = copies.vectors[copies.vector_of[taker]]
        for i in range(uint64(n_unknown)):
            vector[uint64(copies.unknown_positions[i])] = copies.unknown_weights[i]
        copies.n_entries[taker] += n_unknown
    else:
        end = uint64(copies.ends[taker])
        for i in range(uint64(n_unknown)):
            copies.positions[end + i] = copies.unknown_positions[i]
            copies.weights[end + i] = copies.unknown_weights[i]
        copies.ends[taker] += n_unknown


@kernel(int64(WEIGHTED_ROWS, COLUMNS, int64, int64, int64, int64, int64, boolean))
def _give_each(copies, columns, leaf, child, n_unknown, n_surrogates, share, tell_child):
    """Give each copy that is set aside to the child, the leaf, or both; returns what `distribute` does."""
    positions, weights = copies.positions, copies.weights
    dense = copies.vector_of[leaf] >= 0
    vector = copies.vectors[max(copies.vector_of[leaf], 0)]
    child_end, leaf_end, n_unknown_rows = copies.ends[child], copies.ends[leaf], int64(0)
    for i in range(uint64(n_unknown)):
        position = uint64(copies.unknown_positions[i])
        weight = int64(copies.unknown_weights[i])
        part = _share_of_true(copies, columns, n_surrogates, position, share)
        to_child = (weight * part + _HALF) >> 30
        to_leaf = weight - to_child
        positions[uint64(child_end)] = position
        weights[uint64(child_end)] = to_child
        child_end += to_child > 0
        if dense:
            vector[position] = to_leaf
            copies.n_entries[leaf] += to_leaf > 0
        else:
            positions[uint64(leaf_end)] = position
            weights[uint64(leaf_end)] = to_leaf
            leaf_end += to_leaf > 0
        unknown_weight = to_child if tell_child else to_leaf
        copies.unknown_positions[uint64(n_unknown_rows)] = position
        copies.unknown_weights[uint64(n_unknown_rows)] = unknown_weight
        n_unknown_rows += unknown_weight > 0
    copies.ends[child], copies.ends[leaf] = child_end, leaf_end
    return n_unknown_rows


@kernel(int64(WEIGHTED_ROWS, COLUMNS, TREE, int64, int64, boolean))
def distribute(copies, columns, tree, child, n_unknown, tell_child):
    """End a window split: give the copies set aside to the child, the leaf, or both.

    Where no surrogate (`treecrf.trees.forest.Tree`) tells, the child gets the share of a copy that the tree says.
    Returns how many of them the child (`tell_child`) or the leaf has got; ``unknown_positions`` and ``unknown_weights``
    then begin with these.
    """
    split = child - 1
    leaf, share = int64(tree.parents[split]), int64(tree.shares[split])
    n_surrogates = _resolve(copies, columns, tree, split, True)
    if n_surrogates == 0 and (share == 0 or share == FULL):
        _give_all(copies, child if share == FULL else leaf, n_unknown)
        n_unknown_rows = n_unknown if tell_child == (share == FULL) else 0
    else:
        n_unknown_rows = _give_each(copies, columns, leaf, child, n_unknown, n_surrogates, share, tell_child)
        _resolve(copies, columns, tree, split, False)
    copies.used[0] = copies.ends[child]
    if copies.vector_of[leaf] >= 0 and copies.n_entries[leaf] * _FEW < copies.vectors.shape[1]:
        _take_list(copies, leaf, _list_vector(copies, copies.vectors[copies.vector_of[leaf]], copies.used[0]))
    return n_unknown_rows


@kernel(void(WEIGHTED_ROWS, int16[:, ::1], int64, int64, int64, int32[::1]))
def split_by_label(copies, labels_of_state, leaf, child, lag, codes):
    """Split on a set of previous labels, which is never missing: both children have the leaf's copies."""
    divide_states(copies.states, copies.n_states, labels_of_state, leaf, child, lag, codes)
    copies.vector_of[child] = -1
    copies.n_entries[child] = copies.n_entries[leaf]
    copies.whole[child] = copies.whole[leaf]
    if copies.vector_of[leaf] >= 0:
        vector = copies.vectors[copies.vector_of[leaf]]
        if copies.used[1] < len(copies.vectors):
            twin = copies.vectors[copies.used[1]]
            for position in range(uint64(len(vector))):
                twin[position] = vector[position]
            copies.vector_of[child] = copies.used[1]
            copies.used[1] += 1
        else:
            _take_list(copies, child, _list_vector(copies, vector, copies.used[0]))
    else:
        begin = copies.used[0]
        n_entries = copies.ends[leaf] - copies.begins[leaf]
        for i in range(n_entries):
            copies.positions[uint64(begin + i)] = copies.positions[uint64(copies.begins[leaf] + i)]
            copies.weights[uint64(begin + i)] = copies.weights[uint64(copies.begins[leaf] + i)]
        _take_list(copies, child, begin + n_entries)


@kernel(int64(TREE, COLUMNS, int16[:, ::1], WEIGHTED_ROWS))
def route_copies(tree, columns, labels_of_state, copies):
    """Send all rows of a data set through a tree; return its number of splits, or -1 if the lists are too short."""
    init_weighted_root(copies)
    n_slots, n_sets = len(columns.first_cell) - 1, 1 + tree.surrogates.shape[1]
    for split in range(len(tree.parents)):
        if not has_room(copies):
            return -1
        leaf, child = int64(tree.parents[split]), split + 1
        column, codes = int64(tree.columns[split]), set_of(tree, split * n_sets)
        if column < n_slots:
            n_unknown = take_known(copies, columns, leaf, child, column, codes)
            distribute(copies, columns, tree, child, n_unknown, True)
        else:
            split_by_label(copies, labels_of_state, leaf, child, column - n_slots, codes)
    return len(tree.parents)


@kernel(void(float64[::1], WEIGHTED_ROWS, float64[:, ::1]))
def blend_leaf_values(values, copies, blended):
    """Write each row's mean leaf value, weighted by its copies (PhD section 4.2), to `blended`.

    `copies` is from `route_copies` or `treecrf.trees.missing.grower.grow_weighted_tree`.
    """
    blended[:, :] = 0.0
    for leaf in range(len(values)):
        value = values[leaf] * (1.0 / FULL)
        states = copies.states[leaf, : copies.n_states[leaf]]
        if copies.vector_of[leaf] >= 0:
            vector = copies.vectors[copies.vector_of[leaf]]
            for position in range(uint64(len(vector))):
                for i in range(uint64(len(states))):
                    blended[position, uint64(states[i])] += value * vector[position]
        else:
            for entry in range(uint64(copies.begins[leaf]), uint64(copies.ends[leaf])):
                position = uint64(copies.positions[entry])
                for i in range(uint64(len(states))):
                    blended[position, uint64(states[i])] += value * copies.weights[entry]


class BlendingEvaluator:
    """An `Evaluator` for a data set with missing cells: the last cell of each slot is "missing"."""

    def __init__(
        self, columns: Columns, labels_of_state: NDArray[np.int16], max_leaves: int, n_surrogates: int
    ) -> None:
        self._columns = columns
        self._labels_of_state = labels_of_state
        sizes = {"n_positions": len(columns.cells), "n_all_states": len(labels_of_state), "n_leaves": max_leaves}
        sizes["n_cells"] = int(columns.first_cell[-1])
        sizes["n_most_codes"] = int(np.diff(columns.first_cell).max(initial=0))
        self._copies = allocate(WeightedRows, n_surrogates=n_surrogates, **sizes)
        self._blended = np.zeros((len(columns.cells), len(labels_of_state)))

    def add(self, tree: Tree, potentials: NDArray[np.float64], *, exponentiated: bool = False) -> None:
        """Add a tree's values to `potentials` (see `add_blended`)."""
        while route_copies(tree, self._columns, self._labels_of_state, self._copies) < 0:
            self._copies = with_longer_lists(self._copies)
        add_blended(tree.values, self._copies, self._blended, potentials, exponentiated=exponentiated)

    def add_trees(self, forest: Forest, first: int, end: int, potentials: NDArray[np.float64]) -> None:
        """As `Evaluator.add_trees`."""
        for number in range(first, end):
            self.add(forest.tree(number), potentials[number % len(potentials)])


def add_blended(
    values: NDArray[np.float64],
    copies: WeightedRows,
    blended: NDArray[np.float64],
    potentials: NDArray[np.float64],
    *,
    exponentiated: bool,
) -> None:
    """Add each row's blended leaf value to the potentials of one label, in place; they are exp(F) if `exponentiated`.

    `blended` is work space; both have shape (n_positions, n_all_states).
    """
    blend_leaf_values(values, copies, blended)
    if exponentiated:
        potentials *= np.exp(blended, out=blended)
    else:
        potentials += blended
