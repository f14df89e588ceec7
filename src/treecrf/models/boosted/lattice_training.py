"""Training where trees see the window alone and labels follow each other by a matrix of transitions: for many labels.

Potentials are ``U^y(w_t) + T(y, y_{t-1})``: one tree for each label on the window, and the matrix. What is kept for a position
grows with the labels that it may have (`treecrf.chain.lattice`), not with pairs of labels.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain._lattice_kernels import Recursions, backward, forward
from treecrf.chain.lattice import Lattice, Weights, entries_of
from treecrf.compiled.struct import allocate
from treecrf.models.boosted._lattice_gradient import write_rows
from treecrf.models.boosted.growers import CompleteGrower
from treecrf.models.boosted.sampling import WHOLE, Sampling, draw_columns, draw_positions
from treecrf.models.boosted.stage import Stage
from treecrf.models.boosted.training import Criterion
from treecrf.models.runner import Runner
from treecrf.trees.columns import Columns
from treecrf.trees.forest import Evaluator
from treecrf.trees.packing import choose_packing
from treecrf.trees.problem import make_problem
from treecrf.trees.sampling import Sample
from treecrf.trees.search import Growth
from treecrf.trees.sweep import Sweep
from treecrf.trees.tree import Tree

N_SHARES = 16
"""Shares of the sequences, whatever the number of threads: counts are added in the same order."""


class LatticeTraining:
    """The state of a boosting run, as `treecrf.models.boosted.training.Training`.

    Parameters
    ----------
    columns : Columns; sweep : Sweep
        Windows of the positions.
    lattice : Lattice
        It has every position's true label.
    labels : int16, shape (n_positions,)
    start : float64, shape (n_labels, n_labels + 1)
        Transitions before the first tree.
    kinds : int8, shape (n_slots,)
        Kinds of the columns (`treecrf.trees.search`).
    max_leaves : int
    growth : Growth
    newton : bool
        Whether rows weigh the curvature of the log likelihood there, instead of 1.
    sampling : Sampling
        The part of the training set that each tree is grown from.
    """

    def __init__(
        self,
        columns: Columns,
        sweep: Sweep,
        lattice: Lattice,
        labels: NDArray[np.int16],
        start: NDArray[np.float64],
        kinds: NDArray[np.int8],
        max_leaves: int,
        growth: Growth,
        newton: bool = False,
        sampling: Sampling = WHOLE,
    ) -> None:
        n_labels, n_positions = len(start), len(labels)
        n_entries = len(lattice.labels)
        self._columns, self._lattice, self._growth, self._sampling = columns, lattice, growth, sampling
        self._packing = choose_packing(n_positions, n_entries, 1, newton)
        self._problem = make_problem(
            columns, sweep, chain.StateSpace(n_labels, 0), kinds, max_leaves, growth, self._packing
        )
        self._unary, self._transitions = np.ones(n_entries), start.copy()
        self._recursions = allocate(Recursions, n_entries=n_entries, n_positions=n_positions)
        self._rows = np.zeros(n_entries, dtype=np.int64)
        self._true_entries = entries_of(lattice, labels)
        before = np.concatenate([[0], labels[:-1]])
        before[lattice.offsets[:-1]] = n_labels
        self._true_steps = (labels, before)
        self._observed = np.zeros(start.shape)
        np.add.at(self._observed, self._true_steps, 1.0)
        self._expected = np.zeros((N_SHARES, *start.shape))
        self._entries, self._positions = _by_label(lattice, n_labels)
        self._idle: list[tuple[CompleteGrower, NDArray[np.int64]]] = []

    def compute_gradient(self, run: Runner, n_threads: int, criterion: Criterion, seconds: dict[str, float]) -> float:
        """Write the gradient of every label and transition; return the log likelihood of the training set."""
        offsets = self._lattice.offsets
        bounds = np.searchsorted(offsets, np.linspace(0, offsets[-1], N_SHARES + 1)).tolist()
        weights = Weights(self._unary, np.exp(self._transitions), np.empty(0))
        tasks = [
            partial(self._differentiate, weights, i, first, last) for i, (first, last) in enumerate(pairwise(bounds))
        ]
        seconds["gradient"] += sum(run(tasks))
        true_weights = self._unary[self._true_entries] * weights.transitions[self._true_steps]
        return float(np.log(true_weights * self._recursions.scales).sum())

    def grow(self, run: Runner, iteration: int, seconds: dict[str, float]) -> Stage:
        """Grow and add one tree for each label, and a step of the transitions."""
        positions = draw_positions(self._sampling, len(self._true_entries), iteration)
        drawn = np.zeros(len(self._true_entries), dtype=np.bool_)
        drawn[positions] = True
        results = run([partial(self._grow_one, label, iteration, drawn) for label in range(len(self._entries))])
        seconds["trees"] += sum(growing for _, growing, _ in results)
        seconds["update"] += sum(updating for *_, updating in results)
        step = self._transition_step()
        self._transitions += step
        return Stage([tree for tree, *_ in results], step)

    def replay(self, stages: Sequence[Stage], steps: Sequence[float] = ()) -> None:
        """See `Training.replay`."""
        for i, stage in enumerate(stages):
            step = steps[i] if i < len(steps) else 1.0
            whole = stage.scaled(1.0 / step)
            self._add(whole)
            while step < 1.0:
                whole, step = self.halve(whole), 2.0 * step

    def halve(self, stage: Stage) -> Stage:
        """See `Training.halve`."""
        self._add(stage.scaled(-0.5))
        return stage.scaled(0.5)

    def _add(self, stage: Stage) -> None:
        most_leaves = max(len(tree.values) for tree in stage.trees)
        evaluator = Evaluator(self._columns, self._problem.labels_of_state, most_leaves)
        for label, tree in enumerate(stage.trees):
            leaves = evaluator.leaves(tree)[self._positions[label]]
            self._unary[self._entries[label]] *= np.exp(tree.values)[leaves]
        self._transitions += stage.transitions

    def _differentiate(self, weights: Weights, share: int, first: int, last: int) -> float:
        begin = time.thread_time()
        lattice = self._lattice
        counts = self._expected[share]
        counts[:] = 0.0
        forward(lattice, weights, first, last, self._recursions)
        backward(lattice, weights, first, last, self._recursions, np.empty(0), counts)
        write_rows(
            lattice.first, self._true_entries, self._recursions.alphas, lattice.offsets[first], lattice.offsets[last],
            self._packing, self._rows,
        )  # fmt: skip
        return time.thread_time() - begin

    def _grow_one(self, label: int, iteration: int, drawn: NDArray[np.bool_]) -> tuple[Tree, float, float]:
        begin = time.thread_time()
        entries, positions = self._entries[label], self._positions[label]
        grower, rows = self._idle.pop() if self._idle else self._make_grower()
        rows[0, positions] = self._rows[entries]
        n_columns = len(self._columns.first_cell) - 1
        considered = draw_columns(self._sampling, self._problem.max_leaves, n_columns, iteration, label)
        sampled = positions if drawn.all() else positions[drawn[positions]]
        tree = grower.grow(rows, Sample(sampled, considered), route_all=len(sampled) < len(positions))
        grown = time.thread_time()
        self._unary[entries] *= np.exp(tree.values)[grower.leaves(positions)]
        self._idle.append((grower, rows))
        return tree, grown - begin, time.thread_time() - grown

    def _make_grower(self) -> tuple[CompleteGrower, NDArray[np.int64]]:
        return CompleteGrower(self._problem), np.zeros((1, len(self._true_entries)), dtype=np.int64)

    def _transition_step(self) -> NDArray[np.float64]:
        """Observed less expected transitions, divided as in a leaf; a transition's expected count bounds its curvature."""
        expected = self._expected.sum(axis=0)
        growth = self._growth
        with np.errstate(invalid="ignore"):
            step = np.nan_to_num((self._observed - expected) / (expected + growth.l2_regularization))
        return growth.learning_rate * step.clip(-growth.largest_value, growth.largest_value)


def _by_label(lattice: Lattice, n_labels: int) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int32]]]:
    """Entries of each label, and their positions, ascending."""
    order = np.argsort(lattice.labels, kind="stable")
    bounds = np.searchsorted(lattice.labels[order], np.arange(n_labels + 1))
    position_of = np.repeat(np.arange(len(lattice.first) - 1, dtype=np.int32), np.diff(lattice.first))
    entries = [order[begin:end] for begin, end in pairwise(bounds)]
    return entries, [position_of[of_label] for of_label in entries]
