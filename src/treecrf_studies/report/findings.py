"""The findings of a run, a figure each: what the first page, the page of lessons and the pages of papers show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.views import published_values
from treecrf_studies.rendering.cells import texts_of
from treecrf_studies.rendering.parts import Drawing, Group, Note, Page, Part, Section, listed, paragraph
from treecrf_studies.rendering.text import escaped, link, slug
from treecrf_studies.report import claim_strip, figure_words, figures, heat_map, lesson_plot, paper_plots
from treecrf_studies.report.lessons import Frames, find_lessons
from treecrf_studies.report.papers import Paper

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
        told = claim_strip.strip_caption(claims), claim_strip.strip_alt(claims)
        yield _section("Verdicts on the claims", claim_strip.strip_frame(claims), claim_strip.strip_figure, *told)
    gaps = heat_map.gap_frame(frames.read("training", "ranks"), frames.read("training", "comparisons"))
    if len(gaps):
        told = heat_map.gap_caption(gaps), heat_map.gap_alt(gaps)
        yield _section("Gaps to the best method", gaps, heat_map.gap_figure, *told)
    costs = figures.cost_frame(frames.read("training", "summary"))
    if len(costs):
        told = figures.cost_caption(costs), figures.cost_alt(costs)
        yield _section("Accuracy vs CPU time", costs, figures.cost_figure, *told)


def _section(
    title: str, frame: pd.DataFrame, draw: Callable[[pd.DataFrame], Figure], caption: str, alt: str
) -> Section:
    drawing = Drawing(draw(frame), alt, escaped(caption), texts_of(frame), slug(title))
    return Section(slug(title), title, [drawing])


def learnt_page(settings: Settings) -> Page | None:
    """What was learnt: one plot of all differences, then the answers; None where a run answers nothing."""
    found = find_lessons(settings)
    if not found:
        return None
    frame = lesson_plot.lesson_frame(found)
    caption, alt = escaped(lesson_plot.lesson_caption(frame)), lesson_plot.lesson_alt(frame)
    numbers = texts_of(frame.drop(columns="target"))
    plot = Drawing(lesson_plot.lesson_figure(frame), alt, caption, numbers, "differences")
    sections = [
        Section(slug(lesson.title), lesson.title, [*listed(lesson.sentences), Note(link("The table", lesson.target))])
        for lesson in found
    ]
    lead: list[Part] = [*([plot] if len(frame) else []), paragraph(INTRODUCTION)]
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
    curves = figure_words.curve_frame(frames.read("training", "curves"))
    effects = figure_words.effect_frame(frames.read("missing", "comparisons"), BASELINE)
    found: dict[str, Words] = {}
    if len(curves):
        of_curves = Words(figure_words.curve_caption(curves), figure_words.curve_alt(curves))
        seconds = Words(figure_words.seconds_caption(curves), figure_words.seconds_alt(curves))
        found |= {"training/figure_3_1": of_curves, "training/accuracy_by_seconds": of_curves}
        found["training/figure_3_2"] = seconds
    if len(effects):
        words = Words(figure_words.effect_caption(effects), figure_words.effect_alt(effects))
        found[f"missing/effects_{BASELINE}"] = words
    return found
