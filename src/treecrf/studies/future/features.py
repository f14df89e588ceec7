"""Contents of discovered future features as frames: the categories and distances that raise Q, and their trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from treecrf.models.future.features import Bags, FutureFeature
from treecrf.models.future.future_memm import FutureFeatureMEMM
from treecrf.sequences import Attribute, SequenceSet
from treecrf.studies.future.names import INSTANCE, TREE_NAMES, WEIGHT_NAMES
from treecrf.trees.tree import Tree

MOST_DISTANCES = 10
"""Distances that are looked at where bags reach to the end."""

ROOT = -1
"""Value of the column `parent` for a root."""


def describe_features(model: FutureFeatureMEMM, data: SequenceSet) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the future features of a model look at.

    Parameters
    ----------
    model : FutureFeatureMEMM
    data : SequenceSet
        Sequences to average over.

    Returns
    -------
    weights : DataFrame
        feature (from 1), label (its name), eta, attribute, category, distance, value, n. Distance `INSTANCE`: mean of G
        over the instances that have the category, minus its mean over all. Distance j: mean of Q over the positions t whose
        instance t + j has it, minus its mean over the positions that have an instance there. n: over how many.
    trees : DataFrame
        feature, tree (from 1), node, parent, side ("yes" or "no": of the parent's test), test (of an inner node, else
        ""), value (of a leaf, weighted, else NaN).
    """
    bags = Bags(model.align_inputs(data, model.unseen), model.bag, model.instance_window)
    weights: list[dict[str, Any]] = []
    trees: list[dict[str, Any]] = []
    for number, feature in enumerate(model.features_, start=1):
        constant = {"feature": number, "label": model.label_names_[feature.label], "eta": feature.weight}
        weights += [constant | row for row in _weights(bags, feature)]
        for tree_number, tree in enumerate(feature.trees, start=1):
            rows = tree_rows(tree, bags.instances.attributes)
            trees += [{"feature": number, "tree": tree_number} | row for row in rows]
    return pd.DataFrame(weights, columns=WEIGHT_NAMES), pd.DataFrame(trees, columns=TREE_NAMES)


def _weights(bags: Bags, feature: FutureFeature) -> Iterator[dict[str, Any]]:
    """Rows of the frame of weights, for one feature."""
    scores = bags.scores(feature)
    probabilities = bags.probabilities(scores)
    yield from _means(bags, INSTANCE, np.arange(len(scores)), scores)
    lengths = np.diff(bags.offsets)
    place = np.arange(len(probabilities)) - np.repeat(bags.offsets[:-1], lengths)
    instance = np.repeat(bags.instance_offsets[:-1], lengths) + place
    end = np.repeat(bags.instance_offsets[1:], lengths)
    for distance in range(1, (bags.size if bags.size > 0 else MOST_DISTANCES) + 1):
        there = instance + distance < end
        yield from _means(bags, distance, (instance + distance)[there], probabilities[there])


def _means(
    bags: Bags, distance: int, instances: np.ndarray[Any, Any], values: np.ndarray[Any, Any]
) -> Iterator[dict[str, Any]]:
    """Means of values by each category of the instances they belong to, relative to the mean of all."""
    for j, attribute in enumerate(bags.instances.attributes):
        codes = bags.instances.values[instances, j]
        for code, category in enumerate(attribute.categories):
            chosen = values[codes == code]
            mean = chosen.mean() - values.mean() if len(chosen) else np.nan
            yield {
                "attribute": attribute.name, "category": category, "distance": distance, "value": mean, "n": len(chosen),
            }  # fmt: skip


def tree_rows(tree: Tree, attributes: tuple[Attribute, ...]) -> list[dict[str, Any]]:
    """The nodes of a tree over single observations, parents before children.

    Returns
    -------
    list of dict
        node, parent, side, test, value; see `describe_features`.
    """
    rows: list[dict[str, Any]] = [{"node": 0, "parent": ROOT, "side": "", "test": "", "value": np.nan}]
    node_of_leaf = {0: 0}
    for split, (leaf, column) in enumerate(zip(tree.parents, tree.columns, strict=True)):
        parent, attribute, code = node_of_leaf[int(leaf)], attributes[column], int(tree.test(split)[0])
        category = attribute.categories[code] if code < len(attribute.categories) else "<outside>"
        rows[parent]["test"] = f"{attribute.name} = {category}"
        for side, child_leaf in (("no", int(leaf)), ("yes", split + 1)):
            node_of_leaf[child_leaf] = len(rows)
            rows.append({"node": len(rows), "parent": parent, "side": side, "test": "", "value": np.nan})
    for leaf, node in node_of_leaf.items():
        rows[node]["value"] = float(tree.values[leaf])
    return rows
