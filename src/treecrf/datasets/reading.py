"""Tables in files of all kinds, as frames of text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from treecrf.datasets.columns import SUFFIXES, read_columns
from treecrf.datasets.conllu import read_conllu
from treecrf.datasets.csv_files import read_csv
from treecrf.datasets.dialects import Dialect, Format, Tell, say_nothing
from treecrf.datasets.folders import read_folder
from treecrf.datasets.names import check_names
from treecrf.io.cells import cell_texts
from treecrf.io.files import Content, parse_parquet, read_content
from treecrf.io.messages import counted

if TYPE_CHECKING:
    import pandas as pd

PLAIN = Dialect()
"""Everything is found out."""

MOST_TOLD = 3
"""Sentences on single files of a folder."""


def read_table(
    path: str | os.PathLike[str], dialect: Dialect = PLAIN, sequence: str = "sequence", tell: Tell = say_nothing
) -> pd.DataFrame:
    """Read a file, standard input (``-``), or a folder with a file for each sequence.

    A file is read as what its suffix says, unless `dialect` does: Parquet (.parquet), CoNLL-U (.conllu), columns
    (`treecrf.datasets.columns.SUFFIXES`), CSV (any other, commas between cells unless it is seen to be otherwise). It may be
    compressed by gzip, bzip2 or xz.

    Parameters
    ----------
    path : path
    dialect : Dialect
    sequence : str
        The column that tells sequences apart: in a folder it is made of the names of the files.
    tell : callable
        Called with a sentence on what was found out, or left out.

    Returns
    -------
    DataFrame of str
        Missing where a cell is empty. The index holds the lines of the file, the rows of a Parquet file from 0, and in a
        folder the files and the lines.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence that names the file, and the line where one is at fault.
    """
    if not Path(path).is_dir():
        return _read(read_content(path), dialect, tell)
    told: list[str] = []
    frame = read_folder(Path(path), lambda file: _read(read_content(file), dialect, told.append), sequence, tell)
    for sentence in told[:MOST_TOLD]:
        tell(sentence)
    if len(told) > MOST_TOLD:
        tell(f"folder {path}: {counted(len(told) - MOST_TOLD, 'more sentence')} of this kind.")
    return frame


def read_stored(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The table in a Parquet file with the types of its cells, where `read_table` gives text; rows numbered from 0."""
    return _stored(read_content(path))


def format_of(content: Content, dialect: Dialect) -> Format:
    """What a file holds, by what is given, its suffix, or the mark of a Parquet file."""
    if dialect.format is not None:
        return dialect.format
    if content.suffix == ".parquet" or (content.suffix not in SUFFIXES and content.data.startswith(b"PAR1")):
        return "parquet"
    if content.suffix == ".conllu":
        return "conllu"
    return "columns" if content.suffix in SUFFIXES else "csv"


def _read(content: Content, dialect: Dialect, tell: Tell) -> pd.DataFrame:
    kind = format_of(content, dialect)
    if kind != "csv" and (dialect.separator or dialect.decimal):
        tell(f"{content.name} is no CSV file: separator and decimal are not looked at.")
    match kind:
        case "parquet":
            return _read_parquet(content)
        case "conllu":
            return read_conllu(content, dialect.encoding, tell)
        case "columns":
            return read_columns(content, dialect.encoding, tell)
        case "csv":
            return read_csv(content, dialect, tell)


def _stored(content: Content) -> pd.DataFrame:
    import pandas as pd

    frame = parse_parquet(content.data, content.name).reset_index(drop=True)
    frame.columns = pd.Index([str(name) for name in frame.columns])
    check_names(content.name, list(frame.columns))
    return frame


def _read_parquet(content: Content) -> pd.DataFrame:
    """Text, missing where empty: the same value is the same text, whatever the type of its column in this file."""
    import pandas as pd

    frame, texts = _stored(content), {}
    for name in frame.columns:
        try:
            cells = cell_texts(frame[name], name)
        except ValueError as error:
            raise ValueError(f"{content.name}: {error}") from None
        cells[frame[name].isna().to_numpy() | (cells == "")] = None
        texts[name] = pd.Series(cells, dtype="str")
    return pd.DataFrame(texts, index=frame.index, columns=frame.columns)
