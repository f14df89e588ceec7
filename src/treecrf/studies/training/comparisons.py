"""McNemar's test between two methods of the training study, as the ledger reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from treecrf.rendering.style import DECODER_NAMES, training_method_name
from treecrf.rendering.words import direction, p_text, points_text
from treecrf.studies.claims import FAILS, HOLDS, LEANS, Observation, Place, Results
from treecrf.studies.training.names import BETTER
from treecrf.studies.training.published import training_accuracies

INDUCTION = ("mallet", "induced_crf")
"""Methods that are CRFs with feature induction; the first that was run counts, as in table 3.5."""

Methods = str | tuple[str, ...]
"""A method, or several of which the first that was run counts."""

MCNEMAR = "McNemar's test (exact with few discordant positions), at the cross-validated choice"


@dataclass(frozen=True)
class Comparison:
    """Two methods on one data set.

    Attributes
    ----------
    place : Place
    decoder, method, other : str
    points : float
        Accuracy of `method` minus that of `other`, percentage points.
    p : float
        McNemar's p-value.
    published : float
        The same points as published; NaN where they are not.
    """

    place: Place
    decoder: str
    method: str
    other: str
    points: float
    p: float
    published: float

    def is_better(self, level: float) -> bool:
        """Whether `method` is significantly better."""
        return self.points > 0 and self.p < level

    def is_worse(self, level: float) -> bool:
        """Whether `method` is significantly worse."""
        return self.points < 0 and self.p < level

    @property
    def points_and_p(self) -> str:
        """Data set, decoder, points and p-value."""
        return f"{self.place.name}, {DECODER_NAMES[self.decoder]}: {points_text(self.points)} ({p_text(self.p)})"

    def observation(self, holds: bool, leans: bool = False) -> Observation:
        """The comparison as an observation."""
        first, second = training_method_name(self.method), training_method_name(self.other)
        decoder = "" if self.decoder == BETTER else f", {DECODER_NAMES[self.decoder]}"
        said = "" if np.isnan(self.published) else f", {self.place.published(points_text(self.published))}"
        return Observation(
            f"{self.place.name}{decoder}: {first} {points_text(self.points)} against {second} ({p_text(self.p)})",
            HOLDS if holds else LEANS if leans else FAILS,
            f"{first} is {direction(self.points)} {second} on {self.place.name}{decoder} ({p_text(self.p)}{said})",
        )


def compare(
    results: Results, place: Place, method: Methods, other: Methods, decoder: str = BETTER
) -> Comparison | None:
    """Two methods on one data set; None where one of them was not run.

    Parameters
    ----------
    results : Results
    place : Place
    method, other : str or tuple of str
    decoder : str
    """
    pairs = results.frame("training", place.name, "comparisons")
    if pairs is None:
        return None
    there = {*pairs["method"], *pairs["other"]}
    first, second = first_of(method, there), first_of(other, there)
    for one, two, sign in ((first, second, 1), (second, first, -1)):
        rows = pairs[(pairs["method"] == one) & (pairs["other"] == two) & (pairs["decoder"] == decoder)]
        if len(rows):
            row = rows.iloc[0]
            published = _published_points(place, first, second, decoder)
            points = float(sign * row["accuracy_points"])
            return Comparison(place, decoder, first, second, points, float(row["p_value"]), published)
    return None


def first_of(methods: Methods, there: Iterable[str]) -> str:
    """The first of `methods` that is there; the last one if none is."""
    names = (methods,) if isinstance(methods, str) else methods
    known = set(there)
    return next((name for name in names if name in known), names[-1])


def _published_points(place: Place, method: str, other: str, decoder: str) -> float:
    """Published accuracy of `method` minus that of `other`; NaN without either."""
    table: pd.DataFrame = training_accuracies()
    table = table[(table["dataset"] == place.published_name) & (table["decoder"] == decoder)]
    percent = table.set_index("method")["percent"]
    return float(percent.get(method, np.nan) - percent.get(other, np.nan))
