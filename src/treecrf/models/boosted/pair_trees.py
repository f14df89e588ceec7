"""Trees on the window and the previous label, one for each label, grown on the pairs of labels that are possible."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.lattice import Predecessors
from treecrf.compiled.struct import allocate
from treecrf.models.boosted.lattice_inference import LatticeInference
from treecrf.models.boosted.lattice_potentials import LatticePotentials
from treecrf.models.boosted.lattice_rows import LabelRows, rows_by_label
from treecrf.models.boosted.sampling import Sampling, draw_columns, draw_positions
from treecrf.models.boosted.stage import Stage
from treecrf.models.resources import Runner
from treecrf.trees.columns import Columns
from treecrf.trees.pair_growing import PairRows, PairWorkspace, grow_pair_tree
from treecrf.trees.pair_leaves import PairLeaves, add_to_pairs, route_pairs, with_longer_list
from treecrf.trees.problem import Problem
from treecrf.trees.sampling import Sample
from treecrf.trees.tree import Tree


def pair_sizes(predecessors: Predecessors) -> dict[str, int]:
    """Lengths of buffers that growing on pairs needs beyond `Problem.sizes`."""
    return {"n_kinds": len(predecessors.first) - 1, "n_places": len(predecessors.labels)}


class PairTrees:
    """They are added to the potentials of all possible pairs, whether or not these have gradients.

    Parameters
    ----------
    problem : Problem
        Of order 1.
    predecessors : Predecessors
    by_label : list of LabelRows
        Of the labels that are possible.
    sampling : Sampling
    """

    def __init__(
        self, problem: Problem, predecessors: Predecessors, by_label: list[LabelRows], sampling: Sampling
    ) -> None:
        self.problem, self._predecessors, self._by_label, self._sampling = problem, predecessors, by_label, sampling
        self._idle: list[_Buffers] = []

    def grow(
        self,
        run: Runner,
        iteration: int,
        inference: LatticeInference,
        active: NDArray[np.int64] | None,
        potentials: LatticePotentials,
        seconds: dict[str, float],
    ) -> Stage:
        """Grow and add the trees; `active` are the entries that have gradients, if not all."""
        n_positions = len(self.problem.columns.cells)
        drawn = draw_positions(self._sampling, n_positions, iteration)
        units = np.zeros(n_positions, dtype=np.int64)
        by_label = self._by_label
        if active is not None:
            by_label = rows_by_label(inference.lattice, len(by_label))
            units[drawn] = self.problem.packing.unit
        rows = PairRows(inference.gradients, inference.lattice, self._predecessors, np.empty(0, dtype=np.int64), units)
        is_drawn = np.zeros(n_positions, dtype=np.bool_)
        is_drawn[drawn] = True
        tasks = [
            partial(self._grow_one, label, iteration, of_label, rows, is_drawn, potentials)
            for label, of_label in enumerate(by_label)
        ]
        results = run(tasks)
        seconds["trees"] += sum(growing for _, growing, _ in results)
        seconds["update"] += sum(updating for *_, updating in results)
        return Stage([tree for tree, *_ in results])

    def add(self, stage: Stage, potentials: LatticePotentials) -> None:
        """Add a stage again."""
        most_leaves = max(len(tree.values) for tree in stage.trees)
        evaluator = PairEvaluator(self.problem.columns, self._predecessors, len(self._by_label), most_leaves)
        for tree, of_label in zip(stage.trees, self._by_label, strict=True):
            evaluator.add(tree, of_label, potentials.pairs, potentials.exponentiated)

    def _grow_one(
        self,
        label: int,
        iteration: int,
        active: LabelRows,
        rows: PairRows,
        is_drawn: NDArray[np.bool_],
        potentials: LatticePotentials,
    ) -> tuple[Tree, float, float]:
        begin = time.thread_time()
        buffers = self._idle.pop() if self._idle else _Buffers(self.problem, self._predecessors)
        considered = draw_columns(self._sampling, self.problem.max_leaves, len(self.problem.kinds), iteration, label)
        possible = self._by_label[label]
        buffers.blocks[possible.positions] = -1
        buffers.blocks[active.positions] = np.where(is_drawn[active.positions], active.blocks, -1)
        tree = buffers.grow(self.problem, rows, Sample(possible.positions, considered))
        grown = time.thread_time()
        buffers.blocks[possible.positions] = possible.blocks
        _add(
            tree,
            buffers.workspace.leaves,
            self._predecessors,
            buffers.blocks,
            potentials.pairs,
            potentials.exponentiated,
        )
        self._idle.append(buffers)
        return tree, grown - begin, time.thread_time() - grown


class _Buffers:
    """What growing one tree needs; there are no more of them than threads."""

    def __init__(self, problem: Problem, predecessors: Predecessors) -> None:
        self.workspace = allocate(PairWorkspace, **problem.sizes(), **pair_sizes(predecessors))
        self.blocks = np.full(len(problem.columns.cells), -1)
        self._tree = problem.make_tree()

    def grow(self, problem: Problem, rows: PairRows, sample: Sample) -> Tree:
        rows = rows._replace(blocks=self.blocks)
        while (n_splits := grow_pair_tree(problem, rows, sample, self.workspace, self._tree)) < 0:
            self.workspace = self.workspace._replace(leaves=with_longer_list(self.workspace.leaves))
        return self._tree.first(n_splits)


class PairEvaluator:
    """Adds trees of at most `most_leaves` leaves to potentials of pairs, reusing its buffers.

    `columns` and `predecessors` are those of the data set, with the cells of the training set.
    """

    def __init__(self, columns: Columns, predecessors: Predecessors, n_labels: int, most_leaves: int) -> None:
        self._columns, self._predecessors = columns, predecessors
        sizes = {"n_leaves": most_leaves, "n_positions": len(columns.cells), "n_all_states": n_labels + 1}
        most_codes = int(np.diff(columns.first_cell).max(initial=1))
        self._leaves = allocate(PairLeaves, **sizes, **pair_sizes(predecessors), n_most_codes=most_codes)
        self._blocks = np.empty(len(columns.cells), dtype=np.int64)

    def add(self, tree: Tree, of_label: LabelRows, pairs: NDArray[np.float64], exponentiated: bool = False) -> None:
        """Add a tree's values to the potentials of the pairs of its label; where they are exponentials, multiply them."""
        while not route_pairs(tree, self._columns, self._predecessors, of_label.positions, self._leaves):
            self._leaves = with_longer_list(self._leaves)
        self._blocks[of_label.positions] = of_label.blocks
        _add(tree, self._leaves, self._predecessors, self._blocks, pairs, exponentiated)


def _add(
    tree: Tree,
    leaves: PairLeaves,
    predecessors: Predecessors,
    blocks: NDArray[np.int64],
    pairs: NDArray[np.float64],
    exponentiated: bool,
) -> None:
    values = np.exp(tree.values) if exponentiated else tree.values
    add_to_pairs(values, leaves, predecessors, blocks, exponentiated, pairs)
