"""Differences between methods that were trained several times: exact sums by cluster, and the error of the trainings.

A cluster is a sequence, or a group of sequences that belong together. Everything here is in correct positions times a
common scale, so that equal differences are equal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LARGEST = 2**53
"""Whole numbers from here on are not all exact in float64, which sums of flips use."""


@dataclass(frozen=True)
class Pairs:
    """Every pair of methods, in the order (0, 1), (0, 2), .., (1, 2), ..; arrays have the shape (n_pairs,)."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    differences: NDArray[np.int64]
    """Shape (n_pairs, n_clusters): `scale` times the correct positions of the first method minus those of the second,
    each the mean of its trainings."""
    scale: int
    training_variance: NDArray[np.float64]
    """Of the sums of `differences`, from what all clusters share of a training: see `training_covariances`."""
    degrees_of_freedom: NDArray[np.float64]
    """Of `training_variance`; inf where that is 0."""
    trainings_vary: NDArray[np.bool_]
    """Whether both methods have two trainings or more. Otherwise `training_variance` is that of one of them, or 0, and
    what is said about the pair holds for the one training that was seen."""

    def points(self, n_positions: int) -> NDArray[np.float64]:
        """Differences of accuracy in percentage points, of this many positions in all."""
        return 100 * self.differences.sum(axis=1) / (self.scale * n_positions)


def make_pairs(correct: Sequence[NDArray[np.integer]]) -> Pairs:
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
    training set), use `treecrf.statistics.two_way`.
    """
    counts = [_checked(np.asarray(some), index) for index, some in enumerate(correct)]
    if len(counts) < 2:
        raise ValueError(f"A comparison needs two methods and there are {len(counts)}; give two or more.")
    if len({some.shape[1] for some in counts}) > 1:
        raise ValueError(
            "The methods have different numbers of clusters; count their correct positions by the same ones."
        )
    scale = math.lcm(*(len(some) for some in counts))
    if scale * max(int(np.abs(some).sum(axis=1).max()) for some in counts) >= LARGEST // 2:
        raise ValueError(
            f"The counts times {scale} (all numbers of trainings divide it) are too large; give fewer trainings."
        )
    totals = np.array([some.sum(axis=0) * (scale // len(some)) for some in counts])
    shared, between = np.array([training_covariances(some) for some in counts]).T * float(scale) ** 2
    n_trainings = np.array([len(some) for some in counts])
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


def training_covariances(correct: NDArray[np.int64]) -> tuple[float, float]:
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
    n_trainings = len(correct)
    if n_trainings == 1:
        return 0.0, 0.0
    whole = _sum_of_squares(correct.sum(axis=1))
    clusters = sum(_sum_of_squares(column) for column in correct.T[np.ptp(correct, axis=0) > 0])
    denominator = n_trainings**2 * (n_trainings - 1)
    return (whole - clusters) / denominator, whole / denominator


def _sum_of_squares(values: NDArray[np.int64]) -> int:
    """Number of values times their sum of squares about the mean; exact."""
    numbers = values.tolist()
    return len(numbers) * sum(number * number for number in numbers) - sum(numbers) ** 2


def _checked(counts: NDArray[np.integer], index: int) -> NDArray[np.int64]:
    """The counts of one method."""
    if counts.ndim != 2 or 0 in counts.shape or not np.issubdtype(counts.dtype, np.integer):
        raise ValueError(
            f"The counts of method {index} are {counts.dtype} of shape {counts.shape}; give whole numbers of shape "
            "(n_trainings, n_clusters)."
        )
    return counts.astype(np.int64)
