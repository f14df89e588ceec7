"""Corrected resampled t test: differences of accuracy over repeated draws of training and test data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.statistics.estimates import Estimates


def estimate_resampled(
    differences: NDArray[np.integer], positions: NDArray[np.integer], test_per_train: float
) -> Estimates:
    """Mean difference of two methods over draws.

    Parameters
    ----------
    differences : int array, shape (n_pairs, n_draws)
        Correct positions of one method minus those of the other.
    positions : int array, shape (n_draws,)
        Test positions of each draw.
    test_per_train : float
        Size of a test set divided by that of a training set where both are drawn from one finite sample; 0 where every
        draw is fresh, which leaves the paired t test.

    Returns
    -------
    Estimates
        n_draws - 1 degrees of freedom. NaN with one draw.

    Notes
    -----
    The variance of the mean is (1 / J + n_test / n_train) s^2 for J draws whose differences have the variance s^2
    (Nadeau and Bengio 2003, Machine Learning 52:239-281): draws from one sample overlap, so their mean varies more than
    s^2 / J. Null hypothesis: equal expected accuracy of the two methods, trained on samples of this size. The
    correction is a rule of thumb, and its level is near the nominal one, not exact. Draws with the same difference
    throughout are found by whole numbers: of 0, the standard error is 0 and p is 1; of anything else, both are NaN.
    """
    if not test_per_train >= 0:
        raise ValueError(f"test_per_train is {test_per_train}; give n_test / n_train, or 0 for draws that are fresh.")
    n_draws = len(positions)
    accuracies = 100 * differences / positions
    points = accuracies.mean(axis=1)
    if n_draws < 2:
        return Estimates.of(points, np.full(len(points), np.nan), np.nan)
    constant = (differences * positions[0] == differences[:, :1] * positions).all(axis=1)
    variance = np.where(constant, 0.0, accuracies.var(axis=1, ddof=1))
    return Estimates.of(points, np.sqrt((1 / n_draws + test_per_train) * variance), n_draws - 1)
