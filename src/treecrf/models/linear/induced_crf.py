"""`InducedCRF`: a conditional random field that is linear in conjunctions which training chooses."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.compiled.struct import Float64
from treecrf.io.arrays import gather_ranges
from treecrf.models.base import Monitor
from treecrf.models.linear._conjunction_kernels import sum_errors
from treecrf.models.linear._lbfgs_kernels import dot
from treecrf.models.linear.conjunctions import (
    ConjunctionCRF,
    Conjunctions,
    Weights,
    Windows,
    boolean_cells,
    chain_potentials,
    score_features,
)
from treecrf.models.linear.feature_search import Features, find_error_tokens, induce
from treecrf.models.linear.likelihood import Likelihood
from treecrf.models.linear.outcomes import Outcomes
from treecrf.models.params_checks import SIZE
from treecrf.models.resources import Runner, make_runner
from treecrf.sequences import SequenceSet

TOLERANCE = 1e-9
"""L-BFGS stops where an iteration gains less than this part of the objective."""


@dataclass(eq=False, repr=False)
class InducedCRF(ConjunctionCRF):
    """Linear-chain CRF with feature induction (McCallum 2003), in the rounds of MALLET (PhD sections 3.1 and 3.5).

    The model begins with a weight for each label and for each pair of labels. Each round adds the conjunctions of
    window cells whose weights of labels promise most (`treecrf.models.linear.feature_search`) and goes on with L-BFGS for a few iterations, on a part
    of the training set in the first rounds. Training maximizes ``log P(Y | X) - |w|^2 / (2 variance)``, and ends early
    once all sequences promise no new feature and the optimum is reached.

    Parameters and attributes are those of `ConjunctionCRF`, and two more. `n_threads` (int) is the number of threads of
    the search for features; any number gives the same bits. ``objective_history_`` (float64, shape (n_iterations,)) has
    what is minimized, on the round's part of the training set, after each iteration. Without a `random_state` the parts
    are drawn with seed 0.
    """

    n_threads: int = 1

    _parameter_constraints: ClassVar = ConjunctionCRF._parameter_constraints | {"n_threads": SIZE}
    _fitted_arrays: ClassVar = ConjunctionCRF._fitted_arrays | {"objective_history": Annotated[Float64, "n_values"]}

    def _train(
        self,
        train: SequenceSet,
        labels: NDArray[np.int16],
        weights: NDArray[np.float64] | None,
        monitor: Monitor | None,
    ) -> None:
        from treecrf.models.linear.lbfgs import minimize_objective  # takes long to import, and training alone needs it

        began = time.thread_time()
        training = _Training(train, labels, self.window, self._outcomes(len(train.label_names)), self.variance)
        rng = np.random.default_rng(0 if self.random_state is None else [1, self.random_state])
        order = rng.permutation(len(train))
        if self.random_state is not None:
            training.weights = rng.normal(0.0, self.start_noise, len(training.weights))
        seconds = {"windows": time.thread_time() - began, "gradient": 0.0, "induction": 0.0}
        stages: list[NDArray[np.float64]] = []
        history: list[float] = []
        n_inductions = 0

        def note(weights: NDArray[np.float64], value: float) -> None:
            stages.append(training.split(weights).joined())
            history.append(value)
            if monitor is not None:
                elapsed = dict(seconds) | {"gradient": seconds["gradient"] + time.thread_time() - began}
                monitor(len(stages), elapsed, training.penalty(weights) - value)

        shares = self._shares()
        with ThreadPoolExecutor(self.n_threads - 1) if self.n_threads > 1 else nullcontext() as pool:
            run = make_runner(pool)
            clock = time.thread_time if pool is None else time.process_time
            for round_, share in enumerate([*shares, 1.0]):  # after the last induction all sequences train
                part = training.part(order[: max(1, round(share * len(train)))])
                n_iterations, n_done = self._n_iterations(round_, len(shares), len(stages)), len(stages)
                began = time.thread_time()
                if n_iterations:
                    objective = training.objective(part)
                    training.weights = minimize_objective(objective, training.weights, n_iterations, TOLERANCE, note)
                seconds["gradient"] += time.thread_time() - began
                if round_ < len(shares):
                    before = clock()
                    n_new = training.add_features(part, self.true_label_threshold, self.features_per_induction, run)
                    seconds["induction"] += clock() - before
                    n_inductions += 1
                    if share == 1 and not n_new and len(stages) < n_done + n_iterations:
                        break  # all that is left would begin at the optimum that it would look for
        self.conjunctions_ = training.conjunctions
        self.stages_ = stages or [training.split(training.weights).joined()]  # where the start is the optimum
        self.objective_history_, self.seconds_, self.n_inductions_ = np.array(history), seconds, n_inductions


class _Part(NamedTuple):
    """Some sequences of the training set: their offsets, their positions' labels and windows."""

    offsets: NDArray[np.int64]
    labels: NDArray[np.int16]
    window_of: NDArray[np.int32]


class _Training:
    """The features of a training run and their `weights`, float64: of labels, transitions and features."""

    def __init__(
        self,
        train: SequenceSet,
        labels: NDArray[np.int16],
        window: tuple[int, int],
        outcomes: Outcomes,
        variance: float,
    ) -> None:
        self._train, self._labels, self._variance = train, labels, float(variance)
        self._outcomes, self._n_labels = outcomes, outcomes.n_labels
        self._windows = Windows.of(train, window)
        cells = Conjunctions.of([cell] for cell in boolean_cells(train.attributes, window))
        self._basic = Features.find(cells, self._windows.columns)
        self._features = Features.find(Conjunctions.of([]), self._windows.columns)
        self.weights = np.zeros(self._n_labels + self._n_labels**2)

    def split(self, weights: NDArray[np.float64]) -> Weights:
        """The weights by kind; those of first and last labels, which this model does not have, are 0."""
        n = self._n_labels
        labels, transitions, features = np.split(weights, [n, n + n**2])
        by_outcome = features.reshape(-1, self._outcomes.size)
        return Weights(labels, transitions.reshape(n, n), np.zeros(n), np.zeros(n), by_outcome)

    def penalty(self, weights: NDArray[np.float64]) -> float:
        """The prior's part of the objective."""
        return dot(weights, weights) / (2 * self._variance)

    def part(self, sequences: NDArray[np.int64]) -> _Part:
        """Some sequences of the training set, in its order."""
        offsets, positions = gather_ranges(self._train.offsets, np.sort(sequences))
        return _Part(offsets, self._labels[positions], self._windows.window_of[positions])

    def objective(self, part: _Part) -> Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]:
        """What is minimized on a part of the training set, with its gradient, as a function of the weights."""
        outcomes, occurrences = self._outcomes, self._features.occurrences
        likelihood = Likelihood(part.labels, part.offsets)
        transition_gradient = np.empty((self._n_labels, self._n_labels))

        def objective(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            by_kind = self.split(weights)
            scores = score_features(by_kind, occurrences, self._windows.n_windows, outcomes)
            errors = np.empty_like(scores)
            log_likelihood = likelihood.differentiate(
                scores, part.window_of, by_kind.transitions.copy(), errors, transition_gradient
            )
            gradient = np.empty_like(by_kind.features)
            sum_errors(*occurrences, outcomes.by_outcome(errors), gradient)
            of_labels = errors.sum(axis=0).reshape(-1, self._n_labels).sum(axis=0)
            total = np.concatenate([of_labels, transition_gradient.ravel(), gradient.ravel()])
            return self.penalty(weights) - log_likelihood, weights / self._variance - total

        return objective

    def add_features(self, part: _Part, threshold: float, n_new: int, run: Runner) -> int:
        """Add the features that promise most, with weights of 0, and return their number."""
        by_kind = self.split(self.weights)
        scores = score_features(by_kind, self._features.occurrences, self._windows.n_windows, self._outcomes)
        windows = self._windows._replace(window_of=part.window_of)
        marginals = chain.forward_backward(
            chain_potentials(scores, windows, by_kind, part.offsets), part.offsets, 1
        ).labels
        tokens = find_error_tokens(marginals, part.labels, part.window_of, self._windows.n_windows, threshold)
        new = induce(self._basic, self._features, tokens, self._variance, n_new, run)
        self._features = self._features.followed_by(Features.find(new, self._windows.columns))
        self.weights = np.concatenate([self.weights, np.zeros(new.size * self._outcomes.size)])
        return new.size

    @property
    def conjunctions(self) -> Conjunctions:
        """The features."""
        return self._features.conjunctions
