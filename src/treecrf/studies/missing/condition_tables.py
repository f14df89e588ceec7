"""Tables of treatments under other conditions than the papers': other trees, other mechanisms."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from treecrf.missing import MECHANISMS
from treecrf.rendering.cells import DAGGER, DASH, best_if, dataset_names, signed, with_deviation
from treecrf.rendering.style import method_name, ordered_methods
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf.studies.missing.ranking import best_of_trees, mean_accuracies, spreads, top_cells
from treecrf.studies.missing.trees import PAPERS, TREES

HEADINGS = {"trees": "trees", "mechanism": "cells are missing"}
"""Of the column that says under which condition, by its name in the frames."""

BEST_OF_BOTH = "best minus best"
"""Heading of the best method of one kind of trees minus that of another."""


def condition_texts(frame: pd.DataFrame) -> pd.Series:
    """The share of missing cells, and under which condition, of each row of evaluations, comparisons or costs."""
    text = (100 * frame["rate"]).map("{:g} % missing".format).astype(str)  # of no row at all too
    if "trees" in frame:
        text += ", " + frame["trees"].map(_tree_names())
    if "mechanism" in frame:
        text += ", " + frame["mechanism"].map({name: how.name for name, how in MECHANISMS.items()})
    return text


def comparison_texts(comparisons: pd.DataFrame) -> pd.Series:
    """The same with the baseline."""
    return condition_texts(comparisons) + " vs " + comparisons["baseline"].map(method_name).astype(str)


def trees_layout(evaluations: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Accuracy by data set, missing rate, kind of trees and method, and how much the choice of the method matters.

    Bold: the best mean of its row and those equivalent to it by the sequence-level test. Last column: the best mean minus the worst,
    with the 95 % interval; `DAGGER` as in the effects. Without rows where there is one kind of trees.
    """
    return _layout(evaluations, comparisons, "trees", _tree_names())


def tree_differences_layout(evaluations: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Accuracy with each other kind of trees minus that with the papers' trees, in points, with the 95 % interval.

    A column for each method, handled alike by both kinds; last column: the best method of the one minus the best of the other.
    `DAGGER` as in the effects. Without rows where there is one kind of trees.
    """
    headings = ["data set", "missing rate", HEADINGS["trees"]]
    if differences.empty:
        return _no_rows(headings)
    case = ["dataset", "rate", "trees"]
    against = differences[differences["baseline_trees"] == PAPERS]
    alike = against[against["baseline"] == against["method"]]
    best = best_of_trees(mean_accuracies(evaluations, case), against).assign(method=BEST_OF_BOTH)
    cells = {
        (*(row[part] for part in case), row["method"]): _with_interval(row)
        for row in pd.concat([alike, best]).to_dict("records")
    }
    compared = evaluations.merge(alike[case].drop_duplicates())
    rows = _sorted(compared[[*case, "stand_in"]].drop_duplicates(case), "trees", TREES)
    keys = list(rows[case].itertuples(index=False, name=None))
    columns = dict(zip(headings, (dataset_names(rows), _rates(rows), rows["trees"].map(_tree_names())), strict=True))
    for method in [*ordered_methods(alike["method"]), BEST_OF_BOTH]:
        columns[method_name(method)] = [cells.get((*key, method), DASH) for key in keys]
    return pd.DataFrame(columns)


def mechanisms_layout(evaluations: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """The same by data set and mechanism; without rows where no cells are missing not at random."""
    return _layout(evaluations, comparisons, "mechanism", {name: how.name for name, how in MECHANISMS.items()})


def _layout(evaluations: pd.DataFrame, comparisons: pd.DataFrame, name: str, shown: Mapping[str, str]) -> pd.DataFrame:
    """A row for each data set, rate and value of the column `name`, a column for each method."""
    headings = ["data set", "missing rate", HEADINGS[name]]
    if evaluations.empty:
        return _no_rows(headings)
    case = ["dataset", "rate", name]
    means = mean_accuracies(evaluations, case)
    rows = _sorted(evaluations[[*case, "stand_in"]].drop_duplicates(case), name, shown)
    top = top_cells(means, comparisons, case)
    cells = {
        tuple(row[:-3]): best_if(with_deviation(*row[-3:]), tuple(row[:-3]) in top)
        for row in means[[*case, "method", "percent", "deviation", "n_values"]].itertuples(index=False, name=None)
    }
    found = spreads(means, comparisons, case).to_dict("records")
    differences = {tuple(row[part] for part in case): _with_interval(row) for row in found}
    keys = list(rows[case].itertuples(index=False, name=None))
    columns = {"data set": dataset_names(rows), "missing rate": _rates(rows)}
    columns[HEADINGS[name]] = [shown.get(value, value) for value in rows[name]]
    for method in ordered_methods(means["method"]):
        columns[method_name(method)] = [cells.get((*key, method), DASH) for key in keys]
    columns["best minus worst"] = [differences.get(key, DASH) for key in keys]
    return pd.DataFrame(columns)


def _tree_names() -> dict[str, str]:
    return {name: kind.name for name, kind in TREES.items()}


def _no_rows(headings: Iterable[str]) -> pd.DataFrame:
    return pd.DataFrame({heading: pd.Series(dtype=str) for heading in headings})


def _rates(rows: pd.DataFrame) -> list[str]:
    return [f"{100 * rate:g} %" for rate in rows["rate"]]


def _sorted(rows: pd.DataFrame, name: str, shown: Iterable[str]) -> pd.DataFrame:
    """Data sets in the order of the frame, rates from small to large, values of `name` in the order in which they are shown."""
    orders = {"dataset": list(dict.fromkeys(rows["dataset"])), name: list(shown)}
    return rows.sort_values(
        ["dataset", "rate", name],
        key=lambda column: column.map(orders[column.name].index) if column.name in orders else column,
        ignore_index=True,
    )


def _with_interval(row: Mapping[Hashable, Any]) -> str:
    dagger = DAGGER if row["valid_p_holm"] < SIGNIFICANCE_LEVEL else ""
    points, low, high = (signed(row[name]) for name in ("accuracy_points", "holm_low", "holm_high"))
    return f"{points}{dagger}" if pd.isna(row["holm_low"]) else f"{points}{dagger} [{low}, {high}]"
