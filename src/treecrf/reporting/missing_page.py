"""The page's sections on missing values (PhD chapter 4)."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

import pandas as pd

from treecrf.figures.style import method_name, ordered_methods
from treecrf.reporting.files import read_frames
from treecrf.reporting.missing_tables import accuracy_layout, comparison_layout, costs_layout, deviance_layout
from treecrf.reporting.parts import figure, fold, paragraph
from treecrf.reporting.rendering import to_fragment
from treecrf.settings import MissingSettings, Settings

INTRODUCTION = """
Cells of the inputs go missing completely at random before windows are cut: a whole letter or residue, or each line
feature by itself; {train} damaged training sets and {test} damaged test sets for each share, the same holes for every
method. Lambda and iteration are chosen by hold-out within the damaged training set ({held_out:.0%} of its sequences);
{decoder} decoding. At 0 nothing is missing: one training, one test.
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
)
"""Settings that the papers leave open."""


def missing_sections(settings: Settings, results: Path) -> Iterator[str]:
    """The sections on missing values, from the summaries of the data sets that are finished."""
    finished = [name for name in settings.missing.datasets if missing_is_finished(results, name)]
    folder = results / "missing"
    if not finished or not (folder / "figure_4_1.svg").is_file():
        return
    frames = {
        name: read_frames([str(folder / dataset / f"{name}.csv") for dataset in finished])
        for name in ("evaluations", "comparisons", "deviance", "costs", "frequencies")
    }
    yield _accuracy(settings.missing, frames["evaluations"], folder)
    if len(frames["comparisons"]):
        yield _comparisons(settings.missing, frames, folder)
    yield (
        f'<section id="missing-cost"><h2>What handling missing values costs</h2>{paragraph(COST_NOTE)}'
        f'<div class="wide">{to_fragment(costs_layout(frames["costs"]))}</div></section>'
    )
    if len(frames["frequencies"]):
        drawn = figure(folder / "figure_4_2.svg", "How often each line feature is true", FREQUENCY_NOTE)
        yield f'<section id="line-features"><h2>Line features</h2>{drawn}</section>'


def missing_is_finished(results: Path, name: str) -> bool:
    """Whether a data set's summary is there."""
    return all(
        (results / "missing" / name / f"{file}.csv").is_file() for file in ("evaluations", "comparisons", "costs")
    )


def _accuracy(settings: MissingSettings, evaluations: pd.DataFrame, folder: Path) -> str:
    said = paragraph(
        INTRODUCTION, train=settings.n_training_sets, test=settings.n_test_sets, held_out=settings.held_out,
        decoder=settings.decoder.replace("_", "-"),
    )  # fmt: skip
    values = settings.model_dump(mode="json")
    chosen = ", ".join(f"<code>{name}: {escape(str(values[name]))}</code>" for name in CHOICES)
    return (
        f'<section id="missing"><h2>Missing values: accuracy (chapter 4)</h2>{said}'
        + figure(folder / "figure_4_1.svg", "Accuracy by share of missing cells", FIGURE_NOTE)
        + f'<div class="wide">{to_fragment(accuracy_layout(evaluations))}</div>'
        + "<p>Percent, mean ± standard deviation over the evaluations; the best mean of a row is bold.</p>"
        + f"<p>Choices that the papers leave open: {chosen}.</p></section>"
    )


def _comparisons(settings: MissingSettings, frames: dict[str, pd.DataFrame], folder: Path) -> str:
    comparisons = frames["comparisons"]
    parts = ['<section id="missing-tests"><h2>Which differences are real (table 4.1)</h2>']
    chosen = comparisons["dataset"].map(settings.baseline_of)
    for baseline in ordered_methods(chosen):
        name, of_baseline = method_name(baseline), comparisons[chosen == baseline]
        for kind, note in (("coefficients", COEFFICIENT_NOTE), ("effects", EFFECT_NOTE)):
            table = to_fragment(comparison_layout(kind, of_baseline, baseline))
            parts.append(f'{paragraph(note, baseline=name)}<div class="wide">{table}</div>')
        tests = to_fragment(comparison_layout("significance", of_baseline, baseline))
        parts.append(fold(f"All tests against {name}", f'<div class="wide">{tests}</div>'))
    for baseline in sorted(set(chosen)):
        path = folder / f"effects_{baseline}.svg"
        if path.is_file():
            drawn = figure(path, f"Points against {method_name(baseline)}", f"Points against {method_name(baseline)}.")
            parts.append(fold(f"The same as a figure, all data sets against {method_name(baseline)}", drawn))
    table = to_fragment(deviance_layout(frames["deviance"]))
    parts.append(fold("Analysis of deviance", f'<div class="wide">{table}</div>'))
    parts.append(
        "<p>Tables with every other method as the baseline are among the results (<code>missing/tables</code>).</p>"
    )
    return "".join(parts) + "</section>"
