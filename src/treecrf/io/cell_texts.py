"""Cells of tables as text."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

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
