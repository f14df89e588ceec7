"""Summaries of the study of ensembles (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

import pandas as pd

from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.resamples import compare_draws, rules_of
from treecrf_studies.framework.summaries import summarise


def make_frames(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """The job of one data set as frames.

    Returns
    -------
    dict
        "runs", "experts" and "boosting" as they are; "scores" (`score_draws`), with stand_in; "comparisons"
        (`treecrf_studies.framework.resamples.compare_draws`).
    """
    runs = context.of_jobs("runs")
    return {
        "runs": runs,
        "experts": context.of_jobs("experts"),
        "boosting": context.of_jobs("boosting"),
        "scores": score_draws(runs).assign(stand_in=context.is_stand_in),
        "comparisons": compare_draws(context.of_jobs("predictions"), rules_of(context)),
    }


def score_draws(runs: pd.DataFrame) -> pd.DataFrame:
    """Accuracies over the draws (`treecrf_studies.framework.summaries.summarise`), and n_best: the draws in which no
    other ensemble is as good.
    """
    highest = runs.groupby(["dataset", "draw"])["accuracy"].transform("max")
    is_best = runs["accuracy"] == highest
    is_alone = is_best.groupby([runs["dataset"], runs["draw"]]).transform("sum") == 1
    return summarise(
        runs.assign(is_best=is_best & is_alone),
        ["dataset", "method"],
        {"accuracy": {"quantity": ACCURACY}},
        n_best=("is_best", "sum"),
    )
