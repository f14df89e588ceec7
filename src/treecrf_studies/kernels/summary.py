"""Summaries of the study of kernels (Altun, Smola and Hofmann 2004)."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.resamples import compare_draws, rules_of
from treecrf_studies.framework.summaries import summarise
from treecrf_studies.kernels.methods import BEST, DECODER
from treecrf_studies.options import joined_names


def make_frames(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of the methods, as frames.

    Returns
    -------
    dict
        "runs", all of them; "scores" (`score_draws`), with stand_in; "comparisons"
        (`treecrf_studies.framework.resamples.compare_draws`), also of the `best_predictions`, with stand_in.
    """
    runs, predictions = map(context.of_jobs, ("runs", "predictions"))
    with_best = pd.concat([predictions, *best_predictions(predictions, runs)], ignore_index=True)
    tests = compare_draws(with_best, rules_of(context)).assign(decoder=DECODER)
    marked = {"stand_in": context.is_stand_in}
    return {"runs": runs, "scores": score_draws(runs).assign(**marked), "comparisons": tests.assign(**marked)}


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
        best = ranked.groupby("draw").tail(1)[["draw", "method"]]
        if len(best) == runs["draw"].nunique():
            yield predictions.merge(best, on=["draw", "method"]).assign(method=name)


def score_draws(runs: pd.DataFrame) -> pd.DataFrame:
    """Accuracies over the draws by decoder (`treecrf_studies.framework.summaries.summarise`), held_out_accuracy (mean),
    form and settings.
    """
    return summarise(
        runs.drop(columns="decoder"),
        ["dataset", "method"],
        {
            "accuracy": {"quantity": ACCURACY, "decoder": DECODER},
            "viterbi_accuracy": {"quantity": ACCURACY, "decoder": "viterbi"},
        },
        held_out_accuracy=("held_out_accuracy", "mean"),
        form=("form", "first"),
        settings=("settings", joined_names),
    )
