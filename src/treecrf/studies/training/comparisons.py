"""McNemar's test between two methods of the training study, as the ledger reads it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from treecrf.rendering.style import DECODER_NAMES, training_method_name
from treecrf.rendering.words import direction, p_text, points_text
from treecrf.studies.claim_rows import Measured, first_of
from treecrf.studies.claims import Results
from treecrf.studies.training.names import BETTER
from treecrf.studies.training.published import training_accuracies


@dataclass(frozen=True)
class Comparison:
    """Two methods on one data set: points that `method` is better, McNemar's p-value, the same points as published."""

    dataset: str
    decoder: str
    method: str
    other: str
    points: float
    p: float
    published: float

    @property
    def points_and_p(self) -> str:
        """Data set, decoder, points and p-value."""
        return f"{self.dataset}, {DECODER_NAMES[self.decoder]}: {points_text(self.points)} ({p_text(self.p)})"

    def measured(self) -> Measured[float]:
        """The comparison as claims look at it."""
        first, second = training_method_name(self.method), training_method_name(self.other)
        decoder = "" if self.decoder == BETTER else f", {DECODER_NAMES[self.decoder]}"
        published = "" if np.isnan(self.published) else f", published {points_text(self.published)}"
        return Measured(
            self.points,
            f"{self.dataset}{decoder}: {first} {points_text(self.points)} against {second} ({p_text(self.p)})",
            f"{first} is {direction(self.points)} {second} on {self.dataset}{decoder} ({p_text(self.p)}{published})",
            self.p,
        )


def compare(results: Results, dataset: str, method: str, other: str, decoder: str = BETTER) -> Comparison | None:
    """Two methods on one data set, one of which may be `INDUCTION`; None where one of them was not run."""
    pairs = results.frame("training", dataset, "comparisons")
    if pairs is None:
        return None
    there = {*pairs["method"], *pairs["other"]}
    first, second = first_of(method, there), first_of(other, there)
    for one, two, sign in ((first, second, 1), (second, first, -1)):
        rows = pairs[(pairs["method"] == one) & (pairs["other"] == two) & (pairs["decoder"] == decoder)]
        if len(rows):
            row = rows.iloc[0]
            published = _published_points(dataset, first, second, decoder)
            points = float(sign * row["accuracy_points"])
            return Comparison(dataset, decoder, first, second, points, float(row["p_value"]), published)
    return None


def _published_points(dataset: str, method: str, other: str, decoder: str) -> float:
    """Published accuracy of `method` minus that of `other`; NaN without either."""
    table: pd.DataFrame = training_accuracies()
    table = table[(table["dataset"] == dataset) & (table["decoder"] == decoder)]
    percent = table.set_index("method")["percent"]
    return float(percent.get(method, np.nan) - percent.get(other, np.nan))
