"""The arrays of one training run of `TreeCRF` and its two steps: gradient, trees."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.compiled.struct import allocate
from treecrf.models.boosted._gradient import backward_kernel, forward_kernel
from treecrf.models.boosted._local import local_gradient
from treecrf.models.boosted._pseudo import pseudo_likelihood_gradient
from treecrf.models.boosted.growers import CompleteGrower, Grower, WeightedGrower
from treecrf.models.boosted.sampling import WHOLE, Sampling, draw_columns, draw_positions
from treecrf.models.runner import Runner
from treecrf.trees.columns import Columns
from treecrf.trees.forest import Evaluator
from treecrf.trees.holes.blending import BlendingEvaluator
from treecrf.trees.holes.surrogates import count_missing
from treecrf.trees.influence import Influences, trim_rows
from treecrf.trees.packing import choose_packing
from treecrf.trees.problem import NO_COUNTS, NO_DEPTHS, NO_HANDLING, Handling, make_problem
from treecrf.trees.sampling import Sample
from treecrf.trees.search import Growth
from treecrf.trees.sweep import Sweep, build_sweep
from treecrf.trees.tree import Tree
from treecrf.trees.windows import multiply_by_window, sum_by_window

__all__ = ["Training", "build_sweep"]

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
    space : chain.StateSpace
    start : float64, shape (n_labels, n_states)
        Potentials before the first tree.
    kinds : int8, shape (n_slots + order,)
        Kinds of the columns (`treecrf.trees.search`).
    max_leaves : int
    growth : Growth
    handling : Handling, optional
        How to handle missing cells where the trees divide rows; the last cell of each slot is then "missing". None: no
        cell is missing, or missing is a code like another.
    newton : bool
        Whether rows weigh the curvature of the log likelihood there, instead of 1.
    sampling : Sampling
        The part of the training set that each tree is grown from.
    is_local : bool
        Whether a position has a gradient for its true previous labels alone, as a MEMM's does.
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
        newton: bool = False,
        window_of: NDArray[np.int32] | None = None,
        sampling: Sampling = WHOLE,
        is_local: bool = False,
    ) -> None:
        n_positions = len(labels)
        self._columns, self._sweep, self._space = columns, sweep, space
        self._offsets, self._labels = offsets.copy(), labels.copy()  # writable, as the kernels' types say
        self._kinds, self._max_leaves, self._growth = kinds, max_leaves, growth
        self._observed = chain.state_sequence(labels, offsets, space.n_labels, space.order)
        n_rows = n_positions * space.n_labels**space.order
        self._packing = choose_packing(n_positions, n_rows, space.order + 1, newton)
        self._exponentials = np.repeat(np.exp(start)[:, None, :], n_positions, axis=1)
        self._rows = np.zeros((space.n_labels, space.n_states, n_positions), dtype=np.int64)
        self._forward = forward_kernel(space.n_labels, space.order)
        self._backward = backward_kernel(space.n_labels, space.order)
        self._alphas = np.empty((n_positions, space.n_labels ** max(space.order, 1)))
        self._scales = np.empty(n_positions)
        self._log_likelihoods = np.empty(len(offsets) - 1)
        self._handling, self._window_of, self._sampling = handling, window_of, sampling
        self._counts_every_row = not is_local and not newton and sampling.influence_trimming == 0.0
        self._growers: list[Grower] = []

    def compute_gradient(self, run: Runner, n_threads: int, criterion: Criterion, seconds: dict[str, float]) -> float:
        """Write the gradient of every row; return the criterion's value for the training set."""
        n_shares = 1 if n_threads == 1 else 4 * n_threads  # several each: a thread that wakes late takes fewer
        bounds = np.searchsorted(self._offsets, np.linspace(0, self._offsets[-1], n_shares + 1)).tolist()
        tasks = [partial(self._differentiate, first, last, criterion) for first, last in pairwise(bounds)]
        seconds["gradient"] += sum(run(tasks))
        return float(self._log_likelihoods.sum())

    def grow(self, run: Runner, iteration: int, seconds: dict[str, float]) -> list[Tree]:
        """Grow and add one tree for each label; return the trees."""
        self._prepare()
        before = time.thread_time()
        positions = draw_positions(self._sampling, len(self._labels), iteration)
        seconds["trees"] += time.thread_time() - before
        results = run([partial(self._grow_one, label, iteration, positions) for label in range(self._space.n_labels)])
        seconds["trees"] += sum(growing for _, growing, _ in results)
        seconds["update"] += sum(updating for *_, updating in results)
        return [tree for tree, *_ in results]

    def replay(self, trees: Sequence[Tree], evaluator: Evaluator | BlendingEvaluator) -> None:
        """Add trees that an earlier run has grown, label by label, with the same bits as that run."""
        for i, tree in enumerate(trees):
            evaluator.add(tree, self._exponentials[i % self._space.n_labels], exponentiated=True)

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
        grower, rows, window_of = self._growers[label], self._rows[label], self._window_of
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
        if window_of is None:
            grower.add_last(tree, self._exponentials[label])
        else:
            factors = np.ones((len(self._columns.cells), self._space.n_states))
            grower.add_last(tree, factors)
            multiply_by_window(factors, window_of, self._exponentials[label])
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

    def _prepare(self) -> None:
        """Make the buffers at the first tree."""
        if not self._growers:
            problem = make_problem(
                self._columns, self._sweep, self._space, self._kinds, self._max_leaves, self._growth, self._packing,
                self._handling or NO_HANDLING, *self._count_missing(),
            )  # fmt: skip
            kind = CompleteGrower if self._handling is None else WeightedGrower
            self._growers = [kind(problem) for _ in range(self._space.n_labels)]

    def _count_missing(self) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """See `Problem`: depths and missing counts."""
        counts = self._handling is not None and self._handling.n_surrogates > 0 and self._counts_every_row
        if not counts or self._window_of is not None:
            return NO_DEPTHS, NO_COUNTS
        place = np.arange(len(self._labels)) - np.repeat(self._offsets[:-1], np.diff(self._offsets))
        depths = np.minimum(place, self._space.order).astype(np.int16)
        return depths, count_missing(self._columns, depths, self._space.order + 1)
