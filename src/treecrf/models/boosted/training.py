"""Training on dense rows, one for each position and previous labels: gradient, growers of trees, update."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.inference import allows
from treecrf.chain.lattice import predecessor_counts
from treecrf.compiled.struct import allocate, size_of
from treecrf.io.arrays import gather_ranges, places_in
from treecrf.models.boosted._gradient_kernels import (
    BOUND,
    backward_kernel,
    chain_rule_gradient,
    forward_kernel,
    local_gradient,
    pseudo_likelihood_gradient,
)
from treecrf.models.boosted.boosting import Iteration, Training, draw_columns, draw_positions
from treecrf.models.boosted.params import BoostingParams, Criterion
from treecrf.models.boosted.potentials import Candidates, distinct_windows_of, make_evaluator, pair_sizes
from treecrf.models.execution import Workers
from treecrf.models.inputs import vary_within
from treecrf.sequences import MISSING, SequenceSet, slot_sizes
from treecrf.trees.best_first import NO_COUNTS, NO_DEPTHS, Problem, Sample, make_problem
from treecrf.trees.columns import sum_by_window
from treecrf.trees.forest import Routing, Tree, add_leaf_values, route
from treecrf.trees.grower import Workspace, grow_tree, with_longer_list
from treecrf.trees.missing.grower import WeightedWorkspace, count_missing, grow_weighted_tree
from treecrf.trees.missing.partition import add_blended, route_copies, with_longer_lists
from treecrf.trees.packing import Influences, Packing, choose_packing, choose_weighted_packing, trim_rows, weigh_rows
from treecrf.trees.pair_grower import PairWorkspace

N_SHARES = 16
"""Shares of the sequences, whatever the number of threads."""


class DenseTraining(Training):
    """The state of a training: exp(F) of every row, and the buffers to improve it; see `Training`.

    `start` has shape (n_labels, n_states). Labels may be `MISSING`; weights are those of positions
    (`treecrf.models.inputs`).

    Attributes
    ----------
    rows : DenseRows
        Those of the whole training set.
    idle_growers : list of Grower
        Those that no thread is using.
    """

    def __init__(
        self,
        params: BoostingParams,
        train: SequenceSet,
        start: NDArray[np.float64],
        workers: Workers,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        labels = np.asarray(train.labels)
        self._params, self._workers, self._divides = params, workers, params.divides_rows(train)
        self._space = space = chain.StateSpace(len(start), params.order)
        with workers.timed("windows"):
            with_missing = self._divides or params.missing == "incorporated"
            # Rows with the same window and state never part, so trees are grown on their sums.
            self._columns, self._window_of = distinct_windows_of(train, params.window, with_missing)
        offsets, is_local = train.offsets, params.criterion == "local"
        complete = completed(labels)
        observed = chain.state_sequence(complete, offsets, space.n_labels, space.order)
        if is_local or space.order == 0:
            offsets, weights = as_sequences(labels, offsets, space.order, weights)
        packing = _choose_packing(params, space, offsets, weights)
        exponentials = np.repeat(np.exp(start)[:, None, :], len(labels), axis=1)
        self.rows = DenseRows(exponentials, offsets, complete, observed, space, packing)
        self._partial = self._weighting = None
        if (labels == MISSING).any() and not is_local and space.order > 0:
            self._partial = PartialRows(labels, offsets, space, packing)
        if weights is not None:
            self._weighting = Weighting(weights, offsets, space.order)
        problem = make_problem(
            self._columns,
            space,
            params.feature_types(train.attributes),
            params.max_leaves,
            params.split_params,
            packing,
            params.missing_policy,
            *self._count_missing(is_local, weights),
        )
        self._n_columns = len(problem.feature_types)
        sees_all = params.feature_fraction == 1.0 and params.influence_trimming == 0.0
        # Two labels whose probabilities at a row sum to one have opposite gradients, and so opposite trees.
        sums_to_one = is_local or params.order == 0 or len(offsets) == len(labels) + 1  # each sequence is a position
        self._is_mirrored = len(start) == 2 and sums_to_one and sees_all
        make_grower = WeightedGrower if self._divides else CompleteGrower
        with workers.timed("trees"):  # no more growers than threads, as their buffers are large
            n_growers = 1 if self._is_mirrored else min(workers.n_threads, space.n_labels)
            self.idle_growers: list[Grower] = [make_grower(problem) for _ in range(n_growers)]

    def compute_gradient(self, criterion: Criterion, iteration: int = 0) -> float:
        rows, workers = self.rows, self._workers
        packing = rows.packing = rows.packing._replace(seed=iteration)
        n_shares = 4 * workers.n_threads if workers.n_threads > 1 else 1  # a thread that wakes late takes fewer
        shares = shares_of(rows.offsets, n_shares)
        workers.map("gradient", partial(rows.differentiate, criterion), shares)
        if self._partial is not None:
            self._partial.rows.packing = packing
            workers.map("gradient", partial(self._partial.correct, rows), self._partial.shares)
        if self._weighting is not None:
            workers.map("gradient", partial(self._weighting.weigh, rows), shares)
        return self._params.unit * float(rows.log_likelihoods.sum())

    def grow(self, iteration: int) -> Iteration:
        with self._workers.timed("trees"):
            positions = draw_positions(self._params, len(self.rows.labels), iteration)
        grown = range(1 if self._is_mirrored else self._space.n_labels)
        trees = self._workers.run([partial(self._grow_one, label, iteration, positions) for label in grown])
        return Iteration([*trees, trees[0].opposite()] if self._is_mirrored else trees)

    def _grow_one(self, label: int, iteration: int, positions: NDArray[np.int32]) -> Tree:
        params = self._params
        with self._workers.timed("trees"):
            grower, rows = self.idle_growers.pop(), self.rows.gradients[label]
            if params.influence_trimming > 0.0:
                buffers = allocate(Influences, n_all_states=len(rows), n=len(positions))
                trim_rows(rows, positions, float(params.influence_trimming), self.rows.packing, buffers)
            if self._window_of is not None:
                rows, positions = self._sum_by_window(rows, positions, self._window_of)
            considered = draw_columns(params, self._n_columns, iteration, label)
            tree = grower.grow(rows, Sample(positions, considered))
        with self._workers.timed("update"):
            self._multiply(label, partial(grower.add_last, tree))
            if self._is_mirrored:
                self._multiply(1, partial(grower.add_last, tree.opposite()))
            self.idle_growers.append(grower)
        return tree

    def add(self, iteration: Iteration) -> None:
        n_surrogates = iteration.trees[0].surrogates.shape[1]
        evaluator = make_evaluator(
            self._columns, self._space.labels_of_state, self._divides, iteration.most_leaves, n_surrogates
        )
        for label, tree in enumerate(iteration.trees):
            self._multiply(label, partial(evaluator.add, tree, exponentiated=True))

    def marginals(self) -> NDArray[np.float64] | None:
        if self._params.criterion != "likelihood" or self._partial is not None or self._weighting is not None:
            return None
        return chain.forward_backward(np.log(self.rows.exponentials), self.rows.offsets, self._space.order).labels

    def _multiply(self, label: int, add: Callable[[NDArray[np.float64]], None]) -> None:
        """Multiply exp(F) of a label by what `add` makes of ones, shape (n_windows, n_states)."""
        exponentials = self.rows.exponentials[label]
        if self._window_of is None:
            add(exponentials)
        else:
            factors = np.ones((len(self._columns.cells), self._space.n_states))
            add(factors)
            exponentials *= factors.take(self._window_of, axis=0)

    def _sum_by_window(
        self, rows: NDArray[np.int64], positions: NDArray[np.int32], window_of: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The rows of these positions summed by window, and all windows: one without such a position has no row."""
        n_windows = len(self._columns.cells)
        sums = np.zeros((len(rows), n_windows), dtype=np.int64)
        if len(positions) < len(window_of):
            rows, window_of = rows.take(positions, axis=1), window_of[positions]  # in C order
        sum_by_window(rows, window_of, sums)
        return sums, np.arange(n_windows, dtype=np.int32)

    def _count_missing(
        self, is_local: bool, weights: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Depths and missing counts of `Problem`, where every row counts 1 in every tree."""
        params = self._params
        all_count = weights is None and params.influence_trimming == 0.0 and not is_local and not params.newton
        if not all_count or self._window_of is not None or not params.missing_policy.n_surrogates:
            return NO_DEPTHS, NO_COUNTS
        depths = np.minimum(places_in(self.rows.offsets), self._space.order).astype(np.int16)
        return depths, count_missing(self._columns, depths, self._space.order + 1)


class Grower(Protocol):
    """Grows one tree after another in the same buffers."""

    def grow(self, rows: NDArray[np.int64], sample: Sample) -> Tree:
        """The tree for the sample's packed gradients; `rows` is int64, shape (n_states, n_positions)."""

    def add_last(self, tree: Tree, exponentials: NDArray[np.float64]) -> None:
        """Multiply exp(F), shape (n_positions, n_states), by exp(value) of the tree that was grown last."""


class CompleteGrower(Grower):
    """Grows trees on data without missing cells."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._workspace = allocate(Workspace, **problem.sizes(), n_sums=1)
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
        self._workspace = allocate(WeightedWorkspace, **problem.sizes(), n_sums=2)
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


class DenseRows:
    """exp(F) of the rows of some sequences, and what forward-backward makes of them.

    `exponentials` have shape (n_labels, n_positions, n_states); `observed` has the state before each position.

    Attributes
    ----------
    gradients : int64, shape (n_labels, n_states, n_positions)
        Packed.
    scales : float64, shape (n_positions,)
        Of the forward recursion, inverse.
    log_likelihoods : float64, shape (n_sequences,)
    """

    def __init__(
        self,
        exponentials: NDArray[np.float64],
        offsets: NDArray[np.int64],
        labels: NDArray[np.int16],
        observed: NDArray[np.int32],
        space: chain.StateSpace,
        packing: Packing,
    ) -> None:
        self.exponentials, self.labels, self.observed, self.packing = exponentials, labels, observed, packing
        self.offsets, self._order = offsets.copy(), space.order  # writable, as the kernels' types say
        self.gradients = np.zeros((space.n_labels, space.n_states, len(labels)), dtype=np.int64)
        self.scales, self.log_likelihoods = np.empty(len(labels)), np.empty(len(offsets) - 1)
        self._alphas = np.empty((len(labels), space.n_labels ** max(space.order, 1)))
        self._forward = forward_kernel(space.n_labels, space.order)
        self._backward = backward_kernel(space.n_labels, space.order)

    def differentiate(self, criterion: Criterion, first: int, last: int) -> None:
        """Write gradients and log likelihoods of the sequences ``first`` to ``last - 1``."""
        shared = (self.exponentials, self.offsets, first, last, self.labels, self.observed)
        if criterion == "pseudo-likelihood":
            pseudo_likelihood_gradient(*shared, self._order, self.packing, self.gradients, self.log_likelihoods)
        elif criterion == "local":
            local_gradient(*shared, self.packing, self.gradients, self.log_likelihoods)
        else:
            self._forward(*shared, self._alphas, self.scales, self.log_likelihoods)
            self._backward(*shared, self.packing, self._alphas, self.scales, self.gradients)


class PartialRows:
    """The sequences with unknown labels, without the labels in conflict (Tsuboi et al. 2008, section 4).

    Their log likelihood is that of the known labels, summed over all that complete them: ``log Z(labels that agree) -
    log Z``. Its gradient is ``P(y, s | known labels, X) - P(y, s | X)``: the marginals of the chain without the labels
    in conflict, less those of the chain. Both come from the same recursions, on exponentials that are 0 for labels in
    conflict; any labels that complete the known ones are part of both gradients, and cancel out.

    Attributes
    ----------
    rows : DenseRows
        Without the labels in conflict.
    shares : list of (int, int)
        Sequences that are corrected together.
    """

    def __init__(
        self, labels: NDArray[np.int16], offsets: NDArray[np.int64], space: chain.StateSpace, packing: Packing
    ) -> None:
        self._sequences = np.flatnonzero(np.logical_or.reduceat(labels == MISSING, offsets[:-1]))
        inside, self._positions = gather_ranges(offsets, self._sequences)
        known = labels[self._positions]
        self._allowed = allows(known, space.n_labels).astype(np.float64)[:, :, None]
        complete = completed(known)
        observed = chain.state_sequence(complete, inside, space.n_labels, space.order)
        exponentials = np.empty((space.n_labels, len(known), space.n_states))
        self.rows = DenseRows(exponentials, inside, complete, observed, space, packing)
        self.shares = shares_of(inside, N_SHARES)

    def correct(self, whole: DenseRows, first: int, last: int) -> None:
        """Turn gradients and log likelihoods of completed labels into those of the known ones."""
        rows = self.rows
        begin, end = int(rows.offsets[first]), int(rows.offsets[last])
        positions = self._positions[begin:end]
        np.multiply(whole.exponentials[:, positions], self._allowed[:, begin:end], out=rows.exponentials[:, begin:end])
        rows.differentiate("likelihood", first, last)
        whole.gradients[:, :, positions] -= gradients_of(rows.gradients[:, :, begin:end], rows.packing)
        gained = np.log(whole.scales[positions]) - np.log(rows.scales[begin:end])  # scales are inverse
        whole.log_likelihoods[self._sequences[first:last]] = np.add.reduceat(gained, rows.offsets[first:last] - begin)


class Weighting:
    """Weights of positions, shape (n_positions,), in sequences of these offsets and order."""

    def __init__(self, weights: NDArray[np.float64], offsets: NDArray[np.int64], order: int) -> None:
        self._weights, self._order, self._varies = weights, order, vary_within(weights, offsets)

    def weigh(self, rows: DenseRows, first: int, last: int) -> None:
        """Weigh the gradients and log likelihoods of some sequences, which are as with a weight of 1."""
        offsets, weights = rows.offsets, self._weights
        weigh_rows(rows.gradients, offsets[first], offsets[last], weights, rows.packing)
        rows.log_likelihoods[first:last] *= weights[offsets[first:last]]
        changes = np.flatnonzero(np.diff(self._varies[first:last], prepend=False, append=False)) + first
        for begin, end in changes.reshape(-1, 2):
            chain_rule_gradient(
                rows.exponentials,
                offsets,
                begin,
                end,
                rows.labels,
                rows.observed,
                self._order,
                weights,
                rows.packing,
                rows.gradients,
                rows.log_likelihoods,
            )


def _choose_packing(
    params: BoostingParams, space: chain.StateSpace, offsets: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> Packing:
    n_positions, n_states = int(offsets[-1]), space.n_labels**space.order
    bound = params.most_gradient
    if weights is None:
        return choose_packing(n_positions, n_positions * n_states, bound, params.newton)
    if vary_within(weights, offsets).any():
        bound = max(bound, BOUND)
    return choose_weighted_packing(weights, n_states, bound, params.newton)


def shares_of(offsets: NDArray[np.int64], n_shares: int) -> list[tuple[int, int]]:
    """First sequence and the one after the last of so many shares, at most, with about as many positions each."""
    bounds = np.searchsorted(offsets, np.linspace(0, offsets[-1], n_shares + 1))
    return list(pairwise(np.unique(bounds).tolist()))


def completed(labels: NDArray[np.int16]) -> NDArray[np.int16]:
    """Labels that complete the known ones: the first label where none is known."""
    return np.where(labels == MISSING, 0, labels).astype(np.int16)


def as_sequences(
    labels: NDArray[np.int16], offsets: NDArray[np.int64], order: int, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Offsets and weights of a training that sees each label given the `order` labels before it, if these are known.

    A position whose label, or one of those before it, is not known is left out: it weighs 0. Where positions differ in
    weight each is a sequence by itself, else nothing changes.
    """
    left_out, places = labels == MISSING, places_in(offsets)
    for lag in range(1, order + 1):
        left_out[lag:] |= (labels[:-lag] == MISSING) & (places[lag:] >= lag)
    if weights is None and not left_out.any():
        return offsets, None
    weighted = np.where(left_out, 0.0, 1.0 if weights is None else weights)
    return np.arange(len(labels) + 1), weighted


def gradients_of(packed: NDArray[np.int64], packing: Packing) -> NDArray[np.int64]:
    """The packed rows without their weights."""
    weights = (packed + (1 << (packing.shift - 1))) >> packing.shift
    return packed - (weights << packing.shift)


# --- memory that a training takes, estimated before it begins -----------------------------------------------


_INTEGER, _FLOAT, _CELL = 8, 8, 4  # bytes
_ENTRY = 5 * 8 + 2 + 4  # weight, recursions, number, first pair; label; position


def training_bytes(params: BoostingParams, train: SequenceSet, candidates: Candidates | None) -> int:
    """Approximate peak memory in bytes, on a lattice where there are candidates."""
    n_labels = len(train.label_names)
    space = chain.StateSpace(n_labels, params.order if params.sees_labels else 0)
    cells = slot_sizes(train.attributes, params.window) + params.codes_missing
    sizes = _sizes(params, train, space, cells)
    windows = train.n_positions * len(cells) * (2 * _CELL + 2)  # cells, postings and codes
    forest = params.n_iterations * n_labels * size_of(Tree, **sizes)
    rows, buffers = (
        _dense_bytes(params, train, space, sizes, _most_codes(params, cells))
        if candidates is None
        else _lattice_bytes(params, candidates, n_labels, sizes)
    )
    return rows + windows + min(params.n_threads, n_labels) * buffers + forest


def _dense_bytes(
    params: BoostingParams, train: SequenceSet, space: chain.StateSpace, sizes: dict[str, int], most_codes: int
) -> tuple[int, int]:
    """Bytes of rows, and of the buffers of a thread."""
    n_positions, divides = train.n_positions, params.divides_rows(train)
    n_kept = n_positions + _n_partial(params, train)
    rows = space.n_labels * space.n_states * n_kept * (_FLOAT + _INTEGER)  # exp(F) and gradients
    rows += n_kept * space.n_labels ** max(space.order, 1) * _FLOAT  # forward values
    buffers = size_of(WeightedWorkspace if divides else Workspace, **sizes, n_sums=1 + divides)
    buffers += params.max_leaves * (1 + sizes["n_surrogates"]) * most_codes * _CELL
    return rows, buffers + (n_positions * space.n_states * _FLOAT if divides else 0)


def _n_partial(params: BoostingParams, train: SequenceSet) -> int:
    """Positions of sequences with unknown labels, whose chains are kept a second time."""
    if not (train.n_unknown_labels and params.order) or params.criterion == "local":
        return 0
    return int(train.lengths[np.logical_or.reduceat(train.labels == MISSING, train.offsets[:-1])].sum())


def _lattice_bytes(
    params: BoostingParams, candidates: Candidates, n_labels: int, sizes: dict[str, int]
) -> tuple[int, int]:
    """Bytes of rows and buffers of a lattice, whose size follows from the labels that positions may have."""
    lattice, full = candidates.lattice, params.sees_labels
    n_entries, n_pairs = len(lattice.labels), int(lattice.first_pair[-1])
    rows = n_entries * _ENTRY + full * n_pairs * _FLOAT
    if params.beam is None:
        rows += n_pairs * _INTEGER if full else n_entries * _INTEGER
    else:
        n_active = np.minimum(np.diff(lattice.first), params.beam + 1)
        rows += int(n_active.sum()) * _ENTRY
        rows += 3 * _FLOAT * int((n_active * predecessor_counts(lattice.offsets, n_active)).sum()) if full else 0
    if not full:
        rows += (params.n_iterations + N_SHARES + 6) * n_labels * (n_labels + 1) * _FLOAT  # transitions
    buffers = (
        size_of(PairWorkspace, **sizes, n_sums=1, **pair_sizes(candidates.predecessors))
        if full
        else size_of(Workspace, **sizes, n_sums=1)
    )
    return rows, buffers + sizes["n_positions"] * _INTEGER


def _most_codes(params: BoostingParams, cells: NDArray[np.int64]) -> int:
    """Most codes that a test may name."""
    return int(cells.max(initial=1)) if params.splits == "subsets" else 1


def _sizes(
    params: BoostingParams, train: SequenceSet, space: chain.StateSpace, cells: NDArray[np.int64]
) -> dict[str, int]:
    """Lengths of the buffers of growing, and of a large tree; `cells` are those of each slot."""
    max_leaves, n_positions, n_cells = params.max_leaves, train.n_positions, int(cells.sum())
    n_surrogates = params.missing_policy.n_surrogates
    n_codes = max_leaves * min(_most_codes(params, cells), 1 + n_positions // max_leaves) // 2
    return {
        "n_leaves": max_leaves,
        "n_splits": max_leaves,
        "n_all_states": space.n_states,
        "n_positions": n_positions,
        "n_cells": n_cells,
        "n_features": n_cells + space.order * (space.n_labels + 1),
        "n_columns": len(cells) + space.order,
        "n_most_codes": int(cells.max(initial=1)),
        "n_surrogates": n_surrogates,
        "n_depths": space.order + 1,
        "n_codes": n_codes + max_leaves,
        "n_sets": max_leaves * (1 + n_surrogates),
    }
