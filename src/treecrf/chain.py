"""Inference on chains of any order: forward-backward, pairwise marginals, likelihood, Viterbi.

A chain of order k gives a label sequence the score ``sum_t F^{y_t}(y_{t-1} .. y_{t-k}, w_t)`` (PhD sections 2.1
and 2.3), START standing for labels before the first. The recursions are those of PhD section 3.3, over states of
k labels. They run on scaled exponentials; sequences whose potentials reach so far apart that a scaled value could
underflow run in logs.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int32, int64, njit, types, uint64, void
from numpy.typing import ArrayLike, NDArray

_MAX_EXPONENT = 650.0  # scaled values span at most exp(this), well inside the range of float64
_MAX_POTENTIAL = 1e200  # sums of potentials stay finite below it
_MAX_STATES = np.iinfo(np.int32).max

_CUBE, _TABLE, _ROW = float64[:, :, ::1], float64[:, ::1], float64[::1]
_CONST_CUBE = types.Array(float64, 3, "C", readonly=True)
_OFFSETS = types.Array(int64, 1, "C", readonly=True)
_LABELS = types.Array(int16, 1, "C", readonly=True)
_Array = NDArray[Any]
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


@dataclass(frozen=True)
class StateSpace:
    """Numbering of the states, the tuples (y_{t-1}, .., y_{t-k}) that stand before position t.

    The ``n_labels ** order`` states of k labels come first, in the order of the number whose digits are
    ``y_{t-1} .. y_{t-k}``, the newest the most significant; then those of k - 1 labels (the second position of a
    sequence, if k = 2); last the one state of no labels. At position t of a sequence the states of depth
    ``min(t, k)`` are *valid*. Order 1: states 0 .. n_labels - 1, then START. Order 0: one state.

    A label y leads from state s of depth k to ``y * n_labels ** (k - 1) + s // n_labels``, and from state c
    (counted within its depth) of depth j < k to ``y * n_labels ** j + c`` of depth j + 1.

    Parameters
    ----------
    n_labels : int, at least 1
    order : int, at least 0

    Raises
    ------
    ValueError
        If either is too small, or there would be more than 2 ** 31 - 1 states.
    """

    n_labels: int
    order: int

    def __post_init__(self) -> None:
        if self.n_labels < 1:
            raise ValueError(f"n_labels is {self.n_labels}; a chain needs at least one label.")
        if self.order < 0:
            raise ValueError(f"order is {self.order}; give the number of previous labels, 0 or more.")
        too_deep = self.n_labels > 1 and self.order > 30
        if too_deep or self.n_labels > np.iinfo(np.int16).max or self.n_states > _MAX_STATES:
            raise ValueError(f"{self.n_labels} labels and order {self.order} make too many states; lower the order.")

    @property
    def n_states(self) -> int:
        """Number of states of all depths."""
        return self.offset_of_depth(0) + 1

    def offset_of_depth(self, depth: int) -> int:
        """Number of the first state with `depth` labels."""
        if not 0 <= depth <= self.order:
            raise ValueError(f"depth {depth} is outside 0..{self.order}.")
        return sum(self.n_labels**deeper for deeper in range(depth + 1, self.order + 1))

    @property
    def labels_of_state(self) -> NDArray[np.int16]:
        """Column i is y_{t-1-i}, with START coded as `n_labels`; int16, shape (n_states, order)."""
        table = np.full((self.n_states, self.order), self.n_labels, dtype=np.int16)
        for depth in range(1, self.order + 1):
            codes = np.arange(self.n_labels**depth)
            rows = self.offset_of_depth(depth) + codes
            for i in range(depth):
                table[rows, i] = codes // self.n_labels ** (depth - 1 - i) % self.n_labels
        return table


class Marginals(NamedTuple):
    """What `forward_backward` finds.

    Attributes
    ----------
    labels : float64, shape (n_positions, n_labels)
        P(y_t | X); rows sum to one.
    log_partition : float64, shape (n_sequences,)
        log Z(X).
    """

    labels: NDArray[np.float64]
    log_partition: NDArray[np.float64]


class ViterbiPaths(NamedTuple):
    """What `viterbi` finds.

    Attributes
    ----------
    labels : int16, shape (n_positions,)
    scores : float64, shape (n_sequences,)
        Sum of the potentials along the labels.
    """

    labels: NDArray[np.int16]
    scores: NDArray[np.float64]


def forward_backward(potentials: ArrayLike, offsets: ArrayLike, order: int) -> Marginals:
    """Label marginals and log partition functions (PhD sections 2.3 and 3.3).

    Parameters
    ----------
    potentials : float64, shape (n_labels, n_positions, n_states)
        ``potentials[y, p, s]`` is F^y(state s, window at p), states as in `StateSpace`; entries of states that are
        not valid at p may hold anything.
    offsets : int64, shape (n_sequences + 1,)
        Sequence i has the positions ``offsets[i]`` to ``offsets[i + 1] - 1``.
    order : int
        Number of previous labels that the potentials see.

    Returns
    -------
    Marginals

    Raises
    ------
    ValueError
        If there are no sequences, shapes and order do not agree, or a valid potential is not finite (NaN, infinite
        or beyond 1e200).
    """
    chains = _Chains.check(potentials, offsets, order)
    marginals = np.empty((chains.potentials.shape[1], chains.space.n_labels))
    _, log_scales = chains.infer(marginals)
    return Marginals(marginals, np.add.reduceat(log_scales, chains.offsets[:-1]))


def pairwise_marginals(potentials: ArrayLike, offsets: ArrayLike, order: int) -> NDArray[np.float64]:
    """P(y_t = y, state at t = s | X), as in the functional gradient (PhD proposition 3.1, table 3.2).

    Parameters, errors: as in `forward_backward`.

    Returns
    -------
    float64, shape (n_labels, n_positions, n_states)
        Zero at states that are not valid.
    """
    chains = _Chains.check(potentials, offsets, order)
    local, _ = chains.infer(np.empty((chains.potentials.shape[1], chains.space.n_labels)))
    pairs = np.zeros(chains.potentials.shape)
    _spread(local, chains.offsets, chains.space.order, pairs)
    return pairs


def log_likelihood(potentials: ArrayLike, labels: ArrayLike, offsets: ArrayLike, order: int) -> NDArray[np.float64]:
    """log P(Y | X) of each sequence (PhD section 2.2); the forward recursion of section 3.3 gives log Z.

    Parameters
    ----------
    labels : int, shape (n_positions,)
        Codes from 0 to n_labels - 1.
    potentials, offsets, order
        As in `forward_backward`.

    Returns
    -------
    float64, shape (n_sequences,)

    Raises
    ------
    ValueError
        As `forward_backward`, and for labels of a wrong shape or outside the codes.
    """
    chains = _Chains.check(potentials, offsets, order)
    codes = _checked_labels(labels, chains.offsets, chains.space.n_labels)
    _, log_scales = chains.infer(np.empty((0, 0)))
    return np.add.reduceat(chains.along(codes) - log_scales, chains.offsets[:-1])


def viterbi(potentials: ArrayLike, offsets: ArrayLike, order: int) -> ViterbiPaths:
    """Likeliest label sequences (PhD section 2.3).

    Among sequences of equal score the one with the lowest last label is taken, then with the lowest label before
    it, and so on.

    Parameters, errors: as in `forward_backward`.

    Returns
    -------
    ViterbiPaths
    """
    chains = _Chains.check(potentials, offsets, order)
    labels = np.empty(chains.potentials.shape[1], dtype=np.int16)
    chains.examine(np.empty((0, 0, 0)))
    _find_paths(chains.potentials, chains.offsets, chains.space.order, labels)
    return ViterbiPaths(labels, np.add.reduceat(chains.along(labels), chains.offsets[:-1]))


def state_sequence(labels: ArrayLike, offsets: ArrayLike, n_labels: int, order: int) -> NDArray[np.int32]:
    """State (`StateSpace`) that the given labels put before each position.

    Parameters
    ----------
    labels : int, shape (n_positions,)
    offsets : int64, shape (n_sequences + 1,)
    n_labels, order : int

    Returns
    -------
    int32, shape (n_positions,)

    Raises
    ------
    ValueError
        If there are no sequences, or labels have a wrong shape or lie outside 0 .. n_labels - 1.
    """
    space = StateSpace(operator.index(n_labels), operator.index(order))
    starts = _checked_offsets(offsets)
    codes = _checked_labels(labels, starts, space.n_labels)
    states = np.empty(len(codes), dtype=np.int32)
    _follow(codes, starts, space.n_labels, space.order, states)
    return states


# --- checks -----------------------------------------------------------------------------------------


class _Chains(NamedTuple):
    """Checked arguments."""

    potentials: NDArray[np.float64]
    offsets: NDArray[np.int64]
    space: StateSpace

    @classmethod
    def check(cls, potentials: ArrayLike, offsets: ArrayLike, order: int) -> _Chains:
        array = np.ascontiguousarray(potentials, dtype=np.float64)
        if array.ndim != 3:
            raise ValueError(f"potentials must have shape (n_labels, n_positions, n_states), not {array.shape}.")
        starts = _checked_offsets(offsets)
        space = StateSpace(len(array), operator.index(order))
        expected = (space.n_labels, int(starts[-1]), space.n_states)
        if array.shape != expected:
            raise ValueError(
                f"potentials have shape {array.shape}; {expected[0]} labels, order {space.order} and offsets that end "
                f"at {expected[1]} need {expected}."
            )
        return cls(array, starts, space)

    def examine(self, local: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Refuse potentials that are not finite; else what `_examine` writes: shifts, ranges, `local`."""
        shifts, ranges = np.empty(self.potentials.shape[1]), np.empty(len(self.offsets) - 1)
        label, position = _examine(self.potentials, self.offsets, self.space.order, shifts, ranges, local)
        if label >= 0:
            raise ValueError(
                f"a potential of label {label} at position {position} is NaN, infinite or beyond {_MAX_POTENTIAL:g}; "
                "every valid potential must be finite."
            )
        return shifts, ranges

    def infer(self, marginals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Fill `marginals` unless empty; joint probabilities (`_spread`) and what each position adds to log Z."""
        order, n_labels = self.space.order, self.space.n_labels
        local = np.zeros((self.potentials.shape[1], n_labels, n_labels**order))
        shifts, ranges = self.examine(local)
        in_logs = ((2 * order + 1) * ranges > _MAX_EXPONENT) & (order > 0)
        np.exp(local, out=local)
        scales = np.empty(len(local))
        _infer(self.potentials, self.offsets, order, in_logs, local, scales, marginals)
        scaled = np.repeat(~in_logs, np.diff(self.offsets)) if in_logs.any() else True
        np.log(scales, out=scales, where=scaled)
        np.add(scales, shifts, out=scales, where=scaled)
        return local, scales

    def along(self, labels: NDArray[np.int16]) -> NDArray[np.float64]:
        """Potential of each position at the given labels."""
        states = np.empty(len(labels), dtype=np.int32)
        _follow(labels, self.offsets, self.space.n_labels, self.space.order, states)
        return np.asarray(self.potentials[labels, np.arange(len(labels)), states])


def _checked_offsets(offsets: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(offsets)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) == 0 or array[0] != 0:
        raise ValueError("offsets must be whole numbers of shape (n_sequences + 1,) that start at 0.")
    if len(array) == 1:
        raise ValueError("the set has no sequences; give at least one.")
    lengths = np.diff(array.astype(np.int64))
    if (lengths < 1).any():
        raise ValueError(f"offsets must rise; sequence {int((lengths < 1).argmax())} has no positions, leave it out.")
    return np.ascontiguousarray(array, dtype=np.int64)


def _checked_labels(labels: ArrayLike, offsets: NDArray[np.int64], n_labels: int) -> NDArray[np.int16]:
    array = np.asarray(labels)
    if array.shape != (offsets[-1],) or array.dtype.kind not in "iu":
        raise ValueError(
            f"labels must be integers of shape ({offsets[-1]},), not {array.dtype} of shape {array.shape}."
        )
    outside = (array < 0) | (array >= n_labels)
    if outside.any():
        position = int(outside.argmax())
        raise ValueError(f"label {array[position]} at position {position} is outside 0..{n_labels - 1}.")
    return np.ascontiguousarray(array, dtype=np.int16)


# --- kernels ----------------------------------------------------------------------------------------
#
# A step from depth j = min(t, k) sees its states as `n_blocks` blocks of `width`: the states of a block differ in
# the oldest label alone (the one that the next state forgets; width 1 while nothing is forgotten), so that label y
# leads from block b to state y * stride + b, and sums over the forgotten label are contiguous. `local` (n_positions,
# n_labels, n_full) holds exponentials, later joint probabilities; its states are counted within their depth.
# Unsigned indices spare the innermost loops the test for Python's wraparound.


@njit(types.UniTuple(int64, 4)(int64, int64, int64), **_OPTIONS)
def _shape_of_step(n_labels: int, order: int, depth: int) -> tuple[int, int, int, int]:
    """First state of a depth, number of blocks, their width, and stride of the label in the next state."""
    base = 0
    for deeper in range(depth + 1, order + 1):
        base += n_labels**deeper
    if order == 0:
        return base, 1, 1, 0
    if depth < order:
        return base, n_labels**depth, 1, n_labels**depth
    return base, n_labels ** (order - 1), n_labels, n_labels ** (order - 1)


@njit(types.UniTuple(int64, 2)(_CONST_CUBE, _OFFSETS, int64, _ROW, _ROW, _CUBE), **_OPTIONS)
def _examine(
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
                base, n_blocks, width, _ = _shape_of_step(n_labels, order, position - begin)
            highest, lowest = -np.inf, np.inf
            for label in range(n_labels):
                for state in range(base, base + n_blocks * width):
                    value = potentials[label, position, state]
                    if not (abs(value) <= _MAX_POTENTIAL):
                        return label, position
                    highest, lowest = max(highest, value), min(lowest, value)
            shifts[position] = highest
            ranges[sequence] = max(ranges[sequence], highest - lowest)
            if local.size:
                for label in range(n_labels):
                    for state in range(n_blocks * width):
                        local[position, label, state] = potentials[label, position, base + state] - highest
    return -1, -1


@njit(void(_CUBE, int64, _TABLE, _ROW), **_OPTIONS)
def _forward(local: _Array, order: int, alphas: _Array, scales: _Array) -> None:
    """Forward recursion: ``alphas[t]``, over the states before t, sums to one; ``scales[t]`` is what it grew by."""
    n_labels = local.shape[1]
    alphas[0, 0] = 1.0
    for t in range(len(local)):
        if t <= order:
            _, n_blocks, width, stride = _shape_of_step(n_labels, order, t)
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


@njit(void(_CUBE, int64, _TABLE, _ROW, _TABLE, _TABLE), **_OPTIONS)
def _backward(local: _Array, order: int, alphas: _Array, scales: _Array, betas: _Array, marginals: _Array) -> None:
    """Backward recursion, scaled as the forward one; `local` becomes P(y_t, state | X) but for rounding."""
    n_labels = local.shape[1]
    now, after = betas[0], betas[1]
    after[:] = 1.0
    for t in range(len(local) - 1, -1, -1):
        if t == len(local) - 1 or t < order:
            _, n_blocks, width, stride = _shape_of_step(n_labels, order, min(t, order))
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


@njit(float64(_ROW, int64), **_OPTIONS)
def _log_sum(logs: _Array, n: int) -> float:
    """Logarithm of the sum of the exponentials of the first n values."""
    highest = logs[0]
    for i in range(1, n):
        highest = max(highest, logs[i])
    total = 0.0
    for i in range(n):
        total += np.exp(logs[i] - highest)
    return highest + np.log(total)


@njit(void(_CONST_CUBE, int64, int64, _TABLE, _ROW), **_OPTIONS)
def _forward_logs(potentials: _Array, begin: int, order: int, alphas: _Array, log_scales: _Array) -> None:
    """`_forward` in logs, from the potentials of the sequence that starts at `begin`; for orders above 0."""
    n_labels = potentials.shape[0]
    terms = np.empty(n_labels)
    alphas[0, 0] = 0.0
    for t in range(len(log_scales)):
        base, n_blocks, width, stride = _shape_of_step(n_labels, order, min(t, order))
        for label in range(n_labels):
            for block in range(n_blocks):
                for i in range(width):
                    state = block * width + i
                    terms[i] = alphas[t, state] + potentials[label, begin + t, base + state]
                alphas[t + 1, label * stride + block] = _log_sum(terms, width)
        log_scales[t] = _log_sum(alphas[t + 1], n_labels * n_blocks)
        for state in range(n_labels * n_blocks):
            alphas[t + 1, state] -= log_scales[t]


@njit(void(_CONST_CUBE, int64, int64, _TABLE, _ROW, _TABLE, _TABLE, _CUBE), **_OPTIONS)
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
        base, n_blocks, width, stride = _shape_of_step(n_labels, order, min(t, order))
        marginals[t] = 0.0
        for state in range(n_blocks * width):
            for label in range(n_labels):
                value = potentials[label, begin + t, base + state] - log_scales[t]
                terms[label] = value + after[label * stride + state // width]
                local[t, label, state] = np.exp(alphas[t, state] + terms[label])
                marginals[t, label] += local[t, label, state]
            now[state] = _log_sum(terms, n_labels)
        now, after = after, now


@njit(void(_CONST_CUBE, _OFFSETS, int64, boolean[::1], _CUBE, _ROW, _TABLE), **_OPTIONS)
def _infer(
    potentials: _Array, offsets: _Array, order: int, in_logs: _Array, local: _Array, scales: _Array, marginals: _Array
) -> None:
    """Both recursions on every sequence, or the forward one alone if `marginals` is empty."""
    n_full = potentials.shape[0] ** order
    alphas, betas = np.empty((np.max(offsets[1:] - offsets[:-1]) + 1, n_full)), np.empty((2, n_full))
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        part, grown = local[begin:end], scales[begin:end]
        if in_logs[sequence]:
            _forward_logs(potentials, begin, order, alphas, grown)
            if marginals.size:
                _backward_logs(potentials, begin, order, alphas, grown, betas, marginals[begin:end], part)
        else:
            _forward(part, order, alphas, grown)
            if marginals.size:
                _backward(part, order, alphas, grown, betas, marginals[begin:end])
    for position in range(len(marginals)):
        total = 0.0
        for label in range(marginals.shape[1]):
            total += marginals[position, label]
        for label in range(marginals.shape[1]):
            marginals[position, label] /= total


@njit(void(_CUBE, _OFFSETS, int64, _CUBE), **_OPTIONS)
def _spread(local: _Array, offsets: _Array, order: int, pairs: _Array) -> None:
    """Copy joint probabilities from `local`, made to sum to one, to the states of all depths."""
    n_labels = local.shape[1]
    for sequence in range(len(offsets) - 1):
        for position in range(offsets[sequence], offsets[sequence + 1]):
            base, n_blocks, width, _ = _shape_of_step(n_labels, order, min(position - offsets[sequence], order))
            total = 0.0
            for label in range(n_labels):
                for state in range(n_blocks * width):
                    total += local[position, label, state]
            for label in range(n_labels):
                for state in range(n_blocks * width):
                    pairs[label, position, base + state] = local[position, label, state] / total


@njit(void(_CONST_CUBE, _OFFSETS, int64, int16[::1]), **_OPTIONS)
def _find_paths(potentials: _Array, offsets: _Array, order: int, labels: _Array) -> None:
    """Write the likeliest labels: best score of every state, and back along the forgotten labels."""
    n_labels, n_full = potentials.shape[0], potentials.shape[0] ** order
    forgotten = np.zeros((np.max(offsets[1:] - offsets[:-1]), n_full), dtype=np.int16)  # of order 0: best label
    scores, next_scores = np.empty(n_full), np.empty(n_full)
    for sequence in range(len(offsets) - 1):
        begin, length = offsets[sequence], offsets[sequence + 1] - offsets[sequence]
        scores[0] = 0.0
        for t in range(length):
            if t <= order:
                base, n_blocks, width, stride = _shape_of_step(n_labels, order, t)
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
        state = int(np.argmax(scores[:n_next]))
        for t in range(length - 1, -1, -1):
            _, _, width, stride = _shape_of_step(n_labels, order, min(t, order))
            if order == 0:
                labels[begin + t] = forgotten[t, 0]
            else:
                labels[begin + t] = state // stride
                state = state % stride * width + (forgotten[t, state] if width > 1 else 0)


@njit(void(_LABELS, _OFFSETS, int64, int64, int32[::1]), **_OPTIONS)
def _follow(labels: _Array, offsets: _Array, n_labels: int, order: int, states: _Array) -> None:
    """Write the state before each position."""
    for sequence in range(len(offsets) - 1):
        code = 0
        for position in range(offsets[sequence], offsets[sequence + 1]):
            base, _, width, stride = _shape_of_step(n_labels, order, min(position - offsets[sequence], order))
            states[position] = base + code
            code = labels[position] * stride + code // width
