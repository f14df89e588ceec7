"""Which methods are tied for best in each case, by the valid tests of the study, corrected for all pairs of the case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from treecrf.statistics.holm import SIGNIFICANCE_LEVEL, adjust_holm
from treecrf.statistics.ranking import rank_methods
from treecrf.studies.explored import ACCURACY, CASE


def decided(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs with p_holm, corrected over the pairs of a case, and the decision that follows from it.

    "better" or "worse" where p_holm is below the level; else "equivalent" where the study has decided so, and "undecided".
    Where a study decides each of its pairs by itself, this is stricter than its tables: whoever looks at all pairs to find the
    best method has to correct for all of them.
    """
    parts = []
    for _, of_case in pairs.groupby(CASE, sort=False):
        p_holm = adjust_holm(of_case["p_value"].to_numpy(dtype=float))
        direction = np.where(of_case["points"].to_numpy(dtype=float) > 0, "better", "worse")
        otherwise = np.where(of_case["decision"] == "equivalent", "equivalent", "undecided")
        decision = np.where(p_holm < SIGNIFICANCE_LEVEL, direction, otherwise)
        parts.append(of_case.assign(p_holm=p_holm, decision=decision))
    return pd.concat(parts, ignore_index=True) if parts else pairs.assign(p_holm=[])


def standings(scores: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Ranks of the methods of each case in which every pair is tested (`treecrf.statistics.ranking.rank_methods`).

    Returns
    -------
    DataFrame
        `CASE`, method, rank, tied_for_best, rank_low, rank_high.
    """
    accuracies = dict(list(scores[scores["metric"] == ACCURACY].groupby(CASE, sort=False)))
    parts = []
    for key, of_case in pairs.groupby(CASE, sort=False):
        if key not in accuracies:
            continue
        values = accuracies[key].set_index("method")["value"]
        tested = of_case[of_case["method"].isin(values.index) & of_case["other"].isin(values.index)]
        methods = values.index[values.index.isin(np.union1d(tested["method"], tested["other"]))]
        if len(tested) != len(methods) * (len(methods) - 1) // 2 or not len(tested):
            continue
        columns = tested[["method", "other", "p_value"]].assign(accuracy_points=tested["points"])
        ranks = rank_methods(values[methods], columns).drop(columns="accuracy_points")
        named: dict[str, Any] = dict(zip(CASE, key, strict=True))
        parts.append(ranks.assign(**named))
    names = [*CASE, "method", "rank", "tied_for_best", "rank_low", "rank_high"]
    return pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names)
