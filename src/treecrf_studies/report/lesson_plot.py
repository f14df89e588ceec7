"""What was learnt as one forest plot: a row for each two methods that a question compares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from treecrf.io.messages import counted
from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.rendering.cells import signed
from treecrf_studies.rendering.forest import Forest, Interval, forest_figure
from treecrf_studies.report.lessons import FEW, Gap, Lesson, Pair
from treecrf_studies.report.papers import PAPERS

MEAN, SET, LARGER = "mean", "data set", "larger sample"
"""Values of `kind`."""

COLUMNS = ["question", "comparison", "source", "target", "kind", "dataset", "value", "low", "high", "n_sets"]


def lesson_frame(lessons: Sequence[Lesson]) -> pd.DataFrame:
    """The differences behind the lessons of a run, a row for each mark of the plot.

    Parameters
    ----------
    lessons : sequence of Lesson
        From `treecrf_studies.report.lessons.find_lessons`.

    Returns
    -------
    DataFrame
        question; comparison ("A minus B"); source, the paper, and target, the page and anchor of the table; kind: `MEAN`
        over the data sets where there are more than `FEW`, `SET` for each, `LARGER` for each larger sample; dataset;
        value, low, high (points, 95 % interval); n_sets.
    """
    rows = [
        {
            "question": lesson.title,
            "comparison": f"{pair.method} minus {pair.other}".replace(",", ""),
            "source": source_of(lesson.target),
            "target": lesson.target,
            "n_sets": len(pair.gaps),
            **mark,
        }
        for lesson in lessons
        for pair in lesson.pairs
        for mark in _marks(pair)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def lesson_figure(frame: pd.DataFrame) -> Figure:
    """A line for each mean over data sets with its 95 % interval and the data sets as dots, or for each of a few data sets;
    squares are larger samples.
    """
    rows, question = [], ""
    for (title, comparison), group in frame.groupby(["question", "comparison"], sort=False):
        if str(title) != question:
            rows.append(Interval(str(title), np.nan, np.nan, np.nan))
        question, dots = str(title), tuple(group.loc[group["kind"] == SET, "value"])
        shown = pd.concat([_main(group), group[group["kind"] == LARGER]]).to_dict("records")
        for place, row in enumerate(shown):
            standing = "replicated" if row["low"] > 0 else "not_replicated" if row["high"] < 0 else "undecided"
            rows.append(
                Interval(
                    "" if place else str(comparison),
                    row["value"],
                    row["low"],
                    row["high"],
                    row["dataset"] or f"{len(dots)} data sets",
                    standing,
                    dots if row["kind"] == MEAN else (),
                    {MEAN: "D", SET: "o", LARGER: "s"}[row["kind"]],
                )
            )
    return forest_figure(Forest("", rows))


def lesson_alt(frame: pd.DataFrame) -> str:
    """What `lesson_figure` shows."""
    main = _main(frame)
    largest, smallest = main.iloc[main["value"].argmax()], main.iloc[main["value"].argmin()]
    n_larger = int((frame["kind"] == LARGER).sum())
    more = f" Beside them: {counted(n_larger, 'larger sample')}." if n_larger else ""
    return (
        f"{counted(frame.groupby(['question', 'comparison']).ngroups, 'comparison')} of two methods, from "
        f"{_told(smallest)} to {_told(largest)}.{more}"
    )


def lesson_caption(frame: pd.DataFrame) -> str:
    """What follows from `lesson_figure`."""
    main = _main(frame)
    is_clear = (main["low"] > 0) | (main["high"] < 0)
    clear = main[is_clear].groupby(["question", "comparison"]).ngroups
    n = frame.groupby(["question", "comparison"]).ngroups
    return (
        f"In {clear} of {n} comparisons an interval excludes zero. Diamonds: means over data sets; dots: data sets; "
        "squares: larger samples."
    )


# --- rows -------------------------------------------------------------------------------------------


def _marks(pair: Pair) -> list[dict[str, Any]]:
    marks = [_mark(SET, gap) for gap in pair.gaps]
    if pair.is_averaged and len(pair.gaps) > FEW:
        mean, (low, high) = mean_with_interval(pd.Series([gap.points for gap in pair.gaps]))
        marks.insert(0, {"kind": MEAN, "dataset": "", "value": mean, "low": low, "high": high})
    return marks + [_mark(LARGER, gap) for gap in pair.larger]


def _mark(kind: str, gap: Gap) -> dict[str, Any]:
    return {"kind": kind, "dataset": gap.dataset, "value": gap.points, "low": gap.low, "high": gap.high}


def source_of(target: str) -> str:
    """The paper of a page; its name where it is of none."""
    path = target.partition("#")[0]
    return next((paper.name for paper in PAPERS if paper.path == path), path.removesuffix(".md").replace("-", " "))


def _main(frame: pd.DataFrame) -> pd.DataFrame:
    """The means, and the data sets of comparisons without one."""
    has_mean = frame.groupby(["question", "comparison"], sort=False)["kind"].transform(
        lambda kinds: (kinds == MEAN).any()
    )
    return frame[(frame["kind"] == MEAN) | (~has_mean.astype(bool) & (frame["kind"] == SET))]


def _told(row: pd.Series) -> str:
    where = f" on {row['dataset']}" if row["dataset"] else f", mean over {row['n_sets']} data sets"
    return f"{signed(row['value'])} ({row['comparison']}{where})"
