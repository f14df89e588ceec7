"""What the figure of effects shows of a run of the papers' protocol, in words."""

from __future__ import annotations

import numpy as np
import pandas as pd

from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.page import Words
from treecrf_studies.rendering.cells import signed, texts_of
from treecrf_studies.rendering.style import method_name

BASELINE = "instance_weighting"
"""The treatment of missing values that chapter 4 proposes."""


def tell_effects(frames: Frames) -> Words | None:
    """Of the differences from `BASELINE`."""
    effects = effect_frame(frames.read("missing", "comparisons"), BASELINE)
    if effects.empty:
        return None
    names = {name: effects[name].map(method_name) for name in ("method", "other")}
    return Words(effect_caption(effects), effect_alt(effects), texts_of(effects.assign(**names)))


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
    most, least = frame.iloc[frame["value"].argmax()], frame.iloc[frame["value"].argmin()]
    return (
        f"Accuracy minus that of {method_name(most['other'])}, by data set and share of removed values: from "
        f"{_effect(least)} to {_effect(most)}."
    )


def effect_caption(frame: pd.DataFrame) -> str:
    """What follows from `effect_frame`."""
    counts = frame["decision"].value_counts()
    baseline, worst = method_name(frame["other"].iloc[0]), frame.groupby("method")["value"].mean().idxmin()
    return (
        f"{counts.get('worse', 0)} of {len(frame)} differences show {baseline} to be better, {counts.get('better', 0)} "
        f"worse; {method_name(str(worst))} loses most, {signed(frame.loc[frame['method'] == worst, 'value'].mean())} "
        "points on average."
    )


def _effect(row: pd.Series) -> str:
    return f"{signed(row['value'])} points ({method_name(row['method'])} on {row['dataset']}, {100 * row['rate']:g} %)"
