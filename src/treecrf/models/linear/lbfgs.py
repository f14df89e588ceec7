"""L-BFGS over an objective with gradient, whose sums have a fixed order: its weights do not depend on the processor.

Optimizers of libraries add in an order that the processor decides. Where rounding decides at which iteration training
stops, two machines then train two models.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import float64, int64, types, void

from treecrf.compiled.kernel import kernel
from treecrf.io.arrays import Floats
from treecrf.io.messages import counted, warn


@kernel(float64(float64[::1], float64[::1]))
def dot(first, second):
    """The inner product of two vectors, added from the first element to the last."""
    total = 0.0
    for i in range(len(first)):
        total += first[i] * second[i]
    return total


@kernel(types.UniTuple(float64, 2)(float64[::1], float64[::1], float64[::1]))
def two_dots(first, second, third):
    """The inner products of a vector with two others, added as `dot` adds them, in the time of one."""
    of_second = of_third = 0.0
    for i in range(len(first)):
        of_second += first[i] * second[i]
        of_third += first[i] * third[i]
    return of_second, of_third


@kernel(void(float64[::1], float64[:, ::1], float64[:, ::1], int64, int64, float64[::1]), allocates=True)
def find_direction(gradient, steps, changes, oldest, n_kept, direction):
    """Minus the approximate inverse Hessian times the gradient (Nocedal and Wright 2006, algorithm 7.4).

    Parameters
    ----------
    gradient : float64, shape (n_weights,)
    steps, changes : float64, shape (n_memory, n_weights)
        Of the last iterations: changes of the weights and of the gradient, in a ring.
    oldest, n_kept : int
        Row of the oldest one, and how many there are.
    direction : float64, shape (n_weights,)
        Overwritten.
    """
    n_memory, n_weights = steps.shape
    for i in range(n_weights):
        direction[i] = -gradient[i]
    if n_kept == 0:
        return
    shares, curvatures = np.empty(n_kept), np.empty(n_kept)
    for place in range(n_kept - 1, -1, -1):
        row = (oldest + place) % n_memory
        along, curvatures[place] = two_dots(steps[row], direction, changes[row])
        shares[place] = along / curvatures[place]
        for i in range(n_weights):
            direction[i] -= shares[place] * changes[row, i]
    newest = (oldest + n_kept - 1) % n_memory
    scale = curvatures[n_kept - 1] / dot(changes[newest], changes[newest])
    for i in range(n_weights):
        direction[i] *= scale
    for place in range(n_kept):
        row = (oldest + place) % n_memory
        share = shares[place] - dot(changes[row], direction) / curvatures[place]
        for i in range(n_weights):
            direction[i] += share * steps[row, i]


Objective = Callable[[Floats], tuple[float, Floats]]

N_MEMORY = 10
"""Iterations whose steps approximate the Hessian."""

DECREASE, CURVATURE = 1e-4, 0.9
"""Constants of the strong Wolfe conditions."""

MOST_TRIALS = 20
"""Evaluations of the objective in one line search."""


class _Point(NamedTuple):
    """A point on the line of a search: its step, value and slope along the line, weights and gradient."""

    step: float
    value: float
    slope: float
    weights: Floats
    gradient: Floats


def minimize_objective(
    objective: Objective,
    start: Floats,
    max_iterations: int,
    tolerance: float,
    note: Callable[[Floats, float], None],
) -> Floats:
    """The weights that L-BFGS reaches (Nocedal and Wright 2006, algorithm 7.5).

    It stops when an iteration gains at most the part `tolerance` of the objective, and calls `note` with weights and
    value after every iteration. It warns where the line search found no lower value although the gradient is not within
    rounding errors of 0.

    Raises
    ------
    ValueError
        Where the objective is not finite at the start.
    """
    value, gradient = objective(start)
    if not math.isfinite(value):
        raise ValueError(f"the objective is {value} at the start of training; lower the variance or start_noise.")
    here = _Point(0.0, value, 0.0, start.copy(), gradient)
    steps, changes = np.empty((N_MEMORY, len(start))), np.empty((N_MEMORY, len(start)))
    oldest = n_kept = 0
    direction = np.empty(len(start))
    n_done = 0
    while n_done < max_iterations:
        find_direction(here.gradient, steps, changes, oldest, n_kept, direction)
        slope = dot(here.gradient, direction)
        if slope == 0.0:
            break
        first = 1.0 if n_kept else min(1.0, 1.0 / math.sqrt(-slope))
        next_ = _search(objective, here._replace(step=0.0, slope=slope), direction, first) if slope < 0.0 else None
        if next_ is None:
            if n_kept:  # once more, downhill
                n_kept = 0
                continue
            _warn_unless_resolved(here, n_done)
            break
        n_done += 1
        note(next_.weights.copy(), next_.value)
        step, change = next_.weights - here.weights, next_.gradient - here.gradient
        if dot(step, change) > 0.0:
            row = (oldest + n_kept) % N_MEMORY
            steps[row], changes[row] = step, change
            oldest = (oldest + 1) % N_MEMORY if n_kept == N_MEMORY else oldest
            n_kept = min(n_kept + 1, N_MEMORY)
        gain, here = here.value - next_.value, next_
        if gain <= tolerance * max(abs(here.value), abs(here.value + gain), 1.0):
            break
    return here.weights


def _search(objective: Objective, start: _Point, direction: Floats, step: float) -> _Point | None:
    """A point that satisfies the strong Wolfe conditions (Nocedal and Wright 2006, algorithms 3.5 and 3.6); None
    without one.

    Where the trials are used up, the lowest point that decreases the objective enough is taken.
    """
    low, high = start, None  # the minimum is between them, once there is a high
    for _ in range(MOST_TRIALS):
        point = _evaluate(objective, start, direction, step)
        if point.value > start.value + DECREASE * step * start.slope or point.value >= low.value:
            high = point
        elif abs(point.slope) <= -CURVATURE * start.slope:
            return point
        else:
            if point.slope * (point.step - low.step) >= 0.0 or (
                high is not None and point.slope * (high.step - point.step) >= 0.0
            ):
                high = low
            low = point
        step = 2.0 * step if high is None else _between(low, high)
    return low if low.step > 0.0 else None


def _evaluate(objective: Objective, start: _Point, direction: Floats, step: float) -> _Point:
    weights = start.weights + step * direction
    value, gradient = objective(weights)
    if not math.isfinite(value):  # too far
        return _Point(step, math.inf, math.inf, weights, gradient)
    return _Point(step, value, dot(gradient, direction), weights, gradient)


def _between(low: _Point, high: _Point) -> float:
    """The minimum of the cubic through both points, kept a tenth of their distance away from either."""
    distance = high.step - low.step
    share = 0.5
    if math.isfinite(high.value):
        # in units of the distance, from the low point (Nocedal and Wright 2006, equation 3.59)
        mean = 3.0 * (low.value - high.value)
        slopes = low.slope * distance, high.slope * distance
        term = slopes[0] + slopes[1] + mean
        root = term * term - slopes[0] * slopes[1]
        if root >= 0.0:
            root = math.sqrt(root)
            denominator = slopes[1] - slopes[0] + 2.0 * root
            if denominator != 0.0:
                share = 1.0 - (slopes[1] + root - term) / denominator
    return low.step + min(max(share, 0.1), 0.9) * distance


def _warn_unless_resolved(here: _Point, n_done: int) -> None:
    """Warn where the gradient is larger than rounding errors of the objective explain."""
    resolved = np.sqrt(np.finfo(float).eps) * max(1.0, abs(here.value))
    if np.abs(here.gradient).max() > resolved:
        warn(f"L-BFGS stopped after {counted(n_done, 'iteration')}: its line search found no lower value.")
