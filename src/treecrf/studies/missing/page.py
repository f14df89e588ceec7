"""Page section on missing values (PhD chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frames
from treecrf.rendering.parts import (
    Fold,
    Part,
    Section,
    Study,
    Table,
    by_dataset,
    caption_html,
    captioned,
    drawn,
    open_choices,
    paragraph,
)
from treecrf.rendering.style import DECODER_NAMES, method_name, ordered_methods
from treecrf.studies.missing import STUDY
from treecrf.studies.missing.headline import missing_headline
from treecrf.studies.settings import MissingSettings, Settings

INTRODUCTION = """
Cells of the inputs go missing completely at random before windows are cut: a whole letter or residue, or each line
feature by itself; {train} damaged training sets and {test} damaged test sets for each share, the same holes for every
method. Lambda and iteration are chosen by hold-out within the damaged training set; sequences held out: {held_out}.
Decoding: {decoder}. At 0 nothing is missing: one training, one test.
"""

CHOICES = (
    "scale_gain",
    "n_surrogates",
    "either_polarity",
    "all_missing",
    "unseen_missing",
    "mark",
    "l2_regularizations",
    "n_iterations",
)
"""Settings that the papers leave open."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of missing values, from the summaries of the data sets that are finished; None where there is nothing."""
    finished = [name for name in settings.missing.datasets if is_finished(results, name)]
    folder = results / "missing"
    if not finished or not (folder / "figure_4_1.svg").is_file():
        return None
    frames = {
        name: read_frames([str(folder / dataset / f"{name}.csv") for dataset in finished])
        for name in ("evaluations", "comparisons", "frequencies")
    }
    sections = [_accuracy(settings.missing, frames["evaluations"], layouts, folder)]
    if len(frames["comparisons"]):
        sections.append(_comparisons(settings.missing, frames["comparisons"], layouts, folder))
    costs = Table("CPU seconds by method", layouts["costs"], folder / "tables/costs")
    sections.append(
        Section("missing-cost", "What handling missing values costs", [captioned(STUDY.caption("costs")), costs])
    )
    if len(frames["frequencies"]):
        alt = "Share of lines on which each line feature is true, a bar for each feature, most frequent first."
        sections.append(
            Section(
                "line-features",
                "Line features",
                drawn(folder / "figure_4_2.svg", alt, caption_html(STUDY.caption("figure_4_2"))),
            )
        )
    return Study("missing", STUDY.title, missing_headline(frames["evaluations"]), sections)


def is_finished(results: Path, name: str) -> bool:
    """Whether a data set's summary is there."""
    return all(
        (results / "missing" / name / f"{file}.csv").is_file() for file in ("evaluations", "comparisons", "costs")
    )


def _accuracy(
    settings: MissingSettings, evaluations: pd.DataFrame, layouts: Mapping[str, pd.DataFrame], folder: Path
) -> Section:
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
    caption = "Percent, mean ± standard deviation over the evaluations; the best mean of a row is bold"
    parts = [
        overview,
        *drawn(folder / "figure_4_1.svg", alt, caption_html(STUDY.caption("figure_4_1"))),
        Table(caption, layouts["accuracy"], folder / "tables/accuracy"),
        open_choices(settings, CHOICES),
    ]
    return Section("missing-accuracy", "Accuracy by share of missing cells (figure 4.1)", parts)


def _comparisons(
    settings: MissingSettings, comparisons: pd.DataFrame, layouts: Mapping[str, pd.DataFrame], folder: Path
) -> Section:
    chosen = comparisons["dataset"].map(settings.baseline_of)
    parts: list[Part] = []
    for baseline in ordered_methods(chosen):
        name, shown = method_name(baseline), set(comparisons["dataset"][chosen == baseline])
        for kind, caption, title in (
            ("coefficients", "coefficients", f"Table 4.1: log odds against {name}"),
            ("effects", "effects_table", f"Points of accuracy against {name}"),
        ):
            layout = _of_sets(layouts[f"{kind}_{baseline}"], shown)
            parts += [captioned(STUDY.caption(caption)), Table(title, layout, folder / f"tables/{kind}_{baseline}")]
        title = f"All tests against {name}"
        tests = Table(
            title, _of_sets(layouts[f"significance_{baseline}"], shown), folder / f"tables/significance_{baseline}"
        )
        parts.append(Fold(title, [tests]))
    for baseline in sorted(set(chosen)):
        name = method_name(baseline)
        alt = f"Points of accuracy against {name} by share of missing cells, with 95 % intervals, a panel for each data set."
        effects = drawn(folder / f"effects_{baseline}.svg", alt, caption_html(STUDY.caption("effects")))
        if effects:
            parts.append(Fold(f"The same as a figure, all data sets against {name}", effects))
    deviance = Table("Analysis of deviance", layouts["deviance"], folder / "tables/deviance")
    parts.append(Fold("Analysis of deviance", [deviance]))
    parts.append(
        paragraph("Tables with every other method as the baseline are among the results (<code>missing/tables</code>).")
    )
    return Section("missing-tests", "Which differences are real (table 4.1)", parts)


def _of_sets(layout: pd.DataFrame, names: set[str]) -> pd.DataFrame:
    """The rows of some data sets, of which a stand-in is marked."""
    shown = layout.iloc[:, 0].str.removesuffix(" (stand-in)").isin(names)
    return layout[shown].reset_index(drop=True)
