"""The headline of the study of future features."""

from __future__ import annotations

import pandas as pd

from treecrf.rendering.cells import signed
from treecrf.studies.future.tables import method_text
from treecrf.studies.headlines import DIGITS, best_rows, counted_names


def future_headline(best: pd.DataFrame) -> str:
    """How often discovered features win, and where they win most, from the `best` variants of each data set."""
    discovered = best["method"].str.startswith("ff_")
    if discovered.all() or not discovered.any():
        winners = best_rows(best, "test_mean", "dataset").drop_duplicates(["dataset", "method"])  # of several bags
        counts = counted_names(map(method_text, winners["method"]), winners["dataset"].nunique(), "data sets")
        return f"Most accurate: {counts}."
    ahead, behind = (best_rows(frame, "test_mean", "dataset") for frame in (best[discovered], best[~discovered]))
    gains = (ahead.groupby("dataset")["test_mean"].max() - behind.groupby("dataset")["test_mean"].max()).dropna()
    gains = gains.round(DIGITS)
    where = str(gains.idxmax())
    equal = f", equals it on {(gains == 0).sum()}" if (gains == 0).any() else ""
    return (
        f"The best labeller with discovered future features beats the best one without on {(gains > 0).sum()} of "
        f"{len(gains)} data sets{equal}, by {signed(gains.median())} points in the median; most on {where}: "
        f"{_reached(ahead, where)}, {_reached(behind, where)}."
    )


def _reached(best: pd.DataFrame, dataset: str) -> str:
    """The best labellers on a data set with their accuracy."""
    rows = best[best["dataset"] == dataset]
    return f"{' and '.join(dict.fromkeys(map(method_text, rows['method'])))} {rows['test_mean'].max():.2f} %"
