"""Tables of tests between methods and of what follows from them, as `treecrf.studies.training.tables` has them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.rendering.cells import (
    DASH,
    cell_texts,
    count_text,
    dataset_names,
    grouped,
    interval_texts,
    number,
    p_value_text,
    signed,
)
from treecrf.rendering.style import ordered_training_methods
from treecrf.rendering.words import p_text
from treecrf.statistics.estimates import opposite
from treecrf.studies.framework.tables import Row, Rows, by_key, method_names
from treecrf.studies.training.names import BETTER, BLOCKS, METHODS, PAIR


def ranks_layout(ranks: pd.DataFrame) -> pd.DataFrame:
    """Methods of each data set from the best on: the gap to it with its interval, the standing, and the ranks that tests leave."""
    return pd.DataFrame(
        {
            "data set": dataset_names(ranks),
            "method": method_names(ranks["method"]),
            "accuracy, all positions (%)": cell_texts(ranks["accuracy"], number),
            "minus the best (points)": cell_texts(ranks["gap_points"], signed),
            "95 %, Holm": interval_texts(ranks["gap_low"], ranks["gap_high"]),
            "standing": ranks["standing"].astype(str).tolist(),
            "rank": cell_texts(ranks["rank"], count_text),
            "rank interval": [f"{low}–{high}" for low, high in zip(ranks["rank_low"], ranks["rank_high"], strict=True)],
            "unit of the test": ranks["valid_test"].astype(str).tolist(),
        }
    )


def matrix_layout(comparisons: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Every method of a data set against every other, each with its preferred decoder.

    Points that the method of the row is ahead of that of the column, Holm's p of the sequence-level test, and the decision.
    """
    rows = comparisons[(comparisons["dataset"] == dataset) & (comparisons["decoder"] == BETTER)]
    methods = ordered_training_methods([*rows["method"], *rows["other"]])
    pairs = by_key(rows, *PAIR)
    columns = {"method": method_names(methods)}
    for other, name in zip(methods, method_names(methods), strict=True):
        columns[name] = [find_pair(pairs, dataset, BETTER, method, other).text for method in methods]
    return pd.DataFrame(columns)


def noise_layout(noise: pd.DataFrame) -> pd.DataFrame:
    """Standard deviations that sequences, methods, trainings and the rest give to accuracies, in points."""
    sd = 100 * noise["variance"].astype(float) ** 0.5
    return pd.DataFrame(
        {
            "data set": dataset_names(noise),
            "term": noise["component"].astype(str).tolist(),
            "of one sequence (points)": cell_texts(sd, number),
            "of a method's accuracy (points)": cell_texts(noise["accuracy_points"], number),
        }
    )


def pairs_layout(comparisons: pd.DataFrame, decoder: str) -> pd.DataFrame:
    """The tests of every pair of methods with a decoder; "better": the one that cross-validation prefers.

    A row per data set and pair. By McNemar's test, of the unperturbed trainings: accuracy of the method
    minus that of the other in points, the positions on which only either is right, p-values. By the sequence-level test
    (`treecrf.studies.training.comparing.compare`, all trainings): points, interval and p-value, both also with Holm's
    correction over the pairs of the data set, what is taken as independent, the decision.
    """
    rows = comparisons[comparisons["decoder"] == decoder]
    mcnemar, valid = "by McNemar's test", "by the sequence-level test"
    return grouped(
        {
            ("", "data set"): dataset_names(rows),
            ("", "method"): method_names(rows["method"]),
            ("", "against"): method_names(rows["other"]),
            (mcnemar, "points"): cell_texts(rows["accuracy_points"], signed),
            (mcnemar, "method alone right"): cell_texts(rows["only_method"], count_text),
            (mcnemar, "other alone right"): cell_texts(rows["only_other"], count_text),
            (mcnemar, "p"): cell_texts(rows["p_value"], p_value_text),
            (mcnemar, "p, Holm"): cell_texts(rows["p_holm"], p_value_text),
            (valid, "points"): cell_texts(rows["mean_points"], signed),
            (valid, "95 %"): interval_texts(rows["low"], rows["high"]),
            (valid, "p"): cell_texts(rows["valid_p_value"], p_value_text),
            (valid, "95 %, Holm"): interval_texts(rows["holm_low"], rows["holm_high"]),
            (valid, "p, Holm"): cell_texts(rows["valid_p_holm"], p_value_text),
            (valid, "over"): [_independent(row) for row in rows.to_dict("records")],
            (valid, "decision"): rows["decision"].astype(str).tolist(),
        }
    )


class Pair(NamedTuple):
    """A method against another: points and p-value of the paper's test, points, Holm's p and decision of a valid one."""

    points: float
    p_value: float
    mean_points: float
    valid_p_holm: float
    decision: str

    @property
    def agrees(self) -> bool:
        """Whether the sequence-level test finds the difference of the paper's test."""
        return self.decision == ("better" if self.points > 0 else "worse")

    @property
    def text(self) -> str:
        """What the sequence-level test says."""
        if not self.decision:
            return DASH
        return f"{signed(self.mean_points)} ({p_text(self.valid_p_holm)}) {self.decision}"


def find_pair(pairs: Rows, dataset: str, decoder: str, method: str, other: str) -> Pair:
    """The comparison of two methods, whichever comes first; NaN and an empty decision where there is none."""
    for first, second, sign in ((method, other, 1), (other, method, -1)):
        row = pairs.get((dataset, decoder, first, second))
        if row is not None:
            decision = str(row["decision"]) if sign > 0 else opposite(str(row["decision"]))
            points = sign * row["accuracy_points"], row["p_value"]
            return Pair(*points, sign * row["mean_points"], row["valid_p_holm"], decision)
    return Pair(np.nan, np.nan, np.nan, np.nan, "")


def _independent(row: Row) -> str:
    """What the test takes as independent, and how many of it; "these trainings" where it is not about the methods."""
    of_blocks = row["valid_test"] == BLOCKS
    units = f"{count_text(row['n_blocks'])} blocks" if of_blocks else f"{count_text(row['n_clusters'])} sequences"
    return units if row["about"] == METHODS else f"{units}, {row['about']}"
