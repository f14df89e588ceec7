"""Tests between two ensembles, as the tables and the headline read them."""

from __future__ import annotations

import pandas as pd

from treecrf.studies.comparison import Comparison, correct_family, find_values
from treecrf.studies.ensembles.methods import BEST, BOOSTED, STACKED

STEPS = [
    ("espboost", "best_expert"), ("espboost", "majority_vote"), ("majority_vote", "best_expert"), ("marginal_average", "majority_vote"),
    ("online_majority_vote", "majority_vote"), ("stacking", "majority_vote"), ("stacking", "marginal_average"),
    ("boosted_stacking", "stacking"), (BEST, "espboost"), (STACKED, BEST), (BOOSTED, BEST), (BOOSTED, STACKED),
]  # fmt: skip
"""The pairs that tables show: what votes gain, then stacking, then what the labels of B are worth to the experts."""


def compare_steps(comparisons: pd.DataFrame) -> list[Comparison]:
    """The pairs of `STEPS` on all data sets; those of a data set are a family (Holm)."""
    found: list[Comparison] = []
    for _, rows in comparisons.groupby("dataset", sort=False):
        values = [find_values(rows, *step) for step in STEPS]
        found += correct_family([Comparison(**each) for each in values if each is not None])
    return found


def draws_won(runs: pd.DataFrame, pair: Comparison) -> tuple[int, int]:
    """In how many draws `method` has more correct positions than `other`, and how many draws there are."""
    rows = runs[runs["dataset"] == pair.dataset].pivot_table(index="seed", columns="method", values="accuracy")
    return int((rows[pair.method] > rows[pair.other]).sum()), len(rows)
