"""The claims of all papers as squares: a row for each way to judge, a column for each claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from treecrf_studies.framework.claims.judge import REPLICATED, UNDECIDED
from treecrf_studies.rendering.panels import sentence_figure
from treecrf_studies.rendering.style import INK, SETTINGS, SMALL
from treecrf_studies.report.papers import paper_of, three_counts
from treecrf_studies.report.rules import SIGNS, verdict_text

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
GAP = 1.5
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
    rows = [
        {"id": claim, "group": _group(claim), "number": _number(claim), "way": way, "verdict": row[way]}
        for claim, row in zip(claims["id"], claims.to_dict("records"), strict=True)
        for way in WAYS
        if row[way]
    ]
    return pd.DataFrame(rows, columns=["id", "group", "number", "way", "verdict"])


def strip_figure(frame: pd.DataFrame, address: Callable[[str], str] | None = None) -> Figure:
    """A square for each claim and way to judge, with colour and sign of its verdict; groups side by side, as many as a line
    holds. `address` gives a claim's page, to which its squares of an SVG link.
    """
    if frame.empty:
        return sentence_figure("No claim was judged.")
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
            _draw_line(axes, line, index * height_of_line, address)
        _draw_legend(axes, frame, height - 0.9, -left + 0.1)
    return figure


def strip_alt(claims: pd.DataFrame) -> str:
    """What `strip_figure` shows."""
    return f"A square for each of {len(claims)} claims in up to three rows. {' '.join(three_counts(claims))}".strip()


def strip_caption(claims: pd.DataFrame) -> str:
    """What follows from `strip_figure`."""
    n, papers = len(claims), claims["verdict_papers_test"]
    return (
        f"{(claims['verdict'] == REPLICATED).sum()} of {n} claims hold by the sequence-level test and "
        f"{(papers == REPLICATED).sum()} by the papers' own tests; {(claims['verdict'] == UNDECIDED).sum()} stay undecided."
    )


def _group(claim: str) -> str:
    """The paper, or the chapter of the dissertation, and how ids of its claims begin."""
    paper = paper_of(claim)
    return f"{paper.name}: {paper.start}"


def _number(claim: str) -> int:
    return int(claim[1:].rpartition(".")[2])


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
        place += max(n, 2.6) + GAP  # room for its name
    yield line


def _draw_line(
    axes: Axes, line: list[tuple[float, pd.DataFrame]], top: float, address: Callable[[str], str] | None
) -> None:
    for row, name in enumerate(WAYS.values()):
        axes.text(-0.3, top + 1.6 + row, name, ha="right", va="center", fontsize=SMALL)
    for place, group in line:
        axes.text(
            place, top + 0.6, str(group["group"].iloc[0]).partition(":")[0], va="center", fontsize=SMALL, weight="bold"
        )
        columns = {number: place + column for column, number in enumerate(group["number"].unique())}
        for number, column in columns.items():
            axes.text(column + 0.5, top + 1.5 + len(WAYS), str(number), ha="center", va="center", fontsize=6.5)
        for square in group.to_dict("records"):
            row = list(WAYS).index(square["way"])
            url = address(square["id"]) if address else None
            _draw_square(axes, columns[square["number"]], top + 1.1 + row, square["verdict"], url)


def _draw_square(axes: Axes, x: float, y: float, verdict: str, url: str | None = None) -> None:
    fill, sign = LOOKS[verdict]
    edge = INK if fill == "none" else fill
    style = ":" if verdict == "not_run" else "-"
    axes.add_patch(
        Rectangle(
            (x + 0.06, y + 0.06), 0.88, 0.88, facecolor=fill, edgecolor=edge, linewidth=0.6, linestyle=style, url=url
        )
    )
    axes.text(x + 0.5, y + 0.52, SIGNS[verdict], ha="center", va="center", fontsize=SMALL, color=sign)


def _draw_legend(axes: Axes, frame: pd.DataFrame, y: float, x: float) -> None:
    """The verdicts that one of the squares has."""
    for verdict in (name for name in LOOKS if (frame["verdict"] == name).any()):
        _draw_square(axes, x, y - 0.5, verdict)
        text = verdict_text(verdict)
        axes.text(x + 1.25, y, text, va="center", fontsize=SMALL)
        x += 1.8 + 0.265 * len(text)
