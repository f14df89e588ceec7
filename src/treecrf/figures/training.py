"""Figures of the training study (PhD chapter 3)."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from treecrf.figures.style import DECODER_NAMES, DECODER_STYLES, SETTINGS
from treecrf.studies.training import BETTER, UNPERTURBED


def accuracy_by_iteration(curves: pd.DataFrame, choice: pd.DataFrame, summary: pd.DataFrame) -> Figure:
    """Figure 3.1 for one data set: test accuracy against iteration at the chosen lambda, a panel per decoder.

    Parameters
    ----------
    curves : DataFrame
        From `treecrf.studies.training.test_curves`, all lambdas of the data set.
    choice : DataFrame
        From `treecrf.studies.training.choose`.
    summary : DataFrame
        From `treecrf.studies.training.summarise`: the published values, and whether the set is a stand-in.

    Returns
    -------
    Figure
        Line: training from F = 0. Band: smallest to largest of the perturbed runs. Marker: the iteration that
        cross-validation chose. Dashed: the published value.
    """
    accuracy = curves.assign(percent=100 * curves["n_correct"] / curves["n_positions"])
    published = summary.set_index("decoder")["published"].dropna().drop(BETTER, errors="ignore")
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(3.5 * len(choice) + 0.3, 3.2), layout="constrained")
        panels = figure.subplots(1, len(choice), sharey=True, squeeze=False)[0]
        for axes, (_, chosen) in zip(panels, choice.iterrows(), strict=True):
            at_lambda = (accuracy["decoder"] == chosen["decoder"]) & (
                accuracy["l2_regularization"] == chosen["l2_regularization"]
            )
            _draw(axes, accuracy[at_lambda], chosen)
            if chosen["decoder"] in published:
                _draw_published(axes, float(published[chosen["decoder"]]))
            axes.legend(loc="lower right", handlelength=2.2)
        panels[0].set_ylabel("accuracy on the test set (%)")
        stand_in = " (stand-in)" if summary["stand_in"].iloc[0] else ""
        figure.suptitle(f"{summary['dataset'].iloc[0]}{stand_in}", fontweight="bold", x=0.01, ha="left")
    return figure


def _draw(axes: Axes, runs: pd.DataFrame, chosen: pd.Series) -> None:
    style = DECODER_STYLES[chosen["decoder"]]
    plain = runs[runs["run"] == UNPERTURBED].set_index("iteration")["percent"].sort_index()
    perturbed = runs[runs["run"] != UNPERTURBED].groupby("iteration")["percent"].agg(["min", "max"])
    n_runs = runs["run"].nunique() - 1
    axes.fill_between(
        perturbed.index, perturbed["min"], perturbed["max"],
        color=style["color"], alpha=0.22, linewidth=0, label=f"{n_runs} perturbed runs, min to max",
    )  # fmt: skip
    axes.plot(
        plain.index, plain, color=style["color"], linestyle=style["linestyle"], linewidth=1.4, label="start at F = 0"
    )
    axes.plot(
        [chosen["iteration"]], [plain[chosen["iteration"]]],
        style["marker"], color=style["color"], markeredgecolor="black", markersize=7, linestyle="none",
        label=f"chosen by cross-validation ({chosen['iteration']:d})",
    )  # fmt: skip
    axes.set_title(f"{DECODER_NAMES[chosen['decoder']]}, $\\lambda$ = {chosen['l2_regularization']:g}", loc="left")
    axes.set_xlabel("iteration")
    axes.set_xlim(0, plain.index.max())


def _draw_published(axes: Axes, percent: float) -> None:
    axes.axhline(percent, color="black", linestyle="--", linewidth=1.0, label=f"published, {percent:.2f}")
