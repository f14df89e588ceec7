"""Ranking of methods in each case by the sequence-level tests of the study, corrected for all pairs of the case."""

from __future__ import annotations

import numpy as np
import pandas as pd

from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL, Estimates, adjust_holm
from treecrf.statistics.ranking import BEST, SEPARATION_MARGIN, rank_cases
from treecrf.studies.framework.views import ACCURACY, CASE

ESTIMATE = ("points", "points_standard_error", "degrees_of_freedom")
"""Columns of pairs that intervals come from."""


def decided(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs with p_holm, holm_low and holm_high, corrected over the pairs of a case, and the decision that follows from p_holm.

    "better" or "worse" where p_holm is below the level; else "equivalent" where the study has decided so, and "undecided".
    Where a study decides each of its pairs by itself, this is stricter than its tables: whoever looks at all pairs to find the
    best method has to correct for all of them.
    """
    parts = []
    for _, of_case in pairs.groupby(CASE, sort=False):
        p_holm = adjust_holm(of_case["p_value"].to_numpy(dtype=float))
        low, high = Estimates(*of_case[list(ESTIMATE)].to_numpy(dtype=float).T).interval_holm()
        direction = np.where(of_case["points"].to_numpy(dtype=float) > 0, "better", "worse")
        otherwise = np.where(of_case["decision"] == "equivalent", "equivalent", "undecided")
        decision = np.where(p_holm < SIGNIFICANCE_LEVEL, direction, otherwise)
        parts.append(of_case.assign(holm_low=low, holm_high=high, p_holm=p_holm, decision=decision))
    return pd.concat(parts, ignore_index=True) if parts else pairs.assign(holm_low=[], holm_high=[], p_holm=[])


def standings(scores: pd.DataFrame, pairs: pd.DataFrame, separation_margin: float = SEPARATION_MARGIN) -> pd.DataFrame:
    """Standings and ranks of the methods of each case in which every pair is tested (`treecrf.statistics.ranking.rank_cases`).

    Parameters
    ----------
    scores : DataFrame
        Without references, which are no competitors.
    pairs : DataFrame
        Of `decided`.
    separation_margin : float

    Returns
    -------
    DataFrame
        `CASE`, method, rank, gap_points, gap_low, gap_high, standing, rank_low, rank_high, and p_best: the p-value of the
        difference from the best method without a correction, missing for the best itself.
    """
    of_accuracy = scores[scores["metric"] == ACCURACY].rename(columns={"value": "accuracy_points"})
    tested = pairs.rename(columns={"points": "accuracy_points"})
    ranks = rank_cases(of_accuracy[[*CASE, "method", "accuracy_points"]], tested, CASE, separation_margin)
    best = ranks.loc[ranks["standing"] == BEST, [*CASE, "method"]].drop_duplicates(CASE)
    tests = pairs[[*CASE, "method", "other", "p_value"]].rename(columns={"p_value": "p_best"})
    swapped = tests.rename(columns={"method": "other", "other": "method"})
    of_best = pd.concat([tests, swapped]).merge(best.rename(columns={"method": "other"}), on=[*CASE, "other"])
    return ranks.drop(columns="accuracy_points").merge(of_best.drop(columns="other"), on=[*CASE, "method"], how="left")
