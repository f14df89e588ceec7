"""Sequences of your own: files with one row per observation, an empty cell for a missing value."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf.datasets._seeds import generator
from treecrf.datasets.description import Description
from treecrf.datasets.grouping import group_copies
from treecrf.io.cells import Kind
from treecrf.io.messages import counted, listed, quoted, repeated
from treecrf.readers.column_types import decide_kinds, marks_of
from treecrf.readers.columns import SEQUENCE
from treecrf.readers.reading import read_table
from treecrf.readers.text_files import Dialect, Format
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import hold_out

if TYPE_CHECKING:
    import pandas as pd


LABEL = "label"
"""Name of the column with the labels, unless stated otherwise."""


def load(
    path: str | os.PathLike[str],
    *,
    test: str | os.PathLike[str] | None = None,
    sequence: str = "sequence",
    label: str = LABEL,
    attributes: Sequence[str] | None = None,
    split: str | None = None,
    test_fraction: float = 1 / 3,
    seed: int = 0,
    kinds: Mapping[str, Kind] | None = None,
    format: Format | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set from one or two tables, which are files or folders (`treecrf.readers.reading.read_table`).

    What was found out of a file is said in a warning.

    Parameters
    ----------
    path : path
        The training table, or the only one.
    test : path, optional
        The test table.
    sequence, label : str
        Columns. A columns file numbers its sequences in "sequence", and "label" is its last column.
    attributes : sequence of str, optional
        Input columns; all others unless given.
    split : str, optional
        Column that holds "train" or "test", the same on all rows of a sequence; not read where `test` is given.
    test_fraction : float
        Without `test` and `split`: the share of the sequences that is drawn for testing, copies of a sequence with it.
    seed : int
        Decides which.
    kinds : mapping of str to "number" or "category", optional
        What input columns hold, where it is not what `decide_kinds` says.
    format, separator, decimal, encoding : str, optional
        How the files are written (`treecrf.readers.text_files.Dialect`); found out unless given.

    Raises
    ------
    ValueError
        One sentence that names file, line (of a CSV file), row (from 0, the column names not counted) and column.
    """
    import pandas as pd

    paths = [path] if test is None else [path, test]
    dialect = Dialect(format, separator, decimal, encoding)
    frames = [read_table(each, dialect, sequence, _warn) for each in paths]
    label = label_column(frames[0], label)
    if attributes is None:
        attributes = [column for column in frames[0].columns if column not in (sequence, label, split)]
    columns = [sequence, label, *attributes, *([split] if split is not None and test is None else [])]
    twice = repeated(columns)
    if twice is not None:
        raise ValueError(f"table {path}: column {quoted(twice)} has two uses; name it for one of them.")
    for each, frame in zip(paths, frames, strict=True):
        check_columns(frame, each, columns)
    decided = decide_kinds(pd.concat([frame[columns] for frame in frames]), attributes, kinds)
    for each, frame in zip(paths, frames, strict=True):
        check_marks(frame, each, decided, kinds or {})
        encode_table(frame, each, sequence=sequence, label=label, attributes=attributes, kinds=decided)
    parts = [frame[columns].reset_index(drop=True) for frame in frames]
    if test is not None:  # the same name in two files means two sequences
        parts = [part.assign(**{sequence: f"{i}:" + part[sequence].astype(str)}) for i, part in enumerate(parts)]
    whole = SequenceSet.from_frame(
        pd.concat(parts, ignore_index=True), sequence=sequence, label=label, attributes=attributes, kinds=decided
    )
    starts = whole.observation_offsets[:-1]
    if test is not None:
        for_test = starts >= len(parts[0])
    elif split is not None:
        for_test = _split_column(frames[0], split, whole, path)
    else:
        if not 0 < test_fraction < 1:
            raise ValueError(f"test_fraction={test_fraction}: give a share between 0 and 1.")
        for_test = np.zeros(len(whole), dtype=bool)
        copies = group_copies(whole)
        if copies.any():  # there are two groups
            for_test[hold_out(copies, test_fraction, generator("table", "test", seed=seed))[1]] = True
    if for_test.all() or not for_test.any():
        raise ValueError(
            f"table {path}: training and test set both need a sequence, and the table has {counted(len(whole), 'sequence')}."
        )
    return whole.select(np.flatnonzero(~for_test)), whole.select(np.flatnonzero(for_test))


def _warn(sentence: str) -> None:
    warnings.warn(sentence, stacklevel=2)


def label_column(frame: pd.DataFrame, label: str = LABEL) -> str:
    """The column with the labels: that of the name `label`, or the last one where columns have no names but numbers.

    Parameters
    ----------
    frame : DataFrame
        From `treecrf.readers.reading.read_table`.
    label : str
    """
    numbers = [name for name in frame.columns if name != SEQUENCE]
    nameless = bool(numbers) and numbers == [str(place) for place in range(1, len(numbers) + 1)]
    return numbers[-1] if nameless and label == LABEL else label


def check_columns(
    frame: pd.DataFrame, path: str | os.PathLike[str], columns: Sequence[str], advice: str = "correct the name"
) -> None:
    """Raise where a table has no such column.

    Parameters
    ----------
    frame : DataFrame
    path : path-like
        The file that it was read from, for the message.
    columns : sequence of str
    advice : str
        What to do.
    """
    for column in columns:
        if column not in frame.columns:
            if len(frame.columns) == 1:
                advice = "say what stands between cells (separator)"
            raise ValueError(
                f"table {path} has no column {quoted(column)}; its columns are {listed(frame.columns)}; {advice}."
            )


def encode_table(
    frame: pd.DataFrame,
    path: str | os.PathLike[str],
    *,
    sequence: str,
    label: str | None,
    attributes: Sequence[str],
    label_names: Sequence[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
) -> SequenceSet:
    """`SequenceSet.from_frame` of what `treecrf.readers.reading.read_table` gave; errors name the file, and the line where there are lines.

    Parameters
    ----------
    frame : DataFrame
    path : path-like
        The file that it was read from.
    sequence, label, attributes, label_names, kinds
        As for `SequenceSet.from_frame`; unless `kinds` has a column, `decide_kinds` says what it holds.
    """
    try:
        return SequenceSet.from_frame(
            frame, sequence=sequence, label=label, attributes=attributes, label_names=label_names,
            kinds=decide_kinds(frame, attributes, kinds),
        )  # fmt: skip
    except ValueError as error:
        place = re.match(r"row (\d+)", str(error))
        raise ValueError(f"table {path}{'' if place is None else _place(frame, int(place[1]))}: {error}") from None


def check_marks(
    frame: pd.DataFrame, path: str | os.PathLike[str], decided: Mapping[str, Kind], given: Mapping[str, Kind]
) -> None:
    """Refuse a column that would hold numbers, were it not for a few cells such as "NA".

    Parameters
    ----------
    frame : DataFrame
    path : path-like
        The file that it was read from.
    decided : mapping
        From `decide_kinds`.
    given : mapping
        Kinds that a user has decided: such a column is left alone.
    """
    for name, kind in decided.items():
        marks = marks_of(frame[name], name) if kind == "category" and name not in given else None
        if marks is not None and marks.are_among_many:
            raise ValueError(
                f"{cell_place(frame, path, int(marks.strange.argmax()), name)}: {quoted(marks.texts[0])} is not a number, as "
                f"all but {counted(int(marks.strange.sum()), 'cell')} of the column are; empty it if it is missing, or read "
                "the column as categories (kinds)."
            )


def cell_place(frame: pd.DataFrame, path: str | os.PathLike[str], row: int, column: str) -> str:
    """What an error calls a cell: file, line where there are lines, row (from 0) and column.

    Parameters
    ----------
    frame : DataFrame
    path : path-like
        The file that it was read from.
    row : int
    column : str
    """
    return f"table {path}{_place(frame, row)}: row {row}, column {quoted(column)}"


def _place(frame: pd.DataFrame, row: int) -> str:
    """What follows a file's name: the line of a row, rows being counted from 0, where there are lines; the file in a folder."""
    if frame.index.nlevels == 2:
        file, line = frame.index[row]
        return f"/{file}, line {line}"
    return f", line {frame.index[row]}" if frame.index.dtype.kind == "i" and frame.index[0] != 0 else ""


def _split_column(
    frame: pd.DataFrame, split: str, whole: SequenceSet, path: str | os.PathLike[str]
) -> NDArray[np.bool_]:
    cells = frame[split].astype(object).where(frame[split].notna(), None).to_numpy()
    wrong = np.array([not (isinstance(cell, str) and cell in ("train", "test")) for cell in cells])
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"{cell_place(frame, path, row, split)}: {quoted(cells[row])} is neither 'train' nor 'test'.")
    starts = whole.observation_offsets[:-1]
    lengths = np.diff(whole.observation_offsets)
    mixed = cells != np.repeat(cells[starts], lengths)
    if mixed.any():
        row = int(mixed.argmax())
        raise ValueError(f"{cell_place(frame, path, row, split)}: its sequence has both parts.")
    return np.asarray(cells[starts] == "test")


DESCRIPTIONS = (Description("table", "a table of your own", (0, 0), load, source="yours", kind="table", is_drawn=True),)
