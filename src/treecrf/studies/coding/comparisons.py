"""Tests between two methods, as the ledger and the tables read them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from treecrf.studies.coding.methods import BEST, LEARNERS, is_cascade
from treecrf.studies.framework.comparisons import Comparison, correct_family
from treecrf.studies.framework.comparisons import find_pair as find_compared


@dataclass(frozen=True, kw_only=True)
class WindowPair(Comparison):
    """Two methods on one data set with the same window of so many observations."""

    window: int

    @property
    def place(self) -> str:
        return f"{self.dataset}, window {self.window}"


def with_best(best: pd.DataFrame, window: int) -> dict[str, str]:
    """The chosen cascade of each learner by "gtb_cascade_best" and the like, of one data set and window."""
    rows = best[(best["window"] == window) & best["method"].map(is_cascade).astype(bool)]
    return {f"{row['learner']}_{BEST}": str(row["method"]) for row in rows.to_dict("records")}


def find_pair(comparisons: pd.DataFrame, best: pd.DataFrame, window: int, method: str, other: str) -> WindowPair | None:
    """Two methods in the frames "comparisons" and "best" of one data set, None without them.

    "gtb_cascade_best" and "vp_cascade_best" are the cascades that held-out sequences prefer.
    """
    chosen = with_best(best, window)
    first, second = chosen.get(method, method), chosen.get(other, other)
    pair = find_compared(comparisons[comparisons["window"] == window], first, second)
    return None if pair is None else WindowPair(window=window, **vars(pair))


STEPS = [
    *[(f"{learner}_{method}", f"{learner}_{other}") for learner in LEARNERS for method, other in (
        ("secoc", "iid"), ("cascade_1", "secoc"), (BEST, "secoc"), (BEST, "cascade_all"))],
    (f"gtb_{BEST}", f"vp_{BEST}"), ("gtb_beam", "vp_beam"), (f"gtb_{BEST}", "gtb_beam"), (f"gtb_{BEST}", "vp_beam"),
    (f"vp_{BEST}", "vp_beam"), ("separable", f"gtb_{BEST}"), ("full", f"gtb_{BEST}"), ("full", "separable"),
    ("full", "crfsuite"), ("full", "perceptron"), ("separable", "crfsuite"), ("separable", "perceptron"), ("crfsuite", "perceptron"),
    ("full", "neural_crf"), ("separable", "neural_crf"), ("separable", f"vp_{BEST}"), ("perceptron", f"vp_{BEST}"),
]  # fmt: skip
"""The pairs that tables show: each step of the thesis, then what makes coding unnecessary; the known model is no competitor."""


def compare_steps(comparisons: pd.DataFrame, best: pd.DataFrame) -> list[WindowPair]:
    """The pairs of `STEPS` that were run, of all data sets; those of a data set and window are a family (Holm)."""
    found = []
    for (dataset, _), pairs in comparisons.groupby(["dataset", "window"], sort=False):
        chosen, window = best[best["dataset"] == dataset], int(pairs["window"].iloc[0])
        family = [find_pair(pairs, chosen, window, *step) for step in STEPS]
        there = {(pair.method, pair.other): pair for pair in family if pair is not None}
        found += correct_family(list(there.values()))
    return found
