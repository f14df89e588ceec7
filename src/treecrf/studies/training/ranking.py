"""Ranking of the methods of a data set, and sources of the noise of their accuracies."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from treecrf.statistics.ranking import RANK_COLUMNS, SEPARATION_MARGIN, rank_methods
from treecrf.statistics.variance import COMPONENT_COLUMNS, decompose_variance
from treecrf.studies.training.comparing import as_preferred, counting_runs
from treecrf.studies.training.names import BETTER, UNPERTURBED


def rank(
    choices: Iterable[pd.DataFrame],
    predictions: Iterable[pd.DataFrame],
    comparisons: pd.DataFrame,
    separation_margin: float = SEPARATION_MARGIN,
) -> pd.DataFrame:
    """Ranks of the methods of one data set at the cross-validated choice, each with its preferred decoder.

    Parameters
    ----------
    choices, predictions : iterable of DataFrame
        Of `treecrf.studies.training.jobs.TrainingOutcome`, one of each for every method.
    comparisons : DataFrame
        Of `treecrf.studies.training.comparing.compare`.
    separation_margin : float
        Of `treecrf.statistics.ranking.rank_methods`.

    Returns
    -------
    DataFrame
        dataset; the columns of `treecrf.statistics.ranking.rank_methods` with accuracy (percent of all test positions,
        the mean of the trainings) in place of accuracy_points, from the best on; and valid_test, what tells the methods
        apart. No rows for a single method.
    """
    preferred = _preferred(choices, predictions)
    pairs = comparisons[comparisons["decoder"] == BETTER]
    if pairs.empty:
        names = ["accuracy" if name == "accuracy_points" else name for name in RANK_COLUMNS]
        return pd.DataFrame(columns=["dataset", *names, "valid_test"])
    right = preferred["label"] == preferred["predicted"]
    accuracy = 100 * right.groupby(preferred["method"], sort=False).mean()
    tested = pd.DataFrame(
        {
            "method": pairs["method"],
            "other": pairs["other"],
            "accuracy_points": pairs["mean_points"],
            "points_standard_error": pairs["points_standard_error"],
            "degrees_of_freedom": pairs["degrees_of_freedom"],
            "decision": pairs["decision"],
        }
    )
    ranks = rank_methods(accuracy, tested, separation_margin).rename(columns={"accuracy_points": "accuracy"})
    ranks.insert(0, "dataset", pairs["dataset"].iloc[0])
    return ranks.assign(valid_test=pairs["valid_test"].iloc[0])


def noise(choices: Iterable[pd.DataFrame], predictions: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Variance components of the accuracies of groups of test sequences over all perturbed trainings.

    Parameters
    ----------
    choices, predictions : iterable of DataFrame
        As of `rank`. Methods without perturbed trainings are left out.

    Returns
    -------
    DataFrame
        dataset and the columns of `treecrf.statistics.variance.decompose_variance`; no rows where fewer than two
        methods have perturbed trainings, or there is one group.
    """
    preferred = _preferred(choices, predictions)
    perturbed = preferred[preferred["run"] != UNPERTURBED]
    if len(set(perturbed["method"])) < 2 or len(set(perturbed["group"])) < 2:
        return pd.DataFrame(columns=["dataset", *COMPONENT_COLUMNS])
    keys = ["method", "run", "group"]
    right = perturbed.assign(correct=perturbed["label"] == perturbed["predicted"])
    counts = right.groupby(keys)["correct"].agg(n_positions="size", n_correct="sum").reset_index()
    components = decompose_variance(counts.rename(columns={"group": "sequence"}))
    components.insert(0, "dataset", preferred["dataset"].iloc[0])
    return components


def _preferred(choices: Iterable[pd.DataFrame], predictions: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """All trainings that count."""
    parts = zip(choices, predictions, strict=True)
    return pd.concat([counting_runs(as_preferred(*part)) for part in parts], ignore_index=True)
