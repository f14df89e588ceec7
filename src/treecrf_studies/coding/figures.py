"""Figures of the study of output coding (M.S. thesis, chapter 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullFormatter

from treecrf_studies.coding.methods import (
    ALL_LABELS,
    BEAM,
    BEST,
    CASCADE,
    IID,
    INDEPENDENT,
    LEARNERS,
    Form,
    form_of,
    is_coded,
    method_text,
    use_text,
    with_best,
)
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.rendering.panels import (
    MARKER_SIZES,
    WIDTHS,
    add_legend,
    annotate,
    name_axes,
    panel_grid,
    sentence_figure,
)
from treecrf_studies.rendering.style import OTHER_STYLE, SETTINGS

Style = dict[str, Any]

IID_STYLE: Style = {"color": "#777777", "marker": "D", "linestyle": (0, (1.2, 1.2))}
INDEPENDENT_STYLE: Style = {"color": "#8c8c8c", "marker": "s", "linestyle": (0, (4, 1.2))}
CASCADE_STYLES: tuple[Style, ...] = (
    {"color": "#3a96cc", "marker": "o", "linestyle": "-"},
    {"color": "#0072B2", "marker": "^", "linestyle": "-"},
    {"color": "#009E73", "marker": "v", "linestyle": "-"},
    {"color": "#c48600", "marker": "P", "linestyle": "-"},
    {"color": "#D55E00", "marker": "X", "linestyle": "-"},
    {"color": "#CC79A7", "marker": "h", "linestyle": "-"},
    {"color": "#a5522f", "marker": "D", "linestyle": "-"},
)
"""By place among the histories of a figure, short ones first."""

LEVELS: dict[str, Style] = {
    "known_model": {"color": "#8a8a8a", "linestyle": (0, (6, 1.5)), "marker": "*"},
    "full": {"color": "#b0427a", "linestyle": (0, (3, 1, 1, 1)), "marker": "*"},
    "separable": {"color": "#AA4499", "linestyle": (0, (1, 1)), "marker": "p"},
    "crfsuite": {"color": "#6a5acd", "linestyle": "none", "marker": "d"},
    "neural_crf": {"color": "#0072B2", "linestyle": (0, (7, 1, 1, 1)), "marker": "8"},
    "trees_and_nets": {"color": "#117733", "linestyle": (0, (9, 1, 1, 1)), "marker": "P"},
    "perceptron": {"color": "#999933", "linestyle": (0, (4, 1.2)), "marker": "<"},
}
"""Methods that learn all labels at once: horizontal lines where code length varies, single points where seconds do."""

BEAM_STYLES: dict[str, Style] = {
    "gtb": {"color": "#D55E00", "marker": "s", "linestyle": (0, (4, 1.2))},
    "vp": {"color": "#c48600", "marker": "D", "linestyle": (0, (1.2, 1.2))},
}
CODE_STYLES: dict[str, Style] = {
    "gtb": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "vp": {"color": "#009E73", "marker": "^", "linestyle": "-"},
}
BY_LENGTH = {
    ("nettalk_full", "gtb", 1): "5.1a",
    ("nettalk_full", "gtb", 3): "5.1b",
    ("nettalk_full", "vp", 1): "5.2a",
    ("nettalk_full", "vp", 3): "5.2b",
    ("conll2000_np", "vp", 1): "5.4a",
    ("conll2000_np", "vp", 3): "5.4b",
    ("transition", "gtb", 1): "5.6a",
    ("both", "gtb", 3): "5.6b",
}
"""Figures of the thesis by data set, learner and window."""

BY_SECONDS = {
    ("nettalk_full", 1): "5.3a",
    ("nettalk_full", 3): "5.3b",
    ("conll2000_np", 1): "5.5a",
    ("conll2000_np", 3): "5.5b",
}
"""The same by data set and window."""

SHOWN_LEVELS = ("known_model", "full", "separable", "perceptron")


MOST_TICKS = 8
"""Lengths of codes that an axis names, all of them."""


def accuracy_by_length(scores: pd.DataFrame, of_papers: bool = True) -> Figure:
    """Figures 5.1, 5.2, 5.4 and 5.6: test accuracy by bits of the code, a panel per learner and window with several
    lengths.

    `scores` is from `treecrf_studies.coding.summary.score_draws`, of one data set. Horizontal lines: methods that learn
    all labels at once. With `of_papers`, a panel that is a figure of the thesis has its number.
    """
    lines = scores[scores["quantity"] == ACCURACY]
    coded = lines[lines["method"].map(is_coded).astype(bool)]
    if coded.empty:
        return sentence_figure("No method with an output code was run on this data set.")
    histories = _histories(coded)
    panels = [panel for panel in _panels(coded) if len(set(panel[2]["size"])) > 1]
    if not panels:
        return sentence_figure("All codes of this data set have one length; a table has their accuracies.")
    dataset = str(lines["dataset"].iloc[0])
    with mpl.rc_context(SETTINGS):
        titles = [
            _title(
                BY_LENGTH.get((dataset, learner, window)) if of_papers else None,
                f"{LEARNERS[learner]}, window {window}",
            )
            for learner, window, _ in panels
        ]
        figure, every = panel_grid(titles, lambda n, m: (WIDTHS[n], 2.6 * m + 0.9), most_columns=2)
        for axes, (_, window, rows) in zip(every, panels, strict=True):
            for method, line in rows.groupby("method", sort=False):
                _draw(axes, line["size"], line, _code_style(form_of(str(method)), histories), use_text(str(method)))
            _draw_levels(axes, lines, window)
            lengths = sorted(set(rows["size"]))
            axes.xaxis.set_major_locator(
                FixedLocator(lengths) if len(lengths) <= MOST_TICKS else MaxNLocator(integer=True)
            )
        name_axes(figure, every, "bits of the code", "accuracy on the test set (%)")
        add_legend(figure, every, "", handlelength=3.2)
    return figure


def accuracy_by_seconds(scores: pd.DataFrame, best: pd.DataFrame, of_papers: bool = True) -> Figure:
    """Figures 5.3 and 5.5: test accuracy against CPU seconds of training, a panel per window.

    Lines of c-SECOC (the history that held-out sequences prefer) run over code lengths, those of beam search over
    beams, whose numbers stand beside the markers; single markers are methods that learn all labels at once.
    """
    lines = scores[scores["quantity"] == ACCURACY]
    of_thesis = lines["method"].map(lambda method: form_of(method) is not None).astype(bool)
    windows = sorted(set(lines.loc[of_thesis, "window"]))
    if not windows:
        return sentence_figure("No method with an output code or a beam was run on this data set.")
    with mpl.rc_context(SETTINGS):
        dataset = str(lines["dataset"].iloc[0])
        titles = [
            _title(BY_SECONDS.get((dataset, window)) if of_papers else None, f"window {window}") for window in windows
        ]
        figure, every = panel_grid(titles, lambda n, m: (WIDTHS[n], 3.0 * m + 0.9), most_columns=2)
        for axes, window in zip(every, windows, strict=True):
            axes.set_xscale("log")
            _draw_seconds(axes, lines[lines["window"] == window], with_best(best, window))
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if _is_narrow(axes) else (1,)))
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        name_axes(figure, every, "CPU seconds of training", "accuracy on the test set (%)")
        add_legend(figure, every, "", handlelength=3.2)
    return figure


def _title(number: str | None, text: str) -> str:
    return f"{number}: {text}" if number else text


def _panels(coded: pd.DataFrame) -> Iterator[tuple[str, int, pd.DataFrame]]:
    learners = coded["method"].map(lambda method: method.partition("_")[0])
    for learner in LEARNERS:
        for window in sorted(set(coded["window"])):
            rows = coded[(learners == learner) & (coded["window"] == window)]
            if len(rows):
                yield learner, window, rows


def _histories(coded: pd.DataFrame) -> list[int | str]:
    """Lengths of history that occur, "all" last."""
    forms = [form_of(method) for method in coded["method"].unique()]
    histories = {form.history for form in forms if form is not None and form.use == CASCADE}
    return sorted(histories, key=lambda history: (isinstance(history, str), history))


def _code_style(form: Form | None, histories: list[int | str]) -> Style:
    assert form is not None
    if form.use in (IID, INDEPENDENT):
        return IID_STYLE if form.use == IID else INDEPENDENT_STYLE
    return CASCADE_STYLES[histories.index(form.history) % len(CASCADE_STYLES)]


def _draw(axes: Axes, x: pd.Series, line: pd.DataFrame, style: Style, label: str) -> None:
    size = MARKER_SIZES.get(str(style["marker"]), 4.2)
    ends = [line["value"] - line["low"], line["high"] - line["value"]]
    spread = ends if (line["n"] > 1).any() else None
    axes.errorbar(
        x, line["value"], spread, label=label, markersize=size, linewidth=1.2, capsize=2, elinewidth=0.8, **style
    )


def _is_narrow(axes: Axes) -> bool:
    """Whether a logarithmic axis has so few powers of ten that numbers between them are named, too."""
    low, high = axes.get_xlim()
    return high < 100 * low


def _draw_levels(axes: Axes, lines: pd.DataFrame, window: int) -> None:
    """The best that a first-order chain can do, and what exact ones reach with the same window."""
    for method in SHOWN_LEVELS:
        rows = lines[lines["method"] == method]
        rows = rows if method == "known_model" else rows[rows["window"] == window]
        if len(rows):
            style = LEVELS[method]
            axes.axhline(
                rows["value"].iloc[0],
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=1.1,
                label=ALL_LABELS[method],
            )


def _draw_seconds(axes: Axes, lines: pd.DataFrame, chosen: dict[str, str]) -> None:
    for learner in LEARNERS:
        for method, style, label in (
            (f"{learner}_{INDEPENDENT}", INDEPENDENT_STYLE | {"marker": CODE_STYLES[learner]["marker"]}, ""),
            (chosen.get(f"{learner}_{BEST}"), CODE_STYLES[learner], f"c-SECOC(chosen h), {LEARNERS[learner]}"),
            (f"{learner}_{BEAM}", BEAM_STYLES[learner], ""),
        ):
            line = lines[lines["method"] == method]
            if len(line):
                _draw(axes, line["cpu_seconds"], line, style, label or method_text(str(method)))
                if str(method).endswith(BEAM):
                    annotate(axes, line[["size", "cpu_seconds", "value"]], style["color"], (4, -9))
    for method, style in LEVELS.items():
        line = lines[(lines["method"] == method) & (lines["cpu_seconds"] > 0)]
        if len(line):
            _draw(axes, line["cpu_seconds"], line, style | {"linestyle": "none"}, ALL_LABELS[method])
    others = [name for name in lines["method"].unique() if form_of(name) is None and name not in ALL_LABELS]
    for method in others:
        line = lines[lines["method"] == method]
        _draw(axes, line["cpu_seconds"], line, OTHER_STYLE | {"linestyle": "none"}, method)
