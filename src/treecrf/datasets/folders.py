"""A folder of files, each of which is a sequence."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from treecrf.datasets.columns import SUFFIXES
from treecrf.datasets.dialects import Tell
from treecrf.io.files import PACKED_SUFFIXES, plain_suffix
from treecrf.io.messages import listed

if TYPE_CHECKING:
    import pandas as pd

READ = (".csv", ".tsv", ".parquet", ".conllu", *SUFFIXES)
"""Suffixes of the files that are read; others may be notes."""


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """The files that a table is read from: itself, or those of a folder, by name."""
    if not Path(path).is_dir():
        return [Path(path)]
    return sorted(file for file in Path(path).iterdir() if _is_read(file))


def read_folder(folder: Path, read: Callable[[Path], pd.DataFrame], sequence: str, tell: Tell) -> pd.DataFrame:
    """The files of a folder one after another, by name.

    Parameters
    ----------
    folder : Path
    read : callable
        A file to its frame.
    sequence : str
        The column that gets the file's name without its suffixes; where a file has such a column, ``NAME:CELL``.
    tell : callable
        Told what is left out: files with other suffixes, folders.

    Returns
    -------
    DataFrame of str
        The columns of the first file, which all must have. The index holds the names of the files and the lines (rows from
        0 in Parquet files).

    Raises
    ------
    ValueError
        If there is no such file, or files have other columns than the first or the same name but for suffixes.
    """
    import pandas as pd

    files = files_of(folder)
    others = sorted(
        {entry.name for entry in folder.iterdir() if not entry.name.startswith(".")} - {f.name for f in files}
    )
    if not files:
        raise ValueError(f"folder {folder} has no file that ends in one of {listed(READ, str)}; name another one.")
    if others:
        tell(f"folder {folder}: left out {listed(others)}, which are no files of sequences by their suffixes.")
    frames: dict[str, pd.DataFrame] = {}
    named: dict[str, Path] = {}
    for file in files:
        name = _name(file)
        if name in named:
            raise ValueError(f"folder {folder}: {named[name].name} and {file.name} would be one sequence; rename one.")
        named[name] = file
        frame = read(file)
        cells = name + ":" + frame[sequence] if sequence in frame.columns else name
        frame = frame.drop(columns=sequence, errors="ignore")
        frame.insert(0, sequence, pd.Series(cells, index=frame.index, dtype="str"))
        first = next(iter(frames.values()), frame)
        if set(frame.columns) != set(first.columns):
            raise ValueError(
                f"table {file} has the columns {listed(frame.columns[1:])}, and {files[0].name} has {listed(first.columns[1:])}; "
                "give all files of the folder the same ones."
            )
        frames[file.name] = frame[first.columns]
    return pd.concat(frames)


def _is_read(entry: Path) -> bool:
    return not entry.name.startswith(".") and plain_suffix(entry) in READ and entry.is_file()


def _name(file: Path) -> str:
    """A file's name without the suffix of its compression and that of its kind."""
    plain = file.stem if file.suffix.lower() in PACKED_SUFFIXES else file.name
    return Path(plain).stem
