"""Means of repeated measurements, against SciPy's t test."""

import numpy as np
import pytest
from scipy import stats

from treecrf.statistics.metrics import geometric_mean, mean_with_interval, ratio_of_geometric_means


@pytest.mark.parametrize("n_repeats", [2, 5, 30])
def test_the_interval_is_that_of_the_t_test(n_repeats):
    values = np.random.default_rng(n_repeats).normal(3, 1, n_repeats)
    mean, interval = mean_with_interval(values, 0.9)
    assert mean == pytest.approx(values.mean())
    assert interval == pytest.approx(stats.ttest_1samp(values, 0).confidence_interval(0.9))


def test_one_measurement_says_nothing_about_the_next():
    assert mean_with_interval([2.0]) == (2.0, (-np.inf, np.inf))
    assert geometric_mean([2.0]) == (2.0, (0.0, np.inf))


def test_ratios_and_their_reciprocals_agree():
    ratios = np.array([2.0, 3.0, 2.5])
    mean, (low, high) = geometric_mean(ratios)
    inverse, ends = geometric_mean(1 / ratios)
    assert (1 / inverse, 1 / ends[1], 1 / ends[0]) == pytest.approx((mean, low, high))
    assert stats.gmean(ratios) == pytest.approx(mean)
    assert low < mean < high


def test_the_interval_holds_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(0)
    ends = np.array([mean_with_interval(rng.normal(1, 1, 5))[1] for _ in range(2000)])
    assert 0.93 < ((ends[:, 0] < 1) & (ends[:, 1] > 1)).mean() < 0.97


def test_ratio_of_two_samples_by_hand():
    """Welch's interval of the difference of logarithms."""
    first, second = np.exp([1.0, 2.0, 3.0]), np.exp([0.0, 1.0])
    ratio, (low, high) = ratio_of_geometric_means(first, second, 0.9)
    parts = np.array([1 / 3, 0.5 / 2])  # variances over sizes
    degrees_of_freedom = parts.sum() ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 1)
    half_width = stats.t.isf(0.05, degrees_of_freedom) * np.sqrt(parts.sum())
    assert np.log(ratio) == pytest.approx(1.5)
    assert np.log([low, high]) == pytest.approx([1.5 - half_width, 1.5 + half_width])
    assert ratio_of_geometric_means(second, first, 0.9)[1] == pytest.approx((1 / high, 1 / low))


def test_a_ratio_to_a_single_measurement_is_not_certain():
    assert ratio_of_geometric_means([4.0], [2.0, 2.0]) == (pytest.approx(2.0), (0.0, np.inf))
