"""The sections of the page on cost (PhD figure 3.3, ICML 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from treecrf.rendering.parts import Fold, Part, Section, Study, Table, caption_html, captioned, drawn
from treecrf.studies.cost import STUDY
from treecrf.studies.settings import Settings

ALTERNATIVES = {
    "figure_3_3a": "CPU seconds of forward-backward per iteration by sequence length, both axes logarithmic, a line for each method.",
    "figure_3_3b": "CPU seconds of one induction of features by number of features, both axes logarithmic, a line for each method.",
    "figure_3_3c": "Time to evaluate F at one position by sequence length, a line for each way to evaluate it.",
    "sampling": "Accuracy against CPU seconds of training, a panel for each data set, a line for each way of sampling.",
}
"""What a reader is told who cannot see a figure."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of cost, as far as it is finished; None where there is nothing."""
    folder = results / "cost"
    figures = [part for name in ("figure_3_3a", "figure_3_3b", "figure_3_3c") for part in _drawn(folder, name)]
    sections = [Section("cost-growth", "Cost by length and features (figure 3.3)", figures)] if figures else []
    if "windows" in layouts:
        table = Table(
            "CPU seconds of one iteration and accuracy by window", layouts["windows"], folder / "tables/windows"
        )
        note = captioned(STUDY.caption("windows"))
        sections.append(Section("cost-windows", "Cost by window (ICML 2004)", [note, table]))
    if "sampling" in layouts:
        title = "Sampling, trimming, pseudo-likelihood"
        table = Table(title, layouts["sampling"], folder / "tables/sampling")
        parts = [*_drawn(folder, "sampling"), Fold("The same as a table", [table])]
        sections.append(Section("cost-sampling", title, parts))
    return Study("cost", STUDY.title, "", sections) if sections else None


def is_finished(results: Path, name: str) -> bool:
    """Every data set of this study is one of training, which says what is not finished."""
    return True


def _drawn(folder: Path, name: str) -> list[Part]:
    return drawn(folder / f"{name}.svg", ALTERNATIVES[name], caption_html(STUDY.caption(name)))
