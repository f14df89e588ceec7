"""Greedy decoding, against a loop over positions."""

from itertools import pairwise

import numpy as np
import pytest

from treecrf.chain import StateSpace
from treecrf.models.chains import greedy_labels


def slow_labels(potentials, offsets, order):
    """Each position in turn: the state is found by the labels that it stands for."""
    space = StateSpace(len(potentials), order)
    start, found = space.n_labels, []
    for begin, end in pairwise(offsets):
        labels = []
        for position in range(begin, end):
            before = [*labels[::-1], *[start] * order][:order]
            state = next(s for s, row in enumerate(space.labels_of_state.tolist()) if row == before)
            scores = potentials[:, position, state].tolist()
            labels.append(scores.index(max(scores)))
        found += labels
    return found


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_labels_are_those_of_a_loop(order, n_labels):
    rng = np.random.default_rng([order, n_labels])
    offsets = np.array([0, 1, 6, 8, 15])
    shape = (n_labels, 15, StateSpace(n_labels, order).n_states)
    for potentials in (rng.normal(size=shape), rng.integers(0, 2, shape).astype(float)):  # the second has ties
        assert greedy_labels(potentials, offsets, order).tolist() == slow_labels(potentials, offsets, order)
