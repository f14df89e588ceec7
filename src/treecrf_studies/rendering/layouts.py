"""Layouts (frames of texts and cells) as HTML, Markdown and LaTeX tables and as CSV."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from treecrf.io.files import read_json, write_frame, write_json, write_text
from treecrf_studies.rendering.cells import DASH, Cell, Link
from treecrf_studies.rendering.templates import render, render_page

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
    "compared with",
    "values",
    "term",
    "G0",
    "rule",
    "comparison",
    "paper",
)
"""Headings of leading columns that say what a row is of; renderers leave out what repeats the row above."""

TEXT_HEADINGS = {
    *WORD_HEADINGS,
    *(
        "all claims",
        "by held-out sequences",
        "by test sequences",
        "by the paper's test",
        "cells are missing",
        "choice of",
        "claims, runs",
        "chosen",
        "claims that change",
        "chosen by held-out sequences",
        "class maps chosen",
        "clusters are",
        "column",
        "commit",
        "converged",
        "data sets",
        "dataset",
        "decision",
        "decoder",
        "ensemble",
        "expert",
        "file",
        "form",
        "frame",
        "id",
        "is a",
        "jobs of each study",
        "key number",
        "label of x2",
        "learner",
        "machine",
        "meant for",
        "over",
        "package",
        "part",
        "preferred",
        "processor",
        "protocol",
        "row",
        "set",
        "setting",
        "solver",
        "source",
        "statement",
        "system",
        "the paper's words",
        "this run",
        "trees",
        "unit of the test",
        "value",
        "verdict",
        "version",
        "why",
        "with",
        "without",
    ),
} - {"missing rate"}
"""Headings of columns of words, which stand at the left; all other columns hold numbers, unless a cell says that it is
words.
"""

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


Address = Callable[[str], str]
"""The way from a page to another one of the site, whose file (with an anchor) is given."""


class Heading(NamedTuple):
    """A cell of the head: of the column at `place`, or of a group of `n_columns`."""

    text: str
    place: int
    n_columns: int = 0
    is_tall: bool = False
    is_text: bool = False


def to_fragment(frame: pd.DataFrame, caption: str = "", address: Address = str, is_list: bool = False) -> Markup:
    """A layout as an HTML table that screen readers can read and ``page.js`` can sort.

    What repeats the row above is there for sorting, but not seen; the best are bold. A column with two levels of
    headings, (group, name), but without a group takes both lines of the head. The cells of a list carry the names of
    their columns, which narrow screens show.
    """
    labels = _headings(frame) if is_list else []
    cells, hidden = frame.to_numpy(dtype=object), _repeats(frame).tolist()
    n_words = _n_word_columns(frame)
    is_text = [place < n_words or _holds_text(head, cells[:, place]) for place, head in enumerate(frame.columns)]
    rows = [
        list(zip(map(_cell, row), repeats, is_text, strict=True)) for row, repeats in zip(cells, hidden, strict=True)
    ]
    head = _head(list(frame.columns), is_text)
    return render("table.html", head=head, rows=rows, n_words=n_words, caption=caption, address=address, labels=labels)


def to_html(frame: pd.DataFrame, caption: str = "") -> str:
    """A layout as an HTML page that stands by itself."""
    return render_page("table_page.html", title="treecrf: a table", table=to_fragment(frame, caption))


def to_markdown(frame: pd.DataFrame, address: Address = str) -> str:
    """A layout as a Markdown table: what repeats the row above is left out, the best are bold."""
    n_words = _n_word_columns(frame)
    head = [_escaped(text) for text in _headings(frame)]
    rules = [":--" if place < n_words else "--:" for place in range(frame.shape[1])]
    rows = [[_markdown_cell(cell, address) for cell in row] for row in _without_repeats(frame)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rules, *rows))


def write_layout(frame: pd.DataFrame, path: str) -> None:
    """Write a layout as HTML, CSV and LaTeX, and as JSON for `read_layout`; `path` has no suffix."""
    write_frame(flattened(frame), f"{path}.csv")
    write_text(to_html(frame), f"{path}.html")
    write_text(to_latex(frame), f"{path}.tex")
    write_json(layout_to_json(frame), f"{path}.json")


def read_layout(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The layout that `write_layout` wrote to a JSON file."""
    return layout_from_json(read_json(path))


def layout_to_json(frame: pd.DataFrame) -> dict[str, Any]:
    """A layout as JSON can hold it: a text, or what differs from a plain cell."""
    cells = [[_cell_to_json(cell) for cell in row] for row in frame.to_numpy(dtype=object)]
    return {"columns": list(frame.columns), "cells": cells}


def layout_from_json(written: dict[str, Any]) -> pd.DataFrame:
    """The layout that `layout_to_json` gave."""
    cells = [[_cell_from_json(cell) for cell in row] for row in written["cells"]]
    frame = pd.DataFrame(cells, columns=range(len(written["columns"])), dtype=object)
    heads = [tuple(head) if isinstance(head, list) else head for head in written["columns"]]
    frame.columns = pd.MultiIndex.from_tuples(heads) if any(isinstance(h, tuple) for h in heads) else pd.Index(heads)
    return frame


def flattened(frame: pd.DataFrame) -> pd.DataFrame:
    """A layout with one line of headings and texts only, as in a CSV file."""
    return frame.set_axis(_headings(frame), axis=1).map(str)


def to_latex(frame: pd.DataFrame) -> str:
    """A layout as a LaTeX table (package booktabs): what repeats the row above is left out, the best are bold."""
    cells = [[_latex_cell(cell) for cell in row] for row in _without_repeats(frame)]
    table = pd.DataFrame(cells, columns=range(frame.shape[1]))
    if isinstance(frame.columns, pd.MultiIndex):
        table.columns = pd.MultiIndex.from_tuples([tuple(map(_latex, heads)) for heads in frame.columns])
    else:
        table.columns = pd.Index([_latex(head) for head in frame.columns])
    n_left = _n_word_columns(frame)
    alignment = "l" * n_left + "r" * (frame.shape[1] - n_left)
    return table.to_latex(index=False, escape=False, column_format=alignment, multicolumn_format="c")


# --- cells ------------------------------------------------------------------------------------------


def _holds_text(heading: str | tuple[str, str], column: Iterable[Any]) -> bool:
    """Whether a column holds words, by its heading (of two lines, the lower one) or its cells."""
    name = heading[-1] if isinstance(heading, tuple) else heading
    return name in TEXT_HEADINGS or any(isinstance(cell, Cell) and cell.is_text for cell in column)


def _cell(value: Any) -> Cell:
    return value if isinstance(value, Cell) else Cell(str(value))


def _cell_to_json(value: Any) -> Any:
    if not isinstance(value, Cell):
        return value
    plain = {field.name: field.default for field in fields(Cell)}
    return {name: each for name, each in asdict(value).items() if name == "text" or each != plain[name]}


def _cell_from_json(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return Cell(**{**value, "links": tuple(Link(*link) for link in value.get("links", ()))})


def _latex(text: str) -> str:
    return "".join(LATEX_SIGNS.get(character, character) for character in text)


def _latex_cell(value: Any) -> str:
    cell = _cell(value)
    return rf"\textbf{{{_latex(str(cell))}}}" if cell.is_best else _latex(str(cell))


def _escaped(text: str) -> str:
    """The text in one line, with what Markdown reads differently escaped: code, links, entities among it."""
    one_line = re.sub(r"[\n\r\v\f\x85\u2028\u2029]+", " ", text)
    return re.sub(r"([\\|*_<`]|\](?=\()|&(?=#?\w+;))", r"\\\1", one_line)


def _markdown_cell(value: Any, address: Address) -> str:
    cell = _cell(value)
    if cell.links:
        return ", ".join(f"[{_escaped(link.text)}]({address(link.target)})" for link in cell.links)
    return f"**{_escaped(str(cell))}**" if cell.is_best else _escaped(str(cell))


# --- headings ---------------------------------------------------------------------------------------


def _head(columns: Sequence[str | tuple[str, str]], is_text: Sequence[bool]) -> list[list[Heading]]:
    """One line of headings, or two where columns have groups."""
    pairs = [column if isinstance(column, tuple) else ("", str(column)) for column in columns]
    two_lines = any(group for group, _ in pairs)
    upper: list[Heading] = []
    lower: list[Heading] = []
    for group, places in groupby(range(len(pairs)), key=lambda place: pairs[place][0]):
        members = list(places)
        if group:
            upper.append(Heading(group, members[0], len(members)))
        headings = [
            Heading(pairs[place][1], place, is_tall=two_lines and not group, is_text=is_text[place])
            for place in members
        ]
        (lower if group else upper).extend(headings)
    return [line for line in (upper, lower) if line]


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


def _without_repeats(frame: pd.DataFrame) -> list[list[Any]]:
    """The cells, empty where they repeat the row above."""
    return [
        ["" if is_repeat else cell for cell, is_repeat in zip(row, repeats, strict=True)]
        for row, repeats in zip(frame.to_numpy(dtype=object), _repeats(frame).tolist(), strict=True)
    ]


def _repeats(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Leading cells that, with all to their left, equal the row above."""
    n_leading = len(_leading_headings(frame))
    leading = frame.iloc[:, :n_leading].to_numpy(dtype=object)
    repeats = np.zeros(frame.shape, dtype=bool)
    if len(frame):
        repeats[1:, :n_leading] = np.logical_and.accumulate(leading[1:] == leading[:-1], axis=1)
    return repeats
