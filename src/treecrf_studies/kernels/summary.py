"""Summaries of the study of kernels (Altun, Smola and Hofmann 2004)."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecrf_studies.framework.custom import joined_names
from treecrf_studies.framework.job_context import SummaryContext
from treecrf_studies.framework.resamples import Rules, compare_draws, overlap_of
from treecrf_studies.kernels.methods import BEST


def summarise(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of the methods, as frames.

    Returns
    -------
    dict
        "runs", all of them; "lines" (`average_runs`), with stand_in; "comparisons"
        (`treecrf_studies.framework.resamples.compare_draws`), also of the `best_predictions`, with stand_in.
    """
    runs = pd.concat(context.frames["runs"], ignore_index=True)
    predictions = pd.concat(context.frames["predictions"], ignore_index=True)
    rules = Rules(**context.settings, test_per_train=overlap_of(runs, context.source))
    with_best = pd.concat([predictions, *best_predictions(predictions, runs)], ignore_index=True)
    comparisons = compare_draws(with_best, rules)
    marked = {"stand_in": context.stand_in is not None}
    return {"runs": runs, "lines": average_runs(runs).assign(**marked), "comparisons": comparisons.assign(**marked)}


def best_predictions(predictions: pd.DataFrame, runs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Predictions under the names of `BEST`: in each draw, of the method that its cross-validation prefers.

    So that no draw is labelled by a method that other draws, which may have trained on its test sequences, have
    preferred. Among equals the first of `BEST`; there are none of a name that has no method in every draw.
    """
    for name, methods in BEST.items():
        places = {method: place for place, method in enumerate(methods)}
        known = runs[runs["method"].isin(methods) & runs["held_out_accuracy"].notna()]
        ranked = known.assign(place=[-places[each] for each in known["method"]])
        ranked = ranked.sort_values(["held_out_accuracy", "place"])
        best = ranked.groupby("seed").tail(1)[["seed", "method"]]
        if len(best) == runs["seed"].nunique():
            yield predictions.merge(best, on=["seed", "method"]).assign(method=name)


def average_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Over the draws of each method: mean accuracies with sd, lowest and highest, medians of CPU seconds, and what was
    chosen.

    Columns dataset, method, n_seeds, those of runs, accuracy_sd, accuracy_low and accuracy_high.
    """
    return (
        runs.groupby(["dataset", "method"], sort=False)
        .agg(
            n_seeds=("seed", "nunique"),
            held_out_accuracy=("held_out_accuracy", "mean"),
            accuracy=("accuracy", "mean"),
            accuracy_sd=("accuracy", "std"),
            accuracy_low=("accuracy", "min"),
            accuracy_high=("accuracy", "max"),
            viterbi_accuracy=("viterbi_accuracy", "mean"),
            cpu_seconds=("cpu_seconds", "median"),
            form=("form", "first"),
            chosen=("chosen", joined_names),
        )
        .reset_index()
    )
