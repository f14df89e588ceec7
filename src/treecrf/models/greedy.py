"""Greedy decoding: labels from left to right, each given those predicted before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from treecrf.chain import StateSpace
from treecrf.models.chain_labeller import ChainLabeller
from treecrf.sequences import SequenceSet


def staged_greedy(labeller: ChainLabeller, data: SequenceSet, every: int) -> Iterator[NDArray[np.int16]]:
    """`greedy_labels` after `every`, 2 `every`, .. iterations of a labeller whose potentials are local, such as a MEMM."""
    for potentials in labeller._staged_potentials(data, every):
        yield greedy_labels(potentials, data.offsets, labeller.order)


def greedy_labels(potentials: NDArray[np.float64], offsets: NDArray[np.int64], order: int) -> NDArray[np.int16]:
    """The likeliest label of each position, given the labels predicted before it: a beam of one (PhD section 5.1).

    Parameters
    ----------
    potentials : float64, shape (n_labels, n_positions, n_states)
        ``log P(y | state, window)``, states as in `treecrf.chain.StateSpace`.
    offsets : int64, shape (n_sequences + 1,)
    order : int

    Returns
    -------
    int16, shape (n_positions,); the lowest code wins ties.
    """
    space = StateSpace(len(potentials), order)
    after = _states_after(space)
    lengths = np.diff(offsets)
    states = np.full(len(lengths), space.n_states - 1)  # of no labels
    labels = np.empty(potentials.shape[1], dtype=np.int16)
    for place in range(lengths.max()):
        there = np.flatnonzero(lengths > place)
        positions = offsets[there] + place
        chosen = potentials[:, positions, states[there]].argmax(axis=0)
        labels[positions] = chosen
        states[there] = after[states[there], chosen]
    return labels


def _states_after(space: StateSpace) -> NDArray[np.int64]:
    """The state that each label leads to from each state, shape (n_states, n_labels)."""
    before = [tuple(labels) for labels in space.labels_of_state.tolist()]
    numbers = {labels: state for state, labels in enumerate(before)}
    after = np.empty((space.n_states, space.n_labels), dtype=np.int64)
    for (state, labels), label in product(enumerate(before), range(space.n_labels)):
        after[state, label] = numbers[(label, *labels)[: space.order]]
    return after
