"""Sequences of your own: a CSV, Parquet or columns file with one row per observation, an empty cell for a missing value."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf.datasets._seeds import generator
from treecrf.datasets.columns import MOST_COLUMNS, has_suffix, is_columns_file, read_columns
from treecrf.datasets.description import Description
from treecrf.datasets.grouping import group_copies
from treecrf.datasets.kinds import decide_kinds, marks_of
from treecrf.io.cell_numbers import Kind
from treecrf.io.cell_texts import cell_texts
from treecrf.io.messages import counted, listed, quoted, repeated
from treecrf.io.parquet import read_parquet
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import hold_out

if TYPE_CHECKING:
    import pandas as pd


LABEL = "label"
"""Name of the column with the labels, unless stated otherwise."""

SEPARATORS = (";", "\t", "|", ",")
"""What other programs put between cells; in the name of the only column it says that the file has another separator."""


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a Parquet (.parquet), columns (`treecrf.datasets.columns.SUFFIXES`) or CSV (any other suffix) file.

    Cells are text, None where empty. The index holds the lines of a CSV or columns file, the rows of a Parquet file from 0.
    A .tsv file has tabs.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence that names the file, and the line where one is at fault.
    """
    import pandas as pd

    file = Path(path)
    check_file(file, "table", "correct the path")
    if has_suffix(file, ".parquet"):
        return _read_parquet(file)
    if is_columns_file(file):
        return read_columns(file)
    names, rows, lines = _read_csv(file, "\t" if has_suffix(file, ".tsv") else ",")
    return pd.DataFrame(rows, index=pd.Index(lines), columns=pd.Index(names), dtype=object)


def check_file(path: str | os.PathLike[str], what: str, advice: str) -> None:
    """Raise where there is no regular file.

    Parameters
    ----------
    path : path-like
    what : str
        What an error calls it, such as "table".
    advice : str
        What to do where nothing is there.
    """
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(f"{what} {file} does not exist; {advice}.")
    if not file.is_file():
        found = "a folder" if file.is_dir() else "not a regular file"
        raise ValueError(f"{what} {file} is {found}; name a file.")


def read_stored(file: Path) -> pd.DataFrame:
    """The table in a Parquet file with the types of its cells, where `read_table` gives text; rows numbered from 0."""
    import pandas as pd

    frame = read_parquet(file, "table").reset_index(drop=True)
    frame.columns = pd.Index([str(name) for name in frame.columns])
    _check_names(file, list(frame.columns))
    return frame


def _read_parquet(file: Path) -> pd.DataFrame:
    """Text, None where empty: the same value is the same text, whatever the type of its column in this file."""
    import pandas as pd

    frame, texts = read_stored(file), {}
    for name in frame.columns:
        try:
            cells = cell_texts(frame[name], name)
        except ValueError as error:
            raise ValueError(f"table {file}: {error}") from None
        cells[frame[name].isna().to_numpy() | (cells == "")] = None
        texts[name] = pd.Series(cells, dtype=object)
    return pd.DataFrame(texts, index=frame.index, columns=frame.columns, dtype=object)


def _check_names(file: Path, names: Sequence[str]) -> None:
    """Raise where a table has too many columns or two of one name."""
    if len(names) > MOST_COLUMNS:
        raise ValueError(
            f"table {file} has {len(names):,} columns, and {MOST_COLUMNS:,} are the most; leave out those that are no input."
        )
    twice = repeated(names)
    if twice is not None:
        raise ValueError(f"table {file}: column {quoted(twice)} appears twice; rename one.")


def _read_csv(file: Path, delimiter: str) -> tuple[list[str], list[list[str | None]], list[int]]:
    """Column names, rows and their lines; not pandas', which fills up short rows and renames columns without a word."""
    rows: list[list[str | None]] = []
    lines: list[int] = []
    with open(file, encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        try:
            names = next(reader, [])
            if not any(names):
                raise ValueError(f"table {file} is empty or its first line has no column names; give it some.")
            _check_names(file, names)
            for row in reader:
                if not row:
                    continue  # a blank line
                if len(row) != len(names):
                    raise ValueError(
                        f"table {file}, line {reader.line_num}: {len(row)} cells, but the first line names "
                        f"{len(names)} columns; fix that line."
                    )
                rows.append([cell or None for cell in row])
                lines.append(reader.line_num)
        except UnicodeDecodeError:
            raise ValueError(_bad_byte(file)) from None
        except csv.Error as error:
            raise ValueError(
                f"table {file}, line {reader.line_num + 1}: not readable as CSV in UTF-8 ({error}); fix it."
            ) from None
    return names, rows, lines


def _bad_byte(file: Path) -> str:
    """Where a file ceases to be UTF-8; readers decode ahead and do not know the line."""
    content = file.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = len(content[: error.start + 1].splitlines())
        return f"table {file}, line {line}: not readable as CSV in UTF-8 ({error.reason}); save the file as UTF-8."
    return f"table {file} has changed while it was read; read it again."


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
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set from one or two tables.

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

    Raises
    ------
    ValueError
        One sentence that names file, line (of a CSV file), row (from 0, the column names not counted) and column.
    """
    import pandas as pd

    paths = [path] if test is None else [path, test]
    frames = [read_table(each) for each in paths]
    label = label_column(frames[0], path, label)
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


def label_column(frame: pd.DataFrame, path: str | os.PathLike[str], label: str = LABEL) -> str:
    """The column with the labels: that of the name `label`, or the last one where a columns file has no names.

    Parameters
    ----------
    frame : DataFrame
    path : path-like
        The file that it was read from.
    label : str
    """
    nameless = is_columns_file(path) and label == LABEL and label not in frame.columns
    return str(frame.columns[-1]) if nameless else label


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
        What to do, unless the file has another separator.
    """
    for column in columns:
        if column not in frame.columns:
            only = str(frame.columns[0]) if len(frame.columns) == 1 else ""
            separator = next((mark for mark in SEPARATORS if mark in only), None)
            if separator is not None:
                advice = f"it seems to be separated by {quoted(separator)}: save it with commas, or as .tsv with tabs"
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
    """`SequenceSet.from_frame` of what `read_table` gave; errors name the file, and the line where there are lines.

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
        raise ValueError(f"table {path}{'' if place is None else _line(frame, int(place[1]))}: {error}") from None


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
    return f"table {path}{_line(frame, row)}: row {row}, column {quoted(column)}"


def _line(frame: pd.DataFrame, row: int) -> str:
    """The line of a row, rows being counted from 0, where the table is a CSV file."""
    return f", line {frame.index[row]}" if frame.index.dtype.kind == "i" and frame.index[0] != 0 else ""


def _split_column(
    frame: pd.DataFrame, split: str, whole: SequenceSet, path: str | os.PathLike[str]
) -> NDArray[np.bool_]:
    cells = frame[split].to_numpy(dtype=object)
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
