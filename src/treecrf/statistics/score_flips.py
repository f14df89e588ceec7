"""Whether sums over clusters differ from zero, by flipping the signs of whole clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.statistics.sign_flip import N_FLIPS, draw_flips

MOST_CLUSTERS = 400
"""More clusters are added up in so many, which stay independent."""


def score_flip_p_value(scores: NDArray[np.float64], seed: int, n_flips: int = N_FLIPS) -> float:
    """The p-value of no association, from what each cluster contributes to one or several scores.

    Parameters
    ----------
    scores : float64, shape (n_clusters, n_scores)
        Contributions of expectation 0 if there is no association, such as (hole - rate) (label - rate), summed over a sequence.
    seed, n_flips : int
        As for `treecrf.statistics.sign_flip.draw_flips`.

    Returns
    -------
    float
        Of the largest of the standardized scores; 1 if all are 0, and never below 2^(1 - n_clusters).

    Notes
    -----
    Signs of score contributions are flipped, those of a cluster together (Hemerik, Goeman and Finos 2020, Journal of the Royal
    Statistical Society B 82:841-864): valid for many clusters, whatever the dependence within one. The largest score is
    compared with the largest of each flip (Westfall and Young 1993), so several need no correction.
    """
    if len(scores) > MOST_CLUSTERS:
        part = np.arange(len(scores)) % MOST_CLUSTERS
        scores = np.array([scores[part == number].sum(axis=0) for number in range(MOST_CLUSTERS)])
    scale = np.sqrt((scores**2).sum(axis=0))
    some = scale > 0
    if not some.any():
        return 1.0
    standard = scores[:, some] / scale[some]
    flips = draw_flips(len(standard), seed, n_flips)
    largest = np.abs(flips.astype(np.float64) @ standard).max(axis=1)
    tolerance = 1e-9  # sums of the same numbers in another order
    return float((largest >= largest[0] - tolerance).mean())
