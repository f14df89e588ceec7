"""Page section on cost (PhD figure 3.3, ICML 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from treecrf.rendering.cells import number
from treecrf.rendering.parts import Exhibits, Fold, Part, Section, Study
from treecrf.rendering.style import training_method_name
from treecrf.rendering.words import interval_text, with_and
from treecrf.studies.cost import STUDY
from treecrf.studies.cost.claims import length_slopes
from treecrf.studies.framework.claims.judge import Results
from treecrf.studies.framework.settings import Settings

ALTERNATIVES = {
    "figure_3_3a": "CPU seconds of forward-backward per iteration by sequence length, both axes logarithmic, a line for each method in a band from the smallest to the largest of repeated measurements.",
    "figure_3_3b": "CPU seconds of one induction of features by number of features, both axes logarithmic, a line for each method in a band from the smallest to the largest of repeated measurements.",
    "figure_3_3c": "Time to evaluate F at one position by sequence length, a line for each way to evaluate it in a band from the smallest to the largest of repeated measurements.",
    "sampling": "Accuracy against CPU seconds of training, a panel for each data set, a line for each way of sampling, bars from the smallest to the largest of repeated measurements.",
}
"""What a reader is told who cannot see a figure."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of cost, as far as it is finished; None where there is nothing."""
    shown = Exhibits(results / "cost", layouts, STUDY.caption)
    growth = [part for name in ("figure_3_3a", "figure_3_3b", "figure_3_3c") for part in _figure(shown, name)]
    windows = shown.captioned_table("windows", "CPU seconds of one iteration and accuracy by window")
    title = "Sampling, trimming, pseudo-likelihood"
    sampling = Fold("The same as a table", [shown.table("sampling", title)]) if "sampling" in layouts else None
    sections = [
        Section("cost-growth", "Cost by length and features (figure 3.3)", growth),
        Section("cost-windows", "Cost by window (ICML 2004)", windows),
        Section("cost-sampling", title, [*_figure(shown, "sampling"), sampling] if sampling else []),
    ]
    sections = [section for section in sections if section.parts]
    return Study("cost", STUDY.title, cost_headline(results), sections) if sections else None


def cost_headline(results: Path) -> str:
    """How CPU seconds of forward-backward grow with the length of sequences; empty where that was not measured."""
    slopes = list(length_slopes(Results(results)))
    if not slopes:
        return ""
    powers = with_and(
        f"{number(slope.mean)} ({training_method_name(slope.method)}, {interval_text(slope.interval)})"
        for slope in slopes
    )
    return f"CPU seconds of forward-backward grow with length to the power {powers}, over lengths {slopes[0].lengths}; 1 is linear."


def _figure(shown: Exhibits, name: str) -> list[Part]:
    return shown.figure(name, ALTERNATIVES[name])
