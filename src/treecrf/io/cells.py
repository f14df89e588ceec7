"""Columns of tables, parsed once as text and as numbers, and the cells that are at fault."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from treecrf.io.messages import quoted

if TYPE_CHECKING:
    import pandas as pd


MISSING = -1
"""Code of a cell whose value is not known."""

_EXACT = 2**53  # whole numbers below it are exact in float64


class CellError(ValueError):
    """What is wrong with a cell of a table: one sentence, which whoever knows the file completes by its name and the line.

    Parameters
    ----------
    row : int
        From 0.
    column : str
    problem : str
        What is wrong and what to do.
    """

    def __init__(self, row: int, column: str, problem: str) -> None:
        super().__init__(row, column, problem)
        self.row, self.column, self.problem = row, column, problem

    def __str__(self) -> str:
        """The sentence without file and line."""
        return f"row {self.row}, column {quoted(self.column)}: {self.problem}"


def cell_texts(column: pd.Series, name: str) -> NDArray[np.object_]:
    """The cells of a column as text; `name` is what an error calls the column, and what is no value has some text, too.

    The text of a cell depends on nothing but its value: a whole number is written without ".0" even where a hole or a
    fraction elsewhere in the column has made it a float, and a date without midnight.

    Raises
    ------
    CellError
        For bytes that are no UTF-8 and text with half a surrogate pair.
    """
    import pandas as pd

    if is_text(column):
        return column.fillna("").to_numpy(dtype=object)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return _number_texts(column)
    texts = np.empty(len(column), dtype=object)
    for row, cell in enumerate(column.to_numpy(dtype=object)):
        try:
            texts[row] = _text(cell)
            texts[row].encode()
        except UnicodeError:
            raise CellError(row, name, f"{quoted(cell)} is not text in UTF-8; fix that cell.") from None
    return texts


def is_text(column: pd.Series) -> bool:
    """Whether a column has nothing but text, for Arrow keeps its cells."""
    import pandas as pd

    return isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "pyarrow"


def _number_texts(column: pd.Series) -> NDArray[np.object_]:
    texts: NDArray[np.object_] = column.astype(str).to_numpy(dtype=object, copy=True)
    if column.dtype.kind == "f":
        values = column.to_numpy(dtype=float, na_value=np.nan)
        whole = (np.abs(values) < _EXACT) & (values == np.floor(values))
        texts[whole] = values[whole].astype(np.int64).astype(str)
    return texts


def _text(cell: object) -> str:
    if isinstance(cell, bytes):
        return cell.decode()
    if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(float(cell)) < _EXACT:
        return str(int(cell))
    if isinstance(cell, datetime):
        return str(cell).removesuffix(" 00:00:00")  # a date, whatever the times beside it
    return str(cell)


Kind = Literal["number", "category"]
KINDS: tuple[Kind, ...] = ("number", "category")

MOST_INTEGERS = 20
"""A column of whole numbers alone holds categories if it has at most so many different ones."""


def column_kind(column: pd.Series) -> Kind:
    """What a column holds, by its type: numbers if it has fractions, or more than `MOST_INTEGERS` different numbers.

    Whole numbers that pandas keeps as floats, for a hole among them, are whole numbers all the same.
    """
    if column.dtype.kind not in "iuf":
        return "category"
    return kind_of_numbers(column.to_numpy(dtype=np.float64, na_value=np.nan))


def kind_of_numbers(numbers: NDArray[np.float64]) -> Kind:
    """What a column of numbers, NaN where one is missing, holds, as `column_kind` has it."""
    values = np.unique(numbers)
    values = values[~np.isnan(values)]
    return "category" if len(values) <= MOST_INTEGERS and (values == np.floor(values)).all() else "number"


class Column:
    """A column of a table, whose cells are parsed once: when they are first asked for as text, or as numbers.

    Parameters
    ----------
    cells : Series
    name : str
        What an error calls the column.
    """

    def __init__(self, cells: pd.Series, name: str) -> None:
        self.cells, self.name = cells, name

    @cached_property
    def distinct(self) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
        """Which of its different texts (second, in the order of the rows) each cell has, `MISSING` where it is empty.

        Raises
        ------
        CellError
            For cells that are no text, as `cell_texts` has it.
        """
        import pandas as pd

        column = self.cells
        cells = column if is_text(column) else pd.Series(cell_texts(column, self.name)).mask(column.isna().to_numpy())
        codes, texts = pd.factorize(cells.mask(cells == ""))
        return codes, np.asarray(texts, dtype=object)

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The cells as numbers, NaN where one is empty or no finite number; float64, shape (n_rows,). Errors as of `distinct`."""
        return self._parsed[0]

    @property
    def strange(self) -> NDArray[np.bool_]:
        """Whether a cell has a value that is no finite number; bool, shape (n_rows,)."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        column = self.cells
        plain = _cast(column) if is_text(column) else None
        if plain is not None:
            numbers, empty = plain, np.array(column.isna(), dtype=bool)
            empty |= (column == "").to_numpy(dtype=bool, na_value=False)
        elif column.dtype.kind in "iufb":
            numbers, empty = (
                column.to_numpy(dtype=np.float64, na_value=np.nan).copy(),
                np.array(column.isna(), dtype=bool),
            )
        else:
            codes, texts = self.distinct
            numbers, empty = np.append(_parse(texts), np.nan)[codes], codes == MISSING
        numbers[~np.isfinite(numbers)] = np.nan
        return numbers, np.isnan(numbers) & ~empty


def _cast(column: pd.Series) -> NDArray[np.float64] | None:
    """The numbers in a column of text that has nothing but plain ones, NaN where a cell is empty; None for other columns."""
    import pyarrow as pa

    try:
        numbers = pa.chunked_array(column.mask(column == "")).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    return np.array(numbers.to_numpy(), dtype=np.float64)


def _parse(texts: NDArray[np.object_]) -> NDArray[np.float64]:
    """The numbers that texts are, NaN for those that are none."""
    import pandas as pd

    numbers = np.array(pd.to_numeric(pd.Series(texts), errors="coerce"), dtype=np.float64)
    found = np.isfinite(numbers)
    numbers[found] = texts[found].astype(np.float64)  # exact, which pandas' last digit is not
    return numbers
