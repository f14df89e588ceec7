"""What was learnt as one forest plot: a row for each two methods that a question compares."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from treecrf.io.messages import counted
from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.rendering.cells import signed
from treecrf_studies.rendering.panels import sentence_figure
from treecrf_studies.rendering.style import INK, SETTINGS, SMALL
from treecrf_studies.report.lessons import FEW, Gap, Lesson, Pair
from treecrf_studies.report.papers import PAPERS

MEAN, SET, LARGER = "mean", "data set", "larger sample"
"""Values of `kind`."""

ABOVE, BELOW = "#0072B2", "#D55E00"
"""Of intervals on either side of zero; others have `INK`."""

LINEAR = 1.0
"""Points around zero where the axis is linear; beyond, it is logarithmic, for a few differences are ten times the others."""

WIDTH = 7.2
"""Inches."""

TICKS = (-30.0, -10.0, -5.0, -2.0, -1.0, 0.0, 1.0, 2.0, 5.0, 10.0, 30.0)

LINE = 0.15
"""Inches between the intervals of a row, and between the lines of its text."""

LETTERS = 54
"""Of a line of the text of a row."""

COLUMNS = ["question", "comparison", "source", "target", "kind", "dataset", "value", "low", "high", "n_sets"]


def lesson_frame(lessons: Sequence[Lesson]) -> pd.DataFrame:
    """The differences behind the lessons of a run, a row for each mark of the plot.

    Parameters
    ----------
    lessons : sequence of Lesson
        From `treecrf_studies.report.lessons.find_lessons`.

    Returns
    -------
    DataFrame
        question; comparison ("A minus B"); source, the paper, and target, the page and anchor of the table; kind: `MEAN`
        over the data sets where there are more than `FEW`, `SET` for each, `LARGER` for each larger sample; dataset;
        value, low, high (points, 95 % interval); n_sets.
    """
    rows = [
        {
            "question": lesson.title,
            "comparison": f"{pair.method} minus {pair.other}".replace(",", ""),
            "source": _source(lesson.target),
            "target": lesson.target,
            "n_sets": len(pair.gaps),
            **mark,
        }
        for lesson in lessons
        for pair in lesson.pairs
        for mark in _marks(pair)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def lesson_figure(frame: pd.DataFrame) -> Figure:
    """A row for each comparison: diamond and bar for the mean over data sets with its 95 % interval, or a dot and bar for
    each of a few data sets; small dots for single data sets, hollow squares with bars for larger samples.
    """
    if frame.empty:
        return sentence_figure("No two methods were compared.")
    groups = [group for _, group in frame.groupby(["question", "comparison"], sort=False)]
    texts = [_texts(group, before) for group, before in zip(groups, [None, *groups], strict=False)]
    heights = [
        LINE * max(len(lines), len(_intervals(group))) + 0.14 for group, lines in zip(groups, texts, strict=True)
    ]
    places = np.cumsum(heights) - heights
    total = float(np.sum(heights))
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, total + 0.55))
        axes = figure.add_axes((0.46, 0.5 / (total + 0.55), 0.53, total / (total + 0.55)))
        axes.set_xscale("symlog", linthresh=LINEAR, linscale=0.7)
        axes.set_xlim(*_limits(frame))
        axes.set_ylim(total, 0)
        axes.axvline(0, color=INK, linewidth=0.9, zorder=1)
        for place, height, group, lines in zip(places, heights, groups, texts, strict=True):
            _draw_row(axes, group, float(place + height / 2))
            _write_row(axes, lines, float(place + height / 2))
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        low, high = axes.get_xlim()
        shown = [tick for tick in TICKS if low <= tick <= high]
        axes.set_xticks(shown, [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in shown])
        axes.minorticks_off()
        axes.set_xlabel("points of accuracy by which the first method is better")
    return figure


def lesson_alt(frame: pd.DataFrame) -> str:
    """What `lesson_figure` shows."""
    main = _main(frame)
    if main.empty:
        return "No two methods were compared."
    largest, smallest = main.iloc[main["value"].argmax()], main.iloc[main["value"].argmin()]
    n_larger = int((frame["kind"] == LARGER).sum())
    more = f" Beside them: {counted(n_larger, 'larger sample')}." if n_larger else ""
    return (
        f"{counted(frame.groupby(['question', 'comparison']).ngroups, 'comparison')} of two methods, from "
        f"{_told(smallest)} to {_told(largest)}.{more}"
    )


def lesson_caption(frame: pd.DataFrame) -> str:
    """What follows from `lesson_figure`."""
    main = _main(frame)
    is_clear = (main["low"] > 0) | (main["high"] < 0)
    clear = main[is_clear].groupby(["question", "comparison"]).ngroups
    n = frame.groupby(["question", "comparison"]).ngroups
    return (
        f"In {clear} of {n} comparisons an interval excludes zero. Diamonds: means over data sets with 95 % intervals; "
        "dots: data sets."
    )


# --- rows -------------------------------------------------------------------------------------------


def _marks(pair: Pair) -> list[dict[str, Any]]:
    marks = [_mark(SET, gap) for gap in pair.gaps]
    if pair.is_averaged and len(pair.gaps) > FEW:
        mean, (low, high) = mean_with_interval(pd.Series([gap.points for gap in pair.gaps]))
        marks.insert(0, {"kind": MEAN, "dataset": "", "value": mean, "low": low, "high": high})
    return marks + [_mark(LARGER, gap) for gap in pair.larger]


def _mark(kind: str, gap: Gap) -> dict[str, Any]:
    return {"kind": kind, "dataset": gap.dataset, "value": gap.points, "low": gap.low, "high": gap.high}


def _source(target: str) -> str:
    """The paper of a page; its name where it is of none."""
    path = target.partition("#")[0]
    return next((paper.name for paper in PAPERS if paper.path == path), path.removesuffix(".md").replace("-", " "))


def _main(frame: pd.DataFrame) -> pd.DataFrame:
    """The means, and the data sets of comparisons without one."""
    has_mean = frame.groupby(["question", "comparison"], sort=False)["kind"].transform(
        lambda kinds: (kinds == MEAN).any()
    )
    return frame[(frame["kind"] == MEAN) | (~has_mean.astype(bool) & (frame["kind"] == SET))]


def _told(row: pd.Series) -> str:
    where = f" on {row['dataset']}" if row["dataset"] else f", mean over {row['n_sets']} data sets"
    return f"{signed(row['value'])} ({row['comparison']}{where})"


# --- drawing ----------------------------------------------------------------------------------------


def _intervals(group: pd.DataFrame) -> pd.DataFrame:
    """The marks of a row with intervals, which stand below one another."""
    return pd.concat([_main(group), group[group["kind"] == LARGER]])


def _limits(frame: pd.DataFrame) -> tuple[float, float]:
    """Those of all values, and of the intervals of means and of comparisons without a mean."""
    shown = _intervals(frame)
    values = [frame["value"], shown["low"], shown["high"]]
    ends = pd.concat(values).replace([np.inf, -np.inf], np.nan).dropna()
    return float(min(1.15 * ends.min(), -1.0)), float(max(1.15 * ends.max(), 1.0))


def _texts(group: pd.DataFrame, before: pd.DataFrame | None) -> list[tuple[str, str]]:
    """Lines with the weight of their letters: the question, unless the row before has it, the methods, and where the
    differences are from.
    """
    first = group.iloc[0]
    is_new = before is None or before["question"].iloc[0] != first["question"]
    compared = textwrap.wrap(first["comparison"], LETTERS)
    return [
        *([(first["question"], "bold")] if is_new else []),
        *((line, "normal") for line in compared),
        (f"{counted(int((group['kind'] == SET).sum()), 'data set')} ({first['source']})", "light"),
    ]


def _write_row(axes: Axes, lines: Sequence[tuple[str, str]], place: float) -> None:
    for index, (text, weight) in enumerate(lines):
        axes.text(
            -0.02,
            place + (index - (len(lines) - 1) / 2) * LINE,
            text,
            transform=axes.get_yaxis_transform(),
            ha="right",
            va="center",
            fontsize=SMALL if weight == "bold" else 7.2,
            weight="bold" if weight == "bold" else "normal",
            style="italic" if weight == "light" else "normal",
        )


def _draw_row(axes: Axes, group: pd.DataFrame, place: float) -> None:
    shown = _intervals(group)
    if MEAN in set(group["kind"]):
        values = group.loc[group["kind"] == SET, "value"]
        axes.plot(values, [place] * len(values), linestyle="none", marker="o", markersize=2.8, color=INK, alpha=0.6)
    steps = (np.arange(len(shown)) - (len(shown) - 1) / 2) * LINE
    for step, row in zip(steps, shown.to_dict("records"), strict=True):
        _draw_interval(axes, row, place + float(step))


def _draw_interval(axes: Axes, row: Mapping[Any, Any], place: float) -> None:
    color = ABOVE if row["low"] > 0 else BELOW if row["high"] < 0 else INK
    axes.plot([row["low"], row["high"]], [place, place], color=color, linewidth=1.2, zorder=2, solid_capstyle="butt")
    marker = {MEAN: "D", SET: "o", LARGER: "s"}[row["kind"]]
    inside = "none" if row["kind"] == LARGER else color
    size = 6 if row["kind"] == MEAN else 4.2
    axes.plot(row["value"], place, marker=marker, color=color, markerfacecolor=inside, markersize=size, zorder=3)
    is_right = row["high"] < axes.get_xlim()[1] / 3
    axes.annotate(
        row["dataset"],
        (row["high"] if is_right else row["low"], place),
        xytext=(5 if is_right else -5, 0),
        textcoords="offset points",
        ha="left" if is_right else "right",
        va="center",
        fontsize=6.6,
        color=color,
    )
