"""Tests between the methods of the study on one data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from treecrf.studies.framework.resamples import (
    COMPARISON_NAMES,
    Counts,
    Rules,
    compare_counts,
    compare_draws,
    count_correct,
)

WINDOW_NAMES = ["dataset", "window", *COMPARISON_NAMES[1:]]


def compare_methods(predictions: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Every pair of methods on one data set with the same window (`treecrf.studies.framework.resamples.compare_draws`).

    `predictions` are those of `treecrf.studies.coding.jobs.CodingOutcome`, one size of each method; the columns are `WINDOW_NAMES`.
    """
    parts = [
        compare_draws(of_window, rules).assign(window=window)
        for window, of_window in predictions.groupby("window", sort=True)
    ]
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)[WINDOW_NAMES]


def compare_gains(predictions: pd.DataFrame, gains: Sequence[tuple[str, str]], rules: Rules) -> pd.DataFrame:
    """How much larger the gain of one method over another is with the smallest window than with the next one.

    `gains` are pairs (method, other). The columns are those of `compare_methods`, less the paper's test, which there is none of.
    """
    windows = sorted(set(predictions["window"]))[:2]
    by_window = [count_correct(predictions[predictions["window"] == window]) for window in windows]
    parts = []
    for method, other in gains:
        if len(windows) < 2 or not all({method, other} <= set(counts.methods) for counts in by_window):
            continue
        small, large = (
            [counts.correct[counts.methods.index(name)] for name in (method, other)] for counts in by_window
        )
        crossed = np.stack([small[0] + large[1], small[1] + large[0]])
        parts.append(compare_counts(Counts((method, other), crossed, by_window[0].positions), rules))
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=WINDOW_NAMES)
    names = [name for name in WINDOW_NAMES if name != "papers_p"]
    dataset, window = predictions["dataset"].iloc[0], f"{windows[0]} - {windows[-1]}"
    return found.assign(dataset=dataset, window=window)[names]
