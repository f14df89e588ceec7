"""Methods on one or several draws of a data set: tests between them, and how much draws overlap."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.grouping import observed
from treecrf.statistics.estimates import (
    CONFIDENCE,
    SIGNIFICANCE_LEVEL,
    TESTED,
    Estimates,
    adjust_holm,
    decide,
    estimate_resampled,
    tested,
)
from treecrf.statistics.paired import compare_pairs
from treecrf.statistics.two_way import Pairs, estimate_trainings, make_pairs
from treecrf_studies.datasets import describe
from treecrf_studies.datasets.synthetic import Splits
from treecrf_studies.framework.jobs import SummaryContext

FAMILY = ["family_low", "family_high", "p_holm"]
"""Columns of comparisons with a correction for the family of pairs (`of_family`)."""

OF_DRAWS = ["papers_p", "n_significant", "n_better", "n_worse"]
"""By McNemar's test, the median p-value of the draws, and how many are significant; in how many the first is better."""

COMPARISON_NAMES = ["dataset", "method", "other", "n", "n_clusters", *TESTED, "margin", "decision", *OF_DRAWS]


class Rules(NamedTuple):
    """How methods are compared: settings of these names, and how much draws overlap."""

    exact_under: int
    equivalence_margin: float
    test_per_train: float


class Counts(NamedTuple):
    """Correct positions of methods.

    `correct` has shape (n_methods, n_draws, n_clusters), `positions` (all of them) shape (n_draws, n_clusters);
    clusters are groups of related sequences, with 0 for those that a draw has not.
    """

    methods: tuple[str, ...]
    correct: NDArray[np.int64]
    positions: NDArray[np.int64]


def rules_of(context: SummaryContext) -> Rules:
    """How the methods of a study that draws its sets are compared."""
    overlap = overlap_of(context.of_jobs("runs"), context.source)
    return Rules(**context.settings, test_per_train=overlap)


def overlap_of(runs: pd.DataFrame, source: str) -> float:
    """How much the draws of a data set overlap; 0 where every draw of the data set `source` is fresh.

    Test positions by training positions, times the part of the sample that a draw takes: the correction for draws that
    divide all of a sample assumes more overlap than there is between draws of a part of it (docs/statistics.md). `runs`
    has the columns n_train, n_test (positions) and shared_part (`treecrf_studies.framework.resamples.shared_part`).
    """
    if describe(source).kind == "generated":
        return 0.0
    return float((runs["shared_part"] * runs["n_test"] / runs["n_train"]).mean())


def count_correct(predictions: pd.DataFrame) -> Counts:
    """Correct positions by method, draw and group of related sequences; columns as for `compare_draws`."""
    rows = predictions.assign(correct=(predictions["label"] == predictions["predicted"]).astype(np.int64))
    methods, draws = list(dict.fromkeys(rows["method"])), sorted(set(rows["draw"]))
    n_clusters = int(rows.groupby("draw")["group"].nunique().max())
    correct = np.zeros((len(methods), len(draws), n_clusters), dtype=np.int64)
    positions = np.zeros((len(draws), n_clusters), dtype=np.int64)
    for place, draw in enumerate(draws):
        of_draw = rows[rows["draw"] == draw]
        cluster = pd.factorize(of_draw["group"], sort=True)[0]
        method = of_draw["method"].map(methods.index).to_numpy()
        np.add.at(correct, (method, place, cluster), of_draw["correct"].to_numpy())
        first = method == method[0]
        np.add.at(positions, (place, cluster[first]), 1)
    return Counts(tuple(methods), correct, positions)


def compare_draws(predictions: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Every pair of methods on one data set: the columns `COMPARISON_NAMES`; no rows with fewer than two methods.

    `predictions` have a row for each method and test position of a draw: dataset, method, draw, group (of
    related sequences), position, label, predicted. Accuracy is that of `method` minus that of `other` in points. From
    several draws its standard error, degrees of freedom, intervals (95 % and 90 %), p-value and decision are by the
    corrected resampled t test; from one draw by a t test over groups of related sequences, which speaks of the trained
    models. p of McNemar's test is the median over draws, of which some are significant.
    """
    counts = count_correct(predictions)
    if len(counts.methods) < 2:
        return pd.DataFrame(columns=COMPARISON_NAMES)
    tests = compare_counts(counts, rules).merge(_papers_test(predictions, rules.exact_under), on=["method", "other"])
    return tests.assign(dataset=predictions["dataset"].iloc[0])[COMPARISON_NAMES]


def compare_counts(counts: Counts, rules: Rules) -> pd.DataFrame:
    """The sequence-level test of every pair of methods, with one draw or several."""
    n_draws = len(counts.positions)
    pairs = make_pairs([of_method.sum(axis=0, keepdims=True) for of_method in counts.correct])
    if n_draws > 1:
        estimates = _over_draws(counts, pairs, rules.test_per_train)
    else:
        estimates = estimate_trainings(pairs, counts.positions[0])
    return pd.DataFrame(
        {
            "method": [counts.methods[place] for place in pairs.first],
            "other": [counts.methods[place] for place in pairs.second],
            "n": n_draws,
            "n_clusters": counts.positions.shape[1],
            **tested(estimates),
            "margin": rules.equivalence_margin,
            "decision": decided(estimates, estimates.p_value, rules.equivalence_margin),
        }
    )


def of_family(estimates: Estimates, p_value: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Intervals (Bonferroni) and p-values (Holm) of a family, further columns of comparisons."""
    return dict(zip(FAMILY, (*estimates.interval_bonferroni(), adjust_holm(p_value)), strict=True))


def decided(estimates: Estimates, p_value: NDArray[np.float64], margin: float) -> NDArray[np.object_]:
    """The decision of each comparison by a p-value and the 90 % interval."""
    return decide(estimates.points, p_value, *estimates.interval(CONFIDENCE), margin=margin)


def _over_draws(counts: Counts, pairs: Pairs, test_per_train: float) -> Estimates:
    totals = counts.correct.sum(axis=2)
    return estimate_resampled(totals[pairs.first] - totals[pairs.second], counts.positions.sum(axis=1), test_per_train)


def _papers_test(predictions: pd.DataFrame, exact_under: int) -> pd.DataFrame:
    """Every pair in every draw: method, other and `OF_DRAWS`."""
    outcomes = predictions.assign(
        decoder=predictions["draw"],  # a family of tests each
        sequence=predictions["group"],
        correct=predictions["label"] == predictions["predicted"],
    )
    tests = compare_pairs(outcomes[["dataset", "decoder", "method", "sequence", "position", "correct"]], exact_under)
    points, p_value = tests["accuracy_points"], tests["p_value"]
    flagged = tests.assign(significant=p_value < SIGNIFICANCE_LEVEL, better=points > 0, worse=points < 0)
    columns = {"papers_p": ("p_value", "median")}
    columns |= {f"n_{name}": (name, "sum") for name in ("significant", "better", "worse")}
    return flagged.groupby(["method", "other"], sort=False).agg(**columns).reset_index()


def shared_part(draws: Iterable[Splits]) -> float:
    """Which part of the sequences of one draw is in another one, on average; 1 with a single draw.

    It is the share of a finite sample that each draw takes, where draws are random ones from it, and 1 where all draws
    divide the same sequences.
    """
    drawn = [{sequence for data in sets for sequence in observed(data)} for sets in draws]
    shares = [len(one & other) / len(one) for one, other in permutations(drawn, 2)]
    return float(np.mean(shares)) if shares else 1.0
