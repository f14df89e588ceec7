"""What `Labeller.score` can measure; of all measures more is better."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treecrf.sequences import MISSING

Codes = NDArray[np.int16]
Metric = Callable[[Codes, Codes, NDArray[np.int64]], float]
"""Called with true codes (`MISSING` for positions that do not count, -2 for a label that training did not have), predicted
codes, and offsets of sequences."""


def accuracy(truth: Codes, predicted: Codes, offsets: NDArray[np.int64]) -> float:
    """Fraction of positions that are labelled correctly."""
    return float((truth == predicted)[truth != MISSING].mean())


def balanced_accuracy(truth: Codes, predicted: Codes, offsets: NDArray[np.int64]) -> float:
    """Mean, over the labels that occur, of the fraction of their positions that is labelled correctly."""
    known = truth != MISSING
    _, label_of = np.unique(truth[known], return_inverse=True)
    return float((np.bincount(label_of, (truth == predicted)[known]) / np.bincount(label_of)).mean())


def macro_f1(truth: Codes, predicted: Codes, offsets: NDArray[np.int64]) -> float:
    """Mean of the F1 scores of the labels that occur, or are predicted: each is ``2 hits / (positions + predictions)``."""
    known = truth != MISSING
    truth, predicted = truth[known], predicted[known]
    names = np.union1d(truth, predicted)
    places = [np.searchsorted(names, codes) for codes in (truth, predicted, truth[truth == predicted])]
    positions, predictions, hits = (np.bincount(place, minlength=len(names)) for place in places)
    return float((2 * hits / (positions + predictions)).mean())


def sequence_accuracy(truth: Codes, predicted: Codes, offsets: NDArray[np.int64]) -> float:
    """Fraction of sequences all of whose positions are labelled correctly."""
    return float(np.logical_and.reduceat((truth == predicted) | (truth == MISSING), offsets[:-1]).mean())


METRICS: dict[str, Metric] = {
    metric.__name__: metric for metric in (accuracy, balanced_accuracy, macro_f1, sequence_accuracy)
}
"""By name."""


def sum_log_probabilities(
    probabilities: NDArray[np.float64], labels: NDArray[np.int16], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The logarithm of the probabilities of the labels that are known, summed by sequence, shape (n_sequences,)."""
    with np.errstate(divide="ignore"):  # votes may give a label nothing
        chosen = np.where(labels == MISSING, 0.0, np.log(probabilities[np.arange(len(labels)), labels]))
    return np.asarray(np.add.reduceat(chosen, offsets[:-1]))
