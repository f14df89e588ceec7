"""Other votes of experts: descent, online majority vote, random path and stepwise selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.ensembles.espboost import TIED, Cells, PathErrors
from treecrf.ensembles.voting import WeightedVote, check_predictions, checked
from treecrf.estimators.checks import SEED, SIZE, check_params, number
from treecrf.io.arrays import Bools, Floats, Ints

CLOSE = 1e-4
"""Descent ends where the error of every path that could change is so near to 1/2."""


@dataclass(eq=False)
class Descent(WeightedVote):
    """The vote of path experts that minimizes F (the right side of lemma 1) over weights of at least 0.

    A step changes the weight of the path whose error is farthest from 1/2: the best path of all, or one that has
    weight, which may become less. ESPBoost as printed only adds. A first path that is always right, or not better than
    chance, is returned alone with weight 1.

    Parameters
    ----------
    n_steps : int
        Most steps; where the training positions can all be voted right, F has no minimum.

    Attributes
    ----------
    paths_ : int64, shape (n_paths, n_classes)
    alphas_ : float64, shape (n_paths,)
    log_objective_ : float
        log F.
    n_steps_ : int
        Steps that were taken.
    weights_ : float64, shape (n_classes, n_experts)
    """

    n_steps: int = 1000

    def fit(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], n_classes: int | None = None
    ) -> Self:
        """Descend; the arguments are those of `ESPBoost.fit`."""
        check_params({"n_steps": self.n_steps}, {"n_steps": SIZE})
        votes, class_of = check_predictions(predictions, labels, classes)
        n_classes = n_classes or int(class_of.max()) + 1
        alphas, self.log_objective_, self.n_steps_ = _descend(
            Cells.pack(votes, labels, class_of), n_classes, self.n_steps
        )
        kept = {path: alpha for path, alpha in alphas.items() if alpha > 0}
        self.paths_, self.alphas_ = np.array(list(kept)), np.array(list(kept.values()))
        self.weights_ = np.zeros((n_classes, votes.shape[1]))
        for path, alpha in zip(self.paths_, self.alphas_, strict=True):
            self.weights_[np.arange(n_classes), path] += alpha
        return self

    def bound(self, rho: ArrayLike) -> Floats:
        """The bound ``exp(rho ||alpha||) F(alpha)`` on the margin loss of training positions, of the shape of rho."""
        return np.exp(np.asarray(rho, dtype=np.float64) * self.alphas_.sum() + self.log_objective_)


def _descend(cells: Cells, n_classes: int, most: int) -> tuple[dict[tuple[int, ...], float], float, int]:
    """The weights of paths, log F and the number of steps, of which there are at most so many."""
    path_errors, distribution = PathErrors(cells, n_classes), cells.sizes() / len(cells.of)
    alphas: dict[tuple[int, ...], float] = {}
    log_objective = 0.0
    for n_done in range(most):
        path, error = _farthest(path_errors.of(distribution), alphas)
        key = tuple(path.tolist())
        is_alone = not alphas and not 0 < error < 0.5 - CLOSE
        if not is_alone and abs(0.5 - error) <= CLOSE:
            return alphas, log_objective, n_done
        step = 1.0 if is_alone else max(0.5 * np.log((1 - error) / error), -alphas.get(key, 0.0))
        alphas[key] = alphas.get(key, 0.0) + step
        distribution *= np.exp(np.where(cells.right_on(path), -step, step))
        log_objective += float(np.log(distribution.sum()))
        distribution /= distribution.sum()
        if is_alone:
            return alphas, log_objective, 1
    return alphas, log_objective, most


def _farthest(errors: Floats, alphas: dict[tuple[int, ...], float]) -> tuple[Ints, float]:
    """The path whose error is farthest from 1/2, and its error: the best path, or one that has weight."""
    best = (errors <= errors.min(axis=1, keepdims=True) + TIED).argmax(axis=1)
    paths = [best, *(np.array(path) for path, alpha in alphas.items() if alpha > 0)]
    errors_of_paths = [float(errors[np.arange(len(errors)), path].sum()) for path in paths]
    farthest = int(np.argmax([abs(0.5 - error) for error in errors_of_paths]))
    return paths[farthest], errors_of_paths[farthest]


BETAS = (0.9, 0.95, 0.968, 0.98, 0.99)
"""Candidates of cross-validation (protocol, section 3)."""

_CONSTRAINTS = {
    **dict.fromkeys(("beta", "delta"), number("a number above 0 and below 1", lambda value: 0 < value < 1)),
    "random_state": SEED,
}


@dataclass(eq=False)
class OnlineMajorityVote(WeightedVote):
    """Weighted majority of path experts, from one pass over the sequences (WMWP; H_MVote).

    Every expert has a weight in every class of positions, which each mistake of a sequence multiplies by `beta`; a
    path's weight is the product of its experts'. The vote has the mean of the normalized weights just before each
    sequence of a suffix of the pass: the one with the smallest mean of the expected losses plus ``sqrt(log(1 / delta) /
    size)``.

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
        check_params({name: value for name, value in vars(self).items() if name in _CONSTRAINTS}, _CONSTRAINTS)
        votes, class_of = check_predictions(predictions, labels, classes)
        wrong = votes != np.asarray(labels)[:, None]
        mistakes, sizes = _count_mistakes(wrong, class_of, np.asarray(sequences), n_classes or int(class_of.max()) + 1)
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
        votes, class_of = checked(self.probabilities_, predictions, classes)
        return float((self.probabilities_[class_of] * (votes != np.asarray(labels)[:, None])).sum() / len(votes))


def _count_mistakes(
    wrong: Bools, classes: Ints, sequences: NDArray[Any], n_classes: int
) -> tuple[Floats, NDArray[Any]]:
    """Mistakes, shape (n_sequences, n_classes, n_experts), and the positions of each sequence."""
    _, of, sizes = np.unique(sequences, return_inverse=True, return_counts=True)
    rows, n_rows = of * n_classes + classes, len(sizes) * n_classes
    counts = np.stack([np.bincount(rows, column, n_rows) for column in wrong.T], axis=1)
    return counts.reshape(len(sizes), n_classes, -1).astype(np.float64), sizes


def _best_suffix(losses: Floats, delta: float) -> int:
    """Where the suffix with the smallest mean and penalty begins, the first one of equals."""
    sizes = np.arange(len(losses), 0, -1)
    means = np.cumsum(losses[::-1])[::-1] / sizes
    return int((means + np.sqrt(np.log(1 / delta) / sizes)).argmin())


@dataclass(eq=False)
class StepwiseEnsemble:
    """A plurality vote of experts that are added one by one, perhaps several times, as long as training loss falls.

    Reconstructed from numbers (protocol, section 3), not from the authors' text. The first is the expert that is best
    in training. Of tied labels that of the most accurate expert wins; of experts as accurate, one is drawn at each
    position.

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
        check_params({"random_state": self.random_state}, {"random_state": SEED})
        votes, _ = check_predictions(predictions, labels, np.zeros(len(predictions), dtype=np.int64))
        self.accuracies_ = (votes == np.asarray(labels)[:, None]).mean(axis=0)
        self.counts_ = np.zeros(votes.shape[1], dtype=np.int64)
        draws = _draw(self.random_state, 0, len(votes))
        expert, loss = int(self.accuracies_.argmax()), np.inf
        candidate = 1 - self.accuracies_[expert]
        while candidate < loss:
            self.counts_[expert] += 1
            loss = candidate
            losses = [
                (self._elect(votes, self.counts_ + one, draws) != labels).mean() for one in np.eye(len(self.counts_))
            ]
            expert = int(np.argmin(losses))
            candidate = losses[expert]
        return self

    def vote(self, predictions: NDArray[Any]) -> NDArray[np.uint8]:
        """The label of every position, uint8, shape (n_positions,)."""
        votes, _ = check_predictions(predictions, None, np.zeros(len(predictions), dtype=np.int64))
        return self._elect(votes, self.counts_, _draw(self.random_state, 1, len(votes)))

    def _elect(self, predictions: NDArray[np.uint8], counts: NDArray[Any], draws: Floats) -> NDArray[np.uint8]:
        votes = np.stack([(predictions == one[:, None]) @ counts for one in predictions.T], axis=1)
        accuracies = np.where((votes == votes.max(axis=1, keepdims=True)) & (counts > 0), self.accuracies_, -1.0)
        equals = accuracies == accuracies.max(axis=1, keepdims=True)
        chosen = np.floor(draws * equals.sum(axis=1)) + 1
        winners = (equals.cumsum(axis=1) == chosen[:, None]).argmax(axis=1)
        return predictions[np.arange(len(predictions)), winners]


def _draw(random_state: int, part: int, n_positions: int) -> Floats:
    """A number from 0 to 1 for each position, in training (part 0) and afterwards (1)."""
    return np.random.default_rng([random_state, part]).random(n_positions)
