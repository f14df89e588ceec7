"""Common parts of figures: panels, the names of their axes, one legend for all."""

from __future__ import annotations

import io
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from treecrf_studies.rendering.cells import three_digits
from treecrf_studies.rendering.style import NOTHING, SETTINGS, SMALL

MARKER_SIZES = {"^": 4.9, "v": 4.9, "s": 3.6}
"""So that triangles and squares look as large as the others."""

LETTER = 0.083
"""Inches that a letter of a title takes: longer titles have several lines, so that none runs into the next panel."""

GUIDE = "guide"
"""The gid of a line that is no method's."""

MOST_PANELS = 8
"""Of which `seen_in` tells."""

WIDTHS = {1: 4.6, 2: 7.2, 3: 9.6}
"""Of figures, in inches, by the number of panels side by side."""


def by_dataset(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Title of the panel and rows of each data set, in the order of the frame; a column stand_in marks titles."""
    for name, of_set in frame.groupby("dataset", sort=False):
        stand_in = "stand_in" in of_set and of_set["stand_in"].iloc[0]
        yield f"{name} (stand-in)" if stand_in else str(name), of_set


def with_several(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of data sets with several values of what the horizontal axis shows: one value makes no line."""
    n_values = frame.groupby("dataset", sort=False)[name].transform("nunique")
    return frame[n_values > 1]


def name_axes(figure: Figure, panels: list[Axes], below: str, beside: str) -> None:
    """Names of the axes: at the panel if there is one, else once for all."""
    if len(panels) == 1:
        panels[0].set_xlabel(below)
        panels[0].set_ylabel(beside)
    else:
        figure.supxlabel(below, fontsize=9)
        figure.supylabel(beside, fontsize=9)


def panel_grid(
    titles: Sequence[str],
    size: Callable[[int, int], tuple[float, float]],
    most_columns: int = 3,
    sharex: bool = False,
    sharey: bool = False,
) -> tuple[Figure, list[Axes]]:
    """A figure with a titled panel for each title; `size` is a function of the numbers of columns and rows."""
    n_columns = max(1, min(len(titles), most_columns))
    n_columns = 3 if len(titles) == 3 and n_columns == 2 else n_columns  # rather than a hole
    n_rows = -(-len(titles) // n_columns)
    width, height = size(n_columns, n_rows)
    figure = Figure(figsize=(width, height), layout="constrained")
    every = figure.subplots(n_rows, n_columns, squeeze=False, sharex=sharex, sharey=sharey).ravel()
    for axes in every[len(titles) :]:
        axes.remove()
    for axes, title in zip(every, titles, strict=False):
        n_letters = max(12, int((width - 0.6) / n_columns / LETTER))
        axes.set_title(textwrap.fill(title, n_letters, break_long_words=False), loc="left", fontsize=9)
    return figure, list(every[: len(titles)])


def draw_by_dataset(
    frame: pd.DataFrame,
    draw: Callable[[Axes, pd.DataFrame], None],
    size: Callable[[int, int], tuple[float, float]],
    below: str,
    beside: str,
    legend: str | None = None,
    handlelength: float = 3.2,
    **grid: Any,
) -> Figure:
    """A figure with a panel for each data set, which `draw` fills, and a legend with this title, if any; `grid` as of
    `panel_grid`.
    """
    sets = list(by_dataset(frame))
    with mpl.rc_context(SETTINGS):
        figure, panels = panel_grid([title for title, _ in sets], size, **grid)
        for axes, (_, of_set) in zip(panels, sets, strict=True):
            draw(axes, of_set)
        name_axes(figure, panels, below, beside)
        if legend is not None:
            add_legend(figure, panels, legend, handlelength)
    return figure


def sentence_figure(text: str) -> Figure:
    """A sentence in place of a figure that has nothing to show."""
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(5.0, 0.8))
        figure.set_label(NOTHING)
        figure.text(0.02, 0.5, text, va="center", fontsize=9)
    return figure


def annotate(axes: Axes, marks: pd.DataFrame, color: str, offset: tuple[float, float]) -> None:
    """Numbers beside markers; the columns of `marks` are the number, x and y."""
    for value, x, y in marks.to_numpy():
        axes.annotate(f"{value:g}", (x, y), xytext=offset, textcoords="offset points", fontsize=SMALL, color=color)


def add_legend(figure: Figure, panels: list[Axes], title: str, handlelength: float) -> None:
    """One legend of the methods in any panel, with as many columns as the figure is wide enough for."""
    handles = {
        label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    for n_columns in range(min(len(handles), 5 if len(panels) > 1 else 2), 0, -1):
        legend = figure.legend(
            handles.values(),
            handles.keys(),
            loc="outside upper center",
            title=title,
            handlelength=handlelength,
            ncols=n_columns,
            fontsize=SMALL,
            title_fontsize=SMALL,
            columnspacing=1.4,
        )
        if n_columns == 1 or legend.get_window_extent().width <= figure.bbox.width:
            return
        legend.remove()


def save_figure(figure: Figure, path: str | os.PathLike[str], kind: str, with_fonts: bool = True) -> None:
    """Write `figure` to `path` as "svg", "pdf" or "png", the same bytes each time; without fonts, the text of an SVG is
    in those of its reader, which takes a fifth of the bytes.
    """
    told = {"Title": figure.get_label(), "Description": seen_in(figure)}
    told = {name: text for name, text in told.items() if text}
    metadata = {"svg": {"Date": None, **told}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    drawn = io.BytesIO()
    with mpl.rc_context(SETTINGS | {"svg.fonttype": "path" if with_fonts else "none"}):
        figure.savefig(drawn, format=kind, dpi=200, metadata=metadata)
    Path(path).write_bytes(shortened(drawn.getvalue()) if kind == "svg" else drawn.getvalue())
    figure.set_layout_engine("none")  # laid out once: the layout takes as long as the drawing


_PLACES = re.compile(rb'(?<=\sd=")[^"]*|(?<=\s[xy]=")[^"]*|(?<=translate\()[^)]*')
_DIGITS = re.compile(rb"(\.\d\d)\d+")


def shortened(svg: bytes) -> bytes:
    """The picture with its places to a hundredth of a point, which nobody sees and takes a third of the bytes less."""
    return _PLACES.sub(lambda match: _DIGITS.sub(rb"\1", match[0]), svg)


def seen_in(figure: Figure) -> str:
    """Of each panel with named lines, the lines that end highest and lowest, in words; empty without one."""
    panels = []
    for axes in figure.axes:
        ends = {}
        for mark, name in zip(*axes.get_legend_handles_labels(), strict=True):
            line = mark[0] if isinstance(mark, tuple) else mark  # of error bars
            if not isinstance(line, Line2D) or line.get_linestyle() == "None" or line.get_gid() == GUIDE:
                continue  # of marks alone, y may be a row
            known = [(x, y) for x, y in np.asarray(line.get_xydata()) if x == x and y == y]
            if len(known) > 1:
                ends[str(name)] = max(known)[1]
        if len(ends) > 1:
            high, low = max(ends, key=lambda name: ends[name]), min(ends, key=lambda name: ends[name])
            title = axes.get_title(loc="left").replace("\n", " ")
            panels.append(
                f"{f'{title}: ' if title else ''}{high} ends at {three_digits(ends[high])}, {low} at "
                f"{three_digits(ends[low])}"
            )
    more = f"; and {len(panels) - MOST_PANELS} more panels" if len(panels) > MOST_PANELS else ""
    return f"Highest and lowest line: {'; '.join(panels[:MOST_PANELS])}{more}." if panels else ""


WIDTH_OF_LETTER = 0.56
"""Of the size of the text; a little more than letters take on average."""

SIDES = (
    *((5, 0, "left"), (-5, 0, "right"), (0, 8, "center"), (0, -8, "center")),
    *((x, y, "left" if x > 0 else "right") for up in (8, 16, 26) for x in (5, -5) for y in (up, -up)),
)
"""Places beside a mark in points, and how a name stands to them; the first ones are preferred."""


def spread(wanted: ArrayLike, gap: float) -> np.ndarray:
    """Places of names along a line, at least `gap` apart, in the order of those that they are wanted at and as near to
    them as this allows.

    Parameters
    ----------
    wanted : array_like of float
    gap : float

    Returns
    -------
    ndarray
        In the order of `wanted`.
    """
    order = np.argsort(wanted, kind="stable")
    shifts = np.arange(len(order)) * gap
    blocks: list[tuple[float, int]] = []  # mean and size of runs that touch, as in isotonic regression
    for value in np.asarray(wanted, dtype=float)[order] - shifts:
        mean, size = value, 1
        while blocks and blocks[-1][0] >= mean:
            before, n_before = blocks.pop()
            mean, size = (before * n_before + mean * size) / (n_before + size), n_before + size
        blocks.append((mean, size))
    places = np.empty(len(order))
    places[order] = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks]) + shifts
    return places


def label_points(
    figure: Figure,
    axes: Axes,
    at: np.ndarray,
    names: Sequence[str],
    colors: Sequence[str],
    line: np.ndarray | None = None,
) -> None:
    """Write a name beside each mark, where it hides no mark, no other name and nothing of a line, as far as there is
    such a place.

    The corners of the line are rows of x and y. A line leads to names that are not next to their marks. Limits, scales
    and size of the axes are to be set before.
    """
    figure.draw_without_rendering()
    points = axes.transData.transform(at) * 72 / figure.dpi
    bounds = np.asarray(axes.get_window_extent().extents) * 72 / figure.dpi
    taken = [np.concatenate([point - 3, point + 3]) for point in points]
    if line is not None and len(line):
        corners = axes.transData.transform(line) * 72 / figure.dpi
        taken += [
            np.concatenate([np.minimum(one, other) - 1, np.maximum(one, other) + 1]) for one, other in pairwise(corners)
        ]
    for point, name, color, mark in zip(points, names, colors, at, strict=True):
        size = np.array([WIDTH_OF_LETTER * SMALL * len(name), 1.15 * SMALL])
        boxes = [_box(point, size, side) for side in SIDES]
        costs = [_hidden(box, taken, bounds) + 0.01 * place for place, box in enumerate(boxes)]
        best = int(np.argmin(costs))
        right, up, align = SIDES[best]
        taken.append(boxes[best])
        axes.annotate(
            name,
            tuple(mark),
            xytext=(right, up),
            textcoords="offset points",
            ha=align,
            va="center",
            fontsize=SMALL,
            color=color,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.5} if abs(up) > 8 else None,
        )


def _box(point: np.ndarray, size: np.ndarray, side: tuple[int, int, str]) -> np.ndarray:
    """Left, lower, right and upper end of a name at a side of a point."""
    right, up, align = side
    left = right - {"left": 0.0, "center": size[0] / 2, "right": size[0]}[align]
    low = point + np.array([left, up - size[1] / 2])
    return np.concatenate([low, low + size])


def _hidden(box: np.ndarray, taken: Sequence[np.ndarray], bounds: np.ndarray) -> float:
    """Area that a name shares with marks and names, and what of it is outside of the axes."""
    others = np.array(taken)
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    inside = np.minimum(box[2:], bounds[2:]) - np.maximum(box[:2], bounds[:2])
    outside = np.prod(box[2:] - box[:2]) - np.prod(inside.clip(0))
    return float(sides.clip(0).prod(axis=1).sum() + outside)
