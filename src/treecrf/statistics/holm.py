"""Holm's correction for many tests, and the level of tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SIGNIFICANCE_LEVEL = 0.05


LEAST_CLUSTERS = 6
"""Groups of related sequences; with fewer a test takes blocks of positions as independent: the smallest p-value of sign flips is
2^(1 - n), and a t test hardly ever finds a difference either (docs/statistics.md)."""


def adjust_holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's correction of one family of tests; NaN stays NaN and counts as 1 for the others.

    statsmodels' ``multipletests(p_values, method="holm")`` gives the same and collects garbage at every call, which
    takes longer than all the fits of `treecrf.statistics.deviance`.
    """
    filled = np.where(np.isnan(p_values), 1.0, p_values)
    order = np.argsort(filled, kind="stable")
    adjusted = np.empty(len(filled))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(filled[order] * np.arange(len(filled), 0, -1)))
    return np.where(np.isnan(p_values), np.nan, adjusted)
