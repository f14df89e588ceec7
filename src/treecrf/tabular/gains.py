"""Which attributes, at which distances, the trees of a model gain by."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.messages import needs_extra
from treecrf.models.base import Labeller
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.sequences import SequenceSet, window_codes
from treecrf.tabular.fitting import parts_of
from treecrf.trees.tree import Tree

GAIN_COLUMNS = ("attribute", "distance", "gain")

BEFORE = "(label before)"
"""Stands in place of an attribute for tests of previous labels."""


def total_gains(labeller: Labeller, data: SequenceSet) -> pd.DataFrame | None:
    """What all splits gain, by what they test.

    Parameters
    ----------
    labeller : Labeller
    data : SequenceSet
        With labels, as the labeller sees it: what the splits of a TreeCRF gain is measured on it. LightGBM has kept what
        its splits gained in training.

    Returns
    -------
    DataFrame or None
        attribute (or `BEFORE`), distance (observations after the position, negative before), gain (its share of all), the
        largest first; of an ensemble, the mean over the experts with trees. None if the labeller has no trees.

    Notes
    -----
    A split of a TreeCRF gains ``n1 n2 / (n1 + n2) (m1 - m2)^2``, for n1 and n2 rows on its sides with the mean leaf values m1
    and m2 (Friedman 2001, Annals of Statistics 29, equation 35, summed over trees as in his section 8.1). A row has the true
    labels before it; a missing cell counts as one that fails the test, unless the test asks for it.
    """
    parts = [shares for shares in (_shares(*part) for part in parts_of(labeller, data)) if shares is not None]
    if not parts:
        return None
    frame = pd.concat(parts).groupby(["attribute", "distance"], as_index=False).sum()
    frame["gain"] /= len(parts)
    return frame.sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def without_trees(labeller: Labeller, data: SequenceSet) -> list[str]:
    """The classes of a labeller's parts that have no trees, and no gains."""
    return [
        type(part).__name__ for part, _ in parts_of(labeller, data) if not isinstance(part, TreeCRF | WindowLightGBM)
    ]


def _shares(labeller: Labeller, data: SequenceSet) -> pd.DataFrame | None:
    """`total_gains` of a labeller that is no ensemble, in any order."""
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
    """What each split of a tree gains on some rows; float64, shape (n_splits,).

    Parameters
    ----------
    tree : Tree
    columns : int array, shape (n_rows, n_columns)
        The code of each row in each column that the tree may test.
    """
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
    columns = np.hstack(
        [codes, _labels_before(labeller.align_labels(data), data, labeller.order, len(data.label_names))]
    )
    names = [attribute.name for attribute in labeller.attributes_]
    left, right = labeller.window
    n_slots = (left + right + 1) * len(names)
    for number in range(labeller.forest_.n_trees):
        tree = labeller.forest_.tree(number)
        for column, gain in zip(tree.columns.tolist(), split_gains(tree, columns).tolist(), strict=True):
            if column >= n_slots:
                yield BEFORE, n_slots - column - 1, gain
            else:
                yield names[column % len(names)], column // len(names) - left, gain


def _labels_before(labels: NDArray[np.int16], data: SequenceSet, order: int, n_labels: int) -> NDArray[np.int64]:
    """The true labels 1, 2, .. places before each position, `n_labels` before the first; shape (n_positions, order)."""
    place = np.arange(data.n_positions) - np.repeat(data.offsets[:-1], data.lengths)
    found = np.full((data.n_positions, order), n_labels, dtype=np.int64)
    for back in range(1, order + 1):
        there = np.flatnonzero(place >= back)
        found[there, back - 1] = labels[there - back]
    return found


def _lightgbm_gains(labeller: WindowLightGBM) -> Iterator[tuple[str, int, float]]:
    with needs_extra("rivals"):
        import lightgbm

    gains = lightgbm.Booster(model_str=labeller.model_text_).feature_importance("gain").tolist()
    left, right = labeller.window
    of_codes = [attribute.name for attribute in labeller.attributes_]
    of_numbers = [*labeller.inputs_.number_names, "(outside the sequence)"] if labeller.inputs_.number_names else []
    places = [(name, place) for names in (of_codes, of_numbers) for place in range(-left, right + 1) for name in names]
    yield from ((name, place, gain) for (name, place), gain in zip(places, gains, strict=True))
