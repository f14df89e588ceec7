"""Results of the study of future features for the explorer (see `treecrf.studies.explored`)."""

from __future__ import annotations

import pandas as pd

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
from treecrf.studies.future.methods import method_text, variant_names
from treecrf.studies.future.published import future_accuracies, read_published
from treecrf.studies.future.summary import VARIANT

FRAMES = ("best", "summary", "runs", "comparisons")

TEST = "A corrected resampled t test over the draws."

ANSWERS = "predictions"

name_of = method_text


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Methods with their bags, as in the tests; each has one decoder."""
    return frame.assign(method=variant_names(frame)).drop(columns="decoder", errors="ignore")


def scores(frames: Frames) -> pd.DataFrame:
    """With the G_0 that validation prefers."""
    if "best" not in frames:
        return tidy(pd.DataFrame(), SCORES)
    best = _named(frames["best"])
    names = {"test_mean": "value", "test_min": "low", "test_max": "high", "n_seeds": "n_runs"}
    chosen = "iteration " + best["n_iterations"].astype(int).astype(str) + " (median)"
    return tidy(best.rename(columns=names).assign(metric=ACCURACY, chosen=chosen, stand_in=False), SCORES)


def pairs(frames: Frames) -> pd.DataFrame:
    return draw_pairs(frames["comparisons"]) if "comparisons" in frames else tidy(pd.DataFrame(), PAIRS)


def runs(frames: Frames) -> pd.DataFrame:
    if not {"runs", "best"} <= frames.keys():
        return tidy(pd.DataFrame(), RUNS)
    kept = _named(frames["runs"].merge(frames["best"][VARIANT], on=VARIANT))
    chosen = "iteration " + kept["n_iterations"].astype(int).astype(str)
    return draw_runs(kept.assign(accuracy=kept["test_accuracy"], chosen=chosen))


def answers(predictions: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    kept = _named(predictions.merge(frames["best"][VARIANT], on=VARIANT))
    return draw_answers(kept.assign(group=kept["sequence"]))


def published(frames: Frames) -> pd.DataFrame:
    """Table 5.3, with the start values of its rows, and tables 5.4 and 5.5."""
    parts = []
    if "best" in frames:
        known = frames["best"].merge(future_accuracies(), on=["dataset", "method", "bag"])
        parts.append(_named(known).assign(source="PhD table " + known["table"], published=known["percent"]))
    if "summary" in frames:
        printed = read_published("table_5_3_ff_memm_synthetic")
        patterns = frames["summary"].query("method == 'ff_memm_0' and bag == 'bag 6'")
        known = patterns.merge(printed, on=["dataset", "g0"])
        known = known.assign(source="PhD table 5.3", published=known["test_percent"])
        parts.append(_named(known).assign(variant=[f"G0 = {start:g}" for start in known["g0"]]))
    if not parts:
        return tidy(pd.DataFrame(), PUBLISHED)
    names = {"test_mean": "measured", "test_min": "low", "test_max": "high"}
    found = pd.concat(parts).rename(columns=names).assign(quantity="accuracy (%)", stand_in=False)
    found = found.assign(at_choice=found["measured"])
    return tidy(found.dropna(subset=["published", "measured"]), PUBLISHED)
