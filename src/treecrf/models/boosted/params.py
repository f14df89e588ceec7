"""Parameters of boosting: settings of a `TreeCRF`, what follows from them for its trees, and which go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treecrf.models.weights import refuse_mixed, vary_within
from treecrf.sequences import MISSING, Attribute, SequenceSet, window_slots
from treecrf.trees.problem import NO_POLICY, MissingPolicy
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


_POSITIONS, _COLUMNS = 1, 2  # streams of random numbers


@dataclass(frozen=True)
class BoostingParams:
    """Settings of `TreeCRF`, under their names there, and the criterion that its class follows."""

    n_iterations: int
    max_leaves: int
    l2_regularization: float
    window: tuple[int, int]
    order: int
    splits: str
    category_smoothing: float
    least_weight: float
    leaf_values: str
    learning_rate: float
    largest_step: float
    most_halvings: int
    missing: str
    scale_gain: bool
    n_surrogates: int
    either_polarity: bool
    all_missing: str
    unseen_missing: str
    pseudo_likelihood_iterations: int
    row_fraction: float
    feature_fraction: float
    influence_trimming: float
    sampling_seed: int
    n_threads: int
    transitions: str
    label_dictionary: str | None
    beam: int | None
    criterion: Criterion
    unit: float = 1.0
    """What a weight of 1 stands for in training (`treecrf.io.weighted.in_units`)."""

    # --- trees --------------------------------------------------------------------------------------

    @property
    def newton(self) -> bool:
        """Whether rows weigh the curvature of the log likelihood there, instead of 1."""
        return self.leaf_values == "newton"

    @property
    def most_gradient(self) -> int:
        """The largest absolute sum of gradients of one label over the states of a position; Newton leaves need all bits."""
        if self.newton and not self.pseudo_likelihood_iterations:
            return 1
        return self.order + 1 if self.sees_labels else 1

    @property
    def split_params(self) -> SplitParams:
        """Split and leaf parameters."""
        missing = {"default_direction": EITHER_SIDE, "incorporated": INCORPORATED}.get(self.missing, UNKNOWN)
        return SplitParams(
            self.l2_regularization / self.unit, self.least_weight / self.unit, self.category_smoothing / self.unit, missing,
            float(self.largest_step) if self.newton else np.inf, float(self.learning_rate),
        )  # fmt: skip

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
        """Whether trees are grown with rows that divide: where no cell is missing, none does, and there are no surrogates to look for.

        Trees on whole rows are then the same, to the last bit.
        """
        return self.missing not in WHOLE_ROWS and (train.has_missing or self.missing == "surrogate_splitting")

    def feature_types(self, attributes: Sequence[Attribute]) -> NDArray[np.int8]:
        """Types of the columns, slots and then previous labels (`treecrf.trees.splitting`), shape (n_slots + order,)."""
        of_labels = SPLITS[self.splits]
        slots = window_slots(attributes, self.window)
        of_slots = [ORDERED if attributes[slot.attribute].ordered else of_labels for slot in slots]
        return np.array(of_slots + [of_labels] * self.order, dtype=np.int8)

    # --- iterations ---------------------------------------------------------------------------------

    def criterion_of(self, iteration: int) -> Criterion:
        """What an iteration follows."""
        return "pseudo-likelihood" if iteration < self.pseudo_likelihood_iterations else self.criterion

    @property
    def halvings(self) -> int:
        """How often an iteration is halved, at most; beams differ, so that their likelihoods are not compared."""
        return self.most_halvings if self.newton and self.beam is None else 0

    def draw_positions(self, n_positions: int, iteration: int) -> NDArray[np.int32]:
        """Draw the positions that the trees of an iteration see, int32, shape (n,), ascending, without replacement."""
        if self.row_fraction == 1.0:
            return np.arange(n_positions, dtype=np.int32)
        rng = np.random.default_rng([self.sampling_seed, _POSITIONS, iteration])
        drawn = np.zeros(n_positions, dtype=np.bool_)
        drawn[rng.choice(n_positions, _share(self.row_fraction, n_positions), replace=False, shuffle=False)] = True
        return np.flatnonzero(drawn).astype(np.int32)

    @property
    def trees_see_all(self) -> bool:
        """Whether the trees of an iteration see the same rows and columns, whatever their label."""
        return self.feature_fraction == 1.0 and self.influence_trimming == 0.0

    def draw_columns(self, n_columns: int, iteration: int, label: int) -> NDArray[np.bool_]:
        """Draw the columns whose tests each node of a tree may be split by, without replacement.

        Returns bool, shape (2 * max_leaves - 1, n_columns): the root first, then the two children of each split. There are
        no rows if every node may test all columns.
        """
        if self.feature_fraction == 1.0:
            return np.ones((0, n_columns), dtype=np.bool_)
        rng = np.random.default_rng([self.sampling_seed, _COLUMNS, iteration, label])
        permutations = rng.random((2 * self.max_leaves - 1, n_columns)).argsort(axis=1)
        return permutations < _share(self.feature_fraction, n_columns)

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
        """The setting that asks for it."""
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
                f"influence_trimming={self.influence_trimming!r}: rows have no such influence on the pseudo-likelihood; give 0 "
                "or set pseudo_likelihood_iterations=0."
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
                    "separable transitions and a label_dictionary take weights by sequence alone; leave them at their defaults, or "
                    "give each sequence one weight and leave class_weight out."
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


def _share(fraction: float, number: int) -> int:
    """The nearest whole number to a part of some things, but at least one."""
    return max(round(fraction * number), 1)
