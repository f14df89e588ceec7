"""Rows of the tables of training and cost: in which order, what they are called, the published ones beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from treecrf.rendering.cells import DASH, PUBLISHED_FOR, dataset_names
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


def row_names(rows: pd.DataFrame, known: Sequence[Row | None]) -> dict[tuple[str, str], list[str]]:
    """Columns that say what rows are of; with the set of the papers where one is not the row's own."""
    columns = {("", "data set"): dataset_names(rows)}
    if any(row and row["dataset"] != name for row, name in zip(known, rows["dataset"], strict=True)):
        columns["", "published for"] = [row["dataset"] if row else DASH for row in known]
    columns["", "method"] = method_names(rows["method"])
    return columns


def published_of(datasets: Iterable[str], methods: Iterable[str], published: pd.DataFrame) -> list[Row | None]:
    """The published row for each data set, or the one it stands in for, and method; None where there is none."""
    printed = by_key(published, "dataset", "method")
    return [printed.get((source_of(name), method)) for name, method in zip(datasets, methods, strict=True)]


def method_names(methods: Iterable[str]) -> list[str]:
    return [training_method_name(method) for method in methods]


def source_of(dataset: str) -> str:
    """The data set of the papers that a data set is shown beside."""
    return PUBLISHED_FOR.get(dataset, dataset)
