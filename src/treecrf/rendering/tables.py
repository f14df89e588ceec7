"""A frame of texts as an HTML table that screen readers can read and ``page.js`` can sort."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from treecrf.rendering.cells import BEST
from treecrf.rendering.templates import render


class Heading(NamedTuple):
    """A cell of the head: of the column at `place`, or of a group of `n_columns`."""

    text: str
    place: int
    n_columns: int = 0
    is_tall: bool = False


def frame_to_fragment(
    frame: pd.DataFrame, n_text_columns: int = 1, *, caption: str = "", repeats: NDArray[np.bool_] | None = None
) -> Markup:
    """Any frame of texts as an HTML table; the first columns hold words and say what a row is of, the others numbers.

    A column with two levels of headings, (group, name), but without a group takes both lines of the head. Cells in
    `repeats` repeat the row above: they are there for sorting and for screen readers, but not seen. A cell that ends in
    `BEST` is bold.
    """
    hidden = np.zeros(frame.shape, dtype=bool) if repeats is None else repeats
    texts = frame.astype(str).to_numpy(dtype=object)
    rows = [list(zip(*row, strict=True)) for row in zip(texts.tolist(), hidden.tolist(), strict=True)]
    head = _head(list(frame.columns))
    return render("table.html", head=head, rows=rows, n_words=n_text_columns, caption=caption, best=f" {BEST}")


def _head(columns: Sequence[str | tuple[str, str]]) -> list[list[Heading]]:
    """One line of headings, or two where columns have groups."""
    pairs = [column if isinstance(column, tuple) else ("", str(column)) for column in columns]
    two_lines = any(group for group, _ in pairs)
    upper: list[Heading] = []
    lower: list[Heading] = []
    for group, places in groupby(range(len(pairs)), key=lambda place: pairs[place][0]):
        members = list(places)
        if group:
            upper.append(Heading(group, members[0], len(members)))
        headings = [Heading(pairs[place][1], place, is_tall=two_lines and not group) for place in members]
        (lower if group else upper).extend(headings)
    return [line for line in (upper, lower) if line]
