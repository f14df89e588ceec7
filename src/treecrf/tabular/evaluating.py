"""Accuracy of labellers on a table with labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.models.base import Decoder, Labeller
from treecrf.sequences import SequenceSet
from treecrf.statistics.mcnemar import compare_pairs
from treecrf.statistics.selection import derive_seed
from treecrf.statistics.sign_flip import compare_flips


@dataclass(frozen=True)
class Evaluation:
    """One labeller on one set: which positions are `correct` (bool), and what fraction of the sequences has no error.

    `log_likelihood` is the mean of a position, in nats. `by_label` has label, precision, recall, f1 and n_positions (of
    that true label), NaN where nothing can be divided; `confusion` the positions by true (rows) and predicted label
    (columns).
    """

    correct: NDArray[np.bool_]
    whole_sequences: float
    log_likelihood: float
    by_label: pd.DataFrame
    confusion: pd.DataFrame

    @property
    def accuracy(self) -> float:
        """Fraction of the positions that are right."""
        return float(self.correct.mean())


def evaluate(labeller: Labeller, data: SequenceSet, decoder: Decoder) -> Evaluation:
    """Compare what a labeller predicts with the labels of a set that is encoded for it."""
    truth, predicted = labeller.align_labels(data), labeller.predict(data, decoder)
    names = list(labeller.label_names_)
    counts = np.bincount(truth * np.intp(len(names)) + predicted, minlength=len(names) ** 2)
    confusion = pd.DataFrame(counts.reshape(len(names), -1), index=names, columns=names)
    correct = predicted == truth
    by_sequence = np.logical_and.reduceat(correct, data.offsets[:-1])
    log_likelihood = float(labeller.log_likelihood(data).sum()) / data.n_positions
    return Evaluation(correct, float(by_sequence.mean()), log_likelihood, rate_labels(confusion), confusion)


def rate_labels(confusion: pd.DataFrame) -> pd.DataFrame:
    """Precision, recall and F1 of every label, as in `Evaluation.by_label`, from a confusion matrix."""
    counts = confusion.to_numpy()
    hits, true, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        precision, recall, f1 = hits / predicted, hits / true, 2 * hits / (true + predicted)
    columns = {"label": list(confusion.columns), "precision": precision, "recall": recall, "f1": f1}
    return pd.DataFrame(columns | {"n_positions": true})


def compare(evaluations: Mapping[str, Evaluation], data: SequenceSet) -> pd.DataFrame:
    """Every pair of trained labellers, by name: McNemar's test, and flips of whole groups of related sequences.

    The columns of `treecrf.statistics.mcnemar.compare_pairs`, and n_clusters and flip_p_value
    (`treecrf.statistics.sign_flip`).
    """
    sequence = np.repeat(np.arange(len(data)), data.lengths)
    cluster = np.repeat(np.unique(data.groups, return_inverse=True)[1], data.lengths)
    outcomes = [
        pd.DataFrame({"method": name, "sequence": sequence, "position": np.arange(len(sequence)), "correct": e.correct})
        for name, e in evaluations.items()
    ]
    papers = compare_pairs(pd.concat(outcomes, ignore_index=True).assign(dataset="table", decoder="one"))
    counts = [np.bincount(cluster, weights=e.correct).astype(np.int64)[None] for e in evaluations.values()]
    flips = compare_flips(list(evaluations), counts, len(sequence), derive_seed("evaluate", "flips"))
    ours = flips[["method", "other", "n_clusters", "p_value"]].rename(columns={"p_value": "flip_p_value"})
    return papers.merge(ours, on=["method", "other"], validate="one_to_one")
