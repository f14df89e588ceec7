"""Counts of correct positions; differences with standard errors: t, Holm's correction, intervals, decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import Bools, Floats, integers, reals
from treecrf.io.messages import listed

if TYPE_CHECKING:
    import pandas as pd


EVALUATION_COLUMNS = ("dataset", "rate", "method", "training_set", "test_set", "sequence")
"""Columns that tell the rows of `counts` apart."""

COUNT_COLUMNS = ("n_positions", "n_correct")


def check_columns(frame: pd.DataFrame, what: str, names: Iterable[str]) -> None:
    """Refuse a frame without some of these columns, or with an empty cell in one of them.

    Parameters
    ----------
    frame : DataFrame
    what : str
        What errors call it, in the plural.
    names : iterable of str

    Raises
    ------
    ValueError
        For what is refused.
    """
    import pandas as pd  # takes long to import, and estimates need no frames

    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"The {what} are of type {type(frame).__name__}; give a pandas DataFrame.")
    needed = list(names)
    for name in needed:
        if name not in frame.columns:
            raise ValueError(f"The {what} have no column {name!r}; they need {listed(needed, str)}.")
        if frame.columns.tolist().count(name) > 1:
            raise ValueError(f"The {what} have two columns {name!r}; rename one.")
        if pd.api.types.infer_dtype(frame[name], skipna=True).startswith("mixed"):
            raise ValueError(f"The column {name!r} of the {what} mixes texts and numbers; give values of one type.")
        empty = frame[name].isna().to_numpy()
        if empty.any():
            raise ValueError(f"Row {empty.argmax()} of the {what} has no {name}; fill it in or leave the row out.")


def check_counts(counts: pd.DataFrame, names: Collection[str]) -> None:
    """Refuse counts without `COUNT_COLUMNS` and these columns, or that cannot be analysed.

    Raises
    ------
    ValueError
        For what is refused.
    """
    check_columns(counts, "counts", (*names, *COUNT_COLUMNS))
    if "rate" in names:
        reals(counts["rate"].to_numpy(), "rate of the counts", ("n_rows",), some=False)
    n_positions, n_correct = (
        integers(counts[name].to_numpy(), f"{name} of the counts", ("n_rows",), some=False) for name in COUNT_COLUMNS
    )
    if not ((n_correct >= 0) & (n_correct <= n_positions)).all():
        raise ValueError("The counts have rows whose n_correct is not between 0 and n_positions.")


def lay_out(group: pd.DataFrame, names: Sequence[str]) -> tuple[list[str], Floats, Floats]:
    """Correct and all positions by the levels of each name, in their order, and the levels of the first name."""
    import pandas as pd  # as above

    codes, levels = zip(*(pd.factorize(group[name], sort=True) for name in names), strict=True)
    shape = tuple(map(len, levels))
    place = np.ravel_multi_index(codes, shape)
    correct, positions = (
        np.bincount(place, group[name], int(np.prod(shape))).reshape(shape).astype(np.float64)
        for name in ("n_correct", "n_positions")
    )
    return levels[0].tolist(), correct, positions


SIGNIFICANCE_LEVEL = 0.05


LEAST_CLUSTERS = 6
"""Groups of related sequences; with fewer a test takes blocks of positions as independent: the smallest p-value of sign
flips is 2^(1 - n), and a t test hardly ever finds a difference either (docs/statistics.md).
"""


def adjust_holm(p_values: Floats) -> Floats:
    """Holm's correction of one family of tests; NaN stays NaN and counts as 1 for the others.

    statsmodels' ``multipletests(p_values, method="holm")`` gives the same and collects garbage at every call, which
    takes longer than all the fits of `treecrf.statistics.deviance`.
    """
    p_values = reals(p_values, "p_values", ("n_tests",), least=0, most=1, known=False, some=False)
    filled = np.where(np.isnan(p_values), 1.0, p_values)
    order = np.argsort(filled, kind="stable")
    adjusted = np.empty(len(filled))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(filled[order] * np.arange(len(filled), 0, -1)))
    return np.where(np.isnan(p_values), np.nan, adjusted)


@dataclass(frozen=True)
class Estimates:
    """Differences in percentage points, one for each pair of methods; arrays of shape (n_pairs,)."""

    points: Floats
    standard_error: Floats
    degrees_of_freedom: Floats

    @classmethod
    def of(
        cls,
        points: Floats,
        standard_error: Floats,
        degrees_of_freedom: Floats | float,
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
    def p_value(self) -> Floats:
        """Two-sided p-values of no difference; 1 where the difference is 0, NaN where the standard error is."""
        from scipy.special import stdtr  # takes long to import, and tables need no test

        t = self.points / np.where(self.standard_error == 0, 1.0, self.standard_error)
        return np.asarray(2 * stdtr(self.degrees_of_freedom, -np.abs(t)))

    @property
    def p_holm(self) -> Floats:
        """p-values with Holm's correction over all of them."""
        return adjust_holm(self.p_value)

    def interval_bonferroni(self, level: float = SIGNIFICANCE_LEVEL) -> tuple[Floats, Floats]:
        """Lower and upper ends of the intervals of this family: of confidence 1 - level / m each, with m pairs.

        Pairs without a standard error count, as for `p_holm`. All m hold together with a probability of at least
        1 - level, because the probability that one or more do not is at most the sum of m times level / m (union
        bound). Their coverage is that of the single intervals.

        Holm's test is a step-down test: the factors of its p-values fall from m to 1, and it gives no intervals. So
        `p_holm` may be below the level where an interval holds 0, never the reverse, and both are right: that there
        is a difference is shown, its size is less certain.
        """
        return self.interval(1 - level / max(1, len(self.points)))

    def interval(self, confidence: float | Floats = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper ends; [0, 0] where difference and standard error are 0."""
        from scipy.special import stdtrit  # as above

        half_width = stdtrit(self.degrees_of_freedom, (1 + confidence) / 2) * self.standard_error
        return self.points - half_width, self.points + half_width


MARGIN = 0.5
"""Percentage points within which accuracies count as equivalent."""

CONFIDENCE = 1 - 2 * SIGNIFICANCE_LEVEL
"""Of the interval that two one-sided tests at the level look at."""

TESTED = ["value", "standard_error", "degrees_of_freedom", "low", "high", "low_90", "high_90", "p_value"]
"""Columns of `tested`."""


def tested(estimates: Estimates) -> dict[str, Floats]:
    """Differences in points with standard errors, degrees of freedom, intervals (95 % and 90 %) and p-values."""
    known = estimates.points, estimates.standard_error, estimates.degrees_of_freedom
    intervals = *estimates.interval(), *estimates.interval(CONFIDENCE)
    return dict(zip(TESTED, (*known, *intervals, estimates.p_value), strict=True))


OPPOSITES = {"better": "worse", "worse": "better"}
"""Decisions that there is a difference, and what they are of the other method."""


def decide(
    points: Floats,
    p_value: Floats,
    low: Floats,
    high: Floats,
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
    points = reals(points, "points", ("n_pairs",), known=False, some=False)
    p_value = reals(p_value, "p_value", points.shape, least=0, most=1, known=False, some=False)
    low, high = (
        reals(ends, what, points.shape, known=False, some=False) for ends, what in ((low, "low"), (high, "high"))
    )
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


def is_negligible(low: Floats, high: Floats, margin: float = MARGIN) -> Bools:
    """Whether intervals lie within -margin .. margin, the ends excluded.

    Parameters
    ----------
    low, high : float arrays, shape (n_pairs,)
    margin : float
        Percentage points, above 0.
    """
    if not margin > 0:
        raise ValueError(f"The margin is {margin:g} points; give one above 0.")
    low = reals(low, "low", ("n_pairs",), known=False, some=False)
    high = reals(high, "high", low.shape, known=False, some=False)
    return np.asarray((low > -margin) & (high < margin))


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
    differences = integers(differences, "differences", ("n_pairs", "n_draws"), some=False)
    positions = integers(positions, "positions", differences.shape[1:], least=1)
    n_draws = len(positions)
    accuracies = 100 * differences / positions
    points = accuracies.mean(axis=1)
    if n_draws < 2:
        return Estimates.of(points, np.full(len(points), np.nan), np.nan)
    constant = (differences * positions[0] == differences[:, :1] * positions).all(axis=1)
    variance = np.where(constant, 0.0, accuracies.var(axis=1, ddof=1))
    return Estimates.of(points, np.sqrt((1 / n_draws + test_per_train) * variance), n_draws - 1)
