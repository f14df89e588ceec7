"""Training on the labels that each position may have (`treecrf.chain.lattice`): for many labels.

Where transitions are separable, potentials are ``U^y(w_t) + T(y, y_{t-1})``: an iteration adds to U one tree for each
label, which sees the window alone, and to the matrix T a step. Where they are full, potentials are ``F^y(y_{t-1},
w_t)``, which is kept for every pair of labels that is possible: an iteration adds one tree for each label, which sees
the window and the previous label. So what is kept for a position grows with the labels, or the pairs of labels, that it
may have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.beam import Beam, beam_of, gather_pairs, keep_entries
from treecrf.chain.lattice import (
    Lattice,
    Predecessors,
    Recursions,
    Weights,
    agreeing_entries,
    entries_of,
    exponentials,
    one_thread,
    pairs_of,
    run_backward,
    run_forward,
)
from treecrf.compiled.struct import allocate
from treecrf.models.boosted._gradient_kernels import write_rows
from treecrf.models.boosted.boosting import Iteration, Training, draw_columns, draw_positions
from treecrf.models.boosted.params import BoostingParams, Criterion
from treecrf.models.boosted.potentials import (
    Candidates,
    LabelRows,
    LatticePotentials,
    PairEvaluator,
    columns_of,
    pair_sizes,
    rows_by_label,
)
from treecrf.models.boosted.training import N_SHARES, CompleteGrower, gradients_of, shares_of
from treecrf.models.execution import Workers
from treecrf.sequences import MISSING, SequenceSet
from treecrf.trees.best_first import Problem, Sample, make_problem
from treecrf.trees.forest import Evaluator, Tree
from treecrf.trees.packing import Packing, choose_packing, choose_weighted_packing, weigh_rows
from treecrf.trees.pair_grower import PairRows, PairWorkspace, grow_pair_tree, with_longer_list

_NO_COUNTS = np.empty((0, 0))


class LatticeInference:
    """Forward-backward on a lattice that has every position's true label.

    Gradients are those of pairs, or without `by_pair` of entries and transitions. Log likelihoods and counts of
    transitions are multiplied by `sequence_weights`; gradients are not.

    Attributes
    ----------
    gradients : int64, shape (n_pairs,) or (n_entries,)
        ``I - P``, packed.
    entries : int64, shape (n_entries,), or None
        In a beam, the entries of the whole lattice that its entries are.
    """

    def __init__(
        self,
        lattice: Lattice,
        labels: NDArray[np.int16],
        n_labels: int,
        by_pair: bool,
        sequence_weights: NDArray[np.float64] | None = None,
        entries: NDArray[np.int64] | None = None,
    ) -> None:
        self.lattice, self.by_pair, self._weights, self.entries = lattice, by_pair, sequence_weights, entries
        self._true_entries = entries_of(lattice, labels)
        self._true_pairs = pairs_of(lattice, self._true_entries)
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

    def infer(self, workers: Workers, weights: Weights, packing: Packing) -> float:
        """Write the gradients, from exponentials of potentials; return the log likelihood."""
        shares = enumerate(shares_of(self.lattice.offsets, N_SHARES))
        with one_thread(self.lattice, weights):
            workers.map("gradient", partial(self._differentiate, weights, packing), shares)
        steps = weights.pairs[self._true_pairs] if len(weights.pairs) else weights.transitions[self._true_steps]
        logs = np.log(weights.unary[self._true_entries] * steps * self._recursions.scales)
        if self._weights is not None:
            logs *= np.repeat(self._weights, np.diff(self.lattice.offsets))
        return float(logs.sum())

    def _differentiate(self, weights: Weights, packing: Packing, share: int, bounds: tuple[int, int]) -> None:
        lattice, (first, last) = self.lattice, bounds
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
            write_rows(lattice.first, self._true_entries, self._recursions.alphas, begin, end, packing, self.gradients)

    def _count_weighted(
        self, weights: Weights, of_sequences: NDArray[np.float64], counts: NDArray[np.float64], first: int, last: int
    ) -> None:
        """The backward recursion of sequences of equal weight at a time, whose counts are then multiplied by it."""
        here = of_sequences[first:last]
        bounds = np.flatnonzero(np.diff(here, prepend=np.nan, append=np.nan) != 0.0) + first
        for begin, end in pairwise(bounds.tolist()):
            part = np.zeros_like(counts)
            run_backward(self.lattice, weights, begin, end, self._recursions, self._pair_marginals, part)
            counts += of_sequences[begin] * part


class PartialLatticeInference(LatticeInference):
    """The difference of two: on the lattice, and on its entries that agree with the labels that are not `MISSING`."""

    def __init__(
        self,
        lattice: Lattice,
        labels: NDArray[np.int16],
        n_labels: int,
        by_pair: bool,
        sequence_weights: NDArray[np.float64] | None = None,
        entries: NDArray[np.int64] | None = None,
    ) -> None:
        complete = np.where(labels == MISSING, lattice.labels[lattice.first[:-1]], labels)
        super().__init__(lattice, complete, n_labels, by_pair, sequence_weights, entries)
        self._kept = agreeing_entries(lattice, labels)
        everything = Weights(np.empty(len(lattice.labels)), np.empty((0, 0)), np.empty(0))
        inside = beam_of(lattice, everything, self._kept)
        self._agreeing = LatticeInference(inside.lattice, complete, n_labels, by_pair, sequence_weights)
        self._places = inside.entries
        if by_pair:
            numbers = np.arange(lattice.first_pair[-1], dtype=np.float64)
            kept_numbers = np.empty(inside.lattice.first_pair[-1])
            gather_pairs(lattice, numbers, self._kept, kept_numbers)
            self._places = kept_numbers.astype(np.int64)

    def excess(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `LatticeInference`; what is observed is expected of the labels that agree."""
        excess, expected = super().excess()
        return excess - self._agreeing.excess()[0], expected

    def infer(self, workers: Workers, weights: Weights, packing: Packing) -> float:
        log_likelihood = super().infer(workers, weights, packing)
        inside = beam_of(self.lattice, weights, self._kept).potentials
        log_likelihood -= self._agreeing.infer(workers, inside, packing)
        self.gradients[self._places] -= gradients_of(self._agreeing.gradients, packing)
        return log_likelihood


def training_beam(
    workers: Workers, lattice: Lattice, potentials: Weights, n_best: int, true_entries: NDArray[np.int64]
) -> Beam:
    """The beam of a training set, with every position's true label."""
    kept = np.zeros(len(lattice.labels), dtype=np.bool_)

    def keep(first: int, last: int) -> None:
        keep_entries(lattice, potentials, n_best, true_entries, first, last, kept)

    workers.map("gradient", keep, shares_of(lattice.offsets, N_SHARES))
    with workers.timed("gradient"):
        return beam_of(lattice, potentials, kept)


# --- training -----------------------------------------------------------------------------------------------


class LatticeTraining(Training):
    """The state of a training: potentials of the labels, or pairs of labels, that are possible; see `Training`.

    Labels may be `MISSING`, unless there is a beam; weights are equal within a sequence. `start` are transitions, of
    shape (n_labels, n_labels + 1).

    Attributes
    ----------
    potentials : LatticePotentials
    inference : LatticeInference
        With the last gradients; in a beam, of its lattice.
    trees : WindowTrees or PairTrees
    """

    def __init__(
        self,
        params: BoostingParams,
        train: SequenceSet,
        candidates: Candidates,
        start: NDArray[np.float64],
        workers: Workers,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        self._params, self._workers, self._lattice, self._weights = params, workers, candidates.lattice, weights
        self._labels = np.asarray(train.labels)
        with workers.timed("windows"):
            columns = columns_of(train, params.window, params.codes_missing)
        by_label = rows_by_label(self._lattice, len(start))
        order = 1 if params.sees_labels else 0
        packing = _choose_packing(params, candidates, by_label, weights)
        types = params.feature_types(train.attributes)[: len(columns.first_cell) - 1 + order]
        space = chain.StateSpace(len(start), order)
        problem = make_problem(columns, space, types, params.max_leaves, params.split_params, packing)
        self._packing = packing
        self.potentials = LatticePotentials(self._lattice, start, params.sees_labels, exponentiated=params.beam is None)
        kind = PairTrees if params.sees_labels else WindowTrees
        self.trees = kind(params, problem, by_label, self.potentials, workers, candidates.predecessors)
        self._true_entries = entries_of(self._lattice, self._labels)
        if params.beam is None:
            self.inference = self._make_inference(self._lattice)

    def compute_gradient(self, criterion: Criterion, iteration: int = 0) -> float:
        """See `Training`; the criterion is the likelihood."""
        weights, n_best = self.potentials.weights(), self._params.beam
        self._packing = self._packing._replace(seed=iteration)
        if n_best is not None:
            beam = training_beam(self._workers, self._lattice, weights, n_best, self._true_entries)
            self.inference = self._make_inference(beam.lattice, beam.entries)
            weights, _, _ = exponentials(beam.lattice, beam.potentials)
        value = self._params.unit * self.inference.infer(self._workers, weights, self._packing)
        if self._weights is not None:
            self._weigh(self.inference, self._weights)
        return value

    def _make_inference(self, lattice: Lattice, entries: NDArray[np.int64] | None = None) -> LatticeInference:
        kind = PartialLatticeInference if (self._labels == MISSING).any() else LatticeInference
        of_sequences = None if self._weights is None else self._weights[lattice.offsets[:-1]]
        n_labels = len(self.potentials.transitions)
        return kind(lattice, self._labels, n_labels, self._params.sees_labels, of_sequences, entries)

    def _weigh(self, inference: LatticeInference, weights: NDArray[np.float64]) -> None:
        lattice, gradients = inference.lattice, inference.gradients
        of_rows = np.repeat(weights, np.diff(lattice.first_pair if inference.by_pair else lattice.first))
        weigh_rows(gradients[None, None], 0, len(gradients), of_rows, self._packing)

    def grow(self, iteration: int) -> Iteration:
        """See `Training`; separable transitions get a step."""
        return self.trees.grow(iteration, self.inference)

    def add(self, iteration: Iteration) -> None:
        self.trees.add(iteration)

    def marginals(self) -> None:
        """Marginals of the training set: None, since only the trees give them."""


def _choose_packing(
    params: BoostingParams, candidates: Candidates, by_label: list[LabelRows], weights: NDArray[np.float64] | None
) -> Packing:
    lattice = candidates.lattice
    n_positions, n_rows = len(lattice.first) - 1, len(lattice.labels)
    if params.sees_labels:
        n_before = np.diff(candidates.predecessors.first)[candidates.predecessors.kinds]
        n_rows = max(int(n_before[rows.positions].sum()) for rows in by_label)
    if weights is None:
        return choose_packing(n_positions, n_rows, params.most_gradient, params.newton)
    return choose_weighted_packing(weights, -(-n_rows // n_positions), params.most_gradient, params.newton)


@dataclass(eq=False)
class _LatticeTrees:
    """What grows trees by label, on the entries that are possible, and adds them to potentials."""

    params: BoostingParams
    problem: Problem
    by_label: list[LabelRows]
    potentials: LatticePotentials
    workers: Workers
    predecessors: Predecessors
    idle: list[Any] = field(default_factory=list, init=False)
    """Buffers of growing that no thread is using."""


class WindowTrees(_LatticeTrees):
    """What separable transitions grow: trees on the window, and a step of transitions; the problem is of order 0."""

    def grow(self, iteration: int, inference: LatticeInference) -> Iteration:
        """Grow and add an iteration on the gradients of `inference`."""
        is_drawn = _mark_drawn(self.params, len(self.problem.columns.cells), iteration)
        gradients = inference.gradients
        if inference.entries is not None:
            gradients = np.full(len(self.potentials.unary), self.problem.packing.unit)
            gradients[inference.entries] = inference.gradients

        def grow_one(label: int) -> Tree:
            with self.workers.timed("trees"):
                entries, positions, _ = self.by_label[label]
                grower, rows = self.idle.pop() if self.idle else self._make_grower()
                rows[0, positions] = gradients[entries]
                considered = draw_columns(self.params, len(self.problem.feature_types), iteration, label)
                sampled = positions if is_drawn.all() else positions[is_drawn[positions]]
                tree = grower.grow(rows, Sample(sampled, considered), route_all=len(sampled) < len(positions))
            with self.workers.timed("update"):
                self.potentials.add_leaves(entries, tree.values, grower.leaves(positions))
                self.idle.append((grower, rows))
            return tree

        trees = self.workers.run([partial(grow_one, label) for label in range(len(self.by_label))])
        step = self._transition_step(inference)
        self.potentials.transitions += step
        return Iteration(trees, step)

    def add(self, iteration: Iteration) -> None:
        """Add an iteration that was grown before."""
        evaluator = Evaluator(self.problem.columns, self.problem.labels_of_state, iteration.most_leaves)
        for tree, of_label in zip(iteration.trees, self.by_label, strict=True):
            self.potentials.add_leaves(of_label.entries, tree.values, evaluator.leaves(tree)[of_label.positions])
        self.potentials.transitions += iteration.transitions

    def _make_grower(self) -> tuple[CompleteGrower, NDArray[np.int64]]:
        return CompleteGrower(self.problem), np.zeros((1, len(self.problem.columns.cells)), dtype=np.int64)

    def _transition_step(self, inference: LatticeInference) -> NDArray[np.float64]:
        """Observed less expected transitions, divided as in a leaf: expected counts bound the curvature."""
        excess, expected = inference.excess()
        rules = self.problem.split_params
        with np.errstate(invalid="ignore"):
            step = np.nan_to_num(excess / (expected + rules.l2_regularization))
        return np.asarray(rules.learning_rate * step.clip(-rules.largest_value, rules.largest_value))


class PairTrees(_LatticeTrees):
    """Trees that see the previous label, added to all possible pairs, whether or not these have gradients."""

    def grow(self, iteration: int, inference: LatticeInference) -> Iteration:
        """Grow and add an iteration on the gradients of `inference`."""
        problem, with_gradients = self.problem, self.by_label
        is_drawn = _mark_drawn(self.params, len(problem.columns.cells), iteration)
        units = np.zeros(len(is_drawn), dtype=np.int64)
        if inference.entries is not None:
            with_gradients = rows_by_label(inference.lattice, len(self.by_label))
            units[is_drawn] = problem.packing.unit
        rows = PairRows(inference.gradients, inference.lattice, self.predecessors, np.empty(0, dtype=np.int64), units)

        def grow_one(label: int) -> Tree:
            possible, seen = self.by_label[label], with_gradients[label]
            with self.workers.timed("trees"):
                buffers = self.idle.pop() if self.idle else _PairBuffers(problem, self.predecessors)
                considered = draw_columns(self.params, len(problem.feature_types), iteration, label)
                buffers.blocks[possible.positions] = -1
                buffers.blocks[seen.positions] = np.where(is_drawn[seen.positions], seen.blocks, -1)
                tree = buffers.grow(problem, rows, Sample(possible.positions, considered))
            with self.workers.timed("update"):
                buffers.blocks[possible.positions] = possible.blocks
                self.potentials.add_pair_leaves(tree, buffers.workspace.leaves, self.predecessors, buffers.blocks)
                self.idle.append(buffers)
            return tree

        return Iteration(self.workers.run([partial(grow_one, label) for label in range(len(self.by_label))]))

    def add(self, iteration: Iteration) -> None:
        """Add an iteration that was grown before."""
        columns, n_labels = self.problem.columns, len(self.by_label)
        evaluator = PairEvaluator(columns, self.predecessors, n_labels, iteration.most_leaves)
        for tree, of_label in zip(iteration.trees, self.by_label, strict=True):
            evaluator.add(tree, of_label, self.potentials)


def _mark_drawn(params: BoostingParams, n_positions: int, iteration: int) -> NDArray[np.bool_]:
    """Whether the trees of an iteration see each position."""
    is_drawn = np.zeros(n_positions, dtype=np.bool_)
    is_drawn[draw_positions(params, n_positions, iteration)] = True
    return is_drawn


class _PairBuffers:
    """What growing one tree needs; there are no more of them than threads."""

    def __init__(self, problem: Problem, predecessors: Predecessors) -> None:
        self.workspace = allocate(PairWorkspace, **problem.sizes(), n_sums=1, **pair_sizes(predecessors))
        self.blocks = np.full(len(problem.columns.cells), -1)
        self._tree = problem.make_tree()

    def grow(self, problem: Problem, rows: PairRows, sample: Sample) -> Tree:
        rows = rows._replace(blocks=self.blocks)
        while (n_splits := grow_pair_tree(problem, rows, sample, self.workspace, self._tree)) < 0:
            self.workspace = self.workspace._replace(leaves=with_longer_list(self.workspace.leaves))
        return self._tree.first(n_splits)
