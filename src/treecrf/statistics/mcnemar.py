"""McNemar's test: whether two methods are right on equally many of the same positions (PhD, section 3.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from treecrf.statistics.counts import check_columns
from treecrf.statistics.estimates import adjust_holm

OUTCOME_COLUMNS = ("dataset", "decoder", "method", "sequence", "position", "correct")

PAIR_COLUMNS = (
    "dataset",
    "decoder",
    "method",
    "other",
    "n_positions",
    "n_both",
    "only_method",
    "only_other",
    "n_neither",
    "accuracy_points",
    "statistic",
    "p_value",
    "exact",
    "p_holm",
    "clustered_statistic",
    "clustered_p_value",
    "clustered_p_holm",
)


def compare_pairs(outcomes: pd.DataFrame, exact_under: int = 25) -> pd.DataFrame:
    """Every pair of methods on the same positions: McNemar's test, plain and clustered by test sequence.

    Data sets and decoders with fewer than two methods are left out.

    Parameters
    ----------
    outcomes : DataFrame
        dataset, decoder, method, sequence (of the test set), position (numbered through the whole data set), correct
        (bool); one row for each data set, decoder, method and position.
    exact_under : int
        Pairs with fewer discordant positions (one method right, the other wrong) are tested exactly.

    Returns
    -------
    DataFrame
        One row for each data set, decoder and pair of methods, all in order of first appearance in `outcomes`.

        dataset, decoder, method, other
            What is compared.
        n_positions, n_both, only_method, only_other, n_neither
            All positions, and those on which both methods, one of them or neither is right.
        accuracy_points
            Accuracy of `method` minus that of `other`, in percentage points.
        statistic, p_value, exact, p_holm
            McNemar's test, whether it is exact (then statistic is NaN: the p-value comes from the counts), and Holm's
            correction over the pairs of the data set and decoder.
        clustered_statistic, clustered_p_value, clustered_p_holm
            The test that takes the sequences as independent and not the positions. NaN where there are fewer than
            two sequences.

    Raises
    ------
    ValueError
        If a column is missing, a cell is empty, correct is not bool, a method has none or more than one outcome for a
        position that the data set and decoder have, or a position is in more than one sequence.

    Notes
    -----
    With b and c discordant positions in favour of either method:

    - plain: ``(|b - c| - 1)^2 / (b + c)``, chi-square with 1 degree of freedom (McNemar 1947, Psychometrika 12:153-157;
      the continuity correction is that of Edwards 1948, Psychometrika 13:185-187). Where b = c the statistic is 0 and
      the p-value 1, as in R's ``mcnemar.test`` (statsmodels gives 1 / (b + c)).
    - exact: twice the binomial probability of at most min(b, c) heads in b + c tosses, at most 1.
    - clustered: ``(sum d_k)^2 / sum d_k^2`` for d_k = b_k - c_k of sequence k, chi-square with 1 degree of freedom; 0
      where every d_k is 0. This is the test of Obuchowski (1998, Statistics in Medicine 17:1495-1507) without her
      factor (K - 1) / K for K sequences, and for sequences of equal length that of Durkalski et al. (2003, Statistics
      in Medicine 22:2417-2428), who divide d_k by the length. Where every sequence has one position it is the plain
      test without the correction. It cannot exceed the number of sequences: few of them give no small p-value.
    """
    _check(outcomes)
    frames = [_comparisons(table, exact_under) for table in _tables(outcomes)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(PAIR_COLUMNS))


@dataclass(frozen=True)
class _Table:
    """The outcomes of one data set and decoder."""

    dataset: str
    decoder: str
    methods: NDArray[np.object_]
    correct: NDArray[np.float64]
    """Shape (n_methods, n_positions); 1 where the method is right and 0 where it is wrong."""
    sequences: NDArray[np.int64]
    """Shape (n_positions,), from 0."""


def _check(outcomes: pd.DataFrame) -> None:
    """Raise where a column cannot be used."""
    check_columns(outcomes, "outcomes", OUTCOME_COLUMNS)
    if not pd.api.types.is_bool_dtype(outcomes["correct"]):
        raise ValueError(f"The column 'correct' of the outcomes is {outcomes['correct'].dtype}; make it bool.")


def _tables(outcomes: pd.DataFrame) -> Iterator[_Table]:
    """The outcomes of each data set and decoder with something to compare."""
    method = pd.Categorical(outcomes["method"], categories=list(outcomes["method"].unique()))
    groups = outcomes.assign(method=method).groupby(["dataset", "decoder"], sort=False, observed=True)
    for (dataset, decoder), group in groups:
        if group["method"].nunique() < 2:
            continue
        yield _make_table(str(dataset), str(decoder), group)


def _make_table(dataset: str, decoder: str, group: pd.DataFrame) -> _Table:
    """Lay out the outcomes of one data set and decoder by method (in the order of its categories) and position."""
    method, methods = pd.factorize(group["method"], sort=True)
    position, positions = pd.factorize(group["position"], sort=True)
    shape = len(methods), len(positions)
    place = np.ravel_multi_index((method, position), shape)
    n_outcomes = np.bincount(place, minlength=math.prod(shape)).reshape(shape)
    if (n_outcomes != 1).any():
        row, column = np.argwhere(n_outcomes != 1)[0]
        raise ValueError(
            f"Method {methods[row]!r} has {n_outcomes[row, column]} outcomes for position {positions[column]} of "
            f"{dataset}, {decoder}; give every method one for each position of the data set."
        )
    codes = pd.factorize(group["sequence"])[0]
    sequences = np.empty(len(positions), dtype=np.int64)
    sequences[position] = codes
    elsewhere = sequences[position] != codes
    if elsewhere.any():
        raise ValueError(
            f"Position {positions[position[elsewhere.argmax()]]} of {dataset}, {decoder} is in more than one sequence; "
            "give it the same one for every method."
        )
    correct = np.empty(shape)
    correct[method, position] = group["correct"]
    return _Table(dataset, decoder, np.asarray(methods, dtype=object), correct, sequences)


def _comparisons(table: _Table, exact_under: int) -> pd.DataFrame:
    """Each method against those after it."""
    method, other = np.triu_indices(len(table.methods), k=1)
    n_positions = table.correct.shape[1]
    common = (table.correct @ table.correct.T).astype(np.int64)  # sums of 0 and 1, exact in any order
    n_correct, n_both = common.diagonal(), common[method, other]
    only_method, only_other = n_correct[method] - n_both, n_correct[other] - n_both
    by_sequence = np.array([np.bincount(table.sequences, row) for row in table.correct])
    statistic, p_value, exact = _test_plain(only_method, only_other, exact_under)
    clustered_statistic, clustered_p_value = _test_clustered(by_sequence[method] - by_sequence[other])
    return pd.DataFrame(
        {
            "dataset": table.dataset,
            "decoder": table.decoder,
            "method": table.methods[method],
            "other": table.methods[other],
            "n_positions": n_positions,
            "n_both": n_both,
            "only_method": only_method,
            "only_other": only_other,
            "n_neither": n_positions - n_both - only_method - only_other,
            "accuracy_points": 100 * (only_method - only_other) / n_positions,
            "statistic": statistic,
            "p_value": p_value,
            "exact": exact,
            "p_holm": adjust_holm(p_value),
            "clustered_statistic": clustered_statistic,
            "clustered_p_value": clustered_p_value,
            "clustered_p_holm": adjust_holm(clustered_p_value),
        },
        columns=list(PAIR_COLUMNS),
    )


def _test_plain(
    only_method: NDArray[np.int64], only_other: NDArray[np.int64], exact_under: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """McNemar's statistic and p-value, and whether it is exact, for pairs with these discordant positions."""
    discordant = only_method + only_other
    exact = discordant < exact_under
    excess = np.maximum(np.abs(only_method - only_other) - 1, 0)
    statistic = np.where(exact, np.nan, excess**2 / np.maximum(discordant, 1))
    p_value = np.asarray(chdtrc(1, statistic))
    if exact.any():
        from scipy.stats import binom  # takes a second to import

        fewer = np.minimum(only_method, only_other)[exact]
        p_value[exact] = np.minimum(2 * binom.cdf(fewer, discordant[exact], 0.5), 1)
    return statistic, p_value, exact


def _test_clustered(differences: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Statistic and p-value from the differences of correct positions, shape (n_pairs, n_sequences)."""
    n_pairs, n_sequences = differences.shape
    if n_sequences < 2:
        return np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
    squares = (differences**2).sum(axis=1)
    statistic = differences.sum(axis=1) ** 2 / np.where(squares > 0, squares, 1)
    return statistic, np.asarray(chdtrc(1, statistic))
