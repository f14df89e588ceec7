"""`ESPBoost`: boosting of path experts (Cortes, Kuznetsov and Mohri 2014, algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.ensembles.cells import Cells, PathErrors
from treecrf.ensembles.voting import Situations, WeightedVote, check_predictions, checked
from treecrf.models.params_checks import whole

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

    paths: NDArray[np.int64]
    alphas: NDArray[np.float64]
    errors: NDArray[np.float64]

    def staged_weights(self, n_experts: int) -> Iterator[NDArray[np.float64]]:
        """The table of weights after 1, 2, .. rounds, shape (n_classes, n_experts); changed in place."""
        weights = np.zeros((self.paths.shape[1], n_experts))
        classes = np.arange(len(weights))
        for path, alpha in zip(self.paths, self.alphas, strict=True):
            weights[classes, path] += alpha
            yield weights


@dataclass(eq=False)
class ESPBoost(WeightedVote):
    """A vote of path experts, each one expert for each class of positions, found by boosting.

    The distribution starts uniform over positions. A round adds the path of the smallest error, which is the best expert of
    every class (the lowest of tied ones, in a class without positions expert 0). A first path that is always right, or not
    better than chance, is returned alone with weight 1; a later round that is not better than chance ends boosting.

    Parameters
    ----------
    n_rounds : int
        Most rounds (`treecrf.ensembles.rounds` chooses them).

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
        need = whole(1)
        if not need.holds(self.n_rounds):
            raise ValueError(f"n_rounds={self.n_rounds!r}: {need.need}.")
        given, of = check_predictions(predictions, labels, classes)
        cells = Cells.pack(given, labels, of)
        self.paths_, self.alphas_, self.errors_ = boost(
            cells, cells.sizes(), n_classes or int(of.max()) + 1, self.n_rounds
        )
        *_, self.weights_ = self._rounds.staged_weights(given.shape[1])
        return self

    @property
    def _rounds(self) -> Rounds:
        return Rounds(self.paths_, self.alphas_, self.errors_)

    def bound(self, rho: ArrayLike) -> NDArray[np.float64]:
        """Theorem 3's bound on the margin loss of the training positions, after 1, 2, .. rounds.

        It is ``exp(rho ||alpha||) F(alpha)``, F being the right side of lemma 1, also for a path that is returned alone,
        whose weight is not the theorem's.

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

    def staged_losses(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]
    ) -> NDArray[np.float64]:
        """`loss` after 1, 2, .. rounds, shape (n_rounds,)."""
        situations, counts = self._situations(predictions, labels, classes)
        stages = self._rounds.staged_weights(self.weights_.shape[1])
        return np.array([counts @ ~situations.elect(weights) for weights in stages]) / counts.sum()

    def staged_margin_losses(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], rhos: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The fraction of positions whose margin is at most rho, after 1, 2, .. rounds, shape (n_rounds, n_rhos)."""
        situations, counts = self._situations(predictions, labels, classes)
        found = []
        for weights in self._rounds.staged_weights(self.weights_.shape[1]):
            margins = situations.margins(weights) / weights[0].sum()
            found.append(counts @ (margins[:, None] <= np.asarray(rhos) + _ROUNDING))
        return np.array(found) / counts.sum()

    def _situations(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]
    ) -> tuple[Situations, NDArray[np.float64]]:
        given, of = checked(self.weights_, predictions, classes)
        situations = Situations.find(given, labels, of)
        return situations, np.bincount(situations.of).astype(np.float64)


def boost(cells: Cells, counts: NDArray[np.float64], n_classes: int, n_rounds: int) -> Rounds:
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
    paths, alphas, found = list[NDArray[np.int64]](), list[float](), list[float]()
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
        found.append(error)
        if is_last:
            break
        distribution *= np.where(cells.right_on(path), 0.5 / (1 - error), 0.5 / error)
        distribution /= distribution.sum()
    return Rounds(np.array(paths), np.array(alphas), np.array(found))
