"""Functional gradient of the log likelihood (PhD proposition 3.1), from potentials kept as exp(F).

The recursions are those of `treecrf.chain`, whose numbering of states they use. Here they run on
``E = exp(F)``, which training keeps and multiplies, so no exponential is taken, and the backward pass writes
the packed gradients that tree growing sums.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int16, int32, int64, njit, uint64, void

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
    float64(
        float64[:, :, ::1], int64, int64, int16[::1], int32[::1], int64, float64[:, ::1], float64[::1],
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)  # fmt: skip
def _forward(exponentials, begin, end, labels, observed, order, alphas, scales):
    """Fill `alphas` and `scales` of one sequence; return its log likelihood."""
    n_labels = len(exponentials)
    early = end if order == 0 else min(begin + order, end)  # before it some previous labels are START
    n_recent = n_labels ** max(order - 1, 0)  # full states without their oldest label
    log_likelihood = 0.0
    product = 1.0
    for position in range(begin, end):
        scale = 0.0
        if position < early:
            depth = min(position - begin, order)
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
            inverse = scales[position - 1]
            for label in range(n_labels):
                for recent in range(n_recent):
                    value = 0.0
                    for state in range(recent * n_labels, (recent + 1) * n_labels):
                        value += (
                            alphas[uint64(position - 1), uint64(state)]
                            * exponentials[label, uint64(position), uint64(state)]
                        )
                    value *= inverse
                    alphas[position, label * n_recent + recent] = value
                    scale += value
        scales[position] = 1.0 / scale
        product *= exponentials[labels[position], position, observed[position]] * scales[position]
        if not (_TINY < product < _HUGE):
            log_likelihood += np.log(product)
            product = 1.0
    return log_likelihood + np.log(product)


@njit(
    void(
        float64[:, :, ::1], int64, int64, int64, PACKING, float64[:, ::1], float64[::1], float64[::1], float64[::1],
        int64[:, :, ::1], int64[:, :, ::1],
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)  # fmt: skip
def _backward(
    exponentials, begin, end, order, packing, alphas, scales, betas, next_betas, rows, position_sums
):  # fmt: skip
    """Write ``-P(y, s | X)`` to the rows of one sequence, and their sums over the states."""
    n_labels = len(exponentials)
    early = end if order == 0 else min(begin + order, end)
    n_recent = n_labels ** max(order - 1, 0)
    betas[:] = 1.0
    for position in range(end - 1, begin - 1, -1):
        depth = min(position - begin, order)
        before = scales[position - 1] if depth > 0 else 1.0
        base = 0 if position >= early else first_state(n_labels, order, depth)
        n_valid = n_labels**depth if position < early else n_recent * n_labels
        n_blocks = n_valid if position < early else n_recent
        block = 1 if position < early else n_labels
        for i in range(n_labels * n_blocks):
            betas[i] *= scales[position]
        for label in range(n_labels):
            position_sums[label, 0, position] = 0
        for recent in range(n_blocks):
            for state in range(recent * block, (recent + 1) * block):
                alpha = before
                if depth > 0:
                    alpha *= alphas[position - 1, state]
                beta = 0.0
                place, column = uint64(position), uint64(base + state)
                for label in range(n_labels):
                    value = exponentials[label, place, column] * betas[uint64(label * n_blocks + recent)]
                    beta += value
                    row = pack(-(alpha * value), packing)
                    rows[label, place, column] = row
                    position_sums[label, 0, place] += row
                next_betas[state] = beta
        for state in range(n_valid):
            betas[state] = next_betas[state]
        if order == 0:
            betas[:] = 1.0


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
    alphas : float64, shape (n_positions, n_labels ** max(order, 1)); scales : float64, shape (n_positions,)
        Work space: forward values, and the inverse of their sum at each position.
    rows : int64, shape (n_labels, n_positions, n_all_states)
        Written at valid states: packed ``I(y, s) - P(y, s | X)``.
    position_sums : int64, shape (n_labels, n_all_states, n_positions)
        Lane 0 is written: the sum of `rows` over the states.
    log_likelihoods : float64, shape (n_sequences,)
        Written; not finite where a potential has left the range of exp.
    """
    one = int64(1) << packing.fraction_bits
    betas = np.empty(alphas.shape[1])
    next_betas = np.empty(alphas.shape[1])
    for sequence in range(first, last):
        begin, end = offsets[sequence], offsets[sequence + 1]
        log_likelihoods[sequence] = _forward(exponentials, begin, end, labels, observed, order, alphas, scales)
        _backward(
            exponentials, begin, end, order, packing, alphas, scales, betas, next_betas, rows, position_sums
        )  # fmt: skip
        for position in range(begin, end):
            label = labels[position]
            rows[label, position, observed[position]] += one
            position_sums[label, 0, position] += one
