"""Chains with random potentials that several test files need."""

import naive
import numpy as np

from treecrf import chain
from treecrf.chain.lattice import Weights, build_lattice

SMALL = [(n_labels, order) for n_labels in (1, 2, 3, 4) for order in range(5) if n_labels**order <= 256]
"""Numbers of labels and orders."""

N_LABELS = 4
"""Of lattices."""


def random_chains(seed, n_labels, order, lengths, scale=2.0, garbage=np.nan):
    """Normal potentials, with `garbage` wherever a state is not valid."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    space = chain.StateSpace(n_labels, order)
    potentials = rng.normal(scale=scale, size=(n_labels, offsets[-1], space.n_states))
    potentials[:, ~valid_states(space, offsets)] = garbage
    return potentials, offsets


def valid_states(space, offsets):
    """Whether the state has min(t, k) labels; bool, shape (n_positions, n_states)."""
    within = np.concatenate([np.arange(n) for n in np.diff(offsets)])
    depths = np.array([len(state) for state in naive.states(space.n_labels, space.order)])
    return np.minimum(within, space.order)[:, None] == depths


def random_lattice(rng, n_kinds=3):
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 6, 7))])
    candidates = rng.random((n_kinds, N_LABELS)) < 0.6
    candidates[np.arange(n_kinds), rng.integers(0, N_LABELS, n_kinds)] = True
    return build_lattice(offsets, candidates, rng.integers(0, n_kinds, offsets[-1])), candidates


def random_potentials(rng, lattice, with_pairs):
    unary, transitions = rng.normal(size=len(lattice.labels)), rng.normal(size=(N_LABELS, N_LABELS + 1))
    return Weights(unary, transitions, rng.normal(size=lattice.first_pair[-1] if with_pairs else 0))


def dense(lattice, potentials, impossible=-80.0):
    """The same chain with all labels; those that a position may not have are very unlikely."""
    n_labels = len(potentials.transitions)
    table = np.full((n_labels, len(lattice.first) - 1, n_labels + 1), impossible)
    for begin, end in zip(lattice.offsets[:-1], lattice.offsets[1:], strict=True):
        for position in range(begin, end):
            pair = lattice.first_pair[position]
            for entry in range(lattice.first[position], lattice.first[position + 1]):
                before = (
                    [n_labels]
                    if position == begin
                    else lattice.labels[slice(*lattice.first[position - 1 : position + 1])]
                )
                for other in before:
                    label = lattice.labels[entry]
                    step = potentials.pairs[pair] if len(potentials.pairs) else potentials.transitions[label, other]
                    table[label, position, other] = potentials.unary[entry] + step
                    pair += 1
            assert pair == lattice.first_pair[position + 1]
    return table
