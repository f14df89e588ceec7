"""Weights of examples in units of their own, and statistics of weighted numbers: a whole weight is a number of copies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MOST_PARTS, _ROUNDING = 100, 1e-12
_FEW_COPIES, _FEW_TIMES = 2**16, 16  # of all examples, and of each on average
_FIRST = 16  # weights that are looked at before all


def in_units(weights: NDArray[np.float64], most_parts: int = _MOST_PARTS) -> tuple[float, NDArray[np.float64]]:
    """A unit of weight, and the weights in it, so that a factor of all weights changes the unit alone.

    Parameters
    ----------
    weights : float64, shape (n,)
        At least 0, and some above it.
    most_parts : int
        The unit may be so small a part of the least weight above 0.

    Returns
    -------
    float, and float64 of shape (n,)
        Whole numbers where there are such that are not many copies; else 1 on average. Whole weights with a 1 among
        them stay as they are.
    """
    values = np.unique(weights[weights > 0])
    least, mean = float(values[0]), float((weights / len(weights)).sum())
    for parts in range(1, most_parts + 1):
        if parts * (mean / least) > max(_FEW_COPIES / len(weights), _FEW_TIMES):
            break
        if _are_whole(parts * (values[:_FIRST] / least)) and _are_whole(parts * (values / least)):
            return least / parts, np.rint(parts * (weights / least))
    return mean, weights / mean


def _are_whole(numbers: NDArray[np.float64]) -> bool:
    whole = np.rint(numbers)
    return bool((np.abs(numbers - whole) <= _ROUNDING * whole).all())


def of_observations(
    weights: NDArray[np.float64] | None, offsets: NDArray[np.int64], observation_offsets: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """The weight of every observation, from those of positions; an observation behind the last position has its weight."""
    if weights is None or np.array_equal(offsets, observation_offsets):
        return weights
    lengths = np.diff(observation_offsets)
    places = np.arange(observation_offsets[-1]) - np.repeat(observation_offsets[:-1], lengths)
    return weights[np.minimum(places + np.repeat(offsets[:-1], lengths), np.repeat(offsets[1:] - 1, lengths))]


def cumulated(
    numbers: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The known numbers that weigh something, sorted, and the weight of those up to each, in units of the weights."""
    known = ~np.isnan(numbers) if weights is None else ~np.isnan(numbers) & (weights > 0)
    numbers = numbers[known]
    if weights is None or not len(numbers):
        return np.sort(numbers), np.arange(1.0, len(numbers) + 1)
    order = np.argsort(numbers, kind="stable")
    return numbers[order], np.cumsum(in_units(weights[known])[1][order])


def median(numbers: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """The median of the known numbers, NaN where there are none."""
    ordered, sums = cumulated(numbers, weights)
    if not len(ordered):
        return float("nan")
    low, high = (ordered[np.searchsorted(sums, 0.5 * sums[-1], side)] for side in ("left", "right"))
    return float(np.mean([low, high]))
