"""Decisions about a difference in three words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.statistics.holm import SIGNIFICANCE_LEVEL

MARGIN = 0.5
"""Percentage points within which accuracies count as equivalent."""

CONFIDENCE = 1 - 2 * SIGNIFICANCE_LEVEL
"""Of the interval that two one-sided tests at the level look at."""

OPPOSITES = {"better": "worse", "worse": "better"}
"""Decisions that there is a difference, and what they are of the other method."""


def decide(
    points: NDArray[np.float64],
    p_value: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    level: float = SIGNIFICANCE_LEVEL,
    margin: float = MARGIN,
) -> NDArray[np.object_]:
    """Say of each difference that it is "better", "worse", "equivalent" or "undecided".

    Parameters
    ----------
    points, p_value : float arrays, shape (n_pairs,)
        Difference and the p-value of none, corrected for the family where there is one.
    low, high : float arrays, shape (n_pairs,)
        Ends of its interval of confidence 1 - 2 `level`.
    level, margin : float

    Returns
    -------
    object array of str, shape (n_pairs,)

    Notes
    -----
    "better" or "worse" if p is below the level, whatever the interval: the direction is known. Otherwise "equivalent"
    if the interval lies within -margin .. margin (two one-sided tests, Schuirmann 1987, Journal of Pharmacokinetics and
    Biopharmaceutics 15:657-680), and else "undecided". A difference may be both, real and too small to matter; it is
    called "better", and `is_negligible` says the rest. A large p alone never makes anything equivalent. NaN decides
    nothing.
    """
    distinct = p_value < level
    words = np.where(is_negligible(low, high, margin), "equivalent", "undecided").astype(object)
    words[distinct & (points > 0)] = "better"
    words[distinct & (points < 0)] = "worse"
    return words


def opposite(decision: str) -> str:
    """The decision with the methods exchanged.

    Parameters
    ----------
    decision : str
        Of `decide`.
    """
    return OPPOSITES.get(decision, decision)


def is_negligible(low: NDArray[np.float64], high: NDArray[np.float64], margin: float = MARGIN) -> NDArray[np.bool_]:
    """Whether intervals lie within -margin .. margin, the ends excluded.

    Parameters
    ----------
    low, high : float arrays, shape (n_pairs,)
    margin : float
        Percentage points, above 0.
    """
    if not margin > 0:
        raise ValueError(f"The margin is {margin:g} points; give one above 0.")
    return (low > -margin) & (high < margin)
