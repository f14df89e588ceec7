"""Cells of tables as numbers, and the columns that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from treecrf.io.cell_texts import cell_texts, is_text

if TYPE_CHECKING:
    import pandas as pd

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
