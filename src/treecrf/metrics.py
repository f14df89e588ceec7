"""Metrics of sequences of labels in lists, and scorers for scikit-learn's searches and cross-validation.

scikit-learn's own metrics take a list of lists for several labels of one row. `y_true` and `y_pred` here have one list
of labels for each sequence. Positions whose true label is None do not count, and where none counts a ValueError says
so. `SCORERS` has a scorer for each metric, by name: ``cross_val_score(model, X, y, scoring=SCORERS["macro_f1"])``, and
``cross_validate(model, X, y, scoring=SCORERS)`` for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.arrays import Codes, Ints, of_objects, starts_of
from treecrf.io.frames import is_indexed, parts_by_index
from treecrf.io.messages import counted
from treecrf.statistics import metrics
from treecrf.statistics.chunks import chunk_f1, strict_scheme

__all__ = ["SCORERS", "accuracy", "balanced_accuracy", "entity_f1", "log_loss", "macro_f1", "sequence_accuracy"]

Labels = Sequence[Any] | NDArray[Any]


def accuracy(y_true: Sequence[Labels], y_pred: Sequence[Labels]) -> float:
    """Fraction of positions that are labelled correctly."""
    return metrics.accuracy(*_codes(y_true, y_pred))


def balanced_accuracy(y_true: Sequence[Labels], y_pred: Sequence[Labels]) -> float:
    """Mean, over the true labels, of the fraction of their positions that is labelled correctly."""
    return metrics.balanced_accuracy(*_codes(y_true, y_pred))


def macro_f1(y_true: Sequence[Labels], y_pred: Sequence[Labels]) -> float:
    """Mean of the F1 scores of the labels."""
    return metrics.macro_f1(*_codes(y_true, y_pred))


def sequence_accuracy(y_true: Sequence[Labels], y_pred: Sequence[Labels]) -> float:
    """Fraction of sequences without an error."""
    return metrics.sequence_accuracy(*_codes(y_true, y_pred))


def entity_f1(y_true: Sequence[Labels], y_pred: Sequence[Labels], scheme: str | None = None) -> float:
    """F1 of entities, from 0 to 1, as seqeval counts them.

    Parameters
    ----------
    y_true, y_pred : list of lists of str
        Tags of each sequence, such as "B-PER", "I-PER" and "O"; all are known.
    scheme : str, optional
        One of `treecrf.statistics.chunks.SCHEMES`: entities that are complete in that scheme count alone (strict mode).
        Unless given, BILOU and BMES, which seqeval's default mode does not know, are counted so, and others as in its
        default mode.
    """
    lengths = _lengths(y_true, y_pred)
    true, predicted = (np.array([str(tag) for tags in each for tag in tags], dtype=str) for each in (y_true, y_pred))
    names = np.unique(np.concatenate([true, predicted]))
    return chunk_f1(true, predicted, starts_of(lengths), scheme or strict_scheme(names)).f1 / 100


def log_loss(
    y_true: Sequence[Labels], probabilities: Sequence[ArrayLike], classes: Sequence[Any] | NDArray[Any]
) -> float:
    """Mean of -log P(true label) over positions, in nats.

    Parameters
    ----------
    y_true : list of lists
        Labels of each sequence.
    probabilities : list of arrays, shape (n_observations, n_labels)
        As ``predict_proba`` gives them.
    classes : sequence, length n_labels
        The labels in the order of the columns: ``classes_`` of the model.

    Raises
    ------
    ValueError
        If there are not as many probabilities as labels, or a label is none of the classes.
    """
    _lengths(y_true, probabilities)
    place_of = {
        label: place for place, label in enumerate(classes.tolist() if isinstance(classes, np.ndarray) else classes)
    }
    flat = [label for labels in y_true for label in of_objects(labels)]
    unknown = [label for label in flat if label is not None and label not in place_of]
    if unknown:
        raise ValueError(f"log_loss: the label {unknown[0]!r} is none of the classes, {list(place_of)}.")
    known = np.array([label is not None for label in flat])
    rows = np.concatenate([np.asarray(part, dtype=np.float64).reshape(-1, len(place_of)) for part in probabilities])[
        known
    ]
    places = np.array([place_of[label] for label in flat if label is not None], dtype=np.int64)
    with np.errstate(divide="ignore"):
        return float(-np.log(rows[np.arange(len(rows)), places]).mean())


@dataclass(frozen=True)
class _Scorer:
    """A scorer by a metric, which can be pickled."""

    metric: Callable[..., float]

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        if isinstance(X, Sequence) and all(map(is_indexed, X)):
            y = parts_by_index(y, [sequence.index for sequence in X], "the labels")
        if self.metric is log_loss:
            return -log_loss(y, estimator.predict_proba(X), estimator.classes_)
        return self.metric(y, estimator.predict(X))


class _Scorers(dict[str, Callable[..., float]]):
    def __missing__(self, name: str) -> Callable[..., float]:
        if name not in metrics.SCIKIT_NAMES:
            raise KeyError(f"there is no scorer {name!r}; choose one of {', '.join((*self, *metrics.SCIKIT_NAMES))}.")
        return self[metrics.SCIKIT_NAMES[name]]


SCORERS = _Scorers(
    {
        metric.__name__: _Scorer(metric)
        for metric in (accuracy, balanced_accuracy, macro_f1, sequence_accuracy, entity_f1, log_loss)
    }
)
"""Called with a fitted labeller, sequences and lists of labels, by name of the metric; more is better: "log_loss" is
negative.

Names of scikit-learn, such as "f1_macro" and "neg_log_loss", are understood too.
"""


def _codes(y_true: Sequence[Labels], y_pred: Sequence[Labels]) -> tuple[Codes, Codes, Ints]:
    """True and predicted labels by common codes, and the offsets of sequences that are not empty."""
    lengths = _lengths(y_true, y_pred)
    code_of: dict[Any, int] = {}
    flat = [[label for labels in each for label in of_objects(labels)] for each in (y_true, y_pred)]
    true, predicted = (
        np.array(
            [metrics.UNKNOWN if label is None else code_of.setdefault(label, len(code_of)) for label in labels],
            dtype=np.int16,
        )
        for labels in flat
    )
    return true, predicted, starts_of(lengths[lengths > 0])


def _lengths(y_true: Sequence[Any], y_pred: Sequence[Any]) -> Ints:
    """Lengths of the sequences, once predictions have those of the true labels."""
    lengths = [np.array([len(each) for each in part], dtype=np.int64) for part in (y_true, y_pred)]
    if len(lengths[0]) != len(lengths[1]):
        raise ValueError(
            f"there are {counted(len(lengths[0]), 'sequence')} of true labels and {len(lengths[1])} of predictions; "
            "give both for each."
        )
    differing = np.flatnonzero(lengths[0] != lengths[1])
    if len(differing):
        number = int(differing[0])
        raise ValueError(
            f"sequence {number} has {counted(int(lengths[0][number]), 'true label')} and {lengths[1][number]} "
            "predictions; give both for each position."
        )
    if not any(label is not None for labels in y_true for label in labels):
        raise ValueError("there is no true label that is known; give at least one.")
    return lengths[0]
