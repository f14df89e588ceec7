"""What a run of the papers' protocol shows: a forest plot of all differences, and short answers with links to their
tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from treecrf.io.messages import counted
from treecrf_studies.coding import page as coding
from treecrf_studies.ensembles import page as ensembles
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Answer, Pair
from treecrf_studies.framework.views import NEAR, distinct_accuracies, nearness_texts, published_values
from treecrf_studies.future import page as future
from treecrf_studies.kernels import page as kernels
from treecrf_studies.missing import page as missing
from treecrf_studies.rendering.cells import signed, texts_of
from treecrf_studies.rendering.findings import Finding
from treecrf_studies.rendering.forest import Forest, Interval, forest_figure
from treecrf_studies.rendering.parts import (
    Note,
    Page,
    Part,
    Section,
    link,
    listed,
    paragraph,
    slug,
)
from treecrf_studies.report.papers import PAPERS
from treecrf_studies.training import lessons as training

LEARNT, LEARNT_TITLE = "learnt.md", "What we learnt"

INTRODUCTION = """
Differences are percentage points of accuracy, with 95 % intervals of the sequence-level test. A method is *more* or
*less accurate* where p < 0.05, *equivalent* where the uncorrected 90 % interval lies within the margin of equivalence,
and else *undecided*.

In the studies of training and of missing values, decisions have Holm's correction and intervals Bonferroni's
(docs/statistics.md). An interval may therefore contain zero where a difference is significant. Intervals of kernels,
future features, many labels and ensembles are uncorrected.

Intervals of means take the data sets as a sample. Differences on FAQ sets count positions, where tables of accuracies
average documents.
"""


class Lesson(NamedTuple):
    """An answer: what it is about, sentences, the page and anchor of its table, and the pairs of methods in it."""

    title: str
    sentences: Sequence[str]
    target: str
    pairs: Sequence[Pair] = ()


def find_lessons(frames: Frames) -> list[Lesson]:
    """What the results of a run answer."""
    lessons = []
    for title, (target, answer) in LESSONS.items():
        told = list(answer(frames))
        texts = [text for each in told for text in ([each] if isinstance(each, str) else each.sentences())]
        if texts:
            lessons.append(Lesson(title, texts, target, [each for each in told if isinstance(each, Pair)]))
    return lessons


# --- page -------------------------------------------------------------------------------------------


def learnt_pages(frames: Frames) -> list[Page]:
    """What was learnt: one plot of all differences, then the answers; no page where a run answers nothing."""
    lessons = find_lessons(frames)
    if not lessons:
        return []
    sections = [
        Section(
            slug(title), title, [*listed(texts), Note(link(f"Table behind this answer: {source_of(target)}", target))]
        )
        for title, texts, target, _ in lessons
    ]
    lead: list[Part] = [paragraph(INTRODUCTION)]
    marks = lesson_frame(lessons)
    if len(marks):
        lead.insert(0, DIFFERENCES.drawing(marks, texts_of(marks.drop(columns="target"))))
    return [Page(LEARNT, LEARNT_TITLE, sections, lead)]


MEAN, SET, LARGER = "mean", "data set", "larger sample"
"""Values of `kind`."""

MARKS = {MEAN: "diamonds, means over data sets", SET: "dots, data sets", LARGER: "squares, larger samples"}
"""How the plot shows them."""

MARK_COLUMNS = ["question", "comparison", "source", "target", "kind", "dataset", "value", "low", "high", "n_sets"]


def lesson_frame(lessons: Sequence[Lesson]) -> pd.DataFrame:
    """The differences behind the lessons of a run, a row for each mark of the plot.

    Parameters
    ----------
    lessons : sequence of Lesson
        From `find_lessons`.

    Returns
    -------
    DataFrame
        question; comparison ("A minus B"); source, the paper, and target, the page and anchor of the table; kind:
        `MEAN` over more than `LISTED_SETS` data sets, `SET` for each, `LARGER` for each larger sample;
        dataset; value, low, high (points, 95 % interval); n_sets.
    """
    rows = [
        (
            lesson.title,
            f"{pair.method} minus {pair.other}".replace(",", ""),
            source_of(lesson.target),
            lesson.target,
            *mark,
            len(pair.gaps),
        )
        for lesson in lessons
        for pair in lesson.pairs
        for mark in _marks(pair)
    ]
    return pd.DataFrame(rows, columns=MARK_COLUMNS)


def _marks(pair: Pair) -> Iterator[tuple[Any, ...]]:
    if mean := pair.mean():
        yield MEAN, "", mean[0], *mean[1]
    yield from ((SET, *gap[:4]) for gap in pair.gaps)
    yield from ((LARGER, *gap[:4]) for gap in pair.larger)


def source_of(target: str) -> str:
    """The paper of a page; its name where it is of none."""
    path = target.partition("#")[0]
    return next(
        (paper.name for paper in PAPERS if paper.path == path), path.removesuffix(".md").replace("-", " ").capitalize()
    )


def lesson_figure(frame: pd.DataFrame) -> Figure:
    """A line for each mean over data sets with its 95 % interval and the data sets as dots, or for each of a few data
    sets; squares, larger samples.
    """
    rows: list[Interval] = []
    for title, of_question in frame.groupby("question", sort=False):
        rows.append(Interval(str(title)))
        for comparison, group in of_question.groupby("comparison", sort=False):
            label, dots = str(comparison), tuple(group.loc[group["kind"] == SET, "value"])
            for row in pd.concat([_main(group), group[group["kind"] == LARGER]]).to_dict("records"):
                standing = "replicated" if row["low"] > 0 else "not_replicated" if row["high"] < 0 else "undecided"
                note, shown = row["dataset"] or f"{len(dots)} data sets", dots if row["kind"] == MEAN else ()
                marker = {MEAN: "D", SET: "o", LARGER: "s"}[row["kind"]]
                rows.append(Interval(label, row["value"], row["low"], row["high"], note, standing, shown, marker))
                label = ""
    return forest_figure(Forest("", rows))


def lesson_alt(frame: pd.DataFrame) -> str:
    """What `lesson_figure` shows."""
    main = _main(frame)
    ends = [main.iloc[place(main["value"])] for place in (np.argmin, np.argmax)]
    n_larger = int((frame["kind"] == LARGER).sum())
    more = f" In addition: {counted(n_larger, 'larger sample')}." if n_larger else ""
    n = counted(frame.groupby(["question", "comparison"]).ngroups, "comparison")
    return f"{n} of two methods, from {' to '.join(map(_told, ends))}.{more}"


def lesson_caption(frame: pd.DataFrame) -> str:
    """What follows from `lesson_figure`."""
    main = _main(frame)
    clear, n = (
        rows.groupby(["question", "comparison"]).ngroups
        for rows in (main[(main["low"] > 0) | (main["high"] < 0)], frame)
    )
    kinds = set(frame["kind"])
    marks = "; ".join(words for kind, words in MARKS.items() if kind in kinds)
    return f"In {clear} of {n} comparisons an interval excludes zero. Marks: {marks}."


DIFFERENCES = Finding("Differences", lesson_figure, lesson_caption, lesson_alt)


def _main(frame: pd.DataFrame) -> pd.DataFrame:
    """The means, and the data sets of comparisons without one."""
    is_mean = frame["kind"] == MEAN
    has_mean = is_mean.groupby([frame["question"], frame["comparison"]]).transform("any")
    return frame[is_mean | (~has_mean & (frame["kind"] == SET))]


def _told(row: pd.Series) -> str:
    where = f" on {row['dataset']}" if row["dataset"] else f", mean over {row['n_sets']} data sets"
    return f"{signed(row['value'])} ({row['comparison']}{where})"


def published_accuracies(frames: Frames) -> Iterator[str]:
    """How many printed accuracies a run meets, peaks beside peaks."""
    pairs = distinct_accuracies(published_values(frames))
    if pairs.empty:
        return
    met, of, apart = nearness_texts(pairs)
    low, median, high = pairs.loc[pairs["kind"] == "", "away"].quantile([0.25, 0.5, 0.75])
    yield f"{met} are met within {NEAR:g} point: {of}."
    yield (
        f"Measured minus published is {signed(median)} in the median ({signed(low)} to {signed(high)} for the middle "
        "half)."
    )
    if apart:
        yield f"Counted apart: {apart}."


ALL_METHODS, ACCURACIES = "chapter-3.md#training-accuracy", "chapter-3.md#training-published"

TREES, NET, BOTH = "treecrf_newton", "neural_crf", "trees_and_net"

LESSONS: Mapping[str, tuple[str, Answer]] = {
    "Published accuracies": (ACCURACIES, published_accuracies),
    "Highest accuracies": (ALL_METHODS, training.highest),
    "Trees vs linear features": (
        ACCURACIES,
        training.between((TREES, "linear_crf"), ("treecrf", "induced_crf")),
    ),
    "Features of label pairs": (
        ALL_METHODS,
        training.between(("linear_crf", "linear_crf_labels"), ("induced_crf", "induced_crf_labels")),
    ),
    "Trees vs nets": (ALL_METHODS, training.between((NET, TREES))),
    "Trees and net together": (ALL_METHODS, training.between((BOTH, TREES), (BOTH, NET))),
    "Kernels": ("uai-2004.md#kernels-tests", kernels.kernels_and_trees),
    "Missing completely at random": ("missing-values.md#missing-advice", missing.random_holes),
    "Missing by label": ("missing-values.md#missing-mechanisms", missing.label_holes),
    "Future features": ("chapter-5.md#future-orders", future.discovered_features),
    "Many labels": ("thesis.md#coding-all", coding.many_labels),
    "Ensembles": ("espboost-2014.md#ensembles-data", ensembles.experts),
    "CPU seconds of a training": (ACCURACIES, training.seconds_of_training),
    "Related proteins": (ALL_METHODS, training.related_sequences),
    "Choices of the papers' protocol": ("chapter-3.md#training-tests", training.tests_of_positions),
}
"""By their titles, the table behind each answer and what gives it."""
