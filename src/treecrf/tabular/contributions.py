"""What each observation around a position contributes to its label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.sequences import MISSING, SequenceSet
from treecrf.tabular.fitting import parts_of
from treecrf.tabular.labeller import TableLabeller

MOST_ORDERS = 16
"""In which observations appear."""

MOST_POSITIONS = 200_000
"""That are labelled for one explanation, unless one pair of orders takes more."""

BEYOND = 2
"""Observations beyond the window that are told apart: the labels between may carry what they say."""

LEAST = 1e-12
"""Probabilities below it count as it."""


class Explanation(NamedTuple):
    """Why a position has its label.

    Attributes
    ----------
    predicted, runner_up : str
        The likeliest label and the next one.
    log_odds : float
        The logarithm of the ratio of their probabilities.
    typical_log_odds : float
        The same where every observation of the sequence is the typical one.
    contributions : DataFrame
        distance (observations after the position, negative before; NaN for all farther ones together), contribution. Their sum is
        log_odds - typical_log_odds.
    """

    predicted: str
    runner_up: str
    log_odds: float
    typical_log_odds: float
    contributions: pd.DataFrame


def explain_position(model: TableLabeller, data: SequenceSet, sequence: int, place: int, seed: int) -> Explanation:
    """Divide the log-odds of a position's label among the observations.

    Parameters
    ----------
    model : TableLabeller
    data : SequenceSet
        Holes as they are (`TableLabeller.encode`). The typical observation has its commonest category and median of each column.
    sequence, place : int
        Which position: its sequence, and its number within it, from 0.
    seed : int
        Of the orders.

    Returns
    -------
    Explanation

    Notes
    -----
    Shapley values of the game in which the observations of a set are as they are and all others are the typical one (baseline
    Shapley: Sundararajan and Najmi 2020, ICML), by random orders of appearance, each with its reverse (Mitchell et al. 2022,
    Journal of Machine Learning Research 23:43). In every order the contributions add up to the whole difference, and so do their
    means, for any model and any number of orders.
    """
    one = data.select([sequence])
    n_observations = len(one.values)
    windows = [part.get_params().get("window", (0, 0)) for part, _ in parts_of(model.labeller, model.prepare(one))]
    left, right = np.max(windows, axis=0)
    distance = np.arange(n_observations) - place
    near = np.flatnonzero((distance >= -left - BEYOND) & (distance <= right + BEYOND))
    far = np.setdiff1d(np.arange(n_observations), near)
    players = [np.array([row]) for row in near] + ([far] if len(far) else [])
    game = _Game(model, one, _typical(data), place)
    contributions, orders = np.zeros(len(players)), _draw_orders(len(players), one.n_positions, seed)
    for order in orders:
        worth = game.worth(_appearing([players[player] for player in order], n_observations))
        contributions[order] += np.diff(worth) / len(orders)
    where = [*distance[near].astype(float), *([np.nan] if len(far) else [])]
    start, end = game.worth(np.repeat([[False], [True]], n_observations, axis=1))
    labels = model.labeller.label_names_
    return Explanation(
        labels[game.predicted], labels[game.runner_up], float(end), float(start),
        pd.DataFrame({"distance": where, "contribution": contributions}),
    )  # fmt: skip


class _Game:
    """The log-odds of a position's two likeliest labels, by which observations are as they are."""

    def __init__(
        self,
        model: TableLabeller,
        one: SequenceSet,
        typical: tuple[NDArray[np.integer], NDArray[np.float64]],
        place: int,
    ) -> None:
        self._model, self._one, self._typical, self._place = model, one, typical, place
        [probabilities] = self._probabilities(np.ones((1, len(one.values)), dtype=np.bool_))
        self.runner_up, self.predicted = (int(label) for label in np.argsort(probabilities, kind="stable")[-2:])

    def worth(self, present: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Log-odds, shape (n_sets,), for `present` of shape (n_sets, n_observations)."""
        logs = np.log(np.maximum(self._probabilities(present), LEAST))
        return logs[:, self.predicted] - logs[:, self.runner_up]

    def _probabilities(self, present: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Of the labels of the position, shape (n_sets, n_labels)."""
        one, n_sets, n_rows = self._one, len(present), present.size
        values, numbers = self._typical
        copies = SequenceSet(
            np.where(present[:, :, None], one.values, values).reshape(n_rows, one.values.shape[1]),
            np.arange(n_sets + 1) * one.n_positions, one.attributes, None, one.label_names,
            np.arange(n_sets + 1) * len(one.values),
            numbers=np.where(present[:, :, None], one.numbers, numbers).reshape(n_rows, one.numbers.shape[1]),
            number_names=one.number_names,
        )  # fmt: skip
        found = self._model.labeller.predict_proba(self._model.prepare(copies))
        return found[self._place :: one.n_positions]


def _typical(data: SequenceSet) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
    """The commonest category of each attribute and the median of each number; a hole where there are only holes."""
    values = np.full(len(data.attributes), MISSING)
    for j in range(len(values)):
        known = data.values[data.values[:, j] != MISSING, j]
        values[j] = np.bincount(known).argmax() if len(known) else MISSING
    known_numbers = [column[~np.isnan(column)] for column in data.numbers.T]
    return values, np.array([np.median(column) if len(column) else np.nan for column in known_numbers])


def _draw_orders(n_players: int, n_positions: int, seed: int) -> list[NDArray[np.int64]]:
    """Orders of the players, each followed by its reverse; as many as `MOST_POSITIONS` allows."""
    n_pairs = min(max(MOST_POSITIONS // (2 * (n_players + 1) * n_positions), 1), MOST_ORDERS // 2)
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(n_players) for _ in range(n_pairs)]
    return [order for one in drawn for order in (one, one[::-1])]


def _appearing(players: list[NDArray[np.int64]], n_observations: int) -> NDArray[np.bool_]:
    """Who is there after none, one, two, .. players have appeared; shape (n_players + 1, n_observations)."""
    present = np.zeros((len(players) + 1, n_observations), dtype=np.bool_)
    for number, rows in enumerate(players):
        present[number + 1 :, rows] = True
    return present
