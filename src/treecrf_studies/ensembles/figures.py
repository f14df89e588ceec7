"""Figures of the study of ensembles (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from treecrf_studies.ensembles.methods import BEST, BOOSTED, COMBINED, STACKED, ordered_methods
from treecrf_studies.rendering.panels import WIDTHS, draw_by_dataset

COLOURS = ("#0072B2", "#009E73", "#c48600", "#D55E00")
"""Of the margins that are drawn."""

MOST_DRAWN = len(COLOURS)

STYLES = {BEST: "s", STACKED: "s", BOOSTED: "s", "stacking": "o", "boosted_stacking": "o"}
"""Markers of what learns from marginals or retrains; votes have diamonds."""


def margin_loss_by_round(bounds: pd.DataFrame) -> Figure:
    """Both sides of theorem 3 after each round, means over the samples of the first pool; a panel for each set."""
    first = bounds[bounds["pool"] == bounds["pool"].iloc[0]]
    drawn = _spread(sorted(first["rho"].unique()))

    def draw(axes: Axes, rows: pd.DataFrame) -> None:
        for rho, colour in zip(drawn, COLOURS, strict=False):
            line = rows[rows["rho"] == rho]
            axes.plot(
                line["round"],
                line["bound"],
                color=colour,
                linestyle=(0, (4, 1.2)),
                marker="^",
                markersize=3.5,
                label=f"bound, ρ = {rho:g}",
            )
            axes.plot(
                line["round"],
                line["margin_loss"],
                color=colour,
                marker="o",
                markersize=3.5,
                label=f"margin loss, ρ = {rho:g}",
            )
        axes.set_yscale("log")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))

    return draw_by_dataset(
        first, draw, lambda n, m: (WIDTHS[n], 3.0 * m + 0.9), "round", "fraction of training positions", "", sharey=True
    )


def _spread(values: list[float]) -> list[float]:
    """At most `MOST_DRAWN` of sorted values, from the first to the last."""
    places = np.linspace(0, len(values) - 1, min(MOST_DRAWN, len(values))).round().astype(int)
    return [values[place] for place in places]


def errors_by_ensemble(scores: pd.DataFrame) -> Figure:
    """Errors of every ensemble, a panel for each data set."""
    return draw_by_dataset(
        scores,
        _draw_errors,
        lambda n, m: (WIDTHS[max(n, 2)], 2.3 * m + 0.6),
        "errors on part C (%)",
        "",
        most_columns=2,
        sharey=True,
    )


def _draw_errors(axes: Axes, of_set: pd.DataFrame) -> None:
    rows = of_set.set_index("method")
    methods = ordered_methods(rows.index)
    for place, method in enumerate(methods):
        row = rows.loc[method]
        spread = [[row["high"] - row["value"]], [row["value"] - row["low"]]]
        axes.errorbar(
            100 - row["value"],
            place,
            xerr=spread if row["n"] > 1 else None,
            fmt=STYLES.get(method, "D"),
            markersize=4.5,
            capsize=2.5,
            elinewidth=1.0,
            color="#D55E00" if method in STYLES else "#0072B2",
        )
    axes.set_yticks(range(len(methods)), [COMBINED[method] for method in methods])
    axes.set_ylim(len(methods) - 0.5, -0.5)
