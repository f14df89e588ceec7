"""Sentences on the other kinds of trees in the study of missing values."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecrf.io.messages import counted
from treecrf.rendering.cells import number
from treecrf.rendering.style import method_name
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf.statistics.ranking import WORSE
from treecrf.studies.missing.ranking import best_of_trees, mean_accuracies, spreads, standings
from treecrf.studies.missing.trees import PAPERS, TREES

CASE = ("dataset", "rate", "trees")

WEIGHTING, INCORPORATED = "instance_weighting", "incorporated"


def tree_answers(evaluations: pd.DataFrame, comparisons: pd.DataFrame, differences: pd.DataFrame) -> str:
    """Whether methods still matter with other trees, whether instance weighting wins again, and what the trees gain.

    The frames are tree_evaluations, tree_comparisons and tree_differences of `treecrf.studies.missing.summary.summarise`; cases
    without missing cells are left out. Empty without other trees.
    """
    evaluations, comparisons, differences = (
        frame[frame["rate"] > 0] for frame in (evaluations, comparisons, differences)
    )
    if differences.empty:
        return ""
    shared = evaluations[evaluations["method"].isin(differences["method"])]  # custom labellers have no trees
    means = mean_accuracies(shared, CASE)
    others = [kind for kind in TREES if kind in set(differences["trees"]) - {PAPERS}]
    return " ".join(
        sentence
        for kind in others
        for sentence in (
            *_matters(means, comparisons, kind),
            *_weighting(means, comparisons, kind),
            _gains(means, differences, kind),
        )
    )


def _matters(means: pd.DataFrame, comparisons: pd.DataFrame, kind: str) -> Iterator[str]:
    """In how many cases the best method is better than the worst, and by how much; nothing where there is one method."""
    found = spreads(means, comparisons, CASE)
    n_cases, n_real, ahead = {}, {}, {}
    for trees, part in found.groupby("trees"):
        n_cases[trees], n_real[trees] = len(part), int((part["valid_p_holm"] < SIGNIFICANCE_LEVEL).sum())
        ahead[trees] = f"{number(part['accuracy_points'].mean())} points ahead on average"
    if kind not in n_cases:
        return
    verdict = "matters" if n_real[kind] else "makes no difference that the tests find"
    yield (
        f"With {TREES[kind].name} the choice of the method {verdict}: the best one is significantly better than the worst in "
        f"{n_real[kind]} of {counted(n_cases[kind], 'case')} (data set and share), {ahead[kind]}; with "
        f"{TREES[PAPERS].name} in {n_real[PAPERS]} of {n_cases[PAPERS]}, {ahead[PAPERS]}."
    )


def _weighting(means: pd.DataFrame, comparisons: pd.DataFrame, kind: str) -> Iterator[str]:
    """How instance weighting stands to the best method and to tests for missing cells; nothing where it was not run."""
    of_weighting = means[means["method"] == WEIGHTING]
    n_cases = of_weighting["trees"].value_counts()
    if kind not in n_cases:
        return
    ranked = standings(means, comparisons, CASE)
    unbeaten = (ranked["method"] == WEIGHTING) & (ranked["standing"] != WORSE)
    n_unbeaten = ranked.loc[unbeaten, "trees"].value_counts().reindex([kind, PAPERS], fill_value=0)
    pair = comparisons[
        (comparisons["trees"] == kind)
        & (comparisons["method"] == WEIGHTING)
        & (comparisons["baseline"] == INCORPORATED)
    ]
    better, worse = ((pair["decision"] == word).sum() for word in ("better", "worse"))
    never_beaten = n_unbeaten[kind] == n_cases[kind]
    verdict = ("wins" if better else "is never beaten") if never_beaten else "does not always win"
    against = f" Against {method_name(INCORPORATED)} it is better in {better} of {counted(len(pair), 'case')} and worse in {worse}."
    yield (
        f"{method_name(WEIGHTING).capitalize()} {verdict} with them: no sequence-level test finds it worse than another method in "
        f"{n_unbeaten[kind]} of {counted(n_cases[kind], 'case')}, with {TREES[PAPERS].name} in {n_unbeaten[PAPERS]} of "
        f"{n_cases[PAPERS]}.{against if len(pair) else ''}"
    )


def _gains(means: pd.DataFrame, differences: pd.DataFrame, kind: str) -> str:
    """In how many cases the other trees are better than the papers', with the same method and with the best one of each."""
    against = differences[(differences["trees"] == kind) & (differences["baseline_trees"] == PAPERS)]
    alike = against[against["baseline"] == against["method"]]
    best = best_of_trees(means, against)
    better, worse = ([(rows["decision"] == word).sum() for rows in (alike, best)] for word in ("better", "worse"))
    return (
        f"Beside {TREES[PAPERS].name} with the same method they are better in {better[0]} of {counted(len(alike), 'case')} "
        f"(data set, share and method) and worse in {worse[0]}; their best method is better than the best one with "
        f"{TREES[PAPERS].name} in {better[1]} of {counted(len(best), 'case')} and worse in {worse[1]}."
    )
