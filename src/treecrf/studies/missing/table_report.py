"""The study of missing values on one table, written to a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from treecrf.io.files import atomic, write_frame, write_text
from treecrf.rendering.folders import Folders
from treecrf.rendering.layouts import write_layout
from treecrf.rendering.markdown import parts_markdown
from treecrf.rendering.style import save_figure
from treecrf.studies.missing.advice import advice
from treecrf.studies.missing.figures import accuracy_by_rate
from treecrf.studies.missing.tables import (
    accuracy_layout,
    costs_layout,
    deviance_layout,
    effects_layout,
    significance_layout,
    variances_layout,
)

ADVICE = "advice.md"


def write_missing_report(frames: Mapping[str, pd.DataFrame], folder: Path, baseline: str) -> Path:
    """Write the advice, its figure, its tables and the frames behind them; return the path of the advice, `ADVICE`.

    `frames` are from `treecrf.studies.missing.one_table.study_table`; tables of comparisons measure against `baseline`.
    """
    for name, frame in frames.items():
        write_frame(frame, folder / f"{name}.csv")
    layouts = {
        "accuracy": accuracy_layout(frames["evaluations"], frames["comparisons"]),
        "cpu_seconds": costs_layout(frames["costs"]),
    }
    if len(frames["comparisons"]):
        layouts["effects"] = effects_layout(frames["comparisons"], baseline)
        layouts["significance"] = significance_layout(frames["comparisons"], baseline)
        layouts["deviance"] = deviance_layout(frames["deviance"])
        layouts["variances"] = variances_layout(frames["variances"])
    for name, layout in layouts.items():
        write_layout(layout, str(folder / "tables" / name))
    figure = accuracy_by_rate(frames["evaluations"])
    for kind in ("svg", "png"):
        with atomic(folder / f"accuracy.{kind}") as temporary:
            save_figure(figure, temporary, kind)
    parts = advice(frames["evaluations"], frames["comparisons"], frames["costs"])
    write_text(f"# Missing values\n\n{parts_markdown(parts, Folders(folder, folder))}", folder / ADVICE)
    return folder / ADVICE
