"""Future features: patterns that some later instance shows, learnt as noisy ORs of trees (PhD section 5.3)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from treecrf import chain
from treecrf.compiled.struct import FINITE, NOT_NEGATIVE, WEIGHTS, Float64, Int64, below, struct
from treecrf.sequences import MISSING, Attribute, SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import Columns, build_columns
from treecrf.trees.forest import Evaluator, Forest, Tree
from treecrf_studies.methods.future._bag_kernels import WHOLE_FUTURE, noisy_or

NO_STATES = chain.StateSpace(1, 0).labels_of_state
"""The states of trees that see no previous label."""

_OUTSIDE = "<outside>"  # a category of cut windows


class FutureFeature(NamedTuple):
    """A pattern of later instances.

    Attributes
    ----------
    label : int
        The label whose score it was learnt for.
    start : float
        G_0, the score of every instance before the first tree.
    trees : tuple of Tree
        Their values, summed, are added to the score G of an instance (the steps beta are multiplied in).
    weight : float
        eta: the score of `label` rises by this times the probability Q that the bag is positive.
    thresholds : float64, shape (n_bins - 1,)
        The bits of the thermometer code tell whether Q is at least each of them.
    """

    label: int
    start: float
    trees: tuple[Tree, ...]
    weight: float
    thresholds: NDArray[np.float64]


@struct
class LearntFeatures(NamedTuple):
    """Future features as arrays; their trees are in a forest of their own, feature after feature."""

    labels: Annotated[Int64, "n_features", below("n_labels")]
    starts: Annotated[Float64, "n_features", WEIGHTS]
    weights: Annotated[Float64, "n_features", WEIGHTS]
    n_trees: Annotated[Int64, "n_features", NOT_NEGATIVE]
    thresholds: Annotated[Float64, "n_features, n_thresholds", FINITE]


def as_arrays(features: tuple[FutureFeature, ...], n_bins: int) -> LearntFeatures:
    """What files have of features besides their trees."""
    return LearntFeatures(
        np.array([feature.label for feature in features], dtype=np.int64),
        np.array([feature.start for feature in features], dtype=np.float64),
        np.array([feature.weight for feature in features], dtype=np.float64),
        np.array([len(feature.trees) for feature in features], dtype=np.int64),
        np.array([feature.thresholds for feature in features], dtype=np.float64).reshape(len(features), n_bins - 1),
    )


def from_arrays(learnt: LearntFeatures, forest: Forest) -> tuple[FutureFeature, ...]:
    """The features of a file, with the trees of a forest; a ValueError if these are more or less."""
    if (learnt.n_trees > forest.n_trees).any() or learnt.n_trees.sum() != forest.n_trees:
        raise ValueError(f"features have {learnt.n_trees.sum()} trees of {forest.n_trees}")
    trees = iter([forest.tree(number) for number in range(forest.n_trees)])
    return tuple(
        FutureFeature(label, start, tuple(islice(trees, n_trees)), weight, thresholds)
        for label, start, n_trees, weight, thresholds in zip(
            learnt.labels.tolist(),
            learnt.starts.tolist(),
            learnt.n_trees.tolist(),
            learnt.weights.tolist(),
            learnt.thresholds,
            strict=True,
        )
    )


class Bags:
    """The bags of a data set, and what features say about them.

    A bag has `bag` instances, or all to the end of the sequence if that is None; `instance_window` counts the
    observations before and after an instance that belong to it.
    """

    def __init__(self, data: SequenceSet, bag: int | None, instance_window: tuple[int, int]) -> None:
        self.offsets, self.instance_offsets = data.offsets.copy(), data.observation_offsets.copy()
        self.size = WHOLE_FUTURE if bag is None else bag
        instances = SequenceSet(data.values, data.observation_offsets, data.attributes)
        self.instances = cut_windows(instances, instance_window)
        self.columns = columns_of(self.instances)

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Q of the bag of every position, from the scores G of all instances (PhD equations 5.10 and 5.11)."""
        bags = np.empty(self.offsets[-1])
        noisy_or(expit(scores), self.offsets, self.instance_offsets, self.size, bags)
        return bags

    def values_of(self, tree: Tree) -> NDArray[np.float64]:
        """The value of a tree for every instance."""
        values = np.zeros((len(self.columns.cells), 1))
        Evaluator(self.columns, NO_STATES, len(tree.values)).add(tree, values)
        return values[:, 0]

    def scores(self, feature: FutureFeature) -> NDArray[np.float64]:
        """G of every instance."""
        scores = np.full(len(self.columns.cells), float(feature.start))
        for tree in feature.trees:
            scores += self.values_of(tree)
        return scores


def columns_of(data: SequenceSet) -> Columns:
    """The cells of windows that are one observation each."""
    return build_columns(window_codes(data, (0, 0)), slot_sizes(data.attributes, (0, 0)))


def cut_windows(data: SequenceSet, window: tuple[int, int]) -> SequenceSet:
    """The same sequences with one observation for each position, which holds the position's whole window.

    There is an attribute for each window slot, in the order of `treecrf.sequences.window_codes`; where windows reach
    beyond sequences, a category for that comes last.
    """
    codes = window_codes(data, window).astype(np.int32)
    values = np.where(codes == slot_sizes(data.attributes, window), MISSING, codes)
    return SequenceSet(values, data.offsets, cut_attributes(data.attributes, window), data.labels, data.label_names)


def cut_attributes(attributes: tuple[Attribute, ...], window: tuple[int, int]) -> tuple[Attribute, ...]:
    """The attributes of what `cut_windows` gives."""
    if tuple(window) == (0, 0):
        return attributes
    return tuple(
        Attribute(f"{attribute.name}[{place:+d}]", (*attribute.categories, _OUTSIDE), attribute.ordered)
        for place in range(-window[0], window[1] + 1)
        for attribute in attributes
    )


def thermometer(probabilities: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int16]:
    """Bits that tell whether each threshold is reached, int16, shape (n_positions, n_thresholds)."""
    return (probabilities[:, None] >= thresholds).astype(np.int16)


def even_thresholds(probabilities: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """The limits between bins that divide the range of Q evenly, shape (n_bins - 1,)."""
    return np.linspace(probabilities.min(), probabilities.max(), n_bins + 1)[1:-1]


def with_features(cut: SequenceSet, bits: list[NDArray[np.int16]]) -> SequenceSet:
    """Add the codes of future features (`thermometer`) to windows (`cut_windows`) as attributes of two categories."""
    added = _bit_attributes(block.shape[1] for block in bits)
    return cut.with_values(np.hstack([cut.values, *bits]), (*cut.attributes, *added))


def final_attributes(cut: tuple[Attribute, ...], features: tuple[FutureFeature, ...]) -> tuple[Attribute, ...]:
    """The attributes of windows and of the thermometer codes of all features (`with_features`)."""
    return (*cut, *_bit_attributes(len(feature.thresholds) for feature in features))


def _bit_attributes(n_bits: Iterable[int]) -> tuple[Attribute, ...]:
    return tuple(
        Attribute(f"future_{i}_{bin_}", ("0", "1")) for i, n in enumerate(n_bits, start=1) for bin_ in range(1, n + 1)
    )
