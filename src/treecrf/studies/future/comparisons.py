"""Tests between two variants, and what discovered features gain, as the ledger, the tables and the headline read them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from treecrf.rendering.cells import signed
from treecrf.rendering.words import p_text, points_text
from treecrf.statistics.estimates import OPPOSITES, SIGNIFICANCE_LEVEL, adjust_holm, opposite
from treecrf.studies.future.methods import discovers_features, method_text, variant_names


@dataclass(frozen=True)
class FuturePair:
    """Two variants on one data set.

    Attributes
    ----------
    method, other : str
        A method with its bag, as `treecrf.studies.future.methods.variant_name`.
    points : float
        That `method` is better, mean over the draws.
    interval, interval_90 : (float, float)
        Of the points, 95 % and 90 %; NaN without a valid test, which needs two draws.
    p, papers_p : float
        p-value of a valid test, NaN without one; median over the draws of that of the paper's test, McNemar's.
    decision : str
        Of this pair alone, or by `p_holm` where it is known.
    p_holm : float
        The valid p-value corrected over a family of pairs; NaN outside one.
    """

    method: str
    other: str
    points: float
    interval: tuple[float, float]
    interval_90: tuple[float, float]
    p: float
    papers_p: float
    decision: str
    p_holm: float = float("nan")

    @property
    def text(self) -> str:
        """Points and both tests in words."""
        low, high = map(signed, self.interval)
        valid = f"by a valid test {p_text(self.p)}, 95 % interval {low} to {high}"
        tests = f"by the paper's test median {p_text(self.papers_p)}, {'no valid test' if np.isnan(self.p) else valid}"
        return f"{method_text(self.method)} {points_text(self.points)} against {method_text(self.other)} ({tests})"


def find_pair(comparisons: pd.DataFrame, method: str, other: str) -> FuturePair | None:
    """Two variants in "comparisons" of one data set (`treecrf.studies.future.summary.compare_variants`), None without them."""
    for first, second, sign in ((method, other, 1), (other, method, -1)):
        rows = comparisons[(comparisons["method"] == first) & (comparisons["other"] == second)]
        for row in rows.to_dict("records"):
            return FuturePair(
                method,
                other,
                points=sign * row["accuracy_points"],
                interval=_turned(row["points_low"], row["points_high"], sign),
                interval_90=_turned(row["low_90"], row["high_90"], sign),
                p=row["valid_p_value"],
                papers_p=row["median_p"],
                decision=row["decision"] if sign > 0 else opposite(row["decision"]),
            )
    return None


def gains(best: pd.DataFrame, comparisons: pd.DataFrame) -> dict[str, FuturePair]:
    """By data set, the best variant that discovers features against the best that does not, where there are both.

    `best` and `comparisons` are of all data sets. The best is the one that validation prefers, as a user would choose it. The
    pairs of all data sets are a family: a difference that Holm's correction over them does not leave is undecided.
    """
    found = {}
    for dataset, variants in best.groupby("dataset", sort=False):
        ranked = variant_names(variants.sort_values("validation_mean", ascending=False, kind="stable"))
        discovers = ranked.map(discovers_features).astype(bool)
        if discovers.any() and not discovers.all():
            pair = (str(ranked[discovers].iloc[0]), str(ranked[~discovers].iloc[0]))
            compared = find_pair(comparisons[comparisons["dataset"] == dataset], *pair)
            if compared is not None:
                found[str(dataset)] = compared
    holm = adjust_holm(np.array([pair.p for pair in found.values()]))
    return {name: _corrected(pair, float(p)) for (name, pair), p in zip(found.items(), holm, strict=True)}


def _corrected(pair: FuturePair, p_holm: float) -> FuturePair:
    is_left = pair.decision not in OPPOSITES or p_holm < SIGNIFICANCE_LEVEL
    return replace(pair, p_holm=p_holm, decision=pair.decision if is_left else "undecided")


def _turned(low: float, high: float, sign: int) -> tuple[float, float]:
    return (low, high) if sign > 0 else (-high, -low)
