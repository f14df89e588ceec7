"""Which columns of a table of text hold numbers, and which categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.cells import Kind, column_kind, parse_numbers

if TYPE_CHECKING:
    import pandas as pd

MOST_MARKS = 3
"""More different values beside numbers are not taken for marks of missing ones."""


def decide_kinds(
    frame: pd.DataFrame, attributes: Sequence[str], kinds: Mapping[str, Kind] | None = None
) -> dict[str, Kind]:
    """What the input columns of a table of text hold.

    A column whose cells all read as finite numbers, but for empty ones, is judged as one of a numeric type
    (`treecrf.io.cells.column_kind`); all others hold categories.

    Parameters
    ----------
    frame : DataFrame
        From `treecrf.datasets.reading.read_table`.
    attributes : sequence of str
    kinds : mapping of str to "number" or "category", optional
        Kinds that are known already.
    """
    found: dict[str, Kind] = {}
    for name in attributes:
        if name not in (kinds or {}) and name in frame.columns:
            numbers, strange = parse_numbers(frame[name], name)
            found[name] = "category" if strange.any() else column_kind(_as_column(numbers))
    return found | dict(kinds or {})


class Marks(NamedTuple):
    """Cells of a column of numbers that stand for missing ones, it seems.

    `strange` (bool, shape (n_rows,)) says which cells; `texts` has their different values; `are_among_many` is whether the
    other cells, taken by themselves, are numbers (`treecrf.io.cells.column_kind`).
    """

    strange: NDArray[np.bool_]
    texts: list[str]
    are_among_many: bool


def marks_of(column: pd.Series, name: str) -> Marks | None:
    """A few values beside many different numbers, as tables of other programs have for a missing one; None if there are none."""
    numbers, strange = parse_numbers(column, name)
    texts = [str(text) for text in column[strange].unique()]
    known = numbers[~np.isnan(numbers)]
    if not 0 < len(texts) <= MOST_MARKS or len(texts) >= len(np.unique(known)) or strange.sum() >= len(known):
        return None
    return Marks(strange, texts, column_kind(_as_column(numbers)) == "number")


def _as_column(numbers: NDArray[np.float64]) -> pd.Series:
    import pandas as pd

    return pd.Series(numbers)
