"""Gradient of the log likelihood where positions of a sequence have weights of their own.

A chain with potentials is a Markov chain from left to right: ``P(y_t | y_1 .. y_{t-1}, X)`` sees the state before t alone,
``Q_t(y | s) = E(y, s, t) b(s') / sum_y E(y, s, t) b(s')`` with the backward values b of the state s' that follows. The
weighted log likelihood is ``sum_t w_t log Q_t(y_t | s_t)``. Its gradient with respect to the potential of (y, s) at t is
``w_t I(y, s) - a_t(s) Q_t(y | s)``, where
``a_t = sum_{u <= t} (w_u - w_{u-1}) P(state at t | y_1 .. y_{u-1}, X)`` follows from ``a_{t-1}`` as forward values do. Equal weights w
give ``w (I - P)``.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, void

from treecrf.compiled.kernel import kernel
from treecrf.models.boosted._gradient import SHARED, first_state
from treecrf.trees.packing import PACKING

_ROOM = (
    3.0  # what is expected at a position is cut to so many times its weight and the mean one, far beyond what occurs
)
BOUND = 7
"""The largest absolute sum of gradients, on average over the positions of a sequence, by their weights."""


@kernel(
    void(*SHARED, int64, float64[::1], PACKING, int64[:, :, ::1], float64[::1]), allocates=True, error_model="numpy"
)
def chain_rule_gradient(
    exponentials, offsets, first, last, labels, observed, order, weights, packing, rows, log_likelihoods
):
    """Packed gradients and weighted log likelihoods of some sequences; parameters as in `treecrf.models.boosted._gradient`.

    A row weighs the weight of its position; with Newton leaves that times ``p (1 - p)``, p being the share ``a Q / w``.
    """
    n_labels = len(exponentials)
    n_full = n_labels**order
    longest = 0
    for sequence in range(first, last):
        longest = max(longest, offsets[sequence + 1] - offsets[sequence])
    betas = np.empty((longest + 1, n_full))
    mass, next_mass = np.empty(n_full), np.empty(n_full)
    scale = float64(int64(1) << packing.fraction_bits)
    for sequence in range(first, last):
        begin, end = offsets[sequence], offsets[sequence + 1]
        room = 0.0
        for position in range(begin, end):
            room += _ROOM * weights[position]
        betas[end - begin, :] = 1.0
        for place in range(end - begin - 1, -1, -1):
            depth = min(place, order)
            base, n_valid = first_state(n_labels, order, depth), n_labels**depth
            width = n_labels if depth == order and order > 0 else 1
            stride = n_valid // width if order > 0 else 0
            highest = 0.0
            for state in range(n_valid):
                beta = 0.0
                for label in range(n_labels):
                    following = label * stride + state // width if order > 0 else 0
                    beta += exponentials[label, begin + place, base + state] * betas[place + 1, following]
                betas[place, state] = beta
                highest = max(highest, beta)
            for state in range(n_valid):
                betas[place, state] /= highest
        mass[0] = weights[begin]
        log_likelihood = 0.0
        for place in range(end - begin):
            position, weight = begin + place, weights[begin + place]
            depth = min(place, order)
            base, n_valid = first_state(n_labels, order, depth), n_labels**depth
            width = n_labels if depth == order and order > 0 else 1
            stride = n_valid // width if order > 0 else 0
            next_mass[:] = 0.0
            size = 0.0
            for state in range(n_valid):
                size += abs(mass[state])
            cut = min(1.0, room / size) if size > 0.0 else 1.0
            room -= cut * size
            for state in range(n_valid):
                total = 0.0
                for label in range(n_labels):
                    following = label * stride + state // width if order > 0 else 0
                    total += exponentials[label, position, base + state] * betas[place + 1, following]
                for label in range(n_labels):
                    following = label * stride + state // width if order > 0 else 0
                    value = exponentials[label, position, base + state] * betas[place + 1, following]
                    share = value / total if total > 0.0 else 0.0
                    expected = mass[state] * share
                    next_mass[following] += expected
                    is_observed = label == labels[position] and base + state == observed[position]
                    gradient = -expected * cut
                    if is_observed:
                        gradient += weight
                        if weight > 0.0:
                            log_likelihood += weight * np.log(share)
                    n_steps = weight / packing.weight_unit
                    if packing.curvature_scale > 0.0:
                        p = min(max(expected / weight, 0.0), 1.0) if weight > 0.0 else 0.0
                        n_steps = weight * p * (1.0 - p) * packing.curvature_scale
                    packed = int64(np.floor(n_steps + 0.5)) << packing.shift
                    rows[label, base + state, position] = packed + int64(np.floor(gradient * scale + 0.5))
            if place + 1 < end - begin:
                now = observed[position + 1] - first_state(n_labels, order, min(place + 1, order))
                next_mass[now] += weights[position + 1] - weight
            mass, next_mass = next_mass, mass
        log_likelihoods[sequence] = log_likelihood
