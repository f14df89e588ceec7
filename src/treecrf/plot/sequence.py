"""The figure of one sequence: numbers over time or words, true and predicted labels, and probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.automl.contributions import Contributions
from treecrf.automl.explanation import BEFORE
from treecrf.automl.time_axis import cells
from treecrf.io.arrays import Bools, Floats
from treecrf.io.messages import cell_text, counted
from treecrf.io.palette import COLORS, color_numbers, entity_type
from treecrf.plot.style import MAIN, OPPOSITE, QUIET, axes_of, new_figure, styled
from treecrf.statistics.chunks import chunk_scheme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 4
"""Columns of numbers that are drawn unless they are named."""

MOST_WORDS = 300
"""Positions of a sequence of words that are drawn."""

MOST_KEYS = 12
"""Labels in a key, the commonest ones of the sequence."""

LEAST_SHOWN = 0.02
"""Probability from which on a label can be seen in the band."""

TITLE_WIDTH = 60
"""Letters of a line of a title."""

LINE_WIDTH = 100
"""Letters of a line of words."""


def plot_sequence(
    inputs: pd.DataFrame,
    probabilities: NDArray[np.float64],
    label_names: Sequence[str],
    true: Sequence[str] | None = None,
    predicted: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = "",
    times: NDArray[Any] | None = None,
    time_name: str = "time",
    figure: Figure | None = None,
) -> Figure:
    """Draw one sequence with its labels.

    Parameters
    ----------
    inputs : DataFrame, shape (n_positions, n_columns)
        A row for each position. Columns of numbers are drawn over time; where there are none, a column of words is
        drawn as text.
    probabilities : float64, shape (n_positions, n_labels)
        Of the labels at each position.
    label_names : sequence of str
        In the order of the probabilities.
    true, predicted : sequence of str, length n_positions, optional
        Labels; the predicted ones are the most probable ones unless given.
    columns : sequence of str, optional
        What to draw: the first `MOST_LINES` columns of numbers, or the first column of words, unless given.
    title : str
    times : array of numbers or datetime64, shape (n_positions,), optional
        Of the positions, never falling: they are drawn there, and else one after another.
    time_name : str
        Title of their axis.
    figure : Figure, optional
        Of matplotlib, with a constrained layout; a new one, whose size fits, unless given.

    Returns
    -------
    Figure
        Over time: a panel for each column, a track of true and one of predicted labels, and the
        probabilities as a band.
    """
    names = [str(name) for name in label_names]
    n_positions = len(inputs)
    if probabilities.shape != (n_positions, len(names)):
        raise ValueError(
            f"plot_sequence: the probabilities have shape {probabilities.shape}; give one for each of "
            f"{counted(n_positions, 'position')} and {counted(len(names), 'label')}."
        )
    if predicted is None:
        predicted = [names[code] for code in probabilities.argmax(axis=1)]
    for what, given in (("true", true), ("predicted", predicted)):
        if given is not None and len(given) != n_positions:
            raise ValueError(
                f"plot_sequence: {what} has {counted(len(given), 'label')} for {counted(n_positions, 'position')}."
            )
    times = None if times is None else np.asarray(times)
    if times is not None and (times.shape != (n_positions,) or not (np.diff(_numbered(times)) >= 0).all()):
        raise ValueError(
            f"plot_sequence: the times have shape {times.shape}, or fall, or some are missing; give one for each of "
            f"{counted(n_positions, 'position')}, in their order."
        )
    for name in columns or ():
        if name not in inputs:
            raise ValueError(f"plot_sequence: there is no column {name!r}; name some of {', '.join(map(str, inputs))}.")
    numbers = [name for name in columns or inputs.columns if inputs[name].dtype.kind in "iuf"]
    known = [*names, *dict.fromkeys(name for name in true or () if name not in names)]
    scheme = chunk_scheme(known)
    numbered = zip(known, color_numbers(known, scheme), strict=True)
    colors = {name: QUIET if number is None else COLORS[number][0] for name, number in numbered}
    labels = _Labels(predicted, true, colors, scheme)
    with styled():
        if numbers:
            others = [name for name in numbers if times is None or name != time_name] or numbers
            chosen = numbers if columns else others[:MOST_LINES]
            axis = _Axis("row of the sequence", np.arange(n_positions)) if times is None else _Axis(time_name, times)
            return _over_time(inputs[chosen], probabilities, names, labels, title, axis, figure)
        column = next(iter(columns or inputs.columns), None)
        words = [""] * n_positions if column is None else [cell_text(cell) for cell in inputs[column]]
        return _words(words, labels, title, figure)


class _Labels(NamedTuple):
    """Labels of the positions, their colours by name, and the scheme of tags, if they are such."""

    predicted: Sequence[str]
    true: Sequence[str] | None
    colors: dict[str, str]
    scheme: str | None


# --- over time --------------------------------------------------------------------------------------


class _Axis(NamedTuple):
    """What positions are drawn over."""

    name: str
    times: NDArray[Any]


def _numbered(times: NDArray[Any]) -> Floats:
    """Times as matplotlib counts them: dates in days."""
    if times.dtype.kind != "M":
        return times.astype(np.float64)
    from matplotlib.dates import date2num

    return np.asarray(date2num(times), dtype=np.float64)


def _over_time(
    numbers: pd.DataFrame,
    probabilities: NDArray[np.float64],
    names: list[str],
    labels: _Labels,
    title: str,
    axis: _Axis,
    figure: Figure | None,
) -> Figure:
    n_lines, n_tracks = numbers.shape[1], 1 if labels.true is None else 2
    heights = [1.0] * n_lines + [0.3] * n_tracks + [0.9]
    figure = figure or new_figure(9.0, 0.8 + sum(heights))
    panels = figure.subplots(len(heights), sharex=True, height_ratios=heights)
    places = _numbered(axis.times)
    begins, ends = cells(places)
    for ax, name in zip(panels, numbers.columns, strict=False):
        ax.plot(places, numbers[name], color=MAIN, linewidth=0.9)
        ax.set_ylabel(str(name), rotation=0, ha="right", va="center")
    if labels.true is not None:
        _track(panels[n_lines], labels.true, labels.colors, "true", begins, ends)
    _track(panels[-2], labels.predicted, labels.colors, "predicted", begins, ends)
    top = np.zeros(len(numbers))
    for code, name in enumerate(names):
        above = top + probabilities[:, code]
        tops, edges, bottoms = _with_gaps(above, top, begins, ends)
        panels[-1].stairs(tops, edges, baseline=bottoms, fill=True, color=labels.colors[name])
        top = above
    panels[-1].set_ylim(0, 1)
    panels[-1].set_ylabel("probability", rotation=0, ha="right", va="center")
    panels[-1].set_xlabel(axis.name)
    panels[-1].set_xlim(begins[0], ends[-1])
    if axis.times.dtype.kind == "M":
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator()
        panels[-1].xaxis.set_major_locator(locator)
        panels[-1].xaxis.set_major_formatter(ConciseDateFormatter(locator))
    _key(figure, labels, [name for code, name in enumerate(names) if probabilities[:, code].max() >= LEAST_SHOWN])
    figure.suptitle(title)
    return figure


def _with_gaps(above: Floats, below: Floats, begins: Floats, ends: Floats) -> tuple[Floats, Floats, Floats]:
    """Values, edges and baseline of stairs; where cells do not touch, a flat one is between them."""
    is_kept = np.column_stack([np.ones(len(begins), dtype=bool), ~_touch(begins, ends)]).ravel()[:-1]
    edges = np.column_stack([begins, ends]).ravel()[:-1][is_kept]
    tops, bottoms = (np.column_stack([values, below]).ravel()[:-1][is_kept] for values in (above, below))
    return tops, np.append(edges, ends[-1]), bottoms


def _touch(begins: Floats, ends: Floats) -> Bools:
    """Whether each cell touches the next one; the last one touches none."""
    return np.append(begins[1:] - ends[:-1] < 1e-3 * np.median(ends - begins), False)


def _track(ax: Axes, labels: Sequence[str], colors: dict[str, str], name: str, begins: Floats, ends: Floats) -> None:
    """Runs of one label without a gap as bars."""
    is_joined = _touch(begins, ends)
    for first, last, label in runs(labels):
        stops = [place for place in range(first, last + 1) if place == last or not is_joined[place]]
        for begin, stop in zip([first, *(place + 1 for place in stops)], stops, strict=False):
            ax.axvspan(begins[begin], ends[stop], color=colors[label], linewidth=0)
    ax.set_yticks([])
    ax.set_ylim(0, 1)
    ax.set_ylabel(name, rotation=0, ha="right", va="center")


def runs(labels: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """First and last place and label of every run."""
    first = 0
    for place in range(1, len(labels) + 1):
        if place == len(labels) or labels[place] != labels[first]:
            yield first, place - 1, labels[first]
            first = place


def _key(figure: Figure, labels: _Labels, probable: Sequence[str] = ()) -> None:
    from matplotlib.patches import Patch

    counts = Counter((*(labels.true or ()), *labels.predicted))
    shown = [name for name in labels.colors if name in counts or name in probable]
    commonest = sorted(shown, key=lambda name: -counts[name])[:MOST_KEYS]
    handles = [Patch(color=labels.colors[name], label=name) for name in shown if name in commonest]
    if len(shown) > MOST_KEYS:
        handles.append(Patch(color="none", label=f"and {len(shown) - MOST_KEYS} more"))
    figure.legend(handles=handles, loc="outside lower center", ncols=6, fontsize=8)


# --- words ------------------------------------------------------------------------------------------


def _words(words: Sequence[str], labels: _Labels, title: str, figure: Figure | None) -> Figure:
    """Lines of words, each in the colour of its predicted label, which is written below, with the true one if wrong."""
    lines: list[list[tuple[float, str, int]]] = [[]]
    at = 0.0
    shown = list(words[:MOST_WORDS])
    notes = [_note(place, labels) for place in range(len(shown))]
    for place, word in enumerate(shown):
        width = max(len(word), 0.8 * len(notes[place])) + 1.5
        if at + width > LINE_WIDTH and lines[-1]:
            lines.append([])
            at = 0.0
        lines[-1].append((at, word, place))
        at += width
    figure = figure or new_figure(9.0, 0.8 + 0.5 * len(lines))
    ax = figure.subplots()
    ax.set_axis_off()
    ax.set_xlim(0, LINE_WIDTH)
    ax.set_ylim(-len(lines), 0.2)
    for number, line in enumerate(lines):
        for x, word, place in line:
            color = labels.colors[labels.predicted[place]]
            box = {"boxstyle": "square,pad=0.15", "facecolor": color, "alpha": 0.25, "linewidth": 0}
            is_plain = color == QUIET
            ax.text(x, -number - 0.25, word, family="monospace", bbox=None if is_plain else box)
            is_wrong = labels.true is not None and labels.true[place] != labels.predicted[place]
            ax.text(x, -number - 0.62, notes[place], fontsize=6.5, color=OPPOSITE if is_wrong else color)
    more = f" (the first {MOST_WORDS} of {counted(len(words), 'position')})" if len(words) > MOST_WORDS else ""
    figure.suptitle(f"{title}{more}")
    return figure


def _note(place: int, labels: _Labels) -> str:
    """The label of a word: nothing outside of entities, and a type once for each entity."""
    predicted = labels.predicted[place]
    if labels.true is not None and labels.true[place] != predicted:
        return f"{predicted}, true {labels.true[place]}"
    if labels.scheme is None:
        return predicted
    goes_on = (
        place > 0
        and predicted[:1] in "IMEL"
        and entity_type(predicted, labels.scheme) == entity_type(labels.predicted[place - 1], labels.scheme)
    )
    return "" if predicted == "O" or goes_on else entity_type(predicted, labels.scheme)


# --- contributions to the label of one position ----------------------------------------------------


MOST_COLUMNS = 15
"""With bars of their own; the others share one."""


def plot_contributions(contributions: Contributions, ax: Axes | None = None) -> Axes:
    """Draw a waterfall from the baseline to the score of a position's label, with a bar for each column.

    Parameters
    ----------
    contributions : Contributions
        Of `treecrf.automl.contributions.column_contributions`.
    ax : Axes, optional
        Of matplotlib; new ones unless given.

    Returns
    -------
    Axes
        Each bar begins where the one above ends. The bar of the labels before has a colour of its own.
    """
    table = contributions.table
    names, parts = table["column"].astype(str).tolist(), table["contribution"].to_numpy()
    if len(names) > MOST_COLUMNS + 1:
        n_others = len(names) - MOST_COLUMNS
        names = [*names[:MOST_COLUMNS], f"{n_others} other columns"]
        parts = np.append(parts[:MOST_COLUMNS], parts[MOST_COLUMNS:].sum())
    starts = contributions.baseline + np.cumsum(parts) - parts
    colors = [
        QUIET if name == BEFORE else MAIN if part >= 0 else OPPOSITE for name, part in zip(names, parts, strict=True)
    ]
    with styled():
        ax = axes_of(ax, 6.4, 1.6 + 0.28 * len(names))
        places = np.arange(len(names))
        ax.barh(places, parts, left=starts, color=colors)
        for place, part, start in zip(places, parts, starts, strict=True):
            ax.annotate(
                f"{part:+.3f}",
                (max(start, start + part), place),
                (3, 0),
                textcoords="offset points",
                va="center",
                bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5},
            )
        ax.axvline(contributions.baseline, color="black", linewidth=0.8, linestyle="--", zorder=0.5)
        ax.axvline(contributions.score, color="black", linewidth=0.8, zorder=0.5)
        ax.set_yticks(places, names)
        ax.invert_yaxis()
        ax.use_sticky_edges = False
        ax.margins(x=0.12)
        if contributions.is_exact:
            after = f" after {', '.join(contributions.before)}" if contributions.before else ""
            title = f"Score F of {contributions.label}{after}: {contributions.score:.3f}"
            mean = " (mean of the file, dashed)" if contributions.baseline else ""
            ax.set_xlabel(f"score, from {contributions.baseline:.3f}{mean} to {contributions.score:.3f}")
        else:
            labels = f"{contributions.label} vs {contributions.runner_up}"
            title = f"Log-odds of {labels}: {contributions.score:.3f} (approximate)"
            start = f"{contributions.baseline:.3f} with typical columns (dashed)"
            ax.set_xlabel(f"log-odds, from {start} to {contributions.score:.3f}")
        ax.set_title(fill(title, TITLE_WIDTH))
    return ax
