"""`Descent`: coordinate descent on ESPBoost's objective that may also take weight back. It is not ESPBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.ensembles.cells import Cells, PathErrors
from treecrf.ensembles.espboost import TIED
from treecrf.ensembles.voting import WeightedVote, check_predictions
from treecrf.models.params_checks import whole

CLOSE = 1e-4
"""Descent ends where the error of every path that could change is so near to 1/2."""


@dataclass(eq=False)
class Descent(WeightedVote):
    """The vote of path experts that minimizes F (the right side of lemma 1) over weights of at least 0.

    A step changes the weight of the path whose error is farthest from 1/2: the best path of all, or one that has weight, which
    may become less. ESPBoost as printed only adds. A first path that is always right, or not better than chance, is returned
    alone with weight 1.

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
        need = whole(1)
        if not need.holds(self.n_steps):
            raise ValueError(f"n_steps={self.n_steps!r}: {need.need}.")
        given, of = check_predictions(predictions, labels, classes)
        n_classes = n_classes or int(of.max()) + 1
        alphas, self.log_objective_, self.n_steps_ = _descend(Cells.pack(given, labels, of), n_classes, self.n_steps)
        kept = {path: alpha for path, alpha in alphas.items() if alpha > 0}
        self.paths_, self.alphas_ = np.array(list(kept)), np.array(list(kept.values()))
        self.weights_ = np.zeros((n_classes, given.shape[1]))
        for path, alpha in zip(self.paths_, self.alphas_, strict=True):
            self.weights_[np.arange(n_classes), path] += alpha
        return self

    def bound(self, rho: ArrayLike) -> NDArray[np.float64]:
        """The bound ``exp(rho ||alpha||) F(alpha)`` on the margin loss of the training positions, of the shape of rho."""
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


def _farthest(errors: NDArray[np.float64], alphas: dict[tuple[int, ...], float]) -> tuple[NDArray[np.int64], float]:
    """The path whose error is farthest from 1/2, and its error: the best path, or one that has weight."""
    best = (errors <= errors.min(axis=1, keepdims=True) + TIED).argmax(axis=1)
    paths = [best, *(np.array(path) for path, alpha in alphas.items() if alpha > 0)]
    found = [float(errors[np.arange(len(errors)), path].sum()) for path in paths]
    farthest = int(np.argmax([abs(0.5 - error) for error in found]))
    return paths[farthest], found[farthest]
