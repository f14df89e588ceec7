"""Solvers that take the functions of windows and the weights of label pairs for two blocks of the Hessian."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from treecrf.models.kernel.newton import Curvature, forcing, solve, take_step
from treecrf.models.kernel.objective import Objective, Point
from treecrf.models.kernel.spaces import Vector, inner


def subspace(objective: Objective, step_halving: bool) -> Iterator[Point]:
    """Subspace descent (corollary 10): Newton steps in one block, that with the larger gradient.

    Half the variance times the gradient's squared norm bounds what a block can gain.
    """
    point = objective.start()
    start = inner(point.gradient, point.gradient)
    while True:
        yield point
        hessian = Curvature(objective, point)
        parts = [_part(objective, point.gradient, nodes) for nodes in (True, False)]
        largest = int(np.argmax([inner(part, part) for part in parts]))
        operator = partial(_within_sequences, hessian, largest == 0)
        direction = solve(operator, -parts[largest], forcing(parts[largest], start))
        moved = take_step(objective, point, direction, step_halving)
        if moved is None:
            return
        point = moved


def block_jacobi(objective: Objective, step_halving: bool) -> Iterator[Point]:
    """Steps in both blocks at once, with covariances within a position or pair alone (equation 30)."""
    point = objective.start()
    start = inner(point.gradient, point.gradient)
    while True:
        yield point
        hessian = Curvature(objective, point)
        of_nodes = _part(objective, point.gradient, True)
        direction = solve(partial(_within_positions, hessian), -of_nodes, forcing(of_nodes, start))
        n_pairs = objective.chains.n_labels**2
        direction[:, -n_pairs:] = -np.linalg.solve(_within_pairs(hessian), point.gradient[0, -n_pairs:])
        moved = take_step(objective, point, direction, step_halving)
        if moved is None:
            return
        point = moved


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
