"""Figures of the study of kernels (Altun, Smola and Hofmann 2004)."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from treecrf_studies.kernels.methods import DECODER, DEGREES, FORM_NAMES, METHODS, PIVOT_NAMES, SOLVER_TEXTS
from treecrf_studies.rendering.panels import (
    MARKER_SIZES,
    WIDTHS,
    add_legend,
    draw_by_dataset,
    name_axes,
    panel_grid,
    sentence_figure,
    with_several,
)
from treecrf_studies.rendering.style import SETTINGS

Style = dict[str, Any]

TICKS = ("primal", *map(str, DEGREES.values()))
PLACES = {"primal": 0.0, **{method: float(degree) for method, degree in DEGREES.items()}, "low_rank": 2.2}
"""What stands below figure 1, and where its methods are; the kernel of low rank has degree 2."""

PRIMAL_STYLE: Style = {"color": "#777777", "marker": "D", "linestyle": "none"}
DEGREE_STYLE: Style = {"color": "#D55E00", "marker": "o", "linestyle": "none"}
LOW_RANK_STYLE: Style = {"color": "#D55E00", "marker": "s", "linestyle": "none", "markerfacecolor": "none"}
DRAWN = (
    ("primal", PRIMAL_STYLE, ["primal"]),
    ("kernel", DEGREE_STYLE, list(DEGREES)),
    ("kernel, low rank", LOW_RANK_STYLE, ["low_rank"]),
)
"""Dots of figure 1: label, look, methods."""

LEVELS: dict[str, Style] = {
    "separable": {"color": "#AA4499", "linestyle": (0, (1, 1))},
    "full": {"color": "#b0427a", "linestyle": (0, (3, 1, 1, 1))},
    "treecrf": {"color": "#0072B2", "linestyle": "-"},
    "crfsuite": {"color": "#8a8a8a", "linestyle": (0, (6, 1.5))},
    "linear_crf": {"color": "#777777", "linestyle": (0, (4, 1.2))},
    "neural_crf": {"color": "#0072B2", "linestyle": (0, (7, 1, 1, 1))},
}
"""Rivals in figure 1, horizontal lines."""

SOLVER_STYLES: dict[str, Style] = {
    "lbfgs": {"color": "#0072B2", "marker": "", "linestyle": "-"},
    "lbfgs_matrix": {"color": "#3a96cc", "marker": "", "linestyle": (0, (3, 1))},
    "newton": {"color": "#009E73", "marker": "^", "linestyle": "-"},
    "subspace": {"color": "#c48600", "marker": "", "linestyle": (0, (5, 1))},
    "block_jacobi": {"color": "#D55E00", "marker": "X", "linestyle": (0, (1.2, 1.2))},
    "block_jacobi_halved": {"color": "#CC79A7", "marker": "", "linestyle": (0, (3, 1, 1, 1))},
    "crfsuite": {"color": "#777777", "marker": "D", "linestyle": "none"},
}
PIVOT_STYLES: dict[str, Style] = {
    "random": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "greedy": {"color": "#D55E00", "marker": "s", "linestyle": (0, (4, 1.2))},
    "uniform": {"color": "#009E73", "marker": "^", "linestyle": (0, (1.2, 1.2))},
}
FORM_STYLES: dict[str, Style] = {
    "monomials": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "matrix": {"color": "#D55E00", "marker": "s", "linestyle": (0, (4, 1.2))},
    "low_rank": {"color": "#009E73", "marker": "^", "linestyle": (0, (1.2, 1.2))},
}

LEAST_EXCESS = 1e-9
"""Parts of the objective below it are drawn as this: errors of rounding."""


def accuracy_by_degree(scores: pd.DataFrame) -> Figure:
    """Figure 1: accuracy of the primal linear CRF and of kernels by degree, a panel per data set; rivals as lines."""
    lines = scores[scores["decoder"] == DECODER]
    shown = with_several(lines[lines["method"].isin(PLACES)].assign(place=lines["method"].map(PLACES)), "place")
    if shown.empty:
        return sentence_figure("No data set has kernels of several degrees; a table has their accuracies.")
    return draw_by_dataset(
        lines[lines["dataset"].isin(shown["dataset"])],
        _draw_degrees,
        lambda n, m: (WIDTHS[n], 2.4 * m + 0.8),
        "primal, or degree of the kernel",
        "accuracy on the test set (%)",
        "",
    )


def _draw_degrees(axes: Axes, rows: pd.DataFrame) -> None:
    by_method = rows.set_index("method")
    for label, style, known in DRAWN:
        methods = [method for method in known if method in by_method.index]
        if not methods:
            continue
        line = by_method.loc[methods]
        spread = [line["value"] - line["low"], line["high"] - line["value"]]
        places = [PLACES[method] for method in methods]
        ends = spread if (line["n"] > 1).any() else None
        axes.errorbar(places, line["value"], ends, label=label, markersize=5, capsize=3, elinewidth=1.0, **style)
    axes.set_xticks(range(len(TICKS)), TICKS)
    axes.set_xlim(-0.5, len(TICKS) - 0.5)
    for method, style in LEVELS.items():
        if method in by_method.index:
            axes.axhline(by_method["value"][method], linewidth=1.2, label=METHODS[method], **style)


def excess_by_seconds(solvers: pd.DataFrame) -> Figure:
    """By which part of the minimum the objective is above it, against CPU seconds; a panel per data set and degree."""
    groups = list(solvers.groupby(["dataset", "degree"], sort=False))
    with mpl.rc_context(SETTINGS):
        figure, every = panel_grid(
            [f"{dataset}, degree {degree}" for (dataset, degree), _ in groups],
            lambda n, m: (WIDTHS[n], 2.8 * m + 0.9),
            most_columns=2,
        )
        for axes, (_, rows) in zip(every, groups, strict=True):
            axes.set_xscale("log")
            axes.set_yscale("log")
            for solver, line in rows.groupby("solver", sort=False):
                drawn = line[line["cpu_seconds"] > 0]
                _draw(
                    axes,
                    drawn["cpu_seconds"],
                    drawn["excess"].clip(lower=LEAST_EXCESS),
                    SOLVER_STYLES[str(solver)],
                    SOLVER_TEXTS[str(solver)],
                )
            axes.set_ylim(LEAST_EXCESS / 2, 10)
        name_axes(figure, every, "CPU seconds", "objective above its minimum, as a part of it")
        add_legend(figure, every, "", handlelength=3.2)
    return figure


def loss_by_rank(ranks: pd.DataFrame) -> Figure:
    """Accuracy, and the objective above that of the exact model, by rank; a row of panels per data set."""
    several = set(with_several(ranks[ranks["pivots"] != "exact"], "rank")["dataset"])
    groups = list(ranks[ranks["dataset"].isin(several)].groupby("dataset", sort=False))
    if not groups:
        return sentence_figure("All approximations have one rank; a table has their accuracies.")
    titles = [
        text
        for dataset, _ in groups
        for text in (f"{dataset}: accuracy (%)", f"{dataset}: objective above the exact one")
    ]
    with mpl.rc_context(SETTINGS):
        figure, every = panel_grid(titles, lambda n, m: (WIDTHS[n], 2.5 * m + 0.9), most_columns=2)
        for (_, rows), axes, below in zip(groups, every[::2], every[1::2], strict=True):
            axes.axhline(
                rows[rows["pivots"] == "exact"]["accuracy"].iloc[0], color="#8a8a8a", linewidth=1.0, label="exact"
            )
            for pivots, line in rows[rows["pivots"] != "exact"].groupby("pivots", sort=False):
                style, label = PIVOT_STYLES[str(pivots)], f"{PIVOT_NAMES[str(pivots)]} pivots"
                _draw(axes, line["rank"], line["accuracy"], style, label)
                _draw(below, line["rank"], line["excess"], style, label)
            for each in (axes, below):
                each.set_xscale("log")
                each.set_xticks(sorted(set(rows["rank"][rows["pivots"] != "exact"])), minor=False)
                each.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
                each.minorticks_off()
            below.set_yscale("log")
        for axes in every:
            axes.set_xlabel("rank")
        add_legend(figure, every, "", handlelength=3.2)
    return figure


def cost_by_size(sizes: pd.DataFrame) -> Figure:
    """CPU seconds and memory of training by positions; a row of panels per data set, a line per form of the model."""
    groups = list(with_several(sizes, "n_positions").groupby("dataset", sort=False))
    if not groups:
        return sentence_figure("All training sets have one size; a table has their cost.")
    titles = [text for dataset, _ in groups for text in (f"{dataset}: CPU seconds", f"{dataset}: memory (MB)")]
    with mpl.rc_context(SETTINGS):
        figure, every = panel_grid(titles, lambda n, m: (WIDTHS[n], 2.5 * m + 0.9), most_columns=2)
        for place, (_, rows) in enumerate(groups):
            for axes, name in zip(every[2 * place :], ("cpu_seconds", "memory_mb"), strict=False):
                for form, line in rows.groupby("form", sort=False):
                    _draw(axes, line["n_positions"], line[name], FORM_STYLES[str(form)], FORM_NAMES[str(form)])
                axes.set_xscale("log")
                axes.set_yscale("log")
                axes.set_xticks(sorted(set(rows["n_positions"])))
                axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                for axis in (axes.xaxis, axes.yaxis):
                    axis.set_major_formatter(lambda value, _: f"{value:g}")
                axes.minorticks_off()
                axes.set_xlabel("positions")
        add_legend(figure, every, "", handlelength=3.2)
    return figure


def _draw(axes: Axes, x: pd.Series, y: pd.Series, style: Style, label: str) -> None:
    size = MARKER_SIZES.get(str(style["marker"]), 4.2)
    axes.plot(x, y, label=label, linewidth=1.2, markersize=size, **style)
