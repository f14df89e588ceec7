"""Labels of a stream: the marginals of a position from what is there so far and a few positions more (fixed-lag
smoothing).
"""

from __future__ import annotations

from collections import deque
from itertools import islice

import numpy as np
from numba import float64, int64
from numpy.typing import NDArray

from treecrf.chain._kernels import longest
from treecrf.chain._trellis_kernels import TRELLIS, backward, forward, place_of, write_marginals
from treecrf.chain.trellis import Trellis, check_reached
from treecrf.compiled.kernel import kernel


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


Array = NDArray[np.float64]


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


class LagSmoother:
    """`lagged_marginals` of one chain whose positions come one after another; of order 1 or more."""

    def __init__(self, n_labels: int, order: int, lag: int) -> None:
        self._n_labels, self._n_full, self._lag = n_labels, n_labels**order, lag
        self._steps: deque[Array] = deque()  # of positions without marginals so far
        self._alphas = np.zeros(1)  # logs, of the states before the first of these

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
        self._steps.append(steps)
        return self._settle() if len(self._steps) > self._lag else None

    def finish(self) -> list[Array]:
        """The marginals of the positions that are left, as the chain has ended."""
        return [self._settle() for _ in range(len(self._steps))]

    def _settle(self) -> Array:
        """The marginals of the first position that has none, given all others that are here."""
        betas: Array | None = None
        for steps in islice(reversed(self._steps), len(self._steps) - 1):
            after = 0.0 if betas is None else self._spread(betas, steps)
            betas = _relative(np.logaddexp.reduce(steps + after, axis=0))
        steps = self._steps.popleft()
        by_block = (self._alphas + steps).reshape(self._n_labels, -1, self._width(steps))
        self._alphas = _relative(np.logaddexp.reduce(by_block, axis=2).ravel())
        joint = self._alphas if betas is None else self._alphas + betas
        masses = np.exp(_relative(joint)).reshape(self._n_labels, -1).sum(axis=1)
        return np.asarray(masses / masses.sum())

    def _spread(self, betas: Array, steps: Array) -> Array:
        """What follows each step, from what follows the states that steps lead to."""
        return np.repeat(betas.reshape(self._n_labels, -1), self._width(steps), axis=1)

    def _width(self, steps: Array) -> int:
        """How many states lead to the same one, as they differ in their oldest label alone."""
        return self._n_labels if steps.shape[1] == self._n_full else 1


def _relative(logs: Array) -> Array:
    """Logs less the largest."""
    highest = logs.max()
    if highest == -np.inf:
        raise ValueError("no labelling of the stream is left, all are forbidden; allow more labels.")
    return logs - highest
