"""Results of the study of ensembles for the explorer (see `treecrf.studies.explored`)."""

from __future__ import annotations

import pandas as pd

from treecrf.studies.ensembles.methods import VOTES, method_text
from treecrf.studies.ensembles.published import read_published
from treecrf.studies.explored import (
    ACCURACY,
    PAIRS,
    PUBLISHED,
    RUNS,
    SCORES,
    Frames,
    draw_answers,
    draw_pairs,
    draw_runs,
    tidy,
)

FRAMES = ("lines", "runs", "comparisons")

SHARED = ("losses",)
"""Frames of jobs without a data set."""

TEST = "A corrected resampled t test over the draws."

ANSWERS = "predictions"


def name_of(method: str) -> str:
    """What readers see of an ensemble, or of a row of table 1."""
    return VOTES[method] if method in VOTES else method_text(method)


def scores(frames: Frames) -> pd.DataFrame:
    """Accuracies, 100 minus the percent of errors; `chosen` is what the draws chose."""
    if "lines" not in frames:
        return tidy(pd.DataFrame(), SCORES)
    lines = frames["lines"]
    found = lines.assign(
        metric=ACCURACY, value=100 - lines["error"], low=100 - lines["error_high"], high=100 - lines["error_low"]
    )
    return tidy(found.rename(columns={"n_seeds": "n_runs"}), SCORES)


def pairs(frames: Frames) -> pd.DataFrame:
    return draw_pairs(frames["comparisons"]) if "comparisons" in frames else tidy(pd.DataFrame(), PAIRS)


def runs(frames: Frames) -> pd.DataFrame:
    return draw_runs(frames["runs"]) if "runs" in frames else tidy(pd.DataFrame(), RUNS)


def answers(predictions: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    return draw_answers(predictions)


def published(frames: Frames) -> pd.DataFrame:
    """Table 1: Hamming losses on the generated sets, the mean over all samples of all pools."""
    if "losses" not in frames:
        return tidy(pd.DataFrame(), PUBLISHED)
    means = frames["losses"].groupby(["dataset", "method", "pool"])["loss"].mean()
    over_pools = means.groupby(["dataset", "method"]).agg(measured="mean", low="min", high="max").reset_index()
    found = over_pools.merge(read_published("table_1"), on=["dataset", "method"])
    named = found.assign(
        quantity="Hamming loss", source="ESPBoost table 1", published=found["hamming_loss"], stand_in=False
    )
    return tidy(named, PUBLISHED)
