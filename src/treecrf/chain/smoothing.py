"""Fixed-lag smoothing: the marginals of a position from what is there so far and a few positions more; of whole chains,
and of one whose positions come one after another, as those of a stream do.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64
from numpy.typing import NDArray

from treecrf.chain._kernels import longest
from treecrf.chain.trellis import TRELLIS, Trellis, backward, check_reached, forward, place_of, write_marginals
from treecrf.compiled.kernel import kernel

Array = NDArray[np.float64]


@kernel(int64(TRELLIS, int64, float64[:, ::1]), error_model="numpy", allocates=True)
def infer_lagged(trellis, lag, marginals):
    """Marginals of each position in the chain that ends `lag` places later, if it has not ended before.

    Returns the first position that no path reaches the end of, or -1.
    """
    n_full, n_places = trellis.unary.shape[1] ** trellis.order, longest(trellis.offsets) + 1
    alphas, betas, scales = np.empty((n_places, n_full)), np.empty((n_places, n_full)), np.empty(n_places)
    for sequence in range(len(trellis.offsets) - 1):
        begin = trellis.offsets[sequence]
        length = trellis.offsets[sequence + 1] - begin
        stopped = forward(trellis, sequence, alphas, scales)
        if stopped >= 0:
            return begin + stopped
        for t in range(length):
            end = min(t + lag, length - 1) + 1
            if end < length or t == 0 or t + lag == length - 1:  # later positions see the same end
                backward(trellis, sequence, t + 1, end, scales, betas)
            _, _, _, per_label, _ = place_of(trellis, t)
            write_marginals(per_label, alphas[t + 1], betas[t + 1], marginals[begin + t])
    return -1


def lagged_marginals(trellis: Trellis, lag: int) -> Array:
    """P(y_t | potentials of the positions up to t + lag), shape (n_positions, n_labels).

    It is the marginal of y_t in the chain that is cut after position t + lag: the forward recursion up to there and the
    backward one over `lag` steps. With a lag of a sequence's length or more it is the marginal of the whole chain.

    Raises
    ------
    ValueError
        If a sequence has no path.
    """
    marginals = np.empty(trellis.unary.shape)
    check_reached(trellis, infer_lagged(trellis, min(lag, len(marginals)), marginals))
    return marginals


@kernel(
    int64(float64[:, :, ::1], int64[::1], int64, int64, float64[::1], float64[::1]), error_model="numpy", allocates=True
)
def settle(ring, depths, first, n_steps, alphas, marginals):
    """Write the marginals of the first of some positions, given the others, and move `alphas` beyond it.

    Parameters
    ----------
    ring : float64, shape (n_places, n_labels, n_full)
        The steps of `n_steps` positions from place `first` on, in a circle.
    depths : int64, shape (n_places,)
        How many states there are before each.
    first, n_steps : int
    alphas : float64, shape (n_full,)
        Logs, of the states before the first position; those after it when this returns.
    marginals : float64, shape (n_labels,)
        Overwritten.

    Returns
    -------
    int
        0 if no path is left, else 1.
    """
    n_places, n_labels, n_full = ring.shape
    betas, moved = np.zeros(n_full), np.empty(n_full)
    for k in range(n_steps - 1, 0, -1):
        place = (first + k) % n_places
        n_states = depths[place]
        width = n_labels if n_states == n_full else 1  # states that differ in their oldest label lead to the same one
        top = -np.inf
        for state in range(n_states):
            highest, total = -np.inf, 0.0
            for label in range(n_labels):
                highest = max(highest, ring[place, label, state] + betas[(label * n_states + state) // width])
            if highest > -np.inf:
                for label in range(n_labels):
                    total += np.exp(ring[place, label, state] + betas[(label * n_states + state) // width] - highest)
                highest += np.log(total)
            moved[state] = highest
            top = max(top, highest)
        if top == -np.inf:
            return 0
        for state in range(n_states):
            betas[state] = moved[state] - top
    n_states = depths[first]
    width = n_labels if n_states == n_full else 1
    n_after, top, top_joint = n_labels * n_states // width, -np.inf, -np.inf
    for after in range(n_after):
        label, begin = after * width // n_states, after * width % n_states
        highest, total = -np.inf, 0.0
        for state in range(begin, begin + width):
            highest = max(highest, alphas[state] + ring[first, label, state])
        if highest > -np.inf:
            for state in range(begin, begin + width):
                total += np.exp(alphas[state] + ring[first, label, state] - highest)
            highest += np.log(total)
        moved[after] = highest
        top, top_joint = max(top, highest), max(top_joint, highest + betas[after])
    if top_joint == -np.inf:
        return 0
    total = 0.0
    for label in range(n_labels):
        marginals[label] = 0.0
        for after in range(label * n_after // n_labels, (label + 1) * n_after // n_labels):
            marginals[label] += np.exp(moved[after] + betas[after] - top_joint)
        total += marginals[label]
    for label in range(n_labels):
        marginals[label] /= total
    for after in range(n_after):
        alphas[after] = moved[after] - top
    return 1


class LagSmoother:
    """`lagged_marginals` of one chain whose positions come one after another; of order 1 or more."""

    def __init__(self, n_labels: int, order: int, lag: int) -> None:
        self._lag, n_full = lag, n_labels**order
        self._alphas = np.zeros(n_full)  # of the states before the first position without marginals
        self._ring, self._depths = np.empty((1, n_labels, n_full)), np.empty(1, dtype=np.int64)
        self._first = self._n_steps = 0

    def push(self, steps: Array) -> Array | None:
        """Take the potentials of the next position; give the marginals, shape (n_labels,), of the one `lag` before, if
        any.

        Parameters
        ----------
        steps : float64, shape (n_labels, n_states)
            Of a label after each state that may stand before it (`treecrf.chain.StateSpace`), counted within their
            depth; minus infinity of a step that is forbidden.

        Raises
        ------
        ValueError
            If no path is left.
        """
        if self._n_steps == len(self._ring):
            self._widen()
        place = (self._first + self._n_steps) % len(self._ring)
        self._depths[place] = n_states = steps.shape[1]
        self._ring[place, :, :n_states] = steps
        self._n_steps += 1
        return self._settle() if self._n_steps > self._lag else None

    def finish(self) -> list[Array]:
        """The marginals of the positions that are left, as the chain has ended."""
        return [self._settle() for _ in range(self._n_steps)]

    def _widen(self) -> None:
        """Make place for as many positions again, and no more than wait at a time."""
        n_places = min(2 * len(self._ring), self._lag + 1)
        ring, depths = np.empty((n_places, *self._ring.shape[1:])), np.empty(n_places, dtype=np.int64)
        ring[: self._n_steps] = np.roll(self._ring, -self._first, axis=0)
        depths[: self._n_steps] = np.roll(self._depths, -self._first)
        self._ring, self._depths, self._first = ring, depths, 0

    def _settle(self) -> Array:
        """The marginals of the first position that has none, given all others that are here."""
        marginals = np.empty(self._ring.shape[1])
        if not settle(self._ring, self._depths, self._first, self._n_steps, self._alphas, marginals):
            raise ValueError("no labelling of the stream is left, all are forbidden; allow more labels.")
        self._first, self._n_steps = (self._first + 1) % len(self._ring), self._n_steps - 1
        return marginals
