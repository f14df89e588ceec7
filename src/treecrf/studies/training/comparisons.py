"""Tests between two methods of the training study, as the ledger reads them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from treecrf.rendering.cells import signed
from treecrf.rendering.style import DECODER_NAMES, training_method_name
from treecrf.rendering.words import direction, p_text, points_text
from treecrf.studies.framework.claims.judge import Results
from treecrf.studies.framework.claims.kinds import Measured
from treecrf.studies.framework.claims.rows import first_of
from treecrf.studies.training.names import BETTER, BLOCKS
from treecrf.studies.training.published import training_accuracies


@dataclass(frozen=True)
class MethodPair:
    """Two methods on one data set.

    Attributes
    ----------
    dataset, decoder, method, other : str
    points, p : float
        That `method` is better, the mean of all trainings, and the p-value of the sequence-level test, which decides.
    papers_points, papers_p : float
        The same of one training each by the paper's test, McNemar's.
    interval : (float, float)
        Of the points, 90 %.
    by_blocks : bool
        Whether there are too few sequences for anything but a test of blocks of these.
    published : float
        The same points as published.
    """

    dataset: str
    decoder: str
    method: str
    other: str
    points: float
    p: float
    papers_points: float
    papers_p: float
    interval: tuple[float, float]
    by_blocks: bool
    published: float

    @property
    def tests(self) -> str:
        """Both tests in words."""
        blocks = ", where only flips of blocks of these documents can decide" if self.by_blocks else ""
        return f"by the paper's test {p_text(self.papers_p)}, by the sequence-level test {p_text(self.p)}{blocks}"

    def measured(self) -> Measured[float]:
        """The comparison as claims look at it."""
        first, second = training_method_name(self.method), training_method_name(self.other)
        decoder = "" if self.decoder == BETTER else f", {DECODER_NAMES[self.decoder]}"
        interval = f"90 % interval {signed(self.interval[0])} to {signed(self.interval[1])}"
        published = "" if np.isnan(self.published) else f", published {points_text(self.published)}"
        return Measured(
            self.points,
            f"{self.dataset}{decoder}: {first} {points_text(self.points)} against {second} ({self.tests}, {interval})",
            f"{first} is {direction(self.points)} {second} on {self.dataset}{decoder} ({self.tests}{published})",
            self.p,
            self.interval,
            (self.papers_points, self.papers_p),
            what=f"{first} vs {second}{decoder}",
            published=None if np.isnan(self.published) else self.published,
        )


def compare(
    results: Results, dataset: str, method: str, other: str, decoder: str = BETTER, frame: str = "comparisons"
) -> MethodPair | None:
    """Two methods on one data set, one of which may be `INDUCTION`; None where one of them was not run.

    The frame "peak_comparisons" compares them at the peaks of their test curves instead of at the choice.
    """
    pairs = results.frame("training", dataset, frame)
    if pairs is None:
        return None
    there = {*pairs["method"], *pairs["other"]}
    first, second = first_of(method, there), first_of(other, there)
    for one, two, sign in ((first, second, 1), (second, first, -1)):
        rows = pairs[(pairs["method"] == one) & (pairs["other"] == two) & (pairs["decoder"] == decoder)]
        if len(rows):
            row = rows.iloc[0]
            ends = sorted(float(sign * row[name]) for name in ("low_90", "high_90"))
            return MethodPair(
                dataset,
                decoder,
                first,
                second,
                points=float(sign * row["mean_points"]),
                p=float(row["valid_p_value"]),
                papers_points=float(sign * row["accuracy_points"]),
                papers_p=float(row["p_value"]),
                interval=(ends[0], ends[1]),
                by_blocks=bool(row["valid_test"] == BLOCKS),
                published=_published_points(dataset, first, second, decoder),
            )
    return None


def _published_points(dataset: str, method: str, other: str, decoder: str) -> float:
    """Published accuracy of `method` minus that of `other`; NaN without either."""
    table: pd.DataFrame = training_accuracies()
    table = table[(table["dataset"] == dataset) & (table["decoder"] == decoder)]
    percent = table.set_index("method")["percent"]
    return float(percent.get(method, np.nan) - percent.get(other, np.nan))
