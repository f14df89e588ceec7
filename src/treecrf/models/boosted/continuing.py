"""Going on with a training: what was done so far, and which settings and sets may continue it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treecrf.models.boosted.boosting import Progress, split_iterations
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF

SHAPE = ("window", "order", "missing", "n_surrogates", "transitions", "label_dictionary", "beam")
"""Settings that the trees are grown for."""


def shape_of(labeller: TreeCRF) -> dict[str, Any]:
    """The settings of `SHAPE`, as JSON values."""
    sizes = {"window": [int(side) for side in labeller.window], "order": int(labeller.order)}
    return sizes | {name: getattr(labeller, name) for name in SHAPE if name not in sizes}


def check_shape(labeller: TreeCRF, names: Iterable[str], advice: str) -> None:
    """Refuse settings that differ from those of the training so far; `advice` says what to do."""
    for name in names:
        before = labeller.shape_[name]
        if list(np.atleast_1d(getattr(labeller, name))) != list(np.atleast_1d(before)):
            raise ValueError(f"{name} was {before} in the training so far; {advice}.")


def check_continuation(labeller: TreeCRF) -> None:
    """Refuse settings with which the training cannot go on."""
    done = len(labeller.log_likelihood_history_) - 1
    if labeller.n_iterations < done:
        raise ValueError(
            f"n_iterations={labeller.n_iterations}, but {done} are done; raise it or set warm_start=False."
        )
    check_shape(labeller, labeller.shape_, "set it back or set warm_start=False")


def as_before(labeller: TreeCRF, train: SequenceSet) -> SequenceSet:
    """A set to continue on, with the inputs and the label codes of the training so far."""
    aligned = labeller.align_inputs(train, labeller.unseen)
    if labeller.missing == "error" and aligned.has_missing:
        raise ValueError(
            "the set has categories that the training so far did not have, for which missing='error' has no place; leave their "
            "sequences out, or train again with warm_start=False."
        )
    return aligned.with_labels(labeller.align_labels(train, unknown=True), labeller.label_names_)


def progress_so_far(labeller: TreeCRF, seconds: dict[str, float]) -> Progress:
    """The training so far, as one that was interrupted; `seconds` are counted on."""
    iterations = split_iterations(labeller.forest_, labeller.transitions_, len(labeller.transitions_))
    return Progress(iterations, list(labeller.log_likelihood_history_[:-1]), seconds, [], list(labeller.steps_))
