"""`StepwiseEnsemble`: forward selection of experts for a plurality vote (SLE; after Nguyen and Guo 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.voting import check_predictions
from treecrf.models.params_checks import whole


@dataclass(eq=False)
class StepwiseEnsemble:
    """A plurality vote of experts that are added one by one, perhaps several times, as long as training loss falls.

    Reconstructed from numbers (protocol, section 3), not from the authors' text. The first is the expert that is best in
    training. Of tied labels that of the most accurate expert wins; of experts as accurate, one is drawn at each position.

    Parameters
    ----------
    random_state : int
        Seed of the draws.

    Attributes
    ----------
    counts_ : int64, shape (n_experts,)
        How often each expert votes.
    accuracies_ : float64, shape (n_experts,)
        In training.
    """

    random_state: int = 0

    def fit(self, predictions: NDArray[Any], labels: NDArray[Any]) -> Self:
        """Select.

        Parameters
        ----------
        predictions : uint8, shape (n_positions, n_experts)
        labels : int, shape (n_positions,)
        """
        need = whole(0)
        if not need.holds(self.random_state):
            raise ValueError(f"random_state={self.random_state!r}: {need.need}.")
        given, _ = check_predictions(predictions, labels, np.zeros(len(predictions), dtype=np.int64))
        self.accuracies_ = (given == np.asarray(labels)[:, None]).mean(axis=0)
        self.counts_ = np.zeros(given.shape[1], dtype=np.int64)
        draws = _draw(self.random_state, 0, len(given))
        expert, loss = int(self.accuracies_.argmax()), np.inf
        candidate = 1 - self.accuracies_[expert]
        while candidate < loss:
            self.counts_[expert] += 1
            loss = candidate
            losses = [
                (self._elect(given, self.counts_ + one, draws) != labels).mean() for one in np.eye(len(self.counts_))
            ]
            expert = int(np.argmin(losses))
            candidate = losses[expert]
        return self

    def vote(self, predictions: NDArray[Any]) -> NDArray[np.uint8]:
        """The label of every position, uint8, shape (n_positions,)."""
        given, _ = check_predictions(predictions, None, np.zeros(len(predictions), dtype=np.int64))
        return self._elect(given, self.counts_, _draw(self.random_state, 1, len(given)))

    def _elect(
        self, predictions: NDArray[np.uint8], counts: NDArray[Any], draws: NDArray[np.float64]
    ) -> NDArray[np.uint8]:
        votes = np.stack([(predictions == one[:, None]) @ counts for one in predictions.T], axis=1)
        accuracies = np.where((votes == votes.max(axis=1, keepdims=True)) & (counts > 0), self.accuracies_, -1.0)
        equals = accuracies == accuracies.max(axis=1, keepdims=True)
        chosen = np.floor(draws * equals.sum(axis=1)) + 1
        winners = (equals.cumsum(axis=1) == chosen[:, None]).argmax(axis=1)
        return predictions[np.arange(len(predictions)), winners]


def _draw(random_state: int, part: int, n_positions: int) -> NDArray[np.float64]:
    """A number from 0 to 1 for each position, in training (part 0) and afterwards (1)."""
    return np.random.default_rng([random_state, part]).random(n_positions)
