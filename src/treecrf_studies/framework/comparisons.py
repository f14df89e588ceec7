"""Tests between two methods, as the ledger, the tables and the headlines read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from treecrf.statistics.estimates import adjust_holm, decide, opposite
from treecrf_studies.framework.claims.kinds import Measured
from treecrf_studies.rendering.cells import direction, grouped, p_text, p_value_text, points_text, signed

Pair = TypeVar("Pair")

PAPERS, VALID = "by McNemar's test", "by the sequence-level test"
"""Headings above what they say."""

DIFFERENCES = ("value", "papers_value")
INTERVALS = (("low", "high"), ("low_90", "high_90"), ("family_low", "family_high"))
"""Columns of comparisons that change sign with the order of the methods."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two methods on one data set.

    Attributes
    ----------
    dataset, method, other : str
    points : float
        That `method` is better, mean over the draws or trainings.
    interval, interval_90 : (float, float)
        Of the points, 95 % and 90 %.
    p, papers_p : float
        p-value of the sequence-level test; of the paper's test, the median over the draws.
    papers_points : float
        The points that the paper's test is about.
    margin : float
        Points within which methods count as equivalent; NaN where a frame has none.
    decision : str
        Of this pair alone, or by `p_holm` where it is known.
    p_holm : float
        The valid p-value corrected over a family of pairs; NaN outside one.
    place : str
        Where the methods were compared: the data set, and perhaps under which condition.
    row : mapping
        The other columns of the frame.
    """

    dataset: str
    method: str
    other: str
    points: float
    interval: tuple[float, float]
    interval_90: tuple[float, float]
    p: float
    papers_p: float
    papers_points: float
    margin: float
    decision: str
    p_holm: float
    place: str
    row: Mapping[Any, Any] = field(repr=False)

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> Comparison:
        """A row of a frame of comparisons; numbers that it lacks are NaN."""

        def known(name: str, otherwise: str = "") -> float:
            return float(row.get(name, row.get(otherwise, np.nan)))

        return cls(
            dataset=str(row["dataset"]),
            method=str(row["method"]),
            other=str(row["other"]),
            points=known("value"),
            interval=(known("low"), known("high")),
            interval_90=(known("low_90"), known("high_90")),
            p=known("p_value"),
            papers_p=known("papers_p"),
            papers_points=known("papers_value", "value"),
            margin=known("margin"),
            decision=str(row.get("decision", "")),
            p_holm=known("p_holm"),
            place=str(row["dataset"]),
            row=row,
        )

    @property
    def tests(self) -> str:
        """The p-values of both tests in words."""
        return f"by McNemar's test {p_text(self.papers_p)}, by the sequence-level test {p_text(self.p)}"

    def measured(self, method_text: Callable[[str], str], tests: str = "", printed: str = "") -> Measured[float]:
        """The comparison as claims look at it.

        `method_text` is what readers see of a method, `tests` stands for other words of the tests, `printed` follows
        them where the claim does not hold.
        """
        first, second, tests = method_text(self.method), method_text(self.other), tests or self.tests
        low, high = map(signed, self.interval_90)
        return Measured(
            self.points,
            f"{self.place}: {first} {points_text(self.points)} against {second} ({tests}, 90 % interval {low} "
            f"to {high})",
            f"{first} is {direction(self.points)} {second} on {self.place} ({tests}{printed})",
            self.p,
            self.interval_90,
            (self.papers_points, self.papers_p),
            what=f"{first} vs {second}{self.place.removeprefix(self.dataset)}",
            methods=(first, second),
        )


def turned(rows: pd.DataFrame) -> pd.DataFrame:
    """Comparisons with the other method first."""
    changed = {name: -rows[name] for name in DIFFERENCES if name in rows}
    for low, high in INTERVALS:
        if low in rows:
            changed |= {low: -rows[high], high: -rows[low]}
    if "n_worse" in rows:
        changed |= {"n_better": rows["n_worse"], "n_worse": rows["n_better"]}
    if "decision" in rows:
        changed["decision"] = rows["decision"].map(opposite)
    return rows.assign(method=rows["other"], other=rows["method"], **changed)


def facing(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """The comparisons of a method, as if it came first in each."""
    return pd.concat([rows[rows["method"] == method], turned(rows[rows["other"] == method])])


def compared(rows: pd.DataFrame, *names: str) -> dict[tuple[Any, ...], Comparison]:
    """Comparisons from both sides by the values of some columns, method and other."""
    keys = [*names, "method", "other"]
    records = pd.concat([turned(rows), rows]).to_dict("records")
    return {tuple(row[name] for name in keys): Comparison.of(row) for row in records}


def find_pair(rows: pd.DataFrame, method: str, other: str) -> Comparison | None:
    """Two methods in comparisons of one case, in whichever order they stand; None where the two are not there."""
    rows = facing(rows, method)
    return next((Comparison.of(row) for row in rows[rows["other"] == other].to_dict("records")), None)


def measured_all(pairs: Iterable[Pair | None], measure: Callable[[Pair], Measured[float]]) -> list[Measured[float]]:
    """What is measured of each pair; nothing unless all of them were run."""
    compared = list(pairs)
    return [] if None in compared else [measure(pair) for pair in compared if pair is not None]


def correct_family(pairs: Iterable[Comparison | None]) -> list[Comparison]:
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


def _decided(pair: Comparison, p_holm: float) -> Comparison:
    points, p, low, high = (np.array([value]) for value in (pair.points, p_holm, *pair.interval_90))
    return replace(pair, p_holm=p_holm, decision=str(decide(points, p, low, high, margin=pair.margin)[0]))
