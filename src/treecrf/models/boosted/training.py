"""Training on dense rows, one for each position and previous labels: gradient, trees, update."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.partial import allows
from treecrf.compiled.struct import allocate
from treecrf.io.arrays import gather_ranges
from treecrf.models.boosted._gradient_kernels import (
    BOUND,
    backward_kernel,
    chain_rule_gradient,
    forward_kernel,
    local_gradient,
    pseudo_likelihood_gradient,
)
from treecrf.models.boosted.boosting import Iteration
from treecrf.models.boosted.growers import CompleteGrower, Grower, WeightedGrower, make_evaluator
from treecrf.models.boosted.params import WHOLE, Sampling, draw_columns, draw_positions
from treecrf.models.resources import Runner
from treecrf.models.weights import vary_within
from treecrf.sequences import MISSING
from treecrf.trees.columns import Columns
from treecrf.trees.holes.surrogates import count_missing
from treecrf.trees.influence import Influences, trim_rows
from treecrf.trees.packing import Packing, choose_packing
from treecrf.trees.problem import NO_COUNTS, NO_DEPTHS, NO_HANDLING, Handling, make_problem
from treecrf.trees.sampling import Sample
from treecrf.trees.search import Growth
from treecrf.trees.sweep import Sweep
from treecrf.trees.tree import Tree
from treecrf.trees.weighting import choose_weighted_packing, weigh_rows
from treecrf.trees.windows import multiply_by_window, sum_by_window

_N_SHARES = 16

Criterion = Literal["likelihood", "pseudo-likelihood", "local"]
"""What is followed: log P(Y | X), the pseudo-likelihood, or P(y_t | previous labels, w_t) position by position."""


class Training:
    """The state of a boosting run: exp(F) of every row, and the buffers to improve it.

    Parameters
    ----------
    columns : Columns; sweep : Sweep
        Windows, of the positions or of those that differ.
    window_of : int32, shape (n_positions,), optional
        Window of each position; unless given, each position is a window of its own. Rows with the same window and
        state never part, so trees are grown on their sums.
    offsets, labels : as in `treecrf.sequences.SequenceSet`
        Labels may be `MISSING`.
    space : chain.StateSpace
    start : float64, shape (n_labels, n_states)
        Potentials before the first tree.
    kinds : int8, shape (n_slots + order,)
        Kinds of the columns (`treecrf.trees.search`).
    max_leaves : int
    growth : Growth
    handling : Handling, optional
        How to handle missing cells where the trees divide rows. None: no cell is missing, or missing is a code like another.
    divides : bool
        Whether rows divide in training, too; the last cell of each slot is then "missing".
    newton : bool
        Whether rows weigh the curvature of the log likelihood there, instead of 1.
    sampling : Sampling
        The part of the training set that each tree is grown from.
    is_local : bool
        Whether a position has a gradient for its true previous labels alone, as a MEMM's does.
    weights : float64, shape (n_positions,), optional
        Of positions (`treecrf.models.weights`).
    """

    def __init__(
        self,
        columns: Columns,
        sweep: Sweep,
        offsets: NDArray[np.int64],
        labels: NDArray[np.int16],
        space: chain.StateSpace,
        start: NDArray[np.float64],
        kinds: NDArray[np.int8],
        max_leaves: int,
        growth: Growth,
        handling: Handling | None = None,
        divides: bool = False,
        newton: bool = False,
        window_of: NDArray[np.int32] | None = None,
        sampling: Sampling = WHOLE,
        is_local: bool = False,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        n_positions = len(labels)
        self._columns, self._space = columns, space
        self._labels, self._max_leaves = completed(labels), max_leaves
        self._observed = chain.state_sequence(self._labels, offsets, space.n_labels, space.order)
        if is_local or space.order == 0:
            offsets, weights = as_sequences(labels, offsets, space.order, weights)
        self._offsets = offsets.copy()  # writable, as the kernels' types say
        self._packing = self._choose_packing(weights, newton)
        self._exponentials = np.repeat(np.exp(start)[:, None, :], n_positions, axis=1)
        self._rows = np.zeros((space.n_labels, space.n_states, n_positions), dtype=np.int64)
        self._forward = forward_kernel(space.n_labels, space.order)
        self._backward = backward_kernel(space.n_labels, space.order)
        self._alphas = np.empty((n_positions, space.n_labels ** max(space.order, 1)))
        self._scales = np.empty(n_positions)
        self._log_likelihoods = np.empty(len(offsets) - 1)
        self._handling, self._divides, self._window_of, self._sampling = handling, divides, window_of, sampling
        counts_all = weights is None and sampling.influence_trimming == 0.0
        self._counts_every_row = counts_all and not is_local and not newton
        self._partial, self._weighting = self._adjustments(labels, weights, is_local)
        self._problem = make_problem(
            columns,
            sweep,
            space,
            kinds,
            max_leaves,
            growth,
            self._packing,
            handling or NO_HANDLING,
            *self._count_missing(),
        )
        self._idle_growers: list[Grower] = []

    def compute_gradient(self, run: Runner, n_threads: int, criterion: Criterion, seconds: dict[str, float]) -> float:
        """Write the gradient of every row; return the criterion's value for the training set."""
        bounds = [0, len(self._offsets) - 1]
        if n_threads > 1:  # several shares each: a thread that wakes late takes fewer
            bounds = np.searchsorted(self._offsets, np.linspace(0, self._offsets[-1], 4 * n_threads + 1)).tolist()
        tasks = [partial(self._differentiate, first, last, criterion) for first, last in pairwise(bounds)]
        seconds["gradient"] += sum(run(tasks))
        buffers = (self._rows, self._log_likelihoods)
        if self._partial is not None:
            seconds["gradient"] += self._partial.correct(run, self._exponentials, self._scales, *buffers)
        if self._weighting is not None:
            shared = (self._exponentials, self._offsets, self._labels, self._observed)
            seconds["gradient"] += self._weighting.weigh(run, bounds, shared, *buffers)
        return float(self._log_likelihoods.sum())

    def grow(self, run: Runner, iteration: int, seconds: dict[str, float]) -> Iteration:
        """Grow and add one tree for each label."""
        before = time.thread_time()
        positions = draw_positions(self._sampling, len(self._labels), iteration)
        seconds["trees"] += time.thread_time() - before
        results = run([partial(self._grow_one, label, iteration, positions) for label in range(self._space.n_labels)])
        seconds["trees"] += sum(growing for _, growing, _ in results)
        seconds["update"] += sum(updating for *_, updating in results)
        return Iteration([tree for tree, *_ in results])

    def replay(self, iterations: Sequence[Iteration], steps: Sequence[float] = ()) -> None:
        """Add what an earlier run has grown, with the same bits as that run.

        `steps` are what `halve` has made of the first iterations' values: 1, 0.5, 0.25, ...
        """
        for i, iteration in enumerate(iterations):
            step = steps[i] if i < len(steps) else 1.0
            whole = iteration.scaled(1.0 / step)  # exact: steps are powers of 2
            self._add(whole)
            while step < 1.0:
                whole, step = self.halve(whole), 2.0 * step

    def marginals(self) -> NDArray[np.float64]:
        """P(y_t | X) of the training set with the potentials so far, shape (n_positions, n_labels)."""
        return chain.forward_backward(np.log(self._exponentials), self._offsets, self._space.order).labels

    def halve(self, iteration: Iteration) -> Iteration:
        """Take half of an iteration's values back; return what is left."""
        self._add(iteration.scaled(-0.5))
        return iteration.scaled(0.5)

    def _add(self, iteration: Iteration) -> None:
        trees = iteration.trees
        evaluator = make_evaluator(
            self._columns, self._space.labels_of_state, self._divides,
            max(len(tree.values) for tree in trees), trees[0].surrogates.shape[1],
        )  # fmt: skip
        for label, tree in enumerate(trees):
            self._multiply(label, partial(evaluator.add, tree, exponentiated=True))

    def _multiply(self, label: int, add: Callable[[NDArray[np.float64]], None]) -> None:
        """Multiply exp(F) of a label by what `add` makes of ones, shape (n_windows, n_states)."""
        if self._window_of is None:
            add(self._exponentials[label])
        else:
            factors = np.ones((len(self._columns.cells), self._space.n_states))
            add(factors)
            multiply_by_window(factors, self._window_of, self._exponentials[label])

    def _choose_packing(self, weights: NDArray[np.float64] | None, newton: bool) -> Packing:
        n_states, bound = self._space.n_labels**self._space.order, self._space.order + 1
        if weights is None:
            return choose_packing(len(self._labels), len(self._labels) * n_states, bound, newton)

        if vary_within(weights, self._offsets).any():
            bound = max(bound, BOUND)
        return choose_weighted_packing(weights, n_states, bound, newton)

    def _adjustments(
        self, labels: NDArray[np.int16], weights: NDArray[np.float64] | None, is_local: bool
    ) -> tuple[PartialSequences | None, Weighting | None]:
        """What turns gradients of completed labels that all weigh 1 into those asked for."""
        partials = weighting = None
        if (labels == MISSING).any() and not is_local and self._space.order > 0:
            kernels = (self._forward, self._backward)
            partials = PartialSequences(labels, self._offsets, self._space, *kernels, self._packing)
        if weights is not None:
            weighting = Weighting(weights, self._offsets, self._space.order, self._packing)
        return partials, weighting

    def _differentiate(self, first: int, last: int, criterion: Criterion) -> float:
        before = time.thread_time()
        shared = (self._exponentials, self._offsets, first, last, self._labels, self._observed)
        if criterion == "pseudo-likelihood":
            pseudo_likelihood_gradient(
                *shared, self._space.order, self._packing, self._rows, self._log_likelihoods
            )  # fmt: skip
        elif criterion == "local":
            local_gradient(*shared, self._packing, self._rows, self._log_likelihoods)
        else:
            self._forward(*shared, self._alphas, self._scales, self._log_likelihoods)
            self._backward(*shared, self._packing, self._alphas, self._scales, self._rows)
        return time.thread_time() - before

    def _grow_one(self, label: int, iteration: int, positions: NDArray[np.int32]) -> tuple[Tree, float, float]:
        begin = time.thread_time()
        grower, rows, window_of = self.take_grower(), self._rows[label], self._window_of
        sampling = self._sampling
        if sampling.influence_trimming > 0.0:
            buffers = allocate(Influences, n_all_states=len(rows), n=len(positions))
            trim_rows(rows, positions, sampling.influence_trimming, self._packing, buffers)
        if window_of is not None:
            rows, positions = self._sum_by_window(rows, positions, window_of)
        n_columns = len(self._columns.first_cell) - 1 + self._space.order
        considered = draw_columns(sampling, self._max_leaves, n_columns, iteration, label)
        tree = grower.grow(rows, Sample(positions, considered))
        grown = time.thread_time()
        self._multiply(label, partial(grower.add_last, tree))
        self._idle_growers.append(grower)
        return tree, grown - begin, time.thread_time() - grown

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

    def take_grower(self) -> Grower:
        """A grower that no thread is using; there are no more of them than threads, as their buffers are large."""
        try:
            return self._idle_growers.pop()
        except IndexError:
            return WeightedGrower(self._problem) if self._divides else CompleteGrower(self._problem)

    def _count_missing(self) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """See `Problem`: depths and missing counts."""
        counts = self._handling is not None and self._handling.n_surrogates > 0 and self._counts_every_row
        if not counts or self._window_of is not None:
            return NO_DEPTHS, NO_COUNTS
        place = np.arange(len(self._labels)) - np.repeat(self._offsets[:-1], np.diff(self._offsets))
        depths = np.minimum(place, self._space.order).astype(np.int16)
        return depths, count_missing(self._columns, depths, self._space.order + 1)


def completed(labels: NDArray[np.int16]) -> NDArray[np.int16]:
    """Labels that complete the known ones: the first label where none is known."""
    return np.where(labels == MISSING, 0, labels).astype(np.int16)


def as_sequences(
    labels: NDArray[np.int16], offsets: NDArray[np.int64], order: int, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Offsets and weights of a training that sees each label given the `order` labels before it, if these are known.

    A position whose label, or one of those before it, is not known is left out: it weighs 0. Where positions differ in weight
    each is a sequence by itself, else nothing changes.
    """
    left_out = labels == MISSING
    place = np.arange(len(labels)) - np.repeat(offsets[:-1], np.diff(offsets))
    for lag in range(1, order + 1):
        left_out[lag:] |= (labels[:-lag] == MISSING) & (place[lag:] >= lag)
    if weights is None and not left_out.any():
        return offsets, None
    weighted = np.where(left_out, 0.0, 1.0 if weights is None else weights)
    return np.arange(len(labels) + 1), weighted


class PartialSequences:
    """The chains of the sequences with unknown labels, without the labels in conflict (Tsuboi et al. 2008, section 4).

    Their log likelihood is that of the known labels, summed over all that complete them: ``log Z(labels that agree) - log Z``.
    Its gradient is ``P(y, s | known labels, X) - P(y, s | X)``: the marginals of the chain without the labels in conflict,
    less those of the chain. Both come from the same recursions, on exponentials that are 0 for labels in conflict; any labels
    that complete the known ones are part of both gradients, and cancel out.

    Parameters
    ----------
    labels : int16, shape (n_positions,)
        `MISSING` where not known; of all sequences.
    offsets : int64, shape (n_sequences + 1,)
    space : chain.StateSpace
    forward, backward : kernels of `treecrf.models.boosted._gradient_kernels`
    packing : Packing
    """

    def __init__(
        self,
        labels: NDArray[np.int16],
        offsets: NDArray[np.int64],
        space: chain.StateSpace,
        forward: Callable[..., None],
        backward: Callable[..., None],
        packing: Packing,
    ) -> None:
        self._sequences = np.flatnonzero(np.logical_or.reduceat(labels == MISSING, offsets[:-1]))
        self._offsets, self._positions = gather_ranges(offsets, self._sequences)
        self._forward, self._backward, self._packing = forward, backward, packing
        known = labels[self._positions]
        self._allowed = allows(known, space.n_labels).astype(np.float64)[:, :, None]
        self._labels = completed(known)
        self._observed = chain.state_sequence(self._labels, self._offsets, space.n_labels, space.order)
        n = len(known)
        self._exponentials = np.empty((space.n_labels, n, space.n_states))
        self._rows = np.zeros((space.n_labels, space.n_states, n), dtype=np.int64)
        self._alphas = np.empty((n, space.n_labels ** max(space.order, 1)))
        self._scales = np.empty(n)
        self._log_likelihoods = np.empty(len(self._sequences))

    def correct(
        self, run: Runner, exponentials: NDArray[np.float64], scales: NDArray[np.float64], rows: NDArray[np.int64],
        log_likelihoods: NDArray[np.float64],
    ) -> float:  # fmt: skip
        """Turn gradients and log likelihoods of completed labels into those of the known ones; return CPU seconds.

        `scales` are what the forward recursion on `exponentials` left.
        """
        shares = np.linspace(0, self._offsets[-1], _N_SHARES + 1)
        bounds = np.unique(np.searchsorted(self._offsets, shares)).tolist()
        work = partial(self._correct, exponentials, scales, rows, log_likelihoods)
        return sum(run([partial(work, first, last) for first, last in pairwise(bounds)]))

    def _correct(
        self, exponentials: NDArray[np.float64], scales: NDArray[np.float64], rows: NDArray[np.int64],
        log_likelihoods: NDArray[np.float64], first: int, last: int,
    ) -> float:  # fmt: skip
        before = time.thread_time()
        begin, end = int(self._offsets[first]), int(self._offsets[last])
        positions = self._positions[begin:end]
        np.multiply(exponentials[:, positions], self._allowed[:, begin:end], out=self._exponentials[:, begin:end])
        shared: tuple[Any, ...] = (self._exponentials, self._offsets, first, last, self._labels, self._observed)
        self._forward(*shared, self._alphas, self._scales, self._log_likelihoods)
        self._backward(*shared, self._packing, self._alphas, self._scales, self._rows)
        rows[:, :, positions] -= gradients_of(self._rows[:, :, begin:end], self._packing)
        gained = np.log(scales[positions]) - np.log(self._scales[begin:end])  # scales are inverse
        log_likelihoods[self._sequences[first:last]] = np.add.reduceat(gained, self._offsets[first:last] - begin)
        return time.thread_time() - before


def gradients_of(packed: NDArray[np.int64], packing: Packing) -> NDArray[np.int64]:
    """The packed rows without their weights."""
    weights = (packed + (1 << (packing.shift - 1))) >> packing.shift
    return packed - (weights << packing.shift)


class Weighting:
    """The weights of a training set.

    Parameters
    ----------
    weights : float64, shape (n_positions,)
    offsets : int64, shape (n_sequences + 1,)
    order : int
    packing : Packing
    """

    def __init__(self, weights: NDArray[np.float64], offsets: NDArray[np.int64], order: int, packing: Packing) -> None:
        self._weights, self._offsets, self._order, self._packing = weights, offsets, order, packing
        self._varies = vary_within(weights, offsets)

    def weigh(
        self, run: Runner, bounds: list[int], shared: tuple[Any, ...], rows: NDArray[np.int64],
        log_likelihoods: NDArray[np.float64],
    ) -> float:  # fmt: skip
        """Weigh the gradients and log likelihoods of all sequences; return CPU seconds.

        Parameters
        ----------
        bounds : list of int
            Shares of the sequences.
        shared : tuple
            Exponentials, offsets, labels and observed states.
        rows, log_likelihoods
            As all sequences would have them with a weight of 1.
        """
        work = partial(self._weigh, shared, rows, log_likelihoods)
        return sum(run([partial(work, first, last) for first, last in pairwise(bounds)]))

    def _weigh(
        self,
        shared: tuple[Any, ...],
        rows: NDArray[np.int64],
        log_likelihoods: NDArray[np.float64],
        first: int,
        last: int,
    ) -> float:
        before = time.thread_time()
        weigh_rows(rows, self._offsets[first], self._offsets[last], self._weights, self._packing)
        log_likelihoods[first:last] *= self._weights[self._offsets[first:last]]
        exponentials, offsets, labels, observed = shared
        changes = np.flatnonzero(np.diff(self._varies[first:last], prepend=False, append=False)) + first
        for begin, end in changes.reshape(-1, 2):
            chain_rule_gradient(
                exponentials, offsets, begin, end, labels, observed, self._order, self._weights, self._packing, rows,
                log_likelihoods,
            )  # fmt: skip
        return time.thread_time() - before
