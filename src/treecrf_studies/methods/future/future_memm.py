"""MEMM and TreeCRF that discover what later observations say about a label (PhD section 5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf import chain
from treecrf.compiled import struct as rules
from treecrf.compiled.struct import Float64, Int64
from treecrf.estimators.checks import (
    ANY_NUMBER,
    FINITE,
    FLAG,
    N_BINS,
    NOT_NEGATIVE,
    PART,
    PARTS,
    POSITIVE,
    SECONDS,
    SEED,
    SIZE,
    WINDOW,
    named,
    optional,
    whole,
)
from treecrf.inputs.binning import MOST_BINS
from treecrf.io.messages import counted
from treecrf.models.base import Monitor, named_arrays, prefixed, refuse_rest, take_declared, take_prefixed
from treecrf.models.boosted.potentials import staged_potentials
from treecrf.models.boosted.treecrf import TreeCRF, normalize_locally
from treecrf.models.chains import ChainLabeller
from treecrf.models.inputs import Inputs, check_set, check_training_set, refuse_missing, refuse_weights
from treecrf.models.persistence import rebuild_part
from treecrf.sequences import Attribute, SequenceSet, slot_sizes
from treecrf.statistics.selection import hold_out
from treecrf.trees.forest import MAX_LEAVES, Evaluator, Forest, Tree, forest_limits, join_trees
from treecrf_studies.methods.future.features import (
    Bags,
    LearntFeatures,
    as_arrays,
    columns_of,
    cut_attributes,
    cut_windows,
    final_attributes,
    from_arrays,
    thermometer,
    with_features,
)

if TYPE_CHECKING:
    from treecrf.estimators.conversion import Groups, Labels, Sequences


@dataclass(eq=False, repr=False)
class FutureFeatureMEMM(ChainLabeller):
    """Maximum entropy Markov model with future features (FF-MEMM, PhD section 5.3).

    ``P(y_t | y_{t-1} .. y_{t-k}, w_t, B_t)`` is the normalized exponential of one score for each label. Scores are sums
    of regression trees over the window, the previous labels and the future features found so far (the first option of
    section 5.3.2), and of ``eta Q(B_t)`` for each future feature, where Q is the probability that one of the next
    instances shows a pattern (the second option). A pattern is a sum of trees G over one instance, learnt as in
    multiple-instance learning: ``Q = 1 - prod_j (1 - 1 / (1 + exp -G(x_{t+j})))``. Trees are added until the
    likelihood of a validation set no longer rises, then a feature is learnt, and so on, until a feature does not help.

    Parameters
    ----------
    n_iterations : int
        Most changes of the scores: one tree for each score, or the features of one round.
    max_leaves : int
        Most leaves of a tree over local features.
    max_lower_leaves : int, optional
        Most leaves of a tree over one instance; the same as `max_leaves` unless given.
    window : (int, int)
        Observations before and after the position that the local trees see.
    order : int
        Number of previous labels that the local trees see.
    bag : int, optional
        Number of later instances that a future feature looks at, fewer at the end of a sequence; None: all that come.
    instance_window : (int, int)
        Observations before and after an instance that are part of it.
    g0 : float
        G before its first tree; the dissertation advises a negative number (section 5.4.1).
    n_bins : int
        Bins of the thermometer code in which trees see Q.
    max_lower_iterations : int
        Most trees of one pattern.
    alpha_upper, beta_upper, eta_upper : float
        Upper bounds of the line searches for the weight of a tree, of a pattern's tree, and of Q.
    eta_start : float
        The weight of Q while its pattern is learnt, before a line search sets it; the text does not say which. A small
        one makes patterns sharp (Q near 0 or 1); a large one is fitted by a blunt Q.
    l2_regularization : float
        The lambda of equation 3.1, for all trees.
    each_label : bool
        Whether every label has a score and future features of its own (section 6.2); else two labels share one score,
        that of the second, as in the dissertation.
    patience : int
        Trees that may be added without a rise of the validation likelihood.
    tolerance : float
        Least such rise, relative to the validation log likelihood: trees may raise it a little for ever.
    held_out : float
        Part of the training sequences that `fit` holds out as a validation set, unless it is given one.
    unseen : "missing" or "error"
        What to do with categories that the training set did not have.
    random_state : int, optional
        Seed of the draw of `held_out`.
    number_bins : int
        Most bins that a number is cut into (`treecrf.inputs.binning.Binner`).
    min_count : int
        Categories that the training set has less often become one (`treecrf.models.inputs.Inputs`).

    Attributes
    ----------
    features_ : tuple of FutureFeature
        In the order of discovery.
    forest_ : Forest
        The local trees, weighted.
    stages_ : dict of arrays, one entry for each change of the scores
        "n_features": future features it added (0: trees); "step": alpha, or eta; "log_likelihood" and
        "validation_log_likelihood" after it.
    lower_steps_ : float64
        beta of all patterns' trees.
    reach_ : dict
        For "alpha", "beta" and "eta": the lowest upper bound with which `fit` would have found the same.
    seconds_ : dict
        CPU seconds of `fit` by phase: "trees", "features".
    """

    n_iterations: int = 60
    max_leaves: int = 10
    max_lower_leaves: int | None = None
    window: tuple[int, int] = (0, 0)
    order: int = 1
    bag: int | None = 6
    instance_window: tuple[int, int] = (0, 0)
    g0: float = -5.0
    n_bins: int = 20
    max_lower_iterations: int = 10
    alpha_upper: float = 40.0
    beta_upper: float = 1e5
    eta_upper: float = 20.0
    eta_start: float = 0.25
    l2_regularization: float = 0.0
    each_label: bool = True
    patience: int = 5
    tolerance: float = 1e-3
    held_out: float = 1 / 3
    unseen: str = "missing"
    random_state: int | None = None
    number_bins: int = MOST_BINS
    min_count: int = 1

    _fitted_arrays: ClassVar = {"forest": Forest}
    _fitted_values: ClassVar = {"seconds": SECONDS, "reach": named(ANY_NUMBER)}

    _parameter_constraints: ClassVar = {
        "n_iterations": SIZE,
        "max_leaves": whole(2, MAX_LEAVES),
        "max_lower_leaves": optional(whole(2, MAX_LEAVES)),
        "order": whole(0),
        "bag": optional(SIZE),
        "instance_window": WINDOW,
        "g0": FINITE,
        "n_bins": whole(2),
        "max_lower_iterations": whole(0),
        "alpha_upper": POSITIVE,
        "beta_upper": POSITIVE,
        "eta_upper": POSITIVE,
        "eta_start": POSITIVE,
        "l2_regularization": NOT_NEGATIVE,
        "each_label": FLAG,
        "patience": SIZE,
        "tolerance": NOT_NEGATIVE,
        "held_out": PART,
        "random_state": optional(SEED),
        "number_bins": N_BINS,
    }

    # --- training -----------------------------------------------------------------------------------

    def fit(
        self,
        X: Sequences,
        y: Labels = None,
        *,
        sample_weight: ArrayLike | None = None,
        groups: Groups = None,
        lengths: ArrayLike | None = None,
        monitor: Monitor | None = None,
        verbose: bool | int = False,
        validation: SequenceSet | None = None,
    ) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X, y, groups, lengths, monitor, verbose
            As for `Labeller.fit`; a stage is a change of the scores.
        sample_weight
            Refused.
        validation : SequenceSet, optional
            Labelled sequences whose likelihood says when to stop; unless given, some of `X` are held out.

        Raises
        ------
        ValueError
            For unusable settings or data, in one sentence.
        """
        return self._fit_given(X, y, sample_weight, groups, lengths, monitor, verbose, validation=validation)

    def _fit(
        self,
        train: SequenceSet,
        sample_weight: ArrayLike | None,
        monitor: Monitor | None,
        validation: SequenceSet | None = None,
    ) -> None:
        from treecrf_studies.methods.future.training import (  # kernels are loaded for training alone
            FutureTraining,
            Limits,
        )

        refuse_weights(self, sample_weight)
        check_training_set(train)
        refuse_missing(train)
        if not self.each_label and len(train.label_names) != 2:
            raise ValueError(
                f"each_label=False needs two labels and there are {len(train.label_names)}; set it to True."
            )
        if validation is None:
            train, validation = self._hold_out(train)
        check_set(validation)
        refuse_missing(validation)
        self.inputs_, self.label_names_ = self._learn_inputs(train), train.label_names
        space = chain.StateSpace(len(train.label_names), self.order)
        names = [name for name in Limits._fields if name != "max_lower_leaves"]
        limits = Limits(
            **{name: getattr(self, name) for name in names},
            max_lower_leaves=self.max_leaves if self.max_lower_leaves is None else self.max_lower_leaves,
        )
        seconds = {"trees": 0.0, "features": 0.0}
        training = FutureTraining(
            self._side(train, space), self._side(validation, space), space, self._learnt, limits, seconds, monitor
        )
        stages = training.run()
        self.features_ = tuple(feature for stage in stages for feature in stage.features)
        cut = cut_windows(self.align_inputs(train.select([0]), self.unseen), self.window)
        n_slots = len(cut.attributes) + sum(len(feature.thresholds) for feature in self.features_)
        self.forest_ = join_trees(
            [_renumber_labels(tree, stage.n_slots, n_slots) for stage in stages for tree in stage.trees]
        )
        self.stages_ = {
            "n_features": np.array([len(stage.features) for stage in stages], dtype=np.int64),
            **{name: np.array([getattr(s, name) for s in stages], dtype=np.float64) for name in _STAGE_NUMBERS},
        }
        self.lower_steps_ = np.array([step for stage in stages for step in stage.lower_steps], dtype=np.float64)
        self.reach_, self.seconds_ = training.reach, seconds

    def _learn_inputs(self, train: SequenceSet, weights: NDArray[np.float64] | None = None) -> Inputs:
        return Inputs.learn(train, self.number_bins, self.min_count)

    @property
    def _learnt(self) -> tuple[int, ...]:
        """Labels that have a score; the score of the others is 0."""
        return tuple(range(len(self.label_names_))) if self.each_label else (1,)

    def _hold_out(self, train: SequenceSet) -> tuple[SequenceSet, SequenceSet]:
        n_groups = len(np.unique(train.groups))
        if not 0 < round(self.held_out * n_groups) < n_groups:
            raise ValueError(
                f"held_out={self.held_out!r} of {counted(len(train), 'sequence')} leaves none to train or none to "
                "validate with; give fit a validation set or more sequences."
            )
        fitted, validating = hold_out(train.groups, self.held_out, self.random_state or 0)
        return train.select(fitted), train.select(validating)

    def _side(self, data: SequenceSet, space: chain.StateSpace) -> Any:
        from treecrf_studies.methods.future.training import Side

        aligned, labels = self.align_inputs(data, self.unseen), self.align_labels(data)
        return Side(
            cut_windows(aligned, self.window),
            Bags(aligned, self.bag, self.instance_window),
            labels.copy(),
            chain.state_sequence(labels, data.offsets, space.n_labels, space.order),
            np.zeros((data.n_positions, space.n_labels)),
        )

    # --- prediction ---------------------------------------------------------------------------------

    def future_features(self, data: SequenceSet) -> NDArray[np.float64]:
        """Q of every future feature at every position, float64, shape (n_positions, n_features)."""
        bags = self._bags(data)
        values = [bags.probabilities(bags.scores(feature)) for feature in self.features_]
        return np.array(values).reshape(-1, data.n_positions).T

    def instance_scores(self, data: SequenceSet) -> NDArray[np.float64]:
        """G of every future feature for every observation, float64, shape (n_observations, n_features)."""
        bags = self._bags(data)
        return np.array([bags.scores(feature) for feature in self.features_]).reshape(-1, len(data.values)).T

    def _bags(self, data: SequenceSet) -> Bags:
        return Bags(self.align_inputs(data, self.unseen), self.bag, self.instance_window)

    def add_features(self, data: SequenceSet) -> SequenceSet:
        """Windows as single observations, with the thermometer codes of all future features as further attributes.

        Any labeller can be trained on them, with ``window=(0, 0)``.
        """
        features = self.future_features(data)
        bits = [thermometer(features[:, i], feature.thresholds) for i, feature in enumerate(self.features_)]
        return with_features(cut_windows(self.align_inputs(data, self.unseen), self.window), bits)

    @property
    def reach(self) -> tuple[int, int]:
        raise ValueError(f"{type(self).__name__} labels no streams, as it looks at later observations; leave lag out.")

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        n_stages = len(self.stages_["step"])
        every = every or max(n_stages, 1)
        aligned = self._aligned(data)
        features, columns = self.future_features(aligned), columns_of(self.add_features(aligned))
        space = chain.StateSpace(len(self.label_names_), self.order)
        evaluator = Evaluator(columns, space.labels_of_state, self.forest_.most_leaves)
        scores = np.zeros((space.n_labels, data.n_positions, space.n_states))
        tree = feature = 0
        for stage, n_features in enumerate(self.stages_["n_features"], start=1):
            if n_features:
                for _ in range(n_features):
                    label, weight = self.features_[feature].label, self.features_[feature].weight
                    scores[label] += weight * features[:, [feature]]
                    feature += 1
            else:
                for label in self._learnt:
                    evaluator.add(self.forest_.tree(tree), scores[label])
                    tree += 1
            if stage % every == 0:
                yield normalize_locally(scores)
        if not n_stages:
            yield normalize_locally(scores)

    # --- settings and files -------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        values, arrays = super()._state()
        lower = join_trees([tree for feature in self.features_ for tree in feature.trees])
        learnt = {"lower_steps": self.lower_steps_, "lower": lower, "features": as_arrays(self.features_, self.n_bins)}
        return values, arrays | named_arrays(learnt, _LEARNT) | prefixed("stages", self.stages_)

    def _sizes(self) -> dict[str, Any]:
        final = final_attributes(cut_attributes(self.attributes_, self.window), self.features_)
        return super()._sizes() | self._forest_limits(final, self.order)

    def _forest_limits(self, attributes: tuple[Attribute, ...], order: int) -> dict[str, Any]:
        return forest_limits(slot_sizes(attributes, (0, 0)), len(self.label_names_), order)

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        limits = self._forest_limits(cut_attributes(self.attributes_, self.instance_window), 0)
        known = limits | {"n_labels": len(self.label_names_), "n_thresholds": self.n_bins - 1}
        learnt = take_declared(arrays, _LEARNT, known)
        self.lower_steps_ = learnt["lower_steps"]
        self.features_ = from_arrays(learnt["features"], learnt["lower"])
        super()._restore(values, arrays)
        of_stages = take_prefixed("stages", arrays)
        self.stages_ = take_declared(of_stages, _STAGES, {"n_counts": len(self.features_) + 1})
        refuse_rest(of_stages)
        n_features = self.stages_["n_features"]
        n_trees = np.count_nonzero(n_features == 0) * len(self._learnt)
        if n_features.sum() != len(self.features_) or n_trees != self.forest_.n_trees:
            raise ValueError("the stages have other numbers of features or trees")


_LEARNT = {
    "lower_steps": Annotated[Float64, "n_lower_trees", rules.FINITE],
    "lower": Forest,
    "features": LearntFeatures,
}
_STAGE_NUMBERS = ("step", "log_likelihood", "validation_log_likelihood")
_STAGES = {
    "n_features": Annotated[Int64, "n_stages", rules.below("n_counts")],
    **dict.fromkeys(_STAGE_NUMBERS, Annotated[Float64, "n_stages", rules.NOT_INFINITE]),
}


def _renumber_labels(tree: Tree, n_slots: int, n_final_slots: int) -> Tree:
    """Tests of previous labels come after all slots: give them their number among the slots of the final model."""
    columns = np.where(tree.columns >= n_slots, tree.columns + (n_final_slots - n_slots), tree.columns)
    return tree._replace(columns=columns.astype(np.int32))


class FutureFeatureTreeCRF(FutureFeatureMEMM):
    """TreeCRF whose potentials see future features too (not in the dissertation; an open problem of its section 6.2).

    A `FutureFeatureMEMM` with the same settings discovers the features; then a `TreeCRF` of the same order is trained
    on the whole training set, whose windows have the features' thermometer codes as further attributes.

    Parameters
    ----------
    crf_iterations, crf_max_leaves, crf_l2_regularization
        ``n_iterations``, ``max_leaves`` and ``l2_regularization`` of the `TreeCRF`.
    **discovery
        The settings of `FutureFeatureMEMM`.

    Attributes
    ----------
    crf_ : TreeCRF
        Trained on what `add_features` gives. The other attributes are those of `FutureFeatureMEMM`.
    """

    crf_: TreeCRF
    _parameter_constraints: ClassVar = {
        **FutureFeatureMEMM._parameter_constraints,
        "crf_iterations": SIZE,
        "crf_max_leaves": whole(2, MAX_LEAVES),
        "crf_l2_regularization": NOT_NEGATIVE,
    }

    def __init__(
        self, crf_iterations: int = 100, crf_max_leaves: int = 10, crf_l2_regularization: float = 20.0, **discovery: Any
    ) -> None:
        super().__init__(**discovery)
        self.crf_iterations = crf_iterations
        self.crf_max_leaves = crf_max_leaves
        self.crf_l2_regularization = crf_l2_regularization

    def _fit(
        self,
        train: SequenceSet,
        sample_weight: ArrayLike | None,
        monitor: Monitor | None,
        validation: SequenceSet | None = None,
    ) -> None:
        super()._fit(train, sample_weight, None, validation)
        self.crf_ = self._make_crf().fit(self.add_features(train), monitor=monitor)

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        # what is missing now is a category that training did not name: `_aligned` has refused missing cells
        features = self.crf_.align_inputs(self.add_features(self._aligned(data)), self.crf_.unseen)
        return staged_potentials(self.crf_._learnt(), features, every or len(self.crf_.steps_))

    def _make_crf(self) -> TreeCRF:
        return TreeCRF(
            n_iterations=self.crf_iterations,
            max_leaves=self.crf_max_leaves,
            l2_regularization=self.crf_l2_regularization,
            order=self.order,
            missing="error",
        )

    _described: ClassVar = {"crf": PARTS}

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        values, arrays = super()._state()
        header, of_crf = self.crf_.contents()
        return values | {"crf": header}, arrays | prefixed("crf", of_crf)

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._restore(values, arrays)
        crf = rebuild_part(values["crf"], take_prefixed("crf", arrays), "the CRF", self.label_names_)
        if not isinstance(crf, TreeCRF) or crf.attributes_ != final_attributes(
            cut_attributes(self.attributes_, self.window), self.features_
        ):
            raise ValueError("the CRF is another one")
        self.crf_ = crf
