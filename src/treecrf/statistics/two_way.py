"""Differences between methods with errors from two sides: test sequences, and training sets or trainings.

A cluster is a sequence, or a group of sequences that belong together. Sums over clusters are in correct positions times
a common scale, so that equal differences are equal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.arrays import Bools, Floats, Ints, integers, listed_arrays
from treecrf.statistics.estimates import Estimates

GROUP, BLOCK = "group", "block"
"""What a cluster may be: a group of related sequences, or a block of consecutive lines of one."""

LARGEST = 2**53
"""Whole numbers from here on are not all exact in float64, which sums of flips use."""


@dataclass(frozen=True)
class Pairs:
    """Every pair of methods, in the order (0, 1), (0, 2), .., (1, 2), ..; arrays have the shape (n_pairs,)."""

    first: Ints
    second: Ints
    differences: Ints
    """Shape (n_pairs, n_clusters): `scale` times the correct positions of the first method minus those of the second,
    each the mean of its trainings.
    """
    scale: int
    training_variance: Floats
    """Of the sums of `differences`, from what all clusters share of a training: see `training_covariances`."""
    degrees_of_freedom: Floats
    """Of `training_variance`; inf where that is 0."""
    trainings_vary: Bools
    """Whether both methods have two trainings or more. Otherwise `training_variance` is that of one of them, or 0, and
    what is said about the pair holds for the one training that was seen.
    """

    def points(self, n_positions: int) -> Floats:
        """Differences of accuracy in percentage points, of this many positions in all."""
        return 100 * self.differences.sum(axis=1) / (self.scale * n_positions)


def make_pairs(correct: Sequence[ArrayLike]) -> Pairs:
    """Every pair of methods.

    Parameters
    ----------
    correct : sequence of int arrays, shape (n_trainings, n_clusters)
        Correct positions of each method; the number of trainings may differ.

    Raises
    ------
    ValueError
        If there are fewer than two methods or no clusters, shapes do not fit, or counts are not whole numbers or are
        too large.

    Notes
    -----
    Trainings of different methods are taken as independent. Where they are paired (both methods saw the same damaged
    training set), use `estimate_crossed`.
    """
    counts = [_checked(of_method, index) for index, of_method in enumerate(listed_arrays(correct))]
    if len(counts) < 2:
        raise ValueError(f"A comparison needs two methods and there are {len(counts)}; give two or more.")
    if len({of_method.shape[1] for of_method in counts}) > 1:
        raise ValueError(
            "The methods have different numbers of clusters; count their correct positions by the same ones."
        )
    scale = math.lcm(*(len(of_method) for of_method in counts))
    if scale * max(int(np.abs(of_method).sum(axis=1).max()) for of_method in counts) >= LARGEST // 2:
        raise ValueError(
            f"The counts times {scale} (all numbers of trainings divide it) are too large; give fewer trainings."
        )
    totals = np.array([of_method.sum(axis=0) * (scale // len(of_method)) for of_method in counts])
    shared, between = np.array([training_covariances(of_method) for of_method in counts]).T * float(scale) ** 2
    n_trainings = np.array([len(of_method) for of_method in counts])
    first, second = np.triu_indices(len(counts), k=1)
    variance = np.maximum(shared[first] + shared[second], 0.0)
    spread = between**2 / np.maximum(n_trainings - 1, 1)  # Welch and Satterthwaite
    spread = spread[first] + spread[second]
    degrees = (between[first] + between[second]) ** 2 / np.where(spread > 0, spread, 1.0)
    return Pairs(
        first=first.astype(np.int64),
        second=second.astype(np.int64),
        differences=totals[first] - totals[second],
        scale=scale,
        training_variance=variance,
        degrees_of_freedom=np.where(variance > 0, degrees, np.inf),
        trainings_vary=(n_trainings[first] > 1) & (n_trainings[second] > 1),
    )


def training_covariances(correct: Ints) -> tuple[float, float]:
    """Variance of the mean over trainings of all correct positions: the part that clusters share, and all of it.

    Parameters
    ----------
    correct : int array, shape (n_trainings, n_clusters)

    Returns
    -------
    shared : float
        Sum of the covariances of different clusters over the trainings, divided by their number. An unbiased estimate,
        which may be negative. 0 for one training.
    all : float
        `shared` and the variances of the clusters. 0 for one training.
    """
    correct = integers(correct, "correct", ("n_trainings", "n_clusters"))
    n_trainings = len(correct)
    if n_trainings == 1:
        return 0.0, 0.0
    whole = _sum_of_squares(correct.sum(axis=1))
    clusters = sum(_sum_of_squares(column) for column in correct.T[np.ptp(correct, axis=0) > 0])
    denominator = n_trainings**2 * (n_trainings - 1)
    return (whole - clusters) / denominator, whole / denominator


def _sum_of_squares(values: Ints) -> int:
    """Number of values times their sum of squares about the mean; exact."""
    numbers = values.tolist()
    return len(numbers) * sum(number * number for number in numbers) - sum(numbers) ** 2


def _checked(counts: ArrayLike, index: int) -> Ints:
    """The checked counts of one method."""
    return integers(counts, f"correct[{index}]", ("n_trainings", "n_clusters"), least=0, floats=False)


def _checked_positions(positions: ArrayLike, shape: tuple[int, ...]) -> Ints:
    checked = integers(positions, "positions", shape, least=0)
    if not checked.any():
        raise ValueError("positions are 0 everywhere; count one at least.")
    return checked


def estimate_crossed(
    differences: NDArray[np.integer], positions: NDArray[np.integer], satterthwaite: bool = False
) -> Estimates:
    """Difference of two methods over test sequences crossed with training sets that both methods saw.

    Parameters
    ----------
    differences : int array, shape (n_pairs, n_sequences, n_sets)
        Correct positions of one method minus those of the other.
    positions : int array, shape (n_sequences, n_sets)
    satterthwaite : bool
        Which degrees of freedom.

    Returns
    -------
    Estimates
        NaN with fewer than two sequences or sets.

    Notes
    -----
    The variance is V_sequence + V_set - V_cell, of the residuals summed by sequence, by set and not at all (Cameron,
    Gelbach and Miller 2011, Journal of Business and Economic Statistics 29:238-249), each corrected as in
    `estimate_trainings`. Where that is less than V_sequence or V_set, the larger of these takes its place, so it is
    never negative, nor below what one side alone would give (see MacKinnon, Nielsen and Webb 2024, arXiv:2406.08880).

    Degrees of freedom: the effective number of sequences or of sets, whichever is smaller, minus 1; min(n_sequences,
    n_sets) - 1 where they have equally many positions. That is cautious where the sets matter little: the level may be
    near 0. Satterthwaite's rule weighs the two sides by their variances, V^2 / (V_sequence^2 / df_sequence + V_set^2 /
    df_set), which keeps the level near its nominal value in either case.

    Null hypothesis: equal expected accuracy over new sequences and new training sets. Two methods with the same counts
    in every cell have the difference 0, the standard error 0, p = 1 and the interval [0, 0]: the residuals are whole
    numbers.
    """
    differences = integers(differences, "differences", ("n_pairs", "n_sequences", "n_sets"), some=False)
    positions = _checked_positions(positions, differences.shape[1:])
    residuals, total = _residuals(differences.reshape(len(differences), positions.size), positions.ravel())
    points = 100 * differences.sum(axis=(1, 2)) / total
    if min(positions.shape) < 2:
        return Estimates.of(points, np.full(len(points), np.nan), np.nan)
    cells = residuals.reshape(differences.shape)
    sides = positions.sum(axis=1), positions.sum(axis=0)
    by_sequence, by_set = _variance(cells.sum(axis=2), sides[0]), _variance(cells.sum(axis=1), sides[1])
    variance = by_sequence + by_set - _variance(residuals, positions.ravel())
    variance = np.maximum(variance, np.maximum(by_sequence, by_set))
    freedom = [_effective_number(side) - 1 for side in sides]
    spread = by_sequence**2 / freedom[0] + by_set**2 / freedom[1]
    weighed = variance**2 / np.where(spread > 0, spread, np.inf) if satterthwaite else 0.0
    degrees = np.maximum(weighed, min(freedom))
    return Estimates.of(points, 100 * np.sqrt(variance) / float(total) ** 2, degrees)


def estimate_trainings(pairs: Pairs, positions: NDArray[np.integer]) -> Estimates:
    """Differences of methods whose trainings are independent of each other, over test clusters.

    Parameters
    ----------
    pairs : Pairs
        Of `treecrf.statistics.two_way.make_pairs`.
    positions : int array, shape (n_clusters,)

    Returns
    -------
    Estimates
        NaN with fewer than two clusters. Where `pairs.trainings_vary` is False, the trained models are compared and not
        the methods.

    Notes
    -----
    The variance is that of the clusters' differences, averaged over trainings, and `pairs.training_variance`, what the
    clusters share of a training. (The variance between the trainings' accuracies would count the rest of it twice.) The
    squared residual of a cluster with the share h of all positions is divided by 1 - h (Bell and McCaffrey 2002, Survey
    Methodology 28:169-181).

    Degrees of freedom by Satterthwaite's rule from those of the trainings and of the clusters. The latter have their
    effective number, (sum n^2)^2 / sum n^4 for n positions, minus 1: the number of squares with variances like n^2 that
    an estimate rests on. Their number minus 1 would find too many differences with few clusters of very unequal
    lengths.
    """
    positions = _checked_positions(positions, pairs.differences.shape[1:])
    residuals, total = _residuals(pairs.differences, positions)
    points = pairs.points(total)
    if len(positions) < 2:
        return Estimates.of(points, np.full(len(points), np.nan), np.nan)
    clusters = _variance(residuals, positions) / float(total) ** 2
    trainings = np.where(pairs.differences.any(axis=1), pairs.training_variance, 0.0)
    freedom = _effective_number(positions) - 1
    spread = clusters**2 / freedom + trainings**2 / pairs.degrees_of_freedom
    degrees = np.where(spread > 0, (clusters + trainings) ** 2 / np.where(spread > 0, spread, 1.0), freedom)
    return Estimates.of(points, 100 * np.sqrt(clusters + trainings) / (pairs.scale * total), degrees)


def _residuals(differences: NDArray[np.integer], positions: NDArray[np.integer]) -> tuple[Ints, int]:
    """Excess of each difference over its share of the sum, (n_pairs, n_cells), times all positions; all positions."""
    total = int(positions.sum())
    if total * int(np.abs(differences).sum(axis=1).max(initial=0)) >= LARGEST * 2**9:
        raise ValueError("The counts are too large for exact residuals; give them with a smaller common denominator.")
    sums = differences.sum(axis=1, keepdims=True)
    return total * differences.astype(np.int64) - sums * positions.astype(np.int64), total


def _variance(residuals: Ints, positions: NDArray[np.integer]) -> Floats:
    """Variance of the sum of independent clusters with these residuals, shape (n_pairs, n_clusters)."""
    return np.asarray(residuals.astype(np.float64) ** 2 @ (1 / (1 - positions / positions.sum())))


def _effective_number(positions: NDArray[np.integer]) -> float:
    """Effective number of clusters: their number where they are of equal size."""
    squares = (positions / positions.max()) ** 2.0
    return float(squares.sum() ** 2 / (squares**2).sum())
