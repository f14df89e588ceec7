"""Page section on many labels (M.S. thesis)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from treecrf.rendering.parts import (
    Exhibits,
    Fold,
    Part,
    Section,
    Study,
    by_dataset,
    drawn,
    listed,
    open_choices,
    paragraph,
)
from treecrf.studies.coding import STUDY
from treecrf.studies.described import described
from treecrf.studies.framework.settings import Settings

INTRODUCTION = """
Chains with many labels: inference costs the square of their number. The thesis gives every label a word of random bits and
learns the bits, each by a chain of two labels: independently (i-SECOC; iid without chains), or one after another, each with the
predictions of the h bits before it for the neighbours (c-SECOC(h)). It compares gradient tree boosting (GTB) and the voted
perceptron (VP), and a search that keeps the best labels of each position (beam). Beside them stand labellers that learn all labels
at once. Percent of test positions, forward-backward decoding; {n_seeds} draws of the data. The thesis chose histories and beams on
the test set; here, {held_out} of the training sequences choose, and curves on the test set are shown as the thesis drew them.
"""

CHOICES = (
    "n_seeds", "held_out", "n_choosing", "choosing_length", "equivalence_margin", "code_lengths", "gtb_code_lengths", "beams", "gtb_iterations", "gtb_leaves",
    "gtb_regularization", "beam_iterations", "n_epochs", "early_update", "cross_fit", "label_dictionary", "tree_iterations", "test_every",
    "tree_regularization", "tree_splits", "separable_leaves", "separable_rates", "full_leaves", "full_rates", "crfsuite_penalties", "neural_dropouts", "neural_epochs", "first_counted",
)  # fmt: skip
"""Settings that the thesis leaves open or that a reader needs to repeat the study."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of many labels, from the data sets that are finished; None where there is nothing."""
    folder = results / "coding"
    finished = [name for name in settings.coding.datasets if STUDY.is_finished(results, name)]
    if not finished:
        return None
    shown = Exhibits(folder, layouts, STUDY.caption)
    sections = [
        _all_labels(settings, finished, shown),
        Section("coding-codes", "Codes (figures 5.1, 5.2, 5.4 and 5.6)", _codes(finished, shown)),
        Section("coding-beams", "Beam search", shown.captioned_table("beams", "Accuracy and CPU seconds by beam")),
        Section("coding-chunks", "Noun phrases (CoNLL-2000)", shown.captioned_table("chunks", "Noun phrases")),
    ]
    return Study("coding", STUDY.title, [section for section in sections if section.parts])


def _all_labels(settings: Settings, names: Sequence[str], shown: Exhibits) -> Section:
    coding = settings.coding
    parts: list[Part] = [
        paragraph(
            INTRODUCTION, n_seeds=by_dataset(coding, "n_seeds"), held_out=by_dataset(coding, "held_out", _percent)
        ),
        *listed([described(settings, name, has_window=False) for name in names]),
        *shown.captioned_table("all_labels", "All labels at once, beside the chosen cascades and beams"),
        *_folded(shown, "steps", "Tests between methods"),
        *[part for name in names for part in _figure(shown, name, "seconds")],
        open_choices(coding, CHOICES),
    ]
    return Section("coding-all", "All labels at once (figures 5.3 and 5.5)", parts)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _codes(names: Sequence[str], shown: Exhibits) -> list[Part]:
    return [
        *[part for name in names for part in _figure(shown, name, "lengths")],
        *shown.captioned_table("codes", "Accuracy with the longest code"),
        *_folded(shown, "choices", "History and beam chosen on held-out and on test sequences"),
    ]


def _folded(shown: Exhibits, name: str, title: str) -> list[Part]:
    parts = shown.captioned_table(name, title)
    return [Fold(title, parts)] if parts else []


def _figure(shown: Exhibits, dataset: str, name: str) -> list[Part]:
    what = {
        "lengths": "Accuracy by bits of the code, a panel for each learner and window, a line for each kind of code.",
        "seconds": "Accuracy against CPU seconds of training, a panel for each window of the thesis.",
    }[name]
    return drawn(shown.folder / dataset / f"{name}.svg", f"{dataset}. {what}", f"{dataset}. {STUDY.caption(name)}")
