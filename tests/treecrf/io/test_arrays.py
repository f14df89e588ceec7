"""Arrays of callers, what is taken and what an error says, and weights that are whole numbers of a unit: copies."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from treecrf.io.arrays import in_units, integers, listed_arrays, median, of_observations, offsets, reals, truths


def test_whole_numbers_are_taken_from_any_type():
    for values in ([1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.uint8), np.array([1, 2], dtype=np.float32)):
        found = integers(values, "codes", ("n",))
        assert (found.dtype, found.tolist()) == (np.int64, [1, 2])


def test_floats_keep_their_type():
    assert reals(np.array([0.5], dtype=np.float32), "values", (1,)).dtype == np.float32
    assert reals([1, 2], "values", ("n",)).dtype == np.float64
    assert np.isnan(reals([np.nan], "values", ("n",), least=0, known=False)).all()


def test_truth_values_may_be_0_and_1():
    assert truths([0, 1], "right", ("n",)).tolist() == [False, True]
    assert offsets([0, 2, 2], 2).tolist() == [0, 2, 2]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: integers([[1]], "codes", ("n",)), "codes must have shape (n,), not (1, 1)."),
        (lambda: integers([[1, 2]], "codes", ("n", 3)), "codes must have shape (n, 3), not (1, 2)."),
        (lambda: integers([1, 0.5], "codes", ("n",)), "codes must be whole numbers, not 0.5 at [1]."),
        (lambda: integers(["a"], "codes", ("n",)), "codes must be whole numbers, not <U1."),
        (
            lambda: integers([1, -1], "codes", ("n",), least=0, most=5),
            "codes must lie in 0 to 5, and there is -1 at [1].",
        ),
        (lambda: integers([], "codes", ("n",)), "codes must have an entry, and the shape is (0,)."),
        (lambda: integers([[1], [1, 2]], "codes", ("n",)), "codes must be an array; give lists of equal lengths."),
        (lambda: reals([[0.0, np.inf]], "values", (1, 2)), "values must be finite, and there is inf at [0, 1]."),
        (lambda: reals([1j], "values", (1,)), "values must be real numbers, not complex128."),
        (lambda: truths([2], "right", ("n",)), "right must lie in 0 to 1, and there is 2 at [0]."),
        (lambda: offsets([0, 3, 2]), "offsets must start at 0 and never fall."),
        (lambda: offsets([0, 2, 2], rising=True), "offsets must start at 0 and rise."),
        (
            lambda: offsets([0, 2], 3),
            "offsets end at 2 but there are 3 positions; the last offset must be that number.",
        ),
        (lambda: listed_arrays("abc"), "correct must be a list of arrays, not 'abc'."),
        (lambda: listed_arrays(3), "correct must be a list of arrays, not 3."),
    ],
)
def test_what_is_wrong_is_said(call, sentence):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == sentence


# --- weighted --------------------------------------------------------------------------------------


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
    assert_allclose(scaled, np.array(weights) / unit if multiples is None else multiples, rtol=1e-12)


@given(st.lists(st.just(0.0) | st.floats(1e-280, 1e3), min_size=1, max_size=20), st.floats(1e-9, 1e9))
def test_a_factor_changes_the_unit_alone(weights, factor):
    weights = np.array(weights)
    assume((weights > 1e-9).any())
    (unit, scaled), (other, again) = in_units(weights), in_units(factor * weights)
    assert other == pytest.approx(factor * unit, rel=1e-9)
    assert_allclose(again, scaled, rtol=1e-9, atol=1e-300)
    assert_allclose(unit * scaled, weights, rtol=1e-9, atol=1e-300)


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
