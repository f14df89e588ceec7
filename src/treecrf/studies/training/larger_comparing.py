"""Tests between methods on larger samples (`treecrf.studies.training.larger`)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.estimates import CONFIDENCE, Estimates, decide, estimate_resampled
from treecrf.statistics.two_way import estimate_crossed
from treecrf.studies.training.names import BETTER, METHODS

COMPARISON_NAMES = [
    "dataset", "sample", "population", "decoder", "method", "other", "mean_points", "low", "high", "low_90", "high_90",
    "valid_p_value", "holm_low", "holm_high", "valid_p_holm", "about", "valid_test", "n_clusters", "n_trainings", "decision",
]  # fmt: skip


def compare_larger(counts: pd.DataFrame, accuracies: pd.DataFrame) -> pd.DataFrame:
    """Every pair of methods on each larger sample, each with its preferred decoder.

    Parameters
    ----------
    counts, accuracies : DataFrame
        Of `treecrf.studies.training.larger.Larger`, of all methods and samples.

    Returns
    -------
    DataFrame
        Columns `COMPARISON_NAMES`, as in `treecrf.studies.training.comparing.compare`; dataset is that of the papers which the
        sample is larger than. n_clusters: groups of related sequences.

    Notes
    -----
    Of folds: the corrected resampled t test with n_test / n_train = 1 / (n_folds - 1) (Bouckaert and Frank 2004, LNCS
    3056:3-12); the mean over the folds. Of draws: groups of sequences crossed with training sets
    (`treecrf.statistics.two_way.estimate_crossed` with Satterthwaite's rule); a cell of a group that trains is empty.
    """
    found = [
        _compare_sample(counts[counts["sample"] == sample], of_sample)
        for sample, of_sample in accuracies.groupby("sample", sort=False)
        if len(of_sample) > 1
    ]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=COMPARISON_NAMES)


def _compare_sample(counts: pd.DataFrame, accuracies: pd.DataFrame) -> pd.DataFrame:
    names = accuracies["method"].tolist()
    correct, positions = _cells(counts, names)
    first, second = np.triu_indices(len(names), 1)
    sample = accuracies.iloc[0]
    differences = correct[first] - correct[second]
    estimates = _estimates(differences, positions, str(sample["design"]), int(sample["n_folds"]))
    (low, high), (low_90, high_90) = estimates.interval(), estimates.interval(CONFIDENCE)
    holm_low, holm_high = estimates.interval_holm()
    margin = float(sample["equivalence_margin"])
    return pd.DataFrame(
        {
            "dataset": sample["dataset"], "sample": sample["sample"], "population": sample["population"], "decoder": BETTER,
            "method": [names[place] for place in first],
            "other": [names[place] for place in second],
            "mean_points": estimates.points, "low": low, "high": high, "low_90": low_90, "high_90": high_90,
            "valid_p_value": estimates.p_value, "holm_low": holm_low, "holm_high": holm_high, "valid_p_holm": estimates.p_holm,
            "about": METHODS, "valid_test": sample["design"], "n_clusters": len(positions), "n_trainings": sample["n_trainings"],
            "decision": decide(estimates.points, estimates.p_holm, low_90, high_90, margin=margin),
        }
    )[COMPARISON_NAMES]  # fmt: skip


def _cells(counts: pd.DataFrame, methods: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Correct positions, shape (n_methods, n_groups, n_trainings), and positions, shape (n_groups, n_trainings)."""
    groups, group = np.unique(counts["group"], return_inverse=True)
    training = counts["training"].to_numpy(dtype=np.int64)
    method = pd.Index(methods).get_indexer(pd.Index(counts["method"]))
    correct = np.zeros((len(methods), len(groups), 1 + training.max()), dtype=np.int64)
    correct[method, group, training] = counts["n_correct"]
    positions = np.zeros(correct.shape[1:], dtype=np.int64)
    positions[group, training] = counts["n_positions"]
    return correct, positions


def _estimates(differences: NDArray[np.int64], positions: NDArray[np.int64], design: str, n_folds: int) -> Estimates:
    """Of differences of shape (n_pairs, n_groups, n_trainings)."""
    if design == "draws":
        return estimate_crossed(differences, positions, satterthwaite=True)
    return estimate_resampled(differences.sum(axis=1), positions.sum(axis=0), 1 / (n_folds - 1))
