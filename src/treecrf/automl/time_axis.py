"""The time of each row of a table, where a column has it: what figures of sequences are drawn over."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from treecrf.automl.description import LEAST_IDENTIFIERS, rises
from treecrf.inputs.times import DAY, EPOCHS, OF_DAY, epoch_of, form_of, seconds_of
from treecrf.io.arrays import Floats, Ints
from treecrf.io.frames import find_sequences
from treecrf.readers.tables import TableColumns, TypedTable

LEAST_TIMED = 0.5
"""Of the rows of a sequence that have a time; the others are put between them."""

WIDEST_CELL = 1.5
"""Median steps that a position takes up before and after it at most; what is further from it stays empty."""

_OFFSET = re.compile(r":\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$")


class TimeAxis(NamedTuple):
    """What the rows of a table are ordered by.

    Attributes
    ----------
    column : str
        Its name.
    kind : "date", "time of day" or "number"
    values : float64, shape (n_rows,)
        Seconds since 1970, or since the midnight before the sequence, or numbers; never falling within a sequence, and
        NaN in a sequence that cannot be drawn by them.
    is_utc : bool
        Whether the column says so.
    """

    column: str
    kind: Literal["date", "time of day", "number"]
    values: Floats
    is_utc: bool = False

    @property
    def title(self) -> str:
        """What is written beside the axis."""
        return f"{self.column} (UTC)" if self.is_utc else self.column


def find_time_axis(table: TypedTable, columns: TableColumns, known: Mapping[str, Sequence[str]]) -> TimeAxis | None:
    """The first column that is one of times, else the first one of numbers that rise within all sequences.

    Parameters
    ----------
    table : TypedTable
    columns : TableColumns
        Inputs come before other columns.
    known : mapping of str to sequence of str
        Categories that training had by column, which say how its times are written.
    """
    sequence, used = columns.sequence, (columns.sequence, columns.label, columns.groups)
    names = [name for name in (*columns.attributes, *table) if name in table and name not in used]
    offsets = find_sequences(table[sequence])
    axes = (_of_times(table, name, offsets, known.get(name)) for name in names)
    axis = next((axis for axis in axes if axis is not None), None) or _of_numbers(table, names, sequence, offsets)
    if axis is None:
        return None
    parts = [
        _drawable(axis.values[begin:end], is_of_day=axis.kind == "time of day") for begin, end in pairwise(offsets)
    ]
    values = np.concatenate(parts) if parts else axis.values
    return None if np.isnan(values).all() else axis._replace(values=values)


def _of_times(table: TypedTable, name: str, offsets: Ints, known: Sequence[str] | None) -> TimeAxis | None:
    column = table[name]
    if not column.strange.any():
        form = epoch_of(column.numbers, offsets)
        return None if form is None else TimeAxis(name, "date", column.numbers / EPOCHS[form], is_utc=True)
    codes, texts = column.distinct
    form = form_of(tuple(known or texts))
    if form is None:
        return None
    values = np.append(seconds_of(tuple(texts), form), np.nan)[codes]  # a missing cell has the code -1
    if form == OF_DAY:
        return TimeAxis(name, "time of day", values)
    return TimeAxis(name, "date", values, is_utc=any(_OFFSET.search(text) for text in texts))


def _of_numbers(table: TypedTable, names: Sequence[str], sequence: str, offsets: Ints) -> TimeAxis | None:
    n_steps = int((np.diff(offsets) - 1).sum())
    for name in names if n_steps >= LEAST_IDENTIFIERS else ():
        if not table[name].strange.any() and rises(table[name], table[sequence]):
            return TimeAxis(name, "number", table[name].numbers)
    return None


def _drawable(values: Floats, *, is_of_day: bool) -> Floats:
    """The values of a sequence with those between known ones put in; all NaN where they fall, or are all the same."""
    rows = np.flatnonzero(np.isfinite(values))
    if len(rows) < max(2, LEAST_TIMED * len(values)):
        return np.full(len(values), np.nan)
    times = values[rows]
    if is_of_day:
        times = times + DAY * np.cumsum(np.append(0, np.diff(times) < -DAY / 2))
    if (np.diff(times) < 0).any() or times[0] == times[-1]:
        return np.full(len(values), np.nan)
    return np.interp(np.arange(len(values)), rows, times)


def cells(places: Floats) -> tuple[Floats, Floats]:
    """Where the cell of each place on an axis begins and ends: halfway to the next, not beyond `WIDEST_CELL`."""
    steps = np.diff(places)
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    halves = np.minimum(np.concatenate(([usual / 2], steps / 2, [usual / 2])), WIDEST_CELL * usual)
    return places - halves[:-1], places + halves[1:]
