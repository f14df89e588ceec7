"""Flat forests: a sum of trees as one vector of weights over conjunctions (PhD section 3.5.3, last paragraph, and 6.1).

A leaf is a conjunction of the tests on its way, and its value is the conjunction's weight. Written so, the forest is a
linear model. As a polynomial in single cells it would be out of reach: a leaf that has failed q tests in each of k
slots is a sum of ``(1 + q) ** k`` products.

Conjunctions are looked up for 64 windows at once, as in a bitmap index. The windows where a conjunction holds are a
*set*, one bit for each; a split takes the windows of its cell out of a set::

    windows            0   1   2   3   4   5  ..
    leaf               1   1   0   1   1   1        before the split
    cell               0   1   1   0   0   1
    child              0   1   0   0   0   1        leaf AND cell
    leaf               1   0   0   1   1   0        leaf AND NOT cell

The conjunctions of one tree that have the same states are a *family*: at most one of them holds in a window. Its
number there is read off the sets bit by bit (the bit-sliced index of O'Neil and Quass 1997, SIGMOD), and its weight
is added. Where there are few possible windows, the potentials of all of them are kept in a table instead.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import float64, int64, uint16, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Float64, Int32, Int64, compiled_type, struct
from treecrf.io.arrays import starts_of
from treecrf.trees.columns import distinct_windows
from treecrf.trees.forest import Forest, Tree

_WORD = 64  # windows
CHUNK = 128 * _WORD  # windows: the sets of a tree and of the cells stay in the second cache
_MAX_FAMILY = 255  # the number of a conjunction is one byte, 0 where none holds
MAX_TABLE = 2**20  # potentials: a table takes about as long to fill as a test set to label

_SPREAD = (
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.uint64)
    << np.arange(0, 64, 8, dtype=np.uint64)
).sum(axis=1, dtype=np.uint64)
"""Each bit of a byte in a byte of its own."""


@struct
class Conjunctions(NamedTuple):
    """The conjunctions of all trees as programs over sets of windows.

    A split has a set, the child's set, and the cells of its test; none for a test of a previous label (-1 in `splits`),
    whose children have the same windows. A family has the set before those of its conjunctions (free), the number of
    sets with it, its component, and its first weight. A component is what has the same sums: a label and a set of
    states.
    """

    roots: Annotated[Int32, "n_trees", "Each tree's set that begins with all windows."]
    first_split: Annotated[Int64, "n_trees + 1"]
    splits: Annotated[Int32, "n_all_splits, 3", "Set, child's set, number of cells."]
    cells: Annotated[Int32, "n_all_cells", "Split after split."]
    first_cell: Annotated[Int64, "n_all_splits + 1"]
    first_family: Annotated[Int64, "n_trees + 1"]
    families: Annotated[Int32, "n_families, 4"]
    weights: Annotated[Float64, "n_weights", "By family: 0, then the weight of each conjunction."]
    labels: Annotated[Int64, "n_components"]
    states: Annotated[Bool, "n_components, n_states"]

    @property
    def n_sets(self) -> int:
        """Sets that the largest tree needs."""
        return int(max(self.roots.max(initial=0), self.splits[:, :2].max(initial=0))) + 1


CONJUNCTIONS = compiled_type(Conjunctions)


class FlatForest:
    """The potentials of complete windows, from conjunctions and weights.

    Parameters
    ----------
    forest : Forest
        Trees that send every row to one side; shares and surrogates are not looked at.
    slot_sizes : int64, shape (n_slots,)
        Number of cells of each slot.
    labels_of_state : int16, shape (n_states, order)
    start : float64, shape (n_labels, n_states)
        Potentials before the first tree.
    """

    def __init__(
        self,
        forest: Forest,
        slot_sizes: NDArray[np.int64],
        labels_of_state: NDArray[np.int16],
        start: NDArray[np.float64],
    ) -> None:
        self._sizes = slot_sizes.astype(np.int64)
        self._conjunctions, self._constant = flatten(forest, self._sizes, labels_of_state, start)
        self.table: NDArray[np.float64] | None = None
        if np.prod(self._sizes + 1.0) * start.size <= MAX_TABLE:
            every_window = np.indices((self._sizes + 1).tolist()).reshape(len(self._sizes), -1).T
            self.table = self.potentials(every_window.astype(np.uint16))

    def potentials(self, codes: NDArray[np.unsignedinteger], *, repeated: bool = False) -> NDArray[np.float64]:
        """F^y(state, window) of each window, float64, shape (n_labels, n_windows, n_states).

        Parameters
        ----------
        codes : uint8 or uint16, shape (n_windows, n_slots)
            As from `treecrf.sequences.window_codes`; a code that belongs to no cell fails every test.
        repeated : bool
            Whether windows are likely to repeat: then those that differ are looked for first.
        """
        if self.table is not None:
            places = np.minimum(codes, self._sizes)
            return self.table.take(np.ravel_multi_index(tuple(places.T), tuple(self._sizes + 1)), axis=1)
        if repeated:
            examples, window_of = distinct_windows(codes.astype(np.uint32))
            return self.potentials(codes[examples])[:, window_of]
        potentials = np.repeat(self._constant[:, None, :], len(codes), axis=1)
        for begin in range(0, len(codes), CHUNK):
            part = slice(begin, begin + CHUNK)
            sums = sum_weights(self._conjunctions, codes[part], self._sizes)
            for label, states, of_windows in zip(
                self._conjunctions.labels, self._conjunctions.states, sums, strict=True
            ):
                for state in np.flatnonzero(states):
                    potentials[label, part, state] += of_windows
        return potentials


def flatten(
    forest: Forest, slot_sizes: NDArray[np.int64], labels_of_state: NDArray[np.int16], start: NDArray[np.float64]
) -> tuple[Conjunctions, NDArray[np.float64]]:
    """Turn trees into conjunctions with weights.

    Parameters: as of `FlatForest`.

    Returns
    -------
    conjunctions : Conjunctions
    constant : float64, shape (n_labels, n_states)
        The start, and the values of leaves whose tests are all of previous labels.
    """
    first_cell = starts_of(slot_sizes)
    n_labels, constant = len(start), start.copy()
    roots: list[int] = []
    splits: list[NDArray[np.int32]] = []
    cells: list[NDArray[np.int32]] = []
    families: list[tuple[int, int, int, int]] = []
    first_family, weights = [0], [np.empty(0)]
    n_weights = 0
    components: dict[tuple[int, bytes], int] = {}
    for index in range(forest.n_trees):
        tree, label = forest.tree(index), index % n_labels
        states, sees_window = _states_of_leaves(tree, labels_of_state, len(slot_sizes))
        set_of_leaf = np.empty(len(states), dtype=np.int32)
        n_sets = 0
        for leaves in _group_leaves(states):
            if not sees_window[leaves[0]]:  # then no other leaf has its states
                constant[label, states[leaves[0]]] += tree.values[leaves[0]]
            elif states[leaves[0]].any():  # leaves without states may have the same windows, which no number tells
                component = components.setdefault((label, states[leaves[0]].tobytes()), len(components))
                families.append((n_sets, len(leaves) + 1, component, n_weights))
                weights.append(np.concatenate([[0.0], tree.values[leaves]]))
                n_weights += len(leaves) + 1
            set_of_leaf[leaves] = n_sets + 1 + np.arange(len(leaves))
            n_sets += len(leaves) + 1
        roots.append(set_of_leaf[0])
        n_cells = np.full(len(tree.parents), -1)
        for split in np.flatnonzero(tree.columns < len(slot_sizes)):
            cells.append((first_cell[tree.columns[split]] + tree.test(int(split))).astype(np.int32))
            n_cells[split] = len(cells[-1])
        splits.append(np.stack([set_of_leaf[tree.parents], set_of_leaf[1:], n_cells], axis=1).astype(np.int32))
        first_family.append(len(families))
    every_split = np.concatenate([np.empty((0, 3), dtype=np.int32), *splits])
    return Conjunctions(
        np.array(roots, dtype=np.int32),
        forest.first_split.astype(np.int64),
        every_split,
        np.concatenate([np.empty(0, dtype=np.int32), *cells]),
        starts_of(np.maximum(every_split[:, 2], 0)),
        np.array(first_family, dtype=np.int64),
        np.array(families, dtype=np.int32).reshape(-1, 4),
        np.concatenate(weights),
        np.array([label for label, _ in components], dtype=np.int64),
        np.array([np.frombuffer(states, dtype=np.bool_) for _, states in components]).reshape(-1, len(labels_of_state)),
    ), constant


def _states_of_leaves(
    tree: Tree, labels_of_state: NDArray[np.int16], n_slots: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """States of each leaf, shape (n_leaves, n_states), and whether a test on its way is of the window."""
    states = np.ones((len(tree.parents) + 1, len(labels_of_state)), dtype=np.bool_)
    sees_window = np.zeros(len(states), dtype=np.bool_)
    for i in range(len(tree.parents)):
        leaf, child, column = tree.parents[i], i + 1, tree.columns[i]
        states[child], sees_window[child] = states[leaf], sees_window[leaf]
        if column < n_slots:
            sees_window[[leaf, child]] = True
        else:
            holds = np.isin(labels_of_state[:, column - n_slots], tree.test(i))
            states[child] &= holds
            states[leaf] &= ~holds
    return states, sees_window


def _group_leaves(states: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Leaves with the same states, at most `_MAX_FAMILY` together."""
    groups: dict[bytes, list[int]] = {}
    for leaf, of_leaf in enumerate(states):
        groups.setdefault(of_leaf.tobytes(), []).append(leaf)
    return [
        np.array(leaves[begin : begin + _MAX_FAMILY])
        for leaves in groups.values()
        for begin in range(0, len(leaves), _MAX_FAMILY)
    ]


def sum_weights(
    conjunctions: Conjunctions, codes: NDArray[np.unsignedinteger], slot_sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Weights that each component has in each window, float64, shape (n_components, n_windows)."""
    n_words = -(-len(codes) // _WORD)
    of_cells = np.zeros((int(slot_sizes.sum()), n_words), dtype=np.uint64)
    fill_sets(np.ascontiguousarray(codes, dtype=np.uint16), slot_sizes, of_cells)
    sets = np.zeros((conjunctions.n_sets, n_words), dtype=np.uint64)
    planes = np.zeros((8, n_words), dtype=np.uint64)
    sums = np.zeros((len(conjunctions.labels), n_words * _WORD))
    add_weights(conjunctions, of_cells, _SPREAD, sets, planes, sums)
    return sums[:, : len(codes)]


@kernel(void(uint16[:, ::1], int64[::1], uint64[:, ::1]))
def fill_sets(codes, slot_sizes, sets):
    """Set the bits of the windows that hold each cell; `sets`, shape (n_cells, n_words), is zero."""
    first = int64(0)
    for slot in range(len(slot_sizes)):
        for window in range(uint64(len(codes))):
            code = codes[window, slot]
            if code < slot_sizes[slot]:
                sets[first + code, window >> uint64(6)] |= uint64(1) << (window & uint64(63))
        first += slot_sizes[slot]


@kernel(void(int64, int64, CONJUNCTIONS, uint64[:, ::1], uint64[:, ::1]))
def _split_sets(first, last, conjunctions, of_cells, sets):
    """Make the splits ``first .. last - 1``."""
    n_words, splits = uint64(sets.shape[1]), conjunctions.splits
    for split in range(first, last):
        leaf, child = sets[uint64(splits[split, 0])], sets[uint64(splits[split, 1])]
        if splits[split, 2] < 0:
            for word in range(n_words):
                child[word] = leaf[word]
            continue
        for word in range(n_words):
            child[word] = 0
        for i in range(conjunctions.first_cell[split], conjunctions.first_cell[split + 1]):
            of_cell = of_cells[uint64(conjunctions.cells[i])]
            for word in range(n_words):
                child[word] |= of_cell[word]
        for word in range(n_words):
            child[word] &= leaf[word]
            leaf[word] ^= child[word]


@kernel(int64(uint64[:, ::1], uint64[:, ::1]))
def _number_windows(sets, planes):
    """Write bit j of the number of each window's set to plane j; return how many planes there are.

    The odd sets have the lowest bit; then sets are joined in pairs, and the next bit is that of the odd pairs. Set 0
    stands for none and holds anything. All sets are overwritten.
    """
    n_sets, n_words = uint64(len(sets)), uint64(sets.shape[1])
    n_planes = uint64(0)
    while n_sets > uint64(1):
        plane = planes[n_planes]
        for word in range(n_words):
            plane[word] = sets[uint64(1), word]
        for number in range(uint64(3), n_sets, uint64(2)):
            other = sets[number]
            for word in range(n_words):
                plane[word] |= other[word]
        n_planes += uint64(1)
        for number in range(uint64(0), n_sets, uint64(2)):
            joined, even = sets[number >> uint64(1)], sets[number]
            odd = sets[min(number + uint64(1), n_sets - uint64(1))]  # a last set without a partner is joined to itself
            for word in range(n_words):
                joined[word] = even[word] | odd[word]
        n_sets = (n_sets + uint64(1)) >> uint64(1)
    return int64(n_planes)


@kernel(void(int64, float64[::1], uint64[::1], uint64[:, ::1], float64[::1]))
def _add_numbered(n_planes, weights, spread, planes, sums):
    """Add to each window the weight whose number the planes tell."""
    for word in range(uint64(planes.shape[1])):
        occupied = uint64(0)
        for plane in range(uint64(n_planes)):
            occupied |= planes[plane, word]
        if occupied == 0:
            continue
        for byte in range(uint64(8)):
            numbers = uint64(0)  # of eight windows
            for plane in range(uint64(n_planes)):
                numbers |= spread[(planes[plane, word] >> (byte * uint64(8))) & uint64(255)] << plane
            first = word * uint64(64) + byte * uint64(8)
            for window in range(uint64(8)):
                sums[first + window] += weights[(numbers >> (window * uint64(8))) & uint64(255)]


@kernel(void(CONJUNCTIONS, uint64[:, ::1], uint64[::1], uint64[:, ::1], uint64[:, ::1], float64[:, ::1]))
def add_weights(conjunctions, of_cells, spread, sets, planes, sums):
    """Add the weights of the conjunctions that hold in each window to `sums`, shape (n_components, 64 * n_words).

    `of_cells` is from `fill_sets`; `sets`, shape (n_sets, n_words), and `planes`, shape (8, n_words), are work space.
    Windows beyond the last get anything.
    """
    families, weights = conjunctions.families, conjunctions.weights
    for tree in range(len(conjunctions.roots)):
        root = sets[uint64(conjunctions.roots[tree])]
        for word in range(uint64(len(root))):
            root[word] = ~uint64(0)
        first, last = conjunctions.first_split[tree], conjunctions.first_split[tree + 1]
        _split_sets(first, last, conjunctions, of_cells, sets)
        for family in range(conjunctions.first_family[tree], conjunctions.first_family[tree + 1]):
            begin, n_sets = families[family, 0], families[family, 1]
            component, of_first = families[family, 2], families[family, 3]
            n_planes = _number_windows(sets[begin : begin + n_sets], planes)
            _add_numbered(n_planes, weights[of_first : of_first + n_sets], spread, planes, sums[component])
