"""What is seen in figures that studies draw, and what follows from it: learning curves and the effects of chapter 4."""

from __future__ import annotations

import numpy as np
import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.rendering.cells import seconds_text, signed, with_and
from treecrf_studies.rendering.style import method_name, training_method_name

FELL = 1.0
"""Points that a curve loses from its highest value to its end to count as falling."""


def curve_frame(curves: pd.DataFrame) -> pd.DataFrame:
    """The learning curves of figures 3.1 and 3.2 in numbers.

    Parameters
    ----------
    curves : DataFrame
        From `treecrf_studies.training.summary.learning_curves`, of several data sets.

    Returns
    -------
    DataFrame
        A row for each data set and method with iterations, with the preferred decoder: dataset, method, highest, last
        (percent), seconds (CPU seconds up to the last iteration).
    """
    names = ["dataset", "method", "highest", "last", "seconds"]
    if curves.empty:
        return pd.DataFrame(columns=names)
    shown = curves[curves["preferred"]].sort_values("iteration", kind="stable")
    several = shown.groupby("method")["iteration"].transform("max") > 1
    groups = shown[several].groupby(["dataset", "method"], sort=False)
    found = groups.agg(highest=("accuracy", "max"), last=("accuracy", "last"), seconds=("cpu_seconds", "last"))
    return found.reset_index()[names]


def curve_alt(frame: pd.DataFrame) -> str:
    """What `treecrf_studies.training.figures.accuracy_by_iteration` shows."""
    if frame.empty:
        return "No method has iterations."
    first = frame.sort_values("last", ascending=False, kind="stable").drop_duplicates("dataset")
    ends = with_and(
        f"{training_method_name(row['method'])} with {row['last']:.1f} % on {row['dataset']}"
        for row in first.to_dict("records")
    )
    return f"Learning curves of {counted(frame['method'].nunique(), 'method')}. Highest at the end: {ends}."


def curve_caption(frame: pd.DataFrame) -> str:
    """What follows from it."""
    if frame.empty:
        return "No method has iterations."
    n_fell = int((frame["highest"] - frame["last"] >= FELL).sum())
    return (
        f"{n_fell} of {len(frame)} curves end at least {FELL:g} point below their highest value: these methods must be "
        "stopped in time."
    )


def seconds_alt(frame: pd.DataFrame) -> str:
    """What `treecrf_studies.training.figures.seconds_by_iteration` shows."""
    if frame.empty:
        return "No method has iterations."
    slow, quick = frame.iloc[frame["seconds"].argmax()], frame.iloc[frame["seconds"].argmin()]
    return (
        f"CPU seconds by iteration of {counted(frame['method'].nunique(), 'method')}. Up to the last iteration, "
        f"{_seconds(quick)}, {_seconds(slow)}."
    )


def seconds_caption(frame: pd.DataFrame) -> str:
    """What follows from it."""
    seconds = frame[frame["seconds"] > 0].groupby("dataset")["seconds"].agg(["min", "max"])
    ratios = seconds["max"] / seconds["min"]
    if ratios.empty:
        return "No method has iterations."
    return (
        f"{ratios.min():,.0f} to {ratios.max():,.0f} times the CPU seconds of the quickest method are spent by the slowest, "
        "by data set."
    )


def effect_frame(comparisons: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Methods for missing values against one of them, as `treecrf_studies.missing.figures.effects_by_rate` draws them.

    Parameters
    ----------
    comparisons : DataFrame
        `treecrf_studies.missing.summary`, of several data sets: dataset, rate, method, other, value, family_low,
        family_high, decision.
    baseline : str
        Such as "instance_weighting".

    Returns
    -------
    DataFrame
        dataset, rate, method, other (the baseline), value, low, high (points, 95 % interval of the family), decision.
    """
    names = ["dataset", "rate", "method", "other", "value", "low", "high", "decision"]
    if comparisons.empty:
        return pd.DataFrame(columns=names)
    shown = comparisons[(comparisons["other"] == baseline) & np.isfinite(comparisons["value"].astype(float))]
    shown = shown.drop(columns=["low", "high"]).rename(columns={"family_low": "low", "family_high": "high"})
    return shown[names].reset_index(drop=True)


def effect_alt(frame: pd.DataFrame) -> str:
    """What is seen of `effect_frame`."""
    if frame.empty:
        return "No methods for missing values were compared."
    most, least = frame.iloc[frame["value"].argmax()], frame.iloc[frame["value"].argmin()]
    return (
        f"Accuracy minus that of {method_name(most['other'])}, by data set and share of removed values: from "
        f"{_effect(least)} to {_effect(most)}."
    )


def effect_caption(frame: pd.DataFrame) -> str:
    """What follows from `effect_frame`."""
    if frame.empty:
        return "No methods for missing values were compared."
    counts = frame["decision"].value_counts()
    baseline, worst = method_name(frame["other"].iloc[0]), frame.groupby("method")["value"].mean().idxmin()
    return (
        f"{counts.get('worse', 0)} of {len(frame)} differences show {baseline} to be better, {counts.get('better', 0)} worse; "
        f"{method_name(str(worst))} loses most, {signed(frame.loc[frame['method'] == worst, 'value'].mean())} points on average."
    )


def _seconds(row: pd.Series) -> str:
    return f"{training_method_name(row['method'])} takes {seconds_text(row['seconds'])} s on {row['dataset']}"


def _effect(row: pd.Series) -> str:
    return f"{signed(row['value'])} points ({method_name(row['method'])} on {row['dataset']}, {100 * row['rate']:g} %)"
