"""Tests of two methods on the same positions: McNemar's (PhD, section 3.5), and sign flips of whole clusters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc, stdtr

from treecrf.io.arrays import Bools, Floats, Ints, as_array, integers, listed_arrays, reals
from treecrf.io.messages import counted
from treecrf.statistics.estimates import adjust_holm, check_columns
from treecrf.statistics.two_way import LARGEST, Pairs, make_pairs

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
    correct: Floats
    """Shape (n_methods, n_positions); 1 where the method is right and 0 where it is wrong."""
    sequences: Ints
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


def _test_plain(only_method: Ints, only_other: Ints, exact_under: int) -> tuple[Floats, Floats, Bools]:
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


def _test_clustered(differences: Floats) -> tuple[Floats, Floats]:
    """Statistic and p-value from the differences of correct positions, shape (n_pairs, n_sequences)."""
    n_pairs, n_sequences = differences.shape
    if n_sequences < 2:
        return np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
    squares = (differences**2).sum(axis=1)
    statistic = differences.sum(axis=1) ** 2 / np.where(squares > 0, squares, 1)
    return statistic, np.asarray(chdtrc(1, statistic))


# --- sign flips ------------------------------------------------------------------------------------

MOST_EXACT = 2**14
"""Up to this many flips are enumerated."""

N_FLIPS = 10_000

ROUNDING = 1e-12
"""By which equal differences of ratios may differ."""

MAX_FLIPS = 2**22
"""Cells of the matrix of flips that are multiplied at once."""

FLIP_COLUMNS = (
    "method",
    "other",
    "accuracy_points",
    "training_error",
    "trainings_vary",
    "n_clusters",
    "exact",
    "p_value",
    "p_holm",
)


def compare_flips(
    methods: Sequence[str], correct: Sequence[NDArray[np.integer]], n_positions: int, seed: int, n_flips: int = N_FLIPS
) -> pd.DataFrame:
    """Every pair of methods by sign flips, all trainings of each.

    Parameters
    ----------
    methods : sequence of str
        Names.
    correct : sequence of int arrays, shape (n_trainings, n_clusters)
        Correct positions of each method in each training and cluster; the number of trainings may differ.
    n_positions : int
        Of all clusters together.
    seed : int
        Of the flips (`treecrf.statistics.selection.derive_seed`); all pairs share them.
    n_flips : int
        Where they are not enumerated, the identity included.

    Returns
    -------
    DataFrame
        method, other
            What is compared, in the order of `methods`.
        accuracy_points
            Mean accuracy of `method` minus that of `other`, in percentage points.
        training_error
            Standard error in points that the trainings add to that of the clusters, from what all clusters share of a
            training.
        trainings_vary
            False where one of the two was trained once: then the test speaks of that one trained model and not of the
            method.
        n_clusters, exact, p_value, p_holm
            `exact` where the flips are enumerated; Holm's correction over all pairs.

    Notes
    -----
    See `flip_p_values` for the null hypothesis.
    """
    arrays = listed_arrays(correct)
    if len(arrays) != len(methods):
        raise ValueError(
            f"correct has {counted(len(arrays), 'array')} for {counted(len(methods), 'method')}; give one for each."
        )
    pairs = make_pairs(arrays)
    p_value = pair_p_values(pairs, seed, n_flips)
    n_clusters = pairs.differences.shape[1]
    return pd.DataFrame(
        {
            "method": [methods[index] for index in pairs.first],
            "other": [methods[index] for index in pairs.second],
            "accuracy_points": pairs.points(n_positions),
            "training_error": 100 * np.sqrt(pairs.training_variance) / (pairs.scale * n_positions),
            "trainings_vary": pairs.trainings_vary,
            "n_clusters": n_clusters,
            "exact": is_exact(n_clusters),
            "p_value": p_value,
            "p_holm": adjust_holm(p_value),
        },
        columns=list(FLIP_COLUMNS),
    )


def pair_p_values(pairs: Pairs, seed: int, n_flips: int = N_FLIPS) -> Floats:
    """p-values of all pairs by the same flips, shape (n_pairs,).

    Parameters
    ----------
    pairs : Pairs
        Of `treecrf.statistics.two_way.make_pairs`.
    seed, n_flips : int
        As for `compare_flips`.
    """
    flips = draw_flips(pairs.differences.shape[1], seed, n_flips)
    return flip_p_values(pairs.differences, flips, np.sqrt(pairs.training_variance), pairs.degrees_of_freedom)


def swap_p_value(numerators: NDArray[np.integer], denominators: NDArray[np.integer], seed: int) -> float:
    """Two labellings by the ratio of two sums, such as F1, whose parts are exchanged in whole clusters at random.

    Parameters
    ----------
    numerators, denominators : int arrays, shape (2, n_clusters)
        Of each labelling, by cluster.
    seed : int
        Of the exchanges (`draw_flips`).

    Returns
    -------
    float
        The share of exchanges after which the ratios differ at least as much (approximate randomization, Noreen 1989,
        Computer-Intensive Methods for Testing Hypotheses; for F1: Yeh 2000, COLING).
    """
    n_clusters = numerators.shape[1]
    flips = draw_flips(n_clusters, seed)
    chunks = np.array_split(flips, -(-flips.size // MAX_FLIPS))

    def ratios(parts: NDArray[np.integer]) -> Floats:
        halves = (parts[0] - parts[1]) / 2
        exchanged = np.concatenate([chunk @ halves for chunk in chunks])
        return np.asarray(parts.sum() / 2 + [exchanged, -exchanged])

    above, below = ratios(numerators), np.maximum(ratios(denominators), 1)
    differences = np.abs(np.subtract(*(above / below)))
    return float((differences >= differences[0] - ROUNDING).mean())


def is_exact(n_clusters: int) -> bool:
    """Whether the flips of so many clusters are enumerated."""
    return 2**n_clusters <= MOST_EXACT


def draw_flips(n_clusters: int, seed: int, n_flips: int = N_FLIPS) -> NDArray[np.int8]:
    """Signs 1 and -1 of clusters, shape (n_flips, n_clusters), the first row without a -1.

    All 2^n_clusters where these are at most `MOST_EXACT`, otherwise `n_flips`, of which all but the first are drawn.

    Parameters
    ----------
    n_clusters, seed, n_flips : int
    """
    if is_exact(n_clusters):
        numbers = np.arange(2**n_clusters)[:, None]
        return (1 - 2 * (numbers >> np.arange(n_clusters) & 1)).astype(np.int8)
    draws = np.random.default_rng(seed).integers(0, 256, (n_flips, -(-n_clusters // 8)), dtype=np.uint8)
    draws[0] = 0
    return 1 - 2 * np.unpackbits(draws, axis=1, count=n_clusters).astype(np.int8)


def flip_sums(differences: NDArray[np.integer], flips: NDArray[np.int8]) -> Floats:
    """Sum of the differences under each flip, exact whole numbers; shape (n_pairs, n_flips).

    Parameters
    ----------
    differences : int array, shape (n_pairs, n_clusters)
    flips : int8 array, shape (n_flips, n_clusters)
        Of `draw_flips`.
    """
    differences = integers(differences, "differences", ("n_pairs", "n_clusters"), some=False, floats=False)
    flips = as_array(flips, "flips")
    if flips.shape[1:] != differences.shape[1:] or flips.dtype.kind not in "if" or not (np.abs(flips) == 1).all():
        raise ValueError(
            f"flips must be 1 and -1, of shape (n_flips, {differences.shape[1]}); take those of draw_flips."
        )
    largest = np.abs(differences).sum(axis=1).max(initial=0)
    if largest >= LARGEST:
        raise ValueError(f"The differences add up to {largest}; give them with a smaller common denominator.")
    kind = np.float32 if largest < 2**24 else np.float64  # either holds these whole numbers exactly
    columns: NDArray[np.floating] = np.ascontiguousarray(differences.T, dtype=kind)
    sums = np.empty((len(flips), len(differences)))
    step = max(1, MAX_FLIPS // flips.shape[1])
    for begin in range(0, len(flips), step):
        chunk: NDArray[np.floating] = flips[begin : begin + step].astype(kind)
        sums[begin : begin + step] = chunk @ columns
    return sums.T


def flip_p_values(
    differences: NDArray[np.integer],
    flips: NDArray[np.int8],
    training_error: Floats | None = None,
    degrees_of_freedom: Floats | None = None,
) -> Floats:
    """Two-sided p-values of sums of differences, shape (n_pairs,).

    Parameters
    ----------
    differences : int array, shape (n_pairs, n_clusters)
        Correct positions of one method minus those of the other, times any common denominator.
    flips : int8 array, shape (n_flips, n_clusters)
        Of `draw_flips`.
    training_error, degrees_of_freedom : float arrays, shape (n_pairs,), optional
        Standard error of the sums from the trainings, and its degrees of freedom (`treecrf.statistics.two_way.Pairs`).

    Notes
    -----
    Without a training error, the null hypothesis is that of two *trained models*: within a cluster, exchanging the two
    changes no probability. Clusters are independent; nothing is assumed within one. The p-value is the share of flips
    whose sum is at least as large as the observed one, which is a flip itself, so that it is never 0 (Fisher 1935;
    Phipson and Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9:39). The level is exact; with n
    clusters no p-value is below 2^(1 - n), so fewer than six clusters cannot reach 0.05.

    With one, it is that of two *methods*: the same, for models that are drawn anew, the trainings of each method
    independent of those of the other. The sum is then that of the flips and of s times Student's t, and the p-value

        mean over flips f of  P(t > (abs(D) - D_f) / s) + P(t < (-abs(D) - D_f) / s).

    With a small s the identity and its mirror image would count half, so p is never below that of the flips alone.

    s^2 must hold what all clusters share of a training, and no more: how a training happens to suit single clusters is
    in the differences, and so in the flips, already. With the plain between-training variance as s^2 that part counts
    twice, and two methods that differ in nothing but seeds would hardly ever be told apart. The level holds in the
    limit of many clusters and trainings, and is below the nominal one with three trainings.

    Methods of equal expected accuracy need not be exchangeable: where the differences of clusters are skewed, the level
    for that weaker hypothesis, too, holds in the limit only.
    """
    differences = integers(differences, "differences", ("n_pairs", "n_clusters"), some=False, floats=False)
    sums = flip_sums(differences, flips)
    observed = np.abs(differences.sum(axis=1))[:, None]
    p_values = (np.abs(sums) >= observed).mean(axis=1)
    if training_error is not None and degrees_of_freedom is not None:
        shape = differences.shape[:1]
        training_error = reals(training_error, "training_error", shape, least=0, known=False, some=False)
        degrees_of_freedom = reals(degrees_of_freedom, "degrees_of_freedom", shape, least=0, known=False, some=False)
        for pair in np.flatnonzero((training_error > 0) & (observed[:, 0] > 0)):
            p_value = _convolved(sums[pair], float(observed[pair, 0]), training_error[pair], degrees_of_freedom[pair])
            p_values[pair] = max(p_values[pair], p_value)
    return p_values


def _convolved(sums: Floats, observed: float, error: float, degrees: float) -> float:
    """P(abs(sum of a flip + error t) >= observed), the mean over the flips."""
    values, counts = np.unique(np.abs(sums), return_counts=True)
    tails = stdtr(degrees, (values - observed) / error) + stdtr(degrees, (-values - observed) / error)
    return float(counts @ tails / counts.sum())


MOST_CLUSTERS = 400
"""More clusters are added up in so many, which stay independent."""


def score_flip_p_value(scores: Floats, seed: int, n_flips: int = N_FLIPS) -> float:
    """The p-value of no association, from what each cluster contributes to one or several scores.

    Parameters
    ----------
    scores : float64, shape (n_clusters, n_scores)
        Contributions of expectation 0 if there is no association, such as (hole - rate) (label - rate), summed over a
        sequence.
    seed, n_flips : int
        As for `treecrf.statistics.paired.draw_flips`.

    Returns
    -------
    float
        Of the largest of the standardized scores; 1 if all are 0, and never below 2^(1 - n_clusters).

    Notes
    -----
    Signs of score contributions are flipped, those of a cluster together (Hemerik, Goeman and Finos 2020, Journal of
    the Royal Statistical Society B 82:841-864): valid for many clusters, whatever the dependence within one. The
    largest score is compared with the largest of each flip (Westfall and Young 1993), so several need no correction.
    """
    scores = reals(scores, "scores", ("n_clusters", "n_scores"))
    if len(scores) > MOST_CLUSTERS:
        part = np.arange(len(scores)) % MOST_CLUSTERS
        scores = np.array([scores[part == number].sum(axis=0) for number in range(MOST_CLUSTERS)])
    scale = np.sqrt((scores**2).sum(axis=0))
    varies = scale > 0
    if not varies.any():
        return 1.0
    standard = scores[:, varies] / scale[varies]
    flips = draw_flips(len(standard), seed, n_flips)
    largest = np.abs(flips.astype(np.float64) @ standard).max(axis=1)
    tolerance = 1e-9  # sums of the same numbers in another order
    return float((largest >= largest[0] - tolerance).mean())
