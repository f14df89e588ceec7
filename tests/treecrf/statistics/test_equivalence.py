"""Decisions in three words."""

import numpy as np
import pytest

from treecrf.statistics.estimates import decide, is_negligible


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
