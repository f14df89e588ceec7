"""Intervals from sequences and training sets or trainings, against cell by cell sums, and what is exactly 0."""

import numpy as np
import pytest
from naive_statistics import crossed_standard_error, mean_difference, shared_covariance
from numpy.testing import assert_allclose
from scipy.stats import t, ttest_1samp

from treecrf.statistics.two_way import estimate_crossed, estimate_trainings, make_pairs, training_covariances


def drawn(seed, n_pairs=3, n_sequences=9, n_sets=4):
    rng = np.random.default_rng(seed)
    positions = rng.integers(1, 40, (n_sequences, 1)).repeat(n_sets, axis=1)
    shift = rng.normal(0, 0.2, (n_pairs, 1, n_sets)) + rng.normal(0, 0.1, (n_pairs, n_sequences, 1))
    return np.rint(positions * shift).astype(int), positions


@pytest.mark.parametrize("seed", range(4))
def test_crossed_error_cell_by_cell(seed):
    differences, positions = drawn(seed)
    found = estimate_crossed(differences, positions)
    assert_allclose(found.standard_error, [crossed_standard_error(some, positions) for some in differences])
    assert_allclose(found.points, 100 * differences.sum(axis=(1, 2)) / positions.sum())
    lengths = positions[:, 0].astype(float)
    degrees = min((lengths**2).sum() ** 2 / (lengths**4).sum(), 4) - 1
    assert_allclose(found.degrees_of_freedom, degrees)
    statistic = found.points / found.standard_error
    assert_allclose(found.p_value, 2 * t.sf(np.abs(statistic), degrees))
    low, high = found.interval(0.9)
    assert_allclose(high - low, 2 * t.ppf(0.95, degrees) * found.standard_error)


def test_variance_is_never_negative():
    # Rows and columns cancel: V_sequence = V_set = 0 and V_cell is not, so the two-way sum alone would be below 0.
    differences, positions = np.array([[[1, -1], [-1, 1]]]), np.full((2, 2), 5)
    assert estimate_crossed(differences, positions).standard_error.tolist() == [0.0]
    assert estimate_crossed(differences, positions).p_value.tolist() == [1.0]


def test_sets_count_as_a_source_of_error():
    # One method is ahead by 3 points in every sequence of one set: sequences alone show no error.
    differences = np.array([[3, -1, -1, 2]]).repeat(50, axis=0)[None]
    found = estimate_crossed(differences, np.full((50, 4), 100))
    assert found.points[0] == pytest.approx(0.75)
    assert found.standard_error[0] == pytest.approx(np.std([3, -1, -1, 2], ddof=1) / 2)


@pytest.mark.parametrize("seed", range(20))
def test_identical_methods_have_exactly_no_error(seed):
    rng = np.random.default_rng(seed)
    positions = rng.integers(1, 70, 13)
    once = rng.binomial(positions, 0.9, (5, 13))
    right = positions[None].repeat(5, axis=0)
    zeros = np.zeros((1, 13, 5), dtype=int)
    for found in (
        estimate_crossed(zeros, positions[:, None].repeat(5, axis=1)),
        estimate_crossed(zeros, positions[:, None].repeat(5, axis=1), satterthwaite=True),
        estimate_trainings(make_pairs([once, once]), positions),
        estimate_trainings(make_pairs([right, right[:2]]), positions),
    ):
        low, high = found.interval()
        assert [*found.points, *found.standard_error, *found.p_value, *low, *high] == [0, 0, 1, 0, 0]


def test_difference_without_variation_cannot_be_judged():
    positions = np.array([[30, 30], [70, 70], [10, 10]])
    found = estimate_crossed((positions // 10)[None], positions)
    assert found.points.tolist() == [10.0]
    assert np.isnan([*found.standard_error, *found.p_value, *found.interval()[0]]).all()


def test_one_set_or_sequence_is_too_few():
    differences, positions = drawn(0)
    assert np.isnan(estimate_crossed(differences[:, :1], positions[:1]).p_value).all()
    assert np.isnan(estimate_crossed(differences[:, :, :1], positions[:, :1]).p_value).all()
    assert np.isnan(estimate_trainings(make_pairs([np.array([[3]]), np.array([[2]])]), np.array([5])).p_value).all()


def test_clusters_of_equal_size_give_students_test():
    correct = [np.random.default_rng(m).integers(5, 10, (1, 12)) for m in range(2)]
    found = estimate_trainings(make_pairs(correct), np.full(12, 10))
    expected = ttest_1samp((correct[0] - correct[1])[0], 0)
    assert found.p_value[0] == pytest.approx(expected.pvalue)
    assert found.degrees_of_freedom[0] == pytest.approx(11)


def test_error_of_trainings_is_added():
    rng = np.random.default_rng(0)
    correct = [rng.integers(40, 60, (4, 30)) + rng.integers(-9, 9, (4, 1)) for _ in range(2)]
    pairs, positions = make_pairs(correct), np.full(30, 100)
    clusters = (correct[0].mean(axis=0) - correct[1].mean(axis=0)).std(ddof=1) / np.sqrt(30)
    trainings = np.sqrt(pairs.training_variance[0]) / pairs.scale / 3000
    assert trainings > 0.01
    found = estimate_trainings(pairs, positions)
    assert found.standard_error[0] == pytest.approx(np.hypot(clusters, 100 * trainings))
    assert found.degrees_of_freedom[0] < 29


# --- pairs -----------------------------------------------------------------------------------------


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
