"""The headline of the study of missing values."""

from __future__ import annotations

import pandas as pd

from treecrf.rendering.style import method_name
from treecrf.studies.headlines import best_rows, counted_names


def missing_headline(evaluations: pd.DataFrame) -> str:
    """Which methods are best with missing cells, and what missing cells cost, from the evaluations of all data sets."""
    percent = 100 * evaluations["n_correct"] / evaluations["n_positions"]
    means = evaluations.assign(percent=percent).groupby(["dataset", "rate", "method"])["percent"].mean().reset_index()
    best, holes = best_rows(means, "percent", "dataset", "rate"), means[means["rate"] > 0].groupby(["dataset", "rate"])
    if not len(holes):
        return (
            f"Most accurate: {counted_names(map(method_name, best['method']), best['dataset'].nunique(), 'data sets')}."
        )
    winners = map(method_name, best.loc[best["rate"] > 0, "method"])
    counts = counted_names(winners, len(holes), "cases (data set and share)", "in")
    ahead = holes["percent"].max() - holes["percent"].min()
    sentence = (
        f"Most accurate with missing cells: {counts}. The best method is {ahead.mean():.1f} points ahead "
        "of the worst, on average."
    )
    most = means["rate"].max()
    highest = means.pivot_table(index="dataset", columns="rate", values="percent", aggfunc="max").reindex(
        columns=[0, most]
    )
    lost = (highest[0] - highest[most]).dropna()
    if lost.empty:
        return sentence
    return f"{sentence} With {most:.0%} missing even the best method loses {lost.mean():.1f} points on average."
