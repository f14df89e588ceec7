"""Frames of counts of correct positions: the columns that analyses need, and what they hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.arguments import integers, reals
from treecrf.io.messages import listed

EVALUATION_COLUMNS = ("dataset", "rate", "method", "training_set", "test_set", "sequence")
"""Columns that tell the rows of `counts` apart."""

COUNT_COLUMNS = ("n_positions", "n_correct")

Floats = NDArray[np.float64]


def check_columns(frame: pd.DataFrame, what: str, names: Iterable[str]) -> None:
    """Refuse a frame without some of these columns, or with an empty cell in one of them; errors call the frame `what`,
    in the plural.

    Raises
    ------
    ValueError
        For what is refused.
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"The {what} are of type {type(frame).__name__}; give a pandas DataFrame.")
    needed = list(names)
    for name in needed:
        if name not in frame.columns:
            raise ValueError(f"The {what} have no column {name!r}; they need {listed(needed, str)}.")
        if frame.columns.tolist().count(name) > 1:
            raise ValueError(f"The {what} have two columns {name!r}; rename one.")
        if pd.api.types.infer_dtype(frame[name], skipna=True).startswith("mixed"):
            raise ValueError(f"The column {name!r} of the {what} mixes texts and numbers; give values of one type.")
        empty = frame[name].isna().to_numpy()
        if empty.any():
            raise ValueError(f"Row {empty.argmax()} of the {what} has no {name}; fill it in or leave the row out.")


def check_counts(counts: pd.DataFrame, names: Collection[str]) -> None:
    """Refuse counts without `COUNT_COLUMNS` and these columns, or that cannot be analysed.

    Raises
    ------
    ValueError
        For what is refused.
    """
    check_columns(counts, "counts", (*names, *COUNT_COLUMNS))
    if "rate" in names:
        reals(counts["rate"].to_numpy(), "rate of the counts", ("n_rows",), some=False)
    n_positions, n_correct = (
        integers(counts[name].to_numpy(), f"{name} of the counts", ("n_rows",), some=False) for name in COUNT_COLUMNS
    )
    if not ((n_correct >= 0) & (n_correct <= n_positions)).all():
        raise ValueError("The counts have rows whose n_correct is not between 0 and n_positions.")


def lay_out(group: pd.DataFrame, names: Sequence[str]) -> tuple[list[str], Floats, Floats]:
    """Correct and all positions by the levels of each name, in their order, and the levels of the first name."""
    codes, levels = zip(*(pd.factorize(group[name], sort=True) for name in names), strict=True)
    shape = tuple(map(len, levels))
    place = np.ravel_multi_index(codes, shape)
    correct, positions = (
        np.bincount(place, group[name], int(np.prod(shape))).reshape(shape).astype(np.float64)
        for name in ("n_correct", "n_positions")
    )
    return levels[0].tolist(), correct, positions
