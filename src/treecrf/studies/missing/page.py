"""Page section on missing values (PhD chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frames, read_json
from treecrf.rendering.cells import Cell
from treecrf.rendering.parts import (
    Downloads,
    Exhibits,
    Fold,
    Part,
    Section,
    Study,
    by_dataset,
    captioned,
    drawn,
    open_choices,
    paragraph,
)
from treecrf.rendering.plain import without_papers
from treecrf.rendering.style import DECODER_NAMES, method_name, ordered_methods
from treecrf.studies.framework.claims.judge import Results
from treecrf.studies.framework.settings import MissingSettings, Settings, TableDataset
from treecrf.studies.missing import STUDY
from treecrf.studies.missing.advice import advice
from treecrf.studies.missing.answers import answers
from treecrf.studies.missing.claims import stars
from treecrf.studies.missing.tree_words import tree_answers

INTRODUCTION = """
Cells of the inputs go missing completely at random, each by itself, before windows are cut; {train} damaged training sets and {test} damaged test sets for each share, the same holes for every
method. Lambda and iteration are chosen by hold-out within the damaged training set; share held out: {held_out}.
Decoding: {decoder}. At 0 nothing is missing: one training, one test.
"""

MECHANISMS_INTRODUCTION = """
{rate} of the cells go missing by each mechanism, in training and test sets alike unless the table says otherwise; {train} damaged
training sets for each mechanism.
"""

OF_TREES = ("tree_evaluations", "tree_comparisons", "tree_differences")

OF_MECHANISMS = ("mechanism_evaluations", "mechanism_comparisons")

CHOICES = (
    "blocks_under",
    "block_length",
    "equivalence_margin",
    "degrees_of_freedom",
    "scale_gain",
    "n_surrogates",
    "either_polarity",
    "all_missing",
    "unseen_missing",
    "mark",
    "l2_regularizations",
    "n_iterations",
    "test_every",
    "n_training_sets",
    "n_test_sets",
    "papers_sets",
    "tree_training_sets",
    "newton_leaves",
    "newton_rates",
)
"""Settings that the papers leave open."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of missing values, from the summaries of the data sets that are finished; None where there is nothing."""
    finished = [name for name in settings.missing.datasets if STUDY.is_finished(results, name)]
    folder = results / "missing"
    if not finished or not (folder / "figure_4_1.svg").is_file():
        return None
    frames = {
        name: read_frames([str(folder / dataset / f"{name}.csv") for dataset in finished])
        for name in ("evaluations", "comparisons", "costs", "frequencies", *OF_TREES, *OF_MECHANISMS)
    }
    shown = Exhibits(folder, layouts, STUDY.caption)
    is_own = all(isinstance(settings.datasets[name], TableDataset) for name in finished)
    if is_own:
        shown = shown._replace(caption=lambda name: without_papers(STUDY.caption(name)))
    bars = "Share of lines on which each line feature is true, a bar for each feature, in the order of the features."
    sections = [
        Section("missing-advice", "Which method to use when", advice(frames)),
        _accuracy(settings.missing, frames["evaluations"], shown, not is_own),
        _comparisons(settings.missing, frames["comparisons"], shown, _stars(Results(results), finished)),
        _trees(frames, shown),
        _mechanisms(settings.missing, shown),
        Section(
            "missing-cost",
            "CPU time by method",
            _folded(shown.captioned_table("costs", "CPU seconds by method")),
        ),
        Section(
            "line-features", "Line features", shown.figure("figure_4_2", bars) if len(frames["frequencies"]) else []
        ),
    ]
    descriptions = {name: read_json(results / "data" / name / "description.json") for name in finished}
    first = answers(descriptions, frames["evaluations"], frames["comparisons"])
    return Study("missing", STUDY.title, [section for section in sections if section.parts], first)


def _accuracy(settings: MissingSettings, evaluations: pd.DataFrame, shown: Exhibits, of_papers: bool) -> Section:
    overview = paragraph(
        INTRODUCTION,
        train=by_dataset(settings, "n_training_sets"),
        test=by_dataset(settings, "n_test_sets"),
        held_out=by_dataset(settings, "held_out", "{:.0%}".format),
        decoder=by_dataset(settings, "decoder", lambda decoder: DECODER_NAMES[decoder]),
    )
    names = ", ".join(dict.fromkeys(evaluations["dataset"]))
    alt = (
        f"Accuracy by share of missing cells, a panel for each of {names}, a line for each method; the table below has the "
        "numbers."
    )
    parts = [
        overview,
        *shown.figure("figure_4_1", alt),
        shown.table(
            "accuracy", "Percent, mean ± standard deviation; bold: the best of the row and those equivalent to it"
        ),
        open_choices(settings, CHOICES, of_papers=of_papers),
    ]
    return Section("missing-accuracy", "Accuracy by share of missing cells (figure 4.1)", parts)


def _stars(results: Results, names: Sequence[str]) -> list[Part]:
    """How many of the stars of table 4.1 are found again on each of its data sets; nothing for other sets."""
    found = [each.numbers for name in names for each in stars(results, name)]
    return [paragraph("<b>The stars of table 4.1.</b> {found}.", found="; ".join(found))] if found else []


def _comparisons(
    settings: MissingSettings, comparisons: pd.DataFrame, shown: Exhibits, first: Sequence[Part] = ()
) -> Section:
    """Tables of the data sets that have a baseline, for each baseline; without parts where nothing was compared."""
    chosen = comparisons["dataset"].map(settings.baseline_of)
    parts: list[Part] = []
    tests: dict[str, Path] = {}
    for place, baseline in enumerate(ordered_methods(chosen)):
        name, datasets = method_name(baseline), set(comparisons["dataset"][chosen == baseline])
        kinds = (f"{kind}_{baseline}" for kind in ("coefficients", "effects"))
        tables = shown._replace(layouts={kind: _of_sets(shown.layouts[kind], datasets) for kind in kinds})
        tests[f"all tests vs {name}"] = shown.folder / "tables" / f"significance_{baseline}"
        parts += [
            captioned(shown.caption("coefficients")),
            replace(
                tables.table(f"coefficients_{baseline}", f"Table 4.1: log odds vs {name}"),
                anchor="" if place else "table-4-1",
            ),
            captioned(shown.caption("effects_table")),
            tables.table(f"effects_{baseline}", f"Points of accuracy against {name}"),
        ]
    for baseline in sorted(set(chosen)):
        name = method_name(baseline)
        alt = f"Points of accuracy against {name} by share of missing cells, with 95 % intervals, a panel for each data set."
        effects = drawn(shown.folder / f"effects_{baseline}.svg", alt, shown.caption("effects"))
        if effects:
            parts.append(Fold(f"The same as a figure, all data sets against {name}", effects))
    if parts:
        parts = [*first, *parts]
        others = "Tables with every other method as the baseline are among the results (<code>missing/tables</code>)."
        parts += [
            shown.folded_table("deviance", "Analysis of deviance"),
            Downloads("Every pair:", tests),
            paragraph(others),
        ]
        parts += shown.captioned_table("variances", "Variance components")
    return Section("missing-tests", "Significance of the differences (table 4.1)", parts)


def _trees(frames: Mapping[str, pd.DataFrame], shown: Exhibits) -> Section:
    """Kinds of trees, where there are several."""
    alt = "Accuracy by share of missing cells, a panel for each data set and kind of trees, a line for each method."
    table = shown.captioned_table(
        "trees", "Percent by trees and method; bold: the best of the row and those equivalent to it"
    )
    parts = [
        paragraph("{answers}", answers=tree_answers(*(frames[name] for name in OF_TREES))),
        *shown.figure("trees", alt),
        *table,
        *shown.captioned_table("tree_differences", "Points of accuracy that other trees gain"),
    ]
    return Section("missing-trees", "Does the choice of method matter for TreeCRF-Newton?", parts if table else [])


def _mechanisms(settings: MissingSettings, shown: Exhibits) -> Section:
    """Values that are missing not at random, where there are any."""
    alt = "Accuracy by the mechanism by which cells are missing, a panel for each data set, a mark for each method."
    table = shown.captioned_table(
        "mechanisms", "Percent by mechanism and method; bold: the best of the row and those equivalent to it"
    )
    parts = [
        paragraph(
            MECHANISMS_INTRODUCTION,
            rate=by_dataset(settings, "mechanism_rate", "{:.0%}".format),
            train=by_dataset(settings, "mechanism_training_sets"),
        ),
        *shown.figure("mechanisms", alt),
        *table,
    ]
    return Section("missing-mechanisms", "Results by missingness mechanism", parts if table else [])


def _folded(parts: Sequence[Part]) -> list[Part]:
    """A caption, and its table closed until its title is clicked."""
    return [*parts[:-1], Fold("CPU seconds by method", [parts[-1]])] if parts else []


def _of_sets(layout: pd.DataFrame, names: set[str]) -> pd.DataFrame:
    """The rows of some data sets."""
    shown = [(cell.key if isinstance(cell, Cell) else cell) in names for cell in layout.iloc[:, 0]]
    return layout[shown].reset_index(drop=True)
