"""Ranking of the ways of handling missing values in each case: which are equivalent to the best, how far behind is the
worst.

With other trees, also how the best ways stand to each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from treecrf.statistics.ranking import AT_THE_TOP, BEST, UNTESTED, rank_cases
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.summaries import summarise
from treecrf_studies.missing.methods import PAPERS

CASE = ("dataset", "rate")

DIGITS = 2
"""After the point of a percentage, as tables show it: methods that are equal so far are equally good."""


def mean_accuracies(evaluations: pd.DataFrame, case: Sequence[str] = CASE) -> pd.DataFrame:
    """Accuracies over the damaged sets (`treecrf_studies.framework.summaries.summarise`), by the columns of a case."""
    shares = evaluations.assign(accuracy=100 * evaluations["n_correct"] / evaluations["n_positions"])
    return summarise(shares, [*case, "method"], {"accuracy": {"quantity": ACCURACY}})


def standings(means: pd.DataFrame, comparisons: pd.DataFrame, case: Sequence[str] = CASE) -> pd.DataFrame:
    """How each method of a case stands to the best one: the rows of `means` with standing and rank_low (`rank_cases`).

    A case is told apart by its columns (`case`). `means` have these, method and value (percent); equal are means that
    look so in print. `comparisons` have these and the columns of `treecrf.statistics.blocks.compare_crossed`; a pair
    may be there from both sides. Where not every pair is tested, the highest are `BEST`, the others `UNTESTED`, and
    rank_low is 1.
    """
    keys = [*case, "method"]
    accuracies = means.assign(value=means["value"].round(DIGITS))
    sides = [frozenset(pair) for pair in zip(comparisons["method"], comparisons["other"], strict=True)]
    once = ~comparisons.assign(sides=pd.Series(sides, index=comparisons.index)).duplicated([*case, "sides"])
    ranks = rank_cases(accuracies[[*keys, "value"]], comparisons[once], case)
    ranked = accuracies.merge(ranks[[*keys, "standing", "rank_low"]], on=keys, how="left").set_axis(means.index)
    is_highest = ranked["value"] == ranked.groupby(list(case))["value"].transform("max")
    untested = pd.Series(np.where(is_highest, BEST, UNTESTED), index=ranked.index)
    standing = ranked["standing"].astype(object).where(ranked["standing"].notna(), untested)
    return means.assign(standing=standing, rank_low=ranked["rank_low"].astype(float).fillna(1).astype(int))


def top_cells(means: pd.DataFrame, comparisons: pd.DataFrame, case: Sequence[str] = CASE) -> set[tuple[Hashable, ...]]:
    """Cases and methods that tables mark: the best and those equivalent to it; parameters as of `standings`."""
    ranked = standings(means, comparisons, case)
    top = ranked[ranked["standing"].isin(AT_THE_TOP)]
    return set(top[[*case, "method"]].itertuples(index=False, name=None))


def spreads(means: pd.DataFrame, comparisons: pd.DataFrame, case: Sequence[str] = CASE) -> pd.DataFrame:
    """By how much the best method of each case is better than the worst one; parameters as of `standings`.

    Returns
    -------
    DataFrame
        The columns of a case; method (the best one), other (the worst one), value, family_low, family_high, p_holm,
        decision. The correction over all pairs covers the choice of this one. Cases that were not compared
        are left out.
    """
    ends = means.groupby(list(case), sort=False)["value"].agg(["idxmax", "idxmin"])
    pairs = means.loc[ends["idxmax"], [*case, "method"]].reset_index(drop=True)
    pairs["other"] = means.loc[ends["idxmin"], "method"].to_numpy()
    numbers = ["value", "family_low", "family_high", "p_holm", "decision"]
    names = [*case, "method", "other"]
    return pairs.merge(comparisons[[*names, *numbers]], on=names, validate="one_to_one")[[*names, *numbers]]


def best_of_trees(means: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """The best method with each other kind of trees against the best one with the papers' trees.

    `means` have dataset, rate, trees, method and value (percent); `differences` are as of
    `treecrf_studies.missing.summary.compare_trees`, and the rows of these pairs are given: one for each data set, rate
    and other kind of trees.
    """
    shared = means[means["method"].isin(differences["method"])]
    best = shared.loc[shared.groupby(["dataset", "rate", "trees"])["value"].idxmax(), [*CASE, "trees", "method"]]
    of_papers = best[best["trees"] == PAPERS].rename(columns={"trees": "other_trees", "method": "other"})
    pairs = best.merge(of_papers, on=list(CASE))
    return pairs.merge(differences, on=list(pairs.columns), validate="one_to_one")
