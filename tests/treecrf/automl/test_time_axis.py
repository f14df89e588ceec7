"""The column that figures of sequences are drawn over."""

import numpy as np
import pandas as pd
import pytest

from treecrf.automl.time_axis import cells, find_time_axis
from treecrf.readers.tables import TableColumns, TypedTable

N = 60


def table(**columns):
    frame = pd.DataFrame({"sequence": ["a"] * N + ["b"] * N} | columns | {"label": ["x", "y"] * N})
    return TypedTable(frame.astype(str), "table.csv")


def axis_of(found, known=None, attributes=()):
    return find_time_axis(found, TableColumns("sequence", "label", attributes), known or {})


def stamps(form, start="2024-01-31 23:30:00", step="1min"):
    return pd.date_range(start, periods=2 * N, freq=step).strftime(form).tolist()


MINUTES = np.arange(2 * N) * 60.0


@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%S", "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M %p"])
def test_dates_are_seconds(form):
    axis = axis_of(table(x=["1.5"] * 2 * N, when=stamps(form)))
    assert (axis.column, axis.kind) == ("when", "date")
    np.testing.assert_array_equal(axis.values - axis.values[0], MINUTES)
    assert pd.Timestamp(axis.values[0], unit="s") == pd.Timestamp("2024-01-31 23:30")


def test_training_says_whether_the_day_or_the_month_is_first():
    days = table(when=[f"0{1 + place // 30}/02/2024 10:{place % 30:02}" for place in range(2 * N)])
    axis = axis_of(days, {"when": ["13/02/2024 10:00", "14/02/2024 10:00"]})
    assert pd.Timestamp(axis.values[-1], unit="s") == pd.Timestamp("2024-02-04 10:29")
    axis = axis_of(days, {"when": ["02/13/2024 10:00", "02/14/2024 10:00"]})
    assert pd.Timestamp(axis.values[-1], unit="s") == pd.Timestamp("2024-04-02 10:29")


def test_times_with_an_offset_are_in_utc():
    axis = axis_of(table(when=[f"{text}+02:00" for text in stamps("%Y-%m-%dT%H:%M:%S")]))
    assert axis.title == "when (UTC)"
    assert pd.Timestamp(axis.values[0], unit="s") == pd.Timestamp("2024-01-31 21:30")


@pytest.mark.parametrize("unit", [1, 1000])
def test_epochs_are_dates(unit):
    numbers = (1_700_000_000 + MINUTES).astype(int) * unit
    axis = axis_of(table(when=numbers))
    assert (axis.column, axis.title, axis.kind) == ("when", "when (UTC)", "date")
    np.testing.assert_array_equal(axis.values, 1_700_000_000 + MINUTES)


def test_times_of_day_go_on_after_midnight():
    axis = axis_of(table(when=stamps("%H:%M")))
    assert axis.kind == "time of day"
    np.testing.assert_array_equal(np.diff(axis.values[:N]), 60)
    assert axis.values[N - 1] > 86_400 > axis.values[N]


def test_numbers_that_rise_come_after_times():
    depth = np.tile(np.arange(N) * 0.5, 2)
    assert axis_of(table(depth=depth))[:2] == ("depth", "number")
    assert axis_of(table(depth=depth, when=stamps("%Y-%m-%dT%H:%M:%S"))).column == "when"
    assert axis_of(table(depth=depth, when=depth), attributes=("when",)).column == "when"
    assert axis_of(table(depth=depth[::-1])) is None


def test_the_columns_of_sequences_labels_and_groups_are_no_times():
    times = table(day=stamps("%Y-%m-%dT%H:%M:%S"))
    assert find_time_axis(times, TableColumns("sequence", "day", ()), {}) is None


def test_sequences_whose_times_fall_have_none():
    axis = axis_of(table(when=stamps("%Y-%m-%dT%H:%M:%S")[:N] + stamps("%Y-%m-%dT%H:%M:%S")[:N][::-1]))
    assert np.isfinite(axis.values[:N]).all()
    assert np.isnan(axis.values[N:]).all()


def test_missing_times_are_put_between_the_others():
    when = stamps("%Y-%m-%dT%H:%M:%S")
    when[1] = when[2] = ""
    axis = axis_of(table(when=when))
    np.testing.assert_allclose(axis.values - axis.values[0], MINUTES)


def test_cells_end_halfway_and_leave_gaps():
    begins, ends = cells(np.array([0.0, 1, 2, 10]))
    np.testing.assert_allclose(begins, [-0.5, 0.5, 1.5, 8.5])
    np.testing.assert_allclose(ends, [0.5, 1.5, 3.5, 10.5])
