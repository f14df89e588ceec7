"""Interval plots (forest plots): a line for each value with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from typing import NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from treecrf_studies.rendering.cells import number, signed
from treecrf_studies.rendering.parts import Drawing, escaped
from treecrf_studies.rendering.style import INK, SETTINGS, SMALL

STANDINGS = {"replicated": "#0072B2", "partly": "#3a96cc", "not_replicated": "#D55E00", "undecided": INK}
"""Colours by verdict, which colour-blind readers tell apart."""

COLOR = "#0072B2"
"""Of lines without a verdict."""

LONGEST = 3.0
"""An interval is cut where it is longer than so many times the median one."""

PLOT, LINE, LETTER = 3.3, 0.24, 0.066
"""Width of the plot, height of a line, and width of a letter of the texts beside it, in inches."""

LONG = 25
"""A plot of more lines has its axis at the top too."""

MOST_NAMED = 12
"""The alternative text names so many lines at most."""


class Interval(NamedTuple):
    """A line: a value with its interval, and the values behind it, such as those of single data sets; `standing` is a
    verdict whose colour the line has. A line without a value is a heading.
    """

    label: str
    value: float
    low: float
    high: float
    note: str = ""
    standing: str = ""
    dots: tuple[float, ...] = ()
    marker: str = "o"


class Forest(NamedTuple):
    """Values with their intervals, and the values that matter.

    Attributes
    ----------
    caption : str
    rows : sequence of Interval
    limits : tuple of float
        Values at which vertical lines stand.
    unit : str
    """

    caption: str
    rows: Sequence[Interval]
    limits: tuple[float, ...] = (0.0,)
    unit: str = "points"

    def text(self, row: Interval) -> str:
        """The value with its interval."""
        shown = signed if self.unit == "points" else number
        if isnan(row.value):
            return ""
        if not (isfinite(row.low) and isfinite(row.high)):
            return shown(row.value)
        return f"{shown(row.value)} ({shown(row.low)} to {shown(row.high)})"

    def part(self) -> Drawing:
        """The plot as a part of a page."""
        caption = escaped(f"{self.caption.rstrip('.')}.")
        return Drawing(forest_figure(self), forest_alt(self), caption, forest_layout(self), "intervals")


def forest_layout(forest: Forest) -> pd.DataFrame:
    """The same as a table."""
    columns = {
        "comparison": [row.label for row in forest.rows],
        forest.unit: [forest.text(row) for row in forest.rows],
        "note": [row.note for row in forest.rows],
    }
    return pd.DataFrame({name: cells for name, cells in columns.items() if any(cells)}, dtype=object)


def forest_figure(forest: Forest) -> Figure:
    """Labels at the left, intervals in the middle, numbers at the right; small dots are the values behind a line.

    Intervals that are far longer than most end in an arrow at the edge.
    """
    rows = list(forest.rows)
    texts = [f"{forest.text(row)}{f'  {row.note}' if row.note else ''}" for row in rows]
    labels = [_short(row.label) for row in rows]
    left, right = (LETTER * max(map(len, words), default=0) + 0.2 for words in (labels, texts))
    width, height = left + PLOT + right, LINE * len(rows) + (0.9 if len(rows) > LONG else 0.62)
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height))
        axes = figure.add_axes((left / width, 0.46 / height, PLOT / width, LINE * len(rows) / height))
        low, high = _ends(forest)
        axes.set_xlim(low, high)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        for limit in forest.limits:
            axes.axvline(limit, color=INK, linewidth=0.9, linestyle="-" if limit == 0 else "--", zorder=1)
        for place, row in enumerate(rows):
            color = STANDINGS.get(row.standing, COLOR)
            axes.plot(row.dots, [place] * len(row.dots), ".", color=color, alpha=0.45, markersize=4, zorder=2)
            if isfinite(row.low) and isfinite(row.high):
                axes.plot(
                    [max(row.low, low), min(row.high, high)], [place, place], color=color, linewidth=1.6, zorder=2
                )
                cut = [(low, "<")] * (row.low < low) + [(high, ">")] * (row.high > high)
                for end, marker in cut:
                    axes.plot(end, place, marker, color=color, markersize=4, clip_on=False, zorder=3)
            end = min(max(row.value, low), high)
            axes.plot(end, place, row.marker, color=color, markersize=5, zorder=3, clip_on=False)
            room, weight = axes.get_yaxis_transform(), "bold" if isnan(row.value) else "normal"
            axes.text(
                -0.03, place, labels[place], transform=room, ha="right", va="center", fontsize=SMALL, weight=weight
            )
            axes.text(1.03, place, texts[place], transform=room, va="center", fontsize=SMALL)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.tick_params(top=len(rows) > LONG, labeltop=len(rows) > LONG)
        axes.set_xlabel("difference in accuracy (points)" if forest.unit == "points" else forest.unit)
    return figure


def forest_alt(forest: Forest) -> str:
    """What is seen, for readers who cannot see it."""
    shown = "; ".join(f"{row.label}: {forest.text(row)}" for row in forest.rows[:MOST_NAMED])
    rest = len(forest.rows) - MOST_NAMED
    return f"{forest.caption.rstrip('.')}, in {forest.unit}. {shown}{f'; and {rest} more lines' if rest > 0 else ''}."


def _short(label: str, most: int = 80) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _ends(forest: Forest) -> tuple[float, float]:
    """The ends of the axis: of all values, and of intervals unless they are far longer than most."""
    values = (
        [row.value for row in forest.rows if isfinite(row.value)]
        + [dot for row in forest.rows for dot in row.dots]
        + [*forest.limits]
    )
    known = [row for row in forest.rows if isfinite(row.low) and isfinite(row.high)]
    halves = sorted((row.high - row.low) / 2 for row in known)
    longest = LONGEST * halves[(len(halves) - 1) // 2] if halves else 0.0
    for row in known:
        values += [max(row.low, row.value - longest), min(row.high, row.value + longest)]
    low, high = min(values), max(values)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room
