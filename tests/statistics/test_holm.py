"""Holm's correction by hand."""

import numpy as np
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests

from treecrf.statistics.estimates import adjust_holm


def test_holm_by_hand():
    # Sorted: 0.01 x 4, 0.02 x 3, 0.03 x 2 (which may not fall below its forerunner), 0.9 x 1.
    assert_allclose(adjust_holm(np.array([0.03, 0.01, 0.9, 0.02])), [0.06, 0.04, 0.9, 0.06])
    assert_allclose(adjust_holm(np.array([0.5, 0.6])), [1, 1])
    assert_allclose(adjust_holm(np.array([0.01, np.nan, 0.04])), [0.03, np.nan, 0.08])
    assert_allclose(adjust_holm(np.array([np.nan])), [np.nan])
    p_values = np.random.default_rng(0).uniform(size=7) ** 4
    assert_allclose(adjust_holm(p_values), multipletests(p_values, method="holm")[1])
