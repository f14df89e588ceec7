"""Functional gradient of the log likelihood (PhD proposition 3.1), from potentials kept as exp(F).

The recursions are those of `treecrf.chain`, whose numbering of states they use. Here they run on
``E = exp(F)``, which training keeps and multiplies, so no exponential is taken, and the backward pass writes
the packed gradients that tree growing sums.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import float64, int16, int32, int64, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.trees.packing import PACKING, pack

_TINY, _HUGE = 1e-200, 1e200  # a product of ratios is logged before it leaves this range

SHARED = (float64[:, :, ::1], int64[::1], int64, int64, int16[::1], int32[::1])
"""Types of the parameters that all kernels of gradients begin with: exponentials to observed."""


@kernel(int64(int64, int64, int64))
def first_state(n_labels, order, depth):
    """Number of the first state of a depth (`treecrf.chain.StateSpace`)."""
    base = 0
    for deeper in range(depth + 1, order + 1):
        base += n_labels**deeper
    return base


@kernel(void(float64[:, :, ::1], int64, int64, int64, float64[:, ::1], float64[::1]), error_model="numpy")
def _forward_early(exponentials, begin, position, order, alphas, scales):
    """One step of the forward recursion where some previous labels are START."""
    n_labels = len(exponentials)
    depth = position - begin
    n_valid = n_labels**depth
    base = first_state(n_labels, order, depth)
    scale = 0.0
    for label in range(n_labels):
        for state in range(n_valid):
            value = exponentials[label, position, base + state]
            if depth > 0:
                value *= alphas[position - 1, state] * scales[position - 1]
            alphas[position, label * n_valid + state] = value
            scale += value
    scales[position] = 1.0 / scale


@kernel(
    void(
        float64[:, :, ::1],
        int64,
        int64,
        int64,
        PACKING,
        float64[:, ::1],
        float64[::1],
        float64[:, ::1],
        int64[:, :, ::1],
    ),
    error_model="numpy",
)
def _backward_early(exponentials, begin, position, order, packing, alphas, scales, betas, rows):
    """One step of the backward recursion where some previous labels are START; the second row of `betas` is work space."""
    n_labels = len(exponentials)
    depth = position - begin
    n_valid = n_labels**depth
    base = first_state(n_labels, order, depth)
    before = scales[position - 1] if depth > 0 else 1.0
    for state in range(n_valid):
        alpha = before * alphas[position - 1, state] if depth > 0 else before
        beta = 0.0
        for label in range(n_labels):
            value = exponentials[label, position, base + state] * betas[0, label * n_valid + state]
            beta += value
            row = (label * rows.shape[1] + base + state) * rows.shape[2] + position
            rows[label, base + state, position] = pack(-(alpha * value), row, packing)
        betas[1, state] = beta
    for state in range(n_valid):
        betas[0, state] = betas[1, state] * before


# The number of labels and the order are constants of the two kernels that follow, so that short loops over labels
# are unrolled: half the time. A kernel that calls another closure would miss numba's cache, hence two of them.


@cache
def forward_kernel(n_labels, order):
    """The kernel of the forward recursion for chains of this order over `n_labels` labels.

    It works on the sequences ``first`` to ``last - 1``. `exponentials`, shape (n_labels, n_positions, n_all_states),
    are exp(F); `labels` and `observed` are the true label and the true state of each position. It writes `alphas`,
    shape (n_positions, n_labels ** max(order, 1)), the forward values; `scales`, shape (n_positions,), the inverse of
    their sum at each position; and `log_likelihoods`, shape (n_sequences,), not finite where a potential has left the
    range of exp.
    """
    n_recent = n_labels ** max(order - 1, 0)  # full states without their oldest label
    n_oldest = n_labels if order > 0 else 1

    @kernel(
        void(*SHARED, float64[:, ::1], float64[::1], float64[::1]), error_model="numpy", constants=(n_labels, order)
    )
    def forward(exponentials, offsets, first, last, labels, observed, alphas, scales, log_likelihoods):
        for sequence in range(first, last):
            begin, end = offsets[sequence], offsets[sequence + 1]
            early = min(begin + order, end)
            for position in range(begin, early):
                _forward_early(exponentials, begin, position, order, alphas, scales)
            for position in range(uint64(early), uint64(end)):
                before = position - uint64(1)
                inverse = scales[before] if order > 0 else 1.0
                scale = 0.0
                for label in range(n_labels):
                    for recent in range(n_recent):
                        value = 0.0
                        for oldest in range(n_oldest):
                            state = uint64(recent * n_oldest + oldest)
                            alpha = alphas[before, state] if order > 0 else 1.0
                            value += alpha * exponentials[uint64(label), position, state]
                        value *= inverse
                        alphas[position, uint64(label * n_recent + recent)] = value
                        scale += value
                scales[position] = 1.0 / scale
            log_likelihood = 0.0
            product = 1.0
            for position in range(begin, end):
                product *= exponentials[labels[position], position, observed[position]] * scales[position]
                if not (_TINY < product < _HUGE):
                    log_likelihood += np.log(product)
                    product = 1.0
            log_likelihoods[sequence] = log_likelihood + np.log(product)

    return forward


@cache
def backward_kernel(n_labels, order):
    """The kernel of the backward recursion, which follows that of `forward_kernel` on the same arrays.

    It writes packed ``I(y, s) - P(y, s | X)`` to the valid states of `rows`, shape (n_labels, n_all_states,
    n_positions).
    """
    n_recent = n_labels ** max(order - 1, 0)
    n_oldest = n_labels if order > 0 else 1

    @kernel(
        void(*SHARED, PACKING, float64[:, ::1], float64[::1], int64[:, :, ::1]),
        allocates=True,
        error_model="numpy",
        constants=(n_labels, order),
    )
    def backward(exponentials, offsets, first, last, labels, observed, packing, alphas, scales, rows):
        n_rows, n_positions = uint64(rows.shape[1]), uint64(rows.shape[2])
        both = np.empty((2, alphas.shape[1]))
        betas, next_betas = both[0], both[1]  # times the scale of their position
        for sequence in range(first, last):
            begin, end = offsets[sequence], offsets[sequence + 1]
            early = min(begin + order, end)
            betas[:] = scales[end - 1]
            for later in range(end - early):
                position = uint64(end - 1 - later)
                before = uint64(max(end - 2 - later, begin))
                inverse = scales[before]
                for recent in range(n_recent):
                    for oldest in range(n_oldest):
                        state = uint64(recent * n_oldest + oldest)
                        alpha = inverse * alphas[before, state] if order > 0 else 1.0
                        beta = 0.0
                        for label in range(n_labels):
                            following = betas[uint64(label * n_recent + recent)]
                            value = exponentials[uint64(label), position, state] * following
                            beta += value
                            row = int64((uint64(label) * n_rows + state) * n_positions + position)
                            rows[uint64(label), state, position] = pack(-(alpha * value), row, packing)
                        next_betas[state] = beta * inverse
                for i in range(n_labels * n_recent):
                    betas[uint64(i)] = next_betas[uint64(i)] if order > 0 else inverse
            for position in range(early - 1, begin - 1, -1):
                _backward_early(exponentials, begin, position, order, packing, alphas, scales, both, rows)
            observed_row = int64(1) << packing.fraction_bits
            for position in range(begin, end):
                rows[labels[position], observed[position], position] += observed_row

    return backward
