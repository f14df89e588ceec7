"""How a table differs from the one that a model was trained with: new values, and numbers that are elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.columns import Column, Vocabulary
from treecrf.io.messages import listed, quoted
from treecrf.sequences import MISSING

QUANTILES = (0.0, 0.05, 0.5, 0.95, 1.0)
"""Of the numbers of the training table that a model keeps."""

BEYOND = 0.1
"""Share of cells outside the range of the training table from which on a column of numbers is named."""

LEAST_NUMBERS = 20
"""Of fewer numbers nothing is said."""

MOST_EXAMPLES = 3
"""Of values of a column."""

Ranges = Mapping[str, Sequence[float]]


class Difference(NamedTuple):
    """A column that differs.

    Attributes
    ----------
    column : str
    n_cells, n_known : int
        Cells that are unlike those of the training table, and those that have a value.
    examples : str
    """

    column: str
    n_cells: int
    n_known: int
    examples: str


def new_values(column: Column, known: Sequence[str], special: Sequence[str]) -> tuple[NDArray[np.bool_], Difference]:
    """The cells whose category training did not have, and their summary."""
    codes, texts = column.distinct
    new = np.flatnonzero(Vocabulary(known, tuple(special)).places(texts) == MISSING)
    cells = np.isin(codes, new)
    n_known = int((codes != MISSING).sum())
    return cells, Difference(column.name, int(cells.sum()), n_known, listed(texts[new][:MOST_EXAMPLES]))


def are_elsewhere(column: Column, quantiles: Sequence[float]) -> Difference | None:
    """Whether many numbers of a column are beyond all of the training table, or their median is beyond nearly all."""
    numbers = column.numbers[np.isfinite(column.numbers)]
    low, usual_low, _, usual_high, high = quantiles
    beyond = numbers[(numbers < low) | (numbers > high)]
    if len(numbers) < LEAST_NUMBERS or column.strange.any():  # others than numbers are an error of their own
        return None
    median = float(np.median(numbers))
    if len(beyond) <= BEYOND * len(numbers) and usual_low <= median <= usual_high:
        return None
    return Difference(
        column.name,
        len(beyond),
        len(numbers),
        f"median {median:.4g}; in training mostly {usual_low:.4g} to {usual_high:.4g}: another unit or other conditions?",
    )


def as_table(differences: Sequence[Difference]) -> str:
    """A line for each column, below a heading."""
    rows = [
        ("column", "unlike training", "examples"),
        *((quoted(each.column), f"{each.n_cells:,} of {each.n_known:,} cells", each.examples) for each in differences),
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(2)]
    return "\n".join(f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]}" for row in rows)
