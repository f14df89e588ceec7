"""What a run teaches: pairs of methods on data sets, with intervals and decisions, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.framework.comparisons import facing
from treecrf_studies.framework.frames import Frames
from treecrf_studies.rendering.cells import signed, with_and

WORDS = {"better": "more accurate", "worse": "less accurate", "equivalent": "equivalent", "undecided": "undecided"}
"""Of decisions."""

PAIRED, FAMILY = ("low", "high"), ("family_low", "family_high")
"""Ends of the intervals of single pairs of methods, and of all pairs (Bonferroni)."""

FAQ = "faq_"
"""First letters of the names of data sets that are alike."""

LISTED_SETS = 3
"""Of more data sets the mean is shown."""


class Gap(NamedTuple):
    """Points by which a method is more accurate than another on a data set, with interval and decision."""

    dataset: str
    points: float
    low: float
    high: float
    decision: str


class Pair(NamedTuple):
    """Two methods as readers see them, and the points by which the first one is more accurate: on the data sets of the
    papers, and on larger samples.

    Without `is_averaged`, a mean over the data sets says nothing.
    """

    method: str
    other: str
    gaps: Sequence[Gap]
    larger: Sequence[Gap] = ()
    is_averaged: bool = True

    def mean(self) -> tuple[float, tuple[float, float]] | None:
        """The mean over the data sets with its interval, where there are more than `LISTED_SETS`."""
        points = pd.Series([gap.points for gap in self.gaps], dtype=float)
        return mean_with_interval(points) if self.is_averaged and len(points) > LISTED_SETS else None

    @property
    def text(self) -> str:
        """On which data sets the first method is more accurate, less or neither."""
        text = f"{self.method} vs {self.other}: {_decisions(self.gaps)}."
        return text[0].upper() + text[1:]

    def sentences(self) -> Iterator[str]:
        """The same, larger samples, and the mean, also without FAQ sets, which are alike."""
        if not self.gaps:
            return
        yield self.text
        if self.larger:
            yield f"On larger samples: {_decisions(self.larger)}."
        if mean := self.mean():
            rest = [gap.points for gap in self.gaps if not gap.dataset.startswith(FAQ)]
            without = f", without FAQ sets {signed(float(np.mean(rest)))}" if 0 < len(rest) < len(self.gaps) else ""
            yield f"Mean over {len(self.gaps)} data sets: {signed(mean[0])} points{without}."


def _decisions(gaps: Sequence[Gap]) -> str:
    names = {word: [gap.dataset for gap in gaps if gap.decision == word] for word in WORDS}
    return "; ".join(f"{WORDS[word]} on {with_and(of)}" for word, of in names.items() if of)


Answer = Callable[[Frames], Iterable[Pair | str]]
"""Pairs that the methods of a study are told by, or sentences; none where a run has nothing for them."""


def gaps(frame: pd.DataFrame, method: str, other: str, ends: Sequence[str] = PAIRED) -> list[Gap]:
    """`method` minus `other` on each data set of a frame of comparisons, with the interval whose ends are named."""
    if frame.empty:
        return []
    rows = facing(frame, method).sort_index()
    names = ["dataset", "value", *ends, "decision"]
    return [Gap(*row) for row in rows.loc[rows["other"] == other, names].itertuples(index=False)]
