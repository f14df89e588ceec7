"""Columns and cells of numbers: what is one, and what it is."""

import numpy as np
import pandas as pd
import pytest

from treecrf.io.cells import MOST_INTEGERS, column_kind, parse_numbers

MANY = list(range(MOST_INTEGERS + 1))


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.Series([0.5, 1.0]), "number"),
        (pd.Series(MANY), "number"),
        (pd.Series([*MANY[1:], *MANY[1:]]), "category"),
        (pd.Series([1.0, np.nan, 2.0]), "category"),  # integers with a hole
        (pd.Series([*MANY, None], dtype="Int64"), "number"),
        (pd.Series([1.5, None], dtype="Float64"), "number"),
        (pd.Series([0.5, np.inf]), "number"),
        (pd.Series([np.nan, np.nan]), "category"),
        (pd.Series([True, False]), "category"),
        (pd.Series(MANY).astype(str), "category"),
        (pd.Series(MANY).astype("category"), "category"),
        (pd.Series(MANY, dtype=object), "category"),
        (pd.Series(pd.to_datetime(["2020-01-01"])), "category"),
    ],
)
def test_the_type_and_the_values_decide(column, kind):
    assert column_kind(column) == kind


def test_text_is_read_to_the_last_digit():
    values = np.random.default_rng(0).random(500) * 10.0 ** np.random.default_rng(1).integers(-300, 300, 500)
    found, strange = parse_numbers(pd.Series([repr(float(value)) for value in values]), "x")
    assert found.tobytes() == values.tobytes()
    assert not strange.any()


def test_only_finite_numbers_are_numbers_and_empty_cells_are_missing():
    cells = ["1", " 2.5", "-3e2", "", None, "nan", "NA", "inf", "1e999", "0x10", "1_0", "1,5", "True"]
    found, strange = parse_numbers(pd.Series(cells, dtype=object), "x")
    np.testing.assert_array_equal(found, [1, 2.5, -300, *[np.nan] * 10])
    assert strange.tolist() == [False] * 5 + [True] * 8
    found, strange = parse_numbers(pd.Series([1.0, np.nan, -np.inf]), "x")
    np.testing.assert_array_equal(found, [1, np.nan, np.nan])
    assert strange.tolist() == [False, False, True]
    found, _ = parse_numbers(pd.Series([True, None], dtype="boolean"), "x")
    np.testing.assert_array_equal(found, [1, np.nan])
