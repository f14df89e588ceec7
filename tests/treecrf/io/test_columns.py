"""Columns of tables: their cells as text and numbers, what they hold, and cells at fault."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from treecrf.io.columns import (
    MISSING,
    MOST_INTEGERS,
    CellError,
    Column,
    Vocabulary,
    encode_categories,
    infer_kind,
)
from treecrf.io.frames import encode_columns

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
    assert infer_kind(Column(column, "x")) == kind


def parsed(cells, name):
    column = Column(cells, name)
    return column.numbers, column.strange


def test_text_is_read_to_the_last_digit():
    values = np.random.default_rng(0).random(500) * 10.0 ** np.random.default_rng(1).integers(-300, 300, 500)
    found, strange = parsed(pd.Series([repr(float(value)) for value in values]), "x")
    assert found.tobytes() == values.tobytes()
    assert not strange.any()


def test_only_finite_numbers_are_numbers_and_empty_cells_are_missing():
    cells = ["1", " 2.5", "-3e2", "", None, "nan", "NA", "inf", "1e999", "0x10", "1_0", "1,5", "True"]
    found, strange = parsed(pd.Series(cells, dtype=object), "x")
    assert_array_equal(found, [1, 2.5, -300, *[np.nan] * 10])
    assert strange.tolist() == [False] * 7 + [True] * 6  # "nan" and "NA" are marks of missing ones
    found, strange = parsed(pd.Series([1.0, np.nan, -np.inf]), "x")
    assert_array_equal(found, [1, np.nan, np.nan])
    assert strange.tolist() == [False, False, True]
    found, _ = parsed(pd.Series([True, None], dtype="boolean"), "x")
    assert_array_equal(found, [1, np.nan])


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["7", "7.0", "7e0", "+7", "8"], ["7", "8"]),
        (["7.0", "8.0"], ["7.0", "8.0"]),  # written in one way: as it is
        (["-1", "-1.", "0", "-0.0"], ["-1", "0"]),
        (["007", "123"], ["007", "123"]),
        (["007", "7"], ["007", "7"]),
        (["007", "7.0"], ["007", "7.0"]),
        (["7", "7.0", "NA", "n/a"], ["7", "NA", "n/a"]),
        (["1.1", "1.10", "1"], ["1", "1.1", "1.10"]),  # versions
        (["1e5", "100000", "x"], ["100000", "1e5", "x"]),  # codes
        (["12345678901234567890", "12345678901234567891"], ["12345678901234567890", "12345678901234567891"]),
    ],
)
def test_whole_numbers_that_are_written_in_several_ways_are_one_category(texts, names):
    assert encode_categories(Column(pd.Series(texts), "x"))[1] == tuple(names)


@pytest.mark.parametrize(
    ("texts", "names", "places"),
    [
        (["7.0", "8e0", "9", "x"], ["8", "7", "(rare)"], [1, 0, MISSING, MISSING]),
        (["7.0", "7"], ["7", "7.0"], [1, 0]),  # as a former version had them
        (["7", "12"], ["007", "012"], [0, 1]),
        (["007", "012"], ["12", "7"], [1, 0]),
        (["007", "7"], ["7"], [MISSING, 0]),
        (["1.10", "2.0"], ["1.1", "2"], [MISSING, MISSING]),
        (["7.0"], ["7", "x"], [MISSING]),
        (["7.0", "NA", "-"], ["7", "NA"], [0, 1, MISSING]),
        ([], ["7"], []),
        (["7.0"], [], [MISSING]),
    ],
)
def test_texts_are_matched_with_categories_by_their_number(texts, names, places):
    assert Vocabulary(names, ["(rare)"]).places(texts).tolist() == places


WAYS = ("{}", "{}.0", "{}.", "{}e0", "{}.00")


@settings(max_examples=100, deadline=None)
@given(
    cells=st.lists(st.tuples(st.integers(-99, 99), st.sampled_from(WAYS)), min_size=1), text=st.sampled_from(["", "x"])
)
def test_the_way_of_writing_a_whole_number_means_nothing_unless_a_cell_is_text(cells, text):
    plain, written = (
        [str(number) for number, _ in cells] + [text],
        [way.format(number) for number, way in cells] + [text],
    )
    (codes, names), (expected, _) = (encode_categories(Column(pd.Series(each), "x")) for each in (written, plain))
    if text:
        assert set(names) == set(written)
        return
    pairs = set(zip(codes.tolist(), expected.tolist(), strict=True))
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    assert Vocabulary(plain[:-1]).places(written[:-1]).min() >= 0


def test_cells_are_parsed_once_and_numbered_by_their_first_row():
    column = Column(pd.Series(["b", "", "a", None, "b", "7"], dtype="str"), "x")
    codes, texts = column.distinct
    assert (codes.tolist(), texts.tolist()) == ([0, -1, 1, -1, 0, 2], ["b", "a", "7"])
    assert column.distinct is column.distinct
    assert column.numbers is column.numbers
    assert column.strange.tolist() == [True, False, True, False, True, False]


def test_an_error_of_a_cell_is_one_sentence_and_can_be_pickled():
    error = CellError(3, "x", "'tall' is no number; fix it.")
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert str(each) == "row 3, column 'x': 'tall' is no number; fix it."
        assert (each.row, each.column) == (3, "x")


def test_of_columns_that_are_not_there_that_of_the_sequences_is_named_first():
    """The order of a set of names would differ from process to process."""
    with pytest.raises(ValueError, match=r"^the table has no column 's'; its columns are 'x'\.$"):
        encode_columns({"x": Column(pd.Series(["a"]), "x")}, "s", "l", None)
