"""Types of the columns of a table of text: numbers, with decimal commas and marks between thousands, or categories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.frames import Column, Kind, kind_of_numbers
from treecrf.io.messages import listed, quoted

if TYPE_CHECKING:
    import pyarrow as pa

MOST_MARKS = 3
"""More distinct non-numeric values than this are not interpreted as marks of missing values."""


def column_type(column: Column) -> Kind:
    """What a column of text holds.

    One whose cells all read as finite numbers, but for empty ones and marks of missing ones, is judged as one of a numeric type
    (`treecrf.io.frames.kind_of_numbers`); all others hold categories.
    """
    return "category" if column.strange.any() else kind_of_numbers(column.numbers)


class Marks(NamedTuple):
    """Cells of a column of numbers that stand for missing ones, it seems.

    `strange` (bool, shape (n_rows,)) says which cells; `texts` has their different values; `are_among_many` is whether the
    other cells, taken by themselves, are numbers (`treecrf.io.frames.kind_of_numbers`).
    """

    strange: NDArray[np.bool_]
    texts: list[str]
    are_among_many: bool


def find_marks(column: Column) -> Marks | None:
    """A few non-numeric values among many numbers, as some programs write for missing values; None if there are none."""
    codes, texts = column.distinct
    strange = column.strange | column.marked
    marks = [str(text) for text in texts[np.unique(codes[strange])]]
    known = column.numbers[~np.isnan(column.numbers)]
    if not 0 < len(marks) <= MOST_MARKS or len(marks) >= len(np.unique(known)) or strange.sum() >= len(known):
        return None
    return Marks(strange, marks, kind_of_numbers(column.numbers) == "number")


# --- decimal marks ----------------------------------------------------------------------------------

_OTHER = {".": ",", ",": "."}


def _number(decimal: str) -> str:
    mark, between = rf"\{decimal}", rf"\{_OTHER[decimal]}"
    whole = rf"(\d+|[1-9]\d{{0,2}}({between}\d{{3}})+)"
    return rf"^\s*[+-]?({whole}({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?\s*$"


_NUMBERS = {decimal: _number(decimal) for decimal in _OTHER}
"""Regular expressions of numbers by their decimal mark."""


def with_points(
    columns: Mapping[str, pa.ChunkedArray], decimal: str | None, name: str
) -> tuple[dict[str, pa.ChunkedArray], list[str]]:
    """Columns of text, in which those that hold numbers with commas are written with a decimal point alone.

    Unless `decimal` is given, a comma is a decimal mark if some column of numbers shows it, such as by 1,5 or 1.234,5, and
    none shows the opposite, such as by 1.5 or 1,234.5. Only cells of columns of numbers are changed; these may have
    `MOST_MARKS` other values, such as NA, in fewer cells.

    Parameters
    ----------
    columns : mapping of str to large_string arrays
        Null where a cell is empty.
    decimal : "." or ",", optional
    name : str
        What an error calls the table.

    Returns
    -------
    columns : dict
    notes : list of str
        A sentence about the decimal mark where it was detected.

    Raises
    ------
    ValueError
        If all numbers with commas are such as 1,500, which may be 1.5 or 1500.
    """
    commas = [column for column, cells in columns.items() if _any(cells, ",")]
    if decimal is not None:
        concerned = (
            commas if decimal == "." else [c for c, cells in columns.items() if _any(cells, ",") or _any(cells, ".")]
        )
        return _changed(columns, concerned, decimal), []
    marks = {column: [mark for mark in _OTHER if _holds(columns[column], mark)] for column in commas}
    if not any(marks.values()):
        return dict(columns), []
    unmarked = {column: cells for column, cells in columns.items() if column not in marks and _any(cells, ".")}
    points = [c for c, cells in unmarked.items() if _holds(cells, ".") and not _holds(cells, _OTHER["."])]
    points += [column for column, decimals in marks.items() if decimals == ["."]]
    decimal_commas = [column for column, decimals in marks.items() if decimals == [","]]
    if decimal_commas and points:
        note = (
            f"commas in the numbers of {listed(decimal_commas)} as they are, since {listed(points)} has decimal points"
        )
        return dict(columns), [note]
    if not decimal_commas and not points:
        column = next(column for column, decimals in marks.items() if decimals)
        raise ValueError(
            f"{name}, column {quoted(column)}: {quoted(_first(columns[column], ','))} may have a decimal comma or one between "
            "thousands, and no number of the table shows which; say it (decimal)."
        )
    mark = "," if decimal_commas else "."
    note = f"{'decimal commas' if decimal_commas else 'commas between thousands'} in {listed(decimal_commas or commas)}"
    return _changed(columns, list(columns), mark), [note]


def _changed(columns: Mapping[str, pa.ChunkedArray], concerned: list[str], decimal: str) -> dict[str, pa.ChunkedArray]:
    """The columns; in the concerned ones that hold numbers, these without marks between thousands, with decimal points."""
    import pyarrow.compute as pc

    changed = dict(columns)
    for column in concerned:
        cells = columns[column]
        if _holds(cells, decimal):
            plain = pc.replace_substring(cells, pattern=_OTHER[decimal], replacement="")
            plain = pc.replace_substring(plain, pattern=decimal, replacement=".")
            changed[column] = pc.if_else(pc.match_substring_regex(cells, _NUMBERS[decimal]), plain, cells)
    return changed


def _holds(cells: pa.ChunkedArray, decimal: str) -> bool:
    """Whether a column holds numbers with this decimal mark, apart from a few marks of missing values."""
    import pyarrow.compute as pc

    is_number = pc.match_substring_regex(cells, _NUMBERS[decimal])
    non_numbers = cells.filter(pc.invert(is_number))
    n_numbers = pc.sum(is_number).as_py() or 0
    return len(non_numbers) < n_numbers and (not len(non_numbers) or len(pc.unique(non_numbers)) <= MOST_MARKS)


def _any(cells: pa.ChunkedArray, mark: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(cells, mark)).as_py())


def _first(cells: pa.ChunkedArray, mark: str) -> str:
    import pyarrow.compute as pc

    return str(cells.filter(pc.match_substring(cells, mark))[0].as_py())
