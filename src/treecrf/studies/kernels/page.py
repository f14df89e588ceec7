"""Page section on kernels (Altun, Smola and Hofmann 2004)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frames
from treecrf.rendering.cells import number, signed
from treecrf.rendering.parts import (
    Exhibits,
    Fold,
    Part,
    Section,
    Study,
    by_dataset,
    listed,
    open_choices,
    paragraph,
)
from treecrf.studies.comparison import Comparison
from treecrf.studies.described import described
from treecrf.studies.headlines import counted_names
from treecrf.studies.kernels import STUDY
from treecrf.studies.kernels.comparisons import compare_steps, kernels_against_trees
from treecrf.studies.kernels.methods import method_text
from treecrf.studies.settings import Settings

INTRODUCTION = """
A conditional random field whose scores of windows are functions in the space of a kernel: with a polynomial kernel of degree d, a
linear CRF on all products of up to d features, trained without writing these down. The paper compares degrees 1 to 3 with a primal
linear CRF on pitch accents; its data and the numbers of its figure are lost, and no other data set here is the paper's. Percent of
test positions, forward-backward decoding; draws of the data: {n_seeds}. In each draw, {n_folds}-fold cross-validation over the
training sequences chooses the variance of the prior and the settings of rivals, trees among them; the test set is looked at once.
"""

SAME_OBJECTIVE = """
Primal and dual agree where they minimize the same objective: features divided by the root of the mean squared norm plus the
constant, a bias for each label, one prior for all weights. CRFsuite as users run it ({crfsuite}) scales nothing, cuts numbers into
bins and has no bias, so it is another model.
"""

CHOICES = (
    "n_seeds", "n_folds", "variances", "transition_variance", "coef0", "tolerance", "choosing_tolerance", "rank", "tree_iterations", "test_every",
    "tree_rates", "tree_regularization", "separable_leaves", "full_leaves", "treecrf_leaves", "treecrf_regularizations", "crfsuite_penalties",
    "measured_variance", "solver_degrees", "solver_steps", "ranks", "sizes", "equivalence_margin",
)  # fmt: skip
"""Settings that the paper leaves open or that a reader needs to repeat the study."""

NEEDED = ("lines", "comparisons")


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of kernels, from the data sets that are finished; None where there is nothing."""
    folder = results / "kernels"
    finished = [name for name in settings.kernels.datasets if is_finished(results, name)]
    if not finished:
        return None
    lines, comparisons = (read_frames([str(folder / name / f"{file}.csv") for name in finished]) for file in NEEDED)
    shown = Exhibits(folder, layouts, STUDY.caption)
    sections = [
        _accuracy(settings, finished, shown, kernels_against_trees(comparisons, lines)),
        Section("kernels-tests", "Tests", shown.captioned_table("steps", "Tests between methods")),
        Section("kernels-solvers", "Solvers", _pictured(shown, "solvers", "Objective above its minimum by CPU seconds", "Where the solvers end")),
        Section("kernels-ranks", "Low ranks", _pictured(shown, "ranks", "Accuracy and objective by rank", "Low ranks")),
        Section("kernels-sizes", "Time and memory", _pictured(shown, "sizes", "CPU seconds and memory by positions", "Time and memory")),
    ]  # fmt: skip
    headline = kernels_headline(comparisons, lines)
    return Study("kernels", STUDY.title, headline, [section for section in sections if section.parts])


def is_finished(results: Path, name: str) -> bool:
    """Whether a data set's summaries are there."""
    return all((results / "kernels" / name / f"{file}.csv").is_file() for file in NEEDED)


def _accuracy(settings: Settings, names: Sequence[str], shown: Exhibits, pairs: Sequence[Comparison]) -> Section:
    kernels = settings.kernels
    choices = shown.captioned_table("choices", "Chosen settings and cost")
    parts: list[Part] = [
        paragraph(INTRODUCTION, n_seeds=by_dataset(kernels, "n_seeds"), n_folds=by_dataset(kernels, "n_folds")),
        *listed([described(settings, name) for name in names]),
        *shown.figure("figure_1", "Accuracy by degree of the kernel, a panel for each data set."),
        *shown.captioned_table("accuracy", "Accuracy of every method"),
        paragraph("When kernels beat trees, and when not, by a valid test of the best of either:"),
        *listed([against_trees(pair) for pair in pairs]),
        paragraph(SAME_OBJECTIVE, crfsuite=method_text("crfsuite")),
        *([Fold("Chosen settings and cost", choices)] if choices else []),
        open_choices(kernels, CHOICES),
    ]
    return Section("kernels-accuracy", "Accuracy (figure 1)", parts)


def _pictured(shown: Exhibits, name: str, alt: str, title: str) -> list[Part]:
    table = [shown.folded_table(name, title)] if len(shown.layouts.get(name, ())) else []
    return [*shown.figure(name, f"{alt}."), *table]


def against_trees(pair: Comparison) -> str:
    """What the best kernel is against the best trees on a data set, in a sentence."""
    low, high = map(signed, pair.interval)
    words = {"better": "is better than", "worse": "is worse than", "equivalent": "is as good as"}.get(
        pair.decision, "is not told apart from"
    )
    return (
        f"{pair.dataset}: {method_text(pair.method)} {words} {method_text(pair.other)} ({signed(pair.points)} points, 95 % interval "
        f"{low} to {high}, p = {number(pair.p_holm, 3)} after Holm's correction)."
    )


# --- headline ---------------------------------------------------------------------------------------


def kernels_headline(comparisons: pd.DataFrame, lines: pd.DataFrame) -> str:
    """What higher degrees gain on degree 1, and how the best kernel does against the best trees, by a valid test."""
    steps = compare_steps(comparisons, lines)
    sentences = []
    for degree in (2, 3):
        decisions = [pair.decision for pair in steps if (pair.method, pair.other) == (f"degree_{degree}", "degree_1")]
        if decisions:
            sentences.append(
                f"Degree {degree} against degree 1: {counted_names(decisions, len(decisions), 'data set')}."
            )
    trees = [pair.decision for pair in kernels_against_trees(comparisons, lines)]
    if trees:
        sentences.append(
            "The best kernel against the best trees, each the best by cross-validation: "
            f"{counted_names(trees, len(trees), 'data set')}."
        )
    return " ".join(sentences)
