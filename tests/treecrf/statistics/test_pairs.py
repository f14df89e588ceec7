"""Differences of methods that were trained several times, against fractions and covariances in loops."""

import numpy as np
import pytest
from naive_statistics import mean_difference, shared_covariance
from numpy.testing import assert_allclose

from treecrf.statistics.two_way import make_pairs, training_covariances


def counts(seed=0, n_trainings=(3, 4, 1), n_clusters=7):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 30, (n, n_clusters)) for n in n_trainings]


def test_unlike_numbers_of_trainings_leave_differences_exact():
    correct = counts()
    pairs = make_pairs(correct)
    assert pairs.scale == 12
    assert list(zip(pairs.first, pairs.second, strict=True)) == [(0, 1), (0, 2), (1, 2)]
    for first, second, row in zip(pairs.first, pairs.second, pairs.differences, strict=True):
        assert [12 * value for value in mean_difference(correct[first], correct[second])] == row.tolist()
    expected = [100 * (correct[0].sum() / 3 - correct[1].sum() / 4) / 500]
    assert_allclose(pairs.points(500)[0], expected)


def test_training_variance_leaves_out_what_is_in_the_clusters():
    for correct in counts(1, (2, 5, 10)):
        shared, whole = training_covariances(correct)
        assert shared == pytest.approx(shared_covariance(correct), abs=1e-9)
        assert whole == pytest.approx(correct.sum(axis=1).var(ddof=1) / len(correct))


def test_one_training_has_no_variance_and_says_so():
    pairs = make_pairs(counts())
    assert pairs.trainings_vary.tolist() == [True, False, False]
    assert training_covariances(counts()[2]) == (0.0, 0.0)


def test_trainings_that_do_not_differ_have_a_variance_of_exactly_0():
    once = counts(2, (1, 1), 300)
    pairs = make_pairs([once[0].repeat(10, axis=0), once[1].repeat(3, axis=0)])
    assert pairs.training_variance.tolist() == [0.0]
    assert pairs.degrees_of_freedom.tolist() == [np.inf]
    assert pairs.trainings_vary.all()


def test_degrees_of_freedom_are_those_of_welch():
    correct = counts(3, (3, 10), 5)
    correct = [some + 10 * np.arange(len(some))[:, None] for some in correct]
    variances = [some.sum(axis=1).var(ddof=1) / len(some) for some in correct]
    expected = sum(variances) ** 2 / (variances[0] ** 2 / 2 + variances[1] ** 2 / 9)
    assert make_pairs(correct).degrees_of_freedom == pytest.approx([expected])


@pytest.mark.parametrize(
    ("correct", "message"),
    [
        ([np.ones((1, 3), int)], "two methods"),
        ([np.ones((1, 3), int), np.ones((1, 4), int)], "different numbers of clusters"),
        ([np.ones((1, 3), int), np.ones((1, 3))], "whole numbers"),
        ([np.ones(3, int), np.ones((1, 3), int)], r"shape \(n_trainings, n_clusters\), not \(3,\)"),
        ([np.full((1, 3), 2**52), np.ones((1, 3), int)], "too large"),
    ],
)
def test_unusable_counts(correct, message):
    with pytest.raises(ValueError, match=message):
        make_pairs(correct)
