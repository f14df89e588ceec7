"""The settings of `TreeCRF`, what follows from them for its trees, and which go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.checks import (
    FLAG,
    NAME,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    SHARE,
    SIZE,
    Check,
    number,
    one_of,
    optional,
    whole,
)
from treecrf.inputs.anchors import AnchorSetting
from treecrf.inputs.binning import MOST_BINS
from treecrf.models.inputs import ClassWeight, refuse_mixed, vary_within
from treecrf.sequences import MISSING, Attribute, SequenceSet, window_slots
from treecrf.trees.best_first import NO_POLICY, MissingPolicy
from treecrf.trees.forest import MAX_LEAVES
from treecrf.trees.splitting import EITHER_SIDE, INCORPORATED, ONE_VS_REST, ORDERED, SUBSETS, UNKNOWN, SplitParams

Criterion = Literal["likelihood", "pseudo-likelihood", "local"]
"""What is followed: log P(Y | X), the pseudo-likelihood, or P(y_t | previous labels, w_t) position by position."""

MISSING_METHODS = ("auto", "error", "instance_weighting", "surrogate_splitting", "default_direction", "incorporated")
"""Values of the setting `missing`; "auto" stands for one of the others, and the last two are not in the papers."""

WHOLE_ROWS = ("error", "incorporated")
"""Those with which trees divide no row."""

SPLITS = {"one_vs_rest": ONE_VS_REST, "subsets": SUBSETS}
"""Values of the setting `splits`."""

SHAPE = ("window", "order", "missing", "n_surrogates", "transitions", "label_dictionary", "beam")
"""Settings that the trees are grown for."""


def has_shape(value: Any) -> bool:
    """Whether a file's JSON value has all settings of `SHAPE`."""
    return isinstance(value, dict) and all(name in value for name in SHAPE)


@dataclass(eq=False, repr=False)
class BoostingSettings:
    """The settings of a `TreeCRF`, whose documentation says what they are."""

    n_iterations: int = 100
    max_leaves: int = 100
    l2_regularization: float = 20.0
    window: tuple[int, int] = (0, 0)
    order: int = 1
    splits: str = "one_vs_rest"
    category_smoothing: float = 1.0
    least_weight: float = 0.0
    leaf_values: str = "gradient"
    learning_rate: float = 1.0
    largest_step: float = 4.0
    most_halvings: int = 10
    missing: str = "auto"
    scale_gain: bool = False
    n_surrogates: int = 5
    either_polarity: bool = True
    all_missing: str = "majority"
    unseen_missing: str = "majority"
    unseen: str = "missing"
    pseudo_likelihood_iterations: int = 0
    row_fraction: float = 1.0
    feature_fraction: float = 1.0
    influence_trimming: float = 0.0
    sampling_seed: int = 0
    random_state: int | None = None
    start_noise: float = 0.01
    n_threads: int = 1
    warm_start: bool = False
    n_bins: int = MOST_BINS
    min_count: int = 1
    transitions: str = "full"
    label_dictionary: str | None = None
    beam: int | None = None
    class_weight: ClassWeight = None
    anchors: AnchorSetting = None

    _parameter_constraints: ClassVar[Mapping[str, Check]] = {
        "n_iterations": SIZE,
        "max_leaves": whole(2, MAX_LEAVES),
        "l2_regularization": NOT_NEGATIVE,
        "order": whole(0),
        "splits": one_of(*SPLITS),
        "category_smoothing": NOT_NEGATIVE,
        "least_weight": NOT_NEGATIVE,
        "leaf_values": one_of("gradient", "newton"),
        "learning_rate": SHARE,
        "largest_step": POSITIVE,
        "most_halvings": whole(0),
        "missing": one_of(*MISSING_METHODS),
        "scale_gain": FLAG,
        "n_surrogates": SIZE,
        "either_polarity": FLAG,
        "all_missing": one_of("majority", "both"),
        "unseen_missing": one_of("majority", "both"),
        "pseudo_likelihood_iterations": whole(0),
        "row_fraction": SHARE,
        "feature_fraction": SHARE,
        "influence_trimming": number("a number of at least 0 and below 1", lambda value: 0 <= value < 1),
        "sampling_seed": SEED,
        "random_state": optional(SEED),
        "start_noise": NOT_NEGATIVE,
        "n_threads": SIZE,
        "warm_start": FLAG,
        "transitions": one_of("full", "separable"),
        "label_dictionary": optional(NAME),
        "beam": optional(SIZE),
    }
    """What those settings must be that `Labeller` does not know."""


@dataclass
class BoostingParams(BoostingSettings):
    """The settings of one training, and what follows from them for its trees and iterations."""

    criterion: Criterion = "likelihood"
    """What the class of the labeller follows."""

    unit: float = 1.0
    """What a weight of 1 stands for in training (`treecrf.io.arrays.in_units`)."""

    # --- trees --------------------------------------------------------------------------------------

    @property
    def newton(self) -> bool:
        """Whether rows weigh the curvature of the log likelihood there, instead of 1."""
        return self.leaf_values == "newton"

    @property
    def most_gradient(self) -> int:
        """The largest absolute sum of a label's gradients over a position's states; Newton leaves need all bits."""
        if self.newton and not self.pseudo_likelihood_iterations:
            return 1
        return self.order + 1 if self.sees_labels else 1

    @property
    def split_params(self) -> SplitParams:
        """What decides splits and the values of leaves."""
        missing = {"default_direction": EITHER_SIDE, "incorporated": INCORPORATED}.get(self.missing, UNKNOWN)
        return SplitParams(
            self.l2_regularization / self.unit,
            self.least_weight / self.unit,
            self.category_smoothing / self.unit,
            missing,
            float(self.largest_step) if self.newton else np.inf,
            float(self.learning_rate),
        )

    @property
    def missing_policy(self) -> MissingPolicy:
        """What trees that divide rows do where a tested cell is missing."""
        if self.missing in WHOLE_ROWS:
            return NO_POLICY
        if self.missing == "default_direction":
            return MissingPolicy(True, False, 0, False, self.unseen_missing == "both")
        if self.missing == "surrogate_splitting":
            blends = self.all_missing == "both"
            return MissingPolicy(False, self.scale_gain, self.n_surrogates, self.either_polarity, blends)
        return MissingPolicy(False, self.scale_gain, 0, False, True)

    @property
    def codes_missing(self) -> bool:
        """Whether each slot has a cell for "missing"."""
        return self.missing != "error"

    def divides_rows(self, train: SequenceSet) -> bool:
        """Whether trees are grown with rows that divide.

        Where no cell is missing and no surrogates are sought, trees on whole rows are the same to the last bit.
        """
        return self.missing not in WHOLE_ROWS and (train.has_missing or self.missing == "surrogate_splitting")

    def feature_types(self, attributes: Sequence[Attribute]) -> NDArray[np.int8]:
        """Types of the columns (`treecrf.trees.splitting`): slots, then previous labels; shape (n_slots + order,)."""
        of_labels = SPLITS[self.splits]
        slots = window_slots(attributes, self.window)
        of_slots = [ORDERED if attributes[slot.attribute].ordered else of_labels for slot in slots]
        return np.array(of_slots + [of_labels] * self.order, dtype=np.int8)

    # --- transitions --------------------------------------------------------------------------------

    @property
    def sees_labels(self) -> bool:
        """Whether trees see previous labels; else transitions are a matrix of their own."""
        return self.transitions == "full"

    @property
    def uses_lattice(self) -> bool:
        """Whether training and predictions are those of `treecrf.models.boosted.lattice`."""
        return self.lattice_setting is not None

    @property
    def lattice_setting(self) -> str | None:
        """The setting that asks for a lattice; None where none does."""
        if not self.sees_labels:
            return "transitions='separable'"
        return next((name for name in ("label_dictionary", "beam") if getattr(self, name) is not None), None)

    def settled(self) -> BoostingParams:
        """The same, with the treatment that "auto" stands for: dividing rows, which trees of a lattice cannot."""
        if self.missing != "auto":
            return self
        return replace(self, missing="incorporated" if self.uses_lattice else "instance_weighting")

    # --- checks -------------------------------------------------------------------------------------

    def check(self) -> None:
        """Refuse settings that do not go together, in one sentence."""
        if self.uses_lattice:
            needs = {
                "order": (self.order == 1, "1"),
                "missing": (self.missing in WHOLE_ROWS, " or ".join(map(repr, WHOLE_ROWS))),
                "pseudo_likelihood_iterations": (self.pseudo_likelihood_iterations == 0, "0"),
                "influence_trimming": (self.influence_trimming == 0, "0"),
            }
            for name, (holds, needed) in needs.items():
                if not holds:
                    raise ValueError(f"{name}={getattr(self, name)!r}: {self.lattice_setting} needs {needed}.")
        if self.influence_trimming and self.pseudo_likelihood_iterations:
            raise ValueError(
                f"influence_trimming={self.influence_trimming!r}: rows have no such influence on the "
                "pseudo-likelihood; give 0 or set pseudo_likelihood_iterations=0."
            )

    def check_training_data(self, train: SequenceSet, weights: NDArray[np.float64] | None) -> None:
        """Refuse unknown labels and weights of positions that the settings cannot learn from, in one sentence."""
        by_itself = self.order == 0 or self.criterion == "local"
        labels = np.asarray(train.labels)
        if (labels == MISSING).any() and not by_itself:
            self._refuse("pseudo_likelihood_iterations", "unknown labels", 0)
            self._refuse("beam", "unknown labels", None)
            if weights is not None:
                refuse_mixed(labels, weights, train.offsets)
        if weights is None:
            return
        self._refuse("influence_trimming", "weights", 0)
        self._refuse("beam", "weights", None)
        if not by_itself and vary_within(weights, train.offsets).any():
            what = "weights that differ between the positions of a sequence, as those of class_weight"
            self._refuse("pseudo_likelihood_iterations", what, 0)
            if self.uses_lattice:
                raise ValueError(
                    "separable transitions and a label_dictionary take weights by sequence alone; leave them at their "
                    "defaults, or give each sequence one weight and leave class_weight out."
                )

    def _refuse(self, name: str, what: str, needed: int | None) -> None:
        """Refuse a setting that is not what something needs."""
        value = getattr(self, name)
        if value != needed:
            raise ValueError(f"{name}={value!r} does not go with {what}; give {needed!r}.")

    def shape(self) -> dict[str, Any]:
        """The settings of `SHAPE`, as JSON values."""
        sizes = {"window": [int(side) for side in self.window], "order": int(self.order)}
        return sizes | {name: getattr(self, name) for name in SHAPE if name not in sizes}

    def check_shape(self, before: Mapping[str, Any], names: Iterable[str], advice: str) -> None:
        """Refuse settings that differ from those of the training so far, `before`; `advice` says what to do."""
        for name in names:
            if _as_list(getattr(self, name)) != _as_list(before[name]):
                raise ValueError(f"{name} was {before[name]} in the training so far; {advice}.")


def _as_list(value: Any) -> Any:
    """A pair as a list, whatever it is kept in; other values as they are."""
    return list(value) if isinstance(value, tuple | list | np.ndarray) else value
