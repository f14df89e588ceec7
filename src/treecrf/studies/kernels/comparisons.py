"""Tests between two methods of the study, as the ledger, the tables and the headline read them."""

from __future__ import annotations

import pandas as pd

from treecrf.studies.comparison import Comparison, correct_family, find_values
from treecrf.studies.kernels.methods import BEST_KERNEL, BEST_TREES

STEPS = [
    ("dual", "primal"), ("degree_2", "degree_1"), ("degree_3", "degree_1"), ("degree_3", "degree_2"), ("rbf", "degree_2"),
    ("degree_2", "conjunctions"), ("low_rank", "degree_2"), ("low_rank", "degree_1"), ("nystroem", "low_rank"), ("primal", "crfsuite"),
    ("primal", "linear_crf"), *[(kernel, trees) for kernel in ("degree_2", "low_rank") for trees in ("separable", "full", "treecrf")],
]  # fmt: skip
"""The pairs that tables show: the paper's, what low ranks lose, then rivals."""


def find_pair(comparisons: pd.DataFrame, method: str, other: str) -> Comparison | None:
    """Two methods in the frame "comparisons" of one data set, None without them."""
    found = find_values(comparisons, method, other)
    return None if found is None else Comparison(**found)


def compare_steps(comparisons: pd.DataFrame) -> list[Comparison]:
    """The pairs of `STEPS` that were run, of all data sets; those of a data set are a family (Holm)."""
    found: list[Comparison] = []
    for _, pairs in comparisons.groupby("dataset", sort=False):
        family = [find_pair(pairs, *step) for step in STEPS]
        found += correct_family([pair for pair in family if pair is not None])
    return found


def kernels_against_trees(comparisons: pd.DataFrame) -> list[Comparison]:
    """The best kernel against the best trees on each data set that has both; all together are a family (Holm)."""
    found = [find_pair(pairs, BEST_KERNEL, BEST_TREES) for _, pairs in comparisons.groupby("dataset", sort=False)]
    return correct_family([pair for pair in found if pair is not None])
