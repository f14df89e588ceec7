"""Vector operations of L-BFGS, with sums in a fixed order: every processor gives the same bits."""

from __future__ import annotations

import numpy as np
from numba import float64, int64, void

from treecrf.compiled.kernel import kernel


@kernel(float64(float64[::1], float64[::1]))
def dot(first, second):
    """The inner product of two vectors, added from the first element to the last."""
    total = 0.0
    for i in range(len(first)):
        total += first[i] * second[i]
    return total


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
    shares = np.empty(n_kept)
    for place in range(n_kept - 1, -1, -1):
        row = (oldest + place) % n_memory
        shares[place] = dot(steps[row], direction) / dot(steps[row], changes[row])
        for i in range(n_weights):
            direction[i] -= shares[place] * changes[row, i]
    newest = (oldest + n_kept - 1) % n_memory
    scale = dot(steps[newest], changes[newest]) / dot(changes[newest], changes[newest])
    for i in range(n_weights):
        direction[i] *= scale
    for place in range(n_kept):
        row = (oldest + place) % n_memory
        share = shares[place] - dot(changes[row], direction) / dot(steps[row], changes[row])
        for i in range(n_weights):
            direction[i] += share * steps[row, i]
