"""The registry of kinds of trees that the ways of handling missing values are tried with: one row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from treecrf.models.labellers import LABELLERS


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

    def grid_of(self, l2_regularizations: Sequence[float]) -> Mapping[str, Sequence[Any]]:
        """What hold-out chooses from."""
        return self.grid or {"l2_regularization": sorted(l2_regularizations)}


PAPERS = "papers"
"""The trees that the papers' tables, figures and claims are about."""

_NEWTON = LABELLERS["treecrf_newton"].preset

TREES = {
    PAPERS: Trees("single categories and gradient leaves"),
    "newton": Trees(
        "subsets and Newton leaves",
        {name: _NEWTON[name] for name in ("splits", "leaf_values", "l2_regularization")},
        {"max_leaves": (8, 30), "learning_rate": (0.1, 0.3)},
    ),
}
"""By name, in the order of rows."""
