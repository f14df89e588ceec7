"""Trees, flat: one as the list of its splits with its leaf values, many one after another, and evaluating them on whole
data sets by replaying their splits.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int32, int64, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import (
    NOT_INFINITE,
    WEIGHTS,
    Float64,
    Int16,
    Int32,
    Int64,
    Known,
    Rule,
    allocate,
    below,
    between,
    compiled_type,
    earlier_in,
    offsets_into,
    struct,
)
from treecrf.io.arrays import starts_of
from treecrf.trees.columns import COLUMNS, Columns

FULL = 1 << 30
"""The weight of a whole row; weights are integers, so the weights of a row's copies sum to it exactly."""

MAX_LEAVES = 2**15 - 1
"""Leaves are numbered in int16: the lanes of a large training set then stay in the first cache."""


@struct
class Tree(NamedTuple):
    """One tree as the list of its splits, in the order in which they were made.

    Split ``i`` is made in leaf ``parents[i]``; the rows where its test holds become leaf ``i + 1``. A test asks whether
    a column holds one of a set of codes: column ``j < n_slots`` is slot j, column ``n_slots + k`` the label ``k + 1``
    places back, whose codes are those of labels and START, ``n_labels``.

    Where the outcome is not known and no surrogate tells, a part of the row goes to the true child: a share of
    `FULL`. A surrogate is a slot, a set of its codes, and whether it stands for the test (1) or its opposite (0); a
    slot of -1 ends the list. Set ``i * (1 + n_surrogates)`` is that of split i; those of its surrogates follow.
    """

    parents: Annotated[Int32, "n_splits"]
    columns: Annotated[Int32, "n_splits"]
    codes: Annotated[Int32, "n_codes", "Set after set, ascending in each."]
    first_code: Annotated[Int64, "n_sets + 1", "Of each set."]
    values: Annotated[Float64, "n_splits + 1", "Leaf values."]
    shares: Annotated[Int32, "n_splits"]
    surrogates: Annotated[Int32, "n_splits, n_surrogates, 2", "Slot, and 1 for the test or 0 for its opposite."]
    gains: Annotated[Float64, "n_splits", "What each split gained in training; nothing that predicts looks at it."]

    def first(self, n_splits: int) -> Tree:
        """A copy of the tree that its first splits make."""
        n_sets = n_splits * (1 + self.surrogates.shape[1])
        others = {"codes": self.first_code[n_sets], "first_code": n_sets + 1, "values": n_splits + 1}
        ends = dict.fromkeys(self._fields, n_splits) | others
        return Tree(**{name: getattr(self, name)[:end].copy() for name, end in ends.items()})

    def opposite(self) -> Tree:
        """The same splits with the opposite values."""
        return self._replace(values=-self.values)

    def test(self, split: int) -> NDArray[np.int32]:
        """The codes for which the test of a split holds."""
        return self.set(split * (1 + self.surrogates.shape[1]))

    def set(self, number: int) -> NDArray[np.int32]:
        """The codes of a set."""
        return self.codes[self.first_code[number] : self.first_code[number + 1]]


TREE = compiled_type(Tree)


def make_tree(n_leaves: int, n_surrogates: int = 0, n_codes: int = 1) -> Tree:
    """Allocate a tree of this many leaves, whose sets have at most `n_codes` codes."""
    n_sets = (n_leaves - 1) * (1 + n_surrogates)
    sizes = {"n_splits": n_leaves - 1, "n_surrogates": n_surrogates, "n_sets": n_sets, "n_codes": n_sets * n_codes}
    return allocate(Tree, **sizes)


@kernel(int32[::1](TREE, int64), allocates=True)
def set_of(tree, number):
    """The codes of a set."""
    return tree.codes[tree.first_code[number] : tree.first_code[number + 1]]


# --- the states of leaves -------------------------------------------------------------------------------


@kernel(void(int32[:, ::1], int64[::1], int64))
def take_all_states(states, n_states, leaf):
    """Give a leaf every state."""
    for state in range(states.shape[1]):
        states[leaf, state] = state
    n_states[leaf] = states.shape[1]


@kernel(void(int32[:, ::1], int64[::1], int64, int64))
def copy_states(states, n_states, leaf, child):
    """Give the child the leaf's states, as a window split does."""
    n_states[child] = n_states[leaf]
    for i in range(n_states[leaf]):
        states[child, i] = states[leaf, i]


@kernel(boolean(int32[::1], int64))
def has_code(codes, code):
    """Whether a small set has a code."""
    is_member = False
    for i in range(len(codes)):
        is_member |= codes[i] == code
    return is_member


@kernel(void(int32[:, ::1], int64[::1], int16[:, ::1], int64, int64, int64, int32[::1]))
def divide_states(states, n_states, labels_of_state, leaf, child, lag, codes):
    """Give the states whose label at `lag` is one of `codes` to the child; the states of each leaf stay ascending."""
    n_true = 0
    n_false = 0
    for i in range(n_states[leaf]):
        state = states[leaf, i]
        if has_code(codes, labels_of_state[state, lag]):
            states[child, n_true] = state
            n_true += 1
        else:
            states[leaf, n_false] = state
            n_false += 1
    n_states[child] = n_true
    n_states[leaf] = n_false


# --- evaluation -----------------------------------------------------------------------------------------


@struct
class Routing(NamedTuple):
    """Which leaf each row (position, state) of a data set is in, in the lanes of `treecrf.trees.grower`."""

    membership: Annotated[Int16, "n_all_states, n_positions"]
    states: Annotated[Int32, "n_leaves, n_all_states", "Ascending."]
    n_states: Annotated[Int64, "n_leaves"]


ROUTING = compiled_type(Routing)


def route(tree: Tree, columns: Columns, labels_of_state: NDArray[np.int16], routing: Routing) -> None:
    """Send all rows of a data set through a tree by making its splits again."""
    n_sets = 1 + tree.surrogates.shape[1]
    _route(tree.parents, tree.columns, tree.codes, tree.first_code, n_sets, columns, labels_of_state, routing)


@kernel(void(int32[::1], int32[::1], int32[::1], int64[::1], int64, COLUMNS, int16[:, ::1], ROUTING))
def _route(parents, tested, codes_of_sets, first_code, n_sets, columns, labels_of_state, routing):
    """`route`, from arrays of a `Tree`; each split has `n_sets` sets of codes.

    A window split walks the postings of the tested cells, of a single one about ``n_positions / n_categories``, so a
    tree costs far less than one descent per row. A cell whose code belongs to no category of the training set is in no
    posting: it fails every test.
    """
    membership, states, n_states = routing.membership, routing.states, routing.n_states
    n_all_states, n_positions = membership.shape
    n_slots = len(columns.first_cell) - 1
    take_all_states(states, n_states, 0)
    for state in range(n_all_states):
        membership[state, :] = 0 if state == 0 else -1
    for split in range(len(parents)):
        leaf, child = parents[split], split + 1
        column, codes = tested[split], codes_of_sets[first_code[split * n_sets] : first_code[split * n_sets + 1]]
        lane = states[leaf, 0]
        if column < n_slots:
            members = membership[lane]
            for code in codes:
                cell = columns.first_cell[column] + code
                for i in range(uint64(columns.first_posting[cell]), uint64(columns.first_posting[cell + 1])):
                    position = uint64(columns.postings[i])
                    member_of = members[position]
                    members[position] = child if member_of == leaf else member_of
            copy_states(states, n_states, leaf, child)
        else:
            divide_states(states, n_states, labels_of_state, leaf, child, column - n_slots, codes)
            leaf_lane, child_lane = states[leaf, 0], states[child, 0]
            for position in range(n_positions):
                if membership[lane, position] == leaf:
                    membership[leaf_lane, position] = leaf
                    membership[child_lane, position] = child


@kernel(void(float64[::1], ROUTING, boolean, float64[:, ::1]), allocates=True, separate=True)
def add_leaf_values(values, routing, exponentiated, potentials):
    """Add each row's leaf value to its potential, shape (n_positions, n_all_states), in place.

    `routing` is from `route` or `treecrf.trees.grower.grow_tree`. If `exponentiated`, `potentials` holds exp(F) and
    `values`, shape (n_leaves,), holds exp(leaf value): then they are multiplied.
    """
    states, n_states, n_all_states = routing.states, routing.n_states, potentials.shape[1]
    factors = np.empty(len(values) + 1)  # the first for positions without a row in the lane
    for lane in range(len(routing.membership)):
        most_states = int64(0)
        for leaf in range(len(values)):
            if states[leaf, 0] == lane:
                most_states = max(most_states, n_states[leaf])
        membership = routing.membership[lane]
        if most_states == 1 or 0 < most_states >= n_all_states // 2:  # state by state, without branches
            for state in range(lane, lane + 1 if most_states == 1 else n_all_states):
                factors[:] = 1.0 if exponentiated else 0.0
                n_leaves = int64(0)
                for leaf in range(len(values)):
                    if states[leaf, 0] == lane and has_code(states[leaf, : n_states[leaf]], state):
                        factors[leaf + 1] = values[leaf]
                        n_leaves += 1
                if n_leaves == 0:
                    continue
                column = uint64(state)
                if exponentiated:
                    for position in range(uint64(len(potentials))):
                        potentials[position, column] *= factors[uint64(membership[position] + 1)]
                else:
                    for position in range(uint64(len(potentials))):
                        potentials[position, column] += factors[uint64(membership[position] + 1)]
        elif most_states > 0:
            for position in range(uint64(len(potentials))):
                if membership[position] >= 0:
                    leaf = uint64(membership[position])
                    value = values[leaf]
                    for i in range(uint64(n_states[leaf])):
                        state = uint64(states[leaf, i])
                        if exponentiated:
                            potentials[position, state] *= value
                        else:
                            potentials[position, state] += value


def _surrogate_slots(surrogates: NDArray[np.int32]) -> NDArray[np.int32]:
    """The slot of each surrogate, -1 from the first one that there is not; what comes after is not looked at."""
    slots = surrogates[:, :, 0]
    return np.where(np.logical_and.accumulate(slots >= 0, axis=1), slots, -1)


def _are_surrogates(surrogates: NDArray[np.int32], known: Known) -> bool:
    slots, polarities = _surrogate_slots(surrogates), surrogates[:, :, 1]
    return bool(((slots < known["n_slots"]) & ((slots < 0) | (polarities == 0) | (polarities == 1))).all())


def _are_codes(codes: NDArray[np.int32], known: Known) -> bool:
    """Whether the codes of each set are some of its column's, ascending."""
    columns = np.column_stack([known["columns"], _surrogate_slots(known["surrogates"])]).ravel()
    sizes, first = np.append(known["column_sizes"], 0), known["first_code"]  # the last for no surrogate
    starts = np.zeros(len(codes) + 1, dtype=np.bool_)
    starts[first] = True
    rises = np.diff(codes, prepend=-1) > 0
    return bool(((codes >= 0) & (codes < np.repeat(sizes[columns], np.diff(first))) & (rises | starts[:-1])).all())


_SURROGATES = Rule("be slots of windows, or -1, and 0 or 1", _are_surrogates)
_CODES = Rule("be codes of their columns, ascending in each test", _are_codes)


def forest_limits(slot_sizes: NDArray[np.int64], n_labels: int, order: int) -> dict[str, Any]:
    """What the rules of a `Forest` name: the columns that its tests see, and the codes of each; `slot_sizes` count
    cells.
    """
    sizes = np.append(slot_sizes, np.full(order, n_labels + 1, dtype=np.int64))
    return {"n_slots": len(slot_sizes), "n_columns": len(sizes), "column_sizes": sizes}


@struct
class Forest(NamedTuple):
    """The trees of all iterations and labels, flat; tree ``m * n_labels + y`` is that of iteration m, label y."""

    first_split: Annotated[Int64, "n_trees + 1", offsets_into("n_all_splits", most=MAX_LEAVES - 1)]
    parents: Annotated[Int32, "n_all_splits", earlier_in("first_split")]
    columns: Annotated[Int32, "n_all_splits", below("n_columns")]
    surrogates: Annotated[Int32, "n_all_splits, n_surrogates, 2", "As in `Tree`, like the others.", _SURROGATES]
    first_code: Annotated[Int64, "n_all_splits + n_all_splits * n_surrogates + 1", offsets_into("n_all_codes")]
    codes: Annotated[Int32, "n_all_codes", _CODES]
    values: Annotated[Float64, "n_all_splits + n_trees", WEIGHTS]
    shares: Annotated[Int32, "n_all_splits", between(0, FULL)]
    gains: Annotated[Float64, "n_all_splits", "NaN where they are not known.", NOT_INFINITE]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.first_split) - 1

    @property
    def most_leaves(self) -> int:
        """Leaves of the largest tree."""
        return int(np.diff(self.first_split).max(initial=0)) + 1

    @property
    def n_surrogates(self) -> int:
        """Most surrogates that a split can have."""
        return self.surrogates.shape[1]

    def tree(self, index: int) -> Tree:
        """One tree; most of its arrays are views, copies where the forest's cannot be written to, which kernels ask
        for.
        """
        begin, end = self.first_split[index], self.first_split[index + 1]
        part, n_sets = slice(begin, end), 1 + self.n_surrogates
        first_code = self.first_code[begin * n_sets : end * n_sets + 1]
        tree = Tree(
            self.parents[part],
            self.columns[part],
            self.codes[first_code[0] : first_code[-1]],
            first_code - first_code[0],
            self.values[begin + index : end + index + 1],
            self.shares[part],
            self.surrogates[part],
            self.gains[part],
        )
        return tree if self.parents.flags.writeable else Tree._make(array.copy() for array in tree)

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle has integers in the fewest bytes, so that it is about as large as a file, which is compressed."""
        parts = self._replace(first_code=np.diff(self.first_code))
        return _restore, tuple((_narrow(array), array.dtype) for array in parts)

    def for_kernels(self) -> Forest:
        """The forest itself, a copy if its arrays cannot be written to, which kernels ask for."""
        return self if self.parents.flags.writeable else Forest._make(array.copy() for array in self)


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Integers in the narrowest type that holds them; others as they are."""
    if array.dtype.kind not in "iu":
        return array
    ends = (np.min_scalar_type(int(end)) for end in (array.min(initial=0), array.max(initial=0)))
    return array.astype(np.result_type(*ends))


def _restore(*parts: tuple[NDArray[Any], np.dtype[Any]]) -> Forest:
    """What `Forest.__reduce__` gave."""
    forest = Forest._make(array.astype(kind) for array, kind in parts)
    return forest._replace(first_code=starts_of(forest.first_code))


FOREST = compiled_type(Forest)


@kernel(void(FOREST, int64, COLUMNS, int16[:, ::1], ROUTING))
def _route_through(forest, number, columns, labels_of_state, routing):
    """`route` through one tree; its sets begin where they do in the forest's codes."""
    begin, end, n_sets = forest.first_split[number], forest.first_split[number + 1], 1 + forest.surrogates.shape[1]
    parents, tested = forest.parents[begin:end], forest.columns[begin:end]
    first_code = forest.first_code[begin * n_sets : end * n_sets + 1]
    _route(parents, tested, forest.codes, first_code, n_sets, columns, labels_of_state, routing)


@kernel(void(FOREST, int64, int64, COLUMNS, int16[:, ::1], ROUTING, float64[:, :, ::1]))
def add_trees(forest, first, end, columns, labels_of_state, routing, potentials):
    """Add trees ``first`` to ``end - 1`` to the potentials of their labels, shape (n_labels, n_positions,
    n_all_states).

    Of a few positions, calling the kernels for each tree would take most of the time.
    """
    for number in range(first, end):
        _route_through(forest, number, columns, labels_of_state, routing)
        values = forest.values[forest.first_split[number] + number : forest.first_split[number + 1] + number + 1]
        add_leaf_values(values, routing, False, potentials[number % len(potentials)])


@kernel(void(FOREST, int64[::1], COLUMNS, int16[:, ::1], ROUTING, int32[::1], int64[::1], float64[::1]))
def add_trees_to_entries(forest, trees, columns, labels_of_state, routing, positions, entries, scores):
    """Add to ``scores[entries[i]]`` what the trees give position ``positions[i]``, where there is one state."""
    for number in trees:
        _route_through(forest, number, columns, labels_of_state, routing)
        values = forest.values[forest.first_split[number] + number :]
        for i in range(uint64(len(entries))):
            scores[uint64(entries[i])] += values[uint64(routing.membership[0, uint64(positions[i])])]


def join_trees(trees: list[Tree]) -> Forest:
    """Store trees one after another."""
    first_split = starts_of([len(tree.parents) for tree in trees])
    parts = trees or [make_tree(1)]
    first_code = np.concatenate([[0], *(np.diff(tree.first_code) for tree in parts)]).cumsum().astype(np.int64)
    values = np.concatenate([tree.values for tree in parts])[: first_split[-1] + len(trees)]
    names = ("parents", "columns", "codes", "shares", "surrogates", "gains")
    joined = {name: np.concatenate([getattr(tree, name) for tree in parts]) for name in names}
    return Forest(**joined, first_code=first_code, values=values, first_split=first_split)


class Evaluator:
    """Routes one data set through trees of at most `max_leaves` leaves, reusing its buffers.

    `columns` are those of the data set, with the cells of the training set; `labels_of_state` is int16, shape
    (n_all_states, order).
    """

    def __init__(self, columns: Columns, labels_of_state: NDArray[np.int16], max_leaves: int) -> None:
        self._columns = columns
        self._labels_of_state = labels_of_state
        sizes = {"n_positions": len(columns.cells), "n_all_states": len(labels_of_state), "n_leaves": max_leaves}
        self._routing = allocate(Routing, **sizes)

    def leaves(self, tree: Tree) -> NDArray[np.int16]:
        """The leaf of each position, where there is one state; a view that the next tree overwrites."""
        route(tree, self._columns, self._labels_of_state, self._routing)
        return self._routing.membership[0]

    def add(self, tree: Tree, potentials: NDArray[np.float64], *, exponentiated: bool = False) -> None:
        """Add a tree's values to `potentials` (see `add_leaf_values`)."""
        route(tree, self._columns, self._labels_of_state, self._routing)
        values = np.exp(tree.values) if exponentiated else tree.values
        add_leaf_values(values, self._routing, exponentiated, potentials)

    def add_trees(self, forest: Forest, first: int, end: int, potentials: NDArray[np.float64]) -> None:
        """Add trees ``first`` to ``end - 1`` to the potentials of all labels, shape (n_labels, n_positions,
        n_all_states).
        """
        add_trees(forest.for_kernels(), first, end, self._columns, self._labels_of_state, self._routing, potentials)

    def add_to_entries(
        self,
        forest: Forest,
        trees: NDArray[np.int64],
        positions: NDArray[np.int32],
        entries: NDArray[np.int64],
        scores: NDArray[np.float64],
    ) -> None:
        """Add to ``scores[entries]`` what some trees give `positions`, where there is one state."""
        add_trees_to_entries(
            forest.for_kernels(), trees, self._columns, self._labels_of_state, self._routing, positions, entries, scores
        )
