"""Common parts of figures: panels, the names of their axes, one legend for all."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from treecrf_studies.rendering.style import NOTHING, SETTINGS, SMALL

MARKER_SIZES = {"^": 4.9, "v": 4.9, "s": 3.6}
"""So that triangles and squares look as large as the others."""

LETTER = 0.083
"""Inches that a letter of a title takes: longer titles have several lines, so that none runs into the next panel."""

WIDTHS = {1: 4.6, 2: 7.2, 3: 9.6}
"""Of figures, in inches, by the number of panels side by side."""


def by_dataset(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Title of the panel and rows of each data set, in the order of the frame; a column stand_in marks titles."""
    for name, of_set in frame.groupby("dataset", sort=False):
        stand_in = "stand_in" in of_set and of_set["stand_in"].iloc[0]
        yield f"{name} (stand-in)" if stand_in else str(name), of_set


def with_several(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of those data sets that have several values of what the horizontal axis shows: one value makes no line."""
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
    """One legend over all panels, of the methods in any of them, with as many columns as the figure is wide enough for."""
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
