"""Trees on the window alone, one for each label, and steps of the matrix of transitions."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from treecrf.models.boosted.growers import CompleteGrower
from treecrf.models.boosted.lattice_inference import LatticeInference
from treecrf.models.boosted.lattice_potentials import LatticePotentials
from treecrf.models.boosted.lattice_rows import LabelRows
from treecrf.models.boosted.sampling import Sampling, draw_columns, draw_positions
from treecrf.models.boosted.stage import Stage
from treecrf.models.resources import Runner
from treecrf.trees.forest import Evaluator
from treecrf.trees.problem import Problem
from treecrf.trees.sampling import Sample
from treecrf.trees.tree import Tree


class WindowTrees:
    """What separable transitions add to, iteration by iteration.

    Parameters
    ----------
    problem : Problem
        Of order 0.
    by_label : list of LabelRows
    sampling : Sampling
    """

    def __init__(self, problem: Problem, by_label: list[LabelRows], sampling: Sampling) -> None:
        self.problem, self._by_label, self._sampling = problem, by_label, sampling
        self._idle: list[tuple[CompleteGrower, NDArray[np.int64]]] = []

    def grow(
        self,
        run: Runner,
        iteration: int,
        inference: LatticeInference,
        active: NDArray[np.int64] | None,
        potentials: LatticePotentials,
        seconds: dict[str, float],
    ) -> Stage:
        """Grow and add the trees and the step; `active` are the entries of the gradients, if not all."""
        n_positions = len(self.problem.columns.cells)
        drawn = np.zeros(n_positions, dtype=np.bool_)
        drawn[draw_positions(self._sampling, n_positions, iteration)] = True
        rows = inference.gradients
        if active is not None:
            rows = np.full(len(potentials.unary), self.problem.packing.unit)
            rows[active] = inference.gradients
        tasks = [
            partial(self._grow_one, label, iteration, rows, drawn, potentials) for label in range(len(self._by_label))
        ]
        results = run(tasks)
        seconds["trees"] += sum(growing for _, growing, _ in results)
        seconds["update"] += sum(updating for *_, updating in results)
        step = self._transition_step(inference)
        potentials.transitions += step
        return Stage([tree for tree, *_ in results], step)

    def add(self, stage: Stage, potentials: LatticePotentials) -> None:
        """Add a stage again."""
        p = self.problem
        evaluator = Evaluator(p.columns, p.labels_of_state, max(len(tree.values) for tree in stage.trees))
        for tree, of_label in zip(stage.trees, self._by_label, strict=True):
            potentials.add_leaves(of_label.entries, tree.values, evaluator.leaves(tree)[of_label.positions])
        potentials.transitions += stage.transitions

    def _grow_one(
        self,
        label: int,
        iteration: int,
        rows_of_entries: NDArray[np.int64],
        drawn: NDArray[np.bool_],
        potentials: LatticePotentials,
    ) -> tuple[Tree, float, float]:
        begin = time.thread_time()
        entries, positions, _ = self._by_label[label]
        grower, rows = self._idle.pop() if self._idle else self._make_grower()
        rows[0, positions] = rows_of_entries[entries]
        considered = draw_columns(self._sampling, self.problem.max_leaves, len(self.problem.kinds), iteration, label)
        sampled = positions if drawn.all() else positions[drawn[positions]]
        tree = grower.grow(rows, Sample(sampled, considered), route_all=len(sampled) < len(positions))
        grown = time.thread_time()
        potentials.add_leaves(entries, tree.values, grower.leaves(positions))
        self._idle.append((grower, rows))
        return tree, grown - begin, time.thread_time() - grown

    def _make_grower(self) -> tuple[CompleteGrower, NDArray[np.int64]]:
        return CompleteGrower(self.problem), np.zeros((1, len(self.problem.columns.cells)), dtype=np.int64)

    def _transition_step(self, inference: LatticeInference) -> NDArray[np.float64]:
        """Observed less expected transitions, divided as in a leaf; a transition's expected count bounds its curvature."""
        excess, expected = inference.excess()
        growth = self.problem.growth
        with np.errstate(invalid="ignore"):
            step = np.nan_to_num(excess / (expected + growth.l2_regularization))
        return np.asarray(growth.learning_rate * step.clip(-growth.largest_value, growth.largest_value))
