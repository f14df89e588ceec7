"""The objective of a kernel CRF, and the functions in the space of a kernel that it is minimized over.

A function is one row of numbers or two. Its inner product with another is the product of its first row with the other's
last row; everything else that solvers do with functions is linear, and is done to all rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from treecrf.models.linear.likelihood import differentiate

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Vector = NDArray[np.float64]


class Space(Protocol):
    """The space of a node kernel over the windows of a training set."""

    def lift(self, errors: NDArray[np.float64]) -> Vector:
        """The sum of the windows' kernel functions, weighted by `errors` (n_windows, n_labels); two-dimensional."""

    def scores(self, vector: Vector) -> NDArray[np.float64]:
        """A function's values at the windows, one column after another for each label."""


class Primal(NamedTuple):
    """Weights of features, whose inner products are the kernel: the metric of the weights is the Euclidean one.

    Attributes
    ----------
    features : sparse or dense, shape (n_windows, n_features)
    """

    features: csr_array | NDArray[np.float64]

    def lift(self, errors: NDArray[np.float64]) -> Vector:
        """See `Space`."""
        return (self.features.T @ errors).reshape(1, -1)

    def scores(self, vector: Vector) -> NDArray[np.float64]:
        """See `Space`."""
        return self.features @ vector.reshape(self.features.shape[1], -1)


class Dual(NamedTuple):
    """Coefficients of the windows' kernel functions, and in a second row their products with the kernel matrix.

    Attributes
    ----------
    n_windows : int
    multiply : callable
        The product of the kernel matrix and coefficients of shape (n_windows, n_labels).
    """

    n_windows: int
    multiply: Callable[[NDArray[np.float64]], NDArray[np.float64]]

    def lift(self, errors: NDArray[np.float64]) -> Vector:
        """See `Space`."""
        return np.stack([errors.ravel(), self.multiply(errors).ravel()])

    def scores(self, vector: Vector) -> NDArray[np.float64]:
        """See `Space`."""
        return vector[-1].reshape(self.n_windows, -1)


def space_of(features: csr_array | NDArray[np.float64]) -> Space:
    """The space of the kernel that is the inner product of features, in the fewer coordinates."""
    n_windows, n_features = features.shape
    if n_features <= n_windows:
        return Primal(features)
    if not isinstance(features, np.ndarray):
        features = features.tocsc()  # products then go through features in order, and jump among the fewer windows
    return Dual(n_windows, lambda coefficients: features @ (features.T @ coefficients))


def inner(a: Vector, b: Vector) -> float:
    """The inner product of two functions."""
    return float(a[0] @ b[-1])


class Chains(NamedTuple):
    """The sequences of a training set: windows, labels and lengths.

    Attributes
    ----------
    window_of : int32, shape (n_positions,)
    labels : int16, shape (n_positions,)
    offsets : int64, shape (n_sequences + 1,)
    n_windows, n_labels : int
    """

    window_of: NDArray[np.int32]
    labels: NDArray[np.int16]
    offsets: NDArray[np.int64]
    n_windows: int
    n_labels: int


class Evaluation(NamedTuple):
    """What the chains say of scores.

    Attributes
    ----------
    log_likelihood : float
    errors : float64, shape (n_windows, n_labels)
        Observed minus expected number of times that a window has a label.
    pair_errors : float64, shape (n_labels, n_labels)
        The same of pairs of a label and the next one.
    """

    log_likelihood: float
    errors: NDArray[np.float64]
    pair_errors: NDArray[np.float64]


class Point(NamedTuple):
    """A model on the way to the minimum: its coordinates, scores, objective and gradient."""

    vector: Vector
    scores: NDArray[np.float64]
    transitions: NDArray[np.float64]
    evaluation: Evaluation
    value: float
    gradient: Vector


class Objective:
    """``-log P(Y | X) + (|f|^2 + |W|^2 / transition_variance) / (2 variance)`` (equations 13 to 16 and 27).

    A model is a vector of the space of f, to which ``W / sqrt(transition_variance)`` is appended: in these coordinates
    the prior is one norm.
    """

    def __init__(self, space: Space, chains: Chains, variance: float, transition_variance: float) -> None:
        self.space, self.chains = space, chains
        self.variance, self.deviation = float(variance), float(np.sqrt(transition_variance))
        self.seconds = 0.0
        self._alphas = np.empty((len(chains.labels), chains.n_labels))

    def evaluate(self, scores: NDArray[np.float64], transitions: NDArray[np.float64]) -> Evaluation:
        """The log likelihood and its derivatives by scores, shape (n_windows, n_labels), and transitions."""
        began = time.thread_time()
        chains = self.chains
        errors, pair_errors = np.empty_like(scores), np.empty_like(transitions)
        log_likelihood = differentiate(
            scores, chains.window_of, transitions, chains.offsets, chains.labels, self._alphas, errors, pair_errors
        )
        self.seconds += time.thread_time() - began
        return Evaluation(log_likelihood, errors, pair_errors)

    def start(self) -> Point:
        """The model that is 0 everywhere."""
        shape = (self.chains.n_windows, self.chains.n_labels)
        evaluation = self.evaluate(np.zeros(shape), np.zeros((shape[1], shape[1])))
        lifted = self.lift(evaluation.errors, evaluation.pair_errors)
        return self._point(np.zeros_like(lifted), np.zeros(shape), np.zeros((shape[1],) * 2), evaluation, lifted)

    def lift(self, errors: NDArray[np.float64], pair_errors: NDArray[np.float64]) -> Vector:
        """The vector whose inner product with a model is that of the errors with its scores and transitions."""
        of_nodes = self.space.lift(errors)
        of_pairs = np.broadcast_to(self.deviation * pair_errors.ravel(), (len(of_nodes), pair_errors.size))
        return np.hstack([of_nodes, of_pairs])

    def split(self, vector: Vector) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores (n_windows, n_labels) and transitions (n_labels, n_labels) of a vector."""
        n_labels = self.chains.n_labels
        transitions = self.deviation * vector[0, -(n_labels**2) :].reshape(n_labels, n_labels)
        return np.ascontiguousarray(self.space.scores(vector[:, : -(n_labels**2)])), transitions

    def move(self, point: Point, direction: Vector, step: float, along: Line | None = None) -> Point:
        """The model a step further; `along` is the search that has looked there."""
        line = along or Line(self, point, direction)
        scores, transitions, evaluation = line.at(step)
        lifted = self.lift(evaluation.errors, evaluation.pair_errors)
        return self._point(point.vector + step * direction, scores, transitions, evaluation, lifted)

    def gap(self, point: Point) -> float:
        """Most that the objective can be above its minimum (lemma 9)."""
        return self.variance / 2 * inner(point.gradient, point.gradient)

    def dual_value(self, point: Point) -> float:
        """The dual's value at the model's path distributions, which no model's objective is below.

        It is their entropy minus ``variance / 2`` times the squared norm of the errors.
        """
        log_likelihood, errors, pair_errors = point.evaluation
        entropy = (errors * point.scores).sum() + (pair_errors * point.transitions).sum() - log_likelihood
        lifted = self.lift(errors, pair_errors)
        return float(entropy) - self.variance / 2 * inner(lifted, lifted)

    def _point(
        self,
        vector: Vector,
        scores: NDArray[np.float64],
        transitions: NDArray[np.float64],
        evaluation: Evaluation,
        lifted: Vector,
    ) -> Point:
        value = inner(vector, vector) / (2 * self.variance) - evaluation.log_likelihood
        return Point(vector, scores, transitions, evaluation, value, vector / self.variance - lifted)


class Line:
    """The objective along a direction from a point: values and slopes cost one pass over the chains each."""

    def __init__(self, objective: Objective, point: Point, direction: Vector) -> None:
        self._objective, self._point = objective, point
        self._scores, self._transitions = objective.split(direction)
        variance = objective.variance
        self._penalties = [
            inner(point.vector, point.vector) / (2 * variance),
            inner(point.vector, direction) / variance,
            inner(direction, direction) / (2 * variance),
        ]
        self.slope = inner(point.gradient, direction)
        self._step, self._found = 0.0, (point.scores, point.transitions, point.evaluation)

    def at(self, step: float) -> tuple[NDArray[np.float64], NDArray[np.float64], Evaluation]:
        """Scores and transitions after a step, and their evaluation."""
        if step != self._step:
            scores = self._point.scores + step * self._scores
            transitions = self._point.transitions + step * self._transitions
            self._step = step
            self._found = scores, transitions, self._objective.evaluate(scores, transitions)
        return self._found

    def value(self, step: float) -> float:
        """The objective after a step; infinite where it leaves the range of numbers."""
        constant, linear, square = self._penalties
        value = constant + step * (linear + step * square) - self.at(step)[2].log_likelihood
        return value if np.isfinite(value) else np.inf

    def derivative(self, step: float) -> float:
        """The derivative of the objective by the step."""
        _, linear, square = self._penalties
        _, errors, pair_errors = self.at(step)[2]
        gained = (errors * self._scores).sum() + (pair_errors * self._transitions).sum()
        return float(linear + 2 * step * square - gained)
