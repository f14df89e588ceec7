"""A figure for a paper, of a run on one's own data: chosen methods, of a chosen width."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from treecrf_studies.framework.comparisons import facing
from treecrf_studies.framework.settings import Settings
from treecrf_studies.rendering.cells import signed
from treecrf_studies.rendering.panels import name_axes
from treecrf_studies.rendering.style import SETTINGS, SMALL, save_figure, training_method_name, training_method_style
from treecrf_studies.report.lessons import Frames
from treecrf_studies.training.choices import BETTER

KINDS = ("pdf", "svg", "png")

ON_PAPER = dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), "black")

LINE, AROUND = 0.19, 0.42
"""Height of a row, and of what is above and below the rows of a panel, in inches."""


def write_paper_figure(settings: Settings, path: Path, width: float, methods: Sequence[str] = ()) -> None:
    """Write `difference_figure` of the study of training.

    Parameters
    ----------
    settings : Settings
    path : Path
        Its suffix is one of `KINDS`.
    width : float
        Inches.
    methods : sequence of str
        Ids or names, the one that others are compared with first; all, with the user's own first, if empty.

    Raises
    ------
    ValueError
        If the suffix or a method is not known, or the run has compared nothing.
    """
    kind = path.suffix[1:].lower()
    if kind not in KINDS:
        raise ValueError(f"{path}: a figure ends in .pdf, .svg or .png; choose one of these.")
    frame = Frames(settings).read("training", "comparisons")
    frame = frame[frame["decoder"] == BETTER] if len(frame) else frame
    if frame.empty:
        raise ValueError(f"{settings.results} has no comparisons of the study of training; run it with two methods.")
    known = list(dict.fromkeys([*settings.labellers, *frame["method"], *frame["other"]]))
    by_name = {training_method_name(method): method for method in known}
    chosen = [by_name.get(method, method) for method in methods] or known
    for method in chosen:
        if method not in known:
            raise ValueError(f"{settings.results} has no method {method!r}; choose among {', '.join(known)}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_figure(difference_figure(frame, chosen, width), path, kind)


def difference_figure(comparisons: pd.DataFrame, methods: Sequence[str], width: float) -> Figure:
    """Accuracy of methods minus that of the first one, with 95 % intervals of the family of all methods compared; a panel for
    each data set, black on white.
    """
    first, *others = methods
    rows = facing(comparisons, first)
    rows = rows[rows["other"].isin(others)]
    panels = [(str(name), of_set.set_index("other")) for name, of_set in rows.groupby("dataset", sort=False)]
    shown = [[method for method in others if method in of_set.index] for _, of_set in panels]
    heights = [LINE * len(names) + AROUND for names in shown]
    with mpl.rc_context(SETTINGS | ON_PAPER | {"figure.facecolor": "white"}):
        figure = Figure(figsize=(width, sum(heights) + 0.25), layout="constrained")
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights, sharex=True).ravel()
        for one, (dataset, of_set), names in zip(axes, panels, shown, strict=True):
            one.axvline(0, color="black", linewidth=0.8)
            numbers = -of_set.loc[names, ["value", "family_high", "family_low"]].to_numpy(dtype=float)
            for place, (method, (value, low, high)) in enumerate(zip(names, numbers, strict=True)):
                color = training_method_style(method)["color"]
                if np.isfinite([low, high]).all():
                    one.plot([low, high], [place, place], color=color, linewidth=1.4)
                one.plot(value, place, "o", color=color, markersize=4)
                one.text(1.02, place, signed(value), transform=one.get_yaxis_transform(), va="center", fontsize=SMALL)
            one.set_yticks(range(len(names)), [training_method_name(method) for method in names], fontsize=SMALL)
            one.set_ylim(len(names) - 0.5, -0.5)
            one.set_title(dataset, loc="left", fontsize=9)
        name_axes(figure, list(axes), f"accuracy minus {training_method_name(first)} (points)", "")
    return figure
