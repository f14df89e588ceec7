"""Page section on training (PhD chapter 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from treecrf.io.files import read_frames, read_json
from treecrf.models.registry import IN_JAVA
from treecrf.rendering.parts import (
    Downloads,
    Exhibits,
    Fold,
    Section,
    Study,
    by_dataset,
    listed,
    open_choices,
    paragraph,
)
from treecrf.rendering.plain import without_papers
from treecrf.rendering.style import DECODER_NAMES
from treecrf.studies.framework.settings import Settings, TrainingSettings
from treecrf.studies.training import STUDY
from treecrf.studies.training.answers import answers
from treecrf.studies.training.methods import METHODS
from treecrf.studies.training.tables import notes_layout

INTRODUCTION = """
Accuracy is the percentage of test positions that are labelled correctly.{documents}
<em>Choice</em>: settings, iteration and decoder with the best accuracy in cross-validation on the training sequences, with
{folds} folds; then one training on all training sequences, which serves both decoders.
<em>Peak</em>: the best point of all test curves, an optimistic upper bound: it was chosen on test labels. <em>Mean ± sd</em>: over
{runs} trainings from perturbed starts, the standard deviation with three trainings or more. All of them have the same settings, so
the spread does not include variation from selecting settings. A method without such runs shows its one training.{slow}
"""

DOCUMENTS_NOTE = """
Where each document is a test set in turn, it is the mean over the documents, and the number of folds that of the training
documents left out in turn.
"""

SLOW_NOTE = """
Stacking and methods that run in Java have {runs} such trainings; the latter take the settings chosen for the same algorithm in this package.
"""

TESTS_NOTE = """
McNemar's test takes positions of a sequence as independent and looks at one training of each method, so it
finds differences that are not there far more often than its level says. The sequence-level test takes whole groups of related
test sequences and the trainings of each method as independent; its p-value and its intervals come from one standard error.
With fewer than {least} such groups it takes blocks of at least {length} positions as independent: it then holds for these documents
only. With fewer than three trainings of a method it is about these trainings, not about the method. All of it is about methods
trained on these training sequences. A decision is <em>better</em> or <em>worse</em> if p &lt; 0.05 after Holm's correction over the
pairs of the data set; otherwise <em>equivalent</em> if the 90 % interval of the single pair lies within {margin} points, and else
<em>undecided</em>: a large p-value alone says nothing.
"""

CHOICES = (
    "n_folds",
    "l2_regularizations",
    "memm_regularizations",
    "original_max_leaves",
    "variances",
    "network_penalties",
    "network_hidden",
    "network_epochs",
    "neural_kinds",
    "neural_widths",
    "neural_layers",
    "neural_dropouts",
    "neural_epochs",
    "lightgbm_leaves",
    "stacking_experts",
    "stacking_iterations",
    "stacking_folds",
    "n_perturbed_runs",
    "n_perturbed_slow_runs",
    "steady_methods",
    "java_iterations",
    "borrowed_choices",
    "start_noise",
    "exact_under",
    "blocks_under",
    "block_length",
    "equivalence_margin",
    "separation_margin",
    "unseen",
    "test_every",
)
"""Settings that the papers leave open, or that methods beyond the papers need."""

INDUCTION_CHOICES = (
    "iterations_between_inductions",
    "features_per_induction",
    "true_label_threshold",
    "training_proportions",
)
"""The same of the CRF with induction."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of training, from the summaries of the data sets that are finished; None where there is nothing."""
    finished = [name for name in settings.training.datasets if STUDY.is_finished(results, name)]
    if not finished:
        return None
    folder = results / "training"
    summary, ranks, notes, comparisons = (
        read_frames([str(folder / name / f"{file}.csv") for name in finished])
        for file in ("summary", "ranks", "notes", "comparisons")
    )
    is_published = bool(summary["published"].notna().any())
    shown = Exhibits(folder, layouts, STUDY.caption)
    if not is_published:
        shown = shown._replace(caption=lambda name: without_papers(STUDY.caption(name)))
    panels = f"a panel for each of {', '.join(finished)}, a line for each method"
    curves = [
        *shown.figure("figure_3_1", f"Test accuracy by iteration: {panels}."),
        *shown.figure("figure_3_2", f"CPU seconds up to each iteration: {panels}."),
    ]
    seconds = shown.figure("accuracy_by_seconds", f"Test accuracy by CPU seconds: {panels}.")
    printed = shown.captioned_table("table_3_6", "Table 3.6, published above measured") if is_published else []
    steps = [*printed, *shown.captioned_table("steps", "CPU seconds per iteration and of a whole training")]
    sections = [
        _accuracy(settings.training, summary, notes, _stand_ins(results, finished), shown, is_published),
        _tests(settings.training, finished, shown),
        *([_published(shown)] if is_published else []),
        Section("training-curves", "Learning curves (figures 3.1 and 3.2)", curves),
        Section("training-seconds", "Accuracy by CPU time (figures 2 to 4)", seconds),
        Section("training-cost", "CPU seconds per iteration (table 3.6)", steps),
    ]
    first = answers(settings, finished, summary, comparisons, ranks)
    shown_sections = [section for section in sections if section.parts]
    return Study("training", STUDY.title, shown_sections, first)


# --- sections ---------------------------------------------------------------------------------------


def _accuracy(
    settings: TrainingSettings,
    summary: pd.DataFrame,
    notes: pd.DataFrame,
    stand_ins: dict[str, str],
    shown: Exhibits,
    is_published: bool,
) -> Section:
    in_java = set(IN_JAVA) & set(settings.values("method"))
    overview = paragraph(
        INTRODUCTION,
        documents=DOCUMENTS_NOTE if is_published else "",
        slow=SLOW_NOTE.format(runs=by_dataset(settings, "n_perturbed_slow_runs")) if in_java else "",
        folds=by_dataset(settings, "n_folds"),
        runs=by_dataset(settings, "n_perturbed_runs"),
    )
    names = ", ".join(dict.fromkeys(summary["dataset"]))
    alt = f"Accuracy of every method, a panel for each of {names}; the table below has the numbers."
    peaks = shown.table("peaks", "Peak of the test curve, mean ± sd")
    stands_in = Markup("<b>{} is a stand-in</b>: {}")
    parts = [
        overview,
        *listed([stands_in.format(name, text) for name, text in stand_ins.items()], "stand-in"),
        *shown.figure("accuracies", alt),
        shown.table("accuracy", "Cross-validated choice, mean ± sd; bold: the best and those equivalent to it"),
        *listed(_not_run(notes), "notes"),
        Fold("Peaks of the test curves", [peaks]),
        shown.folded_table("choices", "Settings chosen by cross-validation"),
        shown.folded_table("estimates", "Cross-validation estimate vs test accuracy"),
        _choices(settings, is_published),
    ]
    return Section("training-accuracy", "Accuracy of all methods", parts)


def _tests(settings: TrainingSettings, names: Iterable[str], shown: Exhibits) -> Section:
    note = paragraph(
        TESTS_NOTE, least=settings.blocks_under, length=settings.block_length, margin=settings.equivalence_margin
    )
    parts = [
        note,
        *shown.captioned_table("ranks", "Ranks at the cross-validated choice"),
        Downloads("Every pair of methods:", _all_pairs(settings, names, shown.folder / "tables")),
        *shown.captioned_table("noise", "Variance components"),
        *shown.captioned_table("larger_accuracies", "Larger samples and second populations: accuracy"),
        *shown.captioned_table("larger", "Larger samples and second populations: tests"),
    ]
    return Section("training-tests", "Ranks and tests between methods", parts)


def _published(shown: Exhibits) -> Section:
    parts = [
        *shown.captioned_table("table_3_4", "Table 3.4, published above measured"),
        *shown.captioned_table("table_3_5", "Table 3.5, published above measured"),
    ]
    return Section("training-published", "Accuracy, published vs reproduced (tables 3.4 and 3.5)", parts)


def _all_pairs(settings: TrainingSettings, names: Iterable[str], folder: Path) -> dict[str, Path]:
    """The tables that are too long for a page."""
    tests = {f"tests, {DECODER_NAMES[decoder]}": folder / f"tests_{decoder}" for decoder in settings.values("decoder")}
    return tests | {f"matrix of {name}": folder / name / "matrix" for name in names}


# --- parts ------------------------------------------------------------------------------------------


def _stand_ins(results: Path, names: Iterable[str]) -> dict[str, str]:
    """What the data sets among `names` that are stand-ins stand in for."""
    texts = {name: read_json(results / "data" / name / "description.json")["stand_in"] for name in names}
    return {name: text for name, text in texts.items() if text}


def _not_run(notes: pd.DataFrame) -> list[Markup]:
    """Which methods were not run, on which data sets, and why."""
    rows = notes_layout(notes).itertuples(index=False, name=None)
    item = Markup("<b>{method} was not run on {names}</b>: {reason}")
    return [item.format(names=names, method=method, reason=reason) for names, method, reason in rows]


def _choices(settings: TrainingSettings, is_published: bool) -> Fold:
    induction = METHODS["induced_crf"].build(settings, {}, (0, 0), None).get_params()
    return open_choices(settings, CHOICES, {name: induction[name] for name in INDUCTION_CHOICES}, is_published)
