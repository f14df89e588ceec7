"""Chains in which positions may have some labels alone, against dense chains and all label sequences."""

import naive
import numpy as np
import pytest
from random_chains import N_LABELS, dense, random_lattice, random_potentials

from treecrf import chain
from treecrf.chain import lattice as lattices
from treecrf.chain.lattice import Recursions, Weights, backward, build_lattice, forward
from treecrf.compiled.struct import allocate


@pytest.mark.parametrize("with_pairs", [False, True])
@pytest.mark.parametrize("in_logs", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_as_dense_chains(seed, in_logs, with_pairs, monkeypatch):
    if in_logs:
        monkeypatch.setattr(lattices, "MAX_LOG_RANGE", -1.0)
    rng = np.random.default_rng(seed)
    lattice, _ = random_lattice(rng)
    potentials = random_potentials(rng, lattice, with_pairs)
    expected = naive.enumerate_chains(dense(lattice, potentials), lattice.offsets, 1)
    found = lattices.lattice_marginals(lattice, potentials)
    np.testing.assert_allclose(lattices.by_label(lattice, found.labels, N_LABELS), expected.marginals, atol=1e-12)
    np.testing.assert_allclose(found.log_partition, expected.log_partition, atol=1e-12)
    np.testing.assert_array_equal(lattices.lattice_viterbi(lattice, potentials), expected.best_labels)
    labels = np.array(
        [rng.choice(lattice.labels[slice(*lattice.first[p : p + 2])]) for p in range(len(lattice.first) - 1)]
    )
    np.testing.assert_allclose(
        lattices.lattice_log_likelihood(lattice, potentials, labels),
        chain.log_likelihood(dense(lattice, potentials), labels, lattice.offsets, 1),
        atol=1e-12,
    )


@pytest.mark.parametrize("with_pairs", [False, True])
def test_marginals_and_counts_of_pairs(with_pairs):
    rng = np.random.default_rng(0)
    lattice, _ = random_lattice(rng)
    potentials = random_potentials(rng, lattice, with_pairs)
    expected = naive.enumerate_chains(dense(lattice, potentials), lattice.offsets, 1).pairs
    weights = Weights(*(np.exp(part) for part in potentials))
    recursions = allocate(Recursions, n_entries=len(lattice.labels), n_positions=len(lattice.first) - 1)
    pairs, counts = np.empty(lattice.first_pair[-1]), np.zeros((N_LABELS, N_LABELS + 1))
    forward(lattice, weights, 0, len(lattice.offsets) - 1, recursions)
    backward(lattice, weights, 0, len(lattice.offsets) - 1, recursions, pairs, counts)
    pair = 0
    for position in range(len(lattice.first) - 1):
        is_first = position in lattice.offsets
        before = [N_LABELS] if is_first else lattice.labels[slice(*lattice.first[position - 1 : position + 1])]
        for label in lattice.labels[slice(*lattice.first[position : position + 2])]:
            for other in before:
                assert pairs[pair] == pytest.approx(expected[label, position, other], abs=1e-12)
                pair += 1
    np.testing.assert_allclose(counts, expected.sum(axis=1), atol=1e-12)


def test_potentials_that_lie_far_apart():
    # exp(-2000) is 0: what follows a likely label may be likelier than what follows the likeliest one.
    lattice = build_lattice([0, 2], np.ones((1, 2)), [0, 0])
    transitions = np.array([[-2000.0, 0.0, 0.0], [-2000.0, -1000.0, 0.0]])
    potentials = Weights(np.array([1000.0, 0.0, 0.0, 999.0]), transitions, np.empty(0))
    found = lattices.lattice_marginals(lattice, potentials)
    expected = naive.enumerate_chains(dense(lattice, potentials), lattice.offsets, 1)
    np.testing.assert_allclose(found.labels.reshape(2, 2), expected.marginals, atol=1e-12)
    np.testing.assert_allclose(found.log_partition, expected.log_partition)


def test_a_label_that_a_position_may_not_have_has_probability_0():
    lattice = build_lattice([0, 2, 3], [[True, False], [True, True]], [0, 1, 1])
    potentials = Weights(np.zeros(5), np.zeros((2, 3)), np.zeros(0))
    found = lattices.lattice_log_likelihood(lattice, potentials, np.array([1, 0, 1], dtype=np.int16))
    np.testing.assert_array_equal(found, [-np.inf, -np.log(2)])
    np.testing.assert_array_equal(lattices.entries_of(lattice, np.array([1, 0, 1], dtype=np.int16)), [-1, 1, 4])
    np.testing.assert_array_equal(lattices.pairs_of(lattice, np.array([-1, 1, 4])), [-1, -1, 4])
    np.testing.assert_array_equal(lattices.pairs_of(lattice, np.array([0, 2, 3])), [0, 2, 3])


def test_potentials_that_are_not_finite_are_refused():
    lattice = build_lattice([0, 2], np.ones((1, 2)), [0, 0])
    potentials = Weights(np.array([0.0, 0.0, np.nan, 0.0]), np.zeros((2, 3)), np.zeros(0))
    for use in (lattices.lattice_marginals, lattices.lattice_viterbi):
        with pytest.raises(ValueError, match="NaN or infinite"):
            use(lattice, potentials)
