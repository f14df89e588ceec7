"""The accuracy of one labeller with its interval, and what remains of it where it was chosen among several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

N_RESAMPLES = 500


class Accuracy(NamedTuple):
    """Percent of the positions that are right, and the ends of its interval; these are NaN with one cluster."""

    points: float
    low: float
    high: float


def estimate_accuracy(
    correct: NDArray[np.integer], positions: NDArray[np.integer], points: float | None = None
) -> Accuracy:
    """The accuracy to expect on other clusters, with a 95% interval within 0 to 100.

    Parameters
    ----------
    correct, positions : int arrays, shape (n_clusters,)
        Correct positions and all positions of each cluster: a sequence, or a group of related ones.
    points : float, optional
        Another estimate, which the interval is laid around (`correct_for_choice`).

    Notes
    -----
    As `estimate_share`. Where all positions are right, or none, clusters do not differ, and the other end is that of Clopper and
    Pearson (1934, Biometrika 26:404-413) for clusters that are wholly so: another one may be right or wrong at all its positions.
    """
    found, low, high = estimate_share(correct, positions)
    if found in (0, 100) and len(correct) > 1:
        width = 100 * (1 - 0.025 ** (1 / len(correct)))
        low, high = (0.0, width) if found == 0 else (100 - width, 100.0)
    shift = 0.0 if points is None else points - found
    low, high = np.clip([low + shift, high + shift], 0, 100).tolist()  # NaN stays NaN
    return Accuracy(found + shift, low, high)


def estimate_share(counts: NDArray[np.number], positions: NDArray[np.integer]) -> Accuracy:
    """A share of positions (or a difference of two), in percent, with a 95% interval for other clusters.

    Parameters
    ----------
    counts : int or float array, shape (n_clusters,)
        Positions that count, or the difference of two such counts.
    positions : int array, shape (n_clusters,)

    Notes
    -----
    Clusters are independent; nothing is assumed within one. The share is a ratio of two sums, and its variance that of the
    linearized ratio (Cochran 1977, Sampling Techniques, section 2.11), with Student's t for n_clusters - 1 degrees of freedom.
    Where clusters are equally long this is the t interval of their shares.
    """
    n_clusters, n_positions = len(counts), float(positions.sum())
    share = float(counts.sum()) / n_positions
    if n_clusters < 2:
        return Accuracy(100 * share, np.nan, np.nan)
    residuals = counts - share * positions
    error = (n_clusters / (n_clusters - 1) * float(residuals @ residuals)) ** 0.5 / n_positions
    half_width = float(stdtrit(n_clusters - 1, 0.975)) * 100 * error
    return Accuracy(100 * share, 100 * share - half_width, 100 * share + half_width)


def correct_for_choice(
    correct: NDArray[np.integer], positions: NDArray[np.integer], seed: int, n_resamples: int = N_RESAMPLES
) -> float:
    """The accuracy, in percent, to expect of the best candidate, which the same clusters have chosen.

    Parameters
    ----------
    correct : int array, shape (n_candidates, n_clusters)
        Correct positions of each candidate in clusters that it was not trained with.
    positions : int array, shape (n_clusters,)
    seed, n_resamples : int

    Notes
    -----
    The best of many candidates is partly the luckiest. Clusters are drawn with replacement, the best candidate of those is
    found, and judged by the clusters that were not drawn; the mean over the draws is the estimate (bootstrap bias corrected
    cross-validation: Tsamardinos, Greasidou and Borboudakis 2018, Machine Learning 107:1895-1922). With one cluster
    nothing can be corrected.
    """
    n_clusters = len(positions)
    if n_clusters < 2:
        return 100 * float(correct.sum(axis=1).max() / positions.sum())
    rng = np.random.default_rng(seed)
    times = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), n_resamples)
    times = times[(times == 0).any(axis=1)]
    chosen = (times @ correct.T / (times @ positions)[:, None]).argmax(axis=1)
    left_out = (times == 0).astype(np.int64)
    right = (left_out @ correct.T)[np.arange(len(times)), chosen]
    return 100 * float((right / (left_out @ positions)).mean())
