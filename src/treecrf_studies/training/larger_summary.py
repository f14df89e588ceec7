"""Putting the larger samples of the training study together: accuracies, and tests between methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.files import stacked
from treecrf.statistics.estimates import MARGIN, TESTED, Estimates, estimate_resampled, tested
from treecrf.statistics.two_way import estimate_crossed
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.resamples import FAMILY, decided, of_family
from treecrf_studies.framework.summaries import summarise
from treecrf_studies.options import joined_names
from treecrf_studies.training.choices import METHODS, PAIR

OF_SAMPLE = ["dataset", "sample", "population", "test"]
ACCURACY_NAMES = [
    *OF_SAMPLE,
    "method",
    "decoder",
    "candidate",
    "iteration",
    "quantity",
    "value",
    "sd",
    "low",
    "high",
    "n",
    "unit",
    "n_train",
    "n_test",
    "cpu_seconds",
]
COMPARISON_NAMES = [*OF_SAMPLE[:3], *PAIR[1:], *TESTED, *FAMILY, "about", "test", "n_clusters", "n", "decision"]


def frames_of_larger(frames: Mapping[str, Sequence[pd.DataFrame]], margin: float = MARGIN) -> dict[str, pd.DataFrame]:
    """The frames of all larger samples of a data set, from those of `treecrf_studies.training.larger.Larger` of every
    job.

    Gives "larger_accuracies" (`larger_accuracies`) and "larger_comparisons" (`compare_larger`), without rows where
    there is no sample.
    """
    if not frames.get("larger_counts"):
        return {
            "larger_accuracies": pd.DataFrame(columns=ACCURACY_NAMES),
            "larger_comparisons": pd.DataFrame(columns=COMPARISON_NAMES),
        }
    counts, trainings = stacked(frames["larger_counts"]), stacked(frames["larger_trainings"])
    return {
        "larger_accuracies": larger_accuracies(counts, trainings),
        "larger_comparisons": compare_larger(counts, trainings, margin),
    }


def larger_accuracies(counts: pd.DataFrame, trainings: pd.DataFrame) -> pd.DataFrame:
    """A row for each method, larger sample and decoder: the columns `ACCURACY_NAMES`.

    Accuracies over the trainings, each of which counts alike (`treecrf_studies.framework.summaries.summarise`). The
    candidates that were chosen, the median of their iterations (0: the last one), mean sequences of a training and of a
    test set, CPU seconds of all trainings after the choice.
    """
    keys = ["sample", "method"]
    sums = counts.groupby([*keys, "decoder", "draw"], sort=False, observed=True)[["n_correct", "n_positions"]].sum()
    percent = (100 * sums["n_correct"] / sums["n_positions"]).rename("accuracy").reset_index()
    accuracies = summarise(percent, [*keys, "decoder"], {"accuracy": {"quantity": ACCURACY}})
    groups = trainings.groupby([*OF_SAMPLE, "method"], sort=False, observed=True)
    chosen = groups.agg(
        candidate=("candidate", joined_names),
        iteration=("iteration", "median"),
        n_train=("n_train", "mean"),
        n_test=("n_test", "mean"),
        cpu_seconds=("cpu_seconds", "sum"),
    )
    return chosen.reset_index().merge(accuracies, on=keys)[ACCURACY_NAMES]


def compare_larger(counts: pd.DataFrame, trainings: pd.DataFrame, margin: float = MARGIN) -> pd.DataFrame:
    """Every pair of methods on each larger sample, by decoder.

    `counts` and `trainings` are of `treecrf_studies.training.larger.Larger`, of all methods and samples; columns as in
    `treecrf_studies.training.summary.compare`. dataset is that of the papers which the sample is larger than.
    n_clusters: groups of related sequences. Where one method has fewer trainings than the other, both are compared on
    these alone (n). test says which test it is, fixed in advance by the design:

    folds
        The corrected resampled t test with n_test / n_train = 1 / (n_folds - 1) (Bouckaert and Frank 2004, LNCS
        3056:3-12); the mean over the folds.
    draws
        Groups of sequences crossed with training sets (`treecrf.statistics.two_way.estimate_crossed` with
        Satterthwaite's rule); a cell of a group that trains is empty.
    documents
        Of the accuracies of whole documents, each of which counts alike: p is that of Wilcoxon's signed-rank test, the
        interval that of the paired t test.
    """
    comparisons = [
        _compare_sample(of_decoder, trainings[trainings["sample"] == sample].iloc[0], margin).assign(
            decoder=str(decoder)
        )
        for (sample, decoder), of_decoder in counts.groupby(["sample", "decoder"], sort=False, observed=True)
        if len(set(of_decoder["method"])) > 1
    ]
    return pd.concat(comparisons, ignore_index=True) if comparisons else pd.DataFrame(columns=COMPARISON_NAMES)


def _compare_sample(counts: pd.DataFrame, sample: pd.Series, margin: float) -> pd.DataFrame:
    names = [str(name) for name in dict.fromkeys(counts["method"])]
    n_trainings = counts.groupby("method", observed=True)["draw"].nunique()[names].to_numpy()
    correct, positions = _cells(counts, names, int(n_trainings.argmax()))
    first, second = np.triu_indices(len(names), 1)
    shared = np.minimum(n_trainings[first], n_trainings[second])
    estimated = np.empty((4, len(first)))
    for n in np.unique(shared):
        pairs = shared == n
        differences, of_shared = (correct[first[pairs]] - correct[second[pairs]])[:, :, :n], positions[:, :n]
        of_pairs = _estimates(differences, of_shared, sample)
        p_value = _signed_rank(differences, of_shared) if sample["test"] == "documents" else of_pairs.p_value
        estimated[:, pairs] = of_pairs.points, of_pairs.standard_error, of_pairs.degrees_of_freedom, p_value
    estimates, p_value = Estimates(*estimated[:3]), estimated[3]
    family = of_family(estimates, p_value)
    return pd.DataFrame(
        {
            "dataset": sample["dataset"],
            "sample": sample["sample"],
            "population": sample["population"],
            "method": [names[place] for place in first],
            "other": [names[place] for place in second],
            **tested(estimates),
            "p_value": p_value,
            **family,
            "about": METHODS,
            "test": sample["test"],
            "n_clusters": len(positions),
            "n": shared,
            "decision": decided(estimates, family["p_holm"], margin),
        }
    )


def _cells(counts: pd.DataFrame, methods: list[str], longest: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Correct positions, shape (n_methods, n_groups, n_trainings), and positions, shape (n_groups, n_trainings).

    `longest` is the place of a method with all trainings.
    """
    groups, group = np.unique(counts["group"], return_inverse=True)
    training = counts["draw"].to_numpy(dtype=np.int64)
    method = pd.Index(methods).get_indexer(pd.Index(counts["method"]))
    shape = len(methods), len(groups), 1 + int(training.max())
    correct, positions = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    np.add.at(correct, (method, group, training), counts["n_correct"])
    np.add.at(positions, (method, group, training), counts["n_positions"])
    return correct, positions[longest]


def _estimates(differences: NDArray[np.int64], positions: NDArray[np.int64], sample: pd.Series) -> Estimates:
    """Estimates of differences of shape (n_pairs, n_groups, n_trainings)."""
    if sample["test"] == "draws":
        return estimate_crossed(differences, positions, satterthwaite=True)
    test_per_train = 0.0 if sample["test"] == "documents" else 1 / (int(sample["n_folds"]) - 1)
    return estimate_resampled(differences.sum(axis=1), positions.sum(axis=0), test_per_train)


def _signed_rank(differences: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """p-values of Wilcoxon's test of each pair over documents, those without a difference left out; 1 where all are."""
    from scipy.stats import wilcoxon  # takes long to import

    accuracies = 100 * differences.sum(axis=1) / positions.sum(axis=0)
    return np.array([wilcoxon(pair).pvalue if pair.any() else 1.0 for pair in accuracies])
