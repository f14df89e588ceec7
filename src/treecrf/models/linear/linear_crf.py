"""`LinearCRF`: a conditional random field that is linear in indicators of window cells, alone or joined with label
pairs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

import numpy as np
from numba import float64, uint32, void
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.lattice import Weights, build_lattice
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import FINITE, SOME, WEIGHTS, Float64
from treecrf.estimators.checks import FIRST_ORDER, FLAG, NOT_NEGATIVE, SEED, SIZE, TOLERANCE, VARIANCE, one_of, optional
from treecrf.inputs.anchors import AnchorSetting
from treecrf.inputs.binning import FEW_BINS
from treecrf.io.arrays import Bools, Codes, Floats, Ints, in_units, starts_of
from treecrf.io.process import check_memory
from treecrf.models.base import Monitor
from treecrf.models.chains import ChainLabeller, LatticeChains, ScoredChains, Watch, kept_stages
from treecrf.models.execution import draw_start
from treecrf.models.inputs import ClassWeight, refuse_missing, refuse_mixed
from treecrf.models.linear.lbfgs import dot
from treecrf.models.linear.likelihood import likelihood_of
from treecrf.models.linear.stochastic import StochasticDescent, equal_within
from treecrf.sequences import SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import distinct_windows, number_cells

if TYPE_CHECKING:
    from treecrf.models.streaming import CodedWindows


@kernel(void(uint32[:, ::1], float64[:, ::1], float64[:, ::1]))
def score_windows(cells, weights, scores):
    """Sum the weights of each window's cells.

    Parameters
    ----------
    cells : uint32, shape (n_windows, n_slots)
    weights : float64, shape (n_cells, n_labels)
        A cell beyond them has no weights.
    scores : float64, shape (n_windows, n_labels)
        Overwritten.
    """
    n_labels = scores.shape[1]
    for window in range(len(cells)):
        for label in range(n_labels):
            scores[window, label] = 0.0
        for slot in range(cells.shape[1]):
            cell = cells[window, slot]
            if cell < len(weights):
                for label in range(n_labels):
                    scores[window, label] += weights[cell, label]


@kernel(void(uint32[:, ::1], float64[:, ::1], float64[:, ::1]))
def add_cell_gradients(cells, errors, gradient):
    """Add each window's errors, shape (n_windows, n_labels), to the gradients of its cells."""
    n_labels = errors.shape[1]
    for window in range(len(cells)):
        for slot in range(cells.shape[1]):
            cell = cells[window, slot]
            for label in range(n_labels):
                gradient[cell, label] += errors[window, label]


FEATURES = ("pairs", "labels", "both")
"""Values of the setting `features`."""

SOLVERS = ("lbfgs", "sgd")
"""Values of the setting `solver`."""


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of a first-order chain, or of one without order, that each feature has a weight for.

    Parameters
    ----------
    n_labels : int
    order : 0 or 1
    features : "pairs", "labels" or "both"
        Pairs are numbered by label before, START last, and label; labels come before them.
    """

    n_labels: int
    order: int
    features: str

    @property
    def has_pairs(self) -> bool:
        """Whether pairs of labels are among them."""
        return bool(self.order) and self.features != "labels"

    @property
    def n_extra(self) -> int:
        """Number of labels that come before pairs."""
        return self.n_labels if self.has_pairs and self.features == "both" else 0

    @property
    def size(self) -> int:
        """Number of outcomes."""
        return self.n_extra + (self.n_labels * (self.n_labels + 1) if self.has_pairs else self.n_labels)

    def n_weights(self, n_features: int) -> int:
        """Number of weights of so many features and of the pairs of labels by themselves."""
        return n_features * self.size + (self.n_labels**2 if self.order else 0)

    def part(self, weights: Floats) -> tuple[Floats, Floats]:
        """Weights of features, shape (n_features, size), and of pairs of labels by label before and label (views)."""
        n_pairs = self.n_labels**2 if self.order else 0
        of_features = weights[: len(weights) - n_pairs].reshape(-1, self.size)
        if not n_pairs:
            return of_features, np.zeros((self.n_labels, self.n_labels))
        return of_features, weights[-n_pairs:].reshape(self.n_labels, self.n_labels)

    def combined(self, scores: Floats) -> Floats:
        """Scores of windows by label, or by pair if there are pairs, from those by outcome: (n_windows, size)."""
        if not self.n_extra:
            return scores
        of_labels = np.tile(scores[:, : self.n_extra], self.n_labels + 1)
        return np.asarray(scores[:, self.n_extra :] + of_labels)

    def by_outcome(self, errors: Floats) -> Floats:
        """The gradient by outcome, shape (n_windows, size), from that by `combined` score."""
        if not self.n_extra:
            return errors
        of_labels = errors.reshape(len(errors), self.n_labels + 1, self.n_labels).sum(axis=1)
        return np.hstack([of_labels, errors])


def score_cells(cells: NDArray[np.uint32], cell_weights: Floats) -> Floats:
    """The sum of the weights of each window's cells, shape (n_positions, n_labels).

    `cells` are from `treecrf.models.linear.linear_crf.window_cells`; `cell_weights` has the shape (n_cells + 1,
    n_labels).
    """
    scores = np.empty((len(cells), cell_weights.shape[1]))
    score_windows(cells, cell_weights, scores)
    return scores


def window_chains(
    scores: Floats,
    transitions: Floats,
    offsets: Ints,
    possible: Bools,
) -> LatticeChains:
    """Chains of the labels that are possible; transitions are by label and label before, START last."""
    lattice = build_lattice(offsets, possible[None], np.zeros(len(scores), dtype=np.int64))
    return LatticeChains(lattice, Weights(scores[:, possible].ravel(), transitions, np.empty(0)))


VECTORS = {"lbfgs": 30, "sgd": 8}
"""Of as many numbers as there are weights, that each solver works with."""


@dataclass(eq=False, repr=False)
class LinearCRF(ChainLabeller):
    """Linear-chain CRF with a Gaussian prior, trained by L-BFGS: the BASELINE of PhD chapter 3.

    The potential is the sum of the weights of the window's cells, each of which has one for every pair of previous
    label and label (PhD equation 2.2: ``f_b(y_{t-1}, y_t, X)``, "3^2 x 13 x 20" weights), and of one weight for the
    pair itself: the tests that TreeCRF may use, without conjunctions of cells. Training maximizes ``log P(Y | X) -
    |w|^2 / (2 variance)`` (McCallum 2003, equation 2); labels that are not known are summed over (Tsuboi et al. 2008),
    with order 0 their positions left out.

    Parameters
    ----------
    variance : float
        Of the prior of every weight.
    window : (int, int)
        Observations before and after the position that the potentials see.
    features : "pairs", "labels" or "both"
        What a cell has weights for: pairs of previous label and label, where START stands before the first position;
        labels; or either. Pairs take as many times more memory as there are labels. With order 0 all are the same.
    solver : "lbfgs" or "sgd"
        L-BFGS, or averaged stochastic gradient descent (`treecrf.models.linear.stochastic`): on text a dozen iterations
        of it, each a pass over the sequences, do what a hundred of L-BFGS do. It takes the features "labels", with
        weights of pairs of labels that occur, and weights of positions that are equal within a sequence.
    order : 0 or 1
        Number of previous labels that the potentials see.
    max_iterations : int
        Most iterations.
    tolerance : float
        L-BFGS stops when an iteration gains less than this part of the objective.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, give it no weight,
        or refuse it.
    random_state : int or None
        None starts from no weights. A seed starts from weights drawn from a normal distribution: the spread over seeds
        shows how much of an accuracy is chance. It also draws the order of the sequences (None: as 0).
    start_noise : float
        Standard deviation of the perturbed start.
    keep_stages : bool
        Whether the weights after every iteration are kept, for `staged_predict` and its kin; otherwise the last ones
        alone.
    n_bins, min_count, anchors, class_weight : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    cell_weights_ : float64, shape (n_cells, n_outcomes)
        Cells as in `treecrf.trees.columns.Columns`. Outcomes are the labels, the pairs by label before (START last) and
        label, or labels and then pairs.
    transition_weights_ : float64, shape (n_labels, n_labels)
        By previous label and label.
    weights_history_ : float64, shape (n_iterations, n_weights)
        The weights after 1, 2, .. iterations, cells before transitions; of the last one alone unless `keep_stages`.
    objective_history_ : float64, shape (n_iterations + 1,)
        What is minimized, after 0, 1, .. iterations; in a pass of "sgd" each sequence counts before its step.
    seconds_ : dict
        CPU seconds of `fit` by phase: "windows", "gradient", "update".
    """

    variance: float = 10.0
    window: tuple[int, int] = (0, 0)
    order: int = 1
    features: str = "pairs"
    max_iterations: int = 200
    tolerance: float = 1e-9
    unseen: str = "missing"
    random_state: int | None = None
    start_noise: float = 0.01
    n_bins: int = FEW_BINS
    min_count: int = 1
    class_weight: ClassWeight = None
    anchors: AnchorSetting = None
    keep_stages: bool = False
    solver: str = "lbfgs"

    _fitted_arrays: ClassVar = {
        "weights_history": Annotated[Float64, "n_kept, n_weights", WEIGHTS, SOME],
        "objective_history": Annotated[Float64, "n_values", FINITE],
    }

    takes_unknown_labels = True
    takes_weights = True

    _judges = cast("tuple[Callable[[int, Floats], None], ...]", ())  # hear of iterations and their weights

    _parameter_constraints: ClassVar = {
        "variance": VARIANCE,
        "order": FIRST_ORDER,
        "features": one_of(*FEATURES),
        "solver": one_of(*SOLVERS),
        "max_iterations": SIZE,
        "tolerance": TOLERANCE,
        "random_state": optional(SEED),
        "start_noise": NOT_NEGATIVE,
        "keep_stages": FLAG,
    }

    # --- training -----------------------------------------------------------------------------------

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        from treecrf.models.linear.lbfgs import minimize_objective  # takes long to import, and training alone needs it

        seconds = {"windows": 0.0, "gradient": 0.0, "update": 0.0}
        began = time.thread_time()
        if self.order and weights is not None:
            refuse_mixed(labels, weights, train.offsets)
        unit, scaled = (1.0, None) if weights is None else in_units(weights)
        variance = unit * self.variance  # of what is minimized in units of weight
        objective = self._objective_of(train, labels, variance, scaled)
        seconds["windows"] = time.thread_time() - began
        began = time.thread_time()
        n_kept = self.max_iterations if self.keep_stages else 1
        n_all = len(objective.all_weights(np.zeros(objective.n_weights)))
        check_memory(
            8 * (objective.n_weights * VECTORS[self.solver] + n_all * n_kept),
            "the weights after every iteration" if self.keep_stages else "the weights",
            "give fewer max_iterations, a smaller window or a greater min_count",
        )
        start = draw_start(objective.n_weights, self.random_state, self.start_noise)
        history = np.empty((n_kept, n_all))  # pages that are not written to take no memory
        values = [unit * objective.value(start)]

        def note(weights: Floats, value: float) -> None:
            every = objective.all_weights(weights)
            history[len(values) - 1 if self.keep_stages else 0] = every
            values.append(unit * value)
            for judge in self._judges:
                judge(len(values) - 1, every)
            if monitor is not None:
                seconds["gradient"], elapsed = objective.seconds, time.thread_time() - began
                seconds["update"] = elapsed - objective.seconds
                penalty = dot(weights, weights) / (2 * variance)
                monitor(len(values) - 1, dict(seconds), unit * (penalty - value))

        if isinstance(objective, StochasticDescent):
            objective.minimize(start, self.max_iterations, self.random_state or 0, note)
            last = start
        else:
            last = minimize_objective(objective, start, self.max_iterations, self.tolerance, note)
        seconds["gradient"] = objective.seconds
        seconds["update"] = time.thread_time() - began - objective.seconds
        self.weights_history_ = (
            history[: min(len(values) - 1, n_kept)] if len(values) > 1 else objective.all_weights(last)[None]
        )
        self.objective_history_, self.seconds_ = np.array(values), seconds

    def _objective_of(
        self, train: SequenceSet, labels: Codes, variance: float, weights: Floats | None
    ) -> Objective | StochasticDescent:
        """What is minimized, by the features and the solver.

        Raises
        ------
        ValueError
            If the solver does not have the features, or takes no such weights.
        """
        outcomes = self._outcomes(len(train.label_names))
        if self.solver == "lbfgs":
            return Objective(train, labels, self.window, outcomes, variance, weights)
        if outcomes.has_pairs:
            raise ValueError(f"solver='sgd' has no features={self.features!r}; give features='labels'.")
        of_sequences = None if weights is None else equal_within(weights, train.offsets)
        cells = window_cells(train, self.window)
        return StochasticDescent(*cells, labels, train.offsets, outcomes.n_labels, self.order, variance, of_sequences)

    def fit_watched(
        self, train: SequenceSet, data: SequenceSet, watch: Watch, every: int = 1, weights: Floats | None = None
    ) -> None:
        """See `ChainLabeller`; marginals are taken while it trains, so that no weights but the last ones are kept."""
        outcomes = self._outcomes(len(train.label_names))
        aligned = self._learn_inputs(self._examples(train, None)[0]).apply(data, self.unseen)
        refuse_missing(data)
        cells, _ = window_cells(aligned, self.window)

        def judge(iteration: int, of_cells: Floats) -> None:
            if iteration % every == 0:
                watch(iteration, self._chains_of(cells, of_cells, outcomes, data.offsets).marginals())

        self._judges = (judge,)
        try:
            self.fit(train, sample_weight=weights)
        finally:
            self._judges = ()

    @property
    def cell_weights_(self) -> Floats:
        """The weights of cells after the last iteration, shape (n_cells, n_outcomes)."""
        return self._outcomes(len(self.label_names_)).part(self.weights_history_[-1])[0]

    @property
    def transition_weights_(self) -> Floats:
        """The weights of pairs of labels after the last iteration, shape (n_labels, n_labels)."""
        return self._outcomes(len(self.label_names_)).part(self.weights_history_[-1])[1]

    # --- prediction ---------------------------------------------------------------------------------

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[ScoredChains]:
        aligned = self._aligned(data)
        cells, _ = window_cells(aligned, self.window)
        for weights in kept_stages(self.weights_history_, self.keep_stages, every):
            yield self._chains_of(cells, weights, self._outcomes(len(self.label_names_)), data.offsets)

    def potentials(self, data: SequenceSet) -> Floats:
        return next(self._staged_chains(data)).potentials()

    def _coded_windows(self) -> CodedWindows | None:
        if self.inputs_.anchored is not None:
            return None
        from treecrf.models.streaming import CodedWindows

        first_cell = np.append(0, np.cumsum(slot_sizes(self.attributes_, self.window))[:-1])
        outcomes, weights = self._outcomes(len(self.label_names_)), self.weights_history_[-1]
        no_cells = np.empty((0, len(first_cell)), dtype=np.uint32)
        by_state = self._chains_of(no_cells, weights, outcomes, np.zeros(1, dtype=np.int64)).by_state
        of_cells, _ = outcomes.part(weights)

        def scores(codes: Ints) -> Floats:
            of_outcomes = np.empty((1, outcomes.size))
            score_windows((codes.ravel() + first_cell).astype(np.uint32)[None], of_cells, of_outcomes)
            return np.asarray(outcomes.combined(of_outcomes).reshape(-1, outcomes.n_labels).T + by_state)

        return CodedWindows(self._aligned, scores)

    # --- parts --------------------------------------------------------------------------------------

    def _outcomes(self, n_labels: int) -> Outcomes:
        return Outcomes(n_labels, self.order, self.features)

    def _chains_of(self, cells: NDArray[np.uint32], weights: Floats, outcomes: Outcomes, offsets: Ints) -> ScoredChains:
        of_cells, of_pairs = outcomes.part(weights)
        scores = np.empty((len(cells), outcomes.size))
        score_windows(cells, of_cells, scores)
        n_labels = outcomes.n_labels
        by_state = np.zeros((n_labels, chain.StateSpace(n_labels, self.order).n_states))
        if self.order:
            by_state[:, :n_labels] = of_pairs.T
        return ScoredChains(outcomes.combined(scores), by_state, offsets, self.order)

    def _sizes(self) -> dict[str, Any]:
        n_cells = int(slot_sizes(self.attributes_, self.window).sum())
        return super()._sizes() | {"n_weights": self._outcomes(len(self.label_names_)).n_weights(n_cells)}


class Objective:
    """The negative log likelihood of a training set with its Gaussian prior, and the gradient.

    Positions with the same window share its score, which is computed once.
    """

    def __init__(
        self,
        train: SequenceSet,
        labels: Codes,
        window: tuple[int, int],
        outcomes: Outcomes,
        variance: float,
        weights: Floats | None = None,
    ) -> None:
        cells, n_cells = window_cells(train, window)
        distinct, self._window_of = distinct_windows(cells)
        self._cells = cells[distinct]
        self._outcomes, self._variance = outcomes, float(variance)
        self._likelihood = likelihood_of(labels, outcomes.n_labels, train.offsets, outcomes.order, weights)
        self._n_cells = n_cells
        self._scores = np.empty((len(self._cells), outcomes.size))
        self.n_weights = outcomes.n_weights(n_cells)
        self.seconds = 0.0

    @staticmethod
    def all_weights(weights: Floats) -> Floats:
        """The weights of all cells and transitions."""
        return weights

    def value(self, weights: Floats) -> float:
        """What is minimized."""
        return self(weights)[0]

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """What is minimized, and its gradient, for weights of shape (n_weights,): cells, then transitions."""
        began = time.thread_time()
        of_cells, of_pairs = self._outcomes.part(weights)
        score_windows(self._cells, of_cells, self._scores)
        scores, transitions = self._outcomes.combined(self._scores), of_pairs.copy()
        errors, pair_gradient = np.empty_like(scores), np.empty_like(transitions)
        log_likelihood = self._likelihood.differentiate(scores, self._window_of, transitions, errors, pair_gradient)
        cell_gradient = np.zeros((self._n_cells + 1, self._outcomes.size))
        add_cell_gradients(self._cells, self._outcomes.by_outcome(errors), cell_gradient)
        gradient = weights / self._variance
        for part, observed in zip(self._outcomes.part(gradient), (cell_gradient[:-1], pair_gradient), strict=True):
            part -= observed
        value = dot(weights, weights) / (2 * self._variance) - log_likelihood
        self.seconds += time.thread_time() - began
        return value, gradient


def window_cells(data: SequenceSet, window: tuple[int, int]) -> tuple[NDArray[Any], int]:
    """The cells of each window, numbered as in `treecrf.trees.columns.Columns`, and how many cells there are.

    uint32, shape (n_positions, n_slots); a code that belongs to no cell has the number of cells.
    """
    first_cell = starts_of(slot_sizes(data.attributes, window))
    return number_cells(window_codes(data, window), first_cell), int(first_cell[-1])
