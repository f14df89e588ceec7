"""Results of the study of output coding for the explorer (see `treecrf.studies.explored`)."""

from __future__ import annotations

import pandas as pd

from treecrf.studies.coding.methods import KNOWN_MODEL, method_text
from treecrf.studies.coding.names import LINE
from treecrf.studies.coding.summary import compared_sizes
from treecrf.studies.explored import (
    CHUNK_F1,
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

FRAMES = ("lines", "best", "runs", "comparisons")

TEST = (
    "Over several draws a corrected resampled t test; with one draw the two methods change places in whole groups of related "
    "test sequences."
)

REFERENCES = (KNOWN_MODEL,)

ANSWERS = "predictions"

name_of = method_text


def _compared(frame: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    """The rows of the sizes that are compared: the longest code, the chosen beam; `variant` is the window."""
    kept = frame.merge(compared_sizes(frames["lines"], frames["best"]), on=LINE)
    return kept.assign(variant=_window(kept["window"]))


def _window(window: pd.Series) -> pd.Series:
    return "window " + window.astype(str)


def scores(frames: Frames) -> pd.DataFrame:
    """Accuracy, and F1 of noun phrases where labels have these."""
    if not {"lines", "best"} <= frames.keys():
        return tidy(pd.DataFrame(), SCORES)
    lines = _compared(frames["lines"], frames)
    chunks = lines[lines["f1"].notna()].assign(metric=CHUNK_F1)
    return pd.concat([draw_scores(lines), tidy(chunks.rename(columns={"f1": "value", "n_seeds": "n_runs"}), SCORES)])


def pairs(frames: Frames) -> pd.DataFrame:
    if "comparisons" not in frames:
        return tidy(pd.DataFrame(), PAIRS)
    found = frames["comparisons"]
    return draw_pairs(found.assign(variant=_window(found["window"])))


def runs(frames: Frames) -> pd.DataFrame:
    return draw_runs(_compared(frames["runs"], frames)) if "runs" in frames else tidy(pd.DataFrame(), RUNS)


def answers(predictions: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    return draw_answers(_compared(predictions, frames))
