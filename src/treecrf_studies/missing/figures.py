"""Figures of the study of missing values (PhD chapter 4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from treecrf.io.messages import counted
from treecrf.missing import MECHANISMS
from treecrf.statistics.two_way import BLOCK
from treecrf_studies.missing.methods import TREES
from treecrf_studies.rendering.panels import (
    MARKER_SIZES,
    add_legend,
    by_dataset,
    draw_by_dataset,
    name_axes,
    panel_grid,
    sentence_figure,
    with_several,
)
from treecrf_studies.rendering.style import INK, SETTINGS, SMALL, method_name, method_style, ordered_methods

BAR_COLOR = "#0072B2"
DODGE = 0.76
"""Part of the room of a category that the methods in it take up, side by side."""

SLOT = "#88888818"
"""Behind every other category."""

BELOW = "values removed (%)"
"""Name of the axis of rates: what the file lacks already is not among them."""


def accuracy_by_rate(evaluations: pd.DataFrame, most_columns: int | None = None) -> Figure:
    """Figure 4.1: mean accuracy against the missing rate, a panel per data set, a line per method.

    `evaluations` has a row per damaged training set and damaged test set. Marker: mean accuracy of the evaluations.
    """
    evaluations = with_several(evaluations, "rate")
    if evaluations.empty:
        return sentence_figure("There is one share of missing values; a table has the accuracies.")
    accuracy = evaluations.assign(percent=100 * evaluations["n_correct"] / evaluations["n_positions"])
    methods = ordered_methods(evaluations["method"])
    counts = evaluations.groupby(["dataset", "rate", "method"]).size()
    with mpl.rc_context(SETTINGS):
        figure, panels = _figure_by_rate(accuracy, most_columns)
        for axes, (_, of_set) in zip(panels, by_dataset(accuracy), strict=True):
            _rate_axis(axes, np.unique(of_set["rate"]))
            means = of_set.groupby(["method", "rate"])["percent"].mean()
            for method in (name for name in methods if name in means.index):
                axes.errorbar(means[method].index, means[method], **_marks(method, joined=True))
        name_axes(figure, panels, BELOW, "accuracy on the test sets (%)")
        add_legend(figure, panels, f"mean of {_number_text(counts)}", handlelength=3.2)
    return figure


def accuracy_by_trees(evaluations: pd.DataFrame) -> Figure:
    """The same for each kind of trees: the kinds side by side in rows, a row for each data set.

    `evaluations` has a column trees too. The panels of a row have one scale.
    """
    if evaluations.empty:
        return sentence_figure("This run has one kind of trees.")
    kinds = [name for name in TREES if name in set(evaluations["trees"])]
    datasets = list(dict.fromkeys(evaluations["dataset"]))
    parts = evaluations.groupby(["dataset", "trees"])
    titled = pd.concat(
        parts.get_group(pair).assign(dataset=f"{pair[0]}, {TREES[pair[1]].name}")
        for pair in product(datasets, kinds)
        if pair in parts.groups
    )
    figure = accuracy_by_rate(titled, most_columns=len(kinds))
    panels = figure.axes
    for first in range(0, len(panels), len(kinds)):
        row = panels[first : first + len(kinds)]
        ends = np.array([axes.get_ylim() for axes in row])
        for axes in row:
            axes.set_ylim(ends.min(), ends.max())
    return figure


def accuracy_by_mechanism(evaluations: pd.DataFrame) -> Figure:
    """Mean accuracy by the way in which cells are missing, a panel per data set, a mark per method.

    `evaluations` has a row per mechanism, damaged training set and damaged test set. Marker: mean accuracy. Bar: one
    standard deviation to either side, where there are two evaluations or more.
    """
    if evaluations.empty:
        return sentence_figure("In this run cells are missing completely at random.")
    accuracy = evaluations.assign(percent=100 * evaluations["n_correct"] / evaluations["n_positions"])
    methods = ordered_methods(evaluations["method"])
    names = [name for name in MECHANISMS if name in set(evaluations["mechanism"])]
    counts = evaluations.groupby(["dataset", "mechanism", "method"]).size()

    def draw(axes: Axes, of_set: pd.DataFrame) -> None:
        for method, shift in _shifts(methods):
            spread = of_set[of_set["method"] == method].groupby("mechanism")["percent"].agg(["mean", "std"])
            places = [names.index(name) + shift for name in spread.index]
            axes.errorbar(spread["mean"], places, xerr=spread["std"], **_marks(method, joined=False))
        axes.grid(visible=False, axis="y")
        axes.set_yticks(range(len(names)), [MECHANISMS[name].name for name in names])
        axes.set_ylim(len(names) - 0.5, -0.5)  # the first one on top

    return draw_by_dataset(
        accuracy,
        draw,
        lambda n, m: (1.6 + 3.0 * n, (0.5 + 0.45 * len(names)) * m + 0.9),
        "accuracy on the test sets (%)",
        "",
        _behind(counts),
        handlelength=1.0,
        most_columns=2,
        sharey=True,
    )


def effects_by_rate(comparisons: pd.DataFrame, baseline: str) -> Figure:
    """Accuracy of each method minus the baseline's by missing rate, a panel per data set, a slot per rate with the
    methods side by side.

    `comparisons` is from `treecrf.statistics.blocks.compare_crossed`. Marker: difference in points of accuracy. Bar:
    its 95 % interval of the family. Values that are not finite are left out. A panel's title says where blocks of lines
    take the place of sequences.
    """
    against = comparisons[comparisons["other"] == baseline]
    if against.empty:
        others = ", ".join(sorted(comparisons["other"].unique())) or "none"
        raise ValueError(f"no comparison has the baseline {baseline!r}; there are {others}")
    against = with_several(against, "rate")
    if against.empty:
        return sentence_figure("There is one share of missing values; a table has the differences.")
    methods = [method for method in ordered_methods([baseline, *against["method"]]) if method != baseline]
    with mpl.rc_context(SETTINGS):
        figure, panels = _figure_by_rate(against)
        for axes, (_, of_set) in zip(panels, by_dataset(against), strict=True):
            axes.axhline(0, color=INK, linewidth=1.0, zorder=1)
            if (of_set["cluster"] == BLOCK).any():
                axes.set_title(f"{axes.get_title(loc='left')} (other lines only)", loc="left", fontsize=9)
            rates = np.unique(of_set["rate"])
            _slot_axis(axes, rates)
            for method, shift in _shifts(methods):
                points = _finite(of_set[of_set["method"] == method].set_index("rate").sort_index())
                middle = points["value"]
                reach = np.array([middle - points["family_low"], points["family_high"] - middle])
                places = np.searchsorted(rates, points.index) + shift
                axes.errorbar(places, middle, yerr=reach, **_marks(method, joined=False))
        label = f"accuracy minus that of {method_name(baseline)} (points)"
        name_axes(figure, panels, BELOW, label)
        add_legend(figure, panels, "difference and its 95 % interval (Bonferroni)", handlelength=1.0)
    return figure


def feature_frequencies(frequencies: pd.DataFrame) -> Figure:
    """Figure 4.2: share of the lines on which each line feature is true, a panel per data set.

    `frequencies` is from `treecrf_studies.missing.summary.feature_frequencies`. Features are in the order of their
    numbers, as in the dissertation, the first one on top, so that a feature is in the same place in each panel. A
    sentence where there is no feature.
    """
    if frequencies.empty:
        return sentence_figure("No data set of this study has attributes of two categories.")
    features = frequencies.groupby("feature", sort=False)
    numbers = features["number"].agg(lambda values: ", ".join(map(str, sorted(set(values)))))
    order = features["number"].min().sort_values(ascending=False, kind="stable").index
    places = {feature: place for place, feature in enumerate(order)}

    def draw(axes: Axes, of_set: pd.DataFrame) -> None:
        _draw_shares(axes, of_set["feature"].map(places), 100 * of_set["share_true"])
        axes.set_yticks(range(len(order)), [f"{name} ({numbers[name]})" for name in order], fontsize=SMALL)
        axes.set_ylim(-0.7, len(order) - 0.3)
        axes.set_xlim(0, 119)  # room for the number beside a bar of 100
        axes.set_xticks([0, 25, 50, 75, 100])

    return draw_by_dataset(
        frequencies,
        draw,
        lambda n, m: (2.0 + 1.75 * n, (0.9 + 0.18 * len(order)) * m),
        "lines on which the feature is true (%)",
        "",
        sharex=True,
        sharey=True,
    )


# --- panels -----------------------------------------------------------------------------------------


def _figure_by_rate(frame: pd.DataFrame, most_columns: int | None = None) -> tuple[Figure, list[Axes]]:
    """Figure and panels, two in a row, three from seven on, unless given; titles are set."""
    sets = list(by_dataset(frame))
    widths = {1: 4.6, 2: 7.2, 3: 9.0}
    most_columns = min(3, most_columns or (2 if len(sets) <= 6 else 3))
    figure, panels = panel_grid([title for title, _ in sets], lambda n, m: (widths[n], 2.15 * m + 0.9), most_columns)
    return figure, panels


def _rate_axis(axes: Axes, rates: np.ndarray) -> None:
    """Rates at their places, with names where these have room."""
    room = 0.04 * np.ptp(rates)
    axes.set_xlim(rates[0] - room, rates[-1] + room)
    if np.diff(rates).min() >= np.ptp(rates) / 15:
        axes.set_xticks(rates)
    axes.xaxis.set_major_formatter(lambda rate, _: f"{100 * rate:g}")
    axes.grid(visible=False, axis="x")


def _slot_axis(axes: Axes, rates: np.ndarray) -> None:
    """A slot of equal width for each rate: what stands beside the middle of a slot is no other rate."""
    for place in range(0, len(rates), 2):
        axes.axvspan(place - 0.5, place + 0.5, color=SLOT, linewidth=0)
    axes.set_xlim(-0.5, len(rates) - 0.5)
    axes.set_xticks(range(len(rates)), [f"{100 * rate:g}" for rate in rates])
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")


def _shifts(methods: list[str]) -> Iterator[tuple[str, float]]:
    """Each method with its distance from the middle of a category of width one."""
    for place, method in enumerate(methods):
        yield method, DODGE * ((place + 0.5) / len(methods) - 0.5)


# --- marks ------------------------------------------------------------------------------------------


def _marks(method: str, joined: bool) -> dict[str, Any]:
    """How matplotlib draws a method's marks and bars, and the lines between them."""
    style = method_style(method)
    return {
        "color": style["color"],
        "marker": style["marker"],
        "linestyle": style["linestyle"] if joined else "none",
        "markersize": MARKER_SIZES.get(style["marker"], 3.8),
        "markeredgecolor": "white",
        "markeredgewidth": 0.3,
        "linewidth": 1.1,
        "elinewidth": 0.9,
        "capsize": 1.4,
        "label": method_name(method),
    }


def _draw_shares(axes: Axes, places: pd.Series, percent: pd.Series) -> None:
    axes.barh(places, percent, height=0.72, color=BAR_COLOR)
    for place, value in zip(places, percent, strict=True):
        if np.isfinite(value):
            axes.text(value + 1.5, place, f"{value:.1f}", va="center", fontsize=SMALL)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _finite(points: pd.DataFrame) -> pd.DataFrame:
    """The rows with a finite difference; an end of an interval that is not finite becomes NaN."""
    columns = points[["value", "family_low", "family_high"]].astype(float)
    columns = columns.where(np.isfinite(columns))
    return columns.dropna(subset="value")


def _behind(counts: pd.Series) -> str:
    """What marks with bars show."""
    several = counts[counts > 1]
    if several.empty:
        return "single evaluations"
    single = "; without a bar: one" if len(several) < len(counts) else ""
    return f"mean and standard deviation of {_number_text(several)}{single}"


def _number_text(counts: pd.Series) -> str:
    """How many evaluations stand behind a mean."""
    low, high = counts.min(), counts.max()
    return counted(low, "evaluation") if low == high else f"{low} to {high} evaluations"
