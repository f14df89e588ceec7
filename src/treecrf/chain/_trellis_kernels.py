"""The compiled recursions of `treecrf.chain.trellis`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import float64, int64, types, uint64, void

from treecrf.chain._kernels import log_sum, longest, shape_of_step
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int64, compiled_type, struct


@struct
class Trellis(NamedTuple):
    """Chains of order 1 or more, as sums of parts; minus infinity is what a path may not take.

    At position p the step to label y from the state s, the `order` labels before (`treecrf.chain.StateSpace`), has the
    potential ``unary[p, y] + transitions[y, b] + table[y, p, s] + pairs[rows[p, y] + columns[p, b]]``, where b is the
    newest label of s. The last two are optional: their arrays may be empty.
    """

    offsets: Annotated[Int64, "n_sequences + 1"]
    unary: Annotated[Float64, "n_positions, n_labels"]
    transitions: Annotated[
        Float64, "n_labels, n_labels + 1", "Of a label after another, or after START, which comes last."
    ]
    table: Annotated[Float64, "n_labels, n_positions, n_states"]
    pairs: Annotated[Float64, "n_pairs", "Of a lattice (`treecrf.chain.lattice`)."]
    rows: Annotated[Int64, "n_positions, n_labels"]
    columns: Annotated[Int64, "n_positions, n_labels + 1"]
    order: Annotated[int, "Number of previous labels in a state."]


TRELLIS = compiled_type(Trellis)


@kernel(types.UniTuple(uint64, 5)(TRELLIS, int64), error_model="numpy")
def place_of(trellis, t):
    """First state at place t of a sequence, number of blocks, their width, stride of the label; states that a label
    begins.
    """
    n_labels = trellis.unary.shape[1]
    base, n_blocks, width, stride = shape_of_step(n_labels, trellis.order, min(t, trellis.order))
    return uint64(base), uint64(n_blocks), uint64(width), uint64(stride), uint64(max(n_blocks * width // n_labels, 1))


@kernel(float64(TRELLIS, int64, uint64, uint64, uint64, uint64))
def step(trellis, position, label, base, state, before):
    """Potential of a label after a state (counted from `base`), whose newest label is `before`."""
    value = trellis.unary[position, label] + trellis.transitions[label, before]
    if trellis.table.size:
        value += trellis.table[label, position, base + state]
    if trellis.pairs.size:
        value += trellis.pairs[uint64(trellis.rows[position, label] + trellis.columns[position, before])]
    return value


@kernel(uint64(TRELLIS, int64, uint64, uint64), error_model="numpy")
def newest(trellis, t, state, per_label):
    """Newest label of a state at place t, or START."""
    return uint64(trellis.unary.shape[1]) if t == 0 else state // per_label


@kernel(int64(TRELLIS, int64, float64[:, ::1], float64[::1]), error_model="numpy", allocates=True)
def forward(trellis, sequence, alphas, scales):
    """Forward recursion: ``alphas[t]`` are log probabilities of the states before place t, given what is seen up to t -
    1.

    ``scales[t]`` is what log Z grows by. Returns the first place that no path reaches the end of, or -1.
    """
    n_labels, begin = uint64(trellis.unary.shape[1]), trellis.offsets[sequence]
    terms = np.empty(n_labels)
    alphas[0, 0] = 0.0
    for t in range(trellis.offsets[sequence + 1] - begin):
        base, n_blocks, width, stride, per_label = place_of(trellis, t)
        position = uint64(begin + t)
        for label in range(n_labels):
            for block in range(n_blocks):
                target = label * stride + block
                alphas[t + 1, target] = -np.inf
                if trellis.unary[position, label] > -np.inf:
                    for i in range(width):
                        state = block * width + i
                        before = newest(trellis, t, state, per_label)
                        terms[i] = alphas[t, state] + step(trellis, position, label, base, state, before)
                    alphas[t + 1, target] = log_sum(terms, width)
        scales[t] = log_sum(alphas[t + 1], n_labels * stride)
        if scales[t] == -np.inf:
            return t
        for state in range(n_labels * stride):
            alphas[t + 1, state] -= scales[t]
    return -1


@kernel(void(TRELLIS, int64, int64, int64, float64[::1], float64[:, ::1]), error_model="numpy", allocates=True)
def backward(trellis, sequence, first, last, scales, betas):
    """Backward recursion from the states before place `last`, which count alike, to those before place `first`.

    ``betas[t]`` are logs of what follows, scaled as the forward recursion is.
    """
    n_labels, begin = uint64(trellis.unary.shape[1]), trellis.offsets[sequence]
    terms = np.empty(n_labels)
    betas[last] = 0.0
    for t in range(last - 1, first - 1, -1):
        base, n_blocks, width, stride, per_label = place_of(trellis, t)
        position = uint64(begin + t)
        for block in range(n_blocks):
            for i in range(width):
                state = block * width + i
                before = newest(trellis, t, state, per_label)
                n_terms = uint64(0)
                for label in range(n_labels):
                    if trellis.unary[position, label] > -np.inf:
                        value = step(trellis, position, label, base, state, before) - scales[t]
                        terms[n_terms] = value + betas[t + 1, label * stride + block]
                        n_terms += uint64(1)
                betas[t, state] = log_sum(terms, n_terms)


@kernel(void(int64, float64[::1], float64[::1], float64[::1]), error_model="numpy")
def write_marginals(per_label, alphas, betas, marginals):
    """P(y_t | X) of one position, from the recursions before the next; each label begins `per_label` states."""
    total = 0.0
    for label in range(len(marginals)):
        marginals[label] = 0.0
        for state in range(label * per_label, (label + 1) * per_label):
            marginals[label] += np.exp(alphas[state] + betas[state])
        total += marginals[label]
    for label in range(len(marginals)):
        marginals[label] /= total


@kernel(int64(TRELLIS, float64[::1], float64[:, ::1]), error_model="numpy", allocates=True)
def infer(trellis, log_partition, marginals):
    """Both recursions on every sequence; returns the first position that no path reaches the end of, or -1."""
    n_full, n_places = trellis.unary.shape[1] ** trellis.order, longest(trellis.offsets) + 1
    alphas, betas, scales = np.empty((n_places, n_full)), np.empty((n_places, n_full)), np.empty(n_places)
    for sequence in range(len(trellis.offsets) - 1):
        begin, end = trellis.offsets[sequence], trellis.offsets[sequence + 1]
        stopped = forward(trellis, sequence, alphas, scales)
        if stopped >= 0:
            return begin + stopped
        backward(trellis, sequence, 0, end - begin, scales, betas)
        log_partition[sequence] = 0.0
        for t in range(end - begin):
            log_partition[sequence] += scales[t]
            _, _, _, per_label, _ = place_of(trellis, t)
            write_marginals(per_label, alphas[t + 1], betas[t + 1], marginals[begin + t])
    return -1
