"""The findings of a run, a figure each: what the first page, the page of lessons and the pages of papers show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from treecrf.io.messages import counted
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.views import published_values
from treecrf_studies.rendering.cells import seconds_text, signed, texts_of, with_and
from treecrf_studies.rendering.parts import (
    Drawing,
    Group,
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
from treecrf_studies.rendering.style import method_name, training_method_name
from treecrf_studies.report import figures, lesson_plot, paper_plots
from treecrf_studies.report.lessons import Frames, find_lessons
from treecrf_studies.report.papers import Paper, verdict_text

BASELINE = "instance_weighting"
"""The treatment of missing values that chapter 4 proposes."""

LEARNT, LEARNT_TITLE = "learnt.md", "What we learnt"

INTRODUCTION = """
Differences are percentage points of accuracy, with 95 % intervals of the sequence-level test. A method is *more* or *less
accurate* where p < 0.05, *equivalent* where the uncorrected 90 % interval lies within the margin of equivalence, and else
*undecided*.

In the studies of training and of missing values, decisions have Holm's correction and intervals Bonferroni's
(docs/statistics.md). An interval may therefore contain zero where a difference is significant. Other lessons say that their
intervals are uncorrected. Intervals of means take the data sets as a sample. Differences on FAQ sets count positions, where
tables of accuracies average documents.
"""


class Words(NamedTuple):
    """What a figure of a study shows in this run: a sentence, the number first, and what is seen."""

    sentence: str
    alt: str


def overview_findings(settings: Settings, claims: pd.DataFrame | None) -> list[Section]:
    """Published and measured accuracies, claims, gaps to the best method, and accuracy against cost; those that the run has
    results of.

    Parameters
    ----------
    settings : Settings
    claims : DataFrame or None
        From `treecrf_studies.report.ledger.read_ledger`; None for a run that says nothing of papers.

    Returns
    -------
    list of Section
    """
    return list(_overview(settings, claims))


def _overview(settings: Settings, claims: pd.DataFrame | None) -> Iterator[Section]:
    frames = Frames(settings)
    published = figures.published_frame(published_values(settings))
    if claims is not None and len(published):
        told = figures.published_caption(published), figures.published_alt(published)
        yield _section("Published and measured accuracies", published, figures.published_figure, *told)
    if claims is not None:
        told = figures.strip_caption(claims), figures.strip_alt(claims)
        yield _section("Verdicts on the claims", figures.strip_frame(claims), figures.strip_figure, *told)
    gaps = figures.gap_frame(frames.read("training", "ranks"), frames.read("training", "comparisons"))
    if len(gaps):
        told = figures.gap_caption(gaps), figures.gap_alt(gaps)
        yield _section("Gaps to the best method", gaps, figures.gap_figure, *told)
    costs = figures.cost_frame(frames.read("training", "summary"))
    if len(costs) > 1:
        told = figures.cost_caption(costs), figures.cost_alt(costs)
        yield _section("Accuracy vs CPU time", costs, figures.cost_figure, *told)


def _section(
    title: str, frame: pd.DataFrame, draw: Callable[[pd.DataFrame], Figure], caption: str, alt: str
) -> Section:
    drawing = Drawing(draw(frame), alt, escaped(caption), _readable(frame), slug(title))
    return Section(slug(title), title, [drawing])


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """The numbers of a figure with the names that readers see."""
    heads = {
        "is_best": "best",
        "is_shown": "test finds it worse",
        "is_optimal": "no method beats it in both",
        "way": "test",
    }
    known: dict[str, Callable[[str], str]] = {
        "method": training_method_name,
        "way": figures.WAYS.__getitem__,
        "verdict": verdict_text,
    }
    shown = frame.assign(**{name: frame[name].map(known[name]) for name in known if name in frame})
    return texts_of(shown).rename(columns=heads)


def learnt_page(settings: Settings) -> Page | None:
    """What was learnt: one plot of all differences, then the answers; None where a run answers nothing."""
    found = find_lessons(settings)
    if not found:
        return None
    frame = lesson_plot.lesson_frame(found)
    sections = [
        Section(
            slug(lesson.title),
            lesson.title,
            [
                *listed(lesson.sentences),
                Note(link(f"The numbers on {lesson.title[0].lower()}{lesson.title[1:]}", lesson.target)),
            ],
        )
        for lesson in found
    ]
    lead: list[Part] = [paragraph(INTRODUCTION)]
    if len(frame):
        figure, alt = lesson_plot.lesson_figure(frame), lesson_plot.lesson_alt(frame)
        numbers = texts_of(frame.drop(columns="target"))
        lead.insert(0, Drawing(figure, alt, escaped(lesson_plot.lesson_caption(frame)), numbers, "differences"))
    return Page(LEARNT, LEARNT_TITLE, LEARNT_TITLE, [Group("", sections)], lead)


def table_drawings(settings: Settings, paper: Paper) -> dict[str, list[Drawing]]:
    """Figures of the tables of a paper beside measured values, by the anchors of the tables."""
    frames = Frames(settings)
    costs, summary = frames.read("training", "costs"), frames.read("training", "summary")
    tables = paper_plots.beside_frames(published_values(settings), costs, summary, paper)
    found: dict[str, list[Drawing]] = {}
    for source, frame in tables.items():
        figure, caption = paper_plots.beside_figure(frame), escaped(paper_plots.beside_caption(frame))
        drawing = Drawing(figure, paper_plots.beside_alt(frame), caption, texts_of(frame), slug(source))
        table, _, _ = source.partition(",")  # the rest says which of its numbers
        found.setdefault(paper.target(table).partition("#")[2], []).append(drawing)
    return found


def words_of_figures(settings: Settings) -> Mapping[str, Words]:
    """What figures of the studies show in this run, by the names of their files in a site."""
    frames = Frames(settings)
    curves = curve_frame(frames.read("training", "curves"))
    effects = effect_frame(frames.read("missing", "comparisons"), BASELINE)
    found: dict[str, Words] = {}
    if len(curves):
        of_curves = Words(curve_caption(curves), curve_alt(curves))
        seconds = Words(seconds_caption(curves), seconds_alt(curves))
        found |= {"training/figure_3_1": of_curves, "training/accuracy_by_seconds": of_curves}
        found["training/figure_3_2"] = seconds
    if len(effects):
        words = Words(effect_caption(effects), effect_alt(effects))
        found[f"missing/effects_{BASELINE}"] = words
    return found


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
    first = frame.sort_values("last", ascending=False, kind="stable").drop_duplicates("dataset")
    ends = with_and(
        f"{training_method_name(row['method'])} with {row['last']:.1f} % on {row['dataset']}"
        for row in first.to_dict("records")
    )
    return f"Learning curves of {counted(frame['method'].nunique(), 'method')}. Highest at the end: {ends}."


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
        f"{counts.get('worse', 0)} of {len(frame)} differences show {baseline} to be better, {counts.get('better', 0)} worse; "
        f"{method_name(str(worst))} loses most, {signed(frame.loc[frame['method'] == worst, 'value'].mean())} points on average."
    )


def _seconds(row: pd.Series) -> str:
    return f"{training_method_name(row['method'])} takes {seconds_text(row['seconds'])} s on {row['dataset']}"


def _effect(row: pd.Series) -> str:
    return f"{signed(row['value'])} points ({method_name(row['method'])} on {row['dataset']}, {100 * row['rate']:g} %)"
