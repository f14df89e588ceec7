"""Weights of an average of candidates, chosen greedily by the log loss of what folds held out (Caruana et al. 2004, ICML).

The estimate of an average comes from groups that did not choose its weights: those of each fifth of the groups are
chosen on the other fifths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.automl.cross_validation import LEAST_PROBABILITY
from treecrf.statistics.selection import sequence_folds

ROUNDS = 40
"""Of which each adds a candidate to the average; one that is added again weighs more."""

MOST_MEMBERS = 6
"""Candidates in an average."""

LEAST_GAIN = 1e-4
"""Share of the log loss that another round must gain for all that come after it to be worth it."""

N_PARTS = 5
"""Parts of the groups whose weights the others choose."""


class Limits(NamedTuple):
    """What an average may cost.

    Attributes
    ----------
    costs : float64, shape (n_kinds, n_candidates)
        Of each candidate, for example seconds of its training and of its predictions.
    most : float64, shape (n_kinds,)
        That the members of an average may cost together; a single candidate may always be taken.
    """

    costs: NDArray[np.float64]
    most: NDArray[np.float64]

    def allows(self, members: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each candidate may join the members, shape (n_candidates,)."""
        if not members.any():
            return np.ones(len(members), dtype=np.bool_)
        if members.sum() >= MOST_MEMBERS:
            return members
        together = self.costs[:, members].sum(axis=1, keepdims=True) + self.costs
        return members | (together <= self.most[:, None]).all(axis=0)


def choose_weights(of_truth: NDArray[np.float64], limits: Limits) -> NDArray[np.float64]:
    """Weights that sum to 1, most of them 0.

    Parameters
    ----------
    of_truth : float64, shape (n_candidates, n_positions)
        What each candidate gives to the true labels of positions that it was not trained with.
    limits : Limits
    """
    n_candidates = len(of_truth)
    times, total = np.zeros(n_candidates), np.zeros(of_truth.shape[1])
    best, best_loss = times, np.inf
    for number in range(1, ROUNDS + 1):
        losses = np.array([mean_log_loss((total + each) / number) for each in of_truth])
        losses[~limits.allows(times > 0)] = np.inf
        taken = int(losses.argmin())
        times, total = times + (np.arange(n_candidates) == taken), total + of_truth[taken]
        if losses[taken] < best_loss * (1 - LEAST_GAIN) or not best.any():
            best, best_loss = times, float(losses[taken])
    return np.asarray(best / best.sum())


def mean_log_loss(of_truth: NDArray[np.float64]) -> float:
    """The mean of ``-log P(y_t | X)``."""
    return float(-np.log(np.maximum(of_truth, LEAST_PROBABILITY)).mean())


def cross_fit_weights(
    of_truth: NDArray[np.float64], group: NDArray[np.int64], limits: Limits, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Weights by part of the groups, chosen on the other parts, and the part of each position.

    Parameters
    ----------
    of_truth, limits : see `choose_weights`
    group : int64, shape (n_positions,)
        Of each position, from 0.
    seed : int
        Draws the parts.

    Returns
    -------
    (float64 of shape (n_parts, n_candidates), int64 of shape (n_positions,)) or None
        None of a single group.
    """
    n_groups = int(group.max()) + 1
    if n_groups < 2:
        return None
    parts = sequence_folds(np.arange(n_groups), min(N_PARTS, n_groups), seed)
    part_of = np.empty(n_groups, dtype=np.int64)
    for number, part in enumerate(parts):
        part_of[part] = number
    of_position = part_of[group]
    weights = [choose_weights(of_truth[:, of_position != number], limits) for number in range(len(parts))]
    return np.array(weights), of_position


def blend(
    marginals: list[NDArray[np.float32]], weights: NDArray[np.float64], part: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The averages of marginals of shape (n_positions, n_labels), one array a candidate, by the weights of each part."""
    blended = np.zeros(marginals[0].shape)
    for candidate, each in enumerate(marginals):
        blended += weights[part, candidate][:, None] * each
    return blended
