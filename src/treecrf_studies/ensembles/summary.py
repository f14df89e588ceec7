"""Summaries of the study of ensembles (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

import pandas as pd

from treecrf_studies.framework.job_context import SummaryContext
from treecrf_studies.framework.resamples import Rules, compare_draws, overlap_of


def summarise(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """The job of one data set as frames.

    Returns
    -------
    dict
        "runs", "experts" and "boosting" as they are; "lines" (`average_runs`), with stand_in; "comparisons"
        (`treecrf_studies.framework.resamples.compare_draws`).
    """
    frames = {name: pd.concat(parts, ignore_index=True) for name, parts in context.frames.items()}
    runs, predictions = frames["runs"], frames.pop("predictions")
    rules = Rules(**context.settings, test_per_train=overlap_of(runs, context.source))
    comparisons = compare_draws(predictions, rules)
    lines = average_runs(runs).assign(stand_in=context.stand_in is not None)
    return frames | {"lines": lines, "comparisons": comparisons}


def average_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Over the draws of each ensemble: percent of errors, and of how many draws it is the best alone.

    Columns dataset, method, n_seeds, error, error_sd, error_low, error_high, n_best (the draws in which no other is as
    good) and cpu_seconds (median).
    """
    rows = runs.assign(error=100 - runs["accuracy"])
    least = rows.groupby(["dataset", "seed"])["error"].transform("min")
    is_best = rows["error"] == least
    is_alone = is_best.groupby([rows["dataset"], rows["seed"]]).transform("sum") == 1
    return (
        rows.assign(is_best=is_best & is_alone)
        .groupby(["dataset", "method"], sort=False)
        .agg(
            n_seeds=("seed", "nunique"),
            error=("error", "mean"),
            error_sd=("error", "std"),
            error_low=("error", "min"),
            error_high=("error", "max"),
            n_best=("is_best", "sum"),
            cpu_seconds=("cpu_seconds", "median"),
        )
        .reset_index()
    )
