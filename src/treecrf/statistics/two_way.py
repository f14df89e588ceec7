"""Intervals for differences of accuracy with errors from two sides: test sequences, and training sets or trainings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.statistics.estimates import Estimates
from treecrf.statistics.pairs import LARGEST, Pairs


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
    residuals, total = _residuals(differences.reshape(len(differences), -1), positions.ravel())
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
        Of `treecrf.statistics.pairs.make_pairs`.
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


def _residuals(differences: NDArray[np.integer], positions: NDArray[np.integer]) -> tuple[NDArray[np.int64], int]:
    """All positions times what a difference has beyond its share of the whole (n_pairs, n_cells); all positions."""
    total = int(positions.sum())
    if total * int(np.abs(differences).sum(axis=1).max(initial=0)) >= LARGEST * 2**9:
        raise ValueError("The counts are too large for exact residuals; give them with a smaller common denominator.")
    sums = differences.sum(axis=1, keepdims=True)
    return total * differences.astype(np.int64) - sums * positions.astype(np.int64), total


def _variance(residuals: NDArray[np.int64], positions: NDArray[np.integer]) -> NDArray[np.float64]:
    """Variance of the sum of independent clusters with these residuals, shape (n_pairs, n_clusters)."""
    return np.asarray(residuals.astype(np.float64) ** 2 @ (1 / (1 - positions / positions.sum())))


def _effective_number(positions: NDArray[np.integer]) -> float:
    """Of clusters; their number where they are of equal size."""
    squares = (positions / positions.max()) ** 2.0
    return float(squares.sum() ** 2 / (squares**2).sum())
