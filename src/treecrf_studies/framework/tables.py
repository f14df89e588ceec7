"""Tables of studies: rows by their keys, in the order of all tables, and blocks with measured values under the
published one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from treecrf_studies.rendering.cells import DASH, dataset_names
from treecrf_studies.rendering.style import ordered_training_methods, training_method_name

PUBLISHED, MEASURED = "published", "measured"
PEAK, END = "peak of the test curve", "at the end of training"
CHOICE, SPREAD = "cross-validated choice", "cross-validated choice, mean ± sd"
LINES = (PUBLISHED, MEASURED, PEAK, END, CHOICE, SPREAD)
"""Lines of a block in their order.

Published accuracies are peaks; those of methods without one are at the end of training.
"""

Column = str | tuple[str, str]

Block = tuple[tuple[str, ...], Mapping[Column, Mapping[str, str]]]
"""What the lines of a block are of, and its texts by column and line."""


def printed_layout(
    headings: Sequence[str], columns: Sequence[Column], blocks: Sequence[Block], lines: Sequence[str] = LINES
) -> pd.DataFrame:
    """Blocks, one under another, with the lines that have a text in any column.

    `headings` are of the columns that say what a block is of, as many as it has names; `columns` are of the values;
    `lines` are in their order. The layout has `headings`, "values" (the line) and `columns`, in two lines of headings
    where columns have groups, and a `DASH` where a line has no text.
    """
    rows = [
        (*names, line, *(texts.get(column, {}).get(line, DASH) for column in columns))
        for names, texts in blocks
        for line in lines
    ]
    n_words = len(headings) + 1
    filled = [row for row in rows if set(row[n_words:]) - {DASH}]
    frame = pd.DataFrame(filled, columns=range(n_words + len(columns)), dtype=object)
    heads = [*headings, "values", *columns]
    if any(isinstance(head, tuple) for head in heads):
        pairs = [head if isinstance(head, tuple) else ("", head) for head in heads]
        return frame.set_axis(pd.MultiIndex.from_tuples(pairs), axis=1)
    return frame.set_axis(heads, axis=1)


# --- rows -------------------------------------------------------------------------------------------

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


def columns_by_dataset(rows: pd.DataFrame, methods: Sequence[str], text: Callable[[Row], str]) -> dict[str, list[str]]:
    """A column for each data set, by what readers see of it: the text of each method's row, a `DASH` without one."""
    cells = by_key(rows, "dataset", "method")
    return {
        str(name): [text(cells[dataset, method]) if (dataset, method) in cells else DASH for method in methods]
        for dataset, name in dict(zip(rows["dataset"], dataset_names(rows), strict=True)).items()
    }


def row_names(rows: pd.DataFrame) -> dict[tuple[str, str], Sequence[str]]:
    """Columns that say what rows are of."""
    return {("", "data set"): dataset_names(rows), ("", "method"): method_names(rows["method"])}


def method_names(methods: Iterable[str]) -> list[str]:
    return [training_method_name(method) for method in methods]
