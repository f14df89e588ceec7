"""What an open comparison would have found, and how many sequences would decide it."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm

from treecrf_studies.framework.claims.judge import FAILS, HOLDS, Observation
from treecrf_studies.framework.claims.kinds import Measured, better, equal, smallest_difference, with_power

SETTINGS = {"level": 0.05, "margin": 0.5}


def interval_of(standard_error):
    half_width = norm.isf(0.05) * standard_error
    return -half_width, half_width


def needed(kind, standard_error, n=100, **values):
    found = Measured(0.0, "", p=0.9, interval=interval_of(standard_error), n=n, units="documents", **values)
    judge_by = {"better": better, "equal": equal}[kind]
    observation = found.observe(lambda each: judge_by(each, **SETTINGS))
    return with_power(observation, found, kind, SETTINGS)


def simulated_power(standard_error, difference, level):
    values = np.random.default_rng(0).normal(difference, standard_error, 40_000)
    return (np.abs(values) > norm.isf(level / 2) * standard_error).mean()


def test_the_smallest_difference_is_found_in_four_of_five_experiments():
    smallest = smallest_difference(interval_of(1.0), "better", 0.05)
    assert simulated_power(1.0, smallest, 0.05) == pytest.approx(0.8, abs=0.01)


def test_so_many_documents_find_the_published_difference():
    observation = needed("better", 1.0, published=1.0)
    assert observation.n_needed == "about 790 documents"  # 784.9, to two digits
    assert simulated_power(1.0 * sqrt(100 / 784.9), 1.0, 0.05) == pytest.approx(0.8, abs=0.01)
    assert "about 790 documents would decide" in observation.line
    assert needed("better", 1.0, published=-1.0).n_needed == "about 790 documents"


def test_without_a_published_difference_the_margin_is_found():
    assert needed("better", 0.5).n_needed == "about 790 documents"


def test_so_many_documents_show_that_equal_methods_are():
    # Half the width of the interval, 1.645, and 1.282 in nine of ten experiments on either side.
    expected = 100 * ((norm.isf(0.05) + norm.isf(0.1)) * 1.0 / 0.5) ** 2
    assert needed("equal", 1.0, published=7.0).n_needed == f"about {int(-(-expected // 100) * 100)} documents"


@pytest.mark.parametrize(("n", "published"), [(0, 1.0), (100, 3.0)])
def test_no_number_where_it_is_not_known_or_there_are_as_many(n, published):
    assert needed("better", 1.0, n=n, published=published).n_needed == ""


def test_what_is_decided_needs_no_more():
    decided = Observation("", HOLDS, "", HOLDS)
    assert with_power(decided, Measured(1.0, "", p=0.0, interval=(0.9, 1.1), n=9), "better", SETTINGS) == decided
    assert with_power(Observation("", FAILS, "", HOLDS), Measured(1.0, ""), "better", SETTINGS).n_needed == ""
