"""p-values, intervals and decisions of one error model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from treecrf.statistics.estimates import Estimates, adjust_holm, decide, estimate_resampled, is_negligible


def random_estimates(seed, n=40):
    rng = np.random.default_rng(seed)
    return Estimates.of(rng.normal(0, 3, n), rng.uniform(0.1, 2, n), rng.uniform(1, 30, n))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_p_is_below_the_level_where_the_interval_leaves_out_0(seed, level):
    found = random_estimates(seed)
    low, high = found.interval(1 - level)
    assert ((low > 0) | (high < 0)).tolist() == (found.p_value < level).tolist()
    assert 0 < (found.p_value < level).sum() < 40


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("n", [1, 3, 40])
def test_intervals_of_a_family_leave_out_0_where_bonferroni_rejects(seed, level, n):
    found = random_estimates(seed, n)
    low, high = found.interval_bonferroni(level)
    excludes = (low > 0) | (high < 0)
    assert excludes.tolist() == (found.p_value < level / n).tolist()
    assert (found.p_holm[excludes] < level).all()  # Holm finds no fewer
    plain_low, plain_high = found.interval(1 - level)
    assert (low <= plain_low).all()
    assert (high >= plain_high).all()
    assert found.p_holm.tolist() == adjust_holm(found.p_value).tolist()


def test_holm_may_reject_where_the_interval_of_the_family_holds_0():
    found = Estimates.of(np.array([9.0, 2.1]), np.array([1.0, 1.0]), np.inf)
    (low, high) = found.interval_bonferroni()
    assert (found.p_holm < 0.05).all()
    assert ((low > 0) | (high < 0)).tolist() == [True, False]


def test_a_pair_without_a_standard_error_counts_in_the_family():
    known = Estimates.of(np.array([3.0]), np.array([1.0]), 9.0)
    pair = Estimates.of(np.array([3.0, 1.0]), np.array([1.0, 0.0]), 9.0)
    assert pair.interval_bonferroni()[0][0] == known.interval(1 - 0.05 / 2)[0][0]
    assert pair.p_holm[0] == 2 * known.p_value[0]


def test_differences_that_vary_too_little_have_no_interval():
    found = Estimates.of(np.array([0.0, 1.0]), np.array([0.0, 0.0]), 5.0)
    (low, high) = found.interval_bonferroni()
    assert (low[0], high[0], found.p_holm[0]) == (0.0, 0.0, 1.0)
    assert np.isnan([low[1], high[1], found.p_holm[1]]).all()


def test_holm_by_hand():
    # Sorted: 0.01 x 4, 0.02 x 3, 0.03 x 2 (which may not fall below its forerunner), 0.9 x 1.
    assert_allclose(adjust_holm(np.array([0.03, 0.01, 0.9, 0.02])), [0.06, 0.04, 0.9, 0.06])
    assert_allclose(adjust_holm(np.array([0.5, 0.6])), [1, 1])
    assert_allclose(adjust_holm(np.array([0.01, np.nan, 0.04])), [0.03, np.nan, 0.08])
    assert_allclose(adjust_holm(np.array([np.nan])), [np.nan])
    p_values = np.random.default_rng(0).uniform(size=7) ** 4
    assert_allclose(adjust_holm(p_values), multipletests(p_values, method="holm")[1])


# --- equivalence -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "p_value", "low", "high", "word"),
    [
        (2.0, 0.01, 0.6, 3.4, "better"),
        (-2.0, 0.01, -3.4, -0.6, "worse"),
        (0.3, 0.001, 0.2, 0.4, "better"),  # both hold: the direction is known
        (0.1, 0.4, -0.3, 0.49, "equivalent"),
        (0.1, 0.4, -0.3, 0.5, "undecided"),  # the end is the margin
        (0.1, 0.9, -2.0, 2.2, "undecided"),  # a large p-value shows nothing
        (0.0, 1.0, 0.0, 0.0, "equivalent"),
        (1.0, 0.05, 0.1, 1.9, "undecided"),
        (3.0, np.nan, np.nan, np.nan, "undecided"),
        (0.0, 0.01, -0.1, 0.1, "equivalent"),
    ],
)
def test_words(points, p_value, low, high, word):
    assert decide(*(np.array([value]) for value in (points, p_value, low, high))).tolist() == [word]


def test_a_real_difference_may_be_negligible():
    assert is_negligible(np.array([0.2, -0.6]), np.array([0.4, 0.4])).tolist() == [True, False]


@pytest.mark.parametrize("margin", [0.0, -1.0, np.nan])
def test_margin_must_be_positive(margin):
    with pytest.raises(ValueError, match="margin"):
        is_negligible(np.zeros(1), np.zeros(1), margin)


# --- resampled -------------------------------------------------------------------------------------


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
