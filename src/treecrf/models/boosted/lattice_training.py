"""Training on the labels that each position may have (`treecrf.chain.lattice`): for many labels.

Where transitions are separable, potentials are ``U^y(w_t) + T(y, y_{t-1})``: an iteration adds to U one tree for each label, which
sees the window alone, and to the matrix T a step. Where they are full, potentials are ``F^y(y_{t-1}, w_t)``, which is kept for
every pair of labels that is possible: an iteration adds one tree for each label, which sees the window and the previous
label. So what is kept for a position grows with the labels, or the pairs of labels, that it may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.lattice import Lattice, Predecessors, entries_of, exponentials
from treecrf.models.boosted.lattice_inference import LatticeInference, training_beam
from treecrf.models.boosted.lattice_potentials import LatticePotentials
from treecrf.models.boosted.lattice_rows import rows_by_label
from treecrf.models.boosted.pair_trees import PairTrees
from treecrf.models.boosted.sampling import WHOLE, Sampling
from treecrf.models.boosted.stage import Stage
from treecrf.models.boosted.training import Criterion
from treecrf.models.boosted.window_trees import WindowTrees
from treecrf.models.resources import Runner
from treecrf.sequences import MISSING
from treecrf.trees.columns import Columns
from treecrf.trees.packing import choose_packing
from treecrf.trees.problem import make_problem
from treecrf.trees.search import Growth
from treecrf.trees.sweep import Sweep


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
        kind: type[LatticeInference] = LatticeInference
        if (self._labels == MISSING).any():
            from treecrf.models.boosted.lattice_partial import PartialLatticeInference as kind
        of_sequences = None if self._weights is None else self._weights[lattice.offsets[:-1]]
        return kind(lattice, self._labels, len(self._potentials.transitions), self._candidates.full, of_sequences)

    def _weigh(self, gradients: NDArray[np.int64], lattice: Lattice, weights: NDArray[np.float64]) -> None:
        from treecrf.trees.weighting import weigh_rows

        first = lattice.first_pair if self._candidates.full else lattice.first
        of_rows = np.repeat(weights, np.diff(first))
        weigh_rows(gradients[None, None], 0, len(gradients), of_rows, self._trees.problem.packing)

    def grow(self, run: Runner, iteration: int, seconds: dict[str, float]) -> Stage:
        """Grow and add one tree for each label, and separable transitions a step."""
        assert self._inference is not None
        return self._trees.grow(run, iteration, self._inference, self._active, self._potentials, seconds)

    def replay(self, stages: Sequence[Stage], steps: Sequence[float] = ()) -> None:
        """See `Training.replay`."""
        for i, stage in enumerate(stages):
            step = steps[i] if i < len(steps) else 1.0
            whole = stage.scaled(1.0 / step)
            self._trees.add(whole, self._potentials)
            while step < 1.0:
                whole, step = self.halve(whole), 2.0 * step

    def halve(self, stage: Stage) -> Stage:
        """See `Training.halve`."""
        self._trees.add(stage.scaled(-0.5), self._potentials)
        return stage.scaled(0.5)
