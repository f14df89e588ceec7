"""Tests between two methods, as the ledger and the tables read them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from treecrf.rendering.cells import signed
from treecrf.rendering.words import direction, p_text, points_text
from treecrf.statistics.equivalence import decide, opposite
from treecrf.statistics.holm import adjust_holm
from treecrf.studies.claim_kinds import Measured
from treecrf.studies.coding.methods import BEST, LEARNERS, is_cascade, method_text


@dataclass(frozen=True)
class Comparison:
    """Two methods on one data set with the same window.

    Attributes
    ----------
    dataset : str
    window : int
    method, other : str
    points : float
        That `method` is better, mean over the draws.
    interval, interval_90 : (float, float)
        Of the points, 95 % and 90 %.
    p, papers_p : float
        p-value of a valid test; of McNemar's, the dissertation's test, the median over the draws.
    margin : float
        Points within which methods count as equivalent.
    decision : str
        Of this pair alone, or by `p_holm` where it is known.
    p_holm : float
        The valid p-value corrected over a family of pairs; NaN outside one.
    """

    dataset: str
    window: int
    method: str
    other: str
    points: float
    interval: tuple[float, float]
    interval_90: tuple[float, float]
    p: float
    papers_p: float
    margin: float
    decision: str
    p_holm: float = float("nan")

    def measured(self, note: str = "") -> Measured[float]:
        """The comparison as claims look at it; `note` follows the names."""
        first, second = method_text(self.method), method_text(self.other)
        low, high = map(signed, self.interval_90)
        tests = f"by McNemar's test {p_text(self.papers_p)}, by a valid test {p_text(self.p)}"
        place = f"{self.dataset}, window {self.window}"
        return Measured(
            self.points,
            f"{place}: {first} {points_text(self.points)} against {second}{note} ({tests}, 90 % interval {low} to {high})",
            f"{first} is {direction(self.points)} {second} on {place} ({tests})",
            self.p,
            self.interval_90,
            (self.points, self.papers_p),
        )


def with_best(best: pd.DataFrame, window: int) -> dict[str, str]:
    """The chosen cascade of each learner by "gtb_cascade_best" and the like, of one data set and window."""
    rows = best[(best["window"] == window) & best["method"].map(is_cascade).astype(bool)]
    return {f"{row['learner']}_{BEST}": str(row["method"]) for row in rows.to_dict("records")}


def find_pair(comparisons: pd.DataFrame, best: pd.DataFrame, window: int, method: str, other: str) -> Comparison | None:
    """Two methods in the frames "comparisons" and "best" of one data set, None without them.

    "gtb_cascade_best" and "vp_cascade_best" are the cascades that held-out sequences prefer.
    """
    chosen = with_best(best, window)
    first, second = chosen.get(method, method), chosen.get(other, other)
    rows = comparisons[comparisons["window"] == window]
    for one, two, sign in ((first, second, 1), (second, first, -1)):
        for row in rows[(rows["method"] == one) & (rows["other"] == two)].to_dict("records"):
            return Comparison(
                str(row["dataset"]), window, first, second, points=sign * row["accuracy_points"],
                interval=_turned(row["points_low"], row["points_high"], sign),
                interval_90=_turned(row["low_90"], row["high_90"], sign),
                p=row["valid_p_value"], papers_p=row["papers_p"], margin=row["margin"],
                decision=row["decision"] if sign > 0 else opposite(row["decision"]),
            )  # fmt: skip
    return None


STEPS = [
    *[(f"{learner}_{method}", f"{learner}_{other}") for learner in LEARNERS for method, other in (
        ("secoc", "iid"), ("cascade_1", "secoc"), (BEST, "secoc"), (BEST, "cascade_all"))],
    (f"gtb_{BEST}", f"vp_{BEST}"), ("gtb_beam", "vp_beam"), (f"gtb_{BEST}", "gtb_beam"), (f"gtb_{BEST}", "vp_beam"),
    (f"vp_{BEST}", "vp_beam"), ("separable", f"gtb_{BEST}"), ("full", f"gtb_{BEST}"), ("full", "separable"),
    ("full", "crfsuite"), ("full", "perceptron"), ("separable", "crfsuite"), ("separable", "perceptron"), ("crfsuite", "perceptron"),
    ("separable", f"vp_{BEST}"), ("perceptron", f"vp_{BEST}"), ("known_model", "separable"), ("known_model", "full"),
]  # fmt: skip
"""The pairs that tables show: each step of the thesis, then what makes coding unnecessary."""


def compare_steps(comparisons: pd.DataFrame, best: pd.DataFrame) -> list[Comparison]:
    """The pairs of `STEPS` that were run, of all data sets; those of a data set and window are a family (Holm)."""
    found = []
    for (dataset, _), pairs in comparisons.groupby(["dataset", "window"], sort=False):
        chosen, window = best[best["dataset"] == dataset], int(pairs["window"].iloc[0])
        family = [find_pair(pairs, chosen, window, *step) for step in STEPS]
        there = {(pair.method, pair.other): pair for pair in family if pair is not None}
        holm = adjust_holm(np.array([pair.p for pair in there.values()]))
        found += [_corrected(pair, float(p)) for pair, p in zip(there.values(), holm, strict=True)]
    return found


def _corrected(pair: Comparison, p_holm: float) -> Comparison:
    points, p, low, high = (np.array([value]) for value in (pair.points, p_holm, *pair.interval_90))
    return replace(pair, p_holm=p_holm, decision=str(decide(points, p, low, high, margin=pair.margin)[0]))


def _turned(low: float, high: float, sign: int) -> tuple[float, float]:
    return (low, high) if sign > 0 else (-high, -low)
