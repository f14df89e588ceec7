"""Ensembles from on-line learning: weighted majority of path experts (Cortes, Kuznetsov and Mohri, ICML and ACL 2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.voting import WeightedVote, check_predictions, checked
from treecrf.models.params_checks import number, whole

BETAS = (0.9, 0.95, 0.968, 0.98, 0.99)
"""Candidates of cross-validation (protocol, section 3)."""

_CHECKS = {
    "beta": number("a number above 0 and below 1", lambda value: 0 < value < 1),
    "delta": number("a number above 0 and below 1", lambda value: 0 < value < 1),
    "random_state": whole(0),
}


@dataclass(eq=False)
class OnlineMajorityVote(WeightedVote):
    """Weighted majority of path experts, from one pass over the sequences (WMWP; H_MVote).

    Every expert has a weight in every class of positions, which each mistake of a sequence multiplies by `beta`; a path's
    weight is the product of its experts'. The vote has the mean of the normalized weights just before each sequence of a
    suffix of the pass: the one with the smallest mean of the expected losses plus ``sqrt(log(1 / delta) / size)``.

    Parameters
    ----------
    beta : float
    delta : float

    Attributes
    ----------
    weights_ : float64, shape (n_classes, n_experts)
        Of each class they sum to 1.
    first_ : int
        The first sequence of the suffix.
    """

    beta: float = 0.98
    delta: float = 0.05

    def fit(
        self,
        predictions: NDArray[Any],
        labels: NDArray[Any],
        classes: NDArray[Any],
        n_classes: int | None = None,
        *,
        sequences: NDArray[Any],
    ) -> Self:
        """Learn.

        Parameters
        ----------
        predictions, labels, classes, n_classes : see `ESPBoost.fit`
        sequences : int, shape (n_positions,)
            The sequence of every position; sequences come in the order of these numbers.
        """
        for name, check in _CHECKS.items():
            if hasattr(self, name) and not check.holds(getattr(self, name)):
                raise ValueError(f"{name}={getattr(self, name)!r}: {check.need}.")
        given, of = check_predictions(predictions, labels, classes)
        wrong = given != np.asarray(labels)[:, None]
        mistakes, sizes = _count_mistakes(wrong, of, np.asarray(sequences), n_classes or int(of.max()) + 1)
        logs = (np.cumsum(mistakes, axis=0) - mistakes) * np.log(self.beta)
        weights = np.exp(logs - logs.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        losses = (weights * mistakes).sum(axis=(1, 2)) / sizes
        self.first_ = _best_suffix(losses, self.delta)
        self.weights_ = weights[self.first_ :].mean(axis=0)
        return self


@dataclass(eq=False)
class RandomPath(OnlineMajorityVote):
    """A path drawn from the weights of `OnlineMajorityVote` (H_Rand).

    Attributes
    ----------
    path_ : int64, shape (n_classes,)
        The expert of each class, as drawn; it alone votes.
    probabilities_ : float64, shape (n_classes, n_experts)
        That an expert is drawn.
    """

    random_state: int = 0

    def fit(
        self,
        predictions: NDArray[Any],
        labels: NDArray[Any],
        classes: NDArray[Any],
        n_classes: int | None = None,
        *,
        sequences: NDArray[Any],
    ) -> Self:
        """Learn and draw; the arguments are those of `OnlineMajorityVote.fit`."""
        super().fit(predictions, labels, classes, n_classes, sequences=sequences)
        self.probabilities_, rng = self.weights_, np.random.default_rng(self.random_state)
        levels = rng.random((len(self.weights_), 1))
        n_experts = self.weights_.shape[1]
        self.path_ = np.minimum((self.weights_.cumsum(axis=1) <= levels).sum(axis=1), n_experts - 1)
        self.weights_ = np.eye(n_experts)[self.path_]
        return self

    def expected_loss(self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> float:
        """The mean loss over all that may be drawn (table 1's H_Rand)."""
        given, of = checked(self.probabilities_, predictions, classes)
        return float((self.probabilities_[of] * (given != np.asarray(labels)[:, None])).sum() / len(given))


def _count_mistakes(
    wrong: NDArray[np.bool_], classes: NDArray[np.int64], sequences: NDArray[Any], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Mistakes, shape (n_sequences, n_classes, n_experts), and the positions of each sequence."""
    _, of, sizes = np.unique(sequences, return_inverse=True, return_counts=True)
    rows, n_rows = of * n_classes + classes, len(sizes) * n_classes
    counts = np.stack([np.bincount(rows, column, n_rows) for column in wrong.T], axis=1)
    return counts.reshape(len(sizes), n_classes, -1).astype(np.float64), sizes


def _best_suffix(losses: NDArray[np.float64], delta: float) -> int:
    """Where the suffix with the smallest mean and penalty begins, the first one of equals."""
    sizes = np.arange(len(losses), 0, -1)
    means = np.cumsum(losses[::-1])[::-1] / sizes
    return int((means + np.sqrt(np.log(1 / delta) / sizes)).argmin())
