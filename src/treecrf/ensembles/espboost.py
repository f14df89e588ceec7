"""ESPBoost: boosting of path experts on positions packed into cells, its rounds by cross-validation, and its record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.ensembles.voting import MOST_PACKED, Situations, WeightedVote, check_predictions, checked
from treecrf.estimators.checks import SIZE, check_params
from treecrf.io.arrays import Bools, Floats, Ints
from treecrf.statistics.selection import sequence_folds


class Cells(NamedTuple):
    """Kinds of positions.

    Attributes
    ----------
    classes : int64, shape (n_cells,)
        Rising.
    right : bool, shape (n_cells, n_experts)
        Which experts are right.
    of : int64, shape (n_positions,)
        The cell of each position.
    """

    classes: Ints
    right: Bools
    of: Ints

    @classmethod
    def pack(cls, predictions: NDArray[np.uint8], labels: NDArray[Any], classes: Ints) -> Cells:
        """The cells of some positions."""
        right = predictions == np.asarray(labels)[:, None]
        n_experts = right.shape[1]
        octets = np.packbits(right, axis=1, bitorder="little")
        if n_experts > MOST_PACKED:
            rows = np.column_stack([classes, octets])
            _, first, of = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            return cls(classes[first], right[first], of)
        codes = classes << n_experts
        for octet in range(octets.shape[1]):
            codes |= octets[:, octet].astype(np.int64) << 8 * octet
        occupied = np.flatnonzero(np.bincount(codes))
        number = np.empty(occupied[-1] + 1, dtype=np.int64)
        number[occupied] = np.arange(len(occupied))
        bits = occupied[:, None] >> np.arange(n_experts) & 1
        return cls(occupied >> n_experts, bits.astype(np.bool_), number[codes])

    def sizes(self, weights: NDArray[Any] | None = None) -> Floats:
        """Positions of each cell, or the sum of their weights; float64, shape (n_cells,)."""
        return np.bincount(self.of, weights, len(self.classes)).astype(np.float64)

    def right_on(self, path: Ints) -> Bools:
        """Whether a path expert (int64, shape (n_classes,): the expert of each class) is right, by cell."""
        return self.right[np.arange(len(self.classes)), path[self.classes]]


class PathErrors:
    """The weight of the positions where an expert is wrong, by class, of any weights of cells."""

    def __init__(self, cells: Cells, n_classes: int) -> None:
        self._wrong = np.ascontiguousarray(~cells.right.T, dtype=np.float64)
        self._occupied, self._starts = np.unique(cells.classes, return_index=True)
        self._found = np.zeros((n_classes, len(self._wrong)))  # 0 in classes without positions

    def of(self, weights: Floats) -> Floats:
        """Float64, shape (n_classes, n_experts), from weights of shape (n_cells,)."""
        self._found[self._occupied] = np.add.reduceat(self._wrong * weights, self._starts, axis=1).T
        return self._found


TIED = 1e-12
"""Experts whose errors differ by less are tied, and the lowest is taken."""

CHANCE = 1e-6
"""A path whose error is not so far below 1/2 ends boosting."""

_ROUNDING = 1e-12  # of normalized margins


class Rounds(NamedTuple):
    """What boosting found, round by round.

    Attributes
    ----------
    paths : int64, shape (n_rounds, n_classes)
        The expert of each class.
    alphas, errors : float64, shape (n_rounds,)
        The weight of each path, and its error on the distribution of its round.
    """

    paths: Ints
    alphas: Floats
    errors: Floats

    def staged_weights(self, n_experts: int) -> Iterator[Floats]:
        """The table of weights after 1, 2, .. rounds, shape (n_classes, n_experts); changed in place."""
        weights = np.zeros((self.paths.shape[1], n_experts))
        classes = np.arange(len(weights))
        for path, alpha in zip(self.paths, self.alphas, strict=True):
            weights[classes, path] += alpha
            yield weights


@dataclass(eq=False)
class ESPBoost(WeightedVote):
    """A vote of path experts, each one expert for each class of positions, found by boosting.

    The distribution starts uniform over positions. A round adds the path of the smallest error, which is the best
    expert of every class (the lowest of tied ones, in a class without positions expert 0). A first path that is always
    right, or not better than chance, is returned alone with weight 1; a later round that is not better than chance ends
    boosting.

    Parameters
    ----------
    n_rounds : int
        Most rounds (`treecrf.ensembles.espboost` chooses them).

    Attributes
    ----------
    paths_ : int64, shape (n_rounds, n_classes)
        The expert of each class, by round.
    alphas_, errors_ : float64, shape (n_rounds,)
        The weight of each path, and its error on the distribution of its round.
    weights_ : float64, shape (n_classes, n_experts)
        The paths' weights, summed.
    """

    n_rounds: int = 100

    def fit(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], n_classes: int | None = None
    ) -> Self:
        """Boost.

        Parameters
        ----------
        predictions : uint8, shape (n_positions, n_experts)
            Codes of labels.
        labels, classes : int, shape (n_positions,)
            Of every position: the true label, and its class from 0.
        n_classes : int, optional
            Unless given, one more than the greatest class.

        Raises
        ------
        ValueError
            For predictions, labels or classes that do not fit each other.
        """
        check_params({"n_rounds": self.n_rounds}, {"n_rounds": SIZE})
        votes, class_of = check_predictions(predictions, labels, classes)
        cells = Cells.pack(votes, labels, class_of)
        self.paths_, self.alphas_, self.errors_ = boost(
            cells, cells.sizes(), n_classes or int(class_of.max()) + 1, self.n_rounds
        )
        *_, self.weights_ = self._rounds.staged_weights(votes.shape[1])
        return self

    @property
    def _rounds(self) -> Rounds:
        return Rounds(self.paths_, self.alphas_, self.errors_)

    def bound(self, rho: ArrayLike) -> Floats:
        """Theorem 3's bound on the margin loss of the training positions, after 1, 2, .. rounds.

        It is ``exp(rho ||alpha||) F(alpha)``, F being the right side of lemma 1, also for a path that is returned
        alone, whose weight is not the theorem's.

        Parameters
        ----------
        rho : float, or array

        Returns
        -------
        float64, shape (n_rounds,) followed by that of rho
        """
        normalizers = self.errors_ * np.exp(self.alphas_) + (1 - self.errors_) * np.exp(-self.alphas_)
        rounds = np.multiply.outer(self.alphas_, np.asarray(rho, dtype=np.float64))
        logs = np.log(normalizers).reshape(-1, *[1] * (rounds.ndim - 1)) + rounds
        return np.exp(np.cumsum(logs, axis=0))

    def staged_losses(self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> Floats:
        """`loss` after 1, 2, .. rounds, shape (n_rounds,)."""
        situations, counts = self._situations(predictions, labels, classes)
        stages = self._rounds.staged_weights(self.weights_.shape[1])
        return np.array([counts @ ~situations.elect(weights) for weights in stages]) / counts.sum()

    def staged_margin_losses(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], rhos: Floats
    ) -> Floats:
        """The fraction of positions whose margin is at most rho, after 1, 2, .. rounds, shape (n_rounds, n_rhos)."""
        situations, counts = self._situations(predictions, labels, classes)
        shares = []
        for weights in self._rounds.staged_weights(self.weights_.shape[1]):
            margins = situations.margins(weights) / weights[0].sum()
            shares.append(counts @ (margins[:, None] <= np.asarray(rhos) + _ROUNDING))
        return np.array(shares) / counts.sum()

    def _situations(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]
    ) -> tuple[Situations, Floats]:
        votes, class_of = checked(self.weights_, predictions, classes)
        situations = Situations.find(votes, labels, class_of)
        return situations, np.bincount(situations.of).astype(np.float64)


def boost(cells: Cells, counts: Floats, n_classes: int, n_rounds: int) -> Rounds:
    """Algorithm 1 on packed positions.

    Parameters
    ----------
    cells : Cells
    counts : float64, shape (n_cells,)
        Positions of each cell.
    n_classes, n_rounds : int
    """
    distribution = counts / counts.sum()
    classes, path_errors = np.arange(n_classes), PathErrors(cells, n_classes)
    paths, alphas, errors_of_rounds = list[Ints](), list[float](), list[float]()
    for _ in range(n_rounds):
        errors = path_errors.of(distribution)
        path = (errors <= errors.min(axis=1, keepdims=True) + TIED).argmax(axis=1)
        error = float(errors[classes, path].sum())
        is_last = error == 0 or error >= 0.5 - CHANCE
        if is_last and paths:
            break
        alpha = 1.0 if is_last else 0.5 * np.log((1 - error) / error)
        paths.append(path)
        alphas.append(alpha)
        errors_of_rounds.append(error)
        if is_last:
            break
        distribution *= np.where(cells.right_on(path), 0.5 / (1 - error), 0.5 / error)
        distribution /= distribution.sum()
    return Rounds(np.array(paths), np.array(alphas), np.array(errors_of_rounds))


def fold_of_positions(groups: NDArray[Any], n_folds: int, seed: int) -> Ints:
    """The fold of every position, int64, shape (n_positions,).

    Parameters
    ----------
    groups : int, shape (n_positions,)
        Positions with the same number share their fold.
    n_folds, seed : int
    """
    numbers, of = np.unique(groups, return_inverse=True)
    fold_of = np.empty(len(numbers), dtype=np.int64)
    for fold, members in enumerate(sequence_folds(numbers, n_folds, seed)):
        fold_of[members] = fold
    return fold_of[of]


def cross_validated_losses(
    predictions: NDArray[Any],
    labels: NDArray[Any],
    classes: NDArray[Any],
    groups: NDArray[Any],
    n_rounds: int = 100,
    n_folds: int = 5,
    seed: int = 0,
) -> Floats:
    """The mean loss of `ESPBoost` on the folds held out, after 1, 2, .. rounds.

    A fold where boosting ended early keeps its last loss.

    Parameters
    ----------
    predictions, labels, classes : see `ESPBoost.fit`
    groups : int, shape (n_positions,)
        Positions with the same number (those of a sequence, or of related ones) are held out together.
    n_rounds, n_folds, seed : int

    Returns
    -------
    float64, shape (n_rounds,)
    """
    votes, class_of = check_predictions(predictions, labels, classes)
    folds = fold_of_positions(groups, n_folds, seed)
    cells, situations = Cells.pack(votes, labels, class_of), Situations.find(votes, labels, class_of)
    losses = np.empty((n_folds, n_rounds))
    for fold in range(n_folds):
        is_held_out = folds == fold
        counts = np.bincount(situations.of[is_held_out], minlength=len(situations.groups))
        met = situations.select(counts > 0)
        rounds = boost(cells, cells.sizes(~is_held_out), int(class_of.max()) + 1, n_rounds)
        losses_of_rounds = [counts[counts > 0] @ ~met.elect(w) for w in rounds.staged_weights(votes.shape[1])]
        losses[fold] = (
            np.array(losses_of_rounds + losses_of_rounds[-1:] * (n_rounds - len(losses_of_rounds))) / is_held_out.sum()
        )
    return losses.mean(axis=0)


def choose_rounds(losses: Floats) -> int:
    """The fewest rounds with the smallest loss (`cross_validated_losses`)."""
    return int(losses.argmin()) + 1


class Record(NamedTuple):
    """How much of an ensemble a fitted `ESPBoost` is.

    Attributes
    ----------
    n_rounds : int
        Until boosting ended.
    first_share : float
        Of all weight, that of the first path. Above one half the vote is that path alone, whatever the other rounds.
    correlation : float
        Mean correlation of two experts' mistakes; NaN for one expert, or where all are always right or always wrong.
    first_loss : float
        After one round.
    """

    n_rounds: int
    first_share: float
    correlation: float
    first_loss: float


def record(boosted: ESPBoost, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> Record:
    """The record of a fitted ensemble on some positions.

    Parameters
    ----------
    boosted : ESPBoost
    predictions, labels, classes : see `ESPBoost.fit`
    """
    share = boosted.alphas_[0] / boosted.alphas_.sum()
    first_loss = boosted.staged_losses(predictions, labels, classes)[0]
    return Record(len(boosted.alphas_), float(share), mistake_correlation(predictions, labels), float(first_loss))


def mistake_correlation(predictions: NDArray[Any], labels: NDArray[Any]) -> float:
    """The mean correlation of the mistakes of two experts, over pairs that both make some and are right sometimes."""
    wrong = np.asarray(predictions) != np.asarray(labels)[:, None]
    wrong = wrong[:, wrong.any(axis=0) & ~wrong.all(axis=0)]
    n_experts = wrong.shape[1]
    if n_experts < 2:
        return float("nan")
    correlations = np.corrcoef(wrong.T.astype(np.float64))
    return float((correlations.sum() - n_experts) / (n_experts * (n_experts - 1)))
