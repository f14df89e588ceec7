"""Newton's method: steps by conjugate gradients, in the metric of a kernel's space."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from treecrf.models.kernel._covariance_kernels import covary, pair_marginals
from treecrf.models.kernel.objective import Line, Objective, Point
from treecrf.models.kernel.spaces import Vector, inner

Operator = Callable[[Vector], Vector]
"""A linear map of vectors, symmetric in the inner product of the space."""

SUFFICIENT = 1e-4
"""Part of the decrease that the slope promises with which a step is long enough (Armijo)."""

MOST_HALVINGS = 40
MOST_PRODUCTS = 500
"""Of the Hessian with a vector, for one step."""


class Curvature:
    """The Hessian at a point (equation 24): ``1 / variance`` plus covariances within whole sequences."""

    def __init__(self, objective: Objective, point: Point) -> None:
        chains = objective.chains
        self.objective = objective
        self.nodes: NDArray[np.float64] = np.empty((len(chains.labels), chains.n_labels))
        self.pairs: NDArray[np.float64] = np.empty((*self.nodes.shape, chains.n_labels))
        pair_marginals(point.scores, chains.window_of, point.transitions, chains.offsets, self.nodes, self.pairs)

    def times(self, vector: Vector) -> Vector:
        """The product of the Hessian and a vector."""
        chains = self.objective.chains
        scores, transitions = self.objective.split(vector)
        of_nodes, of_pairs = np.empty_like(scores), np.empty_like(transitions)
        covary(
            chains.window_of, chains.offsets, self.nodes, self.pairs, scores, np.ascontiguousarray(transitions),
            of_nodes, of_pairs,
        )  # fmt: skip
        return vector / self.objective.variance + self.objective.lift(of_nodes, of_pairs)


def newton(objective: Objective, step_halving: bool) -> Iterator[Point]:
    """The start, and the points after 1, 2, .. Newton steps."""
    point = objective.start()
    start = inner(point.gradient, point.gradient)
    while True:
        yield point
        hessian = Curvature(objective, point)
        direction = solve(hessian.times, -point.gradient, forcing(point.gradient, start))
        moved = take_step(objective, point, direction, step_halving)
        if moved is None:
            return
        point = moved


def forcing(gradient: Vector, start: float) -> float:
    """How exactly to solve for a step: the better, the smaller the gradient is beside that of the start."""
    return float(min(0.1, (inner(gradient, gradient) / start) ** 0.25)) if start else 0.1


def solve(operator: Operator, target: Vector, accuracy: float) -> Vector:
    """The solution of a positive definite system by conjugate gradients, one product for each iteration.

    It ends where the residual's norm is below `accuracy` times the target's.
    """
    solution = np.zeros_like(target)
    residual = target.copy()
    search = residual.copy()
    square = inner(residual, residual)
    enough = accuracy**2 * square
    for _ in range(MOST_PRODUCTS):
        if square <= enough:
            break
        product = operator(search)
        step = square / inner(search, product)
        solution += step * search
        residual -= step * product
        before, square = square, inner(residual, residual)
        search = residual + square / before * search
    return solution


def take_step(objective: Objective, point: Point, direction: Vector, step_halving: bool) -> Point | None:
    """The point a step further; with `step_halving` a half, a quarter .. as far until the objective falls enough.

    None where there is no such point but for rounding errors.
    """
    if not step_halving:
        return objective.move(point, direction, 1.0)
    line = Line(objective, point, direction)
    for halvings in range(MOST_HALVINGS if line.slope < 0 else 0):
        step = 0.5**halvings
        if line.value(step) <= point.value + SUFFICIENT * step * line.slope:
            return objective.move(point, direction, step, line)
    return None
