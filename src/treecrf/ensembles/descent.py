"""`Descent`: coordinate descent on ESPBoost's objective that may also take weight back. It is not ESPBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.ensembles.cells import Cells, PathErrors
from treecrf.ensembles.espboost import TIED
from treecrf.ensembles.voting import WeightedVote, check_predictions
from treecrf.models.checks import whole

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
        cells, every = Cells.pack(given, labels, of), np.arange(n_classes)
        path_errors, distribution = PathErrors(cells, n_classes), cells.sizes() / len(given)
        alphas: dict[tuple[int, ...], float] = {}
        self.log_objective_ = 0.0
        for self.n_steps_ in range(1, self.n_steps + 1):
            errors = path_errors.of(distribution)
            best = (errors <= errors.min(axis=1, keepdims=True) + TIED).argmax(axis=1)
            candidates = [best, *(np.array(path) for path, alpha in alphas.items() if alpha > 0)]
            found = [float(errors[every, path].sum()) for path in candidates]
            path, error = max(zip(candidates, found, strict=True), key=lambda pair: abs(0.5 - pair[1]))
            is_alone = not alphas and not 0 < error < 0.5 - CLOSE
            if abs(0.5 - error) <= CLOSE and not is_alone:
                self.n_steps_ -= 1
                break
            key = tuple(path.tolist())
            step = 1.0 if is_alone else max(0.5 * np.log((1 - error) / error), -alphas.get(key, 0.0))
            alphas[key] = alphas.get(key, 0.0) + step
            distribution *= np.exp(np.where(cells.right_on(path), -step, step))
            self.log_objective_ += float(np.log(distribution.sum()))
            distribution /= distribution.sum()
            if is_alone:
                break
        kept = {path: alpha for path, alpha in alphas.items() if alpha > 0}
        self.paths_, self.alphas_ = np.array(list(kept)), np.array(list(kept.values()))
        self.weights_ = np.zeros((n_classes, given.shape[1]))
        for path, alpha in zip(self.paths_, self.alphas_, strict=True):
            self.weights_[every, path] += alpha
        return self

    def bound(self, rho: ArrayLike) -> NDArray[np.float64]:
        """The bound ``exp(rho ||alpha||) F(alpha)`` on the margin loss of the training positions, of the shape of rho."""
        return np.exp(np.asarray(rho, dtype=np.float64) * self.alphas_.sum() + self.log_objective_)
