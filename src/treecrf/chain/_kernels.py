"""The compiled recursions of `treecrf.chain`, which checks what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, float64, int16, int64, types, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel

MAX_POTENTIAL = 1e200
"""A potential beyond it is refused: sums stay finite below."""

_CUBE, _TABLE, _ROW = float64[:, :, ::1], float64[:, ::1], float64[::1]
_CONST_CUBE = types.Array(float64, 3, "C", readonly=True)
_OFFSETS = types.Array(int64, 1, "C", readonly=True)
_Array = NDArray[Any]
_OPTIONS: dict[str, Any] = {"error_model": "numpy"}

_LEAST_SCALE, _ROUNDING = 1e-300, 1e-10  # smaller scales have fewer digits

#
# A step from depth j = min(t, k) sees its states as `n_blocks` blocks of `width`: the states of a block differ in
# the oldest label alone (the one that the next state forgets; width 1 while nothing is forgotten), so that label y
# leads from block b to state y * stride + b, and sums over the forgotten label are contiguous. `local` (n_positions,
# n_labels, n_full) holds exponentials, later joint probabilities; its states are counted within their depth.
# Unsigned indices spare the innermost loops the test for Python's wraparound.


@kernel(int64(int64, int64))
def power(base: int, exponent: int) -> int:
    """``base ** exponent`` for an exponent of at least 0."""
    result = 1  # numba compiles two functions for the operator, which take longer than a small kernel
    for _ in range(exponent):
        result *= base
    return result


@kernel(int64(int64, int64, int64))
def first_state(n_labels: int, order: int, depth: int) -> int:
    """Number of the first state of a depth (`treecrf.chain.StateSpace`)."""
    base = 0
    for deeper in range(depth + 1, order + 1):
        base += power(n_labels, deeper)
    return base


@kernel(types.UniTuple(int64, 4)(int64, int64, int64), **_OPTIONS)
def shape_of_step(n_labels: int, order: int, depth: int) -> tuple[int, int, int, int]:
    """First state of a depth, number of blocks, their width, and stride of the label in the next state."""
    base = first_state(n_labels, order, depth)
    if order == 0:
        return base, 1, 1, 0
    n_blocks = power(n_labels, min(depth, order - 1))
    return base, n_blocks, n_labels if depth == order else 1, n_blocks


@kernel(types.UniTuple(int64, 2)(_CONST_CUBE, _OFFSETS, int64, _ROW, _ROW, _CUBE), **_OPTIONS)
def examine(
    potentials: _Array, offsets: _Array, order: int, shifts: _Array, ranges: _Array, local: _Array
) -> tuple[int, int]:
    """Write each position's largest valid potential, each sequence's widest range at one position, and `local`.

    `local` receives the potentials less the largest, unless it is empty. Returns (label, position) of the first
    potential that is not finite, or (-1, -1).
    """
    n_labels = potentials.shape[0]
    for sequence in range(len(offsets) - 1):
        begin = offsets[sequence]
        ranges[sequence] = 0.0
        for position in range(begin, offsets[sequence + 1]):
            if position - begin <= order:
                base, n_blocks, width, _ = shape_of_step(n_labels, order, position - begin)
            highest, lowest = -np.inf, np.inf
            for label in range(n_labels):
                for state in range(base, base + n_blocks * width):
                    value = potentials[label, position, state]
                    if not (abs(value) <= MAX_POTENTIAL):
                        return label, position
                    highest, lowest = max(highest, value), min(lowest, value)
            shifts[position] = highest
            ranges[sequence] = max(ranges[sequence], highest - lowest)
            if local.size:
                for label in range(n_labels):
                    for state in range(n_blocks * width):
                        local[position, label, state] = potentials[label, position, base + state] - highest
    return -1, -1


@kernel(void(_CUBE, int64, _TABLE, _ROW), **_OPTIONS)
def _forward(local: _Array, order: int, alphas: _Array, scales: _Array) -> None:
    """Forward recursion: ``alphas[t]``, over the states before t, sums to one; ``scales[t]`` is what it grew by."""
    n_labels = local.shape[1]
    alphas[0, 0] = 1.0
    for t in range(len(local)):
        if t <= order:
            _, n_blocks, width, stride = shape_of_step(n_labels, order, t)
            n_next = max(n_labels * stride, 1)
        total = 0.0
        for label in range(n_labels):
            for block in range(n_blocks):
                value = 0.0
                for state in range(block * width, (block + 1) * width):
                    value += alphas[t, uint64(state)] * local[t, label, uint64(state)]
                alphas[t + 1, label * stride + block] = value
                total += value
        if order == 0:
            alphas[t + 1, 0] = total  # all labels lead to the one state
        inverse = 1.0 / total
        for state in range(n_next):
            alphas[t + 1, state] *= inverse
        scales[t] = total


@kernel(void(_CUBE, int64, _TABLE, _ROW, _TABLE, _TABLE), **_OPTIONS)
def _backward(local: _Array, order: int, alphas: _Array, scales: _Array, betas: _Array, marginals: _Array) -> None:
    """Backward recursion, scaled as the forward one; `local` becomes P(y_t, state | X) but for rounding."""
    n_labels = local.shape[1]
    now, after = betas[0], betas[1]
    after[:] = 1.0
    for t in range(len(local) - 1, -1, -1):
        if t == len(local) - 1 or t < order:
            _, n_blocks, width, stride = shape_of_step(n_labels, order, min(t, order))
        for state in range(n_blocks * width):
            now[state] = 0.0
        inverse = 1.0 / scales[t]
        for label in range(n_labels):
            marginal = 0.0
            for block in range(n_blocks):
                beta = after[label * stride + block] * inverse
                for state in range(block * width, (block + 1) * width):
                    i = uint64(state)
                    value = local[t, label, i] * beta
                    now[i] += value
                    value *= alphas[t, i]
                    local[t, label, i] = value
                    marginal += value
            marginals[t, label] = marginal
        now, after = after, now


@kernel(float64(_ROW, int64), **_OPTIONS)
def log_sum(logs: _Array, n: int) -> float:
    """Logarithm of the sum of the exponentials of the first n values; of none but minus infinity, minus infinity."""
    highest = -np.inf
    for i in range(n):
        highest = max(highest, logs[i])
    if highest == -np.inf:
        return highest
    total = 0.0
    for i in range(n):
        total += np.exp(logs[i] - highest)
    return highest + np.log(total)


@kernel(void(_CONST_CUBE, int64, int64, _TABLE, _ROW), **_OPTIONS, allocates=True, separate=True)
def _forward_logs(potentials: _Array, begin: int, order: int, alphas: _Array, log_scales: _Array) -> None:
    """`_forward` in logs, from the potentials of the sequence that starts at `begin`; for orders above 0."""
    n_labels = potentials.shape[0]
    terms = np.empty(n_labels)
    alphas[0, 0] = 0.0
    for t in range(len(log_scales)):
        base, n_blocks, width, stride = shape_of_step(n_labels, order, min(t, order))
        for label in range(n_labels):
            for block in range(n_blocks):
                for i in range(width):
                    state = block * width + i
                    terms[i] = alphas[t, state] + potentials[label, begin + t, base + state]
                alphas[t + 1, label * stride + block] = log_sum(terms, width)
        log_scales[t] = log_sum(alphas[t + 1], n_labels * n_blocks)
        for state in range(n_labels * n_blocks):
            alphas[t + 1, state] -= log_scales[t]


@kernel(void(_CONST_CUBE, int64, int64, _TABLE, _ROW, _TABLE, _TABLE, _CUBE), **_OPTIONS, allocates=True, separate=True)
def _backward_logs(
    potentials: _Array,
    begin: int,
    order: int,
    alphas: _Array,
    log_scales: _Array,
    betas: _Array,
    marginals: _Array,
    local: _Array,
) -> None:
    """`_backward` in logs."""
    n_labels = potentials.shape[0]
    terms = np.empty(n_labels)
    now, after = betas[0], betas[1]
    after[:] = 0.0
    for t in range(len(log_scales) - 1, -1, -1):
        base, n_blocks, width, stride = shape_of_step(n_labels, order, min(t, order))
        marginals[t] = 0.0
        for state in range(n_blocks * width):
            for label in range(n_labels):
                value = potentials[label, begin + t, base + state] - log_scales[t]
                terms[label] = value + after[label * stride + state // width]
                local[t, label, state] = np.exp(alphas[t, state] + terms[label])
                marginals[t, label] += local[t, label, state]
            now[state] = log_sum(terms, n_labels)
        now, after = after, now


@kernel(int64(_OFFSETS), **_OPTIONS)
def longest(offsets: _Array) -> int:
    """Length of the longest sequence."""
    most = 0
    for sequence in range(len(offsets) - 1):
        most = max(most, offsets[sequence + 1] - offsets[sequence])
    return most


@kernel(boolean(_ROW, _TABLE), **_OPTIONS)
def _are_sound(scales: _Array, marginals: _Array) -> bool:
    """Whether products of exponentials of any range gave the probabilities of a sequence.

    What underflows is below 5e-324 and is multiplied by backward values, which are finite here, so at most by 1.8e308:
    what is lost stays below the rounding of the sums, which are 1 but for that at every position.
    """
    for t in range(len(scales)):
        total = 0.0
        for label in range(marginals.shape[1]):
            total += marginals[t, label]
        if not (scales[t] > _LEAST_SCALE and abs(total - 1.0) < _ROUNDING):
            return False
    return True


@kernel(void(_CONST_CUBE, _OFFSETS, int64, boolean[::1], _CUBE, _ROW, _TABLE), **_OPTIONS, allocates=True)
def infer(
    potentials: _Array, offsets: _Array, order: int, in_logs: _Array, local: _Array, scales: _Array, marginals: _Array
) -> None:
    """Both recursions on every sequence, or the forward one alone if `marginals` is empty.

    A sequence `in_logs` is one whose exponentials may underflow; it stays so if products of them lost anything.
    """
    n_full, n_longest = power(potentials.shape[0], order), longest(offsets)
    alphas, betas = np.empty((n_longest + 1, n_full)), np.empty((2, n_full))
    unasked = np.empty((0 if marginals.size else n_longest, potentials.shape[0]))
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        part, grown = local[begin:end], scales[begin:end]
        asked = marginals[begin:end] if marginals.size else unasked[: end - begin]
        _forward(part, order, alphas, grown)
        if marginals.size or in_logs[sequence]:
            _backward(part, order, alphas, grown, betas, asked)
        if in_logs[sequence]:
            in_logs[sequence] = not _are_sound(grown, asked)
        if in_logs[sequence]:
            _forward_logs(potentials, begin, order, alphas, grown)
            if marginals.size:
                _backward_logs(potentials, begin, order, alphas, grown, betas, asked, part)
    for position in range(len(marginals)):
        total = 0.0
        for label in range(marginals.shape[1]):
            total += marginals[position, label]
        for label in range(marginals.shape[1]):
            marginals[position, label] /= total


@kernel(void(_CUBE, _OFFSETS, int64, _CUBE), **_OPTIONS)
def spread(local: _Array, offsets: _Array, order: int, pairs: _Array) -> None:
    """Copy joint probabilities from `local`, made to sum to one, to the states of all depths."""
    n_labels = local.shape[1]
    for sequence in range(len(offsets) - 1):
        for position in range(offsets[sequence], offsets[sequence + 1]):
            base, n_blocks, width, _ = shape_of_step(n_labels, order, min(position - offsets[sequence], order))
            total = 0.0
            for label in range(n_labels):
                for state in range(n_blocks * width):
                    total += local[position, label, state]
            for label in range(n_labels):
                for state in range(n_blocks * width):
                    pairs[label, position, base + state] = local[position, label, state] / total


@kernel(void(_CONST_CUBE, _OFFSETS, int64, int16[::1]), **_OPTIONS, allocates=True)
def find_paths(potentials: _Array, offsets: _Array, order: int, labels: _Array) -> None:
    """Write the likeliest labels: best score of every state, and back along the forgotten labels."""
    n_labels, n_full = potentials.shape[0], power(potentials.shape[0], order)
    forgotten = np.zeros((longest(offsets), n_full), dtype=np.int16)  # of order 0: best label
    scores, next_scores = np.empty(n_full), np.empty(n_full)
    for sequence in range(len(offsets) - 1):
        begin, length = offsets[sequence], offsets[sequence + 1] - offsets[sequence]
        scores[0] = 0.0
        for t in range(length):
            if t <= order:
                base, n_blocks, width, stride = shape_of_step(n_labels, order, t)
                n_next = max(n_labels * stride, 1)
            highest = -np.inf
            for label in range(n_labels):
                for block in range(n_blocks):
                    target = label * stride + block
                    best = next_scores[0] if order == 0 and label > 0 else -np.inf
                    for i in range(width):
                        state = block * width + i
                        value = scores[state] + potentials[label, begin + t, base + state]
                        if value > best:
                            best = value
                            forgotten[t, target] = i if order > 0 else label
                    next_scores[target] = best
                    highest = max(highest, best)
            for state in range(n_next):
                scores[state] = next_scores[state] - highest
        state = 0
        for other in range(1, n_next):
            if scores[other] > scores[state]:
                state = other
        for t in range(length - 1, -1, -1):
            _, _, width, stride = shape_of_step(n_labels, order, min(t, order))
            if order == 0:
                labels[begin + t] = forgotten[t, 0]
            else:
                labels[begin + t] = state // stride
                state = state % stride * width + (forgotten[t, state] if width > 1 else 0)


# --- chains of order 1 whose potentials are a score of the label and one of the pair with the label before ----
#
# They go along the labels, from one label before to the next, so that sums and maxima of all labels run side by side.

_SCORES = (float64[:, ::1], float64[:, ::1], int64[::1])


@kernel(void(*_SCORES, float64[:, ::1]), error_model="numpy", allocates=True)
def infer_scored(scores, transitions, offsets, marginals):
    """Write P(y_t | X), shape (n_positions, n_labels), by the scaled recursions (PhD section 2.3).

    Parameters
    ----------
    scores : float64, shape (n_positions, n_labels)
        Exponentials, of which no product over three positions may underflow.
    transitions : float64, shape (n_labels + 1, n_labels)
        Exponentials, by the label before (START last) and the label.
    """
    n_labels = scores.shape[1]
    inverses, following, buffers = np.empty(len(scores)), np.empty((n_labels, n_labels)), np.empty((3, n_labels))
    weights, betas, next_betas = buffers[0], buffers[1], buffers[2]
    for before in range(n_labels):
        for label in range(n_labels):
            following[label, before] = transitions[before, label]
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            alphas, total = marginals[position], 0.0
            if position == begin:
                for label in range(n_labels):
                    alphas[label] = transitions[n_labels, label]
            else:
                alphas[:] = 0.0
                for before in range(n_labels):
                    alpha = marginals[position - 1, before]
                    for label in range(n_labels):
                        alphas[label] += alpha * transitions[before, label]
            for label in range(n_labels):
                alphas[label] *= scores[position, label]
                total += alphas[label]
            inverses[position] = 1.0 / total
            for label in range(n_labels):
                alphas[label] *= inverses[position]
        betas[:] = 1.0
        for position in range(end - 2, begin - 1, -1):
            for label in range(n_labels):
                weights[label] = betas[label] * scores[position + 1, label] * inverses[position + 1]
            next_betas[:] = 0.0
            for label in range(n_labels):
                weight = weights[label]
                for before in range(n_labels):
                    next_betas[before] += weight * following[label, before]
            betas, next_betas = next_betas, betas
            total = 0.0
            for label in range(n_labels):
                marginals[position, label] *= betas[label]
                total += marginals[position, label]
            for label in range(n_labels):
                marginals[position, label] /= total


@kernel(void(*_SCORES, int16[::1]), error_model="numpy", allocates=True)
def find_scored_paths(scores, transitions, offsets, labels):
    """Write the likeliest labels, of the same potentials in logs; of equal ones as `treecrf.chain.viterbi`."""
    n_labels = scores.shape[1]
    origins = np.empty((longest(offsets), n_labels), dtype=np.int64)
    here, best = np.empty(n_labels), np.empty(n_labels)
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            score, origin = scores[position], origins[position - begin]
            if position == begin:
                for label in range(n_labels):
                    best[label] = score[label] + transitions[n_labels, label]
            else:
                best[:] = -np.inf
                for before in range(n_labels):
                    value_before = here[before]
                    for label in range(n_labels):
                        value = value_before + (score[label] + transitions[before, label])
                        is_better = value > best[label]
                        best[label] = value if is_better else best[label]
                        origin[label] = before if is_better else origin[label]
            highest = best[0]
            for label in range(n_labels):
                highest = max(highest, best[label])
            for label in range(n_labels):
                here[label] = best[label] - highest
        label = 0
        for other in range(n_labels):
            label = other if here[other] > here[label] else label
        for position in range(end - 1, begin - 1, -1):
            labels[position] = label
            if position > begin:
                label = origins[position - begin, label]
