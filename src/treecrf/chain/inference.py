"""Inference on chains of any order: forward-backward, pairwise marginals, likelihood, Viterbi.

A chain of order k gives a label sequence the score ``sum_t F^{y_t}(y_{t-1} .. y_{t-k}, w_t)`` (PhD sections 2.1
and 2.3), START standing for labels before the first. The recursions are those of PhD section 3.3, over states of
k labels. They run on scaled exponentials; sequences whose potentials reach so far apart that a scaled value could
underflow run in logs.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.chain._kernels import MAX_POTENTIAL, examine, find_paths, infer, spread
from treecrf.io.arrays import places_in
from treecrf.io.columns import MISSING
from treecrf.io.messages import counted

MAX_EXPONENT = 650.0  # scaled values span at most exp(this), well inside the range of float64
_MAX_STATES = np.iinfo(np.int32).max


@dataclass(frozen=True)
class StateSpace:
    """Numbering of the states, the tuples (y_{t-1}, .., y_{t-k}) that stand before position t.

    The ``n_labels ** order`` states of k labels come first, in the order of the number whose digits are
    ``y_{t-1} .. y_{t-k}``, the newest the most significant; then those of k - 1 labels (the second position of a
    sequence, if k = 2); last the one state of no labels. At position t of a sequence the states of depth
    ``min(t, k)`` are *valid*. Order 1: states 0 .. n_labels - 1, then START. Order 0: one state.

    A label y leads from state s of depth k to ``y * n_labels ** (k - 1) + s // n_labels``, and from state c
    (counted within its depth) of depth j < k to ``y * n_labels ** j + c`` of depth j + 1.

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
            raise ValueError(
                f"{counted(self.n_labels, 'label')} and order {self.order} make too many states; lower the order."
            )

    @property
    def n_states(self) -> int:
        """Number of states of all depths."""
        return self.offset_of_depth(0) + 1

    def offset_of_depth(self, depth: int) -> int:
        """Number of the first state with `depth` labels."""
        if not 0 <= depth <= self.order:
            raise ValueError(f"depth {depth} is outside 0..{self.order}.")
        return sum(self.n_labels**deeper for deeper in range(depth + 1, self.order + 1))

    @cached_property
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
    spread(local, chains.offsets, chains.space.order, pairs)
    return pairs


def log_likelihood(potentials: ArrayLike, labels: ArrayLike, offsets: ArrayLike, order: int) -> NDArray[np.float64]:
    """log P(Y | X) of each sequence, shape (n_sequences,) (PhD section 2.2); the forward recursion of section 3.3 gives
    log Z.

    Parameters
    ----------
    labels : int, shape (n_positions,)
        Codes from 0 to n_labels - 1.
    potentials, offsets, order
        As in `forward_backward`.

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
    """
    chains = check_chains(potentials, offsets, order)
    labels = np.empty(chains.potentials.shape[1], dtype=np.int16)
    find_paths(chains.potentials, chains.offsets, chains.space.order, labels)
    return ViterbiPaths(labels, np.add.reduceat(chains.along(labels), chains.offsets[:-1]))


def state_sequence(labels: ArrayLike, offsets: ArrayLike, n_labels: int, order: int) -> NDArray[np.int32]:
    """State (`StateSpace`) that the given labels put before each position; int32, shape (n_positions,).

    Parameters
    ----------
    labels : int, shape (n_positions,)
    offsets : int64, shape (n_sequences + 1,)
    n_labels, order : int

    Raises
    ------
    ValueError
        If there are no sequences, or labels have a wrong shape or lie outside 0 .. n_labels - 1.
    """
    space = StateSpace(operator.index(n_labels), operator.index(order))
    starts = _checked_offsets(offsets)
    codes = _checked_labels(labels, starts, space.n_labels)
    return states_before(codes, starts, space)


def states_before(labels: NDArray[np.int16], offsets: NDArray[np.int64], space: StateSpace) -> NDArray[np.int32]:
    """`state_sequence` with checked arguments."""
    depths = np.minimum(places_in(offsets), space.order)
    states = np.array([space.offset_of_depth(depth) for depth in range(space.order + 1)], dtype=np.int32)[depths]
    for lag in range(1, space.order + 1):
        later = np.flatnonzero(depths >= lag)
        states[later] += labels[later - lag] * np.int32(space.n_labels) ** (depths[later] - lag).astype(np.int32)
    return states


# --- labels that are not known ----------------------------------------------------------------------

# The probability of partial labels sums over all that complete them (Tsuboi et al. 2008): its logarithm is the log
# partition function of the chain without the labels in conflict, less that of the whole. Training is fast with these
# recursions: a label in conflict has the lowest potential that is allowed. Questions to a trained model forbid labels
# exactly (`treecrf.chain.trellis`).


def allows(labels: NDArray[np.int16], n_labels: int) -> NDArray[np.bool_]:
    """Whether each position may have each label: its own, or any if that is unknown; shape (n_labels, n_positions)."""
    return (labels == np.arange(n_labels)[:, None]) | (labels == MISSING)


def partial_log_likelihood(
    potentials: NDArray[np.float64], labels: NDArray[np.int16], offsets: NDArray[np.int64], order: int
) -> NDArray[np.float64]:
    """log P(known labels | X) of each sequence, shape (n_sequences,); `MISSING` where a label is not known.

    Parameters and errors are those of `log_likelihood`.
    """
    allowed = np.where(allows(labels, len(potentials))[:, :, None], potentials, -MAX_POTENTIAL)
    agreeing = forward_backward(allowed, offsets, order).log_partition
    return np.asarray(agreeing - forward_backward(potentials, offsets, order).log_partition)


# --- checks -----------------------------------------------------------------------------------------


class _Chains(NamedTuple):
    """Checked potentials and offsets with their state space."""

    potentials: NDArray[np.float64]
    offsets: NDArray[np.int64]
    space: StateSpace

    @classmethod
    def check(cls, potentials: ArrayLike, offsets: ArrayLike, order: int) -> _Chains:
        if np.iscomplexobj(potentials):
            raise ValueError("potentials must be real numbers, not complex ones.")
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
        """Refuse potentials that are not finite; else what `examine` writes: shifts, ranges, `local`."""
        shifts, ranges = np.empty(self.potentials.shape[1]), np.empty(len(self.offsets) - 1)
        label, position = examine(self.potentials, self.offsets, self.space.order, shifts, ranges, local)
        if label >= 0:
            raise ValueError(
                f"a potential of label {label} at position {position} is NaN, infinite or beyond {MAX_POTENTIAL:g}; "
                "every valid potential must be finite."
            )
        return shifts, ranges

    def infer(self, marginals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Fill `marginals` unless empty; joint probabilities (`spread`) and what each position adds to log Z."""
        order, n_labels = self.space.order, self.space.n_labels
        local = np.zeros((self.potentials.shape[1], n_labels, n_labels**order))
        shifts, ranges = self.examine(local)
        in_logs = ((2 * order + 1) * ranges > MAX_EXPONENT) & (order > 0)
        np.exp(local, out=local)
        scales = np.empty(len(local))
        infer(self.potentials, self.offsets, order, in_logs, local, scales, marginals)
        scaled = np.repeat(~in_logs, np.diff(self.offsets)) if in_logs.any() else True
        np.log(scales, out=scales, where=scaled)
        np.add(scales, shifts, out=scales, where=scaled)
        return local, scales

    def along(self, labels: NDArray[np.int16]) -> NDArray[np.float64]:
        """Potential of each position at the given labels."""
        states = states_before(labels, self.offsets, self.space)
        return np.asarray(self.potentials[labels, np.arange(len(labels)), states])


def check_chains(potentials: ArrayLike, offsets: ArrayLike, order: int) -> _Chains:
    """The arguments of `forward_backward`, checked; errors as there."""
    chains = _Chains.check(potentials, offsets, order)
    chains.examine(np.empty((0, 0, 0)))
    return chains


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
