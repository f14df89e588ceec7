"""Summaries of the study of ensembles (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

import pandas as pd

from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.resamples import Rules, average_draws, compare_draws, overlap_of


def summarise(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """The job of one data set as frames.

    Returns
    -------
    dict
        "runs", "experts" and "boosting" as they are; "scores" (`score_draws`), with stand_in; "comparisons"
        (`treecrf_studies.framework.resamples.compare_draws`).
    """
    frames = {name: pd.concat(parts, ignore_index=True) for name, parts in context.frames.items()}
    runs, predictions = frames["runs"], frames.pop("predictions")
    rules = Rules(**context.settings, test_per_train=overlap_of(runs, context.source))
    comparisons = compare_draws(predictions, rules)
    return frames | {
        "scores": score_draws(runs).assign(stand_in=context.stand_in is not None),
        "comparisons": comparisons,
    }


def score_draws(runs: pd.DataFrame) -> pd.DataFrame:
    """Accuracies over the draws (`average_draws`), and n_best: the draws in which no other ensemble is as good."""
    highest = runs.groupby(["dataset", "draw"])["accuracy"].transform("max")
    is_best = runs["accuracy"] == highest
    is_alone = is_best.groupby([runs["dataset"], runs["draw"]]).transform("sum") == 1
    return average_draws(
        runs.assign(is_best=is_best & is_alone),
        ["dataset", "method"],
        {"accuracy": {"metric": ACCURACY}},
        n_best=("is_best", "sum"),
    )
