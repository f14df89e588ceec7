"""Inference on chains whose paths are constrained: labels that a position may not have, labels that may not follow
others.

A `Trellis` takes chains of every kind, dense ones of any order and lattices, and what is forbidden as minus infinity:
forbidden paths have probability 0, and the others keep their proportions. All recursions run in logs, as constraints
can leave only paths that are unlikely by any factor.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
from numba import float64, int64, types, uint64, void
from numpy.typing import ArrayLike, NDArray

from treecrf.chain._kernels import log_sum, longest, shape_of_step
from treecrf.chain.inference import Marginals, StateSpace, check_chains, states_before
from treecrf.chain.lattice import Lattice, Weights, check_finite, predecessor_counts
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int64, compiled_type, struct
from treecrf.io.arrays import places_in

_NO_TABLE, _NO_PAIRS, _NO_PLACES = np.empty((0, 0, 0)), np.empty(0), np.empty((0, 0), dtype=np.int64)


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


# --- trellises, and questions to them ---------------------------------------------------------------------


def trellis_of_potentials(potentials: ArrayLike, offsets: ArrayLike, order: int) -> Trellis:
    """Dense chains of any order, arguments as in `treecrf.chain.forward_backward`; order 0 becomes order 1.

    Raises
    ------
    ValueError
        As there; potentials have to be finite, `constrain` forbids.
    """
    chains = check_chains(potentials, offsets, order)
    if not order:
        return trellis_of_scores(chains.potentials[:, :, 0].T, chains.offsets)
    n_labels, n_positions, _ = chains.potentials.shape
    whole = trellis_of_scores(np.zeros((n_positions, n_labels)), chains.offsets)
    return whole._replace(table=np.require(chains.potentials, requirements=["C", "W"]), order=order)


def trellis_of_scores(scores: NDArray[np.float64], offsets: NDArray[np.int64]) -> Trellis:
    """Positions by themselves, as chains of order 1 without transitions.

    `scores` have shape (n_positions, n_labels), minus infinity where a position may not have the label.
    """
    n_labels = scores.shape[1]
    unary, transitions = np.array(scores, dtype=np.float64, order="C"), np.zeros((n_labels, n_labels + 1))
    starts = np.array(offsets, dtype=np.int64)
    return Trellis(starts, unary, transitions, _NO_TABLE, _NO_PAIRS, _NO_PLACES, _NO_PLACES, 1)


def trellis_of_lattice(lattice: Lattice, potentials: Weights) -> Trellis:
    """First-order chains whose positions have some labels alone; errors as of
    `treecrf.chain.lattice.lattice_marginals`.
    """
    check_finite(potentials)
    n_positions, n_labels = len(lattice.first) - 1, len(potentials.transitions)
    counts = np.diff(lattice.first)
    positions = np.repeat(np.arange(n_positions), counts)
    unary = np.full((n_positions, n_labels), -np.inf)
    unary[positions, lattice.labels] = potentials.unary
    whole = trellis_of_scores(unary, lattice.offsets)
    if not len(potentials.pairs):
        return whole._replace(transitions=potentials.transitions.copy())
    places = np.zeros((n_positions, n_labels), dtype=np.int64)  # among the labels of the position
    places[positions, lattice.labels] = places_in(lattice.first)
    rows = lattice.first_pair[:-1, None] + places * predecessor_counts(lattice.offsets, counts)[:, None]
    columns = np.zeros((n_positions, n_labels + 1), dtype=np.int64)
    columns[1:, :n_labels] = places[:-1]
    return whole._replace(pairs=potentials.pairs.copy(), rows=rows, columns=columns)


def constrain(
    trellis: Trellis, allowed: NDArray[np.bool_] | None = None, follows: NDArray[np.bool_] | None = None
) -> Trellis:
    """The trellis without some of its paths.

    Parameters
    ----------
    trellis : Trellis
    allowed : bool, shape (n_positions, n_labels), optional
        The labels that each position may have.
    follows : bool, shape (n_labels + 1, n_labels), optional
        ``follows[a, b]``: whether b may stand right after a; the last row is START, what stands before a first
        position.
    """
    unary, transitions = trellis.unary, trellis.transitions
    if allowed is not None:
        unary = np.where(allowed, unary, -np.inf)
    if follows is not None:
        transitions = np.ascontiguousarray(np.where(follows.T, transitions, -np.inf))
    return trellis._replace(unary=unary, transitions=transitions)


def trellis_marginals(trellis: Trellis) -> Marginals:
    """Label marginals given that a path is one of the trellis', and the logarithm of the sum over these.

    Raises
    ------
    NoPathError
        If a sequence has no path.
    """
    marginals = Marginals(np.empty(trellis.unary.shape), np.empty(len(trellis.offsets) - 1))
    check_reached(trellis, infer(trellis, marginals.log_partition, marginals.labels))
    return marginals


def log_scores(trellis: Trellis, labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """Sum of the potentials along the labels of each sequence, shape (n_sequences,); minus infinity of a forbidden
    path.
    """
    n_labels, order = trellis.unary.shape[1], trellis.order
    positions = np.arange(len(labels))
    before = np.concatenate([[n_labels], labels[:-1]])
    before[trellis.offsets[:-1]] = n_labels
    steps = trellis.unary[positions, labels] + trellis.transitions[labels, before]
    if trellis.table.size:
        steps += trellis.table[labels, positions, states_before(labels, trellis.offsets, StateSpace(n_labels, order))]
    if len(trellis.pairs):
        steps += trellis.pairs[trellis.rows[positions, labels] + trellis.columns[positions, before]]
    return np.asarray(np.add.reduceat(steps, trellis.offsets[:-1]))


def steps_at(trellis: Trellis, position: int) -> NDArray[np.float64]:
    """The potentials of one position, shape (n_labels, n_states), of the states that may stand before it alone."""
    sequence = np.searchsorted(trellis.offsets, position, side="right") - 1
    depth = min(position - int(trellis.offsets[sequence]), trellis.order)
    states, before = states_of_depth(trellis.unary.shape[1], trellis.order, depth)
    steps = trellis.unary[position][:, None] + trellis.transitions[:, before]
    if trellis.table.size:
        steps += trellis.table[:, position, states]
    if len(trellis.pairs):
        steps += trellis.pairs[trellis.rows[position][:, None] + trellis.columns[position, before]]
    return np.asarray(steps)


@lru_cache(maxsize=64)
def states_of_depth(n_labels: int, order: int, depth: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """The states of `depth` labels, and the newest label of each."""
    space = StateSpace(n_labels, order)
    states = space.offset_of_depth(depth) + np.arange(n_labels**depth)
    return states, space.labels_of_state[states, 0]


class NoPathError(ValueError):
    """All paths of a sequence are forbidden.

    Attributes
    ----------
    position : int
        The first position of the set that no path reaches the end of.
    """

    def __init__(self, sequence: int, place: int, position: int) -> None:
        super().__init__(
            f"sequence {sequence}: no labelling is left by its position {place}, all are forbidden; "
            "allow more labels there or before."
        )
        self.position = position


def check_reached(trellis: Trellis, stopped: int) -> None:
    """Refuse a trellis in which no path gets beyond a position; -1 where paths reach all ends."""
    if stopped >= 0:
        sequence = int(np.searchsorted(trellis.offsets, stopped, side="right")) - 1
        raise NoPathError(sequence, stopped - int(trellis.offsets[sequence]), stopped)
