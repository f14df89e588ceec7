"""Units of weights, and weighted numbers: weights that are whole numbers of a unit are copies."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from treecrf.io.arrays import in_units, median, of_observations


@pytest.mark.parametrize(
    ("weights", "unit", "multiples"),
    [
        ([1, 2, 0, 5], 1.0, [1, 2, 0, 5]),
        ([2, 2], 2.0, [1, 1]),
        ([0.2, 0.3], 0.1, [2, 3]),
        ([3e-7, 1e-7], 1e-7, [3, 1]),
        ([1.0, 1e9], 500000000.5, [1 / 500000000.5, 1e9 / 500000000.5]),
        ([1.0, np.pi], 2.070796326794897, None),
        ([1e300, 3e300], 1e300, [1, 3]),
        ([1e-300, 1e-300], 1e-300, [1, 1]),
    ],
)
def test_units_by_hand(weights, unit, multiples):
    found, scaled = in_units(np.array(weights, dtype=float))
    assert found == pytest.approx(unit, rel=1e-12)
    np.testing.assert_allclose(scaled, np.array(weights) / unit if multiples is None else multiples, rtol=1e-12)


@given(st.lists(st.just(0.0) | st.floats(1e-280, 1e3), min_size=1, max_size=20), st.floats(1e-9, 1e9))
def test_a_factor_changes_the_unit_alone(weights, factor):
    weights = np.array(weights)
    assume((weights > 1e-9).any())
    (unit, scaled), (other, again) = in_units(weights), in_units(factor * weights)
    assert other == pytest.approx(factor * unit, rel=1e-9)
    np.testing.assert_allclose(again, scaled, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(unit * scaled, weights, rtol=1e-9, atol=1e-300)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=12), st.floats(1e-9, 1e9))
def test_medians_are_those_of_copies(numbered, factor):
    numbers, weights = np.array(numbered, dtype=float).T
    assume(weights.any())
    copies = np.repeat(np.append(numbers, np.nan), np.append(weights, 1).astype(int))
    assert median(np.append(numbers, np.nan), factor * np.append(weights, 1)) == np.nanmedian(copies)


def test_observations_have_the_weight_of_their_position_or_of_the_last_one():
    weights = np.array([1.0, 2.0, 3.0])
    assert of_observations(weights, np.array([0, 2, 3]), np.array([0, 3, 4])).tolist() == [1, 2, 2, 3]
    assert of_observations(weights, np.array([0, 2, 3]), np.array([0, 2, 3])) is weights
    assert of_observations(None, np.array([0, 2]), np.array([0, 3])) is None
