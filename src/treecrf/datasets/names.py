"""What the columns of a table may be called."""

from __future__ import annotations

from collections.abc import Sequence

from treecrf.io.messages import quoted, repeated

MOST_COLUMNS = 1000
"""Of a table of any format: more are a file without line ends, or a table that stands on its side."""


def check_names(name: str, columns: Sequence[str]) -> None:
    """Raise where a table, called `name` in the error, has too many columns or two of one name."""
    if len(columns) > MOST_COLUMNS:
        raise ValueError(
            f"{name} has {len(columns):,} columns, and {MOST_COLUMNS:,} are the most; leave out those that are no input."
        )
    twice = repeated(columns)
    if twice is not None:
        raise ValueError(f"{name}: column {quoted(twice)} appears twice; rename one.")
