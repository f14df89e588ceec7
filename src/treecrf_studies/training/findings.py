"""Findings of the training study: gaps to the best method, and accuracy against CPU time."""

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
from matplotlib.ticker import NullFormatter

from treecrf.io.messages import counted
from treecrf_studies.framework.comparisons import facing
from treecrf_studies.rendering.cells import seconds_text, with_and
from treecrf_studies.rendering.findings import WIDTH, Finding
from treecrf_studies.rendering.panels import MARKER_SIZES, label_points
from treecrf_studies.rendering.style import INK, SETTINGS, SMALL, training_method_name, training_method_style

NEAR_BEST = 2.0
"""Points below the best mean accuracy within which the quickest method is named."""

MARK = "*"
"""Beside the gaps that the test shows."""

COLORS = LinearSegmentedColormap.from_list("gap", ["#cfe5f2", "#f4c9a8", "#D55E00", "#6d2f00"])
DARK_FROM = 0.55
"""Of the colours from here on, the number is white."""

FARTHEST_GAP = 15.0
"""Points: gaps from here on have one colour."""


def gap_frame(ranks: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """How far each method is behind the best one of each data set.

    Parameters
    ----------
    ranks : DataFrame
        `treecrf_studies.training.ranking` of several data sets: dataset, method, value, rank.
    comparisons : DataFrame
        Tests between the methods with the preferred decoder, corrected over all pairs of a data set: dataset, method,
        other, decision.

    Returns
    -------
    DataFrame
        dataset, method, gap (points behind the best, 0 for it), is_best, is_shown (whether the test finds the best one
        better); methods with the smallest mean gap first, over the data sets that all of them have, else over their
        own.
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
    for dataset, method in best["method"].items() if len(comparisons) else ():
        behind = facing(comparisons[comparisons["dataset"] == dataset], method)
        worse |= {(dataset, other) for other in behind.loc[behind["decision"] == "better", "other"]}
    frame = frame.assign(is_shown=frame.set_index(["dataset", "method"]).index.isin(worse))
    table = frame.pivot_table(index="method", columns="dataset", values="gap")
    shared = table.dropna(axis="columns")
    means = (shared if shared.shape[1] else table).mean(axis="columns")
    order = frame["method"].map(means.rank(method="first"))
    return frame.loc[order.sort_values(kind="stable").index, names].reset_index(drop=True)


def gap_figure(frame: pd.DataFrame) -> Figure:
    """A cell for each method and data set: points behind the best one, `MARK` where the test shows it; empty where the
    method was not run.
    """
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
    best = frame[frame["is_best"]]
    by_method = best.groupby("method", sort=False)["dataset"].agg(lambda names: with_and(names))
    leaders = "; ".join(f"{training_method_name(str(method))} on {names}" for method, names in by_method.items())
    shown = frame[~frame["is_best"]].groupby("dataset", sort=False)["is_shown"].agg(["sum", "size"])
    marked = with_and(f"{row['sum']} of {row['size']} on {name}" for name, row in shown.iterrows())
    return f"Heat map of {counted(frame['method'].nunique(), 'method')} by data set. Best: {leaders}. Marked: {marked}."


def gap_caption(frame: pd.DataFrame) -> str:
    """What follows from `gap_figure`."""
    others = frame[~frame["is_best"]]
    return (
        f"{int(others['is_shown'].sum())} of {len(others)} gaps to the best are significant ({MARK}). Points, smallest "
        "mean first; FAQ sets count positions; tie: under 0.05; empty: not run."
    )


GAPS = Finding("Gaps to the best method", gap_figure, gap_caption, gap_alt)


def _draw_cell(axes: Axes, row: Mapping[Any, Any], column: int, line: int) -> None:
    depth = float(PowerNorm(0.5, 0.0, FARTHEST_GAP, clip=True)(row["gap"]))
    color = "#0072B2" if row["is_best"] else COLORS(depth)
    axes.add_patch(Rectangle((column - 0.48, line - 0.46), 0.96, 0.92, facecolor=color, linewidth=0))
    gap = f"{np.round(row['gap'], 1) + 0.0:.1f}"
    text = "best" if row["is_best"] else "tie" if gap == "0.0" else f"{gap}{MARK if row['is_shown'] else ''}"
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


# --- accuracy against seconds -----------------------------------------------------------------------


def cost_frame(summary: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy and CPU seconds of the methods of the training study, over the data sets that all of them have.

    Methods with the fewest data sets are left out until the others share one.

    Parameters
    ----------
    summary : DataFrame
        From `treecrf_studies.training.summary.make_frames`, of several data sets.

    Returns
    -------
    DataFrame
        method, accuracy (percent), seconds (of a training up to the chosen iteration, geometric mean), datasets (their
        names), is_optimal (whether no method is as accurate in fewer seconds); best first.
    """
    names = ["method", "accuracy", "seconds", "datasets", "is_optimal"]
    if summary.empty:
        return pd.DataFrame(columns=names)
    chosen = summary[summary["cpu_seconds"] > 0].rename(columns={"value": "accuracy"}).dropna(subset="accuracy")
    sets = chosen.groupby("method", sort=False)["dataset"].agg(set)
    while len(sets) and not set.intersection(*sets):
        sets = sets[sets.map(len) > sets.map(len).min()]
    shared = set.intersection(*sets) if len(sets) else set()
    chosen = chosen[chosen["method"].isin(sets.index)]
    rows = chosen[chosen["dataset"].isin(shared)]
    means = rows.assign(log=np.log(rows["cpu_seconds"])).groupby("method", sort=False)[["accuracy", "log"]].mean()
    means = means.sort_values(["accuracy", "log"], ascending=[False, True], kind="stable")
    return means.assign(
        seconds=np.exp(means["log"]),
        datasets=with_and(dict.fromkeys(rows["dataset"])),
        is_optimal=means["log"] < means["log"].cummin().shift(fill_value=np.inf),
    ).reset_index()[names]


def quickest_near(frame: pd.DataFrame) -> pd.Series:
    """The quickest method within `NEAR_BEST` points of the best one in `cost_frame`."""
    return frame[frame["accuracy"] >= frame["accuracy"].max() - NEAR_BEST].sort_values("seconds").iloc[0]


def cost_figure(frame: pd.DataFrame) -> Figure:
    """Mean accuracy against CPU seconds on a logarithmic axis, a named mark for each method; a line joins the methods
    that no other one beats in both.
    """
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        axes = figure.subplots()
        axes.set_xscale("log")
        styles = [training_method_style(method) for method in frame["method"]]
        front = frame[frame["is_optimal"]].sort_values("seconds")
        line = np.repeat(front[["seconds", "accuracy"]].to_numpy(), 2, axis=0)  # corners of the steps
        line = np.column_stack([line[1:, 0], line[:-1, 1]])
        axes.plot(*line.T, color=INK, linewidth=0.9, zorder=1)
        for row, style in zip(frame.to_dict("records"), styles, strict=True):
            size = 1.6 * MARKER_SIZES.get(style["marker"], 3.8)
            axes.plot(row["seconds"], row["accuracy"], **style | {"linestyle": "none"}, markersize=size)
        axes.set_xlim(frame["seconds"].min() / 2, frame["seconds"].max() * 2)
        axes.margins(y=0.08)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("CPU seconds of a training, geometric mean")
        axes.set_ylabel("mean accuracy (%)")
        axes.set_title("line: no other method is more accurate and quicker", fontsize=SMALL)
        names = [training_method_name(method) for method in frame["method"]]
        at = frame[["seconds", "accuracy"]].to_numpy()
        label_points(figure, axes, at, names, [style["color"] for style in styles], line)
    return figure


def cost_alt(frame: pd.DataFrame) -> str:
    """What `cost_figure` shows."""
    best, quick = frame.iloc[0], frame.iloc[frame["seconds"].argmin()]
    optimal = with_and(training_method_name(method) for method in frame.loc[frame["is_optimal"], "method"])
    return (
        f"{len(frame)} methods by mean accuracy and CPU seconds on {best['datasets']}. {_named(best)} is the most "
        f"accurate, {_named(quick)} the quickest. No other method beats these in both: {optimal}."
    )


def cost_caption(frame: pd.DataFrame) -> str:
    """What follows from `cost_figure`."""
    best, near = frame.iloc[0], quickest_near(frame)
    start = (
        f"{best['accuracy']:.2f} % is the highest mean over {best['datasets']} ({training_method_name(best['method'])})"
    )
    if near["method"] == best["method"]:
        return f"{start}; no quicker method is within {NEAR_BEST:g} points."
    return (
        f"{start}; {training_method_name(near['method'])} reaches {near['accuracy']:.2f} % in "
        f"{100 * near['seconds'] / best['seconds']:.2g} % of its CPU time."
    )


COSTS = Finding("Accuracy vs CPU time", cost_figure, cost_caption, cost_alt)


def _named(row: pd.Series) -> str:
    return f"{training_method_name(row['method'])} ({row['accuracy']:.1f} %, {seconds_text(row['seconds'])} s)"
