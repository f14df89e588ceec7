"""Tests between two methods of the study, as the ledger, the tables and the headline read them."""

from __future__ import annotations

import pandas as pd

from treecrf.studies.comparison import Comparison, correct_family, find_values
from treecrf.studies.kernels.methods import BEST, BEST_KERNEL, BEST_TREES

STEPS = [
    ("degree_1", "primal"), ("degree_2", "degree_1"), ("degree_3", "degree_1"), ("degree_3", "degree_2"), ("rbf", "degree_2"),
    ("degree_2", "conjunctions"), ("low_rank", "degree_2"), ("low_rank", "degree_1"), ("nystroem", "low_rank"), ("primal", "crfsuite"),
    ("degree_1", "linear_crf"), (BEST_KERNEL, BEST_TREES), ("low_rank", BEST_TREES),
]  # fmt: skip
"""The pairs that tables show: the paper's, what low ranks lose, then rivals."""


def chosen_methods(lines: pd.DataFrame) -> dict[str, str]:
    """The methods that `BEST` stands for on one data set: cross-validation prefers them; the first of equal ones.

    With only one of them, or none that had anything to choose, it is the first.
    """
    held_out = dict(zip(lines["method"], lines["held_out_accuracy"].fillna(0.0), strict=True))
    found = {name: [method for method in methods if method in held_out] for name, methods in BEST.items()}
    return {name: max(methods, key=held_out.__getitem__) for name, methods in found.items() if methods}


def find_pair(comparisons: pd.DataFrame, lines: pd.DataFrame, method: str, other: str) -> Comparison | None:
    """Two methods in the frames "comparisons" and "lines" of one data set, None without them; they may be in `BEST`."""
    chosen = chosen_methods(lines)
    found = find_values(comparisons, chosen.get(method, method), chosen.get(other, other))
    return None if found is None else Comparison(**found)


def compare_steps(comparisons: pd.DataFrame, lines: pd.DataFrame) -> list[Comparison]:
    """The pairs of `STEPS` that were run, of all data sets; those of a data set are a family (Holm)."""
    found: list[Comparison] = []
    for dataset, pairs in comparisons.groupby("dataset", sort=False):
        family = [find_pair(pairs, lines[lines["dataset"] == dataset], *step) for step in STEPS]
        there = {(pair.method, pair.other): pair for pair in family if pair is not None}
        found += correct_family(list(there.values()))
    return found


def kernels_against_trees(comparisons: pd.DataFrame, lines: pd.DataFrame) -> list[Comparison]:
    """The best kernel against the best trees on each data set that has both; all together are a family (Holm)."""
    found = [
        find_pair(pairs, lines[lines["dataset"] == dataset], BEST_KERNEL, BEST_TREES)
        for dataset, pairs in comparisons.groupby("dataset", sort=False)
    ]
    return correct_family([pair for pair in found if pair is not None])
