"""Rows of the tables of training and cost: in which order, what they are called, the published ones beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from treecrf.rendering.cells import Cell, dataset_names
from treecrf.rendering.style import ordered_training_methods, training_method_name

Row = dict[Any, Any]
"""A row of a frame: values by column."""

Rows = dict[tuple[Any, ...], Row]
"""Rows by the values of some columns."""


def by_key(frame: pd.DataFrame, *names: str) -> Rows:
    """The rows as dictionaries, by the values of `names`."""
    return {tuple(row[name] for name in names): row for row in frame.to_dict("records")}


def sorted_by_method(frame: pd.DataFrame) -> pd.DataFrame:
    """Data sets in the order of the frame, methods in the order of all tables."""
    datasets, methods = list(dict.fromkeys(frame["dataset"])), ordered_training_methods(frame["method"])
    places = zip(frame["dataset"].map(datasets.index), frame["method"].map(methods.index), strict=True)
    order = [row for _, row in sorted((place, row) for row, place in enumerate(places))]
    return frame.iloc[order].reset_index(drop=True)


def row_names(rows: pd.DataFrame) -> dict[tuple[str, str], Sequence[str | Cell]]:
    """Columns that say what rows are of."""
    return {("", "data set"): dataset_names(rows), ("", "method"): method_names(rows["method"])}


def method_names(methods: Iterable[str]) -> list[str]:
    return [training_method_name(method) for method in methods]
