"""Training on the labels that each position may have (`treecrf.chain.lattice`): for many labels.

Where transitions are separable, potentials are ``U^y(w_t) + T(y, y_{t-1})``: an iteration adds to U one tree for each label,
which sees the window alone, and to the matrix T a step. Where they are full, potentials are ``F^y(y_{t-1}, w_t)``, which is
kept for every pair of labels that is possible: an iteration adds one tree for each label, which sees the window and the
previous label. So what is kept for a position grows with the labels, or the pairs of labels, that it may have.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain._lattice_kernels import Recursions
from treecrf.chain.beam import Beam, beam_of, gather_pairs, keep_entries
from treecrf.chain.lattice import (
    Lattice,
    Predecessors,
    Weights,
    entries_of,
    exponentials,
    one_thread,
    pairs_of,
    run_backward,
    run_forward,
)
from treecrf.chain.partial import agreeing_entries
from treecrf.compiled.struct import allocate
from treecrf.models.boosted._gradient_kernels import write_rows
from treecrf.models.boosted.boosting import Iteration
from treecrf.models.boosted.growers import CompleteGrower
from treecrf.models.boosted.lattice import LabelRows, LatticePotentials, rows_by_label
from treecrf.models.boosted.params import WHOLE, Sampling, draw_columns, draw_positions
from treecrf.models.boosted.training import Criterion, gradients_of
from treecrf.models.resources import Runner
from treecrf.sequences import MISSING
from treecrf.trees.columns import Columns
from treecrf.trees.forest import Evaluator
from treecrf.trees.packing import Packing, choose_packing
from treecrf.trees.pair_growing import PairRows, PairWorkspace, grow_pair_tree
from treecrf.trees.pair_leaves import PairLeaves, add_to_pairs, route_pairs, with_longer_list
from treecrf.trees.problem import Problem, make_problem
from treecrf.trees.sampling import Sample
from treecrf.trees.search import Growth
from treecrf.trees.sweep import Sweep
from treecrf.trees.tree import Tree

N_SHARES = 16
"""Shares of the sequences, whatever the number of threads: counts are added in the same order."""

_NO_PAIRS, _NO_COUNTS = np.empty(0), np.empty((0, 0))


class LatticeInference:
    """Forward-backward on a lattice that has every position's true label.

    Parameters
    ----------
    lattice : Lattice
    labels : int16, shape (n_positions,)
    n_labels : int
    by_pair : bool
        Whether gradients are those of pairs, or of entries and transitions.
    sequence_weights : float64, shape (n_sequences,), optional
        By which log likelihoods and counts of transitions are multiplied; gradients are not.

    Attributes
    ----------
    gradients : int64, shape (n_pairs,) or (n_entries,)
        ``I - P``, packed.
    true_entries : int64, shape (n_positions,)
    """

    def __init__(
        self, lattice: Lattice, labels: NDArray[np.int16], n_labels: int, by_pair: bool,
        sequence_weights: NDArray[np.float64] | None = None,
    ) -> None:  # fmt: skip
        self.lattice, self.by_pair, self._weights = lattice, by_pair, sequence_weights
        self.true_entries = entries_of(lattice, labels)
        self._true_pairs = pairs_of(lattice, self.true_entries)
        before = np.concatenate([[0], labels[:-1]])
        before[lattice.offsets[:-1]] = n_labels
        self._true_steps = (labels, before)
        self._recursions = allocate(Recursions, n_entries=len(lattice.labels), n_positions=len(labels))
        self._expected = np.zeros((0 if by_pair else N_SHARES, n_labels, n_labels + 1))
        self._pair_marginals = np.empty(lattice.first_pair[-1] if by_pair else 0)
        self.gradients: NDArray[np.int64] = (
            self._pair_marginals.view(np.int64) if by_pair else np.zeros(len(lattice.labels), dtype=np.int64)
        )

    def excess(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Observed less expected number of every transition, and the expected one, shape (n_labels, n_labels + 1)."""
        expected = self._expected.sum(axis=0)
        observed = np.zeros(expected.shape)
        weights = 1.0 if self._weights is None else np.repeat(self._weights, np.diff(self.lattice.offsets))
        np.add.at(observed, self._true_steps, weights)
        return observed - expected, expected

    def infer(self, run: Runner, weights: Weights, packing: Packing, seconds: dict[str, float]) -> float:
        """Write the gradients, from exponentials of potentials; return the log likelihood."""
        with one_thread(self.lattice, weights):
            seconds["gradient"] += run_shares(run, self.lattice, partial(self._differentiate, weights, packing))
        steps = weights.pairs[self._true_pairs] if len(weights.pairs) else weights.transitions[self._true_steps]
        logs = np.log(weights.unary[self.true_entries] * steps * self._recursions.scales)
        if self._weights is not None:
            logs *= np.repeat(self._weights, np.diff(self.lattice.offsets))
        return float(logs.sum())

    def _differentiate(self, weights: Weights, packing: Packing, share: int, first: int, last: int) -> None:
        lattice = self.lattice
        counts = _NO_COUNTS if self.by_pair else self._expected[share]
        counts[:] = 0.0
        run_forward(lattice, weights, first, last, self._recursions)
        if self._weights is None:
            run_backward(lattice, weights, first, last, self._recursions, self._pair_marginals, counts)
        else:
            self._count_weighted(weights, self._weights, counts, first, last)
        begin, end = lattice.offsets[first], lattice.offsets[last]
        if self.by_pair:  # gradients take the place of marginals
            write_rows(lattice.first_pair, self._true_pairs, self._pair_marginals, begin, end, packing, self.gradients)
        else:
            write_rows(lattice.first, self.true_entries, self._recursions.alphas, begin, end, packing, self.gradients)

    def _count_weighted(
        self, weights: Weights, of_sequences: NDArray[np.float64], counts: NDArray[np.float64], first: int, last: int
    ) -> None:
        """The backward recursion of sequences of equal weight at a time, whose counts are then multiplied by it."""
        some = of_sequences[first:last]
        bounds = np.flatnonzero(np.diff(some, prepend=np.nan, append=np.nan) != 0.0) + first
        for begin, end in pairwise(bounds.tolist()):
            part = np.zeros_like(counts)
            run_backward(self.lattice, weights, begin, end, self._recursions, self._pair_marginals, part)
            counts += of_sequences[begin] * part


def training_beam(
    run: Runner, lattice: Lattice, potentials: Weights, n_best: int, true_entries: NDArray[np.int64],
    seconds: dict[str, float],
) -> Beam:  # fmt: skip
    """The beam of a training set, with every position's true label."""
    kept = np.zeros(len(lattice.labels), dtype=np.bool_)

    def keep(share: int, first: int, last: int) -> None:
        keep_entries(lattice, potentials, n_best, true_entries, first, last, kept)

    seconds["gradient"] += run_shares(run, lattice, keep)
    begin = time.thread_time()
    beam = beam_of(lattice, potentials, kept)
    seconds["gradient"] += time.thread_time() - begin
    return beam


def run_shares(run: Runner, lattice: Lattice, work: Callable[[int, int, int], None]) -> float:
    """Call ``work(share, first, last)`` for shares of the sequences; return CPU seconds."""

    def timed(share: int, first: int, last: int) -> float:
        begin = time.thread_time()
        work(share, first, last)
        return time.thread_time() - begin

    bounds = np.searchsorted(lattice.offsets, np.linspace(0, lattice.offsets[-1], N_SHARES + 1)).tolist()
    return sum(
        run([partial(timed, i, first, last) for i, (first, last) in enumerate(pairwise(bounds)) if first < last])
    )


def completed_in(lattice: Lattice, labels: NDArray[np.int16]) -> NDArray[np.int16]:
    """Labels that complete the known ones: the first that a position may have where none is known."""
    return np.where(labels == MISSING, lattice.labels[lattice.first[:-1]], labels)


class PartialLatticeInference(LatticeInference):
    """The difference of two: on the lattice, and on its entries that agree with the known labels.

    Parameters
    ----------
    lattice : Lattice
    labels : int16, shape (n_positions,)
        `MISSING` where not known.
    n_labels, by_pair, sequence_weights
        As of `LatticeInference`.
    """

    def __init__(
        self, lattice: Lattice, labels: NDArray[np.int16], n_labels: int, by_pair: bool,
        sequence_weights: NDArray[np.float64] | None = None,
    ) -> None:  # fmt: skip
        complete = completed_in(lattice, labels)
        super().__init__(lattice, complete, n_labels, by_pair, sequence_weights)
        self._kept = agreeing_entries(lattice, labels)
        everything = Weights(np.empty(len(lattice.labels)), np.empty((0, 0)), np.empty(0))
        inside = beam_of(lattice, everything, self._kept)
        self._agreeing = LatticeInference(inside.lattice, complete, n_labels, by_pair, sequence_weights)
        self._places = inside.entries
        if by_pair:
            numbers = np.arange(lattice.first_pair[-1], dtype=np.float64)
            found = np.empty(inside.lattice.first_pair[-1])
            gather_pairs(lattice, numbers, self._kept, found)
            self._places = found.astype(np.int64)

    def excess(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `LatticeInference`; what is observed is expected of the labels that agree."""
        found, expected = super().excess()
        return found - self._agreeing.excess()[0], expected

    def infer(self, run: Runner, weights: Weights, packing: Packing, seconds: dict[str, float]) -> float:
        """See `LatticeInference`."""
        log_likelihood = super().infer(run, weights, packing, seconds)
        inside = beam_of(self.lattice, weights, self._kept).potentials
        log_likelihood -= self._agreeing.infer(run, inside, packing, seconds)
        self.gradients[self._places] -= gradients_of(self._agreeing.gradients, packing)
        return log_likelihood


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
    ) -> Iteration:
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
        return Iteration([tree for tree, *_ in results], step)

    def add(self, iteration: Iteration, potentials: LatticePotentials) -> None:
        """Add an iteration again."""
        p = self.problem
        evaluator = Evaluator(p.columns, p.labels_of_state, max(len(tree.values) for tree in iteration.trees))
        for tree, of_label in zip(iteration.trees, self._by_label, strict=True):
            potentials.add_leaves(of_label.entries, tree.values, evaluator.leaves(tree)[of_label.positions])
        potentials.transitions += iteration.transitions

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
    ) -> Iteration:
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
        return Iteration([tree for tree, *_ in results])

    def add(self, iteration: Iteration, potentials: LatticePotentials) -> None:
        """Add an iteration again."""
        most_leaves = max(len(tree.values) for tree in iteration.trees)
        evaluator = PairEvaluator(self.problem.columns, self._predecessors, len(self._by_label), most_leaves)
        for tree, of_label in zip(iteration.trees, self._by_label, strict=True):
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


class Candidates(NamedTuple):
    """The labels that positions may have.

    Attributes
    ----------
    lattice : Lattice
        It has every position's true label.
    predecessors : Predecessors
    full : bool
        Whether trees see the previous label.
    beam : int or None
        How many labels of each position stay in forward-backward, beside the true one; None: all.
    """

    lattice: Lattice
    predecessors: Predecessors
    full: bool
    beam: int | None = None


class LatticeTraining:
    """The state of a boosting run, as `treecrf.models.boosted.training.Training`.

    Parameters
    ----------
    columns : Columns; sweep : Sweep
        Windows of the positions.
    candidates : Candidates
    labels : int16, shape (n_positions,)
        May be `MISSING`, unless there is a beam.
    start : float64, shape (n_labels, n_labels + 1)
        Transitions before the first tree.
    kinds : int8, shape (n_slots + 1,)
        Kinds of the columns (`treecrf.trees.search`).
    max_leaves : int
    growth : Growth
    newton : bool
        Whether rows weigh the curvature of the log likelihood there, instead of 1.
    sampling : Sampling
        The part of the training set that each tree is grown from.
    weights : float64, shape (n_positions,), optional
        Of positions (`treecrf.models.weights`), equal within a sequence.
    """

    def __init__(
        self,
        columns: Columns,
        sweep: Sweep,
        candidates: Candidates,
        labels: NDArray[np.int16],
        start: NDArray[np.float64],
        kinds: NDArray[np.int8],
        max_leaves: int,
        growth: Growth,
        newton: bool = False,
        sampling: Sampling = WHOLE,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        lattice, self._labels, self._candidates = candidates.lattice, labels, candidates
        by_label, order, n_rows = rows_by_label(lattice, len(start)), 0, len(lattice.labels)
        if candidates.full:
            n_before = np.diff(candidates.predecessors.first)[candidates.predecessors.kinds]
            order, n_rows = 1, max(int(n_before[rows.positions].sum()) for rows in by_label)
        self._weights, n_positions = weights, len(labels)
        if weights is None:
            packing = choose_packing(n_positions, n_rows, order + 1, newton)
        else:
            from treecrf.trees.weighting import choose_weighted_packing  # its kernel is loaded where it runs

            packing = choose_weighted_packing(weights, -(-n_rows // n_positions), order + 1, newton)
        space = chain.StateSpace(len(start), order)
        problem = make_problem(columns, sweep, space, kinds[: len(kinds) - 1 + order], max_leaves, growth, packing)
        self._trees: WindowTrees | PairTrees = (
            PairTrees(problem, candidates.predecessors, by_label, sampling)
            if candidates.full
            else WindowTrees(problem, by_label, sampling)
        )
        self._potentials = LatticePotentials(lattice, start, candidates.full, exponentiated=candidates.beam is None)
        self._true_entries = entries_of(lattice, labels)
        self._inference: LatticeInference | None = None
        self._active: NDArray[np.int64] | None = None

    def compute_gradient(self, run: Runner, n_threads: int, criterion: Criterion, seconds: dict[str, float]) -> float:
        """Write the gradient of every label and transition, or pair; return the log likelihood of the training set."""
        lattice, n_best = self._candidates.lattice, self._candidates.beam
        weights = self._potentials.weights()
        if n_best is not None:
            beam = training_beam(run, lattice, weights, n_best, self._true_entries, seconds)
            lattice, self._active = beam.lattice, beam.entries
            weights, _, _ = exponentials(lattice, beam.potentials)
        if n_best is not None or self._inference is None:
            self._inference = self._make_inference(lattice)
        value = self._inference.infer(run, weights, self._trees.problem.packing, seconds)
        if self._weights is not None:
            self._weigh(self._inference.gradients, lattice, self._weights)
        return value

    def _make_inference(self, lattice: Lattice) -> LatticeInference:
        kind = PartialLatticeInference if (self._labels == MISSING).any() else LatticeInference
        of_sequences = None if self._weights is None else self._weights[lattice.offsets[:-1]]
        return kind(lattice, self._labels, len(self._potentials.transitions), self._candidates.full, of_sequences)

    def _weigh(self, gradients: NDArray[np.int64], lattice: Lattice, weights: NDArray[np.float64]) -> None:
        from treecrf.trees.weighting import weigh_rows

        first = lattice.first_pair if self._candidates.full else lattice.first
        of_rows = np.repeat(weights, np.diff(first))
        weigh_rows(gradients[None, None], 0, len(gradients), of_rows, self._trees.problem.packing)

    def grow(self, run: Runner, iteration: int, seconds: dict[str, float]) -> Iteration:
        """Grow and add one tree for each label, and separable transitions a step."""
        assert self._inference is not None
        return self._trees.grow(run, iteration, self._inference, self._active, self._potentials, seconds)

    def replay(self, iterations: Sequence[Iteration], steps: Sequence[float] = ()) -> None:
        """See `Training.replay`."""
        for i, iteration in enumerate(iterations):
            step = steps[i] if i < len(steps) else 1.0
            whole = iteration.scaled(1.0 / step)
            self._trees.add(whole, self._potentials)
            while step < 1.0:
                whole, step = self.halve(whole), 2.0 * step

    def halve(self, iteration: Iteration) -> Iteration:
        """See `Training.halve`."""
        self._trees.add(iteration.scaled(-0.5), self._potentials)
        return iteration.scaled(0.5)
