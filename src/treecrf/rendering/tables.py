"""A frame of texts as an HTML table that screen readers can read and ``page.js`` can sort."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.rendering.cells import BEST


def frame_to_fragment(
    frame: pd.DataFrame, n_text_columns: int = 1, *, caption: str = "", repeats: NDArray[np.bool_] | None = None
) -> str:
    """Any frame of texts as an HTML table; the first columns hold words and say what a row is of, the others numbers.

    Parameters
    ----------
    frame : DataFrame of str
        Columns may have two levels: (group, name); a column without a group takes both lines of the head.
    n_text_columns : int
    caption : str
    repeats : ndarray of bool, shape of the frame, optional
        Cells that repeat the row above: they are there for sorting and for screen readers, but not seen.

    Returns
    -------
    str
        A cell that ends in `BEST` is bold.
    """
    hidden = np.zeros(frame.shape, dtype=bool) if repeats is None else repeats
    body = "".join(
        f"<tr>{''.join(_cells(row, n_text_columns, of_row))}</tr>\n"
        for row, of_row in zip(frame.astype(str).to_numpy(dtype=object).tolist(), hidden, strict=True)
    )
    title = f"<caption><span>{escape(caption)}</span></caption>" if caption else ""
    head = _head(list(frame.columns), n_text_columns)
    return f'<table class="words-{n_text_columns}">{title}\n<thead>{head}</thead>\n<tbody>\n{body}</tbody></table>'


def _head(columns: Sequence[str | tuple[str, str]], n_text_columns: int) -> str:
    """One line of headings, or two where columns have groups."""
    pairs = [column if isinstance(column, tuple) else ("", str(column)) for column in columns]
    two_lines = any(group for group, _ in pairs)
    upper: list[str] = []
    lower: list[str] = []
    for group, places in groupby(range(len(pairs)), key=lambda place: pairs[place][0]):
        members = list(places)
        if group:
            upper.append(f'<th scope="colgroup" colspan="{len(members)}">{escape(group)}</th>')
        for place in members:
            span = ' rowspan="2"' if two_lines and not group else ""
            word = ' class="word"' if place < n_text_columns else ""
            cell = f'<th scope="col" data-column="{place}"{span}{word}>{escape(pairs[place][1])}</th>'
            (lower if group else upper).append(cell)
    return "".join(f"<tr>{''.join(line)}</tr>" for line in (upper, lower) if line)


def _cells(row: Sequence[str], n_text_columns: int, hidden: NDArray[np.bool_]) -> Iterator[str]:
    for place, (text, is_hidden) in enumerate(zip(row, hidden, strict=True)):
        shown = escape(text.removesuffix(f" {BEST}"), quote=False)
        if is_hidden:
            shown = f'<span class="repeat">{shown}</span>'
        elif text.endswith(f" {BEST}"):
            shown = f"<b>{shown}</b>"
        yield f'<th scope="row">{shown}</th>' if place < n_text_columns else f"<td>{shown}</td>"
