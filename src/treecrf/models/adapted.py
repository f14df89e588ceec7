"""`adapt`: a classifier of single rows, such as scikit-learn's, as a labeller of sequences."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.models.base import Labeller
from treecrf.models.window.features import Taken, WindowFeatures
from treecrf.sequences import SequenceSet


def is_classifier(labeller: type) -> bool:
    """Whether a class learns from a table and labels, ``fit(X, y)``, and not from sequences, ``fit(train)``."""
    if issubclass(labeller, Labeller):
        return False
    parameters = list(inspect.signature(labeller.fit).parameters.values())  # type: ignore[attr-defined]
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    if len(positional) < 3:  # self, X, y
        return False
    return positional[2].default is inspect.Parameter.empty or getattr(labeller, "_estimator_type", "") == "classifier"


def adapt(classifier: Any, window: tuple[int, int]) -> AdaptedClassifier:
    """A labeller with stages if the classifier tells what it predicts after each iteration, otherwise without.

    Parameters
    ----------
    classifier : object
        Not fitted; with ``fit(X, y)`` and ``predict_proba(X)``.
    window : (int, int)
        Observations before and after the position.
    """
    kind = StagedClassifier if hasattr(classifier, "staged_predict_proba") else AdaptedClassifier
    return kind(classifier, window)


class AdaptedClassifier:
    """A classifier that labels each position from the features of its window (`WindowFeatures`).

    Where the training set has no position of some label, the classifier does not learn it and its probability is 0.

    Parameters
    ----------
    classifier : object
        Its setting ``categorical_features``, if it has it, is set to the columns of categories.
    window : (int, int)

    Attributes
    ----------
    classifier : object
        The same, fitted.
    codes_ : int16, shape (number of labels that occur,)
        The labels of the training set behind the classes 0, 1, .. of the classifier.
    """

    def __init__(self, classifier: Any, window: tuple[int, int]) -> None:
        self.classifier = classifier
        self.window = window

    def fit(self, train: SequenceSet) -> Self:
        """Learn from labelled sequences."""
        assert train.labels is not None
        self._n_labels = len(train.label_names)
        self.codes_, classes = np.unique(train.labels, return_inverse=True)
        self._features = WindowFeatures(self.window, Taken.by(self.classifier)).fit(train)
        if self._features.taken.most_categories is not None:
            self.classifier.set_params(categorical_features=list(range(self._features.n_codes_)))
        if len(self.codes_) > 1:  # of a single label there is nothing to learn
            self.classifier.fit(self._features.transform(train), classes)
        return self

    def predict_proba(self, data: SequenceSet) -> NDArray[np.float64]:
        """P(label | window), shape (n_positions, n_labels)."""
        if len(self.codes_) == 1:
            return self._spread(np.ones((data.n_positions, 1)))
        return self._spread(self.classifier.predict_proba(self._features.transform(data)))

    def _spread(self, probabilities: Any) -> NDArray[np.float64]:
        """The classes at the places of their labels; rows of a classifier with single precision sum to 1 again."""
        found = np.asarray(probabilities, dtype=np.float64)
        spread = np.zeros((len(found), self._n_labels))
        spread[:, self.codes_] = found / found.sum(axis=1, keepdims=True)
        return spread


class StagedClassifier(AdaptedClassifier):
    """One that also tells what it predicts after each iteration."""

    def staged_predict_proba(self, data: SequenceSet) -> Iterator[NDArray[np.float64]]:
        """`predict_proba` after 1, 2, .. iterations."""
        if len(self.codes_) == 1:
            yield self.predict_proba(data)
            return
        for probabilities in self.classifier.staged_predict_proba(self._features.transform(data)):
            yield self._spread(probabilities)
