"""Cross-validation of votes, in folds of whole sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.cells import Cells
from treecrf.ensembles.espboost import boost
from treecrf.ensembles.voting import Situations, check_predictions
from treecrf.statistics.selection import sequence_folds


def fold_of_positions(groups: NDArray[Any], n_folds: int, seed: int) -> NDArray[np.int64]:
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
) -> NDArray[np.float64]:
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
    given, of = check_predictions(predictions, labels, classes)
    folds = fold_of_positions(groups, n_folds, seed)
    cells, situations = Cells.pack(given, labels, of), Situations.find(given, labels, of)
    losses = np.empty((n_folds, n_rounds))
    for fold in range(n_folds):
        is_held_out = folds == fold
        counts = np.bincount(situations.of[is_held_out], minlength=len(situations.groups))
        met = situations.select(counts > 0)
        rounds = boost(cells, cells.sizes(~is_held_out), int(of.max()) + 1, n_rounds)
        found = [counts[counts > 0] @ ~met.elect(w) for w in rounds.staged_weights(given.shape[1])]
        losses[fold] = np.array(found + found[-1:] * (n_rounds - len(found))) / is_held_out.sum()
    return losses.mean(axis=0)


def choose_rounds(losses: NDArray[np.float64]) -> int:
    """The fewest rounds with the smallest loss (`cross_validated_losses`)."""
    return int(losses.argmin()) + 1
