"""Clusters that take the place of sequences: blocks of positions where these are few, crossed with damaged training
sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.fft import irfft, next_fast_len, rfft

from treecrf.io import arrays
from treecrf.io.arrays import Bools, Ints, as_array, integers, listed_arrays, truths
from treecrf.io.messages import counted
from treecrf.statistics.estimates import (
    EVALUATION_COLUMNS,
    MARGIN,
    Estimates,
    check_counts,
    decide,
    lay_out,
    tested,
)
from treecrf.statistics.two_way import BLOCK, GROUP, estimate_crossed, estimate_trainings, make_pairs
from treecrf.statistics.variance import COMPONENT_COLUMNS, decompose_variance

LEAST_LENGTH = 50
"""Positions of a block, at least."""

TIMES = 10
"""Length of a block in autocorrelation times. Blocks then miss about 1 / (2 TIMES) of the variance, across borders."""


class BlockEstimates(NamedTuple):
    """Differences of every pair of methods by block; arrays of shape (n_pairs,), pairs as of `make_pairs`."""

    estimates: Estimates
    n_blocks: Ints
    block_length: Ints


def estimate_blocks(correct: Sequence[Bools], offsets: Ints, least_length: int = LEAST_LENGTH) -> BlockEstimates:
    """Every pair of methods over blocks of positions, all trainings of each (`estimate_trainings`).

    Parameters
    ----------
    correct : sequence of bool arrays, shape (n_trainings, n_positions)
        Where each training of each method is right; the number of trainings may differ.
    offsets : int array, shape (n_sequences + 1,)
        Sequence i has the positions offsets[i] to offsets[i + 1] - 1.
    least_length : int
        Positions of a block, at least.

    Notes
    -----
    What it says is about other lines of *these* sequences. What one method has over the other in a whole document, and
    would not have in the next one, counts as a difference of the methods. Who uses it has to say so, and should take
    sequences where there are enough.

    A block is long enough for its ends to matter little: at least `TIMES` integrated autocorrelation times. The blocks
    of a sequence are nearly equal; a sequence shorter than two blocks is one.
    """
    offsets = arrays.offsets(offsets)
    given = enumerate(
        as_array(of_method, f"correct[{index}]") for index, of_method in enumerate(listed_arrays(correct))
    )
    right = [
        _right(np.atleast_2d(of_method), f"correct[{index}]", offsets).astype(np.int64) for index, of_method in given
    ]
    by_block, counts, lengths = [], [], []
    for first, second in combinations(range(len(right)), 2):
        _, length, starts = choose_blocks(right[first], right[second], offsets, least_length)
        blocks = [np.add.reduceat(of_method, starts, axis=1) for of_method in (right[first], right[second])]
        by_block.append(estimate_trainings(make_pairs(blocks), np.diff(starts, append=offsets[-1])))
        counts.append(len(starts))
        lengths.append(length)
    return BlockEstimates(Estimates.joined(by_block), np.array(counts), np.array(lengths))


def choose_blocks(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    offsets: Ints,
    least_length: int = LEAST_LENGTH,
) -> tuple[float, int, Ints]:
    """Autocorrelation time of the difference of errors, length of blocks, and their first positions.

    Parameters
    ----------
    first, second : int arrays, shape (n_trainings, n_positions)
        1 where a training of either method is right, 0 where it is wrong.
    offsets : int array, shape (n_sequences + 1,)
    least_length : int
        As for `estimate_blocks`.
    """
    offsets = arrays.offsets(offsets)
    of_first, of_second = _right(first, "first", offsets), _right(second, "second", offsets)
    difference = of_first.sum(axis=0) * len(of_second) - of_second.sum(axis=0) * len(of_first)
    time = autocorrelation_time(difference, offsets)
    length = max(least_length, int(np.ceil(TIMES * time)))
    return time, length, cut_blocks(offsets, length)


def _right(correct: ArrayLike, what: str, offsets: Ints) -> Bools:
    return truths(correct, what, ("n_trainings", int(offsets[-1])))


def cut_blocks(offsets: Ints, length: int) -> Ints:
    """First positions of blocks of at least `length` positions, nearly equal in each sequence; at least one for each.

    Sequences without positions have none.

    Parameters
    ----------
    offsets : int array, shape (n_sequences + 1,)
    length : int
    """
    offsets = arrays.offsets(offsets)
    if length < 1 or not offsets[-1]:
        raise ValueError(
            f"{counted(offsets[-1], 'position')} cannot be cut into blocks of {length}; give 1 or more of both."
        )
    starts = [
        begin + (end - begin) * np.arange(n_blocks) // n_blocks
        for begin, end in pairwise(offsets.tolist())
        if (n_blocks := max(1, (end - begin) // length)) and end > begin
    ]
    return np.concatenate(starts).astype(np.int64)


def autocorrelation_time(values: NDArray[np.integer], offsets: Ints) -> float:
    """Integrated autocorrelation time 1 + 2 (r_1 + r_2 + ..) of sequences that share mean and correlations; at least 1.

    Parameters
    ----------
    values : int array, shape (n_positions,)
    offsets : int array, shape (n_sequences + 1,)

    Returns
    -------
    float
        In positions; 1 where no value differs from another.

    Notes
    -----
    Autocovariances are sums over all sequences, none across a border, of deviations from the mean of all: a mean of its
    own for each sequence would hide what is correlated over a whole sequence. The sum stops where two neighbouring ones
    (2m, 2m + 1) add up to nothing or less (the initial positive sequence, Geyer 1992, Statistical Science 7:473-483).
    """
    values = integers(values, "values", ("n_positions",))
    offsets = arrays.offsets(offsets, len(values))
    if np.ptp(values) == 0:
        return 1.0
    deviations = values - values.mean()
    longest = int(np.diff(offsets).max())
    size = next_fast_len(2 * longest, real=True)
    spectrum = np.zeros(size // 2 + 1)
    for begin, end in pairwise(offsets.tolist()):
        spectrum += np.abs(rfft(deviations[begin:end], size)) ** 2
    covariances = irfft(spectrum, size)[: longest - longest % 2].reshape(-1, 2).sum(axis=1)
    n_positive = int(np.argmin(np.append(covariances, 0.0) > 0))
    return max(1.0, float(2 * covariances[:n_positive].sum() / (deviations**2).sum() - 1))


LEAST_BLOCKS = 5
"""Blocks that are left after joining, at least: as many as there are damaged training sets in the papers."""

CROSSED_COLUMNS = (
    "dataset",
    "rate",
    "method",
    "other",
    "value",
    "standard_error",
    "degrees_of_freedom",
    "low",
    "high",
    "p_value",
    "family_low",
    "family_high",
    "p_holm",
    "decision",
    "cluster",
    "n_clusters",
    "n_training_sets",
)


@dataclass(frozen=True)
class Crossed:
    """The counts of one data set and rate, test sets added up."""

    dataset: str
    rate: float
    methods: list[str]
    cluster: str
    """`GROUP` or `BLOCK`."""
    correct: Ints
    """Shape (n_methods, n_clusters, n_training_sets)."""
    positions: Ints
    """Shape (n_clusters, n_training_sets)."""
    offsets: Ints
    """Of blocks: those of sequence i are offsets[i] to offsets[i + 1] - 1."""


def compare_crossed(counts: pd.DataFrame, margin: float = MARGIN, satterthwaite: bool = False) -> pd.DataFrame:
    """Difference of accuracy of each method from each other one, for every data set and rate, and what it decides.

    Parameters
    ----------
    counts : DataFrame
        dataset, rate, method, training_set, test_set, sequence, group (of related test sequences), block, n_positions,
        n_correct; the methods share training and test sets. A test set with more blocks than sequences is compared by
        blocks.
    margin : float
        Percentage points within which methods are equivalent.
    satterthwaite : bool
        As for `treecrf.statistics.two_way.estimate_crossed`.

    Returns
    -------
    DataFrame
        One row for each data set, rate, method and other method: value (accuracy of `method` minus that of `other` in
        points), standard_error, degrees_of_freedom; low and high (95 %); p_value; of the family of
        pairs of data set and rate, family_low and family_high (95 %, Bonferroni) and p_holm (Holm); decision
        (`treecrf.statistics.estimates.decide`, by p_holm and the 90 % interval); cluster ("group" or "block"),
        n_clusters, n_training_sets.

    Raises
    ------
    ValueError
        If methods were counted on different positions.

    Notes
    -----
    With several training sets, `treecrf.statistics.two_way.estimate_crossed`; with one, clusters alone, which speaks
    about the models that were trained on it. Blocks speak about other lines of the same sequences, not about other
    sequences. Neighbouring blocks are joined as `join_blocks` says, for each pair of methods.
    """
    frames = []
    for crossed in cross(counts):
        pairs = [(a, b) for a, b in permutations(range(len(crossed.methods)), 2)]
        rows = pd.DataFrame([_compare(crossed, method, other, satterthwaite) for other, method in pairs])
        frames.append(_decided(rows, margin))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(CROSSED_COLUMNS))


def cross(counts: pd.DataFrame) -> Iterator[Crossed]:
    """The counts of each data set and rate with two methods or more; `counts` as for `compare_crossed`."""
    check_counts(counts, (*EVALUATION_COLUMNS, "group", "block"))
    for _, group in counts[counts["n_positions"] > 0].groupby(["dataset", "rate"], observed=True):
        if group["method"].nunique() < 2:
            continue
        dataset, rate = str(group["dataset"].iloc[0]), float(group["rate"].iloc[0])
        cluster = BLOCK if group["block"].nunique() > group["sequence"].nunique() else GROUP
        methods, *laid_out = lay_out(group, ("method", cluster, "training_set"))
        correct, positions = (counts.astype(np.int64) for counts in laid_out)
        if (positions != positions[0]).any():
            raise ValueError(
                f"The counts of {dataset} at rate {rate:g} have other positions for one method than for another; count "
                "all methods on the same training sets, test sets and sequences."
            )
        per_sequence = group.groupby("sequence")[cluster].nunique()
        offsets = np.append(0, per_sequence.cumsum()).astype(np.int64)
        yield Crossed(dataset, rate, methods, cluster, correct, positions[0], offsets)


def decompose_crossed(counts: pd.DataFrame) -> pd.DataFrame:
    """Variance components of every data set and rate: `treecrf.statistics.variance.decompose_variance` of clusters.

    Parameters
    ----------
    counts : DataFrame
        As for `compare_crossed`.

    Returns
    -------
    DataFrame
        dataset, rate, cluster, and the columns of `decompose_variance`, whose "sequence" is a cluster. Data sets and
        rates with one cluster are left out.
    """
    frames = [
        decompose_variance(_long(crossed)).assign(dataset=crossed.dataset, rate=crossed.rate, cluster=crossed.cluster)
        for crossed in cross(counts)
        if len(crossed.positions) > 1
    ]
    names = ["dataset", "rate", "cluster", *COMPONENT_COLUMNS]
    return pd.concat(frames, ignore_index=True)[names] if frames else pd.DataFrame(columns=names)


def join_blocks(differences: Ints, offsets: Ints) -> Ints:
    """First blocks of longer ones, whose differences of errors are hardly correlated.

    Parameters
    ----------
    differences : int array, shape (n_blocks,)
        Correct positions of one method minus those of another.
    offsets : int array, shape (n_sequences + 1,)
        Sequence i has the blocks offsets[i] to offsets[i + 1] - 1.

    Notes
    -----
    With the autocorrelation time T of the differences, in blocks, `TIMES` (T - 1) blocks become one, at least one: what
    neighbours share is then about a `TIMES`-th of the variance. Never so many that fewer than five blocks are left,
    or than there are sequences.
    """
    differences = integers(differences, "differences", ("n_blocks",))
    excess = autocorrelation_time(differences, offsets) - 1
    longest = max(1, len(differences) // LEAST_BLOCKS)
    return cut_blocks(offsets, min(longest, max(1, int(np.ceil(TIMES * excess)))))


def _compare(crossed: Crossed, method: int, other: int, satterthwaite: bool) -> dict[str, object]:
    """One row, before the correction for several methods."""
    correct, positions = crossed.correct[[other, method]], crossed.positions
    if crossed.cluster == BLOCK:
        starts = join_blocks((correct[1] - correct[0]).sum(axis=1), crossed.offsets)
        correct, positions = np.add.reduceat(correct, starts, axis=1), np.add.reduceat(positions, starts, axis=0)
    estimates = _estimate(correct, positions, satterthwaite)
    return {
        "dataset": crossed.dataset,
        "rate": crossed.rate,
        "method": crossed.methods[method],
        "other": crossed.methods[other],
        **{name: column[0] for name, column in tested(estimates).items()},
        "cluster": crossed.cluster,
        "n_clusters": positions.shape[0],
        "n_training_sets": positions.shape[1],
    }


def _estimate(correct: Ints, positions: Ints, satterthwaite: bool) -> Estimates:
    """The second method minus the first; arrays as in `Crossed`."""
    if positions.shape[1] > 1:
        return estimate_crossed((correct[1] - correct[0])[None], positions, satterthwaite)
    return estimate_trainings(make_pairs([correct[1].T, correct[0].T]), positions[:, 0])


def _decided(rows: pd.DataFrame, margin: float) -> pd.DataFrame:
    """The rows of one data set and rate with corrected p-values and intervals, and decisions."""
    pairs = pd.Series(map(frozenset, zip(rows["method"], rows["other"], strict=True)), index=rows.index)
    once = rows[~pairs.duplicated()]  # each pair is there from both sides
    place = pairs.map(dict(zip(pairs[once.index], range(len(once)), strict=True))).to_numpy()
    names = ("value", "standard_error", "degrees_of_freedom")
    estimates = Estimates(*(once[name].to_numpy(dtype=float) for name in names))
    p_holm, (low, high) = estimates.p_holm[place], (ends[place] for ends in estimates.interval_bonferroni())
    is_turned = rows["other"].to_numpy() != once["other"].to_numpy()[place]
    family_low, family_high = np.where(is_turned, [-high, -low], [low, high])
    points, low_90, high_90 = (rows[name].to_numpy(dtype=float) for name in ("value", "low_90", "high_90"))
    words = decide(points, p_holm, low_90, high_90, margin=margin)
    corrected = rows.assign(p_holm=p_holm, family_low=family_low, family_high=family_high, decision=words)
    return corrected[list(CROSSED_COLUMNS)]


def _long(crossed: Crossed) -> pd.DataFrame:
    """One row for each method, cluster and training set."""
    method, sequence, training_set = (index.ravel() for index in np.indices(crossed.correct.shape))
    positions = np.broadcast_to(crossed.positions, crossed.correct.shape)
    return pd.DataFrame(
        {
            "method": method,
            "sequence": sequence,
            "training_set": training_set,
            "n_positions": positions.ravel(),
            "n_correct": crossed.correct.ravel(),
        }
    )
