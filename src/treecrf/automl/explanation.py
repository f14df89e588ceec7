"""Explanations of a model: permutation importance of columns, tests and gains of trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.automl.fitting import trained_parts
from treecrf.automl.labeller import TableLabeller
from treecrf.ensembles.labeller import Ensemble
from treecrf.io.arrays import places_in
from treecrf.io.messages import needs_extra
from treecrf.models.base import Labeller
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.inputs import label_codes
from treecrf.models.pipelines import TransformingLabeller
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.sequences import SequenceSet, window_codes, window_slots
from treecrf.statistics.metrics import estimate_share
from treecrf.trees.forest import Tree

N_REPEATS = 3
"""Permutations of each column, whose mean counts."""


def permutation_importance(
    model: TableLabeller,
    data: SequenceSet,
    seed: int,
    tick: Callable[[int, str], None] = lambda done, words: None,
    weights: NDArray[np.float64] | None = None,
) -> pd.DataFrame:
    """Permutation importance in accuracy points: cells of a column are permuted among all observations of the file.

    Parameters
    ----------
    model : TableLabeller
    data : SequenceSet
        With labels, missing cells as they are (`TableLabeller.encode`); not what the model was trained with.
    seed : int
    tick : callable
        Called with how many columns are done, and the name of the last one.
    weights : float64, shape (n_positions,), optional
        What positions count; all the same unless given.

    Returns
    -------
    DataFrame
        attribute, lost, low, high (points, with a 95% interval by group of related sequences), the largest loss first.
        A missing cell moves as any other does.

    Notes
    -----
    Breiman (2001, Machine Learning 45, section 10), here for any labeller. What two columns both tell is not lost with
    one of them.
    """
    weights = np.ones(data.n_positions) if weights is None else weights
    correct = _correct_weight(model, data, weights)
    members, cluster = np.unique(data.groups, return_inverse=True)
    positions = np.bincount(cluster, weights=np.add.reduceat(weights, data.offsets[:-1]))
    rng = np.random.default_rng(seed)
    names = [*(attribute.name for attribute in data.attributes), *data.number_names]
    rows = []
    for number, name in enumerate(names):
        lost = np.zeros(len(data))
        for _ in range(N_REPEATS):
            lost += (correct - _correct_weight(model, _permuted(data, number, rng), weights)) / N_REPEATS
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


def _correct_weight(model: TableLabeller, data: SequenceSet, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of positions that are labelled correctly, by sequence; a label that training did not have counts as an
    error.
    """
    ready = model.prepare(data)
    right = model.labeller.predict(ready) == label_codes(ready, model.labeller.label_names_)
    return np.add.reduceat(right * weights, data.offsets[:-1])


# --- trees ------------------------------------------------------------------------------------------


def used_tests(model: TableLabeller) -> pd.DataFrame:
    """The tests (in words) of a model's trees, their n_splits and share, the most used first; empty without trees."""
    labeller = trees_of(model.labeller)
    if labeller is None:
        return pd.DataFrame({"test": [], "n_splits": [], "share": []})
    forest = labeller.forest_
    counts = Counter(
        _test_name(labeller, int(column), tuple(tree.test(split).tolist()))
        for tree in (forest.tree(i) for i in range(forest.n_trees))
        for split, column in enumerate(tree.columns)
    )
    ordered = sorted(counts.items(), key=lambda item: (-int(item[1]), str(item[0])))
    frame = pd.DataFrame({"test": [test for test, _ in ordered], "n_splits": [number for _, number in ordered]})
    return frame.assign(share=frame["n_splits"] / max(frame["n_splits"].sum(), 1))


def trees_of(labeller: Labeller) -> TreeCRF | None:
    """The labeller, or the first of an ensemble's experts, that is a TreeCRF; None if there is none."""
    if isinstance(labeller, Ensemble):
        return next((trees for expert in labeller.experts_ if (trees := trees_of(expert)) is not None), None)
    if isinstance(labeller, TransformingLabeller):
        return trees_of(labeller.labeller_)
    return labeller if isinstance(labeller, TreeCRF) else None


def _test_name(labeller: TreeCRF, column: int, codes: tuple[int, ...]) -> str:
    slots = window_slots(labeller.attributes_, labeller.window)
    if column >= len(slots):
        names = (*labeller.label_names_, "(none, a start)")
        return f"label {column - len(slots) + 1} before {_one_of(names, codes)}"
    place, attribute = slots[column].distance, labeller.attributes_[slots[column].attribute]
    where = "" if place == 0 else f" {abs(place)} {'after' if place > 0 else 'before'}"
    names = (*attribute.categories, "(outside the sequence)", "(missing)")
    binner, are_adjacent = labeller.inputs_.binner, codes == tuple(range(codes[0], codes[-1] + 1))
    if (
        binner is not None
        and attribute.name in binner.edges_
        and are_adjacent
        and codes[-1] < len(attribute.categories)
    ):
        return f"{attribute.name}{where} {binner.interval(attribute.name, codes[0], codes[-1])}"
    return f"{attribute.name}{where} {_one_of(names, codes)}"


def _one_of(names: Sequence[str], codes: tuple[int, ...]) -> str:
    """What a test asks for, in words."""
    if len(codes) == 1:
        return f"= {names[codes[0]]}"
    return f"in {{{', '.join(names[code] for code in codes)}}}"


GAIN_COLUMNS = ("attribute", "distance", "gain")

BEFORE = "(label before)"
"""Stands in place of an attribute for tests of previous labels."""


def gain_importance(labeller: Labeller, data: SequenceSet) -> pd.DataFrame | None:
    """What all splits gain, by what they test.

    Parameters
    ----------
    labeller : Labeller
    data : SequenceSet
        With labels, as the labeller sees it: what the splits of a TreeCRF gain is measured on it. LightGBM has kept
        what its splits gained in training.

    Returns
    -------
    DataFrame or None
        attribute (or `BEFORE`), distance (observations after the position, negative before), gain (its share of all),
        the largest first; of an ensemble, the mean over the experts with trees. None if the labeller has no trees.

    Notes
    -----
    A split of a TreeCRF gains ``n1 n2 / (n1 + n2) (m1 - m2)^2``, for n1 and n2 rows on its sides with the
    mean leaf values m1 and m2 (Friedman 2001, Annals of Statistics 29, equation 35, summed over trees as in his section
    8.1). A row has the true labels before it; a missing cell counts as one that fails the test, unless the test asks
    for it.
    """
    parts = [shares for shares in (_shares(*part) for part in trained_parts(labeller, data)) if shares is not None]
    if not parts:
        return None
    frame = pd.concat(parts).groupby(["attribute", "distance"], as_index=False).sum()
    frame["gain"] /= len(parts)
    return frame.sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def without_trees(labeller: Labeller, data: SequenceSet) -> list[str]:
    """The classes of a labeller's parts that have no trees, and no gains."""
    names = (
        type(part).__name__
        for part, _ in trained_parts(labeller, data)
        if not isinstance(part, TreeCRF | WindowLightGBM)
    )
    return list(dict.fromkeys(names))


def _shares(labeller: Labeller, data: SequenceSet) -> pd.DataFrame | None:
    """`gain_importance` of a labeller that is no ensemble, in any order."""
    if isinstance(labeller, TreeCRF):
        gains = _tree_gains(labeller, data)
    elif isinstance(labeller, WindowLightGBM):
        gains = _lightgbm_gains(labeller)
    else:
        return None
    frame = pd.DataFrame(gains, columns=list(GAIN_COLUMNS)).groupby(["attribute", "distance"], as_index=False).sum()
    frame["gain"] /= max(frame["gain"].sum(), np.finfo(float).tiny)
    return frame


def split_gains(tree: Tree, columns: NDArray[np.integer]) -> NDArray[np.float64]:
    """What each split gains on rows of codes by the columns that it may test; float64, shape (n_splits,)."""
    n_splits = len(tree.parents)
    leaf = np.zeros(len(columns), dtype=np.int64)
    holds = np.zeros(int(columns.max(initial=0)) + 1, dtype=np.bool_)
    for split, (parent, column) in enumerate(zip(tree.parents, tree.columns, strict=True)):
        codes = tree.test(split)
        codes = codes[codes < len(holds)]
        holds[codes] = True
        leaf[(leaf == parent) & holds[columns[:, column]]] = split + 1
        holds[codes] = False
    counts = np.bincount(leaf, minlength=n_splits + 1).astype(np.float64)
    sums = counts * tree.values
    gains = np.zeros(n_splits)
    for split in range(n_splits - 1, -1, -1):  # what is below each side, from the last split on
        parent, child = tree.parents[split], split + 1
        n_both = counts[parent] * counts[child]
        if n_both:
            difference = sums[parent] / counts[parent] - sums[child] / counts[child]
            gains[split] = n_both / (counts[parent] + counts[child]) * difference**2
        counts[parent] += counts[child]
        sums[parent] += sums[child]
    return gains


def _tree_gains(labeller: TreeCRF, data: SequenceSet) -> Iterator[tuple[str, int, float]]:
    aligned = labeller.align_inputs(data, labeller.unseen)
    codes = window_codes(aligned, labeller.window).astype(np.int64)
    n_labels = len(labeller.label_names_)
    labels = label_codes(data, labeller.label_names_)
    known = np.where(labels < 0, n_labels, labels).astype(np.int16)  # a new label is none that a tree asks for
    columns = np.hstack([codes, labels_before(known, data, labeller.order, n_labels)])
    slots = window_slots(labeller.attributes_, labeller.window)
    for number in range(labeller.forest_.n_trees):
        tree = labeller.forest_.tree(number)
        for column, gain in zip(tree.columns.tolist(), split_gains(tree, columns).tolist(), strict=True):
            if column >= len(slots):
                yield BEFORE, len(slots) - column - 1, gain
            else:
                yield labeller.attributes_[slots[column].attribute].name, slots[column].distance, gain


def labels_before(labels: NDArray[np.int16], data: SequenceSet, order: int, n_labels: int) -> NDArray[np.int64]:
    """The labels 1, 2, .. places before each position.

    Parameters
    ----------
    labels : int16, shape (n_positions,)
    data : SequenceSet
    order : int
    n_labels : int
        Stands where there is no position before.

    Returns
    -------
    int64, shape (n_positions, order)
    """
    place = places_in(data.offsets)
    before = np.full((data.n_positions, order), n_labels, dtype=np.int64)
    for back in range(1, order + 1):
        there = np.flatnonzero(place >= back)
        before[there, back - 1] = labels[there - back]
    return before


def _lightgbm_gains(labeller: WindowLightGBM) -> Iterator[tuple[str, int, float]]:
    with needs_extra("rivals"):
        import lightgbm

    gains = lightgbm.Booster(model_str=labeller.model_text_).feature_importance("gain").tolist()
    left, right = labeller.window
    slots = window_slots(labeller.attributes_, labeller.window)
    of_numbers = [*labeller.inputs_.number_names, "(outside the sequence)"] if labeller.inputs_.number_names else []
    places = [(labeller.attributes_[slot.attribute].name, slot.distance) for slot in slots]
    places += [(name, place) for place in range(-left, right + 1) for name in of_numbers]
    yield from ((name, place, gain) for (name, place), gain in zip(places, gains, strict=True))
