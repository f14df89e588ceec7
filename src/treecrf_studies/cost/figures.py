"""Figures of what training and prediction cost (PhD figure 3.3), and of what sampling saves.

Their frames are those of `treecrf_studies.cost.summary.make_frames`: medians of the repeats, which faint bands and bars
surround from the smallest to the largest.
"""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from treecrf_studies.cost.methods import OPTION, SAMPLING_NAMES, SECONDS
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.rendering.panels import (
    GUIDE,
    MARKER_SIZES,
    WIDTHS,
    add_legend,
    annotate,
    draw_by_dataset,
    name_axes,
    sentence_figure,
)
from treecrf_studies.rendering.style import (
    SETTINGS,
    ordered_training_methods,
    training_method_name,
    training_method_style,
)

GUIDE_COLOR = "#8c8c8c"

SPREAD = ("value", "low", "high")
"""Columns of the median, the smallest and the largest."""

FAINT = 0.2
"""Opacity of bands and bars."""

SAMPLING_STYLES: dict[str, dict[str, Any]] = {
    "none": {"color": "#777777", "marker": "*", "linestyle": "none"},
    "row_fraction": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "feature_fraction": {"color": "#D55E00", "marker": "s", "linestyle": (0, (4, 1.2))},
    "influence_trimming": {"color": "#009E73", "marker": "^", "linestyle": (0, (6, 1.2, 1.2, 1.2))},
    "pseudo_likelihood_iterations": {"color": "#AA4499", "marker": "D", "linestyle": (0, (1, 1.2))},
}


def forward_backward_by_length(scaling: pd.DataFrame) -> Figure:
    """Figure 3.3a: CPU seconds per iteration of forward-backward, by sequence length, a line per method.

    Both axes are logarithmic; the grey line grows in proportion to the length.
    """
    rows = _rows(scaling, "length", "forward_backward")
    return _figure(rows, "sequence length", "CPU seconds per iteration")


def induction_by_features(scaling: pd.DataFrame) -> Figure:
    """Figure 3.3b: CPU seconds of one induction of features, by the number of boolean features; else as figure 3.3a."""
    rows = _rows(scaling, "n_features", "induction")
    return _figure(rows, "number of features", "CPU seconds per induction")


def evaluation_by_length(scaling: pd.DataFrame) -> Figure:
    """Figure 3.3c: CPU time of evaluating F at one position, by sequence length: trees, flat trees, dot products."""
    rows = _rows(scaling, "length", "evaluation")
    rows = rows.assign(**{name: 1e6 * rows[name] / rows["n_positions"] for name in SPREAD})
    return _figure(rows, "sequence length", "CPU microseconds per position", guide=False)


def sampling_trade_off(sampling: pd.DataFrame) -> Figure:
    """Accuracy against the CPU seconds of training, with samples, influence trimming or a start by pseudo-likelihood.

    A panel per data set. Star: everything is used; the lines start there. The other markers carry the value of the
    option.
    """
    seconds, accuracy = (sampling[sampling["quantity"] == quantity] for quantity in (SECONDS, ACCURACY))
    return draw_by_dataset(
        accuracy.merge(seconds, on=OPTION, suffixes=("", "_seconds")),
        _draw_sampling,
        lambda n, m: (WIDTHS[n], 2.4 * m + 0.8),
        "CPU seconds of training",
        "accuracy on the test set (%)",
        "",
    )


def _rows(scaling: pd.DataFrame, axis: str, quantity: str) -> pd.DataFrame:
    """The measurements of one quantity along one axis."""
    return scaling[(scaling["axis"] == axis) & (scaling["quantity"] == quantity)]


def _figure(rows: pd.DataFrame, below: str, beside: str, guide: bool = True) -> Figure:
    """A line per method in its band; a sentence where no method has been measured."""
    if rows.empty or rows["size"].nunique() < 2:
        return sentence_figure("Nothing was measured along this axis.")
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(4.6, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.set(xscale="log", yscale="log")
        values = np.unique(rows["size"])
        axes.set_xticks(values, [f"{value:g}" for value in values])
        axes.set_xticks([], minor=True)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.3)))
        for method in ordered_training_methods(rows["method"]):
            line = rows[rows["method"] == method].sort_values("size")
            style = training_method_style(method)
            middle, low, high = (line[name] for name in SPREAD)
            axes.fill_between(line["size"], low, high, color=style["color"], alpha=FAINT, linewidth=0)
            axes.plot(
                line["size"],
                middle,
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=1.2,
                marker=style["marker"],
                markersize=1.3 * MARKER_SIZES.get(style["marker"], 3.8),
                markeredgecolor="white",
                markeredgewidth=0.4,
                label=training_method_name(method),
            )
        if guide:
            top = 1.6 * rows["value"].max()  # above the others
            axes.plot(
                values,
                top * values / values[-1],
                color=GUIDE_COLOR,
                linewidth=0.8,
                zorder=1,
                label="in proportion",
                gid=GUIDE,
            )
        name_axes(figure, [axes], below, beside)
        add_legend(figure, [axes], "", handlelength=3.2)
    return figure


def _draw_sampling(axes: Axes, of_set: pd.DataFrame) -> None:
    everything = of_set[of_set["option"] == "none"]
    measured = set(of_set["option"])
    for option in [option for option in SAMPLING_NAMES if option in measured]:
        rows = of_set[of_set["option"] == option].sort_values("value_seconds", ascending=False)
        line = rows if option == "none" else pd.concat([everything, rows])
        style = SAMPLING_STYLES[option]
        for low, high, at, draw in (
            (rows["low_seconds"], rows["high_seconds"], rows["value"], axes.hlines),
            (rows["low"], rows["high"], rows["value_seconds"], axes.vlines),
        ):
            draw(at, low, high, color=style["color"], alpha=2 * FAINT, linewidth=1.0)
        axes.plot(
            line["value_seconds"],
            line["value"],
            color=style["color"],
            linestyle=style["linestyle"],
            linewidth=1.0,
            marker=style["marker"],
            markersize=9 if option == "none" else 1.4 * MARKER_SIZES.get(style["marker"], 3.8),
            markeredgecolor="white",
            markevery=slice(0 if option == "none" else len(everything), None),
            label=SAMPLING_NAMES[option],
            zorder=3 if option == "none" else 2,
        )
        if option != "none":
            annotate(axes, rows[["setting", "value_seconds", "value"]], style["color"], (4, 3))
