"""Inference on chains whose paths are constrained: labels that a position may not have, labels that may not follow others.

A `Trellis` takes chains of every kind, dense ones of any order and lattices, and what is forbidden as minus infinity:
forbidden paths have probability 0, and the others keep their proportions. All recursions run in logs, as constraints can
leave only paths that are unlikely by any factor.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.chain._kernels import follow
from treecrf.chain._lattice_kernels import Lattice, Weights
from treecrf.chain._trellis_kernels import Trellis, infer
from treecrf.chain.inference import Marginals, StateSpace, check_chains
from treecrf.chain.lattice import check_finite, transitions_of_pairs

__all__ = [
    "Trellis", "check_reached", "constrain", "forward_backward", "log_scores", "pairwise_marginals", "trellis_of_lattice",
    "trellis_of_potentials", "trellis_of_scores",
]  # fmt: skip

_NO_TABLE = np.empty((0, 0, 0))


def trellis_of_potentials(potentials: ArrayLike, offsets: ArrayLike, order: int) -> Trellis:
    """Dense chains; parameters and errors as of `treecrf.chain.forward_backward`. Order 0 becomes order 1."""
    chains = check_chains(potentials, offsets, order)
    if not order:
        return trellis_of_scores(chains.potentials[:, :, 0].T, chains.offsets)
    n_labels, n_positions, _ = chains.potentials.shape
    table = np.require(chains.potentials, requirements=["C", "W"])
    return Trellis(
        chains.offsets.copy(), np.zeros((n_positions, n_labels)), np.zeros((n_labels, n_labels + 1)), table, order
    )


def trellis_of_scores(scores: NDArray[np.float64], offsets: NDArray[np.int64]) -> Trellis:
    """Positions by themselves, as chains of order 1 without transitions.

    Parameters
    ----------
    scores : float64, shape (n_positions, n_labels)
        Minus infinity where the position may not have the label.
    offsets : int64, shape (n_sequences + 1,)
    """
    n_labels = scores.shape[1]
    unary = np.array(scores, dtype=np.float64, order="C")
    return Trellis(np.array(offsets, dtype=np.int64), unary, np.zeros((n_labels, n_labels + 1)), _NO_TABLE, 1)


def trellis_of_lattice(lattice: Lattice, potentials: Weights) -> Trellis:
    """First-order chains whose positions have some labels alone; errors as of `treecrf.chain.lattice.forward_backward`."""
    check_finite(potentials)
    n_positions, n_labels = len(lattice.first) - 1, len(potentials.transitions)
    positions = np.repeat(np.arange(n_positions), np.diff(lattice.first))
    unary = np.full((n_positions, n_labels), -np.inf)
    unary[positions, lattice.labels] = potentials.unary
    if not len(potentials.pairs):
        return Trellis(lattice.offsets.copy(), unary, potentials.transitions.copy(), _NO_TABLE, 1)
    table, start = np.zeros((n_labels, n_positions, n_labels + 1)), n_labels
    codes = np.arange(n_labels * (n_labels + 1), dtype=np.float64).reshape(n_labels, n_labels + 1)
    cells = transitions_of_pairs(lattice, codes).astype(np.int64)
    labels, before = np.divmod(cells, start + 1)
    table[labels, np.repeat(np.arange(n_positions), np.diff(lattice.first_pair)), before] = potentials.pairs
    return Trellis(lattice.offsets.copy(), unary, np.zeros((n_labels, n_labels + 1)), table, 1)


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
        ``follows[a, b]``: whether b may stand right after a; the last row is START, what stands before a first position.
    """
    unary, transitions = trellis.unary, trellis.transitions
    if allowed is not None:
        unary = np.where(allowed, unary, -np.inf)
    if follows is not None:
        transitions = np.ascontiguousarray(np.where(follows.T, transitions, -np.inf))
    return trellis._replace(unary=unary, transitions=transitions)


def forward_backward(trellis: Trellis) -> Marginals:
    """Label marginals given that a path is one of the trellis', and the logarithm of the sum over these.

    Raises
    ------
    ValueError
        If a sequence has no path; names it.
    """
    return _infer(trellis, _NO_TABLE)


def pairwise_marginals(trellis: Trellis) -> NDArray[np.float64]:
    """P(y_t = y, state at t = s | X, a path of the trellis), shape (n_labels, n_positions, n_states); errors as above.

    Zero at states that are not valid (`treecrf.chain.pairwise_marginals`).
    """
    n_positions, n_labels = trellis.unary.shape
    pairs = np.zeros((n_labels, n_positions, StateSpace(n_labels, trellis.order).n_states))
    _infer(trellis, pairs)
    return pairs


def log_scores(trellis: Trellis, labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """Sum of the potentials along the labels of each sequence, shape (n_sequences,); minus infinity of a forbidden path."""
    n_labels, order = trellis.unary.shape[1], trellis.order
    positions = np.arange(len(labels))
    before = np.concatenate([[n_labels], labels[:-1]])
    before[trellis.offsets[:-1]] = n_labels
    steps = trellis.unary[positions, labels] + trellis.transitions[labels, before]
    if trellis.table.size:
        states = np.empty(len(labels), dtype=np.int32)
        follow(labels, trellis.offsets, n_labels, order, states)
        steps += trellis.table[labels, positions, states]
    return np.asarray(np.add.reduceat(steps, trellis.offsets[:-1]))


def check_reached(trellis: Trellis, stopped: int) -> None:
    """Refuse a trellis in which no path gets beyond a position; -1 where paths reach all ends."""
    if stopped >= 0:
        sequence = int(np.searchsorted(trellis.offsets, stopped, side="right")) - 1
        raise ValueError(
            f"sequence {sequence}: no labelling is left by its position {stopped - trellis.offsets[sequence]}, all are "
            "forbidden; allow more labels there or before."
        )


def _infer(trellis: Trellis, pairs: NDArray[np.float64]) -> Marginals:
    found = Marginals(np.empty(trellis.unary.shape), np.empty(len(trellis.offsets) - 1))
    check_reached(trellis, infer(trellis, found.log_partition, found.labels, pairs))
    return found
