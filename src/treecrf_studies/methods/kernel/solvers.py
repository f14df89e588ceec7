"""Solvers of the objective: L-BFGS, Newton steps by conjugate gradients, and Newton steps in blocks.

L-BFGS is in the metric of the kernel's space. SciPy's works in the Euclidean metric, for which a kernel matrix has to
be factored. Here inner products are those of the space, which cost nothing once a gradient is known, as its product
with the kernel matrix is its second row.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from treecrf.chain import pairwise_marginals
from treecrf.io.messages import counted
from treecrf_studies.methods.kernel._covariance_kernels import covary
from treecrf_studies.methods.kernel.objective import Line, Objective, Point, Vector, inner

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
        steps = np.pad(point.transitions.T, ((0, 0), (0, 1)))  # the first label has no weight
        potentials = point.scores.T[:, chains.window_of, None] + steps[:, None, :]
        marginals = pairwise_marginals(potentials, chains.offsets, 1)
        self.nodes: NDArray[np.float64] = np.ascontiguousarray(marginals.sum(axis=2).T)
        self.pairs: NDArray[np.float64] = np.ascontiguousarray(marginals[:, :, :-1].transpose(1, 2, 0))

    def times(self, vector: Vector) -> Vector:
        """The product of the Hessian and a vector."""
        chains = self.objective.chains
        scores, transitions = self.objective.split(vector)
        of_nodes, of_pairs = np.empty_like(scores), np.empty_like(transitions)
        covary(
            chains.window_of,
            chains.offsets,
            self.nodes,
            self.pairs,
            scores,
            np.ascontiguousarray(transitions),
            of_nodes,
            of_pairs,
        )
        return vector / self.objective.variance + self.objective.lift(of_nodes, of_pairs)


Direction = Callable[[Objective, Curvature, Vector, float], Vector]
"""From the Hessian and the gradient at a point, and the square of the gradient's norm at the start."""


def _descend(find_direction: Direction, objective: Objective, step_halving: bool) -> Iterator[Point]:
    """The start, and the points after 1, 2, .. steps in the directions found."""
    point = objective.start()
    start = inner(point.gradient, point.gradient)
    while True:
        yield point
        direction = find_direction(objective, Curvature(objective, point), point.gradient, start)
        moved = take_step(objective, point, direction, step_halving)
        if moved is None:
            return
        point = moved


def newton(_: Objective, hessian: Curvature, gradient: Vector, start: float) -> Vector:
    """A Newton step."""
    return solve(hessian.times, -gradient, forcing(gradient, start))


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


N_PAIRS = 10
"""Steps that the approximation of the Hessian remembers."""


def lbfgs(objective: Objective) -> Iterator[Point]:
    """The start, and the points after 1, 2, .. iterations; it ends where rounding errors hide all descent."""
    from scipy.optimize import line_search  # takes long to import

    point = objective.start()
    pairs: deque[tuple[Vector, Vector, float]] = deque(maxlen=N_PAIRS)
    while True:
        yield point
        length = np.sqrt(inner(point.gradient, point.gradient))
        if length == 0:
            return
        direction = _direction(point.gradient, pairs) if pairs else -point.gradient / length
        line = Line(objective, point, direction)
        if line.slope >= 0:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its failure is its result, too
            step, *_ = line_search(
                lambda t, line=line: line.value(float(t[0])),
                lambda t, line=line: np.array([line.derivative(float(t[0]))]),
                np.zeros(1),
                np.ones(1),
                np.array([line.slope]),
                point.value,
            )
        if step is None:
            return
        moved = objective.move(point, direction, float(step), line)
        change = moved.gradient - point.gradient
        curvature = float(step) * inner(direction, change)
        if curvature > 0:
            pairs.append((float(step) * direction, change, curvature))
        point = moved


def _direction(gradient: Vector, pairs: deque[tuple[Vector, Vector, float]]) -> Vector:
    """The two loops of L-BFGS (Nocedal and Wright 2006, algorithm 7.4)."""
    direction = -gradient
    parts = []
    for step, change, curvature in reversed(pairs):
        part = inner(step, direction) / curvature
        direction -= part * change
        parts.append(part)
    _, change, curvature = pairs[-1]
    direction *= curvature / inner(change, change)
    for (step, change, curvature), part in zip(pairs, reversed(parts), strict=True):
        direction += (part - inner(change, direction) / curvature) * step
    return direction


def subspace(objective: Objective, hessian: Curvature, gradient: Vector, start: float) -> Vector:
    """Subspace descent (corollary 10): a Newton step in one block, that with the larger gradient.

    Half the variance times the gradient's squared norm bounds what a block can gain.
    """
    parts = [_part(objective, gradient, nodes) for nodes in (True, False)]
    largest = int(np.argmax([inner(part, part) for part in parts]))
    operator = partial(_within_sequences, hessian, largest == 0)
    return solve(operator, -parts[largest], forcing(parts[largest], start))


def block_jacobi(objective: Objective, hessian: Curvature, gradient: Vector, start: float) -> Vector:
    """A step in both blocks at once, with covariances within a position or pair alone (equation 30)."""
    of_nodes = _part(objective, gradient, True)
    direction = solve(partial(_within_positions, hessian), -of_nodes, forcing(of_nodes, start))
    n_pairs = objective.chains.n_labels**2
    direction[:, -n_pairs:] = -np.linalg.solve(_within_pairs(hessian), gradient[0, -n_pairs:])
    return direction


def _part(objective: Objective, vector: Vector, nodes: bool) -> Vector:
    """A vector with 0 in the other block."""
    part, n_pairs = vector.copy(), objective.chains.n_labels**2
    part[:, slice(-n_pairs, None) if nodes else slice(0, -n_pairs)] = 0.0
    return part


def _within_sequences(hessian: Curvature, nodes: bool, vector: Vector) -> Vector:
    """The product of the Hessian of one block and a vector of that block."""
    return _part(hessian.objective, hessian.times(vector), nodes)


def _within_positions(hessian: Curvature, vector: Vector) -> Vector:
    """The product of a vector of nodes and the Hessian whose positions do not covary."""
    objective, chains = hessian.objective, hessian.objective.chains
    scores, transitions = objective.split(vector)
    shares = hessian.nodes * scores[chains.window_of]
    shares -= hessian.nodes * shares.sum(axis=1, keepdims=True)
    of_windows = np.zeros_like(scores)
    np.add.at(of_windows, chains.window_of, shares)
    return vector / objective.variance + objective.lift(of_windows, np.zeros_like(transitions))


def _within_pairs(hessian: Curvature) -> NDArray[np.float64]:
    """The Hessian of the pair weights, whose places do not covary, in the coordinates of vectors."""
    objective = hessian.objective
    pairs = hessian.pairs.reshape(len(hessian.pairs), -1)
    covariance = np.diag(pairs.sum(axis=0)) - pairs.T @ pairs
    return np.eye(len(covariance)) / objective.variance + objective.deviation**2 * covariance


_DIRECTIONS: dict[str, Direction] = {"newton": newton, "subspace": subspace, "block_jacobi": block_jacobi}

SOLVERS = ("lbfgs", *_DIRECTIONS)

LOOK_BACK = 10
"""Iterations over which the objective has to change."""

RESOLVED = 1e-8
"""Part of the objective within which of the minimum a solver that finds no better point has converged."""

MOST_RISE = 10
"""Times the objective of the start beyond which a solver has diverged."""


def steps(solver: str, objective: Objective, step_halving: bool) -> Iterator[Point]:
    """The points after 0, 1, .. iterations of a solver of `SOLVERS`; they end where it finds no better one."""
    return lbfgs(objective) if solver == "lbfgs" else _descend(_DIRECTIONS[solver], objective, step_halving)


def follow(
    points: Iterator[Point], objective: Objective, max_iterations: int, tolerance: float, note: Callable[[Point], None]
) -> tuple[Point, str | None]:
    """Take points until one is good enough, and call `note` with each.

    Returns
    -------
    point : Point
        The last one.
    problem : str or None
        What has gone wrong, the rest of a sentence about the solver.
    """
    values: list[float] = []
    last = next(points)
    for iteration, point in enumerate(chain([last], points)):
        if not np.isfinite(point.value) or (values and point.value > MOST_RISE * values[0]):
            return last, f"diverged at iteration {iteration}; set step_halving=True, or take another solver"
        last = point
        values.append(point.value)
        note(point)
        if objective.gap(point) <= 100 * tolerance * point.value:
            return last, None
        if len(values) > LOOK_BACK and abs(values[-1 - LOOK_BACK] - point.value) <= tolerance * point.value:
            return last, None
        if iteration == max_iterations:
            return (
                last,
                f"has not converged after {counted(iteration, 'iteration')}; give more max_iterations or a higher "
                "tolerance",
            )
    if objective.gap(last) <= RESOLVED * last.value:
        return last, None
    return last, f"stopped after {counted(len(values) - 1, 'iteration')}, where rounding errors hide all descent"
