"""How the ways of handling missing values stand to the best one of a case: who is tied, how far behind is the worst.

With other trees, also how the best ways stand to each other."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from treecrf.studies.headlines import best_rows
from treecrf.studies.missing.trees import PAPERS

CASE = ("dataset", "rate")


def mean_accuracies(evaluations: pd.DataFrame, case: Sequence[str] = CASE) -> pd.DataFrame:
    """Mean and standard deviation of the accuracy: the columns of a case, method, percent, deviation."""
    shares = evaluations.assign(percent=100 * evaluations["n_correct"] / evaluations["n_positions"])
    groups = shares.groupby([*case, "method"], sort=False, observed=True)["percent"]
    return groups.agg(percent="mean", deviation="std").reset_index()


def tied_for_best(means: pd.DataFrame, comparisons: pd.DataFrame, case: Sequence[str] = CASE) -> pd.DataFrame:
    """The rows of methods that no valid test finds worse than one with the best mean.

    Parameters
    ----------
    means : DataFrame
        The columns of a case, method, percent.
    comparisons : DataFrame
        The columns of a case and of `treecrf.statistics.crossed.compare_crossed`.
    case : sequence of str
        Columns that tell cases apart.
    """
    keys = list(case)
    best = best_rows(means, "percent", *keys).rename(columns={"method": "baseline"})[[*keys, "baseline"]]
    lost = comparisons[comparisons["decision"] == "worse"].merge(best, on=[*keys, "baseline"])
    names = [*keys, "method"]
    return means[~pd.MultiIndex.from_frame(means[names]).isin(pd.MultiIndex.from_frame(lost[names]))]


def spreads(means: pd.DataFrame, comparisons: pd.DataFrame, case: Sequence[str] = CASE) -> pd.DataFrame:
    """By how much the best method of each case is better than the worst one; parameters as of `tied_for_best`.

    Returns
    -------
    DataFrame
        The columns of a case; baseline (the worst method), method (the best one), accuracy_points, points_low,
        points_high, valid_p_holm, decision. The correction over all pairs covers the choice of this one. Cases that were
        not compared are left out.
    """
    ends = means.groupby(list(case), sort=False)["percent"].agg(["idxmax", "idxmin"])
    pairs = means.loc[ends["idxmax"], [*case, "method"]].reset_index(drop=True)
    pairs["baseline"] = means.loc[ends["idxmin"], "method"].to_numpy()
    numbers = ["accuracy_points", "points_low", "points_high", "valid_p_holm", "decision"]
    names = [*case, "baseline", "method"]
    return pairs.merge(comparisons[[*names, *numbers]], on=names, validate="one_to_one")[[*names, *numbers]]


def best_of_trees(means: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """The best method with each other kind of trees against the best one with the papers' trees.

    Parameters
    ----------
    means : DataFrame
        dataset, rate, trees, method, percent.
    differences : DataFrame
        As of `treecrf.studies.missing.summary.compare_trees`.

    Returns
    -------
    DataFrame
        The rows of `differences` for these pairs, one for each data set, rate and other kind of trees.
    """
    shared = means[means["method"].isin(differences["method"])]
    best = shared.loc[shared.groupby(["dataset", "rate", "trees"])["percent"].idxmax(), [*CASE, "trees", "method"]]
    of_papers = best[best["trees"] == PAPERS].rename(columns={"trees": "baseline_trees", "method": "baseline"})
    pairs = best.merge(of_papers, on=list(CASE))
    return pairs.merge(differences, on=list(pairs.columns), validate="one_to_one")
