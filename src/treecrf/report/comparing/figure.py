"""Figure of the numbers that moved between two runs."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from treecrf.rendering.style import SETTINGS
from treecrf.report.comparing.numbers import BEYOND, WITHIN

MOST = 40
"""Numbers that are drawn: those that moved farthest."""

COLORS = {BEYOND: "#D55E00", WITHIN: "#4d4d4d"}


def draw_moves(numbers: pd.DataFrame) -> Figure | None:
    """Points of the second run minus the first with 95 % intervals, a line for each of the numbers that moved farthest.

    Parameters
    ----------
    numbers : DataFrame
        Of `treecrf.report.comparing.numbers.compare_numbers`.

    Returns
    -------
    Figure or None
        Filled markers: beyond noise. None where no number moved.
    """
    moved = numbers[numbers["outcome"].isin([BEYOND, WITHIN])]
    if moved.empty:
        return None
    farthest = moved.loc[moved["points"].abs().sort_values(ascending=False, kind="stable").index[:MOST]]
    rows = farthest.sort_values("points", kind="stable").reset_index(drop=True)
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(7.2, 1.1 + 0.2 * len(rows)), layout="constrained")
        axes = figure.subplots()
        axes.axvline(0, color="black", linewidth=0.8)
        for outcome, of in rows.groupby("outcome", sort=True):
            color = COLORS[str(outcome)]
            axes.hlines(of.index, of["points_low"], of["points_high"], color=color, linewidth=1.2)
            filled = color if outcome == BEYOND else "white"
            axes.plot(
                of["points"], of.index, "o", color=color, markerfacecolor=filled, markersize=4.5, label=str(outcome)
            )
        axes.set_yticks(range(len(rows)), [number_name(row) for row in rows.to_dict("records")], fontsize=7.5)
        axes.set_ylim(-0.8, len(rows) - 0.2)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("percentage points, second run minus first, with 95 % intervals")
        figure.legend(loc="outside upper right", ncols=2, fontsize=8)
    return figure


def number_name(row: dict[Any, Any]) -> str:
    """What a number is of, on one line."""
    of = f", {row['of']}" if row["of"] else ""
    return f"{row['study']}, {row['dataset']}: {row['method']}{of}"
