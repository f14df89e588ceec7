"""Measurements that were repeated, such as times: means with intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

CONFIDENCE = 0.95


def mean_with_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> tuple[float, tuple[float, float]]:
    """Mean of repeated measurements, and its interval by Student's t.

    Parameters
    ----------
    values : array-like of float, shape (n_repeats,)
        n_repeats >= 1.
    confidence : float

    Returns
    -------
    mean : float
    interval : (float, float)
        Infinite with one measurement, which says nothing about the next.
    """
    measured = np.asarray(values, dtype=np.float64)
    mean, n_repeats = float(measured.mean()), len(measured)
    if n_repeats == 1:
        return mean, (-np.inf, np.inf)
    half_width = float(stdtrit(n_repeats - 1, (1 + confidence) / 2) * measured.std(ddof=1) / np.sqrt(n_repeats))
    return mean, (mean - half_width, mean + half_width)


def geometric_mean(values: ArrayLike, confidence: float = CONFIDENCE) -> tuple[float, tuple[float, float]]:
    """The same for ratios: geometric mean and the interval of the mean of logarithms; (0, inf) with one measurement."""
    mean, ends = mean_with_interval(np.log(values), confidence)
    low, high = np.exp(ends)
    return float(np.exp(mean)), (float(low), float(high))
