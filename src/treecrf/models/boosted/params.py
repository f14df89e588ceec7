"""Parameters of boosting, from a labeller's settings and training data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.models.weights import refuse_mixed, vary_within
from treecrf.sequences import MISSING, SequenceSet
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


_POSITIONS, _COLUMNS = 1, 2  # streams of random numbers


class Sampling(NamedTuple):
    """The part of the training set that trees are grown from, as the settings of `TreeCRF` say; all unless given."""

    row_fraction: float = 1.0
    feature_fraction: float = 1.0
    influence_trimming: float = 0.0
    seed: int = 0


WHOLE = Sampling()
"""Trees are grown from all of the training set."""


def make_sampling(
    row_fraction: float,
    feature_fraction: float,
    influence_trimming: float,
    sampling_seed: int,
    pseudo_likelihood_iterations: int,
) -> Sampling:
    """The sampling that settings of `TreeCRF` ask for; a ValueError if one does not go with another."""
    if influence_trimming and pseudo_likelihood_iterations:
        raise ValueError(
            f"influence_trimming={influence_trimming!r}: rows have no such influence on the pseudo-likelihood; give 0 "
            "or set pseudo_likelihood_iterations=0."
        )
    return Sampling(float(row_fraction), float(feature_fraction), float(influence_trimming), int(sampling_seed))


def _share(fraction: float, number: int) -> int:
    """The nearest whole number to a part of some things, but at least one."""
    return max(round(fraction * number), 1)


def draw_positions(sampling: Sampling, n_positions: int, iteration: int) -> NDArray[np.int32]:
    """Draw the positions that the trees of an iteration see, int32, shape (n,), ascending, without replacement."""
    if sampling.row_fraction == 1.0:
        return np.arange(n_positions, dtype=np.int32)
    rng = np.random.default_rng([sampling.seed, _POSITIONS, iteration])
    drawn = np.zeros(n_positions, dtype=np.bool_)
    drawn[rng.choice(n_positions, _share(sampling.row_fraction, n_positions), replace=False, shuffle=False)] = True
    return np.flatnonzero(drawn).astype(np.int32)


def draw_columns(sampling: Sampling, max_leaves: int, n_columns: int, iteration: int, label: int) -> NDArray[np.bool_]:
    """Draw the columns whose tests each node of a tree may be split by, without replacement.

    Returns bool, shape (2 * max_leaves - 1, n_columns): the root first, then the two children of each split. There are
    no rows if every node may test all columns.
    """
    if sampling.feature_fraction == 1.0:
        return np.ones((0, n_columns), dtype=np.bool_)
    rng = np.random.default_rng([sampling.seed, _COLUMNS, iteration, label])
    permutations = rng.random((2 * max_leaves - 1, n_columns)).argsort(axis=1)
    return permutations < _share(sampling.feature_fraction, n_columns)


def uses_lattice(labeller: TreeCRF) -> bool:
    """Whether a labeller is one of `treecrf.models.boosted.lattice_training`."""
    return _reason(labeller) is not None


def _reason(labeller: TreeCRF) -> str | None:
    """The setting that asks for it."""
    if labeller.transitions == "separable":
        return "transitions='separable'"
    names = ("label_dictionary", "beam")
    return next((name for name in names if getattr(labeller, name) is not None), None)


def check_transitions(labeller: TreeCRF) -> None:
    """Refuse settings that do not go with those of transitions, in one sentence."""
    reason = _reason(labeller)
    if reason is None:
        return
    needs = {
        "order": (labeller.order == 1, "1"),
        "missing": (labeller.missing in WHOLE_ROWS, " or ".join(map(repr, WHOLE_ROWS))),
        "pseudo_likelihood_iterations": (labeller.pseudo_likelihood_iterations == 0, "0"),
        "influence_trimming": (labeller.influence_trimming == 0, "0"),
    }
    for name, (holds, needed) in needs.items():
        if not holds:
            raise ValueError(f"{name}={getattr(labeller, name)!r}: {reason} needs {needed}.")
    if labeller._criterion != "likelihood":
        raise ValueError(f"{reason}: a {type(labeller).__name__} has none; leave it at its default.")


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
