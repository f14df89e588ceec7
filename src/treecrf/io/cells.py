"""Cells of tables as text and as numbers, and the columns that hold numbers."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from treecrf.io.messages import quoted

if TYPE_CHECKING:
    import pandas as pd


_EXACT = 2**53  # whole numbers below it are exact in float64


def cell_texts(column: pd.Series, name: str) -> NDArray[np.object_]:
    """The cells of a column as text; `name` is what an error calls the column, and what is no value has some text, too.

    The text of a cell depends on nothing but its value: a whole number is written without ".0" even where a hole or a
    fraction elsewhere in the column has made it a float, and a date without midnight.

    Raises
    ------
    ValueError
        For bytes that are no UTF-8 and text with half a surrogate pair; the message names row (from 0) and column.
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
            raise ValueError(
                f"row {row}, column {quoted(name)}: {quoted(cell)} is not text in UTF-8; fix that cell."
            ) from None
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
    values = np.unique(column.to_numpy(dtype=np.float64, na_value=np.nan))
    values = values[~np.isnan(values)]
    return "category" if len(values) <= MOST_INTEGERS and (values == np.floor(values)).all() else "number"


def parse_numbers(column: pd.Series, name: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The cells of a column as numbers; `name` is what an error calls the column.

    Returns
    -------
    numbers : float64, shape (n_rows,)
        NaN where the cell is empty or no finite number.
    strange : bool, shape (n_rows,)
        Whether a cell has a value that is no finite number.

    Raises
    ------
    ValueError
        For cells that are no text, as `cell_texts` has it.
    """
    import pandas as pd

    empty = np.array(column.isna(), dtype=bool)
    fast = _cast(column) if is_text(column) else None
    if fast is not None:
        numbers = fast
        empty |= (column == "").to_numpy(dtype=bool, na_value=False)
    elif column.dtype.kind in "iufb":
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan).copy()
    else:
        texts = cell_texts(column, name)
        empty |= texts == ""
        numbers = np.array(pd.to_numeric(pd.Series(texts).mask(empty), errors="coerce"), dtype=np.float64)
        found = np.isfinite(numbers)
        numbers[found] = texts[found].astype(np.float64)  # exact, which pandas' last digit is not
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
