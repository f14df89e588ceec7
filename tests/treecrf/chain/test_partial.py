"""Probabilities of partial labels against enumeration."""

import itertools

import naive
import numpy as np
import pytest

from treecrf import chain
from treecrf.chain import beam, lattice
from treecrf.chain.inference import partial_log_likelihood
from treecrf.chain.lattice import Weights


def draw_labels(rng, n, n_labels):
    labels = rng.integers(0, n_labels, n).astype(np.int16)
    labels[rng.random(n) < 0.5] = -1
    return labels


def by_enumeration(potentials, labels, offsets, order):
    found = []
    for begin, end in itertools.pairwise(offsets):
        scores = naive.chain_scores(potentials, begin, end, order)
        agree = [
            score
            for path, score in scores.items()
            if all(label in (-1, y) for label, y in zip(labels[begin:end], path, strict=True))
        ]
        found.append(naive.log_sum(agree) - naive.log_sum(list(scores.values())))
    return found


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("width", [1.0, 300.0])  # exponentials of the second underflow
def test_probability_of_partial_labels_equals_enumeration(order, width):
    rng = np.random.default_rng([order, int(width)])
    offsets = np.array([0, 1, 4, 9])
    potentials = width * rng.normal(size=(3, 9, chain.StateSpace(3, order).n_states))
    labels = draw_labels(rng, 9, 3)
    found = partial_log_likelihood(potentials, labels, offsets, order)
    np.testing.assert_allclose(found, by_enumeration(potentials, labels, offsets, order), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("by_pair", [False, True])
def test_lattices_equal_enumeration(by_pair):
    rng = np.random.default_rng(by_pair)
    offsets = np.array([0, 1, 4, 9])
    candidates = np.array([[True, True, False], [True, True, True]])
    paths = lattice.build_lattice(offsets, candidates, rng.integers(0, 2, 9))
    transitions = rng.normal(size=(3, 4))
    pairs = rng.normal(size=paths.first_pair[-1]) if by_pair else np.empty(0)
    potentials = Weights(rng.normal(size=len(paths.labels)), transitions, pairs)
    labels = draw_labels(rng, 9, 2)
    dense = np.full((3, 9, 4), -1e4)
    pair = 0
    for begin, end in itertools.pairwise(offsets):
        for p in range(begin, end):
            first, before = paths.first, [3] if p == begin else paths.labels[paths.first[p - 1] : paths.first[p]]
            for entry in range(first[p], first[p + 1]):
                for other in before:
                    step = pairs[pair] if by_pair else transitions[paths.labels[entry], other]
                    dense[paths.labels[entry], p, other] = potentials.unary[entry] + step
                    pair += 1
    found = beam.partial_log_likelihood(paths, potentials, labels)
    np.testing.assert_allclose(found, by_enumeration(dense, labels, offsets, 1), atol=1e-12)


def test_a_label_that_a_position_may_not_have_is_impossible():
    paths = lattice.build_lattice([0, 2, 3], [[True, False], [True, True]], [0, 1, 1])
    potentials = Weights(np.zeros(5), np.zeros((2, 3)), np.empty(0))
    found = beam.partial_log_likelihood(paths, potentials, np.array([1, -1, -1], dtype=np.int16))
    np.testing.assert_array_equal(found, [-np.inf, 0.0])
