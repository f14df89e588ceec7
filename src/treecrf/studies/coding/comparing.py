"""Tests between the methods of the study on one data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.equivalence import CONFIDENCE, decide
from treecrf.statistics.estimates import Estimates
from treecrf.statistics.mcnemar import compare_pairs
from treecrf.statistics.pairs import Pairs, make_pairs
from treecrf.statistics.resampled import estimate_resampled
from treecrf.statistics.selection import derive_seed
from treecrf.statistics.sign_flip import pair_p_values
from treecrf.statistics.two_way import estimate_trainings

COMPARISON_NAMES = [
    "dataset", "window", "method", "other", "n_seeds", "n_clusters", "accuracy_points", "points_low", "points_high", "low_90",
    "high_90", "valid_p_value", "margin", "decision", "papers_p",
]  # fmt: skip


class Rules(NamedTuple):
    """How methods are compared: settings of these names, and how much draws overlap."""

    exact_under: int
    equivalence_margin: float
    seed: int
    test_per_train: float


class Counts(NamedTuple):
    """Correct positions of methods.

    Attributes
    ----------
    methods : tuple of str
    correct : int64, shape (n_methods, n_draws, n_clusters)
        Of groups of related sequences; 0 for those that a draw has not.
    positions : int64, shape (n_draws, n_clusters)
        All positions.
    """

    methods: tuple[str, ...]
    correct: NDArray[np.int64]
    positions: NDArray[np.int64]


def count_correct(predictions: pd.DataFrame) -> Counts:
    """Correct positions by method, draw and group of related sequences, of predictions of one window."""
    rows = predictions.assign(correct=(predictions["label"] == predictions["predicted"]).astype(np.int64))
    methods, seeds = list(dict.fromkeys(rows["method"])), sorted(set(rows["seed"]))
    n_clusters = int(rows.groupby("seed")["group"].nunique().max())
    correct = np.zeros((len(methods), len(seeds), n_clusters), dtype=np.int64)
    positions = np.zeros((len(seeds), n_clusters), dtype=np.int64)
    for draw, seed in enumerate(seeds):
        of_draw = rows[rows["seed"] == seed]
        cluster = pd.factorize(of_draw["group"], sort=True)[0]
        method = of_draw["method"].map(methods.index).to_numpy()
        np.add.at(correct, (method, draw, cluster), of_draw["correct"].to_numpy())
        first = method == method[0]
        np.add.at(positions, (draw, cluster[first]), 1)
    return Counts(tuple(methods), correct, positions)


def compare_methods(predictions: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Every pair of methods on one data set with the same window.

    Parameters
    ----------
    predictions : DataFrame
        Of `treecrf.studies.coding.jobs.Outcome`, one size of each method.
    rules : Rules

    Returns
    -------
    DataFrame
        Columns `COMPARISON_NAMES`: accuracy of `method` minus that of `other` in points, its intervals of 95 % and 90 %, p-value
        and decision, from several draws by the corrected resampled t test, from one draw by flips of groups of related
        sequences, which speak of the trained models; for the margin of equivalence; and p of McNemar's test, the median over draws.
    """
    dataset = str(predictions["dataset"].iloc[0])
    parts = []
    for window, of_window in predictions.groupby("window", sort=True):
        counts = count_correct(of_window)
        if len(counts.methods) > 1:
            seed = derive_seed(rules.seed, dataset, window, "flips")
            valid = compare_counts(counts, seed, rules)
            papers = _papers_test(of_window, rules.exact_under)
            parts.append(valid.merge(papers, on=["method", "other"]).assign(dataset=dataset, window=window))
    return pd.concat(parts, ignore_index=True)[COMPARISON_NAMES] if parts else pd.DataFrame(columns=COMPARISON_NAMES)


def compare_gains(predictions: pd.DataFrame, gains: Sequence[tuple[str, str]], rules: Rules) -> pd.DataFrame:
    """How much larger the gain of one method over another is with the smallest window than with the next one.

    `gains` are pairs (method, other). The columns are those of `compare_methods`, less the paper's test, which there is none of.
    """
    windows = sorted(set(predictions["window"]))[:2]
    by_window = [count_correct(predictions[predictions["window"] == window]) for window in windows]
    parts = []
    for method, other in gains:
        if len(windows) < 2 or not all({method, other} <= set(counts.methods) for counts in by_window):
            continue
        small, large = (
            [counts.correct[counts.methods.index(name)] for name in (method, other)] for counts in by_window
        )
        crossed = np.stack([small[0] + large[1], small[1] + large[0]])
        seed = derive_seed(rules.seed, predictions["dataset"].iloc[0], method, other, "gains")
        parts.append(compare_counts(Counts((method, other), crossed, by_window[0].positions), seed, rules))
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COMPARISON_NAMES)
    names = [name for name in COMPARISON_NAMES if name != "papers_p"]
    dataset, window = predictions["dataset"].iloc[0], f"{windows[0]} - {windows[-1]}"
    return found.assign(dataset=dataset, window=window)[names]


def compare_counts(counts: Counts, seed: int, rules: Rules) -> pd.DataFrame:
    """The valid test of every pair of methods, with one draw or several."""
    n_draws = len(counts.positions)
    pairs = make_pairs([of_method.sum(axis=0, keepdims=True) for of_method in counts.correct])
    if n_draws > 1:
        estimates = _over_draws(counts, pairs, rules.test_per_train)
        p_value = estimates.p_value
    else:
        estimates = estimate_trainings(pairs, counts.positions[0])
        p_value = pair_p_values(pairs, seed)
    (low, high), (low_90, high_90) = estimates.interval(), estimates.interval(CONFIDENCE)
    return pd.DataFrame(
        {
            "method": [counts.methods[place] for place in pairs.first],
            "other": [counts.methods[place] for place in pairs.second],
            "n_seeds": n_draws, "n_clusters": counts.positions.shape[1], "accuracy_points": estimates.points,
            "points_low": low, "points_high": high, "low_90": low_90, "high_90": high_90, "valid_p_value": p_value,
            "margin": rules.equivalence_margin,
            "decision": decide(estimates.points, p_value, low_90, high_90, margin=rules.equivalence_margin),
        }
    )  # fmt: skip


def _over_draws(counts: Counts, pairs: Pairs, test_per_train: float) -> Estimates:
    totals = counts.correct.sum(axis=2)
    return estimate_resampled(totals[pairs.first] - totals[pairs.second], counts.positions.sum(axis=1), test_per_train)


def _papers_test(predictions: pd.DataFrame, exact_under: int) -> pd.DataFrame:
    """McNemar's test of every pair in every draw: method, other, papers_p."""
    outcomes = predictions.assign(
        decoder=predictions["seed"],  # a family of tests each
        sequence=predictions["group"],
        correct=predictions["label"] == predictions["predicted"],
    )
    tests = compare_pairs(outcomes[["dataset", "decoder", "method", "sequence", "position", "correct"]], exact_under)
    return tests.groupby(["method", "other"], sort=False).agg(papers_p=("p_value", "median")).reset_index()
