"""`MajorityVote` and `BestExpert`: what needs no boosting."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.voting import WeightedVote, check_predictions


class MajorityVote(WeightedVote):
    """The label that most experts predict, of tied ones that of the lowest expert."""

    def fit(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], n_classes: int | None = None
    ) -> Self:
        """Every expert gets the same weight; the arguments are those of `ESPBoost.fit`."""
        given, of = check_predictions(predictions, labels, classes)
        self.weights_ = np.ones((n_classes or int(of.max()) + 1, given.shape[1]))
        return self


class BestExpert(WeightedVote):
    """The expert that is right most often where it was fitted, the lowest of tied ones.

    Attributes
    ----------
    expert_ : int
    """

    def fit(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], n_classes: int | None = None
    ) -> Self:
        """Choose, whatever the classes; the arguments are those of `ESPBoost.fit`."""
        given, of = check_predictions(predictions, labels, classes)
        self.expert_ = int((given == np.asarray(labels)[:, None]).sum(axis=0).argmax())
        self.weights_ = np.zeros((n_classes or int(of.max()) + 1, given.shape[1]))
        self.weights_[:, self.expert_] = 1.0
        return self
