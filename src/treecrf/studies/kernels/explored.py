"""Results of the study of kernels for the explorer (see `treecrf.studies.explored`)."""

from __future__ import annotations

import pandas as pd

from treecrf.studies.explored import (
    ANSWERED,
    PAIRS,
    RUNS,
    SCORES,
    Frames,
    draw_answers,
    draw_pairs,
    draw_runs,
    draw_scores,
    tidy,
)
from treecrf.studies.kernels.methods import method_text

FRAMES = ("lines", "runs", "comparisons")

TEST = (
    "Over several draws a corrected resampled t test; with one draw the two methods change places in whole groups of related "
    "test sequences."
)

ANSWERS = "predictions"

DECODER = "forward_backward"
"""Of the predictions and the tests."""

name_of = method_text


def scores(frames: Frames) -> pd.DataFrame:
    """With both decoders; of Viterbi's the mean alone is kept."""
    if "lines" not in frames:
        return tidy(pd.DataFrame(), SCORES)
    lines = frames["lines"]
    viterbi = lines.assign(accuracy=lines["viterbi_accuracy"], accuracy_low=None, accuracy_high=None, decoder="viterbi")
    return draw_scores(
        pd.concat([lines.assign(decoder=DECODER), viterbi.astype({"accuracy_low": float, "accuracy_high": float})])
    )


def pairs(frames: Frames) -> pd.DataFrame:
    """Of the methods themselves, not of the best of several in each draw."""
    if "comparisons" not in frames:
        return tidy(pd.DataFrame(), PAIRS)
    found = frames["comparisons"].assign(decoder=DECODER)
    if "lines" in frames:
        known = set(frames["lines"]["method"])
        found = found[found["method"].isin(known) & found["other"].isin(known)]
    return draw_pairs(found)


def runs(frames: Frames) -> pd.DataFrame:
    return draw_runs(frames["runs"].assign(decoder=DECODER)) if "runs" in frames else tidy(pd.DataFrame(), RUNS)


def answers(predictions: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    return draw_answers(predictions.assign(decoder=DECODER)) if len(predictions) else tidy(predictions, ANSWERED)
