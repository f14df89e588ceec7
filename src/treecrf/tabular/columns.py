"""Encoding of the columns of a table as categories."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.datasets.table import cell_place
from treecrf.io.messages import quoted
from treecrf.sequences import MAX_CATEGORIES

RARE = "(rare)"
"""Category of all values but the commonest, in a column with more than a window slot can tell apart."""

MANY_NUMBERS = 20
"""A column of numbers with more different ones is worth a warning: each is taken as a category of its own."""


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table that a labeller reads, and how their cells become categories.

    `edges` are the inner edges of the bins of each column that is cut into bins; `kept` the values that are kept of
    each column with too many, where all others are `RARE`.
    """

    sequence: str
    label: str
    attributes: tuple[str, ...]
    edges: dict[str, tuple[float, ...]]
    kept: dict[str, tuple[str, ...]]

    @classmethod
    def learn(
        cls, frame: pd.DataFrame, sequence: str, label: str, attributes: Sequence[str], n_bins: int | None = None
    ) -> Self:
        """Decide from a training table (`treecrf.datasets.table.read_table`) how its columns are read.

        Columns of numbers with more than `n_bins` different ones are cut into `n_bins` bins of equal counts.
        """
        edges, kept = {}, {}
        for name in attributes:
            values = numbers(frame[name]) if n_bins is not None else None
            if values is not None and n_bins is not None and values.nunique() > n_bins:
                inner = np.nanquantile(values.to_numpy(), np.linspace(0, 1, n_bins + 1)[1:-1])
                edges[name] = tuple(float(edge) for edge in np.unique(inner))
                continue
            counts = frame[name].dropna().astype(str).value_counts()
            if len(counts) > MAX_CATEGORIES:
                ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
                kept[name] = tuple(str(value) for value, _ in ordered[: MAX_CATEGORIES - 1])
        return cls(sequence, label, tuple(attributes), edges, kept)

    def apply(self, frame: pd.DataFrame, path: str | os.PathLike[str]) -> pd.DataFrame:
        """The table with bins and rare values in place of the cells of such columns.

        A ValueError names file, line, row and column of a cell that is no number in a column that is cut into bins.
        """
        changed: dict[str, Any] = {}
        for name, edges in self.edges.items():
            changed[name] = pd.Series(_bins(frame, path, name, edges), index=frame.index, dtype=object)
        for name, kept in self.kept.items():
            text = frame[name].astype(str)
            empty = frame[name].isna() | (text == "")
            changed[name] = frame[name].where(empty | text.isin(kept), RARE)
        return frame.assign(**changed)


def numbers(column: pd.Series) -> pd.Series | None:
    """The cells of a column as float64, NaN where empty; None unless every cell with a value is a number."""
    values, strange = parse_numbers(column)
    return None if strange.any() or values.isna().all() else values


def parse_numbers(column: pd.Series) -> tuple[pd.Series, pd.Series]:
    """The cells of a column as float64, NaN where there is no finite number; and whether a cell has another value."""
    empty = column.isna() | (column.astype(str) == "")
    values = pd.to_numeric(column.mask(empty), errors="coerce").astype(float)
    values = values.where(np.isfinite(values))
    return values, values.isna() & ~empty


def check_numbers(frame: pd.DataFrame, path: str | os.PathLike[str], attributes: Sequence[str], n_bins: int) -> None:
    """Refuse a column that would be cut into bins, were it not for a few cells that are no numbers.

    A ValueError if most cells of a column are numbers, more than `n_bins` different ones, names the first other cell.
    """
    for name in attributes:
        values, strange = parse_numbers(frame[name])
        if 0 < strange.sum() < values.count() and values.nunique() > n_bins:
            row = int(strange.to_numpy().argmax())
            raise ValueError(
                f"{cell_place(frame, path, row, name)}: {quoted(frame[name].iloc[row])} is not a number, and --bins cuts "
                "columns of numbers; empty it if it is missing."
            )


def _bins(
    frame: pd.DataFrame, path: str | os.PathLike[str], name: str, edges: tuple[float, ...]
) -> NDArray[np.object_]:
    """The bin of every cell, by name; None where empty."""
    values, wrong = parse_numbers(frame[name])
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise ValueError(
            f"{cell_place(frame, path, row, name)}: {quoted(str(frame[name].iloc[row]))} is not a number, and the training "
            "table had numbers there; fix that cell or empty it."
        )
    texts = [f"{edge:g}" for edge in edges]
    width = len(str(len(edges)))  # the names sort as the bins do
    names = [f"under {texts[0]}", *(f"{low} to {high}" for low, high in pairwise(texts))]
    names.append(f"from {texts[-1]}")
    numbered = np.array([f"{place:0{width}d}: {name}" for place, name in enumerate(names)], dtype=object)
    binned = numbered[np.digitize(values.fillna(0.0), edges)]
    binned[values.isna()] = None
    return binned
