"""From values to probabilities of going missing: scores, and the curve over them that has the wanted mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from treecrf.statistics.selection import derive_seed

FARTHEST = 700.0
"""A shift of a curve so far to either side leaves probabilities of 0 or 1."""

_ROUNDING = 1e-12

Floats = NDArray[np.float64]


def name_scores(names: Sequence[str], *of: str) -> Floats:
    """The place of each name in an order at random that the names themselves decide.

    It is the same in every set with these names: one cause makes the holes of training and test.

    Parameters
    ----------
    names : sequence of str
        Of categories or labels.
    of : str
        What the scores are of, such as a mechanism and an attribute; other ones, another order.

    Returns
    -------
    float64, shape (n_names,)
        0 to n_names - 1.
    """
    seeds = [derive_seed("score", *of, name) for name in names]
    return np.argsort(np.argsort(seeds)).astype(np.float64)


def ranks(numbers: Floats) -> Floats:
    """The place of each number among those of its column, from 1; equal ones share the mean of their places.

    Parameters
    ----------
    numbers : float64, shape (n, n_columns)
        NaN where a number is not known; there the rank is NaN too.

    Returns
    -------
    float64, shape (n, n_columns)
    """
    import pandas as pd  # slow to import, and the names of mechanisms do not need it

    return pd.DataFrame(numbers).rank().to_numpy(dtype=np.float64)


def standardised(scores: Floats) -> Floats:
    """Columns with mean 0 and variance 1 over what is known; NaN elsewhere, and in columns that are constant.

    Parameters
    ----------
    scores : float64, shape (n, n_columns)
        NaN where a score is not known.

    Returns
    -------
    float64, shape (n, n_columns)
    """
    known = np.ma.masked_invalid(scores)
    divided: Floats = ((known - known.mean(axis=0)) / known.std(axis=0)).filled(np.nan)
    return divided


def rising(scores: Floats, rate: float, mean: Callable[[Floats], float] = np.mean) -> Floats:
    """Probabilities that rise with the scores and have the mean `rate`.

    Parameters
    ----------
    scores : float64
        Standardised; NaN has the probability `rate`.
    rate : float
        0 to 1.
    mean : callable
        The share of missing cells that probabilities lead to; their mean unless given.

    Returns
    -------
    float64, of the shape of `scores`

    Notes
    -----
    The logistic curve of slope 1, shifted until the mean is right (Brent's method): what `mice::ampute` and pyampute call
    "right" (Schouten, Lugtig and Vink 2018).
    """
    from scipy.optimize import brentq  # tables read the names of mechanisms, and must not wait for SciPy
    from scipy.special import expit

    known = ~np.isnan(scores)

    def curve(shift: float) -> Floats:
        return np.where(known, expit(np.where(known, scores, 0.0) + shift), rate)

    def excess(shift: float) -> float:
        return float(mean(curve(shift))) - rate

    if rate in (0, 1) or not known.any() or not excess(-FARTHEST) < -_ROUNDING < _ROUNDING < excess(FARTHEST):
        return np.full(scores.shape, float(rate))  # no score decides anything
    return curve(brentq(excess, -FARTHEST, FARTHEST))
