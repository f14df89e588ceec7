"""The registry of kinds of trees that the ways of handling missing values are tried with: one row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple


class Trees(NamedTuple):
    """A kind of trees.

    Attributes
    ----------
    name : str
        What readers see.
    fixed : mapping
        Settings of `treecrf.models.boosted.treecrf.TreeCRF` that differ from those of the study.
    grid : mapping of str to sequence
        Its settings to choose by hold-out, all combinations, smallest first; empty: the study's lambdas.
    """

    name: str
    fixed: Mapping[str, Any] = {}
    grid: Mapping[str, Sequence[Any]] = {}

    def candidates(self, l2_regularizations: Sequence[float]) -> list[dict[str, Any]]:
        """What hold-out chooses from."""
        grid = self.grid or {"l2_regularization": sorted(l2_regularizations)}
        return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


PAPERS = "papers"
"""The trees that the papers' tables, figures and claims are about."""

TREES = {
    PAPERS: Trees("the papers' trees"),
    "newton": Trees(
        "subsets and Newton leaves",
        {"splits": "subsets", "leaf_values": "newton", "l2_regularization": 5.0},
        {"max_leaves": (8, 30), "learning_rate": (0.1, 0.3)},
    ),
}
"""By name, in the order of rows."""
