"""Inference on chains whose paths are constrained: labels that a position may not have, labels that may not follow
others.

A `Trellis` takes chains of every kind, dense ones of any order and lattices, and what is forbidden as minus infinity:
forbidden paths have probability 0, and the others keep their proportions. All recursions run in logs, as constraints
can leave only paths that are unlikely by any factor.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.chain._kernels import follow
from treecrf.chain._lattice_kernels import Lattice, Weights
from treecrf.chain._trellis_kernels import Trellis, infer
from treecrf.chain.inference import Marginals, StateSpace, check_chains
from treecrf.chain.lattice import check_finite, predecessor_counts
from treecrf.io.arrays import places_in

__all__ = [
    "NoPathError",
    "Trellis",
    "check_reached",
    "constrain",
    "log_scores",
    "steps_at",
    "trellis_marginals",
    "trellis_of_lattice",
    "trellis_of_potentials",
    "trellis_of_scores",
]

_NO_TABLE, _NO_PAIRS, _NO_PLACES = np.empty((0, 0, 0)), np.empty(0), np.empty((0, 0), dtype=np.int64)


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
        states = np.empty(len(labels), dtype=np.int32)
        follow(labels, trellis.offsets, n_labels, order, states)
        steps += trellis.table[labels, positions, states]
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
