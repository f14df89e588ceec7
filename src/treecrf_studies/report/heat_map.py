"""Methods by data sets: how far each method is behind the best one, and whether the test shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, PowerNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from treecrf.io.messages import counted
from treecrf_studies.framework.comparisons import facing
from treecrf_studies.rendering.cells import with_and
from treecrf_studies.rendering.panels import sentence_figure
from treecrf_studies.rendering.style import SETTINGS, SMALL, training_method_name
from treecrf_studies.training.choices import BETTER

MARK = "*"
"""Beside the gaps that the test shows."""

COLORS = LinearSegmentedColormap.from_list("gap", ["#cfe5f2", "#f4c9a8", "#D55E00", "#6d2f00"])
DARK_FROM = 0.55
"""Of the colours from here on, the number is white."""

FAR = 15.0
"""Points: gaps from here on have one colour."""


def gap_frame(ranks: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """How far each method is behind the best one of each data set.

    Parameters
    ----------
    ranks : DataFrame
        `treecrf_studies.training.ranking` of several data sets: dataset, method, value, rank.
    comparisons : DataFrame
        Tests between the methods, corrected over all pairs of a data set: dataset, decoder, method, other, decision.

    Returns
    -------
    DataFrame
        dataset, method, gap (points behind the best, 0 for it), is_best, is_shown (whether the test finds the best one
        better); methods with the smallest mean gap first, over the data sets that all of them have, else over their own.
    """
    names = ["dataset", "method", "gap", "is_best", "is_shown"]
    if ranks.empty:
        return pd.DataFrame(columns=names)
    best = ranks.sort_values("rank", kind="stable").groupby("dataset", sort=False)[["method", "value"]].first()
    gap = ranks["dataset"].map(best["value"]) - ranks["value"]
    frame = ranks[["dataset", "method"]].assign(
        gap=gap, is_best=ranks["method"] == ranks["dataset"].map(best["method"])
    )
    worse = set()
    tests = comparisons[comparisons["decoder"] == BETTER] if len(comparisons) else comparisons
    for dataset, method in best["method"].items() if len(tests) else ():
        behind = facing(tests[tests["dataset"] == dataset], method)
        worse |= {(dataset, other) for other in behind.loc[behind["decision"] == "better", "other"]}
    pairs = zip(frame["dataset"], frame["method"], strict=True)
    frame = frame.assign(is_shown=[pair in worse for pair in pairs])
    table = frame.pivot_table(index="method", columns="dataset", values="gap")
    shared = table.dropna(axis="columns")
    order = (shared if shared.shape[1] else table).mean(axis="columns").sort_values(kind="stable").index
    place = frame["method"].map({method: index for index, method in enumerate(order)})
    return frame.assign(place=place).sort_values("place", kind="stable", ignore_index=True)[names]


def gap_figure(frame: pd.DataFrame) -> Figure:
    """A cell for each method and data set: points behind the best one, `MARK` where the test shows it; empty where the
    method was not run.
    """
    if frame.empty:
        return sentence_figure("No methods were compared.")
    methods = list(dict.fromkeys(frame["method"]))
    n_methods = frame.groupby("dataset")["method"].nunique()
    datasets = sorted(dict.fromkeys(frame["dataset"]), key=lambda name: -n_methods[name])
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(2.5 + 0.62 * len(datasets), 0.85 + 0.235 * len(methods)), layout="constrained")
        axes = figure.subplots()
        for row in frame.to_dict("records"):
            _draw_cell(axes, row, datasets.index(row["dataset"]), methods.index(row["method"]))
        axes.set(xlim=(-0.5, len(datasets) - 0.5), ylim=(len(methods) - 0.5, -0.5))
        axes.set_yticks(range(len(methods)), [training_method_name(method) for method in methods])
        axes.set_xticks(range(len(datasets)), [name.replace("_", "_\n", 1) for name in datasets], fontsize=SMALL)
        axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
        axes.grid(visible=False)
        for side in axes.spines.values():
            side.set_visible(False)
    return figure


def gap_alt(frame: pd.DataFrame) -> str:
    """What `gap_figure` shows."""
    if frame.empty:
        return "No methods were compared."
    best = frame[frame["is_best"]]
    by_method = best.groupby("method", sort=False)["dataset"].agg(lambda names: with_and(names))
    leaders = "; ".join(f"{training_method_name(str(method))} on {names}" for method, names in by_method.items())
    shown = frame[~frame["is_best"]].groupby("dataset", sort=False)["is_shown"].agg(["sum", "size"])
    marked = with_and(f"{row['sum']} of {row['size']} on {name}" for name, row in shown.iterrows())
    return f"Heat map of {counted(frame['method'].nunique(), 'method')} by data set. Best: {leaders}. Marked: {marked}."


def gap_caption(frame: pd.DataFrame) -> str:
    """What follows from `gap_figure`."""
    if frame.empty:
        return "No methods were compared."
    others = frame[~frame["is_best"]]
    return (
        f"{int(others['is_shown'].sum())} of {len(others)} gaps to the best method are shown by the test ({MARK}). "
        "Cells: points behind the best; empty: not run."
    )


def _draw_cell(axes: Axes, row: Mapping[Any, Any], column: int, line: int) -> None:
    depth = float(PowerNorm(0.5, 0.0, FAR, clip=True)(row["gap"]))
    color = "#0072B2" if row["is_best"] else COLORS(depth)
    axes.add_patch(Rectangle((column - 0.48, line - 0.46), 0.96, 0.92, facecolor=color, linewidth=0))
    text = "best" if row["is_best"] else f"{_one_digit(row['gap'])}{MARK if row['is_shown'] else ''}"
    axes.text(
        column,
        line + 0.02,
        text,
        ha="center",
        va="center",
        fontsize=SMALL,
        color="#ffffff" if row["is_best"] or depth > DARK_FROM else "#202020",
        weight="bold" if row["is_shown"] or row["is_best"] else "normal",
    )


def _one_digit(gap: float) -> str:
    return f"{np.round(gap, 1) + 0.0:.1f}"
