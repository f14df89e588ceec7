"""The marginals of a position from what is there so far and a few positions more (fixed-lag smoothing)."""

from __future__ import annotations

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
