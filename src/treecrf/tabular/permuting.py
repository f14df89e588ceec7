"""How much worse a model labels a file whose columns say nothing any more: importance by permutation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.sequences import SequenceSet
from treecrf.statistics.metrics import estimate_share
from treecrf.tabular.labeller import TableLabeller

N_REPEATS = 3
"""Permutations of each column, whose mean counts."""


def permutation_losses(
    model: TableLabeller, data: SequenceSet, seed: int, tick: Callable[[int, str], None] = lambda done, words: None
) -> pd.DataFrame:
    """Points of accuracy lost when the cells of one column change places among all observations of the file.

    Parameters
    ----------
    model : TableLabeller
    data : SequenceSet
        With labels, holes as they are (`TableLabeller.encode`); not what the model was trained with.
    seed : int
    tick : callable
        Called with how many columns are done, and the name of the last one.

    Returns
    -------
    DataFrame
        attribute, lost, low, high (points, with a 95% interval by group of related sequences), the largest loss first. A hole moves
        as any other cell does.

    Notes
    -----
    Breiman (2001, Machine Learning 45, section 10), here for any labeller. What two columns both tell is not lost with
    one of them.
    """
    correct = _correct_positions(model, data)
    members, cluster = np.unique(data.groups, return_inverse=True)
    positions = np.bincount(cluster, weights=data.lengths).astype(np.int64)
    rng = np.random.default_rng(seed)
    names = [*(attribute.name for attribute in data.attributes), *data.number_names]
    rows = []
    for number, name in enumerate(names):
        lost = np.zeros(len(data))
        for _ in range(N_REPEATS):
            lost += (correct - _correct_positions(model, _permuted(data, number, rng))) / N_REPEATS
        points, low, high = estimate_share(np.bincount(cluster, weights=lost, minlength=len(members)), positions)
        rows.append({"attribute": name, "lost": points, "low": low, "high": high})
        tick(number + 1, name)
    return pd.DataFrame(rows).sort_values("lost", ascending=False, kind="stable", ignore_index=True)


def _permuted(data: SequenceSet, column: int, rng: np.random.Generator) -> SequenceSet:
    """The set with the cells of a column, counted over attributes and then numbers, in another order."""
    order, n_attributes = rng.permutation(len(data.values)), len(data.attributes)
    if column < n_attributes:
        values = data.values.copy()
        values[:, column] = values[order, column]
        return data.with_values(values)
    numbers = data.numbers.copy()
    numbers[:, column - n_attributes] = numbers[order, column - n_attributes]
    return data.with_numbers(numbers)


def _correct_positions(model: TableLabeller, data: SequenceSet) -> NDArray[np.int64]:
    """Positions that are labelled correctly, by sequence."""
    ready = model.prepare(data)
    right = model.labeller.predict(ready) == model.labeller.align_labels(ready)
    return np.add.reduceat(right, data.offsets[:-1], dtype=np.int64)
