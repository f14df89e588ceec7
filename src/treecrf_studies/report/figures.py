"""Findings on the papers: accuracies beside published ones, and verdicts on claims.

Each has a function for its frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from treecrf_studies.framework.claims.judge import REPLICATED, UNDECIDED
from treecrf_studies.framework.views import CEILING, NEAR, distinct_accuracies
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import signed
from treecrf_studies.rendering.findings import WIDTH, Finding
from treecrf_studies.rendering.style import INK, SETTINGS, SMALL
from treecrf_studies.report.papers import SIGNS, claim_path, paper_of, three_counts, verdict_text

TABLE_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#c48600", "#3a96cc")
"""Of tables, in their order."""

NOT_COUNTED = "not counted"
"""Column that says why a published accuracy is not counted."""

TABLE_MARKERS = "osD^vP"

BAND = "#8888882e"
"""Between one point less and one point more."""


# --- published against measured ---------------------------------------------------------------------


def published_frame(published: pd.DataFrame) -> pd.DataFrame:
    """The distinct accuracies of the papers and the measured ones of the same quantity.

    Parameters
    ----------
    published : DataFrame
        From `treecrf_studies.framework.views.published_values`.

    Returns
    -------
    DataFrame
        source (the table), dataset, method (what readers see), published, measured (percent), not counted (why not,
        empty for those that are).
    """
    pairs = distinct_accuracies(published)
    shown = pairs.assign(method=shown_methods(pairs), measured=pairs["published"] + pairs["away"])
    shown = shown.rename(columns={"kind": NOT_COUNTED})
    names = ["source", "dataset", "method", "published", "measured", NOT_COUNTED]
    return shown[names].sort_values("source", kind="stable", ignore_index=True)


def shown_methods(rows: pd.DataFrame) -> list[str]:
    """What readers see of the methods of rows with columns study and method."""
    names = {study.name: study.function(study.names) for study in registry() if study.names}
    return [
        names[study](method) if study in names else method for study, method in rows[["study", "method"]].to_numpy()
    ]


def published_figure(frame: pd.DataFrame) -> Figure:
    """Left: measured against published accuracy, a mark for each published number, the diagonal and one point to either
    side. Right: measured minus published, a row for each table.

    Filled marks are counted; colours and marks of the tables are those of the rows.
    """
    sources = list(dict.fromkeys(frame["source"]))
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, 3.5), layout="constrained")
        both, away = figure.subplots(1, 2)
        low = min(frame["published"].min(), frame["measured"].min()) - 2.0
        both.fill_between([low, 101], [low - NEAR, 101 - NEAR], [low + NEAR, 101 + NEAR], color=BAND, linewidth=0)
        both.plot([low, 101], [low, 101], color=INK, linewidth=0.8)
        away.axvspan(-NEAR, NEAR, color=BAND, linewidth=0)
        away.axvline(0, color=INK, linewidth=0.8)
        for place, source in enumerate(sources):
            rows = frame[frame["source"] == source]
            _draw_pairs(both, rows["published"], rows["measured"], rows[NOT_COUNTED] == "", place)
            _draw_pairs(
                away, rows["measured"] - rows["published"], _side_by_side(rows, place), rows[NOT_COUNTED] == "", place
            )
        both.set(xlim=(low, 101), ylim=(low, 101), xlabel="published accuracy (%)", ylabel="measured accuracy (%)")
        both.set_aspect("equal")
        away.set_yticks(range(len(sources)), sources)
        away.set_ylim(len(sources) - 0.5, -0.5)
        away.grid(visible=False, axis="y")
        away.tick_params(axis="y", length=0)
        away.set_xlabel("measured minus published (points)")
    return figure


def published_alt(frame: pd.DataFrame) -> str:
    """What `published_figure` shows."""
    away = frame["measured"] - frame["published"]
    farthest = away.abs().argmax()
    far = frame.iloc[farthest]
    return (
        f"{len(frame)} marks along the diagonal, from {frame['published'].min():.1f} % to "
        f"{frame['published'].max():.1f} % published. Of the filled ones, {_n_near(frame)} lie within {NEAR:g} point "
        f"of it. The farthest of all is {signed(away.iloc[farthest])} points away: {far['method']} on {far['dataset']} "
        f"({far['source']})."
    )


def published_caption(frame: pd.DataFrame) -> str:
    """What follows from `published_figure`."""
    return (
        f"{_n_near(frame)} published accuracies are met within {NEAR:g} point. Hollow marks are not counted: inferred "
        f"columns, no peak measured, {CEILING:g} % or more published."
    )


PUBLISHED = Finding("Published and measured accuracies", published_figure, published_caption, published_alt)


def _n_near(frame: pd.DataFrame) -> str:
    counted = frame[frame[NOT_COUNTED] == ""]
    return f"{int(((counted['measured'] - counted['published']).abs() <= NEAR).sum())} of {len(counted)}"


def _draw_pairs(axes: Axes, x: pd.Series, y: pd.Series, counted: pd.Series, place: int) -> None:
    color = TABLE_COLORS[place % len(TABLE_COLORS)]
    marker = TABLE_MARKERS[place % len(TABLE_MARKERS)]
    for inside, shown in ((color, counted), ("none", ~counted)):
        axes.scatter(
            x[shown], y[shown], s=16, marker=marker, facecolors=inside, edgecolors=color, linewidths=0.8, zorder=3
        )


def _side_by_side(rows: pd.DataFrame, place: int) -> pd.Series:
    """Heights around a row, so that equal marks do not hide each other."""
    return pd.Series(place + 0.32 * (np.arange(len(rows)) * 0.618034 % 1 * 2 - 1), rows.index)


WAYS = {
    "verdict_papers_test": "papers' tests",
    "verdict": "sequence-level test",
    "verdict_larger": "larger sample",
}
"""Columns of the ledger and the names of their rows."""

LOOKS = {
    "replicated": ("#0072B2", "#ffffff"),
    "partly": ("#56B4E9", "#101010"),
    "not_replicated": ("#D55E00", "#ffffff"),
    "undecided": ("none", INK),
    "checked": ("#009E73", "#ffffff"),
    "no_verdict": ("none", INK),
    "not_run": ("none", INK),
}
"""Of verdicts: what fills a square, and the sign in it. Those that say nothing of a claim are not filled."""

MOST_COLUMNS = 24
GROUP_GAP = 1.5
"""Squares that a line has at most, and between two groups of a line."""

SQUARE = 0.225
"""Inches."""


def strip_frame(claims: pd.DataFrame) -> pd.DataFrame:
    """The verdicts of all claims, a row for each claim and way to judge.

    Parameters
    ----------
    claims : DataFrame
        From `treecrf_studies.report.ledger.verdicts` or `read_ledger`.

    Returns
    -------
    DataFrame
        id; group, such as "Dissertation, chapter 3: P3"; number, the claim's in its group; way, one of `WAYS`; verdict.
        Without the pairs of claim and way that have no verdict.
    """
    papers = claims["id"].map(paper_of)
    named = claims.assign(
        group=[f"{paper.name}: {paper.start}" for paper in papers],
        number=claims["id"].str.extract(r"(\d+)$", expand=False).astype(int),
    )
    rows = named.melt(["id", "group", "number"], list(WAYS), "way", "found", ignore_index=False)
    rows = rows.rename(columns={"found": "verdict"})
    return rows[rows["verdict"] != ""].sort_index(kind="stable").reset_index(drop=True)


def strip_figure(frame: pd.DataFrame) -> Figure:
    """A square for each claim and way to judge, with colour and sign of its verdict, that is a link to the claim's page
    in a site; groups side by side, as many as a line holds.
    """
    lines = list(_lines(frame))
    height_of_line = len(WAYS) + 2.4
    width = max(place + group["number"].nunique() for line in lines for place, group in line)
    height = height_of_line * len(lines) + 1.2
    left = 6.2
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(SQUARE * (width + left), SQUARE * height))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(-left, width), ylim=(height, 0))
        axes.axis("off")
        for index, line in enumerate(lines):
            _draw_line(axes, line, index * height_of_line)
        _draw_legend(axes, frame, height - 0.9, -left + 0.1)
    return figure


def strip_alt(frame: pd.DataFrame) -> str:
    """What `strip_figure` shows."""
    claims = _by_claim(frame)
    return f"A square for each of {len(claims)} claims in up to three rows. {' '.join(three_counts(claims))}".strip()


def strip_caption(frame: pd.DataFrame) -> str:
    """What follows from `strip_figure`."""
    claims = _by_claim(frame)
    return (
        f"{(claims['verdict'] == REPLICATED).sum()} of {len(claims)} claims hold by the sequence-level test, "
        f"{(claims['verdict_papers_test'] == REPLICATED).sum()} by the papers' own; "
        f"{(claims['verdict'] == UNDECIDED).sum()} stay undecided. Squares link to claims; blank: not applicable."
    )


STRIP = Finding("Verdicts on the claims", strip_figure, strip_caption, strip_alt)


def _by_claim(frame: pd.DataFrame) -> pd.DataFrame:
    """The verdicts of a claim in columns."""
    verdicts = frame.pivot_table(index="id", columns="way", values="verdict", aggfunc="first")
    return verdicts.reindex(columns=list(WAYS), fill_value="").fillna("")


def _lines(frame: pd.DataFrame) -> Iterator[list[tuple[float, pd.DataFrame]]]:
    """Groups with the place of their first square, line by line."""
    line: list[tuple[float, pd.DataFrame]] = []
    place = 0.0
    for _, group in frame.groupby("group", sort=False):
        n = group["number"].nunique()
        if line and place + n > MOST_COLUMNS:
            yield line
            line, place = [], 0.0
        line.append((place, group))
        place += max(n, 2.6) + GROUP_GAP  # room for its name
    yield line


def _draw_line(axes: Axes, line: list[tuple[float, pd.DataFrame]], top: float) -> None:
    for row, name in enumerate(WAYS.values()):
        axes.text(-0.3, top + 1.6 + row, name, ha="right", va="center", fontsize=SMALL)
    for place, group in line:
        title = group["group"].iloc[0].partition(":")[0]
        axes.text(place, top + 0.6, title, va="center", fontsize=SMALL, weight="bold")
        for column, (number, of_claim) in enumerate(group.groupby("number", sort=False)):
            axes.text(place + column + 0.5, top + 1.5 + len(WAYS), str(number), ha="center", va="center", fontsize=6.5)
            url = str(PurePosixPath(claim_path(of_claim["id"].iloc[0])).with_suffix(".html"))
            for way, verdict in of_claim[["way", "verdict"]].to_numpy():
                _draw_square(axes, place + column, top + 1.1 + list(WAYS).index(way), verdict, url)


def _draw_square(axes: Axes, x: float, y: float, verdict: str, url: str | None = None) -> None:
    fill, sign = LOOKS[verdict]
    edge, is_run = INK if fill == "none" else fill, verdict != "not_run"
    square = Rectangle((x + 0.06, y + 0.06), 0.88, 0.88, facecolor=fill, edgecolor=edge, linewidth=0.6, url=url)
    square.set_linestyle("-" if is_run else ":")
    axes.add_patch(square)
    text = SIGNS[verdict] if is_run else ""
    axes.text(x + 0.5, y + 0.52, text, ha="center", va="center", fontsize=SMALL, color=sign)


def _draw_legend(axes: Axes, frame: pd.DataFrame, y: float, x: float) -> None:
    """The verdicts that one of the squares has."""
    for verdict in (name for name in LOOKS if (frame["verdict"] == name).any()):
        _draw_square(axes, x, y - 0.5, verdict)
        text = verdict_text(verdict)
        axes.text(x + 1.25, y, text, va="center", fontsize=SMALL)
        x += 1.8 + 0.265 * len(text)
