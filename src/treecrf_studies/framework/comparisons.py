"""Tests between two methods, as the ledger, the tables and the headlines read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pandas as pd

from treecrf.statistics.estimates import adjust_holm, decide, opposite
from treecrf_studies.framework.claims.kinds import Measured
from treecrf_studies.rendering.cells import direction, grouped, p_text, p_value_text, points_text, signed

PAPERS, VALID = "by McNemar's test", "by the sequence-level test"
"""Headings above what they say."""


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
        p-value of the sequence-level test; of McNemar's, the paper's test, the median over the draws.
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
        """The comparison as claims look at it; `method_text` is what readers see of a method, and `note` follows the
        names.
        """
        first, second = method_text(self.method), method_text(self.other)
        low, high = map(signed, self.interval_90)
        tests = f"by McNemar's test {p_text(self.papers_p)}, by the sequence-level test {p_text(self.p)}"
        return Measured(
            self.points,
            f"{self.place}: {first} {points_text(self.points)} against {second}{note} ({tests}, 90 % interval {low} "
            f"to {high})",
            f"{first} is {direction(self.points)} {second} on {self.place} ({tests})",
            self.p,
            self.interval_90,
            (self.points, self.papers_p),
            what=f"{first} vs {second}{self.place.removeprefix(self.dataset)}{note}",
            methods=(first, second),
        )


Compared = TypeVar("Compared", bound=Comparison)


def find_pair(rows: pd.DataFrame, method: str, other: str) -> Comparison | None:
    """Two methods in rows of one data set as `treecrf_studies.framework.resamples.compare_draws` gives them, in
    whichever order they stand.

    None where the two are not there. The margin is NaN where the rows have none.
    """
    for one, two, sign in ((method, other, 1), (other, method, -1)):
        for row in rows[(rows["method"] == one) & (rows["other"] == two)].to_dict("records"):
            return Comparison(
                dataset=str(row["dataset"]),
                method=method,
                other=other,
                points=sign * row["accuracy_points"],
                interval=_turned(row["points_low"], row["points_high"], sign),
                interval_90=_turned(row["low_90"], row["high_90"], sign),
                p=row["valid_p_value"],
                papers_p=row["papers_p"],
                margin=row.get("margin", float("nan")),
                decision=row["decision"] if sign > 0 else opposite(row["decision"]),
            )
    return None


def facing(rows: pd.DataFrame, method: str, points: str, low: str, high: str) -> pd.DataFrame:
    """The rows about a method as if it came first in each: dataset, other, points, low, high, decision.

    `points`, `low` and `high` are columns of `rows`: accuracy of the first minus that of the other, and the ends of an
    interval.
    """
    first, second = rows[rows["method"] == method], rows[rows["other"] == method]
    parts = [
        (first["dataset"], first["other"], first[points], first[low], first[high], first["decision"]),
        (
            second["dataset"],
            second["method"],
            -second[points],
            -second[high],
            -second[low],
            second["decision"].map(opposite),
        ),
    ]
    names = ("dataset", "other", "points", "low", "high", "decision")
    return pd.concat([pd.DataFrame(dict(zip(names, part, strict=True))) for part in parts])


def correct_family(pairs: Iterable[Compared | None]) -> list[Compared]:
    """The pairs that are there with p-values corrected over all of them (Holm) and decisions by these."""
    family = [pair for pair in pairs if pair is not None]
    holm = adjust_holm(np.array([pair.p for pair in family]))
    return [_decided(pair, float(p)) for pair, p in zip(family, holm, strict=True)]


def compare_steps(comparisons: pd.DataFrame, steps: Sequence[tuple[str, str]]) -> list[Comparison]:
    """The pairs of methods that were run, of all data sets; those of a data set are a family (Holm)."""
    families = (rows for _, rows in comparisons.groupby("dataset", sort=False))
    return [pair for rows in families for pair in correct_family(find_pair(rows, *step) for step in steps)]


def pairs_layout(
    pairs: Sequence[Comparison],
    columns: Mapping[str, Sequence[str]],
    more: Mapping[str, Sequence[str]] | None = None,
    papers: str = "p",
) -> pd.DataFrame:
    """Tests of pairs of methods, a row each: `columns` that name the pairs, points, `more` columns, the sequence-level
    test and McNemar's.

    `papers` is the heading of McNemar's p-value.
    """
    return grouped(
        {
            **{("", name): list(cells) for name, cells in columns.items()},
            ("", "points gained"): [signed(pair.points) for pair in pairs],
            **{("", name): list(cells) for name, cells in (more or {}).items()},
            (VALID, "95 %, uncorrected"): [" to ".join(map(signed, pair.interval)) for pair in pairs],
            (VALID, "p, uncorrected"): [p_value_text(pair.p) for pair in pairs],
            (VALID, "p, Holm"): [p_value_text(pair.p_holm) for pair in pairs],
            (VALID, "decision"): [pair.decision for pair in pairs],
            (PAPERS, papers): [p_value_text(pair.papers_p) for pair in pairs],
        }
    )


def _decided(pair: Compared, p_holm: float) -> Compared:
    points, p, low, high = (np.array([value]) for value in (pair.points, p_holm, *pair.interval_90))
    return replace(pair, p_holm=p_holm, decision=str(decide(points, p, low, high, margin=pair.margin)[0]))


def _turned(low: float, high: float, sign: int) -> tuple[float, float]:
    return (low, high) if sign > 0 else (-high, -low)
