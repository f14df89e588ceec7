"""Kernels of functional gradients, from potentials kept as exp(F) to the packed rows that trees are grown on.

The recursions are those of `treecrf.chain`, whose numbering of states they use. Here they run on ``E = exp(F)``, which
training keeps and multiplies, so no exponential is taken.

- `forward_kernel`, `backward_kernel`: log likelihood (PhD proposition 3.1);
- `pseudo_likelihood_gradient`: log pseudo-likelihood (ICML 2004, section 3);
- `local_gradient`: each label given the true labels before it, as in a MEMM (PhD section 5.2);
- `chain_rule_gradient`: log likelihood where positions of a sequence have weights of their own;
- `write_rows`: packed gradients from marginals on a lattice.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import float64, int16, int32, int64, uint64, void

from treecrf.chain._kernels import first_state, longest, power
from treecrf.compiled.kernel import kernel
from treecrf.trees.packing import PACKING, chance_of, pack

_TINY, _HUGE = 1e-200, 1e200  # a product of ratios is logged before it leaves this range

SHARED = (float64[:, :, ::1], int64[::1], int64, int64, int16[::1], int32[::1])
"""Types of the parameters that all kernels of gradients begin with: exponentials to observed."""


@kernel(void(float64[:, :, ::1], int64, int64, int64, float64[:, ::1], float64[::1]), error_model="numpy")
def _forward_early(exponentials, begin, position, order, alphas, scales):
    """One step of the forward recursion where some previous labels are START."""
    n_labels = len(exponentials)
    depth = position - begin
    n_valid = power(n_labels, depth)
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
    """A step of the backward recursion where some previous labels are START; row 1 of `betas` is work space."""
    n_labels = len(exponentials)
    depth = position - begin
    n_valid = power(n_labels, depth)
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


@kernel(float64(float64[:, :, ::1], int64, int64, int16[::1], int32[::1], float64[::1]), error_model="numpy")
def _log_of_products(exponentials, begin, end, labels, observed, scales):
    """The log likelihood of a sequence, from the ratios of its true labels."""
    log_likelihood, product = 0.0, 1.0
    for position in range(begin, end):
        product *= exponentials[labels[position], position, observed[position]] * scales[position]
        if not (_TINY < product < _HUGE):
            log_likelihood += np.log(product)
            product = 1.0
    return log_likelihood + np.log(product)


# The number of labels and the order are constants of the kernels that follow, so that short loops over labels
# are unrolled: half the time. A kernel that calls another closure would miss numba's cache, hence two of them.
# With many labels what counts is the order in which memory is read: the wide kernels go along the states of a label,
# and give the same bits.

MOST_UNROLLED = 15
"""Labels of the kernels that go from label to label within a state."""


@cache
def forward_kernel(n_labels, order):
    """The kernel of the forward recursion for chains of this order over `n_labels` labels.

    It works on the sequences ``first`` to ``last - 1``. `exponentials`, shape (n_labels, n_positions, n_all_states),
    are exp(F); `labels` and `observed` are the true label and the true state of each position. It writes `alphas`,
    shape (n_positions, n_labels ** max(order, 1)), the forward values; `scales`, shape (n_positions,), the inverse of
    their sum at each position; and `log_likelihoods`, shape (n_sequences,), not finite where a potential has left the
    range of exp.
    """
    if n_labels > MOST_UNROLLED and order > 0:
        return _wide_forward_kernel(n_labels, order)
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
            log_likelihoods[sequence] = _log_of_products(exponentials, begin, end, labels, observed, scales)

    return forward


@cache
def backward_kernel(n_labels, order):
    """The kernel of the backward recursion, which follows that of `forward_kernel` on the same arrays.

    It writes packed ``I(y, s) - P(y, s | X)`` to the valid states of `rows`, shape (n_labels, n_all_states,
    n_positions).
    """
    if n_labels > MOST_UNROLLED and order > 0:
        return _wide_backward_kernel(n_labels, order)
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


def _wide_forward_kernel(n_labels, order):
    """`forward_kernel` for many labels: sums of four labels run side by side."""
    n_recent = n_labels ** (order - 1)

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
                inverse = scales[before]
                for recent in range(n_recent):
                    for label in range(uint64(0), uint64(n_labels), uint64(4)):
                        last_label = uint64(n_labels - 1)
                        others = (
                            min(label + uint64(1), last_label),
                            min(label + uint64(2), last_label),
                            min(label + uint64(3), last_label),
                        )
                        value_0 = value_1 = value_2 = value_3 = 0.0
                        for oldest in range(n_labels):
                            state = uint64(recent * n_labels + oldest)
                            alpha = alphas[before, state]
                            value_0 += alpha * exponentials[label, position, state]
                            value_1 += alpha * exponentials[others[0], position, state]
                            value_2 += alpha * exponentials[others[1], position, state]
                            value_3 += alpha * exponentials[others[2], position, state]
                        # a label beyond the last one writes the last one's value again
                        alphas[position, label * uint64(n_recent) + uint64(recent)] = value_0 * inverse
                        alphas[position, others[0] * uint64(n_recent) + uint64(recent)] = value_1 * inverse
                        alphas[position, others[1] * uint64(n_recent) + uint64(recent)] = value_2 * inverse
                        alphas[position, others[2] * uint64(n_recent) + uint64(recent)] = value_3 * inverse
                scale = 0.0
                for state in range(n_labels * n_recent):
                    scale += alphas[position, uint64(state)]
                scales[position] = 1.0 / scale
            log_likelihoods[sequence] = _log_of_products(exponentials, begin, end, labels, observed, scales)

    return forward


_TOGETHER = 8
"""Positions whose rows are written together: as many as lie side by side in a line of the cache."""


def _wide_backward_kernel(n_labels, order):
    """`backward_kernel` for many labels: along the states of a label, and rows of several positions at a time."""
    n_recent = n_labels ** (order - 1)
    n_full = n_labels * n_recent

    @kernel(
        void(*SHARED, PACKING, float64[:, ::1], float64[::1], int64[:, :, ::1]),
        allocates=True,
        error_model="numpy",
        constants=(n_labels, order),
    )
    def backward(exponentials, offsets, first, last, labels, observed, packing, alphas, scales, rows):
        n_rows, n_positions = uint64(rows.shape[1]), uint64(rows.shape[2])
        betas = np.empty((_TOGETHER + 1, n_full))  # times the scale of their position; from the last position on
        both = np.empty((2, n_full))
        for sequence in range(first, last):
            begin, end = offsets[sequence], offsets[sequence + 1]
            early = min(begin + order, end)
            betas[0, :] = scales[end - 1]
            stop = end
            while stop > early:
                start = max(stop - _TOGETHER, early)
                for later in range(stop - start):
                    position, following, here = uint64(stop - 1 - later), betas[later], betas[later + 1]
                    here[:] = 0.0
                    for label in range(uint64(n_labels)):
                        for recent in range(n_recent):
                            beta = following[label * uint64(n_recent) + uint64(recent)]
                            for oldest in range(n_labels):
                                state = uint64(recent * n_labels + oldest)
                                here[state] += exponentials[label, position, state] * beta
                    inverse = scales[position - uint64(1)]
                    for state in range(n_full):
                        here[uint64(state)] *= inverse
                for label in range(uint64(n_labels)):
                    for recent in range(n_recent):
                        for oldest in range(n_labels):
                            state = uint64(recent * n_labels + oldest)
                            for later in range(stop - start):
                                position = uint64(stop - 1 - later)
                                before = position - uint64(1)
                                alpha = scales[before] * alphas[before, state]
                                beta = betas[later, label * uint64(n_recent) + uint64(recent)]
                                value = exponentials[label, position, state] * beta
                                row = int64((label * n_rows + state) * n_positions + position)
                                rows[label, state, position] = pack(-(alpha * value), row, packing)
                betas[0, :] = betas[stop - start]
                stop = start
            both[0, :] = betas[0]
            for position in range(early - 1, begin - 1, -1):
                _backward_early(exponentials, begin, position, order, packing, alphas, scales, both, rows)
            observed_row = int64(1) << packing.fraction_bits
            for position in range(begin, end):
                rows[labels[position], observed[position], position] += observed_row

    return backward


@kernel(void(*SHARED, PACKING, int64[:, :, ::1], float64[::1]), error_model="numpy")
def local_gradient(exponentials, offsets, first, last, labels, observed, packing, rows, log_likelihoods):
    """Gradients and log likelihoods of some sequences; parameters as of `forward_kernel`.

    A position has one row, that of the state which the true labels make: the rows of other states are no part of the
    likelihood and stay 0, "not valid".
    """
    n_labels = len(exponentials)
    for sequence in range(first, last):
        log_likelihood = 0.0
        for position in range(offsets[sequence], offsets[sequence + 1]):
            state = observed[position]
            total = 0.0
            for label in range(n_labels):
                total += exponentials[label, position, state]
            for label in range(n_labels):
                probability = exponentials[label, position, state] / total
                row = label * len(observed) + position
                if label == labels[position]:
                    log_likelihood += np.log(probability)
                    rows[label, state, position] = pack(1.0 - probability, row, packing)
                else:
                    rows[label, state, position] = pack(-probability, row, packing)
        log_likelihoods[sequence] = log_likelihood


@kernel(void(*SHARED, int64, PACKING, int64[:, :, ::1], float64[::1]), allocates=True, error_model="numpy")
def pseudo_likelihood_gradient(
    exponentials, offsets, first, last, labels, observed, order, packing, rows, log_likelihoods
):
    """Gradients and log pseudo-likelihoods of some sequences; parameters as of `forward_kernel`.

    The pseudo-likelihood of a label is its probability when all other labels are the true ones. It involves the
    potentials at the label's own position and at the next ``order`` positions, which have it among their previous
    labels; no forward-backward pass is needed.
    """
    n_labels = len(exponentials)
    zero_row = pack(0.0, 0, packing)
    weights = np.empty(n_labels)
    for sequence in range(first, last):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            depth = min(position - begin, order)
            base = first_state(n_labels, order, depth)
            for label in range(n_labels):
                rows[label, base : base + n_labels**depth, position] = zero_row
        log_likelihood = 0.0
        for position in range(begin, end):
            true_label = labels[position]
            reach = min(order, end - 1 - position)
            weight_sum = 0.0
            for label in range(n_labels):
                weight = exponentials[label, position, observed[position]]
                for lag in range(1, reach + 1):
                    later = position + lag
                    step = n_labels ** (min(later - begin, order) - lag)
                    state = observed[later] + (label - true_label) * step
                    weight *= exponentials[labels[later], later, state]
                weights[label] = weight
                weight_sum += weight
            log_likelihood += np.log(weights[true_label] / weight_sum)
            for label in range(n_labels):
                gradient = (1.0 if label == true_label else 0.0) - weights[label] / weight_sum
                addend = pack(gradient, label * len(observed) + position, packing) - zero_row
                rows[label, observed[position], position] += addend
                for lag in range(1, reach + 1):
                    later = position + lag
                    step = n_labels ** (min(later - begin, order) - lag)
                    state = observed[later] + (label - true_label) * step
                    rows[labels[later], state, later] += addend
        log_likelihoods[sequence] = log_likelihood


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
    """Packed gradients and weighted log likelihoods of some sequences; parameters as of `forward_kernel`.

    A chain with potentials is a Markov chain from left to right: ``P(y_t | y_1 .. y_{t-1}, X)`` sees the state before t
    alone, ``Q_t(y | s) = E(y, s, t) b(s') / sum_y E(y, s, t) b(s')`` with the backward values b of the state s' that
    follows. The weighted log likelihood is ``sum_t w_t log Q_t(y_t | s_t)``. Its gradient with respect to the potential
    of (y, s) at t is ``w_t I(y, s) - a_t(s) Q_t(y | s)``, where ``a_t = sum_{u <= t} (w_u - w_{u-1}) P(state at t | y_1
    .. y_{u-1}, X)`` follows from ``a_{t-1}`` as forward values do. Equal weights w give ``w (I - P)``.

    A row weighs the weight of its position; with Newton leaves that times ``p (1 - p)``, p being the share ``a Q / w``.
    """
    n_labels = len(exponentials)
    n_full = n_labels**order
    betas = np.empty((longest(offsets[first : last + 1]) + 1, n_full))
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
                    row = (label * rows.shape[1] + base + state) * rows.shape[2] + position
                    chance = chance_of(row, packing)
                    packed = int64(np.floor(n_steps + chance)) << packing.shift
                    rows[label, base + state, position] = packed + int64(np.floor(gradient * scale + (1.0 - chance)))
            if place + 1 < end - begin:
                now = observed[position + 1] - first_state(n_labels, order, min(place + 1, order))
                next_mass[now] += weights[position + 1] - weight
            mass, next_mass = next_mass, mass
        log_likelihoods[sequence] = log_likelihood


@kernel(void(int64[::1], int64[::1], float64[::1], int64, int64, PACKING, int64[::1]))
def write_rows(first_entry, true_entries, marginals, first, last, packing, rows):
    """Write packed ``I(y) - P(y | X)`` to `rows`, shape (n_entries,), at the positions ``first`` to ``last - 1``."""
    for position in range(first, last):
        for entry in range(uint64(first_entry[position]), uint64(first_entry[position + 1])):
            observed = 1.0 if int64(entry) == true_entries[position] else 0.0
            rows[entry] = pack(observed - marginals[entry], int64(entry), packing)
