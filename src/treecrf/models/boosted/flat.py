"""The flat form of a labeller's trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecrf import chain
from treecrf.models.boosted.dictionary import uses_lattice
from treecrf.models.boosted.growth import WHOLE_ROWS
from treecrf.sequences import slot_sizes
from treecrf.trees.flattening import FlatForest

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF


def make_flat_forest(labeller: TreeCRF) -> FlatForest:
    """The trees of a fitted labeller as one vector of weights; errors as `TreeCRF.flattened`."""
    if labeller.shape_["missing"] not in WHOLE_ROWS:
        raise ValueError(
            f"flattened: this model was trained with missing={labeller.shape_['missing']!r}, and flat trees cannot divide rows; "
            "train it with missing='error' or 'incorporated'."
        )
    separable = labeller.transitions == "separable"
    if uses_lattice(labeller) and not separable:
        raise ValueError(
            "flattened: potentials of all pairs of labels would be as large as without a label_dictionary or a beam; label with "
            "the trees, or train with transitions='separable'."
        )
    space = chain.StateSpace(len(labeller.label_names_), 0 if separable else labeller.order)
    start = np.zeros((space.n_labels, 1)) if separable else labeller.start_
    sizes = slot_sizes(labeller.attributes_, labeller.window) + (labeller.missing != "error")
    return FlatForest(labeller.forest_, sizes, space.labels_of_state, start)
