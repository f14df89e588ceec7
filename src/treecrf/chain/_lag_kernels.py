"""The compiled part of `treecrf.chain.lag`."""

from __future__ import annotations

import numpy as np
from numba import float64, int64

from treecrf.chain._trellis_kernels import TRELLIS, backward, forward, longest, place_of, write_marginals
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
