"""Differences of accuracy with standard errors: Student's t, intervals, and what holds where nothing varies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treecrf.statistics.holm import SIGNIFICANCE_LEVEL, adjust_holm


@dataclass(frozen=True)
class Estimates:
    """Differences in percentage points, one for each pair of methods; arrays of shape (n_pairs,)."""

    points: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    degrees_of_freedom: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        points: NDArray[np.float64],
        standard_error: NDArray[np.float64],
        degrees_of_freedom: NDArray[np.float64] | float,
    ) -> Estimates:
        """Estimates, NaN for a standard error of 0 beside a difference: data that vary too little to judge it.

        A standard error of 0 must come from counts, as the difference does: neither is compared with a threshold.
        """
        known = np.where((standard_error == 0) & (points != 0), np.nan, standard_error)
        return cls(points, known, np.broadcast_to(np.asarray(degrees_of_freedom, dtype=np.float64), points.shape))

    @classmethod
    def joined(cls, parts: Iterable[Estimates]) -> Estimates:
        """The estimates of several, one after another."""
        arrays = zip(*((part.points, part.standard_error, part.degrees_of_freedom) for part in parts), strict=True)
        return cls(*map(np.concatenate, arrays))

    @property
    def p_value(self) -> NDArray[np.float64]:
        """Two-sided, of no difference; 1 where the difference is 0, NaN where the standard error is."""
        from scipy.special import stdtr  # takes long to import, and tables need no test

        t = self.points / np.where(self.standard_error == 0, 1.0, self.standard_error)
        return np.asarray(2 * stdtr(self.degrees_of_freedom, -np.abs(t)))

    @property
    def p_holm(self) -> NDArray[np.float64]:
        """The same with Holm's correction over all of them."""
        return adjust_holm(self.p_value)

    def interval_holm(self, level: float = SIGNIFICANCE_LEVEL) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper ends of intervals that leave out 0 where, and only where, `p_holm` is below the level.

        Each has the confidence 1 - level / m with the factor m that Holm's correction multiplies its p-value by.
        """
        p_value, p_holm = self.p_value, self.p_holm
        factor = np.divide(p_holm, p_value, out=np.full(len(p_value), float(len(p_value))), where=p_value > 0)
        return self.interval(1 - level / np.maximum(factor, 1.0))

    def interval(
        self, confidence: float | NDArray[np.float64] = 0.95
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper ends; [0, 0] where difference and standard error are 0."""
        from scipy.special import stdtrit  # as above

        half_width = stdtrit(self.degrees_of_freedom, (1 + confidence) / 2) * self.standard_error
        return self.points - half_width, self.points + half_width
