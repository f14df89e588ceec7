"""Contributions to the label of one position: by column, exact for trees and linear CRFs, and by observation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.automl.explanation import BEFORE, labels_before
from treecrf.automl.fitting import seen_window, trained_parts
from treecrf.automl.labeller import TableLabeller
from treecrf.chain import StateSpace
from treecrf.models.base import Labeller
from treecrf.models.boosted.params import WHOLE_ROWS
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.linear.linear_crf import LinearCRF, window_cells
from treecrf.models.pipelines import DerivingLabeller, TransformingLabeller
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.sequences import MISSING, SequenceSet, slot_sizes, window_codes, window_slots
from treecrf.trees.forest import FULL, Tree

MOST_ROWS = 5_000
"""Positions of the file, drawn at random, whose mean a tree's contributions are compared with."""

PLACE = "(place in the sequence)"
"""Stands in place of a column for the distances of both ends."""


class Contributions(NamedTuple):
    """What each column contributes to the label of a position.

    Attributes
    ----------
    label : str
        The predicted one.
    before : tuple of str
        The labels predicted before it that the score looks at, the newest first; fewer at the start.
    score, baseline : float
        What the contributions lead to, and what they begin from. Exact: the score F of the label after those labels,
        and its mean over the file (trees) or 0 (linear). Approximate: the log-odds of `label` vs `runner_up`, as they
        are and with typical columns.
    table : DataFrame
        column, contribution, the largest first; `BEFORE` stands for the labels before. They add up to the score minus
        the baseline.
    runner_up : str or None
        Of log-odds.
    """

    label: str
    before: tuple[str, ...]
    score: float
    baseline: float
    table: pd.DataFrame
    runner_up: str | None

    @property
    def is_exact(self) -> bool:
        """Whether the score is the model's own, of which every part belongs to a column."""
        return self.runner_up is None


def column_contributions(
    model: TableLabeller, data: SequenceSet, sequence: int, place: int, seed: int
) -> Contributions:
    """Divide the score of a position's label among the columns of the table.

    Parameters
    ----------
    model : TableLabeller
    data : SequenceSet
        Missing cells as they are (`TableLabeller.encode`).
    sequence, place : int
        Which position: its sequence, and its number within it, from 0.
    seed : int
        Of what is drawn.

    Notes
    -----
    A TreeCRF: on the way through a tree each split changes the mean leaf value of the rows that get there, by which the
    split's column is credited (Saabas 2014; Lundberg et al. 2020, Nature Machine Intelligence 2, section "Tree SHAP"
    names it path attribution). The changes add up to the leaf's value. A LinearCRF: the sum of the weights of a
    column's cells. LightGBM: its Shapley values of the path-dependent trees (Lundberg et al. 2020, "Tree SHAP"). All
    other models: Shapley values as in `explain_position`, with columns in place of observations.
    """
    (part, _), *others = trained_parts(model.labeller, model.prepare(data.select([sequence])))
    if others or not isinstance(part, TreeCRF | LinearCRF | WindowLightGBM):
        return _approximate(model, data, sequence, place, seed)
    rng = np.random.default_rng(seed)
    drawn = _draw_sequences(data, sequence, rng) if isinstance(part, TreeCRF) else np.array([sequence])
    ready = model.prepare(data.select(drawn))
    labels = model.metric.predict(model.labeller, ready)
    [(_, seen)] = trained_parts(model.labeller, ready)
    if isinstance(part, TreeCRF):
        score = _tree_parts(part, seen, labels, place, rng)
    elif isinstance(part, LinearCRF):
        score = _weights(part, seen, labels, place)
    else:
        score = _shapley_values(part, seen, labels, place)
    source = dict(_sources(model.labeller))
    names = [_source(name, source) for name in score.inputs]
    table = pd.DataFrame({"column": names, "contribution": score.parts}).groupby("column", as_index=False).sum()
    order = 0 if isinstance(part, WindowLightGBM) else part.order
    if not order:
        table = table[table["column"] != BEFORE]
    before = labels[max(place - order, 0) : place][::-1]
    names_of_labels = model.labeller.label_names_
    return Contributions(
        names_of_labels[labels[place]],
        tuple(names_of_labels[code] for code in before),
        score.baseline + float(score.parts.sum()),
        score.baseline,
        _largest_first(table),
        None,
    )


def _largest_first(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values("contribution", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def _draw_sequences(data: SequenceSet, first: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """One sequence, then others in random order, of `MOST_ROWS` positions together."""
    others = rng.permutation(np.delete(np.arange(len(data)), first))
    order = np.append(first, others)
    n_before = np.cumsum(data.lengths[order]) - data.lengths[order]
    return order[n_before < MOST_ROWS]


# --- columns ----------------------------------------------------------------------------------------


def _sources(labeller: Labeller) -> Iterator[tuple[str, str]]:
    """Names of derived inputs with those that they are derived from, which may be derived themselves."""
    anchored = labeller.inputs_.anchored
    if anchored is not None:
        names = [attribute.name for attribute in labeller.inputs_.sources]
        for attribute in anchored.attributes:
            copied = next((name for name in names if attribute.name.startswith(f"{name} ")), None)
            counted = next((name for name in names if attribute.name.startswith(f"count of {name}=")), None)
            yield attribute.name, copied or counted or PLACE
    if isinstance(labeller, TransformingLabeller):
        if isinstance(labeller, DerivingLabeller):
            yield from ((each.name, each.source) for each in labeller.transform_.derivations_)
        yield from _sources(labeller.labeller_)


def _source(name: str, source: dict[str, str]) -> str:
    """The column of the table behind an input."""
    while name in source and source[name] != name:
        name = source[name]
    flagged = name.removesuffix(" missing")
    return _source(flagged, source) if flagged != name and flagged in source else flagged


# --- scores -----------------------------------------------------------------------------------------


class _Score(NamedTuple):
    """Parts of a score, each with its input, `BEFORE` or `PLACE`."""

    parts: NDArray[np.float64]
    inputs: list[str]
    baseline: float


def _slot_names(labeller: Labeller, window: tuple[int, int]) -> list[str]:
    """The input of each slot of a window."""
    return [labeller.attributes_[slot.attribute].name for slot in window_slots(labeller.attributes_, window)]


def _tree_parts(
    labeller: TreeCRF, data: SequenceSet, labels: NDArray[np.int16], place: int, rng: np.random.Generator
) -> _Score:
    """The parts of F of a position of the first sequence; means are over the positions of all."""
    params, n_labels = labeller.boosting_params(), len(labeller.label_names_)
    aligned = labeller.align_inputs(data, labeller.unseen)
    sizes = slot_sizes(labeller.attributes_, labeller.window)
    before = labels_before(labels, data, labeller.order, n_labels)
    rows = np.arange(data.n_positions)
    if len(rows) > MOST_ROWS:
        rows = np.append(rng.choice(rows, MOST_ROWS, replace=False), place)
    codes = window_codes(aligned, labeller.window)[np.append(place, rows)].astype(np.int64)
    columns = np.hstack([codes, before[np.append(place, rows)]])
    missing = sizes if params.missing not in WHOLE_ROWS and aligned.has_missing else np.full(len(sizes), -1)
    parts, baseline = np.zeros(columns.shape[1]), 0.0
    label = int(labels[place])
    for number in range(label, labeller.forest_.n_trees, n_labels):
        tree = labeller.forest_.tree(number)
        means = _split_means(tree, columns[1:])
        baseline += _add_path(tree, columns[0], missing, means, parts)
    if labeller.order:
        states = StateSpace(n_labels, labeller.order).labels_of_state
        baseline += float(labeller.start_[label, (states == before[place]).all(axis=1).argmax()])
        if not params.sees_labels:
            parts[-1] += labeller.transitions_.sum(axis=0)[label, before[place, 0]]
    else:
        baseline += float(labeller.start_[label, 0])
    return _Score(parts, [*_slot_names(labeller, labeller.window), *[BEFORE] * labeller.order], baseline)


def _split_means(tree: Tree, columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean leaf value of rows before a split, and of those that pass and fail its test; shape (n_splits + 1, 3).

    Without splits, and in the last row, all three are the value of leaf 0 in the whole tree's place. Where no row gets,
    both sides count equally. A missing cell counts as one that fails the test, unless the test asks for it.
    """
    n_splits = len(tree.parents)
    leaf = np.zeros(len(columns), dtype=np.int64)
    holds = np.zeros(int(columns.max(initial=0)) + 1, dtype=np.bool_)
    for split, (parent, column) in enumerate(zip(tree.parents, tree.columns, strict=True)):
        codes = tree.test(split)
        codes = codes[codes < len(holds)]
        holds[codes] = True
        members = np.flatnonzero(leaf == parent)
        leaf[members[holds[columns[members, column]]]] = split + 1
        holds[codes] = False
    counts = np.bincount(leaf, minlength=n_splits + 1).astype(np.float64)
    means, means_by_split = tree.values.copy(), np.empty((n_splits + 1, 3))
    for split in range(n_splits - 1, -1, -1):  # what is below each side, from the last split on
        parent, child = tree.parents[split], split + 1
        n_both = counts[parent] + counts[child]
        share = counts[child] / n_both if n_both else 0.5
        both = share * means[child] + (1 - share) * means[parent]
        means_by_split[split] = both, means[child], means[parent]
        means[parent], counts[parent] = both, n_both
    means_by_split[-1] = means[0]
    return means_by_split


def _add_path(
    tree: Tree,
    row: NDArray[np.int64],
    missing: NDArray[np.int64],
    means: NDArray[np.float64],
    parts: NDArray[np.float64],
) -> float:
    """Credit each split's column with how a row's mean changes there; returns the mean that the row begins with.

    The row divides as in `treecrf.trees.missing.partition`, to the same integer weights.
    """
    weights = [FULL] + [0] * len(tree.parents)
    for split, (leaf, column) in enumerate(zip(tree.parents.tolist(), tree.columns.tolist(), strict=True)):
        weight = weights[leaf]
        if not weight:
            continue
        if column < len(missing) and row[column] == missing[column]:
            share = _share_of_true(tree, split, row, missing)
        else:
            share = FULL if row[column] in tree.test(split) else 0
        to_child = (weight * share + (FULL >> 1)) // FULL
        weights[leaf], weights[split + 1] = weight - to_child, to_child
        both, passes, fails = means[split]
        parts[column] += (to_child * passes + weights[leaf] * fails - weight * both) / FULL
    return float(means[0, 0])


def _share_of_true(tree: Tree, split: int, row: NDArray[np.int64], missing: NDArray[np.int64]) -> int:
    """Part of a row whose tested cell is missing that passes: what the first known surrogate says, else the tree's."""
    n_surrogates = tree.surrogates.shape[1]
    for number, (slot, polarity) in enumerate(tree.surrogates[split].tolist()):
        if slot < 0:
            break
        if row[slot] != missing[slot]:
            agrees = row[slot] in tree.set(split * (1 + n_surrogates) + 1 + number)
            return FULL if agrees == bool(polarity) else 0
    return int(tree.shares[split])


def _weights(labeller: LinearCRF, data: SequenceSet, labels: NDArray[np.int16], place: int) -> _Score:
    """The weights that make F of a position of one sequence."""
    n_labels, label = len(labeller.label_names_), int(labels[place])
    outcomes = labeller._outcomes(n_labels)
    before = int(labels[place - 1]) if place else n_labels
    aligned = labeller.align_inputs(data, labeller.unseen)
    cells, n_cells = window_cells(aligned, labeller.window)
    with_none = np.vstack([labeller.cell_weights_, np.zeros(outcomes.size)])
    by_slot = outcomes.combined(with_none[np.minimum(cells[place], n_cells)]).reshape(cells.shape[1], -1, n_labels)
    of_slots = by_slot[:, before if by_slot.shape[1] > 1 else 0, label]
    of_pair = labeller.transition_weights_[before, label] if labeller.order and place else 0.0
    return _Score(np.append(of_slots, of_pair), [*_slot_names(labeller, labeller.window), BEFORE], 0.0)


def _shapley_values(labeller: WindowLightGBM, data: SequenceSet, labels: NDArray[np.int16], place: int) -> _Score:
    """LightGBM's values of F of a position of the first sequence; the baseline is the mean over its training set."""
    values = labeller.shapley_values(labeller.align_inputs(data, labeller.unseen), place)[labels[place]]
    numbers = [*labeller.inputs_.number_names, PLACE] if labeller.inputs_.number_names else []
    n_places = sum(labeller.window) + 1
    return _Score(values[:-1], [*_slot_names(labeller, labeller.window), *numbers * n_places], float(values[-1]))


# --- contributions to log-odds ----------------------------------------------------------------------

MOST_ORDERS = 16
"""In which observations or columns appear."""

MOST_POSITIONS = 200_000
"""That are labelled for one explanation, unless one pair of orders takes more."""

BEYOND = 2
"""Observations beyond the window that get contributions of their own: labels carry information along the chain."""

LEAST_PROBABILITY = 1e-12
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
        distance (observations after the position, negative before; NaN for all farther ones together), contribution.
        Their sum is log_odds - typical_log_odds.
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
        Missing cells as they are (`TableLabeller.encode`). The typical observation has its commonest category and
        median of each column.
    sequence, place : int
        Which position: its sequence, and its number within it, from 0.
    seed : int
        Of the orders.

    Notes
    -----
    Shapley values of the game in which the observations of a set are as they are and all others are the
    typical one (baseline Shapley: Sundararajan and Najmi 2020, ICML), by random orders of appearance, each with its
    reverse (Mitchell et al. 2022, Journal of Machine Learning Research 23:43). In every order the contributions add up
    to the whole difference, and so do their means, for any model and any number of orders.
    """
    one = data.select([sequence])
    left, right = seen_window(model.labeller)
    distance = np.arange(len(one.values)) - place
    is_near = (distance >= -left - BEYOND) & (distance <= right + BEYOND)
    near = np.flatnonzero(is_near)
    player_of = np.where(is_near, np.cumsum(is_near) - 1, len(near))  # all farther ones are one player
    game = _Game(model, one, _typical(data), place)
    contributions, start, end = _shapley(
        lambda present: game.worth(present[:, player_of, None], present[:, player_of, None]),
        len(near) + (not is_near.all()),
        one.n_positions,
        seed,
    )
    where = [*distance[near].astype(float), *([] if is_near.all() else [np.nan])]
    labels = model.labeller.label_names_
    return Explanation(
        labels[game.predicted],
        labels[game.runner_up],
        end,
        start,
        pd.DataFrame({"distance": where, "contribution": contributions}),
    )


def _approximate(model: TableLabeller, data: SequenceSet, sequence: int, place: int, seed: int) -> Contributions:
    """Shapley values of columns, each of which is as it is in the whole sequence, or typical in all of it."""
    one = data.select([sequence])
    n_attributes = len(one.attributes)
    names = [*(attribute.name for attribute in one.attributes), *one.number_names]
    game = _Game(model, one, _typical(data), place)
    contributions, start, end = _shapley(
        lambda present: game.worth(present[:, None, :n_attributes], present[:, None, n_attributes:]),
        len(names),
        one.n_positions,
        seed,
    )
    labels = model.labeller.label_names_
    table = _largest_first(pd.DataFrame({"column": names, "contribution": contributions}))
    return Contributions(labels[game.predicted], (), end, start, table, labels[game.runner_up])


Present = NDArray[np.bool_]


def _shapley(
    worth: Callable[[Present], NDArray[np.float64]], n_players: int, n_positions: int, seed: int
) -> tuple[NDArray[np.float64], float, float]:
    """What each player adds on average, and what none and all are worth; sets are of shape (n_sets, n_players)."""
    contributions, orders = np.zeros(n_players), _draw_orders(n_players, n_positions, seed)
    for order in orders:
        present = np.empty((n_players + 1, n_players), dtype=np.bool_)
        present[:, order] = np.tri(n_players + 1, n_players, -1, dtype=np.bool_)
        contributions[order] += np.diff(worth(present)) / len(orders)
    start, end = worth(np.repeat([[False], [True]], n_players, axis=1))
    return contributions, float(start), float(end)


class _Game:
    """The log-odds of a position's two likeliest labels, by which cells are as they are; others are typical."""

    def __init__(
        self,
        model: TableLabeller,
        one: SequenceSet,
        typical: tuple[NDArray[np.integer], NDArray[np.float64]],
        place: int,
    ) -> None:
        self._model, self._one, self._typical, self._place = model, one, typical, place
        every = np.ones((1, 1, 1), dtype=np.bool_)
        [probabilities] = self._probabilities(every, every)
        self.runner_up, self.predicted = (int(label) for label in np.argsort(probabilities, kind="stable")[-2:])

    def worth(self, categories: Present, numbers: Present) -> NDArray[np.float64]:
        """Log-odds, shape (n_sets,); cells are there by set, observation and column, or for all where an axis has 1."""
        logs = np.log(np.maximum(self._probabilities(categories, numbers), LEAST_PROBABILITY))
        return logs[:, self.predicted] - logs[:, self.runner_up]

    def _probabilities(self, categories: Present, numbers: Present) -> NDArray[np.float64]:
        """Of the labels of the position, shape (n_sets, n_labels)."""
        one, n_sets = self._one, len(categories)
        typical_values, typical_numbers = self._typical
        n_rows = n_sets * len(one.values)
        copies = SequenceSet(
            np.where(categories, one.values, typical_values).reshape(n_rows, one.values.shape[1]),
            np.arange(n_sets + 1) * one.n_positions,
            one.attributes,
            None,
            one.label_names,
            np.arange(n_sets + 1) * len(one.values),
            numbers=np.where(numbers, one.numbers, typical_numbers).reshape(n_rows, one.numbers.shape[1]),
            number_names=one.number_names,
        )
        probabilities = self._model.labeller.predict_proba(self._model.prepare(copies))
        return probabilities[self._place :: one.n_positions]


def _typical(data: SequenceSet) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
    """The commonest category of each attribute and the median of each number; missing where all are."""
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
