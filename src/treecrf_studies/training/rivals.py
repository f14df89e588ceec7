"""Forest plots of methods of the training study beside their rivals, for pages and for papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.framework.comparisons import facing, turned
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.settings import Settings
from treecrf_studies.rendering.forest import Forest, Interval, forest_figure
from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.rendering.parts import Part
from treecrf_studies.rendering.style import training_method_name, training_method_style
from treecrf_studies.training.lessons import at_choice

INTERVALS = (
    ", with 95 % intervals (Bonferroni). A significant difference may have an interval with 0 (docs/statistics.md)."
)

ENDS = ["value", "family_low", "family_high"]
"""Columns of points and the ends of their intervals."""


def comparisons(frames: Frames) -> pd.DataFrame:
    """Tests between methods of the training study, at the choice, with the preferred decoder."""
    return at_choice(frames, "comparisons").reindex(columns=["dataset", "method", "other", *ENDS, "decision"])


def against_rivals(method: str, tests: pd.DataFrame) -> list[Part]:
    """A method minus each rival, mean over the data sets."""
    if len(set(tests["dataset"])) == 1:
        return by_dataset(method, tests)
    name, rows = training_method_name(method), []
    for other, of in facing(tests, method).groupby("other", sort=False):
        low, high = mean_with_interval(of["value"])[1] if len(of) > 1 else of[["family_low", "family_high"]].iloc[0]
        counts = of["decision"].value_counts()
        note = f"better on {counts.get('better', 0)}, worse on {counts.get('worse', 0)} of {len(of)}"
        values = tuple(of["value"])
        rows.append(Interval(training_method_name(str(other)), np.mean(values), low, high, note, dots=values))
    text = (
        f"{name} minus each rival, mean over the data sets with a 95 % interval that takes data sets as independent. "
        f"Small dots are single data sets. Right of zero {name} is more accurate."
    )
    return [Forest(text, sorted(rows, key=lambda row: -row.value)).part()]


def by_dataset(method: str, tests: pd.DataFrame) -> list[Part]:
    """The gap of a method to each rival on each data set."""
    name = training_method_name(method)
    text = f"{name} minus each rival on {{}}{INTERVALS} Right of zero {name} is more accurate."
    parts: list[Part] = []
    for dataset, rows in facing(tests, method).groupby("dataset", sort=False):
        ordered = rows.sort_values("value", ascending=False, kind="stable").set_index("other")
        lines = [Interval(training_method_name(str(other)), *ends) for other, *ends in ordered[ENDS].itertuples()]
        parts.append(Forest(text.format(dataset), lines).part())
    return parts


PAPER_FORMATS = ("pdf", "svg", "png")
"""Of figures for papers."""


def paper_format(path: Path) -> str:
    """The format of a figure for a paper by its suffix, one of `PAPER_FORMATS`; a ValueError if it is none."""
    kind = path.suffix[1:].lower()
    if kind not in PAPER_FORMATS:
        raise ValueError(f"{path}: a figure ends in .pdf, .svg or .png; choose one of these.")
    return kind


def write_paper_figure(settings: Settings, path: Path, width: float, methods: Sequence[str] = ()) -> None:
    """Write a figure for a paper: accuracy of methods of the study of training minus that of the first one, on each
    data set, with 95 % intervals of the family of all methods compared.

    Parameters
    ----------
    settings : Settings
    path : Path
        Its suffix is one of `PAPER_FORMATS`.
    width : float
        Inches.
    methods : sequence of str
        Ids or names, the one that others are compared with first; all, with the user's own first, if empty.

    Raises
    ------
    ValueError
        If the suffix or a method is not known, or the run has compared nothing.
    """
    kind = paper_format(path)
    tests = comparisons(Frames(settings))
    if tests.empty:
        raise ValueError(f"{settings.results} has no comparisons of the study of training; run it with two methods.")
    known = list(dict.fromkeys([*settings.labellers, *tests["method"], *tests["other"]]))
    by_name = {training_method_name(method): method for method in known}
    first, *others = [by_name.get(method, method) for method in methods] or known
    for method in (first, *others):
        if method not in known:
            raise ValueError(f"{settings.results} has no method {method!r}; choose among {', '.join(known)}.")
    rows = []
    for dataset, of_set in turned(facing(tests, first)).groupby("dataset", sort=False):
        shown = of_set.set_index("method").reindex([name for name in others if name in set(of_set["method"])])
        rows.append(Interval(str(dataset)))
        rows += [
            Interval(training_method_name(name), value, low, high, standing=training_method_style(name)["color"])
            for name, value, low, high in shown[ENDS].itertuples()
        ]
    path.parent.mkdir(parents=True, exist_ok=True)
    unit = f"accuracy minus {training_method_name(first)} (points)"
    save_figure(forest_figure(Forest("", rows, unit=unit), width), path, kind)
