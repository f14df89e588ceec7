"""What columns seem to be, told from tables whose columns are known."""

import pandas as pd
import pytest

from treecrf.automl.roles import guess_label, guess_sequence, is_order, likely_groups
from treecrf.io.columns import Column
from treecrf.readers.tables import TypedTable

FRAME = {
    "person": [*"aaaabbbbbb"],
    "walk": [*"1122334455"],
    "step": [*"0101010101"],
    "x": [*["0.5", "0.1", "0.5", "0.9", "0.2", "0.4", "0.5", "0.5", "0.1", "0.3"]],
    "activity": [*"uvuuvvuvuu"],
}


def table(**columns):
    return TypedTable(pd.DataFrame({**FRAME, **columns}, dtype="str"), "table.csv")


def test_the_finest_column_of_runs_names_the_sequences():
    assert guess_sequence(table()) == "walk"
    assert guess_sequence(table(), label="walk") == "person"


@pytest.mark.parametrize(
    ("columns", "guess"),
    [
        ({"walk": [*"1122331144"]}, "person"),  # a walk comes again
        ({"other": [*"6677889900"]}, None),  # as many values as the walks
        ({"walk": [*"1112223344"]}, None),  # a walk of two persons
        ({"walk": ["1", "1", "2", "2", "", *"34455"]}, "person"),
    ],
)
def test_no_sequence_is_guessed_where_several_readings_are_possible(columns, guess):
    assert guess_sequence(table(**columns)) == guess


@pytest.mark.parametrize(
    ("columns", "label"),
    [
        ({}, "activity"),
        ({"tag": [*"nnnnnmmmmm"]}, None),  # two usual names
        ({"activity": [*"uvuuvvuvuu"], "z": [*"0123456789"]}, "activity"),
        ({"activity": [*"uuuuuuuuuu"]}, None),
    ],
)
def test_labels_have_a_usual_name_or_stand_last(columns, label):
    assert guess_label(table(**columns), "walk") == label


def test_the_last_column_is_no_label_where_it_has_numbers_or_too_many_values():
    frame = pd.DataFrame(FRAME, dtype="str").rename(columns={"activity": "which"})
    assert guess_label(TypedTable(frame, "t"), "walk") == "which"
    assert guess_label(TypedTable(frame.assign(x=frame.pop("x")), "t"), "walk") is None
    assert guess_label(TypedTable(frame.assign(which=[*"abcdefghij"]), "t"), "walk") is None


def test_groups_have_one_value_in_each_sequence_and_the_same_in_several():
    assert likely_groups(table(), ["person", "step", "x"], "walk") == {"person": 2}
    assert likely_groups(table(weight=["1.5"] * 4 + ["2.5"] * 6), ["weight"], "walk") == {}
    assert likely_groups(table(), ["step"], "person") == {}


@pytest.mark.parametrize(
    ("text", "factor", "rise"), [("t{:03d}", 1, True), ("t{}", 1, True), ("t{:03d}", 37, False), ("t", 1, False)]
)
def test_texts_with_digits_that_rise_are_an_order(text, factor, rise):
    cells = Column(pd.Series([text.format(factor * row % 101) for row in range(100)], dtype="str"), "t")
    assert is_order(cells, Column(pd.Series(["a"] * 100, dtype="str"), "s")) == rise
