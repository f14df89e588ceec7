"""The frames of one data set of the study of missing values, from its jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from treecrf.io.files import stacked
from treecrf.sequences import SequenceSet
from treecrf.statistics.blocks import CROSSED_COLUMNS, compare_crossed, decompose_crossed
from treecrf.statistics.deviance import analysis_of_deviance, compare_all
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.missing.methods import COUNT_NAMES, PAPERS

OF_MODEL = {
    "baseline": "other",
    "standard_error": "coefficient_standard_error",
    "p_value": "papers_p",
    "p_holm": "papers_p_holm",
}
"""Columns of the papers' tests under the names that they have beside the sequence-level test."""

DRAWN = {"draw": "training_set"}
"""What a draw is of, as the tests call it."""


def make_frames(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of methods and rates, as frames with a column stand_in.

    The frames are those of `treecrf_studies.missing.jobs.MissingOutcome`, and ``tree_counts`` and ``mechanism_counts``
    where there are such jobs; the sets are whole, as they are before cells go missing.
    """
    frames, counts = context.frames, context.of_jobs("counts")
    margin, degrees_of_freedom = context.settings["equivalence_margin"], context.settings["degrees_of_freedom"]
    other_trees = beside_papers(counts, frames.get("tree_counts", []))
    analyses = {
        **analyse(counts, context.settings["papers_sets"], margin, degrees_of_freedom),
        **analyse_by("tree", "trees", other_trees, margin, degrees_of_freedom),
        "tree_differences": compare_trees(other_trees, margin, degrees_of_freedom),
        **analyse_by("mechanism", "mechanism", frames.get("mechanism_counts", []), margin, degrees_of_freedom),
        "choices": context.of_jobs("choices"),
        "costs": context.of_jobs("costs").assign(all_surrogates=context.settings["n_surrogates"] is None),
        "frequencies": feature_frequencies(context.dataset, SequenceSet.concatenate(context.sets)),
    }
    return {name: frame.assign(stand_in=context.is_stand_in) for name, frame in analyses.items()}


def beside_papers(counts: pd.DataFrame, tree_counts: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Counts with the papers' trees, of the training sets that other kinds of trees have too, and those of these kinds.

    `counts` as in `treecrf_studies.missing.jobs.MissingOutcome`, `tree_counts` with a column trees. Empty without
    these.
    """
    if not tree_counts:
        return []
    papers = counts.assign(trees=PAPERS)
    others = stacked(tree_counts)
    if len(others):
        papers = papers[papers["draw"].isin(others["draw"].unique())]
    return [papers, *tree_counts]


def analyse(
    counts: pd.DataFrame, papers_sets: int, equivalence_margin: float, degrees_of_freedom: str
) -> dict[str, pd.DataFrame]:
    """Accuracies and tests: evaluations, comparisons, papers_comparisons, deviance, variances.

    `counts` as in `treecrf_studies.missing.jobs.MissingOutcome`, of all methods. The comparisons have the columns of
    `treecrf.statistics.deviance.compare_all` (`OF_MODEL`), the papers' tests, on the first `papers_sets` damaged
    training sets and test sets; and in the place of its points of accuracy those of
    `treecrf.statistics.blocks.compare_crossed`: on all sets, or of papers_comparisons on the papers' sets too. The
    deviance is analysed on both and says on how many sets: see `deviances`.
    """
    compared = comparable(counts)
    of_papers = _first_sets(compared, papers_sets)
    sequences = compared.groupby(COUNT_NAMES[:7], sort=False, observed=True)[COUNT_NAMES[8:]].sum().reset_index()
    model = compare_all(_first_sets(sequences, papers_sets).rename(columns=DRAWN)).drop(
        columns=["accuracy_points", "points_low", "points_high"]
    )
    model = model.rename(columns=OF_MODEL)
    valid, papers = (_compare(each, equivalence_margin, degrees_of_freedom) for each in (compared, of_papers))
    pairs = ["dataset", "rate", "method", "other"]
    return {
        "evaluations": evaluations(counts),
        "comparisons": model.merge(valid, on=pairs, validate="one_to_one"),
        "papers_comparisons": model.merge(papers, on=pairs, validate="one_to_one"),
        "deviance": deviances(evaluations(compared), papers_sets),
        "variances": decompose_crossed(compared.rename(columns=DRAWN)),
    }


def analyse_by(
    prefix: str, name: str, counts: Sequence[pd.DataFrame], equivalence_margin: float, degrees_of_freedom: str
) -> dict[str, pd.DataFrame]:
    """Accuracies and sequence-level tests for each value of a column: PREFIX_evaluations, PREFIX_comparisons.

    `counts` are one under another as for `analyse`, with that column `name`; Holm's correction is over the pairs of
    methods at one value, data set and rate.
    """
    of_value = {value: part.drop(columns=name) for value, part in _by_value(counts, name)}
    compared = {
        value: _compare(comparable(part), equivalence_margin, degrees_of_freedom) for value, part in of_value.items()
    }
    counted = {value: evaluations(part) for value, part in of_value.items()}
    return {
        f"{prefix}_evaluations": _labelled(counted, name, [*COUNT_NAMES[:5], *COUNT_NAMES[8:]]),
        f"{prefix}_comparisons": _labelled(compared, name, CROSSED_COLUMNS),
    }


def compare_trees(counts: Sequence[pd.DataFrame], equivalence_margin: float, degrees_of_freedom: str) -> pd.DataFrame:
    """Valid tests between kinds of trees: each method with one kind against each method with another.

    `counts` are one under another as for `analyse`, with a column trees. Methods that one kind alone has are left out.

    Returns
    -------
    DataFrame
        The columns of `treecrf.statistics.blocks.compare_crossed`, and trees and other_trees: those of `method` and
        of `other`. Holm's correction is over all pairs of a data set and rate, those with equal trees too, so it
        covers the choice of the best method of each kind.
    """
    names = [*CROSSED_COLUMNS, "other_trees", "trees"]
    filled = [frame for frame in counts if len(frame)]
    if not filled:
        return pd.DataFrame(columns=names)
    every = stacked(filled)
    shared = every[every.groupby("method", observed=True)["trees"].transform("nunique") > 1]
    combined = shared.groupby(["trees", "method"], observed=True)
    kinds = pd.DataFrame([key for key, _ in combined], columns=["trees", "method"])
    tested = _compare(comparable(shared.assign(method=combined.ngroup())), equivalence_margin, degrees_of_freedom)
    for role, trees in (("other", "other_trees"), ("method", "trees")):
        place = tested[role].astype(int)
        tested = tested.assign(**{role: place.map(kinds["method"]), trees: place.map(kinds["trees"])})
    return tested.loc[tested["trees"] != tested["other_trees"], names].reset_index(drop=True)


def deviances(evaluated: pd.DataFrame, papers_sets: int) -> pd.DataFrame:
    """The analysis of deviance of whole evaluations, on the first `papers_sets` damaged training and test sets and on
    all.

    `evaluated` are evaluations (`evaluations`) at rates at which the methods can differ. The columns are those of
    `treecrf.statistics.deviance.analysis_of_deviance`, n_training_sets and n_test_sets.
    """
    return stacked([_deviance(_first_sets(evaluated, papers_sets)), _deviance(evaluated)]).drop_duplicates(
        ["dataset", "rate", "term", "n_training_sets", "n_test_sets"], ignore_index=True
    )


def _compare(counts: pd.DataFrame, equivalence_margin: float, degrees_of_freedom: str) -> pd.DataFrame:
    return compare_crossed(counts.rename(columns=DRAWN), equivalence_margin, degrees_of_freedom == "satterthwaite")


def _first_sets(counts: pd.DataFrame, n_sets: int) -> pd.DataFrame:
    """The rows of the first so many damaged training sets and test sets."""
    return counts[(counts[["draw", "test_set"]] < n_sets).all(axis=1)]


def _deviance(evaluated: pd.DataFrame) -> pd.DataFrame:
    n_sets = evaluated.groupby(["dataset", "rate"], observed=True)[["draw", "test_set"]].nunique()
    n_sets.columns = ["n_training_sets", "n_test_sets"]
    deviance = analysis_of_deviance(evaluated.rename(columns=DRAWN).assign(sequence=0))
    return deviance.join(n_sets, on=["dataset", "rate"])


def _by_value(counts: Sequence[pd.DataFrame], name: str) -> Iterator[tuple[str, pd.DataFrame]]:
    filled = [frame for frame in counts if len(frame)]
    if filled:
        for value, part in stacked(filled).groupby(name, sort=False, observed=True):
            yield str(value), part


def _labelled(frames: Mapping[str, pd.DataFrame], label: str, names: Sequence[str]) -> pd.DataFrame:
    """The frames one under another with a column that says which is whose; without rows where there are none."""
    return stacked(
        [pd.DataFrame(columns=[*names, label]), *(frame.assign(**{label: value}) for value, frame in frames.items())]
    )


def evaluations(counts: pd.DataFrame) -> pd.DataFrame:
    """Counts of whole test sets: those of `evaluate_method` summed over sequences."""
    groups = counts.groupby(COUNT_NAMES[:5], sort=False, observed=True)
    return groups[["n_positions", "n_correct"]].sum().reset_index()


def comparable(counts: pd.DataFrame) -> pd.DataFrame:
    """The rows of rates at which the methods can differ: not those where nothing is missing (all counts agree)."""
    keys = ["dataset", "rate", "draw", "test_set", "block"]
    differs = counts.groupby(keys, observed=True)["n_correct"].transform("nunique") > 1
    differs_at_rate = differs.groupby([counts["dataset"], counts["rate"]]).transform("any")
    return counts[differs_at_rate | (counts["rate"] > 0)]


def feature_frequencies(dataset: str, data: SequenceSet) -> pd.DataFrame:
    """Share of the observations on which each attribute of two categories is true (figure 4.2).

    dataset, feature, number (from 1), share_true (of the observations that show it; the second category is "true").
    """
    rows = []
    for j, attribute in enumerate(data.attributes):
        if len(attribute.categories) == 2:
            observed = data.values[:, j][data.values[:, j] >= 0]
            share = float((observed == 1).mean()) if len(observed) else np.nan
            rows.append({"dataset": dataset, "feature": attribute.name, "number": j + 1, "share_true": share})
    return pd.DataFrame(rows, columns=["dataset", "feature", "number", "share_true"])
