"""Interval plots (forest plots): a line for each value with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan, nan
from typing import NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from treecrf_studies.rendering.cells import number, signed
from treecrf_studies.rendering.parts import Drawing, escaped
from treecrf_studies.rendering.style import INK, SETTINGS, SMALL

STANDINGS = {"replicated": "#0072B2", "partly": "#3a96cc", "not_replicated": "#D55E00", "undecided": INK, "": "#0072B2"}
"""Colours by verdict, which colour-blind readers tell apart."""

LONGEST = 3.0
"""An interval is cut where it is longer than so many times the median one."""

PLOT, LINE, LETTER = 3.3, 0.24, 0.066
"""Width of the plot, height of a line, and width of a letter of the texts beside it, in inches."""

LONG_PLOT = 25
"""A plot of more lines has its axis at the top too."""

MOST_NAMED, MOST_LETTERS = 12, 66
"""The alternative text names so many lines at most; a label is cut where it has more letters."""

ON_PAPER = {"figure.facecolor": "white"} | dict.fromkeys(
    ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), "black"
)


class Interval(NamedTuple):
    """A line: a value with its interval, and the values behind it, such as those of single data sets; `standing` is a
    verdict whose colour the line has, or a colour. A line without a value is a heading.
    """

    label: str
    value: float = nan
    low: float = nan
    high: float = nan
    note: str = ""
    standing: str = ""
    dots: tuple[float, ...] = ()
    marker: str = "o"

    @property
    def is_known(self) -> bool:
        """Whether both ends are finite."""
        return isfinite(self.low) and isfinite(self.high)


class Forest(NamedTuple):
    """Values with their intervals, and the values that matter.

    Attributes
    ----------
    caption : str
    rows : sequence of Interval
    limits : tuple of float
        Values at which vertical lines stand.
    unit : str
        Differences in "points" have a sign.
    """

    caption: str
    rows: Sequence[Interval]
    limits: tuple[float, ...] = (0.0,)
    unit: str = "points"

    def text(self, row: Interval, with_interval: bool = True) -> str:
        """The value with its interval."""
        shown = signed if "points" in self.unit else number
        if isnan(row.value):
            return ""
        interval = f" ({shown(row.low)} to {shown(row.high)})" if row.is_known and with_interval else ""
        return f"{shown(row.value)}{interval}"

    def part(self) -> Drawing:
        """The plot as a part of a page."""
        caption = escaped(f"{self.caption.rstrip('.')}.")
        return Drawing(forest_figure(self), forest_alt(self), caption, forest_layout(self), "intervals")


def forest_layout(forest: Forest) -> pd.DataFrame:
    """The same as a table."""
    rows = [(row.label, forest.text(row), row.note) for row in forest.rows]
    layout = pd.DataFrame(rows, columns=["comparison", forest.unit, "note"], dtype=object)
    return layout.loc[:, (layout != "").any()]


def forest_figure(forest: Forest, width: float | None = None) -> Figure:
    """Labels at the left, intervals in the middle, numbers at the right; small dots are the values behind a line.

    Intervals that are far longer than most end in an arrow at the edge. A figure of so many inches is for paper: black
    on white, without the ends of intervals in numbers.
    """
    rows, low, high = forest.rows, *_ends(forest)
    texts = [f"{forest.text(row, width is None)}  {row.note}".rstrip() for row in rows]
    labels = [row.label if len(row.label) <= MOST_LETTERS else f"{row.label[: MOST_LETTERS - 1]}…" for row in rows]
    left, right = (LETTER * max(map(len, words), default=0) + 0.2 for words in (labels, texts))
    plot, style = (PLOT, {}) if width is None else (max(width - left - right, 0.5), ON_PAPER)
    is_long = len(rows) > LONG_PLOT
    width, height = left + plot + right, LINE * len(rows) + (0.9 if is_long else 0.62)
    with mpl.rc_context(SETTINGS | style):
        figure = Figure(figsize=(width, height))
        axes = figure.add_axes((left / width, 0.46 / height, plot / width, LINE * len(rows) / height))
        axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5), yticks=[])
        for limit in forest.limits:
            axes.axvline(limit, color=INK, linewidth=0.9, linestyle="-" if limit == 0 else "--", zorder=1)
        for place, row in enumerate(rows):
            color = STANDINGS.get(row.standing, row.standing)
            axes.plot(row.dots, [place] * len(row.dots), ".", color=color, alpha=0.45, markersize=4, zorder=2)
            if row.is_known:
                ends = [max(row.low, low), min(row.high, high)]
                axes.plot(ends, [place, place], color=color, linewidth=1.6, zorder=2)
            marks = [(min(max(row.value, low), high), row.marker, 5)]
            marks += [(low, "<", 4)] if row.is_known and row.low < low else []
            marks += [(high, ">", 4)] if row.is_known and row.high > high else []
            for end, marker, size in marks:
                axes.plot(end, place, marker, color=color, markersize=size, clip_on=False, zorder=3)
            weight = "bold" if isnan(row.value) else "normal"
            for x, text, side in ((-0.03, labels[place], "right"), (1.03, texts[place], "left")):
                room = axes.get_yaxis_transform()
                axes.text(x, place, text, transform=room, ha=side, va="center", fontsize=SMALL, weight=weight)
        axes.spines["left"].set_visible(False)
        axes.tick_params(top=is_long, labeltop=is_long)
        axes.set_xlabel("difference in accuracy (points)" if forest.unit == "points" else forest.unit)
    return figure


def forest_alt(forest: Forest) -> str:
    """What is seen, for readers who cannot see it."""
    lines = [f"{row.label}: {forest.text(row)}".removesuffix(": ") for row in forest.rows]
    shown, rest = "; ".join(lines[:MOST_NAMED]), len(lines) - MOST_NAMED
    return f"{forest.caption.rstrip('.')}, in {forest.unit}. {shown}{f'; and {rest} more lines' if rest > 0 else ''}."


def _ends(forest: Forest) -> tuple[float, float]:
    """The ends of the axis: of all values, and of intervals unless they are far longer than most."""
    known = [row for row in forest.rows if row.is_known]
    halves = sorted((row.high - row.low) / 2 for row in known)
    longest = LONGEST * halves[(len(halves) - 1) // 2] if halves else 0.0
    values: list[float] = [
        *forest.limits,
        *(value for row in forest.rows for value in (row.value, *row.dots) if isfinite(value)),
    ]
    for row in known:
        values += [max(row.low, row.value - longest), min(row.high, row.value + longest)]
    low, high = min(values), max(values)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room
