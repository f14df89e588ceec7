"""What is gained by training with the whole file, and how uncertain an estimate from folds is.

Folds train with a part of the file. The error falls as a power of the number of sequences (Viering and Loog 2023, IEEE
TPAMI 45:7799-7819); its exponent is found by training a candidate once more with half of each fold's sequences.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.automl.scores import Counts
from treecrf.statistics.metrics import Accuracy

USUAL, SPREAD = 0.25, 0.15
"""Mean and standard deviation of exponents of files: what counts before a file's own half is trained with."""

MOST = 1.0
"""The largest exponent."""

NORMAL = 1.96
"""Standard deviations on either side of a 95 % interval."""


class LearningCurve(NamedTuple):
    """The exponent by which the error falls, and its standard error."""

    exponent: float = USUAL
    error: float = SPREAD

    @classmethod
    def of_halves(cls, whole: Counts, half: Counts) -> LearningCurve:
        """From counts by group of trainings with all and with half of the sequences.

        The exponent is a weighted mean of that of the file and of the usual one, by their variances.
        """
        wrong = [100 - float(counts.points) for counts in (whole, half)]
        n_groups = whole.numerator.shape[-1]
        if min(wrong) <= 0 or n_groups < 2:
            return cls()
        found = log(wrong[1] / wrong[0]) / log(2)
        parts = half.parts / wrong[1] - whole.parts / wrong[0]  # of the logarithm, up to its sign
        error = sqrt(n_groups / (n_groups - 1)) * float(np.linalg.norm(parts - parts.mean())) / log(2)
        share = SPREAD**2 / (SPREAD**2 + error**2)
        exponent = share * found + (1 - share) * USUAL
        return cls(float(np.clip(exponent, 0, MOST)), SPREAD * sqrt(1 - share))

    def correct(self, estimate: Accuracy, ratio: float, n_folds: int) -> Accuracy:
        """The estimate for a training with `ratio` times as many sequences, with a wider interval.

        The variance of a mean over folds whose trainings overlap is 1 + k / (k - 1) times that of independent ones with
        k folds (Nadeau and Bengio 2003, Machine Learning 52:239-281). That of the exponent is added to it.
        """
        wrong = (100 - estimate.points) * ratio**-self.exponent
        of_exponent = NORMAL * wrong * log(ratio) * self.error
        widening = sqrt(1 + n_folds / (n_folds - 1)) if n_folds > 1 else sqrt(3)
        ends: NDArray[np.float64] = np.array([estimate.low, estimate.high]) - estimate.points
        widths = np.sqrt((widening * ends) ** 2 + of_exponent**2)
        low, high = np.clip([100 - wrong - widths[0], 100 - wrong + widths[1]], 0, 100).tolist()
        return Accuracy(100 - wrong, low, high)
