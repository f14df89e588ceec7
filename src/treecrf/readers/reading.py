"""Tables in files of all kinds and in folders of them, and the training and test sets that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treecrf.grouping import group_copies
from treecrf.inputs.times import identifying_times
from treecrf.io.arrays import Bools
from treecrf.io.columns import Kind
from treecrf.io.files import PACKED_SUFFIXES, AnyPath, Content, plain_suffix, read_content
from treecrf.io.messages import counted, listed, quoted, repeated, warn
from treecrf.readers.arff_files import read_arff
from treecrf.readers.columns import SUFFIXES, read_columns, read_conllu
from treecrf.readers.csv_files import read_csv
from treecrf.readers.tables import LABEL, TypedTable
from treecrf.readers.text_files import Dialect, Format, Tell, say_nothing
from treecrf.readers.typed_files import SUFFIXES as TYPED
from treecrf.readers.typed_files import read_typed, text_of
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import generator, hold_out

if TYPE_CHECKING:
    import pandas as pd

READ = (
    ".csv",
    ".tsv",
    ".parquet",
    ".conllu",
    ".arff",
    *SUFFIXES,
    *(suffix for suffix in TYPED if suffix != ".parquet"),
)
"""Suffixes of the files of a folder that are read; others may be notes."""

PLAIN = Dialect()
"""All options are detected."""

MOST_TOLD = 3
"""Sentences on single files of a folder."""


def read_table(
    path: AnyPath, dialect: Dialect = PLAIN, sequence: str = "sequence", tell: Tell = say_nothing
) -> TypedTable:
    """Read a table, whose columns are parsed when they are asked for.

    Parameters
    ----------
    path, dialect, sequence, tell : as of `read_frame`
    """
    return TypedTable(read_frame(path, dialect, sequence, tell), path, dialect.na)


def read_frame(
    path: AnyPath, dialect: Dialect = PLAIN, sequence: str = "sequence", tell: Tell = say_nothing
) -> pd.DataFrame:
    """Read a file, standard input (``-``), or a folder with a file for each sequence.

    A file is read as what its suffix says, unless `dialect` does: Parquet (.parquet), Feather (.feather, .arrow), JSON
    lines (.jsonl, .ndjson), ARFF (.arff), CoNLL-U (.conllu), columns (`treecrf.readers.columns.SUFFIXES`), CSV (any
    other, commas between cells unless it is seen to be otherwise). It may be compressed by gzip, bzip2 or xz.

    Parameters
    ----------
    path : path
    dialect : Dialect
    sequence : str
        The column that identifies sequences; in a folder it is made of the names of the files.
    tell : callable
        Called with a sentence about options that were detected, or rows that were left out.

    Returns
    -------
    DataFrame of str
        Missing where a cell is empty. The index holds the lines of the file, the rows of a Parquet file from 0, and in
        a folder the files and the lines.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence that names the file, and the line where one is at fault.
    """
    if not Path(path).is_dir():
        return _read(read_content(path), dialect, sequence, tell)
    notes: list[str] = []
    frame = _read_folder(
        Path(path), lambda file: _read(read_content(file), dialect, sequence, notes.append), sequence, tell
    )
    for sentence in notes[:MOST_TOLD]:
        tell(sentence)
    if len(notes) > MOST_TOLD:
        tell(f"folder {path}: {counted(len(notes) - MOST_TOLD, 'more sentence')} of this kind.")
    return frame


def read_stored(path: AnyPath, sequence: str) -> pd.DataFrame:
    """The table in a Parquet file with the types of its cells, where `read_frame` gives text; rows numbered from 0."""
    return read_typed(read_content(path), "parquet", sequence, None, say_nothing)


def files_of(path: AnyPath) -> list[Path]:
    """The files that a table is read from: itself, or those of a folder, by name."""
    if not Path(path).is_dir():
        return [Path(path)]
    return sorted(
        file
        for file in Path(path).iterdir()
        if not file.name.startswith(".") and plain_suffix(file) in READ and file.is_file()
    )


def format_of(content: Content, dialect: Dialect) -> Format:
    """What a file holds, by what is given, its suffix, or the mark of a Parquet or Feather file."""
    if dialect.format is not None:
        return dialect.format
    if content.suffix in TYPED:
        return TYPED[content.suffix]
    if content.suffix == ".arff":
        return "arff"
    for mark, kind in _MARKS.items():
        if content.suffix not in SUFFIXES and content.data.startswith(mark):
            return kind
    if content.suffix == ".conllu":
        return "conllu"
    return "columns" if content.suffix in SUFFIXES else "csv"


_MARKS: dict[bytes, Format] = {b"PAR1": "parquet", b"ARROW1": "feather"}


def _read(content: Content, dialect: Dialect, sequence: str, tell: Tell) -> pd.DataFrame:
    kind = format_of(content, dialect)
    if kind != "csv" and (dialect.separator or dialect.decimal or dialect.quote):
        tell(f"{content.name} is no CSV file: separator, decimal and quote are not looked at.")
    match kind:
        case "arff":
            return read_arff(content, dialect.encoding, tell)
        case "parquet" | "feather" | "jsonl":
            return text_of(read_typed(content, kind, sequence, dialect.encoding, tell), content.name)
        case "conllu":
            return read_conllu(content, dialect.encoding, tell)
        case "columns":
            return read_columns(content, dialect.encoding, tell)
        case "csv":
            return read_csv(content, dialect, tell)


def _read_folder(folder: Path, read: Callable[[Path], pd.DataFrame], sequence: str, tell: Tell) -> pd.DataFrame:
    """The files of a folder one after another, by name, with the columns of the first one, which all must have.

    The column `sequence` gets the file's name without its suffixes; where a file has such a column, ``NAME:CELL``. The
    index holds the names of the files and the lines (rows from 0 in Parquet files).
    """
    import pandas as pd

    files = files_of(folder)
    left_out = sorted(
        {entry.name for entry in folder.iterdir() if not entry.name.startswith(".")} - {f.name for f in files}
    )
    if not files:
        raise ValueError(f"folder {folder} has no file that ends in one of {listed(READ, str)}; name another one.")
    if left_out:
        tell(f"folder {folder}: left out {listed(left_out)}, which are no files of sequences by their suffixes.")
    frames: dict[str, pd.DataFrame] = {}
    file_of: dict[str, Path] = {}
    for file in files:
        name = Path(file.stem if file.suffix.lower() in PACKED_SUFFIXES else file.name).stem
        if name in file_of:
            raise ValueError(
                f"folder {folder}: {file_of[name].name} and {file.name} would be one sequence; rename one."
            )
        file_of[name] = file
        frame = read(file)
        cells = name + ":" + frame[sequence] if sequence in frame.columns else name
        frame = frame.drop(columns=sequence, errors="ignore")
        frame.insert(0, sequence, pd.Series(cells, index=frame.index, dtype="str"))
        first = next(iter(frames.values()), frame)
        if set(frame.columns) != set(first.columns):
            raise ValueError(
                f"table {file} has the columns {listed(frame.columns[1:])}, and {files[0].name} has "
                f"{listed(first.columns[1:])}; give all files of the folder the same ones."
            )
        frames[file.name] = frame[first.columns]
    return pd.concat(frames)


# --- training and test sets ------------------------------------------------------------------------


def load_table(
    path: AnyPath,
    *,
    test: AnyPath | None = None,
    sequence: str = "sequence",
    label: str = LABEL,
    attributes: Sequence[str] | None = None,
    groups: str | None = None,
    split: str | None = None,
    test_fraction: float = 1 / 3,
    seed: int = 0,
    kinds: Mapping[str, Kind] | None = None,
    format: Format | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    quote: str | None = None,
    na: Sequence[str] = (),
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set from one or two tables, which are files or folders (`treecrf.readers.reading.read_table`).

    A warning reports detected options.

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
    groups : str, optional
        Column of what related sequences share, such as a person (`SequenceSet.groups`), the same on all rows of a
        sequence.
    split : str, optional
        Column that holds "train" or "test", the same on all rows of a sequence; not read where `test` is given.
    test_fraction : float
        Without `test` and `split`: the share of the sequences that is drawn for testing, with a sequence its copies,
        or its group where there are `groups`.
    seed : int
        Decides which.
    kinds : mapping of str to "number" or "category", optional
        What input columns hold, where it is not what `treecrf.io.columns.infer_kind` says.
    format, separator, decimal, encoding, quote : str, optional
        How the files are written (`treecrf.readers.text_files.Dialect`) (default: detected).
    na : sequence of str
        Texts that mean that a cell is missing.

    Raises
    ------
    ValueError
        One sentence that names file, line (of a CSV file), row (from 0, the column names not counted) and column.
    """
    paths = [path] if test is None else [path, test]
    dialect = Dialect(format, separator, decimal, encoding, quote, tuple(na))
    tables = [read_table(each, dialect, sequence, warn) for each in paths]
    label = tables[0].label_column(label)
    if attributes is None:
        attributes = [name for name in tables[0] if name not in (sequence, label, groups, split)]
    others = [groups, split if test is None else None]
    names = [sequence, label, *attributes, *(name for name in others if name is not None)]
    twice = repeated(names)
    if twice is not None:
        raise ValueError(f"table {path}: column {quoted(twice)} has two uses; name it for one of them.")
    for table in tables:
        table.check_columns(names)
    table = tables[0] if test is None else TypedTable.join(tables, sequence)
    columns = table.decide_columns(sequence, label, attributes, kinds, groups)
    table.check_marks([name for name in columns.categories if name not in (kinds or {})])
    whole = table.encode(columns)
    for name in identifying_times(whole):
        warn(
            f"Column {name!r}: its time stamps identify the rows; derive inputs from them "
            "(treecrf.inputs.DerivedInputs), or leave it out (attributes)."
        )
    starts = whole.observation_offsets[:-1]
    if test is not None:
        for_test = starts >= len(tables[0].frame)
    elif split is not None:
        for_test = _split_column(table, split, whole)
    else:
        if not 0 < test_fraction < 1:
            raise ValueError(f"test_fraction={test_fraction}: give a share between 0 and 1.")
        for_test = np.zeros(len(whole), dtype=bool)
        related = group_copies(whole) if groups is None else whole.groups
        if len(np.unique(related)) > 1:
            for_test[hold_out(related, test_fraction, generator("table", "test", seed=seed))[1]] = True
    if for_test.all() or not for_test.any():
        of_groups = "" if groups is None else f" in {counted(len(np.unique(whole.groups)), 'group')}"
        raise ValueError(
            f"table {path}: training and test set both need a sequence, and the table has "
            f"{counted(len(whole), 'sequence')}{of_groups}."
        )
    return whole.select(np.flatnonzero(~for_test)), whole.select(np.flatnonzero(for_test))


def _split_column(table: TypedTable, split: str, whole: SequenceSet) -> Bools:
    """Whether each sequence is for testing."""
    codes, texts = table[split].distinct
    cells = np.array([*texts, None], dtype=object)[codes]
    wrong = ~np.isin(codes, [code for code, text in enumerate(texts) if text in ("train", "test")])
    if wrong.any():
        row = int(wrong.argmax())
        raise table.cell_error(row, split, f"{quoted(cells[row])} is neither 'train' nor 'test'.")
    starts = whole.observation_offsets[:-1]
    mixed = cells != np.repeat(cells[starts], np.diff(whole.observation_offsets))
    if mixed.any():
        raise table.cell_error(int(mixed.argmax()), split, "its sequence has both parts.")
    return np.asarray(cells[starts] == "test")
