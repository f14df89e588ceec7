"""What a training costs, from the sizes of its data alone: the same on every machine, so that no choice depends on its speed."""

from __future__ import annotations

from math import sqrt

import numpy as np

from treecrf.ensembles.labeller import Ensemble
from treecrf.missing import transform_of
from treecrf.models.base import Labeller
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.imputing import ImputingLabeller
from treecrf.models.inputs import MOST_BINS
from treecrf.models.linear.linear_crf import VECTORS, LinearCRF
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.sequences import SequenceSet, slot_sizes
from treecrf.tabular.fitting import n_reports

NANOSECOND = 1e-9
"""The unit of the coefficients below: CPU time of one core of a server of 2020, within a factor of two, nearly."""

HOLES = 3.0
"""How many times longer trees take that divide rows between both sides of a test."""

MANY_CATEGORIES, SORTING = 100, 3.0
"""From so many categories on an attribute is one of words; LightGBM, which sorts them, takes so many times longer in addition."""


def expected_seconds(labeller: Labeller, train: SequenceSet, n_iterations: int) -> float:
    """CPU seconds that a training takes, nearly; 0 for a labeller whose cost is not known.

    Parameters
    ----------
    labeller : Labeller
        Its settings count.
    train : SequenceSet
        As the labeller is given it.
    n_iterations : int
        Of an ensemble, how many experts are trained, all parts together.
    """
    if isinstance(labeller, Ensemble):
        share = n_iterations / len(labeller.experts)
        return share * sum(expected_seconds(expert, train, n_reports(expert)) for expert in labeller.make_experts())
    if isinstance(labeller, ImputingLabeller):
        return expected_seconds(labeller.labeller, _filled(labeller, train), n_iterations)
    n_labels, n_positions = len(train.label_names), train.n_positions
    n_slots = _n_slots(labeller, train)
    n_bins = _n_bins(labeller, train)
    each = n_positions * n_slots * n_labels
    pairs = n_positions * n_labels**2
    if isinstance(labeller, LinearCRF):
        weights = _n_weights(labeller, train)
        return 0.3 + n_iterations * NANOSECOND * (8e6 + 2.5 * each + 4 * pairs + 50 * weights)
    if isinstance(labeller, TreeCRF):
        growing = 5 * each * sqrt(labeller.max_leaves / 10) + 17 * labeller.max_leaves * n_bins * n_labels
        divided = (
            HOLES if train.has_missing and labeller.missing in ("instance_weighting", "surrogate_splitting") else 1.0
        )
        chains = (25 if labeller.transitions == "full" else 15) * pairs * max(n_labels, 1) ** (labeller.order - 1)
        return 0.1 + n_iterations * NANOSECOND * (divided * growing + chains)
    if isinstance(labeller, WindowLightGBM):
        wordy = sum(len(attribute.categories) >= MANY_CATEGORIES for attribute in train.attributes) * (
            sum(labeller.window) + 1
        )
        tree = (n_slots + SORTING * wordy) * (4 * n_positions + 18 * labeller.max_leaves * n_bins / n_slots)
        return 0.2 + n_iterations * NANOSECOND * n_labels * tree
    return 0.0


def expected_bytes(labeller: Labeller, train: SequenceSet, n_iterations: int) -> int:
    """Bytes of memory that a training takes beside the program and the file, nearly; 0 where that is not known."""
    if isinstance(labeller, Ensemble):
        return max(expected_bytes(expert, train, n_reports(expert)) for expert in labeller.make_experts())
    if isinstance(labeller, ImputingLabeller):
        return expected_bytes(labeller.labeller, _filled(labeller, train), n_iterations)
    if isinstance(labeller, TreeCRF):
        return labeller.expected_memory(train)
    if isinstance(labeller, LinearCRF):
        return 8 * _n_weights(labeller, train) * (VECTORS + (n_iterations if labeller.keeps_stages else 1))
    return 8 * train.n_positions * _n_slots(labeller, train) if isinstance(labeller, WindowLightGBM) else 0


def _filled(labeller: ImputingLabeller, train: SequenceSet) -> SequenceSet:
    """What the labeller in it will see."""
    holes = transform_of(labeller.holes)
    assert holes is not None
    return holes.fit_transform(train)


def most_iterations(labeller: LinearCRF, train: SequenceSet, n_bytes: int) -> int:
    """Iterations after which a linear CRF, which keeps the weights of each, has taken so many bytes; 1 at least."""
    return max(n_bytes // (8 * _n_weights(labeller, train)) - VECTORS, 1)


def _n_slots(labeller: Labeller, train: SequenceSet) -> int:
    return _n_places(labeller) * (len(train.attributes) + len(train.number_names))


def _n_places(labeller: Labeller) -> int:
    left, right = labeller.get_params().get("window", (0, 0))
    return int(left + right + 1)


def _n_bins(labeller: Labeller, train: SequenceSet) -> int:
    """Bins of all slots together, of which every leaf has sums; categories are as many at most as a number may have bins."""
    of_categories = sum(min(len(attribute.categories), MOST_BINS) for attribute in train.attributes)
    return _n_places(labeller) * (of_categories + len(train.number_names) * labeller.n_bins)


def _n_weights(labeller: LinearCRF, train: SequenceSet) -> int:
    """Weights of cells, as of categories that are not rare, and of pairs of labels."""
    n_labels, places = len(train.label_names), sum(labeller.window) + 1
    cells = int(slot_sizes(train.attributes, (0, 0)).sum()) + len(train.number_names) * (labeller.n_bins + 1)
    if labeller.min_count > 1:
        cells = sum(_n_common(train.values[:, j], labeller.min_count) for j in range(train.values.shape[1]))
        cells += len(train.number_names) * (labeller.n_bins + 1)
    return cells * places * n_labels + n_labels**2


def _n_common(codes: np.ndarray, min_count: int) -> int:
    """Categories that are there so often, one for all others, and one for places outside of sequences."""
    return int((np.bincount(codes[codes >= 0]) >= min_count).sum()) + 2
