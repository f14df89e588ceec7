"""Layouts (frames of text) as HTML and LaTeX tables and as CSV."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from treecrf.reporting.cells import DASH
from treecrf.reporting.files import write_frame, write_text
from treecrf.reporting.tables import STYLE, frame_to_fragment

BEST = "▲"
"""After the best mean of a row; bold in HTML and LaTeX."""

WORD_HEADINGS = ("data set", "published for", "missing rate", "method", "against", "values", "term")
"""Headings of leading columns that say what a row is of; renderers leave out what repeats the row above."""

LATEX_SIGNS = {
    **{sign: rf"\{sign}" for sign in "_%&#${}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    DASH: "--",
    "−": "$-$",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "†": r"$^{\dagger}$",
}
"""What LaTeX reads for each character that it needs written differently."""


def to_fragment(frame: pd.DataFrame) -> str:
    """A layout as an HTML table: what repeats the row above is left out, the best mean is bold."""
    table = frame_to_fragment(_without_repeats(frame), n_text_columns=_n_word_columns(frame))
    return re.sub(rf"<td>([^<]*) {BEST}</td>", r"<td><b>\1</b></td>", table)


def to_html(frame: pd.DataFrame) -> str:
    """A layout as an HTML page that stands by itself."""
    left = (
        f"th:nth-child(-n+{_n_word_columns(frame)}), td:nth-child(-n+{_n_word_columns(frame)}) {{ text-align: left }}"
    )
    style = f"{STYLE}\n{left}\ntd {{ white-space: nowrap }}\nthead th[colspan] {{ text-align: center }}"
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style>{to_fragment(frame)}</html>\n'


def write_layout(frame: pd.DataFrame, path: str) -> None:
    """Write a layout as HTML, CSV and LaTeX.

    Parameters
    ----------
    frame : DataFrame
    path : str
        Without the suffix.
    """
    flat = (
        frame.set_axis([" ".join(filter(None, heads)) for heads in frame.columns], axis=1)
        if frame.columns.nlevels > 1
        else frame
    )
    write_frame(flat.replace(f" {BEST}", "", regex=True), f"{path}.csv")
    write_text(to_html(frame), f"{path}.html")
    write_text(to_latex(frame), f"{path}.tex")


def to_latex(frame: pd.DataFrame) -> str:
    """A layout as a LaTeX table (package booktabs): what repeats the row above is left out, the best mean is bold."""
    table = _without_repeats(frame).map(_latex_cell)
    if isinstance(frame.columns, pd.MultiIndex):
        table.columns = pd.MultiIndex.from_tuples([tuple(map(_latex, heads)) for heads in frame.columns])
    else:
        table.columns = pd.Index([_latex(head) for head in frame.columns])
    n_left = _n_word_columns(frame)
    alignment = "l" * n_left + "r" * (frame.shape[1] - n_left)
    return table.to_latex(index=False, escape=False, column_format=alignment, multicolumn_format="c")


def _latex(text: str) -> str:
    return "".join(LATEX_SIGNS.get(character, character) for character in text)


def _latex_cell(text: str) -> str:
    return rf"\textbf{{{_latex(text.removesuffix(f' {BEST}'))}}}" if text.endswith(BEST) else _latex(text)


def _leading_headings(frame: pd.DataFrame) -> list[str]:
    """Headings of the columns before the first one with numbers; of two lines, the lower one."""
    headings = [column[-1] if isinstance(column, tuple) else column for column in frame.columns]
    n_leading = next((place for place, heading in enumerate(headings) if heading not in WORD_HEADINGS), len(headings))
    return headings[:n_leading]


def _n_word_columns(frame: pd.DataFrame) -> int:
    """Leading columns to the last one that holds words; a missing rate after it is a number."""
    return max((place + 1 for place, head in enumerate(_leading_headings(frame)) if head != "missing rate"), default=0)


def _without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with empty leading cells where they, and all to their left, equal the row above."""
    n_leading = len(_leading_headings(frame))
    leading = frame.iloc[:, :n_leading].to_numpy(dtype=object)
    repeats = np.zeros(frame.shape, dtype=bool)
    if len(frame):
        repeats[1:, :n_leading] = np.logical_and.accumulate(leading[1:] == leading[:-1], axis=1)
    return frame.mask(repeats, "")
