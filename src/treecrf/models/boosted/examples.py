"""Which settings of a boosted labeller go with unknown labels and weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf.models.boosted.dictionary import uses_lattice
from treecrf.models.weights import refuse_mixed, vary_within
from treecrf.sequences import MISSING, SequenceSet

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF


def check_examples(labeller: TreeCRF, train: SequenceSet, weights: NDArray[np.float64] | None) -> None:
    """Refuse unknown labels and weights that the settings of a labeller cannot learn from, in one sentence."""
    by_itself = labeller.order == 0 or labeller._criterion == "local"
    unknown = np.asarray(train.labels) == MISSING
    varies = np.zeros(len(train), dtype=np.bool_) if weights is None else vary_within(weights, train.offsets)
    if unknown.any() and not by_itself:
        _refuse(
            labeller.pseudo_likelihood_iterations > 0, labeller, "pseudo_likelihood_iterations", "unknown labels", 0
        )
        _refuse(labeller.beam is not None, labeller, "beam", "unknown labels", None)
        if weights is not None:
            refuse_mixed(np.asarray(train.labels), weights, train.offsets)
    if weights is not None:
        _refuse(labeller.influence_trimming > 0, labeller, "influence_trimming", "weights", 0)
        _refuse(labeller.beam is not None, labeller, "beam", "weights", None)
    if varies.any() and not by_itself:
        advice = "weights that differ between the positions of a sequence, as those of class_weight"
        _refuse(labeller.pseudo_likelihood_iterations > 0, labeller, "pseudo_likelihood_iterations", advice, 0)
        if uses_lattice(labeller):
            raise ValueError(
                "separable transitions and a label_dictionary take weights by sequence alone; leave them at their defaults, or "
                "give each sequence one weight and leave class_weight out."
            )


def _refuse(is_set: bool, labeller: TreeCRF, name: str, what: str, needed: object) -> None:
    if is_set:
        raise ValueError(f"{name}={getattr(labeller, name)!r} does not go with {what}; give {needed!r}.")
