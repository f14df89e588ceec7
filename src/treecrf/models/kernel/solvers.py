"""The solvers by name, and the rule by which they stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from treecrf.models.kernel.blocks import block_jacobi, subspace
from treecrf.models.kernel.lbfgs import lbfgs
from treecrf.models.kernel.newton import newton
from treecrf.models.kernel.objective import Objective, Point

_HALVING = {"newton": newton, "subspace": subspace, "block_jacobi": block_jacobi}

SOLVERS = ("lbfgs", *_HALVING)

LOOK_BACK = 10
"""Iterations over which the objective has to change."""

RESOLVED = 1e-8
"""Part of the objective within which of the minimum a solver that finds no better point has converged."""

MOST_RISE = 10
"""Times the objective of the start beyond which a solver has diverged."""


def steps(solver: str, objective: Objective, step_halving: bool) -> Iterator[Point]:
    """The points after 0, 1, .. iterations of a solver of `SOLVERS`; they end where it finds no better one."""
    return lbfgs(objective) if solver == "lbfgs" else _HALVING[solver](objective, step_halving)


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
                f"has not converged after {iteration} iterations; give more max_iterations or a higher tolerance",
            )
    if objective.gap(last) <= RESOLVED * last.value:
        return last, None
    return last, f"stopped after {len(values) - 1} iterations, where rounding errors hide all descent"
