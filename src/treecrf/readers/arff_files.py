"""ARFF, the files of Weka (https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/).

scipy's reader takes no text columns, and no quoted values unless the first row has one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from treecrf.io.files import Content
from treecrf.io.messages import counted, quoted
from treecrf.readers.text_files import Tell, check_names, find_encoding, open_text, tell_comments, text_frame

if TYPE_CHECKING:
    import pandas as pd

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
_CELL = re.compile(rf"\s*({_QUOTED}|[^,'\"]*?)\s*(?:,|$)")
_READABLE_TYPES = ("numeric", "real", "integer", "string", "date", "{")
_MISSING = "?"


def read_arff(content: Content, encoding: str | None, tell: Tell) -> pd.DataFrame:
    """Read an ARFF file; numbers, dates and values are text.

    Returns
    -------
    DataFrame of str
        Missing where a cell is ``?``; the index holds the lines.

    Raises
    ------
    ValueError
        One sentence that names file and line, also for sparse rows and columns that hold tables.
    """
    names: list[str] = []
    rows: list[list[str | None]] = []
    lines: list[int] = []
    comments: list[int] = []
    is_data = False
    for number, text in enumerate(open_text(content, find_encoding(content, encoding).codec, "\n"), 1):
        line, place = text.strip(), f"{content.name}, line {number}"
        if not line or line.startswith("%"):
            if is_data and line.count(",") == len(names) - 1 > 0:
                comments.append(number)
            continue
        if is_data:
            rows.append(_cells(line, len(names), place))
            lines.append(number)
        elif line.lower() == "@data":
            check_names(content.name, names)
            is_data = True
        elif line.lower().startswith("@attribute"):
            names.append(_name(line, place))
        elif not line.lower().startswith("@relation"):
            raise ValueError(f"{place}: {quoted(line)} is no line of an ARFF header; save the table as CSV.")
    if not names or not rows:
        raise ValueError(f"{content.name} has no {'rows' if names else '@attribute lines'}; save the table as CSV.")
    tell_comments(content.name, "%", comments, tell)
    return text_frame(dict(zip(names, zip(*rows, strict=True), strict=True)), lines)


def _name(line: str, place: str) -> str:
    """The name of a column, once its kind has been found to be one that a cell can hold."""
    match = _ATTRIBUTE.fullmatch(line)
    if match is None or not match[2].lower().startswith(_READABLE_TYPES):
        raise ValueError(
            f"{place}: {quoted(line)} declares no column of numbers, text, dates or values; save the table as CSV, a "
            "row for each observation."
        )
    return _plain(match[1])


def _cells(line: str, n_columns: int, place: str) -> list[str | None]:
    if line.startswith("{"):
        raise ValueError(f"{place}: sparse rows are not read; save the table as CSV.")
    cells: list[str | None] = []
    end, ended = 0, False
    while not ended:
        match = _CELL.match(line, end)
        if match is None:
            raise ValueError(f"{place}: a quote is not closed, or stands within a cell; fix that line.")
        cells.append(None if match[1] == _MISSING else _plain(match[1]))
        end, ended = match.end(), not match[0].endswith(",")
    if len(cells) != n_columns:
        raise ValueError(
            f"{place}: {counted(len(cells), 'cell')}, and the header declares {counted(n_columns, 'column')}; fix that "
            "line."
        )
    return cells


def _plain(cell: str) -> str:
    """A cell without its quotes."""
    return re.sub(r"\\(.)", r"\1", cell[1:-1]) if cell[:1] in ("'", '"') else cell
