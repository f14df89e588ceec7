"""L-BFGS in the metric of a kernel's space.

SciPy's works in the Euclidean metric, for which a kernel matrix has to be factored. Here inner products are those of the
space, which cost nothing once a gradient is known, as its product with the kernel matrix is its second row.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator

import numpy as np

from treecrf.models.kernel.objective import Line, Objective, Point
from treecrf.models.kernel.spaces import Vector, inner

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
                np.zeros(1), np.ones(1), np.array([line.slope]), point.value,
            )  # fmt: skip
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
