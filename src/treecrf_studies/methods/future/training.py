"""Training of FutureFeatureMEMM: trees over local features in turn with new future features (PhD 5.3.2), each step by a
line search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar, root_scalar
from scipy.special import expit, logsumexp

from treecrf import chain
from treecrf.models.base import Monitor
from treecrf.models.boosted.training import CompleteGrower
from treecrf.sequences import SequenceSet
from treecrf.trees.best_first import Sample, make_problem
from treecrf.trees.columns import Columns
from treecrf.trees.forest import Evaluator, Tree
from treecrf.trees.packing import choose_packing, pack_sums
from treecrf.trees.splitting import ONE_VS_REST, gradient_leaves
from treecrf_studies.methods.future._bag_kernels import (
    instance_gradient,
    log_likelihood_along,
    residuals_of,
    slope_along,
)
from treecrf_studies.methods.future.features import (
    Bags,
    FutureFeature,
    columns_of,
    even_thresholds,
    thermometer,
    with_features,
)

_EVERYWHERE = np.zeros((0, 0), dtype=np.bool_)


@dataclass
class Side:
    """A data set during training: what trees see of it, and the scores given the true previous labels.

    Attributes
    ----------
    cut : SequenceSet
        From `cut_windows`, labelled.
    bags : Bags
    observed : int32, shape (n_positions,)
        The state that the true labels make before each position.
    scores : float64, shape (n_positions, n_labels)
    bits : list
        Thermometer codes of the features found.
    """

    cut: SequenceSet
    bags: Bags
    labels: NDArray[np.int16]
    observed: NDArray[np.int32]
    scores: NDArray[np.float64]
    bits: list[NDArray[np.int16]] = field(default_factory=list)

    def seen(self) -> SequenceSet:
        """Windows with the bits of all features."""
        return with_features(self.cut, self.bits)

    def values_of(self, tree: Tree, columns: Columns, space: chain.StateSpace) -> NDArray[np.float64]:
        """The value of a tree at every position, shape (n_positions,)."""
        values = np.zeros((len(self.labels), space.n_states))
        Evaluator(columns, space.labels_of_state, len(tree.values)).add(tree, values)
        return values[np.arange(len(values)), self.observed]

    def copy(self) -> Side:
        """The state of the training, to come back to."""
        return replace(self, scores=self.scores.copy(), bits=list(self.bits))

    def restore(self, saved: Side) -> None:
        """Come back to a copied state."""
        self.scores[:], self.bits[:] = saved.scores, saved.bits

    def log_likelihood(self) -> float:
        """Log likelihood of the labels (PhD equation 5.4)."""
        return float(log_likelihood_along(self.scores, self.scores, 0.0, self.labels))


class Pair(NamedTuple):
    """One label against the rest, at every position.

    Attributes
    ----------
    scores : float64, shape (n_positions, 2)
        Of the rest, and of the label.
    labels : int16, shape (n_positions,)
        1 where the label is the true one, else 0.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.int16]

    def direction(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What raises the label's score by `values`, shape (n_positions, 2)."""
        return np.column_stack([np.zeros(len(values)), values])

    def log_likelihood(self, values: NDArray[np.float64], weight: float) -> float:
        """Log likelihood with the label's score raised by `values`, weighted."""
        return float(log_likelihood_along(self.scores, self.direction(values), weight, self.labels))

    def residuals(self, values: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """``I(y_t = label) - P(y_t = label)`` there, shape (n_positions,)."""
        residuals = np.empty_like(self.scores)
        residuals_of(self.scores + weight * self.direction(values), self.labels, residuals)
        return np.ascontiguousarray(residuals[:, 1])


def one_against_rest(side: Side, label: int) -> Pair:
    """A label's scores beside those of all others together."""
    rest = logsumexp(np.delete(side.scores, label, axis=1), axis=1)
    return Pair(np.column_stack([rest, side.scores[:, label]]), (side.labels == label).astype(np.int16))


def tree_grower(
    columns: Columns,
    space: chain.StateSpace,
    states: NDArray[np.int32],
    max_leaves: int,
    l2_regularization: float,
) -> Callable[[NDArray[np.float64], NDArray[np.int64]], Tree]:
    """A function that grows a tree on gradients of n rows, the windows of `columns`.

    `states`, shape (n,), are those of the rows. The function takes the sums of gradients (float64, shape (n,)) and how
    many there are in each (int64, shape (n,); a row with none takes no part); a leaf's value is the sum of gradients
    over lambda plus their number.
    """
    n_rows = len(states)
    feature_types = np.full(columns.cells.shape[1] + space.order, ONE_VS_REST)
    everything = Sample(np.arange(n_rows, dtype=np.int32), _EVERYWHERE)
    rows = np.zeros((space.n_states, n_rows), dtype=np.int64)

    def grow(gradients: NDArray[np.float64], counts: NDArray[np.int64]) -> Tree:
        packing = choose_packing(n_rows, int(counts.sum()), 1)
        scale = float(np.abs(gradients).max()) or 1.0  # the gradients of bags are tiny, and packing is in fixed point
        rows[states, np.arange(n_rows)] = pack_sums(counts, gradients / scale, packing)
        problem = make_problem(columns, space, feature_types, max_leaves, gradient_leaves(l2_regularization), packing)
        tree = CompleteGrower(problem).grow(rows, everything)
        return tree._replace(values=scale * tree.values)

    return grow


_LADDER = tuple(4.0**i for i in range(-6, 41))
_FIRST_CONCAVE = 5  # 1/4: what lies below is one interval
_TOLERANCE = 1e-3  # of a step, relative to it


class Step(NamedTuple):
    """What a search finds.

    Attributes
    ----------
    step, value : float
        Step 0 and the value there, if no step is better.
    reach : float
        The largest step that the search needed: with a lower bound down to this one, it finds the same.
    """

    step: float
    value: float
    reach: float


def best_step(objective: Callable[[float], float], upper: float) -> Step:
    """Find a step of at most `upper` that maximizes an objective, which may have several maxima.

    Powers of 4 are tried first, since a good step may be of any size below the bound; then Brent's method searches
    between the neighbours of the best one.
    """
    steps = [0.0, *(step for step in _LADDER if step <= upper)]
    values = [objective(step) for step in steps]
    best = max(range(len(steps)), key=values.__getitem__)
    low, high = steps[max(best - 1, 0)], min(_LADDER[best], upper)  # the ladder's next rung
    optimum = minimize_scalar(
        lambda step: -objective(step), bounds=(low, high), method="bounded", options={"xatol": _TOLERANCE * high}
    )
    if -optimum.fun > values[best]:
        return Step(float(optimum.x), float(-optimum.fun), high)
    return Step(steps[best], values[best], high)


def best_concave_step(slope: Callable[[float], float], upper: float) -> tuple[float, float]:
    """The step of at most `upper` that maximizes a concave objective, from its slope, and the reach (see `Step`)."""
    if slope(0.0) <= 0.0:
        return 0.0, 0.0
    low = 0.0
    for rung in _LADDER[_FIRST_CONCAVE:]:
        high = min(rung, upper)
        if slope(high) <= 0.0:
            optimum = root_scalar(slope, bracket=(low, high), method="brentq", rtol=_TOLERANCE, xtol=_TOLERANCE * high)
            return float(optimum.root), high
        if high == upper:
            break
        low = high
    return upper, upper


_LEAST_GAIN = 1e-9  # of a log likelihood, relative to it; less is rounding


class Limits(NamedTuple):
    """The settings of the training, as in `treecrf_studies.methods.FutureFeatureMEMM`."""

    n_iterations: int
    max_leaves: int
    max_lower_leaves: int
    l2_regularization: float
    g0: float
    n_bins: int
    max_lower_iterations: int
    alpha_upper: float
    beta_upper: float
    eta_upper: float
    eta_start: float
    patience: int
    tolerance: float


class Stage(NamedTuple):
    """One change of the scores F.

    Attributes
    ----------
    trees : list of Tree
        What is added to the scores of the learnt labels, in their order; empty where a feature was found.
    features : list of FutureFeature
        What was found; their weighted Q are added to the scores.
    step : float
        alpha, or the largest eta.
    n_slots : int
        Window slots and bits that the trees could test.
    log_likelihood, validation_log_likelihood : float
        After the change.
    lower_steps : list of float
        The steps beta.
    """

    trees: list[Tree]
    features: list[FutureFeature]
    step: float
    n_slots: int
    log_likelihood: float
    validation_log_likelihood: float
    lower_steps: list[float]


class FutureTraining:
    """One training run; the CPU seconds of its phases are added to `seconds`.

    Only the labels in `learnt` have a score; the others' is 0. ``reach`` has, for "alpha", "beta" and "eta", the lowest
    upper bound with which this training is the same.
    """

    def __init__(
        self,
        train: Side,
        validation: Side,
        space: chain.StateSpace,
        learnt: tuple[int, ...],
        limits: Limits,
        seconds: dict[str, float],
        monitor: Monitor | None,
    ) -> None:
        self._train, self._validation, self._space = train, validation, space
        self._learnt, self._limits, self._seconds, self._monitor = learnt, limits, seconds, monitor
        self._residuals = np.empty_like(train.scores)
        self.reach = dict.fromkeys(("alpha", "beta", "eta"), 0.0)

    def run(self) -> list[Stage]:
        """Alternate until neither more trees nor a new feature raise the validation likelihood."""
        most = self._limits.n_iterations
        stages: list[Stage] = []
        self._keep(stages, self._grow_until_no_better(most))
        while len(stages) < most:
            best, sides = self._validation.log_likelihood(), (self._train, self._validation)
            saved = [side.copy() for side in sides]
            feature = self._discover()
            if feature is None:
                break
            added = [feature, *self._grow_until_no_better(most - len(stages) - 1)]
            if self._validation.log_likelihood() <= best:
                for side, copy in zip(sides, saved, strict=True):
                    side.restore(copy)
                break
            self._keep(stages, added)
        return stages

    def _keep(self, stages: list[Stage], added: list[Stage]) -> None:
        for stage in added:
            stages.append(stage)
            if self._monitor is not None:
                self._monitor(len(stages), dict(self._seconds), stage.log_likelihood)

    # --- first option: trees over local features and the bits of features ---------------------------

    def _grow_until_no_better(self, most: int) -> list[Stage]:
        """Add trees while the validation likelihood rises, with some patience; what came after its peak is dropped."""
        begin = time.thread_time()
        train, validation = self._train, self._validation
        columns, validation_columns, grow = self._prepare()
        stages: list[Stage] = []
        best, n_best, saved = validation.log_likelihood(), 0, (train.scores.copy(), validation.scores.copy())
        while len(stages) < min(most, n_best + self._limits.patience):
            residuals_of(train.scores, train.labels, self._residuals)
            trees = [grow(self._residuals[:, label]) for label in self._learnt]
            direction = self._values_of(train, trees, columns)
            before = train.log_likelihood()
            step, value = self._concave_step("alpha", train.scores, direction, train.labels)
            if value - before <= _LEAST_GAIN * abs(before):
                break
            train.scores += step * direction
            validation.scores += step * self._values_of(validation, trees, validation_columns)
            reached = validation.log_likelihood()
            scaled = [tree._replace(values=step * tree.values) for tree in trees]
            stages.append(Stage(scaled, [], step, len(columns.first_cell) - 1, value, reached, []))
            if reached > best + self._limits.tolerance * abs(best):
                best, n_best, saved = reached, len(stages), (train.scores.copy(), validation.scores.copy())
        train.scores[:], validation.scores[:] = saved
        self._seconds["trees"] += time.thread_time() - begin
        return stages[:n_best]

    def _prepare(self) -> tuple[Columns, Columns, Callable[[NDArray[np.float64]], Tree]]:
        """Columns of both sets with the features found so far, and what grows a tree on gradients of positions."""
        seen = self._train.seen()
        columns = columns_of(seen)
        grow = tree_grower(
            columns, self._space, self._train.observed, self._limits.max_leaves, self._limits.l2_regularization
        )
        ones = np.ones(len(self._train.labels), dtype=np.int64)
        return columns, columns_of(self._validation.seen()), lambda gradients: grow(gradients, ones)

    def _values_of(self, side: Side, trees: list[Tree], columns: Columns) -> NDArray[np.float64]:
        """What one tree for each learnt label adds to the scores, shape (n_positions, n_labels)."""
        values = np.zeros_like(side.scores)
        for label, tree in zip(self._learnt, trees, strict=True):
            values[:, label] = side.values_of(tree, columns, self._space)
        return values

    # --- second option: a new feature for each learnt label -----------------------------------------

    def _discover(self) -> Stage | None:
        """Learn features from what the scores leave unexplained and add them; None if none helps."""
        begin = time.thread_time()
        features, lower_steps = [], []
        for label in self._learnt:
            learnt = self._learn_feature(label)
            if learnt is not None:
                features.append(learnt[0])
                lower_steps += learnt[1]
        self._seconds["features"] += time.thread_time() - begin
        if not features:
            return None
        values = self._train.log_likelihood(), self._validation.log_likelihood()
        return Stage([], features, max(f.weight for f in features), 0, *values, lower_steps)

    def _learn_feature(self, label: int) -> tuple[FutureFeature, list[float]] | None:
        """Boost G for one label, then weigh and add what it says (PhD proposition 5.2).

        Only the score of this label changes, so the others act as one: the problem has two labels, as in the text.
        """
        limits, bags, pair = self._limits, self._train.bags, one_against_rest(self._train, label)
        scores = np.full(len(bags.columns.cells), float(limits.g0))
        grow = tree_grower(
            bags.columns,
            chain.StateSpace(1, 0),
            np.zeros(len(scores), dtype=np.int32),
            limits.max_lower_leaves,
            limits.l2_regularization,
        )
        sums, counts = np.empty(len(scores)), np.empty(len(scores), dtype=np.int64)
        trees: list[Tree] = []
        steps: list[float] = []

        def value_after(along: NDArray[np.float64], step: float) -> float:
            return pair.log_likelihood(bags.probabilities(scores + step * along), limits.eta_start)

        reached = value_after(np.zeros(len(scores)), 0.0)
        while len(trees) < limits.max_lower_iterations:
            probabilities = bags.probabilities(scores)
            instance_gradient(
                pair.residuals(probabilities, limits.eta_start),
                probabilities,
                expit(scores),
                bags.offsets,
                bags.instance_offsets,
                bags.size,
                sums,
                counts,
            )
            if not counts.any():  # no position has a later instance
                break
            tree = grow(limits.eta_start * sums, counts)
            along = bags.values_of(tree)
            step, value, needed = best_step(partial(value_after, along), limits.beta_upper)
            self.reach["beta"] = max(self.reach["beta"], needed)
            if value - reached <= _LEAST_GAIN * abs(reached):
                break
            reached = value
            scores += step * along
            trees.append(tree._replace(values=step * tree.values))
            steps.append(step)
        return self._add_feature(label, pair, tuple(trees), scores, steps) if trees else None

    def _add_feature(
        self, label: int, pair: Pair, trees: tuple[Tree, ...], scores: NDArray[np.float64], steps: list[float]
    ) -> tuple[FutureFeature, list[float]] | None:
        """Search the weight eta and let both sets see the feature."""
        probabilities = self._train.bags.probabilities(scores)
        weight, value = self._concave_step("eta", pair.scores, pair.direction(probabilities), pair.labels)
        if value <= pair.log_likelihood(probabilities, 0.0):
            return None
        thresholds = even_thresholds(probabilities, self._limits.n_bins)
        feature = FutureFeature(label, self._limits.g0, trees, weight, thresholds)
        for side in (self._train, self._validation):
            probabilities = side.bags.probabilities(side.bags.scores(feature))
            side.scores[:, label] += weight * probabilities
            side.bits.append(thermometer(probabilities, thresholds))
        return feature, steps

    def _concave_step(
        self, name: str, scores: NDArray[np.float64], direction: NDArray[np.float64], labels: NDArray[np.int16]
    ) -> tuple[float, float]:
        """The best weight of what is added to scores, alpha or eta, and the likelihood there."""
        upper = getattr(self._limits, f"{name}_upper")
        step, needed = best_concave_step(lambda step: slope_along(scores, direction, step, labels), upper)
        self.reach[name] = max(self.reach[name], needed)
        return step, log_likelihood_along(scores, direction, step, labels)
