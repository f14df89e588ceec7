"""Tables as the papers print them: the measured values under the published one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from treecrf.rendering.cells import DASH, Cell

PUBLISHED, MEASURED = "published", "measured"
PEAK, END = "peak of the test curve", "at convergence"
CHOICE, SPREAD = "cross-validated choice", "cross-validated choice, mean ± sd"
LINES = (PUBLISHED, MEASURED, PEAK, END, CHOICE, SPREAD)
"""Lines of a block in their order. Published accuracies are peaks; those of methods without one are at convergence."""

Column = str | tuple[str, str]

Block = tuple[tuple[str | Cell, ...], Mapping[Column, Mapping[str, str | Cell]]]
"""What the lines of a block are of, and its texts by column and line."""


def printed_layout(
    headings: Sequence[str], columns: Sequence[Column], blocks: Sequence[Block], lines: Sequence[str] = LINES
) -> pd.DataFrame:
    """Blocks, one under another, with the lines that have a text in any column.

    Parameters
    ----------
    headings : sequence of str
        Of the columns that say what a block is of.
    columns : sequence of str or (group, str)
        Of the values, in their order.
    blocks : sequence of Block
        The names are as many as `headings`; lines are some of `lines`.
    lines : sequence of str
        In their order.

    Returns
    -------
    DataFrame
        Of texts: `headings`, "values" (the line), `columns`; two lines of headings where columns have groups. A `DASH`
        where a line has no text.
    """
    rows = [
        (*names, line, *(texts.get(column, {}).get(line, DASH) for column in columns))
        for names, texts in blocks
        for line in lines
    ]
    n_words = len(headings) + 1
    filled = [row for row in rows if set(row[n_words:]) - {DASH}]
    frame = pd.DataFrame(filled, columns=range(n_words + len(columns)), dtype=object)
    heads = [*headings, "values", *columns]
    if any(isinstance(head, tuple) for head in heads):
        pairs = [head if isinstance(head, tuple) else ("", head) for head in heads]
        return frame.set_axis(pd.MultiIndex.from_tuples(pairs), axis=1)
    return frame.set_axis(heads, axis=1)
