"""Cells of tables as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf._messages import quoted

if TYPE_CHECKING:
    import pandas as pd


def cell_texts(column: pd.Series, name: str) -> NDArray[np.object_]:
    """The cells of a column as text, what stands for an empty cell too.

    Parameters
    ----------
    column : Series
    name : str
        What an error calls the column.

    Raises
    ------
    ValueError
        For bytes that are no UTF-8 and text with half a surrogate pair; the message names row (from 0) and column.
    """
    import pandas as pd

    kind = column.cat.categories.dtype if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype
    if not pd.api.types.is_string_dtype(kind):  # true of objects, too
        return column.astype(str).to_numpy(dtype=object)
    texts = np.empty(len(column), dtype=object)
    for row, cell in enumerate(column.to_numpy(dtype=object)):
        try:
            texts[row] = cell.decode() if isinstance(cell, bytes) else str(cell)
            texts[row].encode()
        except UnicodeError:
            raise ValueError(
                f"row {row}, column {quoted(name)}: {quoted(cell)} is not text in UTF-8; mend that cell."
            ) from None
    return texts
