"""Tables of the study of missing values (PhD chapter 4): text in cells, as HTML and as LaTeX.

Every layout has a row per data set and missing rate, or per data set, missing rate and method. A cell that has no
value shows a dash.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treecrf.missing import MECHANISMS
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf.statistics.two_way import BLOCK, GROUP
from treecrf_studies.framework.tables import MEASURED, PUBLISHED, Block, Column, Row, by_key, printed_layout
from treecrf_studies.missing.methods import PAPERS, TREES
from treecrf_studies.missing.ranking import CASE, best_of_trees, mean_accuracies, spreads, top_cells
from treecrf_studies.rendering.cells import (
    DAGGER,
    DASH,
    STAR,
    cell_texts,
    count_text,
    dataset_names,
    grouped,
    marked_if,
    number,
    p_value_text,
    seconds_text,
    signed,
    with_deviation,
)
from treecrf_studies.rendering.style import method_name, ordered_methods


@cache
def missing_value_coefficients() -> pd.DataFrame:
    """Published log odds of the methods for missing values against the baseline (PhD tables 4.1 a to d).

    dataset, rate, other (the baseline), method, coefficient, significant (the star: p < 0.05).
    """
    printed = pd.read_csv(Path(__file__).with_name("published") / "table_4_1_missing_values.csv", encoding="utf-8")
    return printed.rename(columns={"missing_rate": "rate", "baseline": "other"})


PHASES_APART = {"prediction": "prediction", "choice": "choice of settings"}
"""Phases that are no part of a training, with the heading of their columns."""


def training_costs(costs: pd.DataFrame) -> pd.DataFrame:
    """The costs of the trainings with the chosen settings: without `PHASES_APART`."""
    return costs[~costs["phase"].isin(PHASES_APART)]


NOT_COMPARED = pd.DataFrame({"data set": pd.Series(dtype=str)})
"""The layout of comparisons with a method that none was compared with."""

CLUSTER_NAMES = {GROUP: "groups of sequences", BLOCK: "blocks of these documents' lines"}

OF_LINES = " (other lines of these documents only)"
"""After a data set that is compared by blocks of lines."""

LETTERS = {"protein": "(a)", "nettalk": "(b)", "hyphen": "(c)", "faq_ai_general": "(d)"}
"""Parts of table 4.1."""

OF_PAPERS, OTHERS = "methods of the dissertation", "other methods"
"""Groups of columns of table 4.1."""

HEADINGS = {"trees": "trees", "mechanism": "cells are missing"}
"""Of the column that says under which condition, by its name in the frames."""

BEST_OF_BOTH = "best minus best"
"""Heading of the best method of one kind of trees minus that of another."""

TERM_NAMES = {"constant": "constant only", "training_set": "training set", "method": "method"}


# --- layouts ----------------------------------------------------------------------------------------


def coefficients_layout(comparisons: pd.DataFrame, baseline: str, of_papers: bool = True) -> pd.DataFrame:
    """Tables 4.1 a to d as printed: the log odds of methods against `baseline`, measured under published, a block for
    each data set and rate.

    Methods that the dissertation does not have are in a group of their own. `STAR`: p < 0.05 by the Wald test, as in
    the dissertation. `DAGGER`: p < 0.05 by the sequence-level test (`treecrf.statistics.blocks`), corrected by Holm's
    method. All p-values are in `significance_layout`. Without `of_papers` nothing published is shown.
    """
    against, published = _against(comparisons, baseline), missing_value_coefficients()
    if against.empty:
        return NOT_COMPARED
    rows, methods = _rows(against, ["dataset", "rate"]), ordered_methods(against["method"])
    is_known = (published["other"] == baseline) & published["dataset"].isin(rows["dataset"])
    known = published[is_known & of_papers]
    printed, measured = by_key(known, "dataset", "rate", "method"), by_key(against, "dataset", "rate", "method")
    groups = {OF_PAPERS: [m for m in methods if m in set(known["method"])], OTHERS if of_papers else "": methods}
    columns: dict[Column, str] = {}
    for group, names in groups.items():
        columns |= {(group, method_name(name)): name for name in names if name not in columns.values()}
    blocks: list[Block] = []
    for row, name, rate in zip(rows.itertuples(), _scoped_names(rows, against), _rates(rows), strict=True):
        texts = {
            column: _published(printed.get((row.dataset, row.rate, method)))
            | _measured(measured.get((row.dataset, row.rate, method)))
            for column, method in columns.items()
        }
        letter = LETTERS.get(str(row.dataset)) if row.dataset in set(known["dataset"]) else None
        shown = f"{letter} {name}" if letter else name
        blocks.append(((shown, rate), texts))
    return printed_layout(["data set", "missing rate"], list(columns), blocks)


def significance_layout(of_papers: pd.DataFrame, comparisons: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Every test of every method against `baseline`: those of the binomial model, which take positions as independent,
    and a valid one.

    The valid one is on the papers' damaged sets, and on all where there are more.
    """
    against = _against(of_papers, baseline)
    if against.empty:
        return NOT_COMPARED
    against, of_all = _sorted_by_method(against), _sorted_by_method(_against(comparisons, baseline))
    model = "by the binomial model"
    columns = {("", heading): texts for heading, texts in _methods_of_rows(against).items()}
    columns[model, "log odds"] = cell_texts(against["coefficient"], _coefficient)
    columns[model, "standard error"] = cell_texts(against["coefficient_standard_error"], _coefficient)
    columns[model, "p, Wald"] = cell_texts(against["papers_p"], p_value_text)
    columns[model, "p, Holm"] = cell_texts(against["papers_p_holm"], p_value_text)
    columns[model, "p, likelihood ratio"] = cell_texts(against["likelihood_ratio_p_value"], p_value_text)
    valid = {"by the sequence-level test": against}
    if not of_all["n_training_sets"].equals(against["n_training_sets"]):
        valid["by the sequence-level test on all damaged sets"] = of_all
    for heading, tested in valid.items():
        columns[heading, "points"] = cell_texts(tested["value"], signed)
        columns[heading, "standard error"] = cell_texts(tested["standard_error"], number)
        columns[heading, "df"] = cell_texts(tested["degrees_of_freedom"], lambda value: number(value, 1))
        columns[heading, "p"] = cell_texts(tested["p_value"], p_value_text)
        columns[heading, "p, Holm"] = cell_texts(tested["p_holm"], p_value_text)
        columns[heading, "decision"] = list(tested["decision"])
        columns[heading, "over"] = _crossed(tested)
    return grouped(columns)


def effects_layout(comparisons: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Accuracy of every method minus that of `baseline`, in points, with its 95 % interval of the family; a column per
    method.

    `DAGGER`: p < 0.05 by the sequence-level test with Holm's correction. Data sets have `OF_LINES` where blocks of
    lines take the place of sequences.
    """
    against = _against(comparisons, baseline)
    if against.empty:
        return NOT_COMPARED
    rows = _rows(against, ["dataset", "rate"])
    columns = {"data set": _scoped_names(rows, against), "missing rate": _rates(rows)}
    for method in ordered_methods(against["method"]):
        points = _aligned(against[against["method"] == method], rows)
        values = points[["value", "family_low", "family_high", "p_holm"]].to_numpy(dtype=float)
        columns[method_name(method)] = [_with_interval(*row) for row in values]
    return pd.DataFrame(columns)


def accuracy_layout(evaluations: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation of the accuracy in percent; the best mean of each row and those equivalent
    to it have a mark.

    A single evaluation has no standard deviation. Means that look the same in print are equal.
    """
    rows, means = _rows(evaluations, ["dataset", "rate"]), mean_accuracies(evaluations)
    top = top_cells(means, comparisons)
    columns = {"data set": dataset_names(rows), "missing rate": _rates(rows)}
    for method in ordered_methods(means["method"]):
        aligned = _aligned(means[means["method"] == method], rows)
        columns[method_name(method)] = [
            marked_if(with_deviation(*values), (dataset, rate, method) in top)
            for dataset, rate, *values in aligned[[*CASE, "value", "sd", "n"]].itertuples(index=False, name=None)
        ]
    return pd.DataFrame(columns)


def costs_layout(costs: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds by data set, missing rate and method, and how many times the cheapest method's they are.

    Means over the training sets; a training is all phases but `PHASES_APART`, which have columns of their own. The
    methods choose different numbers of iterations: hence the group "one iteration"; a method without has a dash.
    """
    names = ["dataset", "rate", "method", "draw"]
    groups = costs.assign(phase=costs["phase"].where(costs["phase"].isin(PHASES_APART), "training"))
    seconds = groups.pivot_table(index=names, columns="phase", values="cpu_seconds", aggfunc="sum")
    several = costs.groupby("method")["n_iterations"].transform("max") > 1  # other methods have none to speak of
    trained = costs[~costs["phase"].isin(PHASES_APART) & several]
    seconds["iterations"] = trained.groupby(names)["n_iterations"].first()
    if "training" in seconds:
        seconds["one iteration"] = seconds["training"] / seconds["iterations"]
    means = seconds.groupby(names[:3]).mean().reset_index()
    rows = _sorted_by_method(_rows(costs, names[:3]))
    means = rows.merge(means, on=names[:3], how="left", validate="one_to_one")
    columns = {("", heading): texts for heading, texts in _methods_of_rows(rows).items()}
    headings = {"training": "training", "one iteration": "one iteration", **PHASES_APART}
    for phase, heading in headings.items():
        if phase not in means:
            continue
        if phase == "training":
            columns[heading, "iterations"] = cell_texts(means["iterations"], lambda value: number(value, 1))
        columns[heading, "CPU s"] = cell_texts(means[phase], seconds_text)
        cheapest = means.groupby(names[:2])[phase].transform("min")
        columns[heading, "ratio"] = cell_texts(means[phase] / cheapest.where(cheapest > 0), number)
    return grouped(columns)


def variances_layout(variances: pd.DataFrame) -> pd.DataFrame:
    """Variance components: points of accuracy of one method that each component makes up, by data set and rate."""
    rows = _rows(variances, ["dataset", "rate"])
    columns = {"data set": dataset_names(rows), "missing rate": _rates(rows)}
    columns["clusters are"] = list(_aligned(variances.drop_duplicates(["dataset", "rate"]), rows)["cluster"])
    for component in variances["component"].unique():
        of_component = _aligned(variances[variances["component"] == component], rows)
        columns[_component_name(component)] = cell_texts(of_component["accuracy_points"], number)
    return pd.DataFrame(columns)


def deviance_layout(deviance: pd.DataFrame) -> pd.DataFrame:
    """Analysis of deviance: what the training set and then the method take off the deviance of a constant, and what
    remains.
    """
    added, left = "added by the term", "residual of the model"
    return grouped(
        {
            ("", "data set"): dataset_names(deviance),
            ("", "missing rate"): _rates(deviance),
            ("", "damaged sets"): [
                f"{n_training_sets} × {n_test_sets}"
                for n_training_sets, n_test_sets in zip(
                    deviance["n_training_sets"], deviance["n_test_sets"], strict=True
                )
            ],
            ("", "term"): [TERM_NAMES.get(term, term) for term in deviance["term"]],
            (added, "df"): cell_texts(deviance["degrees_of_freedom"], count_text),
            (added, "deviance"): cell_texts(deviance["deviance"], number),
            (added, "p, chi-square"): cell_texts(deviance["p_value"], p_value_text),
            (added, "F"): cell_texts(deviance["f"], number),
            (added, "p, F"): cell_texts(deviance["f_p_value"], p_value_text),
            (left, "df"): cell_texts(deviance["residual_degrees_of_freedom"], count_text),
            (left, "deviance"): cell_texts(deviance["residual_deviance"], number),
            (left, "deviance / df"): cell_texts(deviance["dispersion"], number),
            (left, "Pearson / df"): cell_texts(deviance["pearson_dispersion"], number),
        }
    )


# --- trees and mechanisms -----------------------------------------------------------------------------


def condition_texts(frame: pd.DataFrame) -> pd.Series:
    """The share of missing cells, and under which condition, of each row of evaluations, comparisons or costs."""
    text = (100 * frame["rate"]).map("{:g} % missing".format).astype(str)  # of no row at all too
    if "trees" in frame:
        text += ", " + frame["trees"].map(_tree_names())
    if "mechanism" in frame:
        text += ", " + frame["mechanism"].map({name: how.name for name, how in MECHANISMS.items()})
    return text


def beside_coefficients(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Every published coefficient beside the measured one, as the explorer shows published numbers."""
    printed = missing_value_coefficients().rename(columns={"coefficient": "published"})
    rows = comparisons.merge(printed[["dataset", "rate", "method", "other", "published"]])
    half = 1.96 * rows["clustered_standard_error"]
    return rows.assign(
        variant=condition_texts(rows) + " vs " + rows["other"].map(method_name).astype(str),
        quantity="log odds vs the baseline",
        source="PhD table 4.1",
        measured=rows["coefficient"],
        low=rows["coefficient"] - half,
        high=rows["coefficient"] + half,
    )


def trees_layout(evaluations: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Accuracy by data set, missing rate, kind of trees and method, and how much the choice of the method matters.

    Bold: the best mean of its row and those equivalent to it by the sequence-level test. Last column: the best mean
    minus the worst, with the 95 % interval; `DAGGER` as in the effects. Without rows where there is one kind of trees.
    """
    return _layout(evaluations, comparisons, "trees", _tree_names())


def tree_differences_layout(evaluations: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Accuracy with each other kind of trees minus that with the papers' trees, in points, with the 95 % interval.

    A column for each method, handled alike by both kinds; last column: the best method of the one minus the best of the
    other. `DAGGER` as in the effects. Without rows where there is one kind of trees.
    """
    headings = ["data set", "missing rate", HEADINGS["trees"]]
    if differences.empty:
        return _no_rows(headings)
    case = ["dataset", "rate", "trees"]
    against = differences[differences["other_trees"] == PAPERS]
    alike = against[against["other"] == against["method"]]
    best = best_of_trees(mean_accuracies(evaluations, case), against).assign(method=BEST_OF_BOTH)
    cells = {
        (*(row[part] for part in case), row["method"]): _difference(row)
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
        tuple(row[:-3]): marked_if(with_deviation(*row[-3:]), tuple(row[:-3]) in top)
        for row in means[[*case, "method", "value", "sd", "n"]].itertuples(index=False, name=None)
    }
    spread_rows = spreads(means, comparisons, case).to_dict("records")
    differences = {tuple(row[part] for part in case): _difference(row) for row in spread_rows}
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


def _sorted(rows: pd.DataFrame, name: str, shown: Iterable[str]) -> pd.DataFrame:
    """Data sets in the order of the frame, rates from small to large, values of `name` in the order in which they are
    shown.
    """
    orders = {"dataset": list(dict.fromkeys(rows["dataset"])), name: list(shown)}
    return rows.sort_values(
        ["dataset", "rate", name],
        key=lambda column: column.map(orders[column.name].index) if column.name in orders else column,
        ignore_index=True,
    )


def _difference(row: Mapping[Hashable, Any]) -> str:
    return _with_interval(*(float(row[name]) for name in ("value", "family_low", "family_high", "p_holm")))


# --- rows -------------------------------------------------------------------------------------------


def _against(comparisons: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """The comparisons with `baseline`."""
    return comparisons[(comparisons["other"] == baseline) & (comparisons["method"] != baseline)]


def _rows(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """One row per combination of `names`: data sets in the order of the frame, rates from small to large."""
    rows = frame[[*names, "stand_in"]].drop_duplicates(names)
    return rows.sort_values(["dataset", "rate"], key=_order, kind="stable", ignore_index=True)


def _sorted_by_method(frame: pd.DataFrame) -> pd.DataFrame:
    """Data sets in the order of the frame, rates from small to large, methods in the order of `ordered_methods`."""
    return frame.sort_values(["dataset", "rate", "method"], key=_order, kind="stable", ignore_index=True)


def _order(column: pd.Series) -> pd.Series:
    if column.name == "dataset":
        return pd.Series(pd.factorize(column)[0], index=column.index)
    if column.name == "method":
        return column.map(ordered_methods(column).index)
    return column


def _aligned(frame: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The row of `frame` for each of `rows`, NaN where there is none."""
    values = frame.drop(columns="stand_in", errors="ignore")
    return rows[["dataset", "rate"]].merge(values, on=["dataset", "rate"], how="left", validate="one_to_one")


def _methods_of_rows(rows: pd.DataFrame) -> dict[str, Sequence[str]]:
    names = [method_name(method) for method in rows["method"]]
    return {"data set": dataset_names(rows), "missing rate": _rates(rows), "method": names}


def _scoped_names(rows: pd.DataFrame, against: pd.DataFrame) -> list[str]:
    """Names of data sets, and of those that are compared by blocks of lines what that speaks about."""
    of_lines = set(against.loc[against["cluster"] == BLOCK, "dataset"])
    names = zip(dataset_names(rows), rows["dataset"], strict=True)
    return [f"{shown}{OF_LINES}" if name in of_lines else shown for shown, name in names]


def _component_name(component: str) -> str:
    return component.replace("sequence", "cluster").replace("training_set", "training set").replace(" x ", " × ")


def _rates(rows: pd.DataFrame) -> list[str]:
    return [f"{100 * rate:g} %" for rate in rows["rate"]]


# --- cells ------------------------------------------------------------------------------------------


def _published(row: Row | None) -> dict[str, str]:
    return {PUBLISHED: _coefficient(row["coefficient"]) + STAR * bool(row["significant"])} if row else {}


def _measured(row: Row | None) -> dict[str, str]:
    if row is None:
        return {}
    tests = ((STAR, row["papers_p"]), (DAGGER, row["p_holm"]))
    marks = "".join(mark for mark, p_value in tests if p_value < SIGNIFICANCE_LEVEL)
    return {MEASURED: _coefficient(row["coefficient"]) + marks}


def _coefficient(value: float) -> str:
    """Three decimals; what rounds to zero has no sign."""
    if np.isinf(value):
        return _infinite(value)
    return number(round(value, 3) or 0.0, 3).replace("-", "−")


def _points(value: float) -> str:
    return _infinite(value, plus="+") if np.isinf(value) else signed(value)


def _infinite(value: float, plus: str = "") -> str:
    return f"{plus}∞" if value > 0 else "−∞"


def _with_interval(middle: float, low: float, high: float, p_value: float) -> str:
    dagger = DAGGER if p_value < SIGNIFICANCE_LEVEL else ""
    if np.isnan(low) and np.isnan(high):
        return _points(middle) + dagger
    return f"{_points(middle)}{dagger} [{_points(low)}, {_points(high)}]"


def _crossed(rows: pd.DataFrame) -> list[str]:
    """What the sequence-level test takes as random."""
    texts = []
    for row in rows[["cluster", "n_clusters", "n_training_sets"]].to_dict("records"):
        clusters = f"{row['n_clusters']} {CLUSTER_NAMES[row['cluster']]}"
        sets = (
            f" × {row['n_training_sets']} training sets" if row["n_training_sets"] > 1 else ", this training set only"
        )
        texts.append(clusters + sets)
    return texts
