"""Figures of a model on a whole file: importances of inputs, confusion of labels, calibration of probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from treecrf.plot.style import MAIN, OPPOSITE, QUIET, axes_of, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 30
"""Columns, or labels, that are shown; the others are counted in the title."""

MOST_NUMBERS = 15
"""Labels up to which the cells of a confusion matrix have their numbers."""


def plot_importance(
    importance: pd.DataFrame, by: Literal["column", "offset"] = "column", ax: Axes | None = None
) -> Axes:
    """Draw how much a model's inputs matter.

    Parameters
    ----------
    importance : DataFrame
        By column: attribute, lost, low, high (`treecrf.automl.explanation.permutation_importance`), or attribute and
        gain. By offset: attribute, distance, gain (`treecrf.automl.explanation.gain_importance`).
    by : "column" or "offset"
        A bar for each column, or a heat map of columns and the distances of observations from the position.
    ax : Axes, optional
        Of matplotlib; new ones unless given.

    Returns
    -------
    Axes
    """
    if by not in ("column", "offset"):
        raise ValueError(f"plot_importance: by={by!r} is not known; choose 'column' or 'offset'.")
    needed = ["attribute", "distance", "gain"] if by == "offset" else ["attribute"]
    absent = [name for name in needed if name not in importance]
    if absent or not {"lost", "gain"} & {*importance.columns}:
        raise ValueError(
            f"plot_importance: the frame has no column {(absent or ['lost'])[0]!r}; give what permutation_importance "
            "or gain_importance returned."
        )
    with styled():
        return _by_offset(importance, ax) if by == "offset" else _by_column(importance, ax)


def _by_column(importance: pd.DataFrame, ax: Axes | None) -> Axes:
    value = "lost" if "lost" in importance else "gain"
    table = importance
    if value == "gain":
        table = importance.groupby("attribute", sort=False)[["gain"]].sum().reset_index()
    table = table.sort_values(value, ascending=False, kind="stable")
    shown = table.head(MOST_BARS)
    ax = axes_of(ax, 6.4, 1.2 + 0.24 * len(shown))
    places = np.arange(len(shown))
    ax.barh(places, shown[value], color=MAIN)
    if {"low", "high"} <= {*shown.columns}:
        ends = np.abs(shown[["low", "high"]].to_numpy().T - shown[value].to_numpy())
        ax.errorbar(shown[value], places, xerr=ends, fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
    ax.set_yticks(places, shown["attribute"].astype(str))
    ax.invert_yaxis()
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_xlabel(
        "points of accuracy lost when permuted (95 % interval)" if value == "lost" else "share of the trees' total gain"
    )
    ax.set_title(f"Importance of columns{_others(len(table), len(shown))}")
    return ax


def _by_offset(importance: pd.DataFrame, ax: Axes | None) -> Axes:
    grid = importance.pivot_table(index="attribute", columns="distance", values="gain", aggfunc="sum").fillna(0.0)
    grid = grid.loc[grid.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    shown = grid.head(MOST_BARS)
    ax = axes_of(ax, max(6.4, 3.2 + 0.35 * shown.shape[1]), 1.4 + 0.24 * len(shown))
    image = ax.imshow(shown.to_numpy(), cmap="Blues", vmin=0.0, aspect="auto")
    distances = [int(distance) for distance in shown.columns]
    step = max(len(distances) // 15, 1)
    ax.set_xticks(range(0, len(distances), step), [f"{each:+d}" if each else "0" for each in distances[::step]])
    ax.set_yticks(range(len(shown)), shown.index.astype(str))
    ax.set_xlabel("observations before (-) and after (+) the position")
    ax.set_title(f"Share of total gain{_others(len(grid), len(shown))}")
    ax.figure.colorbar(image, ax=ax)
    return ax


def plot_confusion(confusion: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw a confusion matrix, each row shaded by its shares of the true label.

    Parameters
    ----------
    confusion : DataFrame, shape (n_labels, n_labels)
        Positions by true label (rows) and predicted label (columns), as in `treecrf.automl.evaluation.Evaluation`.
    ax : Axes, optional
        Of matplotlib; new ones unless given.

    Returns
    -------
    Axes
    """
    counts = confusion.to_numpy()
    commonest = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_BARS])
    shown, names = counts[np.ix_(commonest, commonest)], [str(confusion.index[place]) for place in commonest]
    shares = shown / np.maximum(counts.sum(axis=1)[commonest, None], 1)
    with styled():
        side = 2.0 + 0.42 * len(names)
        ax = axes_of(ax, side + 1.0, side)
        image = ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
        for i, j in np.ndindex(shown.shape) if len(names) <= MOST_NUMBERS else ():
            if shown[i, j]:
                color = "white" if shares[i, j] > 0.5 else "black"
                ax.text(j, i, f"{shown[i, j]:,}", ha="center", va="center", color=color, fontsize=7)
        ax.set_xticks(range(len(names)), names, rotation=90)
        ax.set_yticks(range(len(names)), names)
        ax.set_xlabel("predicted label")
        ax.set_ylabel("true label")
        ax.set_title(f"Confusion matrix{_others(len(counts), len(names))}")
        ax.figure.colorbar(image, ax=ax, label="share of the true label")
    return ax


def plot_calibration(reliability: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw how often labels are right by the probability that they are predicted with.

    Parameters
    ----------
    reliability : DataFrame
        low, high, n_positions, probability, right (`treecrf.statistics.metrics.reliability`).
    ax : Axes, optional
        Of matplotlib; new ones unless given.

    Returns
    -------
    Axes
    """
    full = reliability[reliability["n_positions"] > 0]
    with styled():
        ax = axes_of(ax, 4.4, 4.0)
        shares = full["n_positions"] / max(full["n_positions"].sum(), 1)
        width = full["high"] - full["low"]
        ax.bar(full["low"], shares, width, align="edge", color=QUIET, alpha=0.5, label="share of the positions")
        ax.plot([0, 1], [0, 1], color="black", linewidth=0.8, linestyle="--", label="calibrated")
        ax.plot(full["probability"], full["right"], color=OPPOSITE, marker="o", label="accuracy")
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1)
        ax.set_xlabel("probability of the predicted label")
        ax.set_title("Calibration")
        ax.legend(loc="upper left")
    return ax


def _others(n_all: int, n_shown: int) -> str:
    return f" ({n_shown} of {n_all})" if n_shown < n_all else ""
