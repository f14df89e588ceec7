"""Functional gradient of the log likelihood (PhD proposition 3.1), from potentials kept as exp(F).

The recursions are those of `treecrf.chain`, whose numbering of states they use. Here they run on
``E = exp(F)``, which training keeps and multiplies, so no exponential is taken, and the backward pass writes
the packed gradients that tree growing sums.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int16, int32, int64, njit, void

from treecrf.trees.packing import PACKING, pack

_TINY, _HUGE = 1e-200, 1e200  # a product of ratios is logged before it leaves this range


@njit(int64(int64, int64, int64), cache=True, nogil=True)
def first_state(n_labels, order, depth):
    """Number of the first state of a depth (`treecrf.chain.StateSpace`)."""
    base = 0
    for deeper in range(depth + 1, order + 1):
        base += n_labels**deeper
    return base


@njit(
    void(
        float64[:, :, ::1], int64[::1], int64, int64, int16[::1], int32[::1], int64, PACKING, float64[:, ::1],
        float64[::1], int64[:, :, ::1], float64[::1],
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)  # fmt: skip
def likelihood_gradient(
    exponentials, offsets, first, last, labels, observed, order, packing, alphas, scales, rows, log_likelihoods
):
    """Gradients and log likelihoods of the sequences ``first`` to ``last - 1``.

    Parameters
    ----------
    exponentials : float64, shape (n_labels, n_positions, n_all_states)
        exp(F).
    offsets : int64, shape (n_sequences + 1,)
    labels : int16, shape (n_positions,); observed : int32, shape (n_positions,)
        True label and true state of each position.
    alphas : float64, shape (n_positions, n_labels ** order); scales : float64, shape (n_positions,)
        Work space: normalised forward values and their scale factors.
    rows : int64, shape (n_labels, n_positions, n_all_states)
        Written at valid states: packed ``I(y, s) - P(y, s | X)``.
    log_likelihoods : float64, shape (n_sequences,)
        Written; NaN where a potential has left the range of exp.
    """
    n_labels = len(exponentials)
    n_full = alphas.shape[1]
    width = n_labels if order > 0 else 1  # full states that differ in their oldest label alone
    n_recent = n_full // width
    stride = n_recent if order > 0 else 0
    betas = np.empty(n_full)
    next_betas = np.empty(n_full)
    start = np.ones(1)
    zero_row = pack(0.0, packing)
    unit = float64(int64(1) << packing.fraction_bits)
    offset = int64(1) << 44
    rounding = float64(offset) + 0.5

    for sequence in range(first, last):
        begin, end = offsets[sequence], offsets[sequence + 1]
        log_likelihood = 0.0
        product = 1.0
        for position in range(begin, end):
            depth = min(position - begin, order)
            alpha = alphas[position]
            before = alphas[position - 1] if position > begin else start
            scale = 0.0
            if depth == order:
                for label in range(n_labels):
                    potential = exponentials[label, position]
                    if order == 0:
                        alpha[0] = potential[0] if label == 0 else alpha[0] + potential[0]
                    else:
                        for recent in range(n_recent):
                            value = 0.0
                            for state in range(recent * width, (recent + 1) * width):
                                value += before[state] * potential[state]
                            alpha[label * stride + recent] = value
                for state in range(n_full):
                    scale += alpha[state]
            else:
                n_valid = n_labels**depth
                base = first_state(n_labels, order, depth)
                for label in range(n_labels):
                    for state in range(n_valid):
                        value = before[state] * exponentials[label, position, base + state]
                        alpha[label * n_valid + state] = value
                        scale += value
            inverse = 1.0 / scale
            n_next = n_labels ** min(depth + 1, order)
            for state in range(n_next):
                alpha[state] *= inverse
            scales[position] = inverse
            product *= exponentials[labels[position], position, observed[position]] * inverse
            if not (_TINY < product < _HUGE):
                log_likelihood += np.log(product)
                product = 1.0
        log_likelihoods[sequence] = log_likelihood + np.log(product)

        betas[:] = 1.0
        for position in range(end - 1, begin - 1, -1):
            depth = min(position - begin, order)
            inverse = scales[position]
            before = alphas[position - 1] if position > begin else start
            base = first_state(n_labels, order, depth)
            n_valid = n_labels**depth
            full = depth == order
            next_betas[:n_valid] = 0.0
            for label in range(n_labels):
                potential = exponentials[label, position]
                gradient = rows[label, position]
                recent_width = width if full else 1
                label_stride = stride if full else n_valid
                for recent in range(n_valid // recent_width):
                    beta = betas[label * label_stride + recent] * inverse
                    for state in range(recent * recent_width, (recent + 1) * recent_width):
                        value = potential[base + state] * beta
                        next_betas[state] += value
                        gradient[base + state] = zero_row + (
                            int64(rounding - before[state] * value * unit) - offset
                        )
            gradient_row = rows[labels[position], position]
            gradient_row[observed[position]] += int64(1) << packing.fraction_bits
            for state in range(n_valid):
                betas[state] = next_betas[state]
