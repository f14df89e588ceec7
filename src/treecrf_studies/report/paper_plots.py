"""What a run adds to the pages of papers: published and measured values of a table side by side, and the numbers of
figures in words.
"""

from __future__ import annotations

import textwrap
from decimal import Decimal
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, ScalarFormatter

from treecrf.io.messages import counted
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.metrics import ACCURACY, METRICS
from treecrf_studies.framework.views import NEAR, OTHER_PROGRAM, PEAK, published_pairs, published_values
from treecrf_studies.rendering.cells import signed, texts_of, two_digits
from treecrf_studies.rendering.findings import Finding
from treecrf_studies.rendering.panels import add_legend, name_axes, panel_grid
from treecrf_studies.rendering.parts import Drawing
from treecrf_studies.rendering.style import DECODER_NAMES, INK, SETTINGS, SMALL, training_method_name
from treecrf_studies.report.figures import shown_methods
from treecrf_studies.report.papers import Paper
from treecrf_studies.training.choices import preferred_at
from treecrf_studies.training.published import PAPERS_OWN, training_costs

ACCURACIES, STEP_SECONDS, SECONDS = METRICS[ACCURACY].title, "CPU seconds of one step", "CPU seconds to the peak"
"""Quantities; others are those of the view of published values."""

STEPS = {"forward_backward_seconds": "forward-backward", "induction_seconds": "feature induction"}
"""Columns of costs that table 3.6 prints."""

MEASURED = "#0072B2"

MARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "published": ("published", {"marker": "o", "markerfacecolor": "none", "color": INK, "markersize": 6.0}),
    "measured": ("measured in the paper's way", {"marker": "o", "color": MEASURED, "markersize": 4.2}),
    "at_choice": ("at the cross-validated choice", {"marker": "|", "color": "#D55E00", "markersize": 8.0}),
}
"""Names and looks of values."""

PAIR_COLUMNS = [
    "source",
    "quantity",
    "dataset",
    "against",
    "row",
    "published",
    "measured",
    "low",
    "high",
    "at_choice",
    "kind",
]

OURS = "{}, ours"
"""Rows of programs that the paper did not run, beside the published value of the one that they stand for."""

LETTERS = 38
"""Of a line of the name of a row."""


def beside_frames(
    published: pd.DataFrame, costs: pd.DataFrame, summary: pd.DataFrame, paper: Paper
) -> dict[str, pd.DataFrame]:
    """What a run measured beside each printed value of a paper, by table in its order.

    Parameters
    ----------
    published : DataFrame
        From `treecrf_studies.framework.views.published_values`.
    costs, summary : DataFrame
        From `treecrf_studies.training.summary`, of several data sets; may be empty.
    paper : Paper

    Returns
    -------
    dict of str to DataFrame
        By source, such as "PhD table 3.5", of which something was measured: source, quantity, dataset, against (the
        baseline of differences, empty for other values), row (method, decoder and condition in words), published,
        measured (as the paper measures), low, high, at_choice, where that is another value, and kind, of
        `treecrf_studies.framework.views.published_pairs`.
    """
    rows = (
        published_pairs(published[published["source"].map(paper.numbers).astype(bool)]) if len(published) else published
    )
    parts = {str(name): part for name, part in _with_rows(rows).groupby("source")} if len(rows) else {}
    for seconds in (step_frame(costs), peak_frame(summary)) if paper.start == "P3" else ():
        parts |= dict.fromkeys(seconds["source"].unique(), seconds)
    return {source: parts[source].reset_index(drop=True) for source in sorted(parts) if len(_of_paper(parts[source]))}


def table_drawings(frames: Frames, paper: Paper) -> dict[str, list[Drawing]]:
    """Figures of the tables of a paper beside measured values, by the anchors of the tables."""
    tables = beside_frames(
        published_values(frames), frames.read("training", "costs"), frames.read("training", "summary"), paper
    )
    drawings: dict[str, list[Drawing]] = {}
    for source, frame in tables.items():
        texts = texts_of(frame)
        texts = texts.loc[:, (texts != "").any()]
        drawing = Finding(source, beside_figure, beside_caption, beside_alt).drawing(frame, texts)
        table, _, _ = source.partition(",")  # the rest says which of its numbers
        drawings.setdefault(paper.target(table).partition("#")[2], []).append(drawing)
    return drawings


def step_frame(costs: pd.DataFrame) -> pd.DataFrame:
    """PhD table 3.6 beside measured CPU seconds, as of `beside_frames`."""
    if costs.empty:
        return pd.DataFrame(columns=PAIR_COLUMNS)
    known = training_costs().merge(costs, on=["dataset", "method"], suffixes=("_published", ""))
    parts = [
        known.assign(
            row=known["method"].map(training_method_name) + f": {name}",
            published=known[f"{column}_published"],
            measured=known[column],
        )
        for column, name in STEPS.items()
    ]
    both = pd.concat(parts, ignore_index=True).dropna(subset=["published", "measured"])
    return _of_seconds(both, "PhD table 3.6", STEP_SECONDS)


def peak_frame(summary: pd.DataFrame) -> pd.DataFrame:
    """The CPU seconds of PhD table 3.5 beside measured ones up to the peak of the test curve, as of `beside_frames`."""
    if summary.empty:
        return pd.DataFrame(columns=PAIR_COLUMNS)
    better = preferred_at(summary, PEAK)[["dataset", "method", "cpu_seconds"]]
    known = training_costs().rename(columns={"cpu_seconds": "published"}).merge(better, on=["dataset", "method"])
    both = known.assign(row=known["method"].map(training_method_name), measured=known["cpu_seconds"])
    return _of_seconds(both.dropna(subset=["published", "measured"]), "PhD table 3.5, CPU seconds", SECONDS)


def _of_seconds(rows: pd.DataFrame, source: str, quantity: str) -> pd.DataFrame:
    given = dict.fromkeys(("low", "high", "at_choice"), np.nan)
    kind = np.where(rows["method"].isin(PAPERS_OWN), "", OTHER_PROGRAM)
    return _named(rows.assign(source=source, quantity=quantity, against="", kind=kind, **given))


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `PAIR_COLUMNS`; those of other programs come last and say so."""
    is_other = rows["kind"] == OTHER_PROGRAM
    names = rows["row"].where(~is_other, rows["row"].map(OURS.format))
    return rows.assign(row=names).loc[is_other.sort_values(kind="stable").index, PAIR_COLUMNS]


def beside_figure(frame: pd.DataFrame) -> Figure:
    """A panel for each data set, a row for each printed value: hollow published, filled measured, a line between them
    and a bar for what is known of the measured one; a stroke at the cross-validated choice.
    """
    frame = frame.dropna(subset=["published"])
    frame = frame[frame["measured"].notna() | frame["at_choice"].notna()]
    sets = [
        (f"{name} (vs {against})" if against else str(name), of_set)
        for (name, against), of_set in frame.groupby(["dataset", "against"], sort=False)
    ]
    own = [list(dict.fromkeys(of_set["row"])) for _, of_set in sets]
    names = list(dict.fromkeys(row for rows in sorted(own, key=len, reverse=True) for row in rows))
    is_shared = len(names) <= 1.25 * max(map(len, own))
    rows = [names] * len(sets) if is_shared else own
    n_lines = max(map(len, rows))

    def size(n_columns: int, n_rows: int) -> tuple[float, float]:
        width = 2.3 + 1.75 * n_columns if is_shared else 3.7 * n_columns
        return width, (0.55 + 0.2 * n_lines) * n_rows + 0.6

    with mpl.rc_context(SETTINGS):
        figure, panels = panel_grid([title for title, _ in sets], size, 3 if is_shared else 2, sharey=is_shared)
        for axes, (_, of_set), shown in zip(panels, sets, rows, strict=True):
            _draw_panel(axes, of_set, shown)
            if _is_of_seconds(frame):
                axes.set_xscale("log")
                axes.xaxis.set_major_locator(LogLocator(numticks=3))
                axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
                axes.xaxis.set_minor_locator(NullLocator())
            else:
                axes.xaxis.set_major_locator(MaxNLocator(3))
                axes.xaxis.set_major_formatter(ScalarFormatter(useOffset=False))
            axes.tick_params(axis="x", labelsize=SMALL)
        name_axes(figure, panels, frame["quantity"].iloc[0], "")
        add_legend(figure, panels, "", handlelength=1.2)
    return figure


def beside_alt(frame: pd.DataFrame) -> str:
    """What `beside_figure` shows."""
    shown = _of_paper(frame)
    text = (
        f"{counted(len(shown), 'printed value')} of {shown['source'].iloc[0]} and measured ones, on "
        f"{counted(shown['dataset'].nunique(), 'data set')}. "
    )
    if _is_of_seconds(frame):
        ratios = (shown["measured"] / shown["published"]).dropna()
        return (
            f"{text}Measured are {two_digits(ratios.min())} to {two_digits(ratios.max())} times the published seconds."
        )
    digits = signed if (shown["quantity"] == ACCURACIES).all() else _short
    parts = []
    for name, rows in _by_quantity(shown).items():
        away = _away(rows)
        where = f"Of {len(rows)} {name}, measured" if name else "Measured"
        parts.append(
            f"{where} minus published is {digits(away.min())} to {digits(away.max())}, {digits(away.median())} in the "
            "median."
        )
    return text + " ".join(parts)


def beside_caption(frame: pd.DataFrame) -> str:
    """What follows from `beside_figure`."""
    known, source = _of_paper(frame), frame["source"].iloc[0].partition(",")[0]
    quantity, n = known["quantity"].iloc[0], len(known)
    if quantity == ACCURACIES:
        texts = [
            f"{int((_away(rows).abs() <= NEAR).sum())} of {len(rows)} {name or 'accuracies'}"
            for name, rows in _by_quantity(known).items()
        ]
        return f"{', and '.join(texts)} are within {NEAR:g} point of {source}."
    if _is_of_odds(known):
        n_alike = int((np.sign(known["measured"]) == np.sign(known["published"])).sum())
        return f"{n_alike} of {n} measured log odds have the sign that {source} prints."
    ratio = (known["measured"] / known["published"]).median()
    if _is_of_seconds(frame):
        return f"Measured CPU seconds are {two_digits(ratio)} times those of {source} in the median; machines differ."
    return f"Measured values are {two_digits(ratio)} times those of {source} in the median."


def _of_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the paper's own programs beside which something was measured."""
    return frame[(frame["kind"] != OTHER_PROGRAM) & _away(frame).notna()]


def _by_quantity(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Rows at printed peaks and those of which only the choice was kept; or all under an empty name."""
    if rows["at_choice"].isna().all():
        return {"": rows}
    parts = {
        "peaks": rows["measured"].notna(),
        "accuracies at the cross-validated choice (peak not kept)": rows["measured"].isna(),
    }
    return {name: rows[chosen] for name, chosen in parts.items() if chosen.any()}


def _is_of_seconds(frame: pd.DataFrame) -> bool:
    return bool(frame["quantity"].isin([SECONDS, STEP_SECONDS]).all())


def _is_of_odds(frame: pd.DataFrame) -> bool:
    return bool(frame["quantity"].str.startswith("log odds").all())


def _away(frame: pd.DataFrame) -> pd.Series:
    """Measured minus published, at the choice where what the paper measures was not kept."""
    return (frame["measured"].fillna(frame["at_choice"]) - frame["published"]).astype(float)


def _short(value: float) -> str:
    return f"{Decimal(f'{value:+.1e}'):+f}".replace("-", "−") if value else "0"


def _with_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Printed values with their rows in words: what tells rows of one data set apart."""
    several = rows.groupby(["source", "dataset", "variant", "method"])["decoder"].transform("nunique") > 1
    parts = rows["variant"].astype(str).str.partition(" vs ")
    texts = [
        ", ".join(filter(None, [method, DECODER_NAMES.get(decoder, "") if is_told else "", condition]))
        for method, decoder, is_told, condition in zip(
            shown_methods(rows), rows["decoder"], several, parts[0].map(_condition), strict=True
        )
    ]
    other = rows["at_choice"].where(rows["point"] == PEAK)
    quantity = rows["quantity"].replace(ACCURACY, ACCURACIES)
    return _named(rows.assign(at_choice=other, row=texts, against=parts[2], quantity=quantity))


def _condition(text: str) -> str:
    return text.removesuffix(" missing").replace("= -", "= −")


# --- drawing ----------------------------------------------------------------------------------------


def _draw_panel(axes: Axes, of_set: pd.DataFrame, rows: list[str]) -> None:
    places = of_set["row"].map(rows.index)
    end = of_set["measured"].fillna(of_set["at_choice"])
    axes.hlines(places, of_set["published"], end, color=INK, linewidth=0.8, zorder=1)
    if of_set["low"].notna().any():
        label = "95 % interval" if _is_of_odds(of_set) else "lowest to highest"
        bar: dict[str, Any] = {"color": MEASURED, "linewidth": 3.0, "alpha": 0.35, "zorder": 1, "label": label}
        axes.hlines(places, of_set["low"], of_set["high"], **bar)
    for column, (label, style) in MARKS.items():
        if of_set[column].notna().any():
            axes.plot(of_set[column], places, linestyle="none", label=label, zorder=3, **style)
    axes.set_yticks(range(len(rows)), [textwrap.fill(name, LETTERS) for name in rows], fontsize=SMALL)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
