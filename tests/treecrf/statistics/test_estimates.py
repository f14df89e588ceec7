"""p-values and intervals of one error model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests

from treecrf.statistics.estimates import Estimates, adjust_holm


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
