"""Trees on the windows of one data set: growing them, evaluating them, and the buffers that this needs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import allocate
from treecrf.sequences import SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import Columns, build_columns, distinct_windows
from treecrf.trees.forest import Evaluator, Routing, add_leaf_values, route
from treecrf.trees.grower import Workspace, grow_tree
from treecrf.trees.missing.grower import WeightedWorkspace, grow_weighted_tree
from treecrf.trees.missing.partition import BlendingEvaluator, add_blended, route_copies, with_longer_lists
from treecrf.trees.partition import with_longer_list
from treecrf.trees.problem import Problem
from treecrf.trees.sampling import Sample
from treecrf.trees.tree import Tree


def columns_of(data: SequenceSet, window: tuple[int, int], with_missing: bool) -> Columns:
    """The windows of all positions; `with_missing` says whether each slot has a cell for "missing"."""
    return build_columns(window_codes(data, window), slot_sizes(data.attributes, window) + with_missing)


def distinct_windows_of(
    data: SequenceSet, window: tuple[int, int], with_missing: bool
) -> tuple[Columns, NDArray[np.int32] | None]:
    """Windows that differ, if a window is one observation, and the window of every position.

    Else, and if all differ, the windows of all positions, and None. Parameters are those of `columns_of`.
    """
    columns = columns_of(data, window, with_missing)
    if tuple(window) == (0, 0):
        examples, window_of = distinct_windows(columns.cells)
        if len(examples) < len(window_of):
            codes = window_codes(data, window)[examples]
            return build_columns(codes, slot_sizes(data.attributes, window) + with_missing), window_of
    return columns, None


def make_evaluator(
    columns: Columns, labels_of_state: NDArray[np.int16], divides: bool, most_leaves: int, n_surrogates: int
) -> Evaluator | BlendingEvaluator:
    """An evaluator, on `columns`, of trees with so many leaves and surrogates at most, which divide rows or not."""
    if divides:
        return BlendingEvaluator(columns, labels_of_state, most_leaves, n_surrogates)
    return Evaluator(columns, labels_of_state, most_leaves)


class Grower(Protocol):
    """Grows trees."""

    def grow(self, rows: NDArray[np.int64], sample: Sample) -> Tree:
        """The tree for the sample's packed gradients; `rows` is int64, shape (n_states, n_positions)."""

    def add_last(self, tree: Tree, exponentials: NDArray[np.float64]) -> None:
        """Multiply exp(F), shape (n_positions, n_states), by exp(value) of the tree that was grown last."""


class CompleteGrower(Grower):
    """Grows trees on data without missing cells."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._workspace = allocate(Workspace, **problem.sizes())
        self._buffer = problem.make_tree()
        leaves = self._workspace.leaves
        self._routing = Routing(leaves.membership, leaves.states, leaves.n_states)

    def grow(self, rows: NDArray[np.int64], sample: Sample, route_all: bool = True) -> Tree:
        """See `Grower`; `route_all` says whether positions outside the sample have a leaf afterwards, too."""
        p = self._problem
        while (n_splits := grow_tree(p, rows, sample, self._workspace, self._buffer)) < 0:
            self._workspace = self._workspace._replace(leaves=with_longer_list(self._workspace.leaves))
        tree = self._buffer.first(n_splits)
        if route_all and len(sample.positions) < rows.shape[1]:
            route(tree, p.columns, p.labels_of_state, self._routing)
        return tree

    def leaves(self, positions: NDArray[np.int32]) -> NDArray[np.int16]:
        """The leaf of each of these positions in the tree that was grown last, where there is one state."""
        return self._routing.membership[0, positions]

    def add_last(self, tree: Tree, exponentials: NDArray[np.float64]) -> None:
        add_leaf_values(np.exp(tree.values), self._routing, True, exponentials)


class WeightedGrower(Grower):
    """Grows trees on data with missing cells; the last cell of each slot is "missing"."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._workspace = allocate(WeightedWorkspace, **problem.sizes())
        self._buffer = problem.make_tree()
        self._blended = np.zeros((len(problem.columns.cells), len(problem.labels_of_state)))

    def grow(self, rows: NDArray[np.int64], sample: Sample) -> Tree:
        p = self._problem
        while (n_splits := grow_weighted_tree(p, rows, sample, self._workspace, self._buffer)) < 0:
            self._lengthen_lists()
        tree = self._buffer.first(n_splits)
        if len(sample.positions) < rows.shape[1]:
            while route_copies(tree, p.columns, p.labels_of_state, self._workspace.copies) < 0:
                self._lengthen_lists()
        return tree

    def _lengthen_lists(self) -> None:
        self._workspace = self._workspace._replace(copies=with_longer_lists(self._workspace.copies))

    def add_last(self, tree: Tree, exponentials: NDArray[np.float64]) -> None:
        add_blended(tree.values, self._workspace.copies, self._blended, exponentials, exponentiated=True)
