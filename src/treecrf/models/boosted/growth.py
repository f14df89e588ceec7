"""What the trees of a labeller are grown by, from its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf.sequences import SequenceSet
from treecrf.trees.problem import Handling
from treecrf.trees.search import EITHER_SIDE, INCORPORATED, ONE_VS_REST, ORDERED, SUBSETS, UNKNOWN, Growth

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF

MISSING_METHODS = ("error", "instance_weighting", "surrogate_splitting", "default_direction", "incorporated")
"""Values of the setting `missing`; the last two are not in the papers."""

WHOLE_ROWS = ("error", "incorporated")
"""Those with which trees divide no row."""

KINDS = {"one_vs_rest": ONE_VS_REST, "subsets": SUBSETS}
"""Values of the setting `splits`."""


def kinds_of(labeller: TreeCRF, train: SequenceSet) -> NDArray[np.int8]:
    """Kinds of the columns, slots and then previous labels (`treecrf.trees.search`), shape (n_slots + order,)."""
    kind = KINDS[labeller.splits]
    of_attributes = [ORDERED if attribute.ordered else kind for attribute in train.attributes]
    left, right = labeller.window
    return np.array(of_attributes * (left + right + 1) + [kind] * labeller.order, dtype=np.int8)


def growth_of(labeller: TreeCRF) -> Growth:
    """Which splits gain how much, and the values of leaves."""
    missing = {"default_direction": EITHER_SIDE, "incorporated": INCORPORATED}.get(labeller.missing, UNKNOWN)
    return Growth(
        l2_regularization=float(labeller.l2_regularization),
        least_weight=float(labeller.least_weight),
        smoothing=float(labeller.category_smoothing),
        missing=missing,
        largest_value=float(labeller.largest_step) if labeller.leaf_values == "newton" else np.inf,
        learning_rate=float(labeller.learning_rate),
    )


def divides_rows(labeller: TreeCRF, train: SequenceSet) -> bool:
    """Whether trees are grown with rows that divide: where no cell is missing, none does, and there are no surrogates to look for.

    Trees on whole rows are then the same, to the last bit.
    """
    if labeller.missing in WHOLE_ROWS:
        return False
    return train.has_missing or labeller.missing == "surrogate_splitting"


def handling_of(labeller: TreeCRF) -> Handling | None:
    """What trees that divide rows do where a tested cell is missing; None: they divide none."""
    if labeller.missing in WHOLE_ROWS:
        return None
    if labeller.missing == "default_direction":
        return Handling(True, False, 0, False, labeller.unseen_missing == "both")
    if labeller.missing == "surrogate_splitting":
        blends = labeller.all_missing == "both"
        return Handling(False, labeller.scale_gain, labeller.n_surrogates, labeller.either_polarity, blends)
    return Handling(False, labeller.scale_gain, 0, False, True)
