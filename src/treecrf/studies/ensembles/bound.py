"""Theorem 3 of the paper, checked after every round of a fitted `ESPBoost`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.espboost import ESPBoost


class Checked(NamedTuple):
    """Both sides of theorem 3 on the training positions, and of the equality behind it.

    Attributes
    ----------
    margin_losses, bounds : float64, shape (n_rounds, n_rhos)
        Fraction of positions whose margin is at most rho, and the theorem's bound on it.
    difference : float
        The largest relative difference of F(alpha) and the product of Z_1, .., Z_T over all rounds T: the theorem at rho = 0.
    """

    margin_losses: NDArray[np.float64]
    bounds: NDArray[np.float64]
    difference: float

    @property
    def slack(self) -> float:
        """The least difference of bound and margin loss; below 0 it would contradict the theorem."""
        return float((self.bounds - self.margin_losses).min())


def check_bound(
    boosted: ESPBoost, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], rhos: Sequence[float]
) -> Checked:
    """Check the theorem on the positions that `boosted` was fitted to.

    Parameters
    ----------
    boosted : ESPBoost
    predictions, labels, classes : see `ESPBoost.fit`
    rhos : sequence of float
    """
    margin_losses = boosted.staged_margin_losses(predictions, labels, classes, np.array(rhos))
    objective, product = lemma_1(boosted, predictions, labels, classes), boosted.bound(0.0)
    return Checked(margin_losses, boosted.bound(rhos), float(np.abs(objective / product - 1).max()))


def lemma_1(
    boosted: ESPBoost, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]
) -> NDArray[np.float64]:
    """F(alpha), the right side of lemma 1, after 1, 2, .. rounds, shape (n_rounds,): a mean over positions, round by round."""
    right, rows = np.asarray(predictions) == np.asarray(labels)[:, None], np.arange(len(labels))
    exponents, found = np.zeros(len(labels)), []
    for path, alpha in zip(boosted.paths_, boosted.alphas_, strict=True):
        exponents -= alpha * np.where(right[rows, path[classes]], 1.0, -1.0)
        found.append(np.exp(exponents).mean())
    return np.array(found)
