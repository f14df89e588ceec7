"""Page section on missing values (PhD chapter 4)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frames
from treecrf.rendering.parts import Fold, Part, Section, Study, Table, by_dataset, drawn, open_choices, paragraph
from treecrf.rendering.style import DECODER_NAMES, method_name, ordered_methods
from treecrf.studies.missing.headline import missing_headline
from treecrf.studies.missing.tables import accuracy_layout, comparison_layout, costs_layout, deviance_layout
from treecrf.studies.settings import MissingSettings, Settings

INTRODUCTION = """
Cells of the inputs go missing completely at random before windows are cut: a whole letter or residue, or each line
feature by itself; {train} damaged training sets and {test} damaged test sets for each share, the same holes for every
method. Lambda and iteration are chosen by hold-out within the damaged training set; sequences held out: {held_out}.
Decoding: {decoder}. At 0 nothing is missing: one training, one test.
"""

FIGURE_NOTE = """
Figure 4.1. Accuracy by share of missing cells: mean over all evaluations; bars: standard deviation.
"""

COEFFICIENT_NOTE = """
Table 4.1. Log odds of a correct label against {baseline}, from the binomial model of section 4.4 (indicators of methods
and training sets, no intercept); negative: worse than {baseline}. *: p &lt; 0.05 by the Wald test that takes positions as
independent, as the dissertation does. †: p &lt; 0.05 with standard errors clustered by test sequence, after Holm's
correction. A data set with a single test sequence has no clustered test. With few test sequences clustered tests are
somewhat too optimistic.
"""

EFFECT_NOTE = """
Accuracy minus that of {baseline}, in percentage points, with 95 % intervals (clustered by test sequence where there are
several).
"""

COST_NOTE = """
CPU seconds with one thread, mean over the damaged training sets. Training: the chosen model on the whole training set;
methods choose different numbers of iterations, hence the columns for one iteration. Choice of settings: all candidates on
the part that is not held out. Prediction: one test set. Ratio: to the cheapest method of the row's share.
"""

FREQUENCY_NOTE = """
Figure 4.2. Share of the lines on which each line feature is true. Features that are rarely true are imputed as "false".
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


def missing_study(settings: Settings, results: Path) -> Study | None:
    """The study of missing values, from the summaries of the data sets that are finished; None where there is nothing."""
    finished = [name for name in settings.missing.datasets if missing_is_finished(results, name)]
    folder = results / "missing"
    if not finished or not (folder / "figure_4_1.svg").is_file():
        return None
    frames = {
        name: read_frames([str(folder / dataset / f"{name}.csv") for dataset in finished])
        for name in ("evaluations", "comparisons", "deviance", "costs", "frequencies")
    }
    sections = [_accuracy(settings.missing, frames["evaluations"], folder)]
    if len(frames["comparisons"]):
        sections.append(_comparisons(settings.missing, frames, folder))
    costs = Table("CPU seconds by method", costs_layout(frames["costs"]), folder / "tables/costs")
    sections.append(Section("missing-cost", "What handling missing values costs", [paragraph(COST_NOTE), costs]))
    if len(frames["frequencies"]):
        alt = "Share of lines on which each line feature is true, a bar for each feature, most frequent first."
        sections.append(
            Section("line-features", "Line features", drawn(folder / "figure_4_2.svg", alt, FREQUENCY_NOTE))
        )
    return Study("missing", "Missing values (chapter 4)", missing_headline(frames["evaluations"]), sections)


def missing_is_finished(results: Path, name: str) -> bool:
    """Whether a data set's summary is there."""
    return all(
        (results / "missing" / name / f"{file}.csv").is_file() for file in ("evaluations", "comparisons", "costs")
    )


def _accuracy(settings: MissingSettings, evaluations: pd.DataFrame, folder: Path) -> Section:
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
        *drawn(folder / "figure_4_1.svg", alt, FIGURE_NOTE),
        Table(caption, accuracy_layout(evaluations), folder / "tables/accuracy"),
        open_choices(settings, CHOICES),
    ]
    return Section("missing-accuracy", "Accuracy by share of missing cells (figure 4.1)", parts)


def _comparisons(settings: MissingSettings, frames: dict[str, pd.DataFrame], folder: Path) -> Section:
    comparisons = frames["comparisons"]
    chosen = comparisons["dataset"].map(settings.baseline_of)
    parts: list[Part] = []
    for baseline in ordered_methods(chosen):
        name, of_baseline = method_name(baseline), comparisons[chosen == baseline]
        for kind, note, title in (
            ("coefficients", COEFFICIENT_NOTE, f"Table 4.1: log odds against {name}"),
            ("effects", EFFECT_NOTE, f"Points of accuracy against {name}"),
        ):
            layout = comparison_layout(kind, of_baseline, baseline)
            parts += [paragraph(note, baseline=name), Table(title, layout, folder / f"tables/{kind}_{baseline}")]
        title = f"All tests against {name}"
        tests = Table(
            title, comparison_layout("significance", of_baseline, baseline), folder / f"tables/significance_{baseline}"
        )
        parts.append(Fold(title, [tests]))
    for baseline in sorted(set(chosen)):
        name = method_name(baseline)
        alt = f"Points of accuracy against {name} by share of missing cells, with 95 % intervals, a panel for each data set."
        effects = drawn(folder / f"effects_{baseline}.svg", alt, f"Points against {name}. Above 0: better than {name}.")
        if effects:
            parts.append(Fold(f"The same as a figure, all data sets against {name}", effects))
    deviance = Table("Analysis of deviance", deviance_layout(frames["deviance"]), folder / "tables/deviance")
    parts.append(Fold("Analysis of deviance", [deviance]))
    parts.append(
        paragraph("Tables with every other method as the baseline are among the results (<code>missing/tables</code>).")
    )
    return Section("missing-tests", "Which differences are real (table 4.1)", parts)
