"""The figure of one position: what each column contributes to its label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecrf.automl.contributions import Contributions
from treecrf.automl.explanation import BEFORE
from treecrf.plot.style import MAIN, OPPOSITE, QUIET, axes_of, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_COLUMNS = 15
"""With bars of their own; the others share one."""


def plot_contributions(found: Contributions, ax: Axes | None = None) -> Axes:
    """Draw a waterfall from the baseline to the score of a position's label, with a bar for each column.

    Parameters
    ----------
    found : Contributions
        Of `treecrf.automl.contributions.column_contributions`.
    ax : Axes, optional
        Of matplotlib; new ones unless given.

    Returns
    -------
    Axes
        Each bar begins where the one above ends. The bar of the labels before has a colour of its own.
    """
    table = found.table
    names, parts = table["column"].astype(str).tolist(), table["contribution"].to_numpy()
    if len(names) > MOST_COLUMNS + 1:
        n_others = len(names) - MOST_COLUMNS
        names = [*names[:MOST_COLUMNS], f"{n_others} other columns"]
        parts = np.append(parts[:MOST_COLUMNS], parts[MOST_COLUMNS:].sum())
    starts = found.baseline + np.cumsum(parts) - parts
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
        ax.axvline(found.baseline, color="black", linewidth=0.8, linestyle="--")
        ax.axvline(found.score, color="black", linewidth=0.8)
        ax.set_yticks(places, names)
        ax.invert_yaxis()
        ax.use_sticky_edges = False
        ax.margins(x=0.12)
        if found.is_exact:
            after = f" after {', '.join(found.before)}" if found.before else ""
            ax.set_title(f"Score F of {found.label}{after}: {found.score:.3f}")
            mean = " (mean of the file, dashed)" if found.baseline else ""
            ax.set_xlabel(f"score, from {found.baseline:.3f}{mean} to {found.score:.3f}")
        else:
            ax.set_title(f"Log-odds of {found.label} vs {found.runner_up}: {found.score:.3f} (approximate)")
            ax.set_xlabel(f"log-odds, from {found.baseline:.3f} with typical columns (dashed) to {found.score:.3f}")
    return ax
