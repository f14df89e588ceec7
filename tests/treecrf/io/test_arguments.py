"""Arrays of callers: what is taken, and what an error says."""

import numpy as np
import pytest

from treecrf.io.arrays import integers, listed_arrays, offsets, reals, truths


def test_whole_numbers_are_taken_from_any_type():
    for given in ([1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.uint8), np.array([1, 2], dtype=np.float32)):
        found = integers(given, "codes", ("n",))
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
