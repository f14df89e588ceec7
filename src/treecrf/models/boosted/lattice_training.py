"""Training on the labels that each position may have (`treecrf.chain.lattice`): for many labels.

Potentials are ``U^y(w_t) + F^y(y_{t-1}, w_t)``. Separable iterations add to U one tree for each label, which sees the window alone,
and to F, which is a matrix of transitions as long, a step. Full iterations add to F a tree for each label, which sees the
window and the previous label; F is then kept for every pair of labels that is possible. What is kept for a position
therefore grows with the labels, or the pairs of labels, that it may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.befores import Befores
from treecrf.chain.lattice import Lattice, entries_of, exponentials
from treecrf.models.boosted.lattice_inference import LatticeInference, training_beam
from treecrf.models.boosted.lattice_potentials import LatticePotentials
from treecrf.models.boosted.lattice_rows import rows_by_label
from treecrf.models.boosted.pair_trees import PairTrees
from treecrf.models.boosted.sampling import WHOLE, Sampling
from treecrf.models.boosted.stage import Stage
from treecrf.models.boosted.training import Criterion
from treecrf.models.boosted.window_trees import WindowTrees
from treecrf.models.runner import Runner
from treecrf.trees.columns import Columns
from treecrf.trees.packing import choose_packing
from treecrf.trees.problem import Problem, make_problem
from treecrf.trees.search import Growth
from treecrf.trees.sweep import Sweep


class Candidates(NamedTuple):
    """The labels that positions may have.

    Attributes
    ----------
    lattice : Lattice
        It has every position's true label.
    befores : Befores
    separable_iterations : int or None
        After so many, iterations are full; None: never.
    beam : int or None
        How many labels of each position stay in forward-backward, beside the true one; None: all.
    """

    lattice: Lattice
    befores: Befores
    separable_iterations: int | None = None
    beam: int | None = None


class LatticeTraining:
    """The state of a boosting run, as `treecrf.models.boosted.training.Training`.

    Parameters
    ----------
    columns : Columns; sweep : Sweep
        Windows of the positions.
    candidates : Candidates
    labels : int16, shape (n_positions,)
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
    ) -> None:
        lattice, self._labels, self._candidates = candidates.lattice, labels, candidates
        by_label = rows_by_label(lattice, len(start))
        n_before = np.diff(candidates.befores.first)[candidates.befores.kinds]

        def problem(order: int, n_rows: int) -> Problem:
            packing = choose_packing(len(labels), n_rows, order + 1, newton)
            space, of_columns = chain.StateSpace(len(start), order), kinds[: len(kinds) - 1 + order]
            return make_problem(columns, sweep, space, of_columns, max_leaves, growth, packing)

        most_pairs = max(int(n_before[rows.positions].sum()) for rows in by_label)
        self._window_trees = WindowTrees(problem(0, len(lattice.labels)), by_label, sampling)
        self._pair_trees = PairTrees(problem(1, most_pairs), candidates.befores, by_label, sampling)
        self._potentials = LatticePotentials(lattice, start, exponentiated=candidates.beam is None)
        self._true_entries = entries_of(lattice, labels)
        self._inference: LatticeInference | None = None
        self._active: NDArray[np.int64] | None = None
        self._n_stages = 0

    def _trees(self, iteration: int) -> WindowTrees | PairTrees:
        last = self._candidates.separable_iterations
        return self._window_trees if last is None or iteration < last else self._pair_trees

    def compute_gradient(self, run: Runner, n_threads: int, criterion: Criterion, seconds: dict[str, float]) -> float:
        """Write the gradient of every label and transition, or pair; return the log likelihood of the training set."""
        trees, lattice, weights = self._trees(self._n_stages), self._candidates.lattice, self._potentials.weights()
        by_pair, n_labels = trees.by_pair, len(self._potentials.transitions)
        if self._candidates.beam is not None:
            beam = training_beam(run, lattice, weights, self._candidates.beam, self._true_entries, seconds)
            lattice, self._active = beam.lattice, beam.entries
            weights, _, _ = exponentials(lattice, beam.potentials)
        if self._candidates.beam is not None or self._inference is None or self._inference.by_pair != by_pair:
            self._inference = LatticeInference(lattice, self._labels, n_labels, by_pair)
        return self._inference.infer(run, weights, trees.problem.packing, seconds)

    def grow(self, run: Runner, iteration: int, seconds: dict[str, float]) -> Stage:
        """Grow and add one tree for each label, and in separable iterations a step of the transitions."""
        assert self._inference is not None
        stage = self._trees(iteration).grow(run, iteration, self._inference, self._active, self._potentials, seconds)
        self._n_stages += 1
        return self._with_transitions(stage)

    def replay(self, stages: Sequence[Stage], steps: Sequence[float] = ()) -> None:
        """See `Training.replay`."""
        for i, stage in enumerate(stages):
            step = steps[i] if i < len(steps) else 1.0
            whole = stage.scaled(1.0 / step)
            self._trees(i).add(whole, self._potentials)
            self._n_stages += 1
            while step < 1.0:
                whole, step = self.halve(whole), 2.0 * step

    def halve(self, stage: Stage) -> Stage:
        """See `Training.halve`."""
        self._trees(self._n_stages - 1).add(stage.scaled(-0.5), self._potentials)
        return stage.scaled(0.5)

    def _with_transitions(self, stage: Stage) -> Stage:
        """The stage with a matrix of transitions, if the others have one: they are stored together."""
        if stage.transitions.size or not self._candidates.separable_iterations:
            return stage
        return stage._replace(transitions=np.zeros_like(self._potentials.transitions))
