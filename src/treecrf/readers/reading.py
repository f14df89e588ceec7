"""Tables in files of all kinds, and in folders of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from treecrf.io.files import PACKED_SUFFIXES, Content, plain_suffix, read_content
from treecrf.io.messages import counted, listed
from treecrf.readers.arff_files import read_arff
from treecrf.readers.columns import SUFFIXES, read_columns, read_conllu
from treecrf.readers.csv_files import read_csv
from treecrf.readers.tables import TypedTable
from treecrf.readers.text_files import Dialect, Format, Tell, say_nothing
from treecrf.readers.typed_files import SUFFIXES as TYPED
from treecrf.readers.typed_files import read_typed, text_of

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
    path: str | os.PathLike[str], dialect: Dialect = PLAIN, sequence: str = "sequence", tell: Tell = say_nothing
) -> TypedTable:
    """Read a table, whose columns are parsed when they are asked for; parameters as of `read_frame`."""
    return TypedTable(read_frame(path, dialect, sequence, tell), path, dialect.na)


def read_frame(
    path: str | os.PathLike[str], dialect: Dialect = PLAIN, sequence: str = "sequence", tell: Tell = say_nothing
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


def read_stored(path: str | os.PathLike[str], sequence: str) -> pd.DataFrame:
    """The table in a Parquet file with the types of its cells, where `read_frame` gives text; rows numbered from 0."""
    return read_typed(read_content(path), "parquet", sequence, None, say_nothing)


def files_of(path: str | os.PathLike[str]) -> list[Path]:
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
