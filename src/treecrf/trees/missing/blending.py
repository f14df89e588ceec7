"""Evaluating trees on data with missing cells: splits are made again with weighted copies of the rows."""

from __future__ import annotations

import numpy as np
from numba import float64, int16, int64, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import allocate
from treecrf.trees.columns import COLUMNS, Columns
from treecrf.trees.missing.leaves import (
    WEIGHTED_ROWS,
    WeightedRows,
    distribute,
    has_room,
    init_weighted_root,
    split_by_label,
    take_known,
    with_longer_lists,
)
from treecrf.trees.problem import FULL
from treecrf.trees.tree import TREE, Tree, set_of


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

    `copies` is from `route_copies` or `treecrf.trees.missing.growing.grow_weighted_tree`.
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
