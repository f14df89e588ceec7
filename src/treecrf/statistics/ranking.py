"""Which methods of a data set are tied for best, and between which ranks each may be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from treecrf.statistics.holm import SIGNIFICANCE_LEVEL, adjust_holm

RANK_COLUMNS = ("method", "accuracy_points", "rank", "tied_for_best", "rank_low", "rank_high")


def rank_methods(
    accuracy_points: pd.Series, comparisons: pd.DataFrame, level: float = SIGNIFICANCE_LEVEL
) -> pd.DataFrame:
    """Ranks of methods with the intervals that their comparisons leave.

    Parameters
    ----------
    accuracy_points : Series of float
        Accuracy in percent by method (the index).
    comparisons : DataFrame
        method, other, accuracy_points, p_value: one row for every pair, in either order, as of
        `treecrf.statistics.sign_flip.compare_flips`.
    level : float
        Of the family of all pairs.

    Returns
    -------
    DataFrame
        One row for each method, from the best on (equals in their order in `accuracy_points`).

        method, accuracy_points, rank
            Rank 1 is the best; equals share the lower number.
        tied_for_best
            Whether no method is distinguishably better: `rank_low` is 1.
        rank_low, rank_high
            1 + the number of methods distinguishably better, and the number of methods - those distinguishably worse.

    Raises
    ------
    ValueError
        If a pair is missing or there twice.

    Notes
    -----
    Two methods are distinguishable if Holm's correction of their p-value over all pairs is below the level. All pairs
    are the family because the best is chosen by the same data, and because then ranks and the matrix of comparisons
    cannot contradict each other. The largest of all statistics over shared flips (max-T) would be the alternative: it
    is little sharper (for 11 methods, the quantile 3.22 of the studentized range in place of 3.32), needs equal
    behaviour of all pairs under the flips, and does not combine with the error of trainings.

    A method may be tied for best that is behind one that is not: its differences are known less well.

    All rank intervals hold together with probability 1 - level, as far as the p-values are valid (but for errors of
    direction, which are rarer still); a method with the highest expected accuracy is left out of the tied ones with no
    more than that probability.
    """
    methods = accuracy_points.index.tolist()
    better = _distinctly_better(methods, comparisons, level)
    points = accuracy_points.to_numpy(dtype=float)
    rank = 1 + (points[:, None] < points).sum(axis=1)
    frame = pd.DataFrame(
        {
            "method": methods,
            "accuracy_points": points,
            "rank": rank,
            "tied_for_best": ~better.any(axis=0),
            "rank_low": 1 + better.sum(axis=0),
            "rank_high": len(methods) - better.sum(axis=1),
        }
    )
    return frame.sort_values("rank", kind="stable", ignore_index=True)[list(RANK_COLUMNS)]


def _distinctly_better(methods: Sequence[str], comparisons: pd.DataFrame, level: float) -> np.ndarray:
    """Whether the method of the row is distinguishably better than that of the column."""
    place = {method: index for index, method in enumerate(methods)}
    rows, columns = (comparisons[name].map(place) for name in ("method", "other"))
    pairs = {frozenset(pair) for pair in zip(comparisons["method"], comparisons["other"], strict=True)}
    n_pairs = len(methods) * (len(methods) - 1) // 2
    unknown = rows.isna().any() or columns.isna().any()
    if unknown or len(pairs) != n_pairs or len(comparisons) != n_pairs or any(len(pair) < 2 for pair in pairs):
        raise ValueError(f"Ranks of {len(methods)} methods need each of their {n_pairs} pairs once in the comparisons.")
    distinct = adjust_holm(comparisons["p_value"].to_numpy(dtype=float)) < level
    ahead = comparisons["accuracy_points"].to_numpy(dtype=float)
    better = np.zeros((len(methods),) * 2, dtype=bool)
    better[rows[distinct & (ahead > 0)], columns[distinct & (ahead > 0)]] = True
    better[columns[distinct & (ahead < 0)], rows[distinct & (ahead < 0)]] = True
    return better
