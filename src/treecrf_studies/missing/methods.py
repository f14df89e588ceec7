"""The names of methods and columns that frames of this study have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from treecrf_studies.methods.catalogue import LABELLERS


class Trees(NamedTuple):
    """A kind of trees: what readers see of it, its fixed settings, and a grid.

    `fixed` are settings of `treecrf.models.boosted.treecrf.TreeCRF` that differ from those of the study; `grid` has
    those that hold-out chooses, and the study's settings with the candidates for each.
    """

    name: str
    fixed: Mapping[str, Any]
    grid: Mapping[str, str]

    def grid_of(self, settings: Any) -> dict[str, list[float]]:
        """What hold-out chooses from under the study's settings: all combinations, smallest first."""
        return {name: sorted(getattr(settings, study_name)) for name, study_name in self.grid.items()}


PAPERS = "papers"
"""The trees that the papers' tables, figures and claims are about."""

_NEWTON = LABELLERS["treecrf_newton"].preset

TREES = {
    PAPERS: Trees("single categories and gradient leaves", {}, {"l2_regularization": "l2_regularizations"}),
    "newton": Trees(
        "subsets and Newton leaves",
        {name: _NEWTON[name] for name in ("splits", "leaf_values", "l2_regularization")},
        {"max_leaves": "newton_leaves", "learning_rate": "newton_rates"},
    ),
}
"""By name, in the order of rows."""


COUNT_NAMES = [
    "dataset",
    "rate",
    "method",
    "draw",
    "test_set",
    "sequence",
    "group",
    "block",
    "n_positions",
    "n_correct",
]


def one_way(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Comparisons that are there from both sides, each once."""
    return comparisons[comparisons["method"] < comparisons["other"]]
