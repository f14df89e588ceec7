"""The frames of one data set of the study of missing values, from its jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from treecrf.io.files import stacked
from treecrf.sequences import SequenceSet
from treecrf.statistics.crossed import compare_crossed, decompose_crossed
from treecrf.statistics.deviance import analysis_of_deviance, compare_all
from treecrf.studies.missing.names import COUNT_NAMES


def summarise(
    frames: Mapping[str, Sequence[pd.DataFrame]],
    dataset: str,
    train: SequenceSet,
    test: SequenceSet,
    description: Mapping[str, Any],
    equivalence_margin: float,
    degrees_of_freedom: str,
) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of methods and rates, as frames with a column stand_in.

    `frames` are those of `treecrf.studies.missing.jobs.Outcome`, one for each job; `train` and `test` are whole, as
    they are before cells go missing; `description` is from `treecrf.datasets.describing.describe_sets`.
    """
    counts = stacked(frames["counts"])
    found = {
        **analyse(counts, equivalence_margin, degrees_of_freedom),
        "choices": stacked(frames["choices"]),
        "costs": stacked(frames["costs"]),
        "frequencies": feature_frequencies(dataset, SequenceSet.concatenate([train, test])),
    }
    return {name: frame.assign(stand_in=bool(description["stand_in"])) for name, frame in found.items()}


def analyse(counts: pd.DataFrame, equivalence_margin: float, degrees_of_freedom: str) -> dict[str, pd.DataFrame]:
    """Accuracies and tests: evaluations, comparisons, deviance, variances.

    `counts` as in `treecrf.studies.missing.jobs.Outcome`, of all methods. The comparisons have the columns of
    `treecrf.statistics.deviance.compare_all`, the papers' tests, and in the place of its points of accuracy those of
    `treecrf.statistics.crossed.compare_crossed`.
    """
    compared = comparable(counts)
    of_sequences = compared.groupby(COUNT_NAMES[:7], sort=False, observed=True)[COUNT_NAMES[8:]].sum().reset_index()
    model = compare_all(of_sequences).drop(columns=["accuracy_points", "points_low", "points_high"])
    crossed = compare_crossed(compared, equivalence_margin, degrees_of_freedom == "satterthwaite")
    return {
        "evaluations": evaluations(counts),
        "comparisons": model.merge(crossed, on=["dataset", "rate", "baseline", "method"], validate="one_to_one"),
        "deviance": analysis_of_deviance(of_sequences),
        "variances": decompose_crossed(compared),
    }


def evaluations(counts: pd.DataFrame) -> pd.DataFrame:
    """Counts of whole test sets: those of `evaluate_method` summed over sequences."""
    groups = counts.groupby(COUNT_NAMES[:5], sort=False, observed=True)
    return groups[["n_positions", "n_correct"]].sum().reset_index()


def comparable(counts: pd.DataFrame) -> pd.DataFrame:
    """The rows of rates at which the methods can differ: not those where nothing is missing (all counts agree)."""
    keys = ["dataset", "rate", "training_set", "test_set", "block"]
    differs = counts.groupby(keys, observed=True)["n_correct"].transform("nunique") > 1
    some = differs.groupby([counts["dataset"], counts["rate"]]).transform("any")
    return counts[some | (counts["rate"] > 0)]


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
