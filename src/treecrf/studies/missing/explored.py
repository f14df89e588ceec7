"""Results of the study of missing values for the explorer (see `treecrf.studies.explored`)."""

from __future__ import annotations

import pandas as pd

from treecrf.missing import MECHANISMS
from treecrf.rendering.style import method_name
from treecrf.studies.explored import ACCURACY, PAIRS, PUBLISHED, RUNS, SCORES, Frames, renamed, tidy
from treecrf.studies.missing.published import missing_value_coefficients
from treecrf.studies.missing.trees import TREES

FRAMES = (
    "evaluations", "comparisons", "costs", "tree_evaluations", "tree_comparisons", "mechanism_evaluations",
    "mechanism_comparisons",
)  # fmt: skip

TEST = "A crossed model of training sets and groups of related test sequences."

KINDS = ("", "tree_", "mechanism_")
"""Before the names of evaluations and comparisons: as in the papers, other trees, cells that are missing for reasons."""

name_of = method_name


def variants(frame: pd.DataFrame) -> pd.Series:
    """The share of missing cells, and under which condition."""
    text = (100 * frame["rate"]).map("{:g} % missing".format).astype(str)  # of no row at all too
    if "trees" in frame:
        text += ", " + frame["trees"].map(lambda name: TREES[name].name)
    if "mechanism" in frame:
        text += ", " + frame["mechanism"].map(lambda name: MECHANISMS[name].name)
    return text


def _all(frames: Frames, name: str) -> pd.DataFrame:
    """The frames of this name of all kinds, with the column variant."""
    there = [frames[kind + name] for kind in KINDS if len(frames.get(kind + name, ()))]
    return pd.concat([frame.assign(variant=variants(frame)) for frame in there]) if there else pd.DataFrame()


def _cases(frames: Frames) -> pd.DataFrame:
    """Accuracy in percent by training set and method; trees of the papers are there once."""
    found = _all(frames, "evaluations")
    if found.empty:
        return found
    keys = ["dataset", "variant", "rate", "method", "training_set"]
    sums = found.groupby(keys, sort=False)[["n_correct", "n_positions"]].sum().reset_index()
    stand_in = bool(found["stand_in"].any())
    return sums.assign(accuracy=100 * sums["n_correct"] / sums["n_positions"], stand_in=stand_in)


def scores(frames: Frames) -> pd.DataFrame:
    """Mean over all test sets, lowest and highest training set, CPU seconds of one training with the papers' trees."""
    cases = _cases(frames)
    if cases.empty:
        return tidy(pd.DataFrame(), SCORES)
    groups = cases.groupby(["dataset", "variant", "rate", "method", "stand_in"], sort=False)
    found = groups.agg(
        n_correct=("n_correct", "sum"),
        n_positions=("n_positions", "sum"),
        low=("accuracy", "min"),
        high=("accuracy", "max"),
        n_runs=("training_set", "nunique"),
    ).reset_index()
    found["value"] = 100 * found["n_correct"] / found["n_positions"]
    if "costs" in frames:
        keys = ["dataset", "rate", "method"]
        seconds = frames["costs"].groupby([*keys, "training_set"])["cpu_seconds"].sum().groupby(keys).median()
        of_papers = found["variant"] == variants(found[["rate"]])
        found = found.join(seconds, on=keys)
        found["cpu_seconds"] = found["cpu_seconds"].where(of_papers)
    return tidy(found.assign(metric=ACCURACY), SCORES)


def pairs(frames: Frames) -> pd.DataFrame:
    """Each once: the tests of the study have every method as the baseline in turn."""
    names = {
        "baseline": "other", "accuracy_points": "points", "points_low": "low", "points_high": "high", "valid_p_value": "p_value",
    }  # fmt: skip
    found = _all(frames, "comparisons")
    if len(found):
        found = found[found["method"] < found["baseline"]]
    return tidy(renamed(found, names), PAIRS)


def runs(frames: Frames) -> pd.DataFrame:
    """A training set is a run."""
    cases = _cases(frames)
    if cases.empty:
        return tidy(cases, RUNS)
    return tidy(cases.assign(run="training set " + cases["training_set"].astype(str)), RUNS)


def published(frames: Frames) -> pd.DataFrame:
    """Log odds of tables 4.1 a to d."""
    if "comparisons" not in frames:
        return tidy(pd.DataFrame(), PUBLISHED)
    printed = missing_value_coefficients().rename(columns={"missing_rate": "rate", "coefficient": "published"})
    found = frames["comparisons"].merge(printed, on=["dataset", "rate", "baseline", "method"])
    error = 1.96 * found["clustered_standard_error"]
    named = found.assign(
        variant=variants(found[["rate"]]) + ", against " + found["baseline"].map(method_name).astype(str),
        quantity="log odds against the baseline",
        source="PhD table 4.1",
        measured=found["coefficient"],
        low=found["coefficient"] - error,
        high=found["coefficient"] + error,
    )
    return tidy(named, PUBLISHED)
