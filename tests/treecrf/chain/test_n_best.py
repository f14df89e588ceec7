"""The best paths against sorted enumeration."""

import itertools
import math

import naive_decoding
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_chains import SMALL, random_chains

from treecrf import chain
from treecrf.chain import trellis as trellises
from treecrf.chain.n_best import best_path, n_best


def ask(trellis, n):
    return n_best(trellis, n, trellises.trellis_marginals(trellis).log_partition)


def assert_is_enumeration(potentials, offsets, order, n, allowed=None, follows=None):
    trellis = trellises.constrain(trellises.trellis_of_potentials(potentials, offsets, order), allowed, follows)
    found = ask(trellis, n)
    assert found.labels.shape == (n, offsets[-1])
    assert found.log_probabilities.shape == (n, len(offsets) - 1)
    for sequence, (begin, end) in enumerate(itertools.pairwise(offsets)):
        scores = naive_decoding.constrained_paths(potentials, begin, end, order, allowed, follows)
        probability = naive_decoding.probabilities(scores)
        best = naive_decoding.n_best(scores, n)
        assert found.n_paths[sequence] == len(best)
        assert [tuple(path) for path in found.labels[: len(best), begin:end].tolist()] == best
        expected = [math.log(probability[path]) for path in best]
        np.testing.assert_allclose(found.log_probabilities[: len(best), sequence], expected, rtol=1e-9, atol=1e-9)
        assert (found.labels[len(best) :, begin:end] == -1).all()
        assert (found.log_probabilities[len(best) :, sequence] == -np.inf).all()


@pytest.mark.parametrize("n", [1, 2, 7, 300])
@pytest.mark.parametrize(("n_labels", "order"), SMALL)
def test_agrees_with_enumeration(n_labels, order, n):
    potentials, offsets = random_chains([1, n_labels, order], n_labels, order, [1, 4, 2, 3])
    assert_is_enumeration(potentials, offsets, order, n)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), order=st.integers(0, 3), n=st.integers(1, 40), share=st.sampled_from([0.4, 0.8]))
def test_ties_and_masks(seed, order, n, share):
    rng = np.random.default_rng(seed)
    n_labels, offsets = int(rng.integers(1, 4)), np.array([0, 4, 5, 7])
    shape = (n_labels, 7, chain.StateSpace(n_labels, order).n_states)
    potentials = rng.integers(0, 2, shape).astype(float)  # whole numbers: ties are exact, and frequent
    allowed, follows = rng.random((7, n_labels)) < share, rng.random((n_labels + 1, n_labels)) < share
    for begin, end in itertools.pairwise(offsets):  # a path stays
        path = rng.integers(0, n_labels, end - begin)
        allowed[np.arange(begin, end), path] = follows[[-1, *path[:-1]], path] = True
    assert_is_enumeration(potentials, offsets, order, n, allowed, follows)


def test_long_sequences_keep_small_differences():
    # Scores reach 10^10, differences of 10^-6 would be lost in their sum.
    n = 10_000
    scores = np.stack([np.full(n, 1e6), np.full(n, 1e6 - 1.0)], axis=1)
    scores[[100, 9_900], 1] = 1e6 - np.array([2e-6, 1e-6])
    found = n_best(trellises.trellis_of_scores(scores, np.array([0, n])), 4, np.zeros(1)).labels
    assert [np.flatnonzero(path).tolist() for path in found] == [[], [9_900], [100], [100, 9_900]]


def test_n_is_at_least_1():
    trellis = trellises.trellis_of_scores(np.zeros((2, 2)), np.array([0, 2]))
    with pytest.raises(ValueError, match=r"^n=0: give the number of paths, at least 1\.$"):
        n_best(trellis, 0, np.zeros(1))


def test_a_sequence_without_a_path_is_named():
    trellis = trellises.trellis_of_scores(np.zeros((3, 2)), np.array([0, 1, 3]))
    allowed = np.array([[True, True], [True, True], [False, False]])
    with pytest.raises(ValueError, match=r"^sequence 1: no labelling is left by its position 1,"):
        best_path(trellises.constrain(trellis, allowed))
