"""What kind of holes there are: planted ones are found, others are not."""

import numpy as np
import pandas as pd
import pytest
from builders import lasting_set, number_set

from treecrf.automl.description import (
    describe_missing,
    guess_label,
    guess_sequence,
    is_identifier,
    is_order,
    likely_groups,
    missing_sentences,
)
from treecrf.io.columns import Column
from treecrf.missing import inject
from treecrf.missing.mechanisms import by_label, in_runs
from treecrf.readers.tables import TypedTable
from treecrf.sequences import MISSING


@pytest.fixture(scope="module")
def whole():
    return number_set(0, n_sequences=60, longest=20)


@pytest.mark.parametrize(("make", "by_label_", "runs"), [(inject, 0, 0), (by_label, 1, None), (in_runs, 0, 1)])
def test_planted_kinds_are_found(whole, make, by_label_, runs):
    frame = describe_missing(make(whole, 0.3, np.random.default_rng(1)), 0)
    assert (frame["p_label"] < 0.05).all() == bool(by_label_)
    assert (frame["p_label"] < 0.05).any() == bool(by_label_)
    if runs is not None:
        assert (frame["p_run"] < 0.05).all() == bool(runs)
        assert (frame["p_run"] < 0.05).any() == bool(runs)


def test_numbers_by_hand():
    data = lasting_set(2, 4).select([0, 1])
    values = data.values.copy()
    values[[0, 1, 3, 6], 0] = MISSING  # runs of 2, 1 and 1
    row = describe_missing(data.with_values(values), 0).iloc[0]
    assert (row["share"], row["run"]) == (0.5, pytest.approx(4 / 3))
    assert row["run_by_chance"] == pytest.approx(8 / (2 * (1 + 3 * 0.5)))
    holes = values[:, 0] == MISSING
    rates = {
        name: holes[data.labels == code].mean()
        for code, name in enumerate(data.label_names)
        if (data.labels == code).any()
    }
    assert row["share_at_most"] == rates[row["label_most"]] == max(rates.values())
    assert row["share_at_least"] == rates[row["label_least"]] == min(rates.values())


def test_related_sequences_are_tested_as_one(whole):
    """What is missing by label in few groups is no evidence, however many sequences these have."""
    damaged = by_label(whole, 0.3, np.random.default_rng(1))
    alone = describe_missing(damaged, 0)
    pairs = describe_missing(damaged.with_groups(np.arange(len(whole)) % 3), 0)
    assert (alone["p_label"] < 0.05).any()
    assert (pairs["p_label"] > 0.05).all()


def test_holes_that_avoid_each_other_are_no_runs():
    frame = pd.DataFrame({"column": ["x", "z"], "p_run": [0.01, 0.01], "run": [1.0, 2.0], "run_by_chance": [1.1, 1.1]})
    assert list(missing_sentences(frame)) == ["Missing values come in runs: z."]


@pytest.mark.parametrize(
    ("cells", "identifies"),
    [
        ([str(i) for i in range(60)], True),
        ([str(3 * i) for i in range(60)], False),
        ([f"{i % 12 + 1}-{i % 28 + 1}-24 10:{i:02}" for i in range(60)], True),  # 24 may be a day
        ([f"04-02-24 10:{i:02}" for i in [*range(58), 5, 5]], True),  # two in the same minute
        ([f"04-02-24 10:{i:02}" for i in range(55)] + [None] * 5, True),
        ([f"04-02-24 10:{i // 5:02}" for i in range(60)], False),
        ([f"04/02/2024 10:{i:02}" for i in range(60)], False),
        ([str(1_707_000_000 + i) for i in range(60)], False),
        ([f"code {i}" for i in range(49)], False),
        ([*(f"word{i}" for i in range(59)), "word"], False),
        ([f"2024-02-04T10:{i:02}" for i in range(60)], False),  # what inputs are derived from
    ],
)
def test_codes_that_identify_rows(cells, identifies):
    assert is_identifier(Column(pd.Series(cells, dtype="str"), "x")) == identifies


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


def test_remarks_that_stand_last_are_no_labels():
    frame = pd.DataFrame(FRAME, dtype="str")
    remarks = frame.rename(columns={"activity": "remark"}).assign(remark=["", *frame["activity"][1:]])
    assert guess_label(TypedTable(remarks, "t"), "walk") is None
    named = remarks.rename(columns={"remark": "activity"})  # as of a sequence whose end has no labels
    assert guess_label(TypedTable(named, "t"), "walk") == "activity"


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
