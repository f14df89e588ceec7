"""The findings of a run, a figure each: what the first page, the page of lessons and the pages of papers show."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from treecrf.io.files import atomic, write_frame
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.views import published_values
from treecrf_studies.missing.figures import effects_by_rate
from treecrf_studies.rendering.style import save_figure
from treecrf_studies.report import claim_strip, figure_words, figures, heat_map, lesson_plot, paper_plots
from treecrf_studies.report.lessons import Frames, find_lessons
from treecrf_studies.report.papers import Paper
from treecrf_studies.training.figures import accuracy_by_iteration, accuracy_by_seconds, seconds_by_iteration

BASELINE = "instance_weighting"
"""The treatment of missing values that chapter 4 proposes."""


@dataclass(frozen=True)
class Finding:
    """A figure with its words and its numbers.

    Attributes
    ----------
    name : str
        Of its files, without suffix.
    title : str
        A heading.
    caption : str
        What follows, in at most 25 words, the number first.
    alt : str
        What is seen.
    frame : DataFrame
        The numbers.
    draw : callable
        It draws the figure.
    """

    name: str
    title: str
    caption: str
    alt: str
    frame: pd.DataFrame
    draw: Callable[[], Figure]

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the figure as SVG and the numbers as CSV to a folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        with atomic(Path(folder, f"{self.name}.svg")) as path:
            save_figure(self.draw(), path, "svg")
        write_frame(self.frame, Path(folder, f"{self.name}.csv"))


def overview_findings(settings: Settings, claims: pd.DataFrame | None) -> list[Finding]:
    """Published and measured accuracies, claims, gaps to the best method, and accuracy against cost; those that the run has
    results of.

    Parameters
    ----------
    settings : Settings
    claims : DataFrame or None
        From `treecrf_studies.report.ledger.read_ledger`; None for a run that says nothing of papers.

    Returns
    -------
    list of Finding
    """
    frames = Frames(settings)
    published = figures.published_frame(published_values(settings))
    gaps = heat_map.gap_frame(frames.read("training", "ranks"), frames.read("training", "comparisons"))
    costs = figures.cost_frame(frames.read("training", "summary"))
    found = [
        Finding(
            "published_and_measured",
            "Published and measured accuracies",
            figures.published_caption(published),
            figures.published_alt(published),
            published,
            lambda: figures.published_figure(published),
        ),
        *([] if claims is None else [_claims(claims)]),
        Finding(
            "gaps_to_the_best",
            "Gaps to the best method",
            heat_map.gap_caption(gaps),
            heat_map.gap_alt(gaps),
            gaps,
            lambda: heat_map.gap_figure(gaps),
        ),
        Finding(
            "accuracy_and_cost",
            "Accuracy vs CPU time",
            figures.cost_caption(costs),
            figures.cost_alt(costs),
            costs,
            lambda: figures.cost_figure(costs),
        ),
    ]
    return [finding for finding in found if len(finding.frame)]


def _claims(claims: pd.DataFrame) -> Finding:
    squares = claim_strip.strip_frame(claims)
    return Finding(
        "claims_by_test",
        "Verdicts on the claims",
        claim_strip.strip_caption(claims),
        claim_strip.strip_alt(claims),
        squares,
        lambda: claim_strip.strip_figure(squares),
    )


def lesson_findings(settings: Settings) -> list[Finding]:
    """The forest plot of all lessons of a run; nothing where no two methods were compared."""
    frame = lesson_plot.lesson_frame(find_lessons(settings))
    if frame.empty:
        return []
    caption, alt = lesson_plot.lesson_caption(frame), lesson_plot.lesson_alt(frame)
    return [
        Finding("lessons", "Differences by question", caption, alt, frame, lambda: lesson_plot.lesson_figure(frame))
    ]


def paper_findings(settings: Settings, paper: Paper) -> list[Finding]:
    """The tables of a paper beside measured values, in its order; of the dissertation the learning curves and the effects of
    treatments of missing values too, of ICML 2004 the accuracies by CPU seconds.
    """
    frames = Frames(settings)
    costs, summary = frames.read("training", "costs"), frames.read("training", "summary")
    tables = paper_plots.beside_frames(published_values(settings), costs, summary, paper)
    found = [_table(source, frame) for source, frame in tables.items()]
    if paper.letter == "P":
        found += [*_curves(frames, settings.may_concern_papers), *_effects(frames)]
    if paper.letter == "I":
        found += _curves_by_seconds(frames, settings.may_concern_papers)
    return found


def _table(source: str, frame: pd.DataFrame) -> Finding:
    name = re.sub(r"\W+", "_", source.lower())
    caption, alt = paper_plots.beside_caption(frame), paper_plots.beside_alt(frame)
    return Finding(name, source, caption, alt, frame, lambda: paper_plots.beside_figure(frame))


def _curves(frames: Frames, of_papers: bool) -> list[Finding]:
    curves = frames.read("training", "curves")
    frame = figure_words.curve_frame(curves)
    if frame.empty:
        return []
    return [
        Finding(
            "learning_curves",
            "Learning curves",
            figure_words.curve_caption(frame),
            figure_words.curve_alt(frame),
            frame,
            lambda: accuracy_by_iteration(curves, of_papers),
        ),
        Finding(
            "seconds_by_iteration",
            "CPU seconds by iteration",
            figure_words.seconds_caption(frame),
            figure_words.seconds_alt(frame),
            frame,
            lambda: seconds_by_iteration(curves),
        ),
    ]


def _curves_by_seconds(frames: Frames, of_papers: bool) -> list[Finding]:
    curves = frames.read("training", "curves")
    frame = figure_words.curve_frame(curves)
    if frame.empty:
        return []
    caption, alt = figure_words.curve_caption(frame), figure_words.curve_alt(frame)
    return [
        Finding(
            "accuracy_by_seconds",
            "Accuracy by CPU seconds",
            caption,
            alt,
            frame,
            lambda: accuracy_by_seconds(curves, of_papers),
        )
    ]


def _effects(frames: Frames) -> list[Finding]:
    comparisons = frames.read("missing", "comparisons")
    frame = figure_words.effect_frame(comparisons, BASELINE)
    if frame.empty:
        return []
    caption, alt = figure_words.effect_caption(frame), figure_words.effect_alt(frame)
    return [
        Finding(
            "effects_of_missing_values",
            "Missing values vs instance weighting",
            caption,
            alt,
            frame,
            lambda: effects_by_rate(comparisons, BASELINE),
        )
    ]
