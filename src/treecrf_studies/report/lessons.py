"""What a run of the papers' protocol shows: a forest plot of all differences, and short answers with links to their
tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from treecrf.io.messages import counted
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.coding.methods import method_text
from treecrf_studies.ensembles.methods import BEST as RETRAINED_EXPERT
from treecrf_studies.ensembles.methods import COMBINED
from treecrf_studies.framework.comparisons import facing
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.views import NEAR, distinct_accuracies, nearness_texts, published_values
from treecrf_studies.future.tables import gains
from treecrf_studies.kernels.methods import BEST_KERNEL, BEST_TREES
from treecrf_studies.kernels.methods import method_text as kernel_method_text
from treecrf_studies.rendering.cells import signed, texts_of, with_and
from treecrf_studies.rendering.forest import Forest, Interval, forest_figure
from treecrf_studies.rendering.parts import (
    Drawing,
    Note,
    Page,
    Part,
    Section,
    escaped,
    link,
    listed,
    paragraph,
    slug,
)
from treecrf_studies.rendering.style import method_name, ordered_training_methods, training_method_name
from treecrf_studies.report.papers import PAPERS
from treecrf_studies.training.choices import preferred_at

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

TREES, NET, BOTH = "treecrf_newton", "neural_crf", "trees_and_net"

WORDS = {"better": "more accurate", "worse": "less accurate", "equivalent": "equivalent", "undecided": "undecided"}
"""Of decisions."""

PAIRED, FAMILY = ("low", "high"), ("family_low", "family_high")
"""Ends of the intervals of single pairs of methods, and of all pairs (Bonferroni)."""

FAQ = "faq_"
"""First letters of the names of data sets that are alike."""

ACCURACY_DIGITS = 2
"""After the point of a percentage, as tables show it: methods that are equal so far are tied."""

LISTED_SETS = 3
"""Of more data sets the mean is shown."""


class Gap(NamedTuple):
    """Points by which a method is more accurate than another on a data set, with interval and decision."""

    dataset: str
    points: float
    low: float
    high: float
    decision: str


class Pair(NamedTuple):
    """Two methods as readers see them, and the points by which the first one is more accurate: on the data sets of the
    papers, and on larger samples.

    Without `is_averaged`, a mean over the data sets says nothing.
    """

    method: str
    other: str
    gaps: Sequence[Gap]
    larger: Sequence[Gap] = ()
    is_averaged: bool = True

    def mean(self) -> tuple[float, tuple[float, float]] | None:
        """The mean over the data sets with its interval, where there are more than `LISTED_SETS`."""
        points = pd.Series([gap.points for gap in self.gaps], dtype=float)
        return mean_with_interval(points) if self.is_averaged and len(points) > LISTED_SETS else None

    @property
    def text(self) -> str:
        """On which data sets the first method is more accurate, less or neither."""
        text = f"{self.method} vs {self.other}: {_decisions(self.gaps)}."
        return text[0].upper() + text[1:]

    def sentences(self) -> Iterator[str]:
        """The same, larger samples, and the mean, also without FAQ sets, which are alike."""
        if not self.gaps:
            return
        yield self.text
        if self.larger:
            yield f"On larger samples: {_decisions(self.larger)}."
        if mean := self.mean():
            rest = [gap.points for gap in self.gaps if not gap.dataset.startswith(FAQ)]
            without = f", without FAQ sets {signed(float(np.mean(rest)))}" if 0 < len(rest) < len(self.gaps) else ""
            yield f"Mean over {len(self.gaps)} data sets: {signed(mean[0])} points{without}."


def _decisions(gaps: Sequence[Gap]) -> str:
    names = {word: [gap.dataset for gap in gaps if gap.decision == word] for word in WORDS}
    return "; ".join(f"{WORDS[word]} on {with_and(of)}" for word, of in names.items() if of)


class Lesson(NamedTuple):
    """An answer: what it is about, sentences, the page and anchor of its table, and the pairs of methods in it."""

    title: str
    sentences: Sequence[str]
    target: str
    pairs: Sequence[Pair] = ()


Answer = Callable[[Frames], Iterable[Pair | str]]


def find_lessons(frames: Frames) -> list[Lesson]:
    """What the results of a run answer."""
    lessons = []
    for title, (target, answer) in LESSONS.items():
        told = list(answer(frames))
        texts = [text for each in told for text in ([each] if isinstance(each, str) else each.sentences())]
        if texts:
            lessons.append(Lesson(title, texts, target, [each for each in told if isinstance(each, Pair)]))
    return lessons


def pairs_of(frames: Frames, title: str) -> list[Pair]:
    """The pairs of methods in one of `LESSONS` that the run compares."""
    return [each for each in LESSONS[title][1](frames) if isinstance(each, Pair) and each.gaps]


def gaps(frame: pd.DataFrame, method: str, other: str, ends: Sequence[str] = PAIRED) -> list[Gap]:
    """`method` minus `other` on each data set of a frame of comparisons, with the interval whose ends are named."""
    if frame.empty:
        return []
    rows = facing(frame, method).sort_index()
    names = ["dataset", "value", *ends, "decision"]
    return [Gap(*row) for row in rows.loc[rows["other"] == other, names].itertuples(index=False)]


# --- page -------------------------------------------------------------------------------------------


def learnt_page(frames: Frames) -> Page | None:
    """What was learnt: one plot of all differences, then the answers; None where a run answers nothing."""
    lessons = find_lessons(frames)
    if not lessons:
        return None
    sections = [
        Section(
            slug(title), title, [*listed(texts), Note(link(f"Table behind this answer: {source_of(target)}", target))]
        )
        for title, texts, target, _ in lessons
    ]
    lead: list[Part] = [paragraph(INTRODUCTION)]
    marks = lesson_frame(lessons)
    if len(marks):
        numbers = texts_of(marks.drop(columns="target"))
        caption = escaped(lesson_caption(marks))
        lead.insert(0, Drawing(lesson_figure(marks), lesson_alt(marks), caption, numbers, "differences"))
    return Page(LEARNT, LEARNT_TITLE, sections, lead)


MEAN, SET, LARGER = "mean", "data set", "larger sample"
"""Values of `kind`."""

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
    sets; squares are larger samples.
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
    return (
        f"In {clear} of {n} comparisons an interval excludes zero. Diamonds: means over data sets; dots: data sets; "
        "squares: larger samples."
    )


def _main(frame: pd.DataFrame) -> pd.DataFrame:
    """The means, and the data sets of comparisons without one."""
    is_mean = frame["kind"] == MEAN
    has_mean = is_mean.groupby([frame["question"], frame["comparison"]]).transform("any")
    return frame[is_mean | (~has_mean & (frame["kind"] == SET))]


def _told(row: pd.Series) -> str:
    where = f" on {row['dataset']}" if row["dataset"] else f", mean over {row['n_sets']} data sets"
    return f"{signed(row['value'])} ({row['comparison']}{where})"


# --- answers ----------------------------------------------------------------------------------------


def _of_training(*pairs: tuple[str, str]) -> Answer:
    """Pairs of methods of the study of training, on its test sets and on larger samples."""

    def answer(frames: Frames) -> Iterator[Pair]:
        tests, larger = (
            preferred_at(frames.read("training", "comparisons")),
            frames.read("training", "larger_comparisons"),
        )
        if len(larger):
            is_second = larger["population"] == "second"
            larger = larger.assign(dataset=larger["sample"] + np.where(is_second, " (second population)", ""))
        for method, other in pairs:
            of_pair = gaps(tests, method, other, FAMILY), gaps(larger, method, other, FAMILY)
            yield Pair(training_method_name(method), training_method_name(other), *of_pair)

    return answer


def kernels(frames: Frames) -> Iterator[Pair]:
    """Conjunctions of inputs in kernels, and kernels against trees (UAI 2004)."""
    tests = frames.read("kernels", "comparisons")
    for pair in (("degree_2", "degree_1"), (BEST_TREES, BEST_KERNEL)):
        yield Pair(kernel_method_text(pair[0]), kernel_method_text(pair[1]), gaps(tests, *pair))


def ensembles(frames: Frames) -> Iterator[Pair]:
    """ESPBoost against the best expert, and what part B's labels are worth to that expert (ESPBoost 2014)."""
    tests = frames.read("ensembles", "comparisons")
    names = {"espboost": COMBINED["espboost"], RETRAINED_EXPERT: "the best expert with all labels"}
    for method, name in names.items():
        yield Pair(name, "the best expert of part A", gaps(tests, method, "best_expert"))


def missing_values(frames: Frames) -> Iterator[Pair]:
    """Instance weighting where cells go missing completely at random (PhD chapter 4), at the highest rate."""
    tests = frames.read("missing", "comparisons")
    if len(tests):
        highest = tests[(tests["rate"] == tests["rate"].max()) & (tests["other"] == "instance_weighting")]
        name = f"instance weighting ({100 * tests['rate'].max():g} % missing)"
        for other in ("imputation", "indicator"):
            yield Pair(name, method_name(other), gaps(highest, "instance_weighting", other, FAMILY))


def label_holes(frames: Frames) -> Iterator[Pair]:
    """Instance weighting where cells go missing by label, against the best other treatment of each data set."""
    tests, counts = frames.read("missing", "mechanism_comparisons"), frames.read("missing", "mechanism_evaluations")
    if not (len(tests) and len(counts)):
        return
    tests, counts = (frame[frame["mechanism"] == "label"] for frame in (tests, counts))
    tests = tests[tests["other"] == "instance_weighting"]
    others = counts[counts["method"] != "instance_weighting"]
    sums = others.groupby(["dataset", "method"], sort=False)[["n_correct", "n_positions"]].sum()
    best = (sums["n_correct"] / sums["n_positions"]).groupby("dataset", sort=False).idxmax()
    for method, pairs in best.groupby(best.str[1], sort=False):
        of_method = gaps(tests[tests["dataset"].isin(pairs.index)], "instance_weighting", str(method), FAMILY)
        yield Pair("instance weighting", method_name(str(method)), of_method)


def many_labels(frames: Frames) -> Iterator[Pair]:
    """Trees of all labels at once against the chosen cascade of codes (M.S. thesis)."""
    best, tests = frames.read("coding", "best"), frames.read("coding", "comparisons")
    if not (len(best) and len(tests)):
        return
    tests = tests[tests["window"] == 1]
    cascades = best[(best["learner"] == "gtb") & (best["use"] == "cascade") & (best["window"] == 1)]
    chosen = cascades[["dataset", "method"]].to_numpy()
    for method in ("separable", "full"):
        of_method = [gap for name, cascade in chosen for gap in gaps(tests[tests["dataset"] == name], method, cascade)]
        yield Pair(f"{method_text(method)} with window 1", "the chosen cascade", of_method)


def future_features(frames: Frames) -> Iterator[Pair]:
    """Discovered features of the future (PhD chapter 5)."""
    best, tests = frames.read("future", "best"), frames.read("future", "comparisons")
    if len(best) and len(tests):
        gained = [Gap(name, pair.points, *pair.interval, pair.decision) for name, pair in gains(best, tests).items()]
        yield Pair("the best with discovered features", "the best without", gained, is_averaged=False)


def related_sequences(frames: Frames) -> Iterator[str]:
    """What cross-validation promises where related proteins are on both sides of a split, and where they are not."""
    sides = {"protein_ungrouped": "related proteins on both sides", "protein": "related proteins together"}
    summaries = [frames.read("training", "summary", [name]) for name in sides]
    for how, summary in zip(sides.values(), summaries, strict=True) if all(map(len, summaries)) else ():
        rows = preferred_at(summary)
        rows = rows[rows["method"].isin(["treecrf", TREES, "treecrf_original", "linear_crf"])]
        promised = (rows["held_out_accuracy"] - rows["value"]).dropna()
        yield (
            f"With {how}, cross-validation promises {signed(promised.min())} to {signed(promised.max())} points more "
            f"than the test accuracy ({counted(len(promised), 'method')})."
        )


def tests_of_positions(frames: Frames) -> Iterator[str]:
    """How many differences McNemar's test on positions finds, and how many of them a test on sequences does."""
    tests = preferred_at(frames.read("training", "comparisons"))
    if tests.empty:
        return
    by_positions = tests["papers_p_holm"] < SIGNIFICANCE_LEVEL
    n_both = int((by_positions & tests["decision"].isin(["better", "worse"])).sum())
    yield (
        f"Of {len(tests)} pairs of methods, McNemar's test on positions separates {int(by_positions.sum())}; a test on "
        f"sequences confirms {n_both} of these (both with Holm's correction)."
    )
    cut, full = (frames.read("future", "best", [name]) for name in ("xor", "xor_full"))
    if len(cut) and len(full):
        both = cut.merge(full, on="method", suffixes=("", "_full")).query("not method.str.startswith('ff_')")
        gained = both["value"] - both["value_full"]
        yield (
            f"On xor, cutting the last bags at the end of a sequence adds {signed(gained.min())} to "
            f"{signed(gained.max())} points ({counted(len(gained), 'method')})."
        )


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


def highest(frames: Frames) -> Iterator[str]:
    """The methods with the highest accuracy on each data set, how many a test finds worse than another, and those that
    no test finds worse.
    """
    chosen, tests = (
        preferred_at(frames.read("training", "summary")),
        preferred_at(frames.read("training", "comparisons")),
    )
    if not (len(chosen) and len(tests)):
        return
    accuracy = chosen["value"].round(ACCURACY_DIGITS)
    first = chosen[accuracy == accuracy.groupby(chosen["dataset"]).transform("max")]
    names = first.groupby("dataset", sort=False)["method"].agg(_ties)
    by_names = names.index.to_series().groupby(names, sort=False).agg(with_and)
    yield f"The highest are those of {'; '.join(f'{methods} on {sets}' for methods, sets in by_names.items())}."
    sides = {"worse": "method", "better": "other"}
    parts = [
        tests.loc[tests["decision"] == word, ["dataset", side]].set_axis(["dataset", "method"], axis=1)
        for word, side in sides.items()
    ]
    beaten = pd.concat(parts).drop_duplicates()
    n_beaten, n = (rows["dataset"].value_counts().reindex(names.index, fill_value=0) for rows in (beaten, chosen))
    worse = with_and(f"{n_beaten[name]} of {n[name]} on {name}" for name in names.index)
    yield f"Methods that tests find worse than any other one, not only than the best: {worse}."
    n_sets = chosen.groupby("method")["dataset"].nunique()
    safe = set(n_sets.index[n_sets == n_sets.max()]) - set(beaten["method"])
    if safe:
        unbeaten = with_and(map(training_method_name, ordered_training_methods(safe)))
        yield f"On none of {n_sets.max()} data sets does a test find a better method than {unbeaten}."


def _ties(methods: pd.Series) -> str:
    """Methods in a sentence, and that they are equal where they are several."""
    return f"{with_and(map(training_method_name, methods))}{' (a tie)' if len(methods) > 1 else ''}"


def seconds_of_training(frames: Frames) -> Iterator[str]:
    """CPU seconds of a training up to the chosen iteration, as a multiple of TreeCRF's."""
    chosen = preferred_at(frames.read("training", "summary"))
    if chosen.empty:
        return
    seconds = chosen.pivot_table(index="dataset", columns="method", values="cpu_seconds")
    for method in ("mallet", "linear_crf"):
        if {method, "treecrf"} <= set(seconds):
            ratios = (seconds[method] / seconds["treecrf"]).dropna()
            yield (
                f"Up to the chosen iteration, {training_method_name(method)} takes {ratios.min():.2g} to "
                f"{ratios.max():.2g} times the CPU seconds of TreeCRF ({counted(len(ratios), 'data set')})."
            )


ALL_METHODS, ACCURACIES = "chapter-3.md#training-accuracy", "chapter-3.md#training-published"

LESSONS: Mapping[str, tuple[str, Answer]] = {
    "Published accuracies": (ACCURACIES, published_accuracies),
    "Highest accuracies": (ALL_METHODS, highest),
    "Trees vs linear features": (ACCURACIES, _of_training((TREES, "linear_crf"), ("treecrf", "induced_crf"))),
    "Features of label pairs": (
        ALL_METHODS,
        _of_training(("linear_crf", "linear_crf_labels"), ("induced_crf", "induced_crf_labels")),
    ),
    "Trees vs nets": (ALL_METHODS, _of_training((NET, TREES))),
    "Trees and net together": (ALL_METHODS, _of_training((BOTH, TREES), (BOTH, NET))),
    "Kernels": ("uai-2004.md#kernels-tests", kernels),
    "Missing completely at random": ("missing-values.md#missing-advice", missing_values),
    "Missing by label": ("missing-values.md#missing-mechanisms", label_holes),
    "Future features": ("chapter-5.md#future-orders", future_features),
    "Many labels": ("thesis.md#coding-all", many_labels),
    "Ensembles": ("espboost-2014.md#ensembles-data", ensembles),
    "CPU seconds of a training": (ACCURACIES, seconds_of_training),
    "Related proteins": (ALL_METHODS, related_sequences),
    "Choices of the papers' protocol": ("chapter-3.md#training-tests", tests_of_positions),
}
"""By their titles, the table behind each answer and what gives it."""
