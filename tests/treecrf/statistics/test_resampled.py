"""The corrected resampled t test, by hand and against the t test of draws that do not overlap."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_1samp

from treecrf.statistics.estimates import estimate_resampled


def test_by_hand():
    # Differences of 1, 2, 3, 6 points: mean 3, variance 14 / 3; times 1 / 4 + 1 / 2 that is 3.5.
    found = estimate_resampled(np.array([[1, 2, 3, 6]]), np.full(4, 100), 0.5)
    assert found.points.tolist() == [3.0]
    assert found.standard_error[0] == pytest.approx(np.sqrt(3.5))
    assert found.degrees_of_freedom.tolist() == [3.0]


def test_fresh_draws_leave_the_paired_t_test():
    rng = np.random.default_rng(0)
    differences, positions = rng.integers(-9, 12, (5, 8)), rng.integers(50, 90, 8)
    found = estimate_resampled(differences, positions, 0.0)
    expected = ttest_1samp(100 * differences / positions, 0, axis=1)
    assert_allclose(found.p_value, expected.pvalue)
    assert_allclose(np.transpose(found.interval()), np.transpose(expected.confidence_interval()))


def test_overlap_widens_the_interval():
    differences, positions = np.array([[1, 2, 3, 6]]), np.full(4, 100)
    assert (
        estimate_resampled(differences, positions, 0.5).p_value
        > estimate_resampled(differences, positions, 0.1).p_value
    )


@pytest.mark.parametrize("seed", range(20))
def test_constant_differences_are_found_by_whole_numbers(seed):
    # 3 / 10, 6 / 20, 21 / 70: quotients whose rounding differs would leave a variance.
    rng = np.random.default_rng(seed)
    positions = rng.integers(1, 400, 9)
    found = estimate_resampled(np.array([np.zeros(9, int), 3 * positions]), 10 * positions, 0.5)
    low, high = found.interval()
    assert [found.points[0], found.standard_error[0], found.p_value[0], low[0], high[0]] == [0, 0, 1, 0, 0]
    assert np.isnan([found.standard_error[1], found.p_value[1], low[1]]).all()


def test_one_draw_is_too_few():
    assert np.isnan(estimate_resampled(np.array([[3]]), np.array([10]), 0.5).p_value).all()


@pytest.mark.parametrize("ratio", [-0.1, np.nan])
def test_unusable_ratio(ratio):
    with pytest.raises(ValueError, match="n_test / n_train"):
        estimate_resampled(np.array([[3, 1]]), np.array([10, 10]), ratio)
