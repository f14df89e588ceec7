"""How well labellers do on a table with labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from treecrf.models.base import Decoder, Labeller
from treecrf.sequences import SequenceSet
from treecrf.statistics.deviance import compare_pairs


@dataclass(frozen=True)
class Evaluation:
    """What one labeller does on one set.

    Attributes
    ----------
    correct : bool, shape (n_positions,)
    whole_sequences : float
        Fraction of the sequences without an error.
    log_likelihood : float
        Mean log likelihood of a position, in nats.
    by_label : DataFrame
        label, precision, recall, f1, n_positions (of that true label). NaN where nothing can be divided.
    confusion : DataFrame
        Number of positions by true (rows) and predicted label (columns).
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
    codes = np.arange(len(names))
    precision, recall, f1, counts = precision_recall_fscore_support(
        truth, predicted, labels=codes, zero_division=np.nan
    )
    by_label = pd.DataFrame({"label": names, "precision": precision, "recall": recall, "f1": f1, "n_positions": counts})
    correct = predicted == truth
    by_sequence = np.logical_and.reduceat(correct, data.offsets[:-1])
    confusion = pd.DataFrame(confusion_matrix(truth, predicted, labels=codes), index=names, columns=names)
    log_likelihood = float(labeller.log_likelihood(data).sum()) / data.n_positions
    return Evaluation(correct, float(by_sequence.mean()), log_likelihood, by_label, confusion)


def compare(evaluations: Mapping[str, Evaluation], data: SequenceSet) -> pd.DataFrame:
    """McNemar's test of every pair of labellers (`treecrf.statistics.deviance.compare_pairs`), by name."""
    sequence = np.repeat(np.arange(len(data)), data.lengths)
    outcomes = [
        pd.DataFrame({"method": name, "sequence": sequence, "position": np.arange(len(sequence)), "correct": e.correct})
        for name, e in evaluations.items()
    ]
    return compare_pairs(pd.concat(outcomes, ignore_index=True).assign(dataset="table", decoder="one"))
