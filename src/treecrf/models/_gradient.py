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
        float64[::1], int64[:, :, ::1], int64[:, :, ::1], float64[::1],
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)  # fmt: skip
def likelihood_gradient(
    exponentials, offsets, first, last, labels, observed, order, packing, alphas, scales, rows, position_sums,
    log_likelihoods,
):  # fmt: skip
    """Gradients and log likelihoods of the sequences ``first`` to ``last - 1``.

    Parameters
    ----------
    exponentials : float64, shape (n_labels, n_positions, n_all_states)
        exp(F).
    offsets : int64, shape (n_sequences + 1,)
    labels : int16, shape (n_positions,); observed : int32, shape (n_positions,)
        True label and true state of each position.
    alphas : float64, shape (n_positions, n_labels ** order); scales : float64, shape (n_positions,)
        Work space: forward values, and the inverse of their sum at each position.
    rows : int64, shape (n_labels, n_positions, n_all_states)
        Written at valid states: packed ``I(y, s) - P(y, s | X)``.
    position_sums : int64, shape (n_labels, n_all_states, n_positions)
        Lane 0 is written: the sum of `rows` over the states.
    log_likelihoods : float64, shape (n_sequences,)
        Written; not finite where a potential has left the range of exp.
    """
    n_labels = len(exponentials)
    n_full = alphas.shape[1]
    width = n_labels if order > 0 else 1  # full states that differ in their oldest label alone
    n_recent = n_full // width
    stride = n_recent if order > 0 else 0
    betas = np.empty(n_full)
    next_betas = np.empty(n_full)

    for sequence in range(first, last):
        begin, end = offsets[sequence], offsets[sequence + 1]
        early = min(begin + order, end)  # before it some previous labels are START
        log_likelihood = 0.0
        product = 1.0
        for position in range(begin, end):
            scale = 0.0
            if position < early:
                depth = position - begin
                n_valid = n_labels**depth
                base = first_state(n_labels, order, depth)
                for label in range(n_labels):
                    for state in range(n_valid):
                        value = exponentials[label, position, base + state]
                        if depth > 0:
                            value *= alphas[position - 1, state] * scales[position - 1]
                        alphas[position, label * n_valid + state] = value
                        scale += value
            else:
                inverse = scales[position - 1] if position > begin else 1.0
                for label in range(n_labels):
                    for recent in range(n_recent):
                        value = 0.0
                        if order == 0:
                            value = exponentials[label, position, 0]
                        else:
                            for state in range(recent * width, (recent + 1) * width):
                                value += alphas[position - 1, state] * exponentials[label, position, state]
                            value *= inverse
                        alphas[position, label * stride + recent] = value
                        scale += value
            scales[position] = 1.0 / scale
            product *= exponentials[labels[position], position, observed[position]] * scales[position]
            if not (_TINY < product < _HUGE):
                log_likelihood += np.log(product)
                product = 1.0
        log_likelihoods[sequence] = log_likelihood + np.log(product)

        betas[:] = 1.0
        for position in range(end - 1, begin - 1, -1):
            depth = min(position - begin, order)
            is_full = depth == order
            if is_full:
                n_valid, base, n_blocks, block, label_stride = n_full, 0, n_recent, width, stride
            else:
                n_valid = n_labels**depth
                base, n_blocks, block, label_stride = first_state(n_labels, order, depth), n_valid, 1, n_valid
            before = scales[position - 1] if depth > 0 else 1.0
            for state in range(n_valid):
                next_betas[state] = 0.0
            for label in range(n_labels):
                position_sum = int64(0)
                for recent in range(n_blocks):
                    beta = betas[label * label_stride + recent] * scales[position]
                    for state in range(recent * block, (recent + 1) * block):
                        value = exponentials[label, position, base + state] * beta
                        next_betas[state] += value
                        if depth > 0:
                            value *= alphas[position - 1, state] * before
                        row = pack(-value, packing)
                        rows[label, position, base + state] = row
                        position_sum += row
                position_sums[label, 0, position] = position_sum
            one = int64(1) << packing.fraction_bits
            rows[labels[position], position, observed[position]] += one
            position_sums[labels[position], 0, position] += one
            for state in range(n_valid):
                betas[state] = next_betas[state]
