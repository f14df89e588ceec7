"""Layouts (frames of text) as HTML, Markdown and LaTeX tables and as CSV."""

from __future__ import annotations

import os
import re

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from treecrf.io.files import read_json, write_frame, write_json, write_text
from treecrf.rendering.cells import BEST, DASH
from treecrf.rendering.tables import frame_to_fragment
from treecrf.rendering.templates import render_page

WORD_HEADINGS = (
    "run",
    "study",
    "kind",
    "name",
    "claim",
    "data set",
    "quantity",
    "standing",
    "missing rate",
    "method",
    "against",
    "values",
    "term",
    "G0",
    "rule",
    "claims that change",
)
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


def to_fragment(frame: pd.DataFrame, caption: str = "") -> Markup:
    """A layout as an HTML table: what repeats the row above is not seen, the best mean is bold."""
    return frame_to_fragment(frame, _n_word_columns(frame), caption=caption, repeats=_repeats(frame))


def to_html(frame: pd.DataFrame, caption: str = "") -> str:
    """A layout as an HTML page that stands by itself."""
    return render_page("table_page.html", title="treecrf: a table", table=to_fragment(frame, caption))


def to_markdown(frame: pd.DataFrame) -> str:
    """A layout as a Markdown table: what repeats the row above is left out, the best mean is bold."""
    n_words = _n_word_columns(frame)
    head = [_markdown_cell(text) for text in _headings(frame)]
    rules = [":--" if place < n_words else "--:" for place in range(frame.shape[1])]
    rows = _without_repeats(frame).map(_markdown_cell).to_numpy(dtype=object)
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rules, *rows))


def write_layout(frame: pd.DataFrame, path: str) -> None:
    """Write a layout as HTML, CSV and LaTeX, and as JSON for `read_layout`; `path` has no suffix."""
    write_frame(flattened(frame), f"{path}.csv")
    write_text(to_html(frame), f"{path}.html")
    write_text(to_latex(frame), f"{path}.tex")
    write_json({"columns": list(frame.columns), "cells": frame.to_numpy(dtype=object).tolist()}, f"{path}.json")


def read_layout(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The layout that `write_layout` wrote to a JSON file."""
    written = read_json(path)
    frame = pd.DataFrame(written["cells"], columns=range(len(written["columns"])), dtype=object)
    heads = [tuple(head) if isinstance(head, list) else head for head in written["columns"]]
    frame.columns = pd.MultiIndex.from_tuples(heads) if any(isinstance(h, tuple) for h in heads) else pd.Index(heads)
    return frame


def flattened(frame: pd.DataFrame) -> pd.DataFrame:
    """A layout with one line of headings and without marks of the best, as in a CSV file."""
    return frame.set_axis(_headings(frame), axis=1).replace(f" {BEST}", "", regex=True)


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


def _markdown_cell(text: str) -> str:
    """The text with what Markdown reads differently escaped."""
    shown = re.sub(r"([\\|*_<])", r"\\\1", text.removesuffix(f" {BEST}"))
    return f"**{shown}**" if text.endswith(BEST) else shown


def _headings(frame: pd.DataFrame) -> list[str]:
    """Headings in one line."""
    return [" ".join(filter(None, heads)) if isinstance(heads, tuple) else heads for heads in frame.columns]


def _leading_headings(frame: pd.DataFrame) -> list[str]:
    """Headings of the columns before the first one with numbers; of two lines, the lower one."""
    headings = [column[-1] if isinstance(column, tuple) else column for column in frame.columns]
    n_leading = next((place for place, heading in enumerate(headings) if heading not in WORD_HEADINGS), len(headings))
    return headings[:n_leading]


def _n_word_columns(frame: pd.DataFrame) -> int:
    """Leading columns to the last one that holds words; a missing rate after it is a number."""
    return max((place + 1 for place, head in enumerate(_leading_headings(frame)) if head != "missing rate"), default=0)


def _without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with empty leading cells where they repeat the row above."""
    return frame.mask(_repeats(frame), "")


def _repeats(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Leading cells that, with all to their left, equal the row above."""
    n_leading = len(_leading_headings(frame))
    leading = frame.iloc[:, :n_leading].to_numpy(dtype=object)
    repeats = np.zeros(frame.shape, dtype=bool)
    if len(frame):
        repeats[1:, :n_leading] = np.logical_and.accumulate(leading[1:] == leading[:-1], axis=1)
    return repeats
