"""Results that every study gives to the explorer: tidy frames whose columns are the same for all studies.

A study's ``explored.py`` has

``FRAMES``, ``SHARED``
    Frames of its summary or of its jobs that it reads, of one data set; of all data sets together, for `published` alone.
``TEST``
    What its tests between methods flip or resample, in a sentence.
``name_of(method)``
    What readers see of a method.
``scores(frames)``, ``pairs(frames)``, ``runs(frames)``, ``curves(frames)``, ``published(frames)``
    Pure functions of the frames that are there, by name, to the frames below. A study without such a function, or without
    the frames that it needs, offers nothing of the kind: the explorer says so.
``REFERENCES``
    Methods that are no competitors, such as a generator's own model: neither ranked nor tested, shown for comparison.
``ANSWERS``, ``answers(predictions, frames)``
    The frame of its jobs with the labels that were predicted, of one job, and what it is in the columns `ANSWERS`.

A *case* is what methods are compared on: `CASE`. Columns that mean nothing for a study are left out and filled here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treecrf.studies.confidence import CONFIDENCE

CASE = ["dataset", "variant", "decoder", "point"]
"""Data set; condition, such as a share of missing cells; decoder; whether cross-validation or the test set chose."""

CHOICE, PEAK = "choice", "peak"
"""Values of `point`."""

NOT_KNOWN: dict[str, Any] = {
    "variant": "",
    "decoder": "",
    "point": CHOICE,
    "counted": True,
    "inferred": False,
    **dict.fromkeys(CONFIDENCE, np.nan),
}
"""Values of the columns of `CASE` in studies that have but one; those of `CONFIDENCE` where probabilities are not kept."""

SCORES = [*CASE, "method", "metric", "value", "low", "high", "n_runs", "cpu_seconds", "chosen", "stand_in"]
"""Mean over the runs of a method, the lowest and the highest run, CPU seconds of a training, and the settings chosen."""

PAIRS = [
    *CASE, "method", "other", "points", "points_standard_error", "degrees_of_freedom", "low", "high", "p_value", "decision",
]  # fmt: skip
"""Accuracy of `method` minus that of `other` in points, its standard error, interval of 95 %, p-value of a valid test and the study's
decision."""

RUNS = [*CASE, "method", "run", "accuracy", "cpu_seconds", "chosen"]
"""Trainings: a seed of a draw or of a perturbed start, accuracy in percent."""

CURVES = [*CASE, "method", "iteration", "accuracy", "low", "high", "cpu_seconds", "is_chosen"]
"""Accuracy on the test set by iteration of training, lowest and highest run."""

ANSWERED = [
    "variant", "decoder", "point", "method", "run", "sequence", "group", "position", "label", "predicted", *CONFIDENCE,
]  # fmt: skip
"""Labels of test positions and their probabilities; sequence -1 where nothing but the group and the place in the test set is kept."""

PUBLISHED = [
    *CASE, "method", "quantity", "source", "published", "measured", "low", "high", "at_choice", "counted", "inferred",
    "stand_in",
]  # fmt: skip
"""A printed number and what compares with it, such as the peak of a test curve; the lowest and the highest run; an accuracy at
the cross-validated choice; whether it is the first row with this printed number; whether the data set's columns are inferred."""

ACCURACY, MACRO_F1, SEQUENCES_RIGHT, CHUNK_F1 = "accuracy", "macro F1", "sequences right", "F1 of noun phrases"
LOG_LOSS, BRIER_SCORE = "log loss", "Brier score"
"""Values of `metric`; see `METRICS`."""


class Metric(NamedTuple):
    """What readers see of a metric.

    Attributes
    ----------
    title : str
        With its unit.
    digits : int
        After the point.
    is_loss : bool
        Whether less is better.
    """

    title: str
    digits: int = 2
    is_loss: bool = False


METRICS = {
    ACCURACY: Metric("accuracy (%)"),
    MACRO_F1: Metric("macro F1 (%)"),
    SEQUENCES_RIGHT: Metric("sequences without an error (%)"),
    CHUNK_F1: Metric("F1 of noun phrases (%)"),
    LOG_LOSS: Metric("log loss (nats)", 4, is_loss=True),
    BRIER_SCORE: Metric("Brier score", 4, is_loss=True),
}
"""By the values of `metric`."""

Frames = Mapping[str, pd.DataFrame]


def tidy(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """A frame with these columns in their order: those that it lacks have the value of `NOT_KNOWN`, or are missing."""
    absent = {name: NOT_KNOWN.get(name) for name in columns if name not in frame}
    return frame.assign(**absent)[columns].reset_index(drop=True)


def renamed(frame: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """A frame with some columns under other names; those that have these names already, and mean something else, are left out."""
    taken = [name for name in names.values() if name in frame and name not in names]
    return frame.drop(columns=taken).rename(columns=dict(names))


def draw_scores(lines: pd.DataFrame) -> pd.DataFrame:
    """`SCORES` of a study with draws; columns of `lines`: accuracy, accuracy_low, accuracy_high, n_seeds and those of scores."""
    names = {"accuracy": "value", "accuracy_low": "low", "accuracy_high": "high", "n_seeds": "n_runs"}
    return tidy(renamed(lines, names).assign(metric=ACCURACY), SCORES)


def draw_pairs(comparisons: pd.DataFrame) -> pd.DataFrame:
    """`PAIRS` of `treecrf.studies.draw_tests.compare_draws`."""
    names = {
        "accuracy_points": "points", "points_low": "low", "points_high": "high", "valid_p_value": "p_value",
    }  # fmt: skip
    return tidy(renamed(comparisons, names), PAIRS)


def draw_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """`RUNS` of a study with draws: a run for each seed."""
    return tidy(runs.assign(run=_draws(runs["seed"]).astype(str)), RUNS)


def draw_answers(predictions: pd.DataFrame) -> pd.DataFrame:
    """`ANSWERED` of a study with draws: a run for each seed, named as in `draw_runs`."""
    sequence = predictions.get("sequence", -1)
    return tidy(predictions.assign(run=_draws(predictions["seed"]), sequence=sequence), ANSWERED)


def _draws(seeds: pd.Series) -> pd.Series:
    """What draws are called."""
    return seeds.astype("category").cat.rename_categories("draw {}".format)
