"""Ranking of methods: how far each is behind the best one of a case, and between which ranks the tests leave it.

The one rule for tables, headlines, guides and the explorer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.arrays import Floats, reals
from treecrf.statistics.estimates import Estimates, check_columns

SEPARATION_MARGIN = 1.0
"""Percentage points below the best that the interval of a method close to it does not reach."""

BEST = "best"
EQUIVALENT = "equivalent to the best"
CLOSE = "close to the best"
NOT_SEPARATED = "not separated from the best"
WORSE = "worse than another"

STANDINGS = (BEST, EQUIVALENT, CLOSE, NOT_SEPARATED, WORSE)
"""Values of `standing`, as readers see them."""

UNTESTED, REFERENCE = "not tested", "reference"
"""Further values: where not every pair is tested, and of no competitor, such as a generator's own model."""

AT_THE_TOP = (BEST, EQUIVALENT)
"""Those that tables set in bold."""

NEAR_THE_TOP = (BEST, EQUIVALENT, CLOSE)
"""Those of which one may take any."""

RANK_COLUMNS = (
    "method",
    "value",
    "rank",
    "gap_points",
    "gap_low",
    "gap_high",
    "standing",
    "rank_low",
    "rank_high",
)


def rank_methods(
    accuracy_points: pd.Series, comparisons: pd.DataFrame, separation_margin: float = SEPARATION_MARGIN
) -> pd.DataFrame:
    """How the methods of one case stand to the best one, and their ranks with the intervals that comparisons leave.

    Parameters
    ----------
    accuracy_points : Series of float
        Accuracy in percent by method (the index).
    comparisons : DataFrame
        method, other, value (points), standard_error, degrees_of_freedom, decision: one row for every pair, in
        either order. The decision is of `treecrf.statistics.estimates.decide`, corrected for all pairs.
    separation_margin : float
        Percentage points, above 0.

    Returns
    -------
    DataFrame
        One row for each method, from the best on (equals in their order in `accuracy_points`).

        method, value (the accuracy), rank
            Rank 1 is the best; equals share the lower number.
        gap_points, gap_low, gap_high
            Accuracy minus that of the best (of the first row), and its interval of the family of all pairs
            (`treecrf.statistics.estimates.Estimates.interval_bonferroni`); NaN for the best itself.
        standing
            One of `STANDINGS`, the first that holds of: `BEST`, rank 1; `WORSE`, `rank_low` above 1; `EQUIVALENT`, the
            decision against the best; `CLOSE`, the interval of the gap does not reach more than the margin below the
            best; `NOT_SEPARATED`, it does, or there is none.
        rank_low, rank_high
            1 + the number of methods decided to be better, and the number of methods - those decided to be worse.

    Raises
    ------
    ValueError
        If a pair is missing or there twice, or the margin is not above 0.

    Notes
    -----
    All pairs are the family of the correction because the best is chosen by the same data, and because then ranks and
    the matrix of comparisons cannot contradict each other. All rank intervals hold together with probability 1 - level
    (but for errors of direction, which are rarer still): a method with the highest expected accuracy is called worse
    with no more than the probability of the level.

    A method that is not separated from the best may be behind one that is worse: its differences are known less well.
    """
    if not separation_margin > 0:
        raise ValueError(f"The separation margin is {separation_margin:g} points; give one above 0.")
    if not isinstance(accuracy_points, pd.Series):
        raise ValueError(f"accuracy_points is of type {type(accuracy_points).__name__}; give a Series by method.")
    methods, points = accuracy_points.index.tolist(), reals(accuracy_points, "accuracy_points", ("n_methods",))
    check_columns(comparisons, "comparisons", ("method", "other", "decision"))
    rows, columns = _places(methods, comparisons)
    decision = comparisons["decision"].to_numpy()
    better = np.zeros((len(methods),) * 2, dtype=bool)
    better[rows[decision == "better"], columns[decision == "better"]] = True
    better[columns[decision == "worse"], rows[decision == "worse"]] = True
    equivalent = np.zeros_like(better)
    equivalent[rows, columns] = equivalent[columns, rows] = decision == "equivalent"
    gap, low, high = (np.full(better.shape, np.nan) for _ in range(3))
    numbers = ("value", "standard_error", "degrees_of_freedom")
    estimates = Estimates(*(_numbers(comparisons, name) for name in numbers))
    gap[rows, columns], (low[rows, columns], high[rows, columns]) = estimates.points, estimates.interval_bonferroni()
    gap[columns, rows], low[columns, rows], high[columns, rows] = (
        -matrix[rows, columns] for matrix in (gap, high, low)
    )
    best, rank = int(points.argmax()), 1 + (points[:, None] < points).sum(axis=1)
    conditions = [rank == 1, better.any(axis=0), equivalent[:, best], low[:, best] >= -separation_margin]
    frame = pd.DataFrame(
        {
            "method": methods,
            "value": points,
            "rank": rank,
            "gap_points": gap[:, best],
            "gap_low": low[:, best],
            "gap_high": high[:, best],
            "standing": np.select(conditions, [BEST, WORSE, EQUIVALENT, CLOSE], NOT_SEPARATED),
            "rank_low": 1 + better.sum(axis=0),
            "rank_high": len(methods) - better.sum(axis=1),
        }
    )
    return frame.sort_values("rank", kind="stable", ignore_index=True)[list(RANK_COLUMNS)]


def _numbers(comparisons: pd.DataFrame, name: str) -> Floats:
    if name not in comparisons.columns:
        raise ValueError(f"The comparisons have no column {name!r}.")
    column = comparisons[name]
    if pd.api.types.infer_dtype(column, skipna=True) in ("floating", "mixed-integer-float", "empty"):
        column = column.astype(np.float64)  # of type object where some are None
    return reals(column, f"{name} of the comparisons", ("n_pairs",), known=False, some=False)


def rank_cases(
    accuracies: pd.DataFrame,
    comparisons: pd.DataFrame,
    case: Sequence[str],
    separation_margin: float = SEPARATION_MARGIN,
) -> pd.DataFrame:
    """`rank_methods` of every case whose pairs are all tested.

    Parameters
    ----------
    accuracies : DataFrame
        The columns of a case, method, value: accuracy in percent.
    comparisons : DataFrame
        The columns of a case and those of `rank_methods`. Methods without an accuracy are left out.
    case : sequence of str
        Columns that tell cases apart.
    separation_margin : float

    Returns
    -------
    DataFrame
        The columns of a case and `RANK_COLUMNS`.
    """
    keys, parts = list(case), []
    check_columns(accuracies, "accuracies", (*keys, "method", "value"))
    check_columns(comparisons, "comparisons", ())
    if len(comparisons):
        check_columns(comparisons, "comparisons", (*keys, "method", "other"))
    tested = dict(list(comparisons.groupby(keys, sort=False))) if len(comparisons) else {}
    for key, of_case in accuracies.groupby(keys, sort=False):
        values = of_case.set_index("method")["value"]
        pairs = tested.get(key, comparisons.iloc[:0])
        pairs = pairs[pairs["method"].isin(values.index) & pairs["other"].isin(values.index)]
        values = values[values.index.isin(np.union1d(pairs["method"], pairs["other"]))]
        if len(pairs) and len(pairs) == len(values) * (len(values) - 1) // 2:
            ranks = rank_methods(values, pairs, separation_margin)
            named: dict[str, Any] = dict(zip(keys, key, strict=True))
            parts.append(ranks.assign(**named))
    names = [*keys, *RANK_COLUMNS]
    return pd.concat(parts, ignore_index=True)[names] if parts else accuracies.iloc[:0].reindex(columns=names)


def _places(methods: Sequence[str], comparisons: pd.DataFrame) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Rows of the first and of the second methods of the pairs."""
    place = {method: index for index, method in enumerate(methods)}
    rows, columns = (comparisons[name].map(place) for name in ("method", "other"))
    pairs = {frozenset(pair) for pair in zip(comparisons["method"], comparisons["other"], strict=True)}
    n_pairs = len(methods) * (len(methods) - 1) // 2
    unknown = rows.isna().any() or columns.isna().any()
    if unknown or len(pairs) != n_pairs or len(comparisons) != n_pairs or any(len(pair) < 2 for pair in pairs):
        raise ValueError(f"Ranks of {len(methods)} methods need each of their {n_pairs} pairs once in the comparisons.")
    return rows.to_numpy(dtype=np.int64), columns.to_numpy(dtype=np.int64)
