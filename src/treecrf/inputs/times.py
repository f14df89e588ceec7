"""Times in tables: how a column writes them, their seconds since 1970, and which columns of them identify rows.

Times are texts (ISO 8601, dates with the day or the month first, times of day) or numbers (seconds or milliseconds
since 1970). A column is one of times only where a single form reads nearly all of its cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from treecrf.io.arrays import Floats, Ints
from treecrf.sequences import MISSING, SequenceSet

SHARE_OF_TIMES = 0.9
"""Of the categories of a column of time stamps that can be read as such."""

SHARE_OF_STAMPS = 0.9
"""Of the cells of a column of time stamps that have different ones, from which on these identify the rows."""

FORMS = (
    "ISO 8601",
    "day first",
    "month first",
    "day or month first",
    "time of day",
    "seconds since 1970",
    "milliseconds since 1970",
)
"""How times are written; models keep the places of these, so further ones come last."""

ISO, DAY_FIRST, MONTH_FIRST, EITHER_FIRST, OF_DAY, EPOCH_SECONDS, EPOCH_MILLISECONDS = range(len(FORMS))

WRITTEN = range(EPOCH_SECONDS)
"""Forms of texts."""

EPOCHS = {EPOCH_SECONDS: 1.0, EPOCH_MILLISECONDS: 1e3}
"""Forms of numbers, and how many of these are a second."""

FIRST_EPOCH, LAST_EPOCH = 631_152_000, 2_556_144_000
"""Seconds from 1970 to the beginnings of 1990 and 2051: numbers between them may be times."""

LEAST_STEPS = 10
"""From a row to the next within a sequence, from which on numbers can be known to be times."""

LEAST_RISES = 50
"""Such steps from which on times are known to rise with the rows."""

DAY = 86_400

FIRST_OF_CENTURY = 69
"""Years of two digits are of 1969 to 2068, as in POSIX."""

_LOOKS_LIKE_A_TIME = re.compile(r"\d{4}([-/.])\d\d?\1\d\d?(?!\d)|\d{8}T")
_CLOCK = r"(\d\d?):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6})\d*)?)?(?: ?([AaPp][Mm]))?"
_TIME_OF_DAY = re.compile(_CLOCK, re.ASCII)
_DATE = re.compile(rf"(\d\d?)([/.-])(\d\d?)\2(\d{{4}}|\d\d)(?:,?[ T]{_CLOCK})?", re.ASCII)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def read_times(categories: Sequence[str], form: int) -> Any:
    """The categories as time stamps, NaT where one is none; times of day are of 1970-01-01."""
    import pandas as pd

    if form == ISO:
        return pd.to_datetime(pd.Series(categories, dtype=object), errors="coerce", format="ISO8601", utc=True)
    if form == EITHER_FIRST:
        first = read_times(categories, DAY_FIRST)
        return first.where(first.notna(), read_times(categories, MONTH_FIRST))
    read = _read_time_of_day if form == OF_DAY else lambda text: _read_date(text, is_day_first=form == DAY_FIRST)
    return pd.Series([read(text) for text in categories], dtype="datetime64[us]")


def _read_time_of_day(text: str) -> datetime | None:
    match = _TIME_OF_DAY.fullmatch(text)
    if match is None:
        return None
    hour, _, seconds, _, half = match.groups()
    if len(hour) == 1 and seconds is None and half is None:
        return None  # a verse or a score
    since_midnight = _since_midnight(*match.groups())
    return None if since_midnight is None else _EPOCH + since_midnight


def _read_date(text: str, *, is_day_first: bool) -> datetime | None:
    """A date, with or without a time of day; None where it is none with the day, or the month, first.

    A year of two digits is taken with slashes, or with points and a time: other numbers are versions, or begin with it.
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    first, mark, second, year, *clock = match.groups()
    has_time = clock[0] is not None
    if len(year) == 2:
        if mark == "-" or (mark == "." and not has_time):
            return None
        year = str(int(year) + (1900 if int(year) >= FIRST_OF_CENTURY else 2000))
    day, month = (first, second) if is_day_first else (second, first)
    since_midnight = _since_midnight(*clock) if has_time else timedelta(0)
    try:
        return None if since_midnight is None else datetime(int(year), int(month), int(day)) + since_midnight
    except ValueError:
        return None


def _since_midnight(
    hour: str, minute: str, second: str | None, fraction: str | None, half: str | None
) -> timedelta | None:
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + 12 * (half.lower() == "pm")
    if hours > 23:
        return None
    microseconds = int((fraction or "").ljust(6, "0"))
    return timedelta(hours=hours, minutes=int(minute), seconds=int(second or 0), microseconds=microseconds)


_EPOCH = datetime(1970, 1, 1)


def form_of(categories: Sequence[str]) -> int | None:
    """How the categories of a column are written as times, a place in `FORMS`; None where they are none.

    Dates have their day first, or their month, where no cell says otherwise.
    """
    first = next((text for text in categories if text[:1].isdigit()), "")  # others may mean that a time is missing
    if _LOOKS_LIKE_A_TIME.match(first):
        return ISO if read_times(categories, ISO).notna().mean() >= SHARE_OF_TIMES else None
    if _TIME_OF_DAY.fullmatch(first):
        return OF_DAY if read_times(categories, OF_DAY).notna().mean() >= SHARE_OF_TIMES else None
    if not _DATE.fullmatch(first):
        return None
    dates = [text for text in categories if _DATE.fullmatch(text)]
    if len(dates) < SHARE_OF_TIMES * len(categories):
        return None
    fitting = [form for form in (DAY_FIRST, MONTH_FIRST) if read_times(dates, form).notna().all()]
    return EITHER_FIRST if len(fitting) > 1 else fitting[0] if fitting else None


def are_times(categories: Sequence[str]) -> bool:
    """Whether the categories of a column are times in one of `FORMS`."""
    return form_of(categories) is not None


def epoch_of(numbers: Floats, offsets: Ints) -> int | None:
    """Whether numbers are seconds or milliseconds since 1970, a place in `FORMS`; None where they are neither.

    All lie between `FIRST_EPOCH` and `LAST_EPOCH`, none is less than that of the row before in its sequence, and nearly
    all are greater.
    """
    known = numbers[~np.isnan(numbers)]
    for form, unit in EPOCHS.items() if len(known) else ():
        if FIRST_EPOCH * unit <= known.min() and known.max() < LAST_EPOCH * unit:
            steps = _within(np.diff(numbers), offsets)
            rises = len(steps) >= LEAST_STEPS and (steps >= 0).all() and (steps > 0).mean() >= SHARE_OF_STAMPS
            return form if rises else None
    return None


def _within(steps: Floats, offsets: Ints) -> Floats:
    """The steps between rows that are within a sequence, without those from or to a missing value."""
    is_within = np.ones(len(steps), dtype=np.bool_)
    ends = offsets[1:-1] - 1
    is_within[ends[(ends >= 0) & (ends < len(steps))]] = False
    return steps[is_within & ~np.isnan(steps)]


def identifying_times(data: SequenceSet) -> tuple[str, ...]:
    """The inputs that are times of which nearly every observation has another, or which rise within sequences; none
    where these are all inputs.
    """
    stamps, offsets = [], data.observation_offsets
    for attribute, codes in zip(data.attributes, data.values.T, strict=True):
        known = codes[codes != MISSING]
        n_different = len(np.unique(known))
        form = form_of(attribute.categories) if n_different > 1 else None
        if form is None:
            continue
        steps = _within(np.diff(np.append(seconds_of(attribute.categories, form), np.nan)[codes]), offsets)
        rises = len(steps) >= LEAST_RISES and (steps > 0).mean() >= SHARE_OF_STAMPS
        if n_different >= SHARE_OF_STAMPS * len(known) or rises:
            stamps.append(attribute.name)
    stamps += [
        name
        for name, numbers in zip(data.number_names, data.numbers.T, strict=True)
        if epoch_of(numbers, offsets) is not None
    ]
    return tuple(stamps) if len(stamps) < len(data.attributes) + len(data.number_names) else ()


def seconds_of(categories: Sequence[str], form: int) -> Floats:
    """Seconds since 1970 of each category, NaN where it is no time."""
    times = read_times(categories, form)
    seconds = times.to_numpy(dtype="datetime64[ns]").astype(np.int64) / 1e9
    return np.where(times.isna(), np.nan, seconds)
