"""Constrained chains against enumeration of the label sequences that are left."""

import itertools

import naive_decoding
import numpy as np
import pytest
from random_chains import N_LABELS, SMALL, dense, random_chains, random_lattice, random_potentials

from treecrf.chain import trellis as trellises
from treecrf.chain.n_best import best_path

CLOSE = {"rtol": 1e-10, "atol": 1e-12}


def random_masks(rng, offsets, n_labels, share=0.7):
    """Labels by position and steps, among which a random path stays."""
    allowed = rng.random((offsets[-1], n_labels)) < share
    follows = rng.random((n_labels + 1, n_labels)) < share
    for begin, end in itertools.pairwise(offsets):
        path = rng.integers(0, n_labels, end - begin)
        allowed[np.arange(begin, end), path] = True
        follows[[-1, *path[:-1]], path] = True
    return allowed, follows


@pytest.mark.parametrize("with_steps", [False, True])
@pytest.mark.parametrize(("n_labels", "order"), SMALL)
def test_agrees_with_enumeration(n_labels, order, with_steps):
    rng = np.random.default_rng([n_labels, order])
    potentials, offsets = random_chains([1, n_labels, order], n_labels, order, [1, 4, 2])
    allowed, follows = random_masks(rng, offsets, n_labels)
    follows = follows if with_steps else None
    found = trellises.constrain(trellises.trellis_of_potentials(potentials, offsets, order), allowed, follows)
    marginals, log_partition = naive_decoding.marginals(potentials, offsets, order, allowed, follows)
    result = trellises.trellis_marginals(found)
    np.testing.assert_allclose(result.labels, marginals, **CLOSE)
    np.testing.assert_allclose(result.log_partition, log_partition, **CLOSE)
    assert (result.labels[~allowed] == 0).all()


@pytest.mark.parametrize("with_pairs", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_lattices(seed, with_pairs):
    rng = np.random.default_rng(seed)
    lattice, _ = random_lattice(rng)
    weights = random_potentials(rng, lattice, with_pairs)
    table = dense(lattice, weights)
    possible = np.zeros((len(lattice.first) - 1, N_LABELS), dtype=bool)
    possible[np.repeat(np.arange(len(possible)), np.diff(lattice.first)), lattice.labels] = True
    follows = rng.random((N_LABELS + 1, N_LABELS)) < 0.9
    counts = [
        len(naive_decoding.constrained_paths(table, begin, end, 1, possible, follows))
        for begin, end in itertools.pairwise(lattice.offsets)
    ]
    found = trellises.constrain(trellises.trellis_of_lattice(lattice, weights), None, follows)
    if not min(counts):
        with pytest.raises(ValueError, match=f"sequence {counts.index(0)}: no labelling is left"):
            trellises.trellis_marginals(found)
        return
    marginals, log_partition = naive_decoding.marginals(table, lattice.offsets, 1, possible, follows)
    result = trellises.trellis_marginals(found)
    np.testing.assert_allclose(result.labels, marginals, **CLOSE)
    np.testing.assert_allclose(result.log_partition, log_partition, **CLOSE)
    scores = trellises.log_scores(found, best_path(found))
    best = [
        max(naive_decoding.constrained_paths(table, begin, end, 1, possible, follows).values())
        for begin, end in itertools.pairwise(lattice.offsets)
    ]
    np.testing.assert_allclose(scores, best, **CLOSE)


def test_a_path_that_is_unlikely_by_any_factor_is_found():
    # 1,000 steps at a cost of 5 each lie beyond the range of float64; the last position allows no other path.
    offsets = np.array([0, 1000])
    scores = np.tile([0.0, -5.0], (1000, 1))
    allowed = np.ones((1000, 2), dtype=bool)
    allowed[-1, 0] = False
    follows = np.array([[True, False], [False, True], [True, True]])
    whole = trellises.trellis_of_scores(scores, offsets)
    found = trellises.trellis_marginals(trellises.constrain(whole, allowed, follows))
    np.testing.assert_array_equal(found.labels, np.tile([0.0, 1.0], (1000, 1)))
    np.testing.assert_allclose(found.log_partition, [-5000.0])


def test_forbidden_labels_have_minus_infinity():
    whole = trellises.trellis_of_scores(np.zeros((3, 2)), np.array([0, 2, 3]))
    allowed = np.array([[True, True], [False, True], [True, True]])
    found = trellises.log_scores(trellises.constrain(whole, allowed), np.array([0, 0, 1], dtype=np.int16))
    np.testing.assert_array_equal(found, [-np.inf, 0.0])


def test_a_sequence_without_a_path_is_named():
    potentials, offsets = random_chains(0, 2, 2, [2, 4])
    allowed = np.ones((6, 2), dtype=bool)
    allowed[4] = False
    with pytest.raises(ValueError, match=r"^sequence 1: no labelling is left by its position 2, all are forbidden;"):
        trellises.trellis_marginals(
            trellises.constrain(trellises.trellis_of_potentials(potentials, offsets, 2), allowed)
        )


def test_potentials_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="every valid potential must be finite"):
        trellises.trellis_of_potentials(np.full((2, 3, 3), -np.inf), [0, 3], 1)
