"""Figures of the first page: measured against published accuracies, and accuracy against the cost of a training.

Each has a function for its frame, one for the figure, and what is seen and what follows from it in words.
"""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from treecrf_studies.framework.views import CEILING, NEAR, distinct_accuracies
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import seconds_text, signed, with_and
from treecrf_studies.rendering.labels import label_points
from treecrf_studies.rendering.panels import MARKER_SIZES, sentence_figure
from treecrf_studies.rendering.style import INK, SETTINGS, training_method_name, training_method_style
from treecrf_studies.training.choices import BETTER

TABLE_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#c48600", "#3a96cc")
"""Of tables, in their order."""

NOT_COUNTED = "not counted"
"""Column that says why a published accuracy is not counted."""

TABLE_MARKERS = "osD^vP"

BAND = "#8888882e"
"""Between one point less and one point more."""

NEAR_BEST = 2.0
"""Points below the best mean accuracy within which the quickest method is named."""

WIDTH = 6.8
"""Inches: text has its size on pages of some 650 points."""


# --- published against measured ---------------------------------------------------------------------


def published_frame(published: pd.DataFrame) -> pd.DataFrame:
    """The distinct accuracies of the papers and the measured ones of the same quantity.

    Parameters
    ----------
    published : DataFrame
        From `treecrf_studies.framework.views.published_values`.

    Returns
    -------
    DataFrame
        source (the table), dataset, method (what readers see), published, measured (percent), not counted (why not, empty
        for those that are).
    """
    pairs = distinct_accuracies(published)
    shown = pairs.assign(method=shown_methods(pairs), measured=pairs["published"] + pairs["away"])
    shown = shown.rename(columns={"kind": NOT_COUNTED})
    names = ["source", "dataset", "method", "published", "measured", NOT_COUNTED]
    return shown[names].sort_values("source", kind="stable", ignore_index=True)


def shown_methods(rows: pd.DataFrame) -> list[str]:
    """What readers see of the methods of rows with columns study and method."""
    names = {study.name: study.function(study.names) for study in registry() if study.names}
    return [
        names[study](method) if study in names else method for study, method in rows[["study", "method"]].to_numpy()
    ]


def published_figure(frame: pd.DataFrame) -> Figure:
    """Left: measured against published accuracy, a mark for each published number, the diagonal and one point to either
    side. Right: measured minus published, a row for each table.

    Filled marks are counted; colours and marks of the tables are those of the rows.
    """
    if frame.empty:
        return sentence_figure("This run has measured none of the published accuracies.")
    sources = list(dict.fromkeys(frame["source"]))
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, 3.5), layout="constrained")
        both, away = figure.subplots(1, 2)
        low = min(frame["published"].min(), frame["measured"].min()) - 2.0
        both.fill_between([low, 101], [low - NEAR, 101 - NEAR], [low + NEAR, 101 + NEAR], color=BAND, linewidth=0)
        both.plot([low, 101], [low, 101], color=INK, linewidth=0.8)
        away.axvspan(-NEAR, NEAR, color=BAND, linewidth=0)
        away.axvline(0, color=INK, linewidth=0.8)
        for place, source in enumerate(sources):
            rows = frame[frame["source"] == source]
            _draw_pairs(both, rows["published"], rows["measured"], rows[NOT_COUNTED] == "", place)
            _draw_pairs(
                away, rows["measured"] - rows["published"], _side_by_side(rows, place), rows[NOT_COUNTED] == "", place
            )
        both.set(xlim=(low, 101), ylim=(low, 101), xlabel="published accuracy (%)", ylabel="measured accuracy (%)")
        both.set_aspect("equal")
        away.set_yticks(range(len(sources)), sources)
        away.set_ylim(len(sources) - 0.5, -0.5)
        away.grid(visible=False, axis="y")
        away.tick_params(axis="y", length=0)
        away.set_xlabel("measured minus published (points)")
    return figure


def published_alt(frame: pd.DataFrame) -> str:
    """What `published_figure` shows."""
    if frame.empty:
        return "No published accuracy was measured."
    away = frame["measured"] - frame["published"]
    farthest = away.abs().argmax()
    far = frame.iloc[farthest]
    return (
        f"{len(frame)} marks along the diagonal, from {frame['published'].min():.1f} % to "
        f"{frame['published'].max():.1f} % published. Of the filled ones, {_n_near(frame)} lie within {NEAR:g} point of it. "
        f"The farthest of all is {signed(away.iloc[farthest])} points away: {far['method']} on "
        f"{far['dataset']} ({far['source']})."
    )


def published_caption(frame: pd.DataFrame) -> str:
    """What follows from `published_figure`."""
    return (
        f"{_n_near(frame)} published accuracies are met within {NEAR:g} point. Hollow marks are not counted: inferred "
        f"columns, no peak measured, or at least {CEILING:g} % published."
    )


def _n_near(frame: pd.DataFrame) -> str:
    counted = frame[frame[NOT_COUNTED] == ""]
    return f"{int(((counted['measured'] - counted['published']).abs() <= NEAR).sum())} of {len(counted)}"


def _draw_pairs(axes: Axes, x: pd.Series, y: pd.Series, counted: pd.Series, place: int) -> None:
    color = TABLE_COLORS[place % len(TABLE_COLORS)]
    marker = TABLE_MARKERS[place % len(TABLE_MARKERS)]
    for inside, shown in ((color, counted), ("none", ~counted)):
        axes.scatter(
            x[shown], y[shown], s=16, marker=marker, facecolors=inside, edgecolors=color, linewidths=0.8, zorder=3
        )


def _side_by_side(rows: pd.DataFrame, place: int) -> pd.Series:
    """Heights around a row, so that equal marks do not hide each other."""
    return pd.Series(place + 0.32 * (np.arange(len(rows)) * 0.618034 % 1 * 2 - 1), rows.index)


# --- accuracy against seconds -----------------------------------------------------------------------


def cost_frame(summary: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy and CPU seconds of the methods of the training study, over the data sets that all of them have.

    Methods with the fewest data sets are left out until the others share one.

    Parameters
    ----------
    summary : DataFrame
        From `treecrf_studies.training.summary.summarise`, of several data sets.

    Returns
    -------
    DataFrame
        method, accuracy (percent), seconds (of a training up to the chosen iteration, geometric mean), datasets (their
        names), is_optimal (whether no method is as accurate in fewer seconds); best first.
    """
    names = ["method", "accuracy", "seconds", "datasets", "is_optimal"]
    if summary.empty:
        return pd.DataFrame(columns=names)
    chosen = summary[(summary["decoder"] == BETTER) & (summary["cpu_seconds"] > 0)]
    chosen = chosen.assign(accuracy=chosen["chosen_mean"].fillna(chosen["chosen_accuracy"]))
    chosen = chosen.dropna(subset="accuracy")
    shared: set[str] = set()
    while len(chosen) and not shared:
        sets = chosen.groupby("method", sort=False)["dataset"].agg(set)
        shared = set.intersection(*sets)
        if not shared:
            n_sets = sets.map(len)
            chosen = chosen[chosen["method"].map(n_sets) > n_sets.min()]
    rows = chosen[chosen["dataset"].isin(shared)]
    found = rows.assign(log=np.log(rows["cpu_seconds"])).groupby("method", sort=False)[["accuracy", "log"]].mean()
    found = found.sort_values(["accuracy", "log"], ascending=[False, True], kind="stable")
    listed = with_and(dict.fromkeys(rows["dataset"]))
    return found.assign(
        seconds=np.exp(found["log"]),
        datasets=listed,
        is_optimal=found["log"] < found["log"].cummin().shift(fill_value=np.inf),
    ).reset_index()[names]


def cost_figure(frame: pd.DataFrame) -> Figure:
    """Mean accuracy against CPU seconds on a logarithmic axis, a named mark for each method; a line joins the methods that
    no other one beats in both.
    """
    if len(frame) < 2:
        return sentence_figure("No two methods share a data set.")
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
        names = [training_method_name(method) for method in frame["method"]]
        at = frame[["seconds", "accuracy"]].to_numpy()
        label_points(figure, axes, at, names, [style["color"] for style in styles], line)
    return figure


def cost_alt(frame: pd.DataFrame) -> str:
    """What `cost_figure` shows."""
    if frame.empty:
        return "No method was measured."
    best, quick = frame.iloc[0], frame.iloc[frame["seconds"].argmin()]
    optimal = with_and(training_method_name(method) for method in frame.loc[frame["is_optimal"], "method"])
    return (
        f"{len(frame)} methods by mean accuracy and CPU seconds on {best['datasets']}. {_named(best)} is the most accurate, "
        f"{_named(quick)} the quickest. No other method beats these in both: {optimal}."
    )


def cost_caption(frame: pd.DataFrame) -> str:
    """What follows from `cost_figure`."""
    if frame.empty:
        return "No method was measured."
    best = frame.iloc[0]
    is_near = frame["accuracy"] >= best["accuracy"] - NEAR_BEST
    near = frame[is_near].sort_values("seconds").iloc[0]
    start = f"{best['accuracy']:.1f} % mean accuracy is the highest ({training_method_name(best['method'])})"
    if near["method"] == best["method"]:
        return f"{start}; no quicker method is within {NEAR_BEST:g} points."
    return (
        f"{start}; {training_method_name(near['method'])} reaches {near['accuracy']:.1f} % in "
        f"{100 * near['seconds'] / best['seconds']:.2g} % of its CPU time."
    )


def _named(row: pd.Series) -> str:
    return f"{training_method_name(row['method'])} ({row['accuracy']:.1f} %, {seconds_text(row['seconds'])} s)"
