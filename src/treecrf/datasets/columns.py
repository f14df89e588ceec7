"""Columns files as of the CoNLL shared tasks: one row per observation, a blank line between sequences.

Columns have no names and are called by their number, "1" the first. They are separated by tabs where the first row has
one, by spaces and tabs otherwise; other white space, such as a no-break space, is part of a cell. The labels are in the
last column unless stated otherwise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".conll", ".conllu", ".txt")
"""Of files that are read as columns files."""

SEQUENCE = "sequence"
"""Name of the column that numbers the sequences, from 0: the file itself has blank lines for that."""

MOST_COLUMNS = 1000
"""Of a table of any format: more are a file without line ends, or a table that stands on its side."""

_MARK = "\ufeff"
"""A reader takes it for the mark of the encoding where it is a file's first character."""

UNSPECIFIED = "_"
"""What a cell without a value holds, as in CoNLL-X and CoNLL-U; between tabs it may be empty too."""


def is_columns_file(path: str | os.PathLike[str]) -> bool:
    """Whether the suffix says so."""
    return has_suffix(path, *SUFFIXES)


def has_suffix(path: str | os.PathLike[str], *suffixes: str) -> bool:
    """Whether a file's name ends in one of the suffixes, in capitals or not."""
    return Path(path).suffix.lower() in suffixes


def read_columns(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a columns file.

    Parameters
    ----------
    path : path
        UTF-8. A line that begins with ``#`` is a comment where it stands before the first row of a sequence and has
        another number of cells than the rows of the file, and, in a file without tabs, before the first row of all.

    Returns
    -------
    DataFrame
        `SEQUENCE`, then "1", "2", ..; text, None for a cell without a value; the index holds the lines.

    Raises
    ------
    ValueError
        One sentence that names file and line: bytes that are no UTF-8, a row with more or fewer cells than the first
        one, a row of more than `MOST_COLUMNS` cells, a file with no row.
    """
    import pandas as pd

    texts = list(_lines(Path(path)))
    first = next(((number, text) for number, text in texts if not _is_blank(text) and not text.startswith("#")), None)
    if first is None:
        raise ValueError(f"columns file {path} has no rows; give one line per observation.")
    tabs = "\t" in first[1]
    n_cells = len(_cells(first[1], tabs))
    if n_cells > MOST_COLUMNS:
        raise ValueError(
            f"columns file {path}, line {first[0]}: {n_cells:,} cells, and {MOST_COLUMNS:,} are the most; give each "
            "observation a line of its own."
        )
    rows: list[list[str | None]] = []
    lines: list[int] = []
    sequence, fresh = -1, True
    for number, text in texts:
        if _is_blank(text):
            fresh = True
            continue
        if number < first[0] and not tabs:
            continue  # begins with #, as `first` says
        cells = _cells(text, tabs)
        if len(cells) != n_cells:
            if fresh and text.startswith("#"):
                continue  # a comment
            raise ValueError(
                f"columns file {path}, line {number}: {len(cells)} cells, but the first row (line {first[0]}) has "
                f"{n_cells}; fix that line."
            )
        sequence += fresh
        fresh = False
        rows.append([str(sequence), *(None if cell in ("", UNSPECIFIED) else cell for cell in cells)])
        lines.append(number)
    names = [SEQUENCE, *(str(place) for place in range(1, n_cells + 1))]
    return pd.DataFrame(rows, index=pd.Index(lines), columns=pd.Index(names), dtype=object)


def write_columns(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a frame as `read_columns` gives it: tabs between cells, a blank line after each sequence."""
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        before = None
        for sequence, *cells in frame.itertuples(index=False, name=None):
            first = before is None
            if not first and sequence != before:
                stream.write("\n")
            before = sequence
            line = "\t".join(UNSPECIFIED if _is_empty(cell) else str(cell) for cell in cells)
            if first and line.startswith(_MARK):
                stream.write(_MARK)
            stream.write(line + "\n")


def _is_blank(text: str) -> bool:
    return not text.strip(" \t")


def _cells(text: str, tabs: bool) -> list[str]:
    return text.split("\t") if tabs else re.split("[ \t]+", text.strip(" \t"))


def _is_empty(cell: object) -> bool:
    return cell is None or cell == "" or cell != cell  # NaN


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines, numbered from 1, without their ends."""
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"columns file {path}, line {number}: not readable as UTF-8 ({error.reason} at byte {error.start + 1} of "
                    "the line); save the file as UTF-8."
                ) from None
