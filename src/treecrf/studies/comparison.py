"""A test between two methods, as the ledger, the tables and the headlines read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from treecrf.rendering.cells import signed
from treecrf.rendering.words import direction, p_text, points_text
from treecrf.statistics.estimates import adjust_holm, decide, opposite
from treecrf.studies.claim_kinds import Measured


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two methods on one data set.

    Attributes
    ----------
    dataset, method, other : str
    points : float
        That `method` is better, mean over the draws.
    interval, interval_90 : (float, float)
        Of the points, 95 % and 90 %.
    p, papers_p : float
        p-value of a valid test; of McNemar's, the paper's test, the median over the draws.
    margin : float
        Points within which methods count as equivalent.
    decision : str
        Of this pair alone, or by `p_holm` where it is known.
    p_holm : float
        The valid p-value corrected over a family of pairs; NaN outside one.
    """

    dataset: str
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

    @property
    def place(self) -> str:
        """Where the methods were compared."""
        return self.dataset

    def measured(self, method_text: Callable[[str], str], note: str = "") -> Measured[float]:
        """The comparison as claims look at it; `method_text` is what readers see of a method, and `note` follows the names."""
        first, second = method_text(self.method), method_text(self.other)
        low, high = map(signed, self.interval_90)
        tests = f"by McNemar's test {p_text(self.papers_p)}, by a valid test {p_text(self.p)}"
        return Measured(
            self.points,
            f"{self.place}: {first} {points_text(self.points)} against {second}{note} ({tests}, 90 % interval {low} to {high})",
            f"{first} is {direction(self.points)} {second} on {self.place} ({tests})",
            self.p,
            self.interval_90,
            (self.points, self.papers_p),
        )


Compared = TypeVar("Compared", bound=Comparison)


def find_values(rows: pd.DataFrame, method: str, other: str) -> dict[str, Any] | None:
    """The attributes of a `Comparison` of two methods, from rows of one data set as `treecrf.studies.draw_tests.compare_draws` gives them.

    None where the two are not there; in whichever order they stand.
    """
    for one, two, sign in ((method, other, 1), (other, method, -1)):
        for row in rows[(rows["method"] == one) & (rows["other"] == two)].to_dict("records"):
            return {
                "dataset": str(row["dataset"]), "method": method, "other": other, "points": sign * row["accuracy_points"],
                "interval": _turned(row["points_low"], row["points_high"], sign),
                "interval_90": _turned(row["low_90"], row["high_90"], sign),
                "p": row["valid_p_value"], "papers_p": row["papers_p"], "margin": row["margin"],
                "decision": row["decision"] if sign > 0 else opposite(row["decision"]),
            }  # fmt: skip
    return None


def correct_family(pairs: Sequence[Compared]) -> list[Compared]:
    """The pairs with p-values corrected over all of them (Holm) and decisions by these."""
    holm = adjust_holm(np.array([pair.p for pair in pairs]))
    return [_decided(pair, float(p)) for pair, p in zip(pairs, holm, strict=True)]


def _decided(pair: Compared, p_holm: float) -> Compared:
    points, p, low, high = (np.array([value]) for value in (pair.points, p_holm, *pair.interval_90))
    return replace(pair, p_holm=p_holm, decision=str(decide(points, p, low, high, margin=pair.margin)[0]))


def _turned(low: float, high: float, sign: int) -> tuple[float, float]:
    return (low, high) if sign > 0 else (-high, -low)
