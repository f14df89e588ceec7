"""Page section on cost (PhD figure 3.3, ICML 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from treecrf.rendering.parts import Exhibits, Fold, Part, Section, Study
from treecrf.studies.cost import STUDY
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
        Section("cost-windows", "Cost and accuracy by window size", windows),
        Section("cost-sampling", title, [*_figure(shown, "sampling"), sampling] if sampling else []),
    ]
    sections = [section for section in sections if section.parts]
    return Study("cost", STUDY.title, sections) if sections else None


def _figure(shown: Exhibits, name: str) -> list[Part]:
    return shown.figure(name, ALTERNATIVES[name])
