"""What figures of the training study show of a run of the papers' protocol, in words."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.page import Words
from treecrf_studies.rendering.cells import seconds_text, texts_of, with_and
from treecrf_studies.rendering.style import training_method_name
from treecrf_studies.training.figures import MOST_NAMES

FELL = 1.0
"""Points that a curve loses from its highest value to its end to count as falling."""


def tell_curves(frames: Frames) -> Words | None:
    """Of the accuracy by iteration or by CPU seconds."""
    curves = curve_frame(_curves(frames))
    if curves.empty:
        return None
    files = {name: Path(frames.files["training"].folder, name, "curves.csv") for name in curves["dataset"].unique()}
    return Words(curve_caption(curves), curve_alt(curves), _shown(curves), files)


def tell_seconds(frames: Frames) -> Words | None:
    """Of the CPU seconds by iteration."""
    curves = curve_frame(_curves(frames))
    return None if curves.empty else Words(seconds_caption(curves), seconds_alt(curves), _shown(curves))


def _curves(frames: Frames) -> pd.DataFrame:
    return frames.read("training", "curves", frames.files["training"].all_datasets())


def _shown(curves: pd.DataFrame) -> pd.DataFrame:
    return texts_of(curves.assign(method=curves["method"].map(training_method_name)))


def curve_frame(curves: pd.DataFrame) -> pd.DataFrame:
    """The learning curves of figures 3.1 and 3.2 in numbers.

    Parameters
    ----------
    curves : DataFrame
        From `treecrf_studies.training.summary.learning_curves`, of several data sets.

    Returns
    -------
    DataFrame
        A row for each data set and method with iterations, with the preferred decoder, those with the highest accuracy
        at the end first: dataset, method, chosen (iteration that cross-validation chose), accuracy there (percent),
        highest, last (percent), iterations, seconds (CPU seconds up to the last iteration).
    """
    names = ["dataset", "method", "chosen", "accuracy", "highest", "last", "iterations", "seconds"]
    if curves.empty:
        return pd.DataFrame(columns=names)
    shown = curves[curves["preferred"]].sort_values("iteration", kind="stable")
    shown = shown[shown.groupby("method")["iteration"].transform("max") > 1]
    by_curve = shown.groupby(["dataset", "method"], sort=False).agg(
        highest=("accuracy", "max"),
        last=("accuracy", "last"),
        iterations=("iteration", "last"),
        seconds=("cpu_seconds", "last"),
    )
    at_choice = shown[shown["chosen"]].groupby(["dataset", "method"])[["iteration", "accuracy"]].first()
    by_curve = by_curve.join(at_choice.rename(columns={"iteration": "chosen"})).reset_index()
    places = {name: place for place, name in enumerate(curves["dataset"].unique())}
    order = by_curve.assign(place=by_curve["dataset"].map(places)).sort_values(
        ["place", "last"], ascending=[True, False], kind="stable"
    )
    return order[names].astype({"chosen": "Int64"}).reset_index(drop=True)


def curve_alt(frame: pd.DataFrame) -> str:
    """What `treecrf_studies.training.figures.accuracy_by_iteration` shows."""
    first = frame.sort_values("last", ascending=False, kind="stable").drop_duplicates("dataset")
    ends = with_and(
        f"{training_method_name(row['method'])} with {row['last']:.1f} % on {row['dataset']}"
        for row in first.to_dict("records")
    )
    n_methods = counted(frame["method"].nunique(), "method")
    return f"Learning curves of {n_methods}{_unnamed(frame)}. Highest at the end: {ends}."


def curve_caption(frame: pd.DataFrame) -> str:
    """What follows from it."""
    n_fell = int((frame["highest"] - frame["last"] >= FELL).sum())
    return (
        f"{n_fell} of {len(frame)} curves end at least {FELL:g} point below their highest value: these methods must be "
        "stopped in time."
    )


def seconds_alt(frame: pd.DataFrame) -> str:
    """What `treecrf_studies.training.figures.seconds_by_iteration` shows."""
    slow, quick = frame.iloc[frame["seconds"].argmax()], frame.iloc[frame["seconds"].argmin()]
    return (
        f"CPU seconds by iteration of {counted(frame['method'].nunique(), 'method')}{_unnamed(frame)}. Up to the last "
        f"iteration, {_seconds(quick)}, {_seconds(slow)}."
    )


def seconds_caption(frame: pd.DataFrame) -> str:
    """What follows from it."""
    seconds = frame[frame["seconds"] > 0].groupby("dataset")["seconds"].agg(["min", "max"])
    ratios = seconds["max"] / seconds["min"]
    if ratios.empty:
        return "No method has iterations."
    return (
        f"{ratios.min():,.0f} to {ratios.max():,.0f} times the CPU seconds of the quickest method are spent by the "
        "slowest, by data set."
    )


def _unnamed(frame: pd.DataFrame) -> str:
    """That some lines have no name, if a panel has too many."""
    most = frame.groupby("dataset")["method"].nunique().max()
    return f", of which a panel names at most {MOST_NAMES}" if most > MOST_NAMES else ""


def _seconds(row: pd.Series) -> str:
    return f"{training_method_name(row['method'])} takes {seconds_text(row['seconds'])} s on {row['dataset']}"
