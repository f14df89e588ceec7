"""`TreeCRF`: a conditional random field whose potentials are sums of regression trees."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf import chain
from treecrf.compiled.struct import FINITE, SHARES, SOME_IN_EACH_ROW, TRUTH, WEIGHTS, Bool, Float64
from treecrf.estimators.checks import (
    FLAG,
    SECONDS,
    Check,
)
from treecrf.io.arrays import in_units
from treecrf.io.messages import counted
from treecrf.io.process import check_memory
from treecrf.models.boosted.boosting import (
    Checkpoint,
    Progress,
    Training,
    boost,
    fingerprint,
    join_iterations,
    split_iterations,
)
from treecrf.models.boosted.lattice import LatticeTraining
from treecrf.models.boosted.params import SHAPE, BoostingParams, BoostingSettings, Criterion, has_shape
from treecrf.models.boosted.potentials import (
    BoostedPotentials,
    Candidates,
    learn_dictionary,
    make_candidates,
    make_flat_forest,
    n_symbols,
    staged_lattices,
    staged_potentials,
)
from treecrf.models.boosted.training import DenseTraining, training_bytes
from treecrf.models.chains import ChainLabeller, Chains
from treecrf.models.execution import Monitor, Workers, draw_start
from treecrf.models.inputs import refuse_missing, shares_of
from treecrf.sequences import Attribute, SequenceSet, slot_sizes, window_slots
from treecrf.trees.flat import FlatForest
from treecrf.trees.forest import Forest, forest_limits

if TYPE_CHECKING:
    from treecrf.estimators.conversion import Groups, Labels, Sequences

_LESS = "train on fewer sequences, or lower the order, the number of labels, the window or max_leaves"


@dataclass(eq=False, repr=False)
class TreeCRF(BoostingSettings, ChainLabeller):
    """Conditional random field trained by functional gradient tree boosting (PhD tables 3.1 and 3.3).

    Each iteration grows one regression tree for each label y on the functional gradient of the log likelihood
    with respect to the potential ``F^y(y_{t-1} .. y_{t-k}, w_t)`` and adds it to that potential. A tree tests
    one window slot, or one previous label.

    Parameters
    ----------
    n_iterations : int
        Number of boosting iterations.
    max_leaves : int
        Most leaves of a tree, at least 2.
    l2_regularization : float
        The lambda of equation 3.1: leaf value ``sum(gradients) / (lambda + n)``, and the same penalty in the
        gain of a split. 0 gives the original algorithm, limited by `max_leaves` alone.
    window : (int, int)
        Observations before and after the position that the potentials see.
    order : int
        Number of previous labels that the potentials see; 0 labels every position by itself.
    splits : "one_vs_rest" or "subsets"
        What a test asks of a category or a previous label: whether it is one of them, as in the papers, or one of a set
        (Breiman et al. 1984, section 4.2.2; see `treecrf.trees.splitting`). An ordered attribute is always split by a
        threshold.
    category_smoothing : float
        Added to the weight of a category when categories are sorted to find sets: the larger, the nearer to the middle
        stand rare ones. 0 finds the set that gains most, as long as `least_weight` is 0 and missing does not only join
        sides.
    least_weight : float
        What the rows on each side of a split must weigh, at least: their number, or with Newton leaves the sum of
        their ``p (1 - p)``.
    leaf_values : "gradient" or "newton"
        ``G / (lambda + N)`` as in the papers, N being the number of the leaf's rows; or a Newton step, N being the sum
        of their ``p (1 - p)`` (Friedman, Hastie and Tibshirani 2000), clipped to `largest_step`. The gain of a split
        uses the same N.
    learning_rate : float
        What leaf values are multiplied by, above 0 and at most 1.
    largest_step : float
        To which the value of a Newton leaf is clipped, before the learning rate.
    most_halvings : int
        How often, at most, the Newton leaves of an iteration are halved because the iteration lowers the log likelihood
        of the training set, as it may where labels stay the same for long: Newton leaves leave the curvature between
        rows out.
    missing : "auto", "error", "instance_weighting", "surrogate_splitting", "default_direction" or "incorporated"
        "auto": "instance_weighting", or "incorporated" with separable transitions, a label dictionary or a beam. What
        to do with missing cells in training and prediction: refuse them, or, where a tested cell is missing, send the
        row to both sides with weights in proportion to the known rows there (PhD section 4.2); or where the best known
        surrogate test says (section 4.3); or to one side that training found to gain more; or let tests ask for
        "missing" too, by itself or with other codes (Twala et al. 2008). Without missing cells all of them grow the
        same trees, but for ties of "incorporated" where `influence_trimming` is used. An attribute that is missing
        everywhere is never tested.
    scale_gain : bool
        Whether instance weighting and surrogate splitting multiply a test's gain by the share of the node's rows
        for which its outcome is known, as C4.5 does.
    n_surrogates : int
        Most surrogates of a split.
    either_polarity : bool
        Whether the opposite of a test may be a surrogate too.
    all_missing : "majority" or "both"
        Where a row goes if all surrogates are missing too: to the side with more of the known rows, or to both as
        in instance weighting.
    unseen_missing : "majority" or "both"
        The same for a default direction that no row in training could show.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, count it as
        missing (with ``missing="error"``: let it fail every test), or refuse it.
    pseudo_likelihood_iterations : int
        So many first iterations follow the gradient of the pseudo-likelihood (ICML 2004, section 3).
    row_fraction : float
        Share of the training positions that the trees of an iteration are grown from, drawn again for each iteration
        without replacement (Friedman 2002; PhD section 3.3). The potentials of all are updated.
    feature_fraction : float
        Share of the window slots and previous labels whose tests may split a node, drawn again for each node as in
        random forests (Breiman 2001; PhD section 6.2). Surrogates are sought in all slots.
    influence_trimming : float
        The rows (position, state) of least influence that a tree leaves out have at most this share of all influence
        (Friedman 2001, sections 4.5.1 and 4.6; PhD section 3.3; see `treecrf.trees.packing.trim_rows`).
    sampling_seed : int
        The drawings depend on it and on the iteration alone.
    random_state : int or None
        None starts from F = 0. A seed starts from F^y(states) drawn from a normal distribution with standard
        deviation `start_noise`: near ties between splits fall otherwise, which shows how much of an accuracy
        is chance.
    start_noise : float
        Standard deviation of the perturbed start.
    n_threads : int
        Threads of `fit`; any number gives the same bits.
    warm_start : bool
        Whether `fit` continues from the trees it has, up to `n_iterations`, instead of starting again. On the same
        set the result equals that of one longer run to the bit. Another set is seen as in prediction, with the inputs
        and labels of the first one; `log_likelihood_history_` continues with that of the new set.
    transitions : "full" or "separable"
        Whether trees look at previous labels, too; or at the window alone, and labels follow each other by a matrix of
        transitions, which is learnt by Newton steps: many times cheaper for many labels. Separable needs order 1.
    label_dictionary : "centre", name of an attribute, or None
        A position may have the labels alone that training has seen with its symbol of the attribute ("centre": the only
        attribute), all if it has not seen the symbol. Time and memory follow the labels, or the pairs of labels, that
        are possible.
    beam : int or None
        Forward-backward keeps so many labels of each position, those with most forward mass, and in training the true
        one; all others have probability 0 (Pal, Sutton and McCallum 2006; in Hao's thesis in place of
        forward-backward). None keeps all. Steps are not halved, as beams differ between iterations.
    n_bins, min_count, anchors, class_weight : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    forest_ : Forest
        The trees, label by label within iteration.
    start_ : float64, shape (n_labels, n_states)
        The potentials at the start.
    log_likelihood_history_ : float64, shape (n_iterations + 1,)
        Training log likelihood (pseudo-likelihood in such iterations) after 0, 1, .. iterations, weighted as training
        was.
    steps_ : float64, shape (n_iterations,)
        What the leaf values of each iteration were multiplied by: 1, or less after halvings.
    seconds_ : dict
        CPU seconds of `fit` by phase: "windows", "gradient", "trees", "update".
    shape_ : dict
        The window, the order and the treatment of missing cells that the trees were grown for.
    flat_ : FlatForest or None
        The flat form of the trees, where `flattened` made one.
    """

    takes_unknown_labels = True
    takes_weights = True

    _criterion: ClassVar[Criterion] = "likelihood"

    _fitted_arrays: ClassVar = {
        "forest": Forest,
        "start": Annotated[Float64, "n_labels, n_states", WEIGHTS],
        "steps": Annotated[Float64, "n_iterations", SHARES],
        "log_likelihood_history": Annotated[Float64, "n_iterations + 1", FINITE],
        "transitions": Annotated[Float64, "n_iterations, n_transitions, n_transitions_before", WEIGHTS],
        "dictionary": Annotated[Bool, "n_symbols, n_labels", TRUTH, SOME_IN_EACH_ROW],
    }
    _fitted_values: ClassVar = {"seconds": SECONDS, "shape": Check(has_shape, f"give {', '.join(SHAPE)}")}
    _described: ClassVar = {"flat": FLAG}

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
        checkpoint: Checkpoint | str | os.PathLike[str] | None = None,
    ) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
            With labels, some of which may not be known (`MISSING`): the likelihood sums over all that complete the
            known ones (Tsuboi et al. 2008), while order 0 and a `MEMM` leave out positions whose label, or one that
            they look at, is not known. At least two label names.
        y, groups, lengths, monitor, verbose
            As for `Labeller.fit`.
        sample_weight : array_like of float, shape (n_sequences,) or (n_positions,), optional
            By sequence, what multiplies its log likelihood: a weight of 2 is the sequence twice, 0 leaves it out. By
            position, what multiplies its share ``log P(y_t | y_1 .. y_{t-1}, X)`` (`treecrf.models.inputs`).
        checkpoint : Checkpoint or path, optional
            Where to write the training's state every 30 seconds (see `treecrf.models.boosted.boosting`). If the file
            holds that of the same training, it continues from there: same bits, same calls of `monitor`, seconds
            counted on.

        Raises
        ------
        ValueError
            For unusable settings or data, in one sentence.
        """
        return self._fit_given(X, y, sample_weight, groups, lengths, monitor, verbose, checkpoint=checkpoint)

    def _fit(
        self,
        train: SequenceSet,
        sample_weight: ArrayLike | None,
        monitor: Monitor | None,
        checkpoint: Checkpoint | str | os.PathLike[str] | None = None,
    ) -> Training:
        params, going_on = self.boosting_params(), self.warm_start and hasattr(self, "forest_")
        train, weights = self._examples(train, sample_weight)
        params.check_training_data(train, weights)
        self._refuse_missing(train)
        if going_on:
            self._check_continuation()
            inputs, train = self.inputs_, self._as_before(train)
        else:
            inputs = self._learn_inputs(train, weights)
            train = inputs.apply(train, "error")
        n_labels = len(train.label_names)
        n_states = chain.StateSpace(n_labels, self.order).n_states
        start = self.start_ if going_on else draw_start((n_labels, n_states), self.random_state, self.start_noise)
        dictionary = learn_dictionary(train, self.label_dictionary, self.dictionary_ if going_on else None)
        candidates = self._candidates(train, dictionary)
        what = f"training on {counted(train.n_positions, 'position')} with {counted(n_labels, 'label')}"
        check_memory(training_bytes(params, train, candidates), what, _LESS)

        scaled = weights
        if weights is not None:
            unit, scaled = in_units(weights)
            params = replace(params, unit=unit)
        with Workers(self.n_threads) as workers:
            training: Training = (
                DenseTraining(params, train, start, workers, scaled)
                if candidates is None
                else LatticeTraining(params, train, candidates, start, workers, scaled)
            )
            progress = Progress([], [], workers.seconds, [], [])
            if going_on:
                progress.iterations.extend(split_iterations(self.forest_, self.transitions_))
                progress.log_likelihoods.extend(self.log_likelihood_history_[:-1])
                progress.steps.extend(self.steps_)
            note = None
            if checkpoint is not None:
                checkpoint = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
                note = checkpoint.note
                mark = fingerprint(type(self).__name__, self.get_params(deep=False), train, start, progress, weights)
                sizes = self._tree_sizes(train.attributes, n_labels)
                progress = checkpoint.begin(mark, sizes) or progress
            boost(training, progress, params, workers, monitor, note)

        history = np.array(progress.log_likelihoods)
        if not np.isfinite(history).all():
            broken = int(np.flatnonzero(~np.isfinite(history))[0])
            raise ValueError(
                f"potentials left the range of floating point at iteration {broken}; "
                "raise l2_regularization or lower n_iterations."
            )
        self.inputs_, self.label_names_ = inputs, train.label_names
        self.start_: NDArray[np.float64] = start
        self.forest_: Forest
        self.transitions_: NDArray[np.float64]
        self.forest_, self.transitions_ = join_iterations(progress.iterations)
        self.dictionary_: NDArray[np.bool_] = dictionary
        self.flat_: FlatForest | None = None
        self.shape_: dict[str, Any] = params.shape()
        self.log_likelihood_history_: NDArray[np.float64] = history
        self.steps_: NDArray[np.float64] = np.array(progress.steps)
        self.seconds_ = progress.seconds
        return training

    def fit_predict_proba(self, train: SequenceSet) -> NDArray[np.float64]:
        """See `Labeller`: where potentials are known when training ends, up to rounding, no tree is evaluated again."""
        self._check_settings()
        marginals = self._fit(train, None, None).marginals()
        if marginals is None or len(marginals) < train.n_positions:  # sequences that say nothing are left out
            return self.predict_proba(train)
        return marginals

    def boosting_params(self) -> BoostingParams:
        """The settings that training and predictions take, and the criterion that the class follows."""
        return BoostingParams(**self.get_params(deep=False), criterion=self._criterion).settled()

    def expected_memory(self, train: SequenceSet) -> int:
        """Approximate peak memory of `fit` in bytes; nothing is trained."""
        self._check_settings()
        train = self._learn_inputs(train).apply(train, "error")
        candidates = self._candidates(train, learn_dictionary(train, self.label_dictionary))
        return training_bytes(self.boosting_params(), train, candidates)

    def _candidates(self, train: SequenceSet, dictionary: NDArray[np.bool_]) -> Candidates | None:
        """The labels that positions may have, where training is on a lattice."""
        is_lattice = self.boosting_params().uses_lattice
        return make_candidates(train, dictionary, self.label_dictionary) if is_lattice else None

    # --- warm start ---------------------------------------------------------------------------------

    def _check_continuation(self) -> None:
        """Refuse settings with which the training cannot go on."""
        done = len(self.steps_)
        if self.n_iterations < done:
            raise ValueError(
                f"n_iterations={self.n_iterations}, but {done} are done; raise it or set warm_start=False."
            )
        self.boosting_params().check_shape(self.shape_, self.shape_, "set it back or set warm_start=False")

    def _as_before(self, train: SequenceSet) -> SequenceSet:
        """A set to continue on, with the inputs and the label codes of the training so far."""
        aligned = self.align_inputs(train, self.unseen)
        if self.missing == "error" and aligned.has_missing:
            raise ValueError(
                "the set has categories that the training so far did not have, for which missing='error' has no place; "
                "leave their sequences out, or train again with warm_start=False."
            )
        return aligned.with_labels(self.align_labels(train, unknown=True), self.label_names_)

    # --- trees --------------------------------------------------------------------------------------

    def flattened(self) -> Self:
        """A copy that labels faster: its trees are turned into one flat vector of weights (PhD sections 3.5.3, 6.1).

        Potentials are equal up to the order of sums. Staged predictions, and those of sets with missing cells that
        divide rows, go on from the trees; a new `fit` drops the flat form, a saved file remembers it.

        Raises
        ------
        ValueError
            If the trees look at previous labels with a label dictionary or a beam.
        """
        flat = copy.copy(self)
        flat.flat_ = make_flat_forest(self._learnt(), self.attributes_)
        return flat

    def split_gains(self) -> NDArray[np.float64]:
        """Total gain of the splits on each input at each distance (Breiman et al. 1984; Friedman 2001, section 8.1).

        The gain of a split is the decrease of the squared error that its leaf values give (PhD section 3.2), or with
        Newton leaves twice the rise of the log likelihood by a second-order step.

        Returns
        -------
        float64, shape (n_attributes, n_places)
            In the order of ``attributes_``, and of the distances ``-window[0]`` to ``window[1]`` from the position; an
            anchored attribute has what it gains at distance 0.
        """
        self._check_fitted()
        slots = window_slots(self.attributes_, self.window)
        sums = np.bincount(self.forest_.columns, self.forest_.gains, len(slots))
        gains = np.zeros((len(self.attributes_), sum(self.window) + 1))
        for slot, gain in zip(slots, sums, strict=False):  # sums of previous labels follow
            gains[slot.attribute, slot.distance + self.window[0]] = gain
        return gains

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The gain of all splits on each input, as a share of that on all inputs; in the order of `feature_names_in_`.

        Splits on anchored attributes belong to no input.
        """
        return shares_of(self.split_gains()[: len(self.inputs_.sources)].sum(axis=1))

    # --- prediction ---------------------------------------------------------------------------------

    def _learnt(self) -> BoostedPotentials:
        """What predictions take of a fitted labeller."""
        self._check_fitted()
        return BoostedPotentials(
            self.boosting_params(), self.start_, self.forest_, self.transitions_, self.dictionary_, self.flat_
        )

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        learnt, aligned = self._learnt(), self._aligned(data)
        if learnt.params.uses_lattice:
            raise ValueError(
                "potentials: with separable transitions, a label_dictionary or a beam they are kept in parts, not for "
                "all pairs of labels; see predict_proba and log_likelihood."
            )
        yield from staged_potentials(learnt, aligned, every or len(self.steps_))

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[Chains]:
        learnt = self._learnt()
        if learnt.params.uses_lattice:
            yield from staged_lattices(learnt, self._aligned(data), every or len(self.steps_))
        else:
            yield from super()._staged_chains(data, every)

    @property
    def reach(self) -> tuple[int, int]:
        if self.beam is not None:
            raise ValueError(
                f"beam={self.beam} labels no streams, as its labels depend on all observations before; leave lag out."
            )
        return super().reach

    def _refuse_missing(self, data: SequenceSet) -> None:
        if self.missing == "error":
            refuse_missing(data)

    # --- parts --------------------------------------------------------------------------------------

    def _check_settings(self) -> None:
        super()._check_settings()
        self.boosting_params().check()

    def _check_fitted(self) -> None:
        """Refuse to predict with other settings than those that the trees were grown for, too."""
        super()._check_fitted()
        self._check_shape()

    def _check_shape(self) -> None:
        """Refuse settings that the trees were not grown for."""
        names = (name for name in SHAPE if name != "n_surrogates")
        self.boosting_params().check_shape(self.shape_, names, "set it back or fit again")

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        values, arrays = super()._state()
        return values | {"flat": self.flat_ is not None}, arrays

    def _sizes(self) -> dict[str, Any]:
        return super()._sizes() | self._tree_sizes(self.attributes_, len(self.label_names_))

    def _tree_sizes(self, attributes: tuple[Attribute, ...], n_labels: int) -> dict[str, Any]:
        """What the rules of trees, transitions and dictionary name, for these inputs and labels."""
        params = self.boosting_params()
        order = self.order if params.sees_labels else 0
        n_states = chain.StateSpace(n_labels, self.order).n_states
        transitions = (0, 0) if params.sees_labels else (n_labels, n_labels + 1)
        return forest_limits(slot_sizes(attributes, self.window) + params.codes_missing, n_labels, order) | {
            "n_labels": n_labels,
            "n_states": n_states,
            "n_symbols": n_symbols(attributes, self.label_dictionary),
            "n_transitions": transitions[0],
            "n_transitions_before": transitions[1],
        }

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._restore(values, arrays)
        self._check_shape()
        if self.forest_.n_trees != len(self.steps_) * len(self.label_names_):
            raise ValueError(
                f"forest has {counted(self.forest_.n_trees, 'tree')} of {counted(len(self.steps_), 'iteration')}"
            )
        self.flat_ = None
        if values["flat"]:
            self.flat_ = make_flat_forest(self._learnt(), self.attributes_)


class MEMM(TreeCRF):
    """Maximum entropy Markov model (McCallum, Freitag and Pereira 2000) trained by tree boosting (PhD section 5.2).

    ``P(y_t | y_{t-1} .. y_{t-k}, w_t)`` is the normalized exponential of one sum of trees for each label, and a
    sequence's probability is the product over its positions. Training looks at the true previous labels; prediction
    runs the forward recursion over the directed chain, or Viterbi. Order 0 is the sliding window, the same model as
    ``TreeCRF(order=0)``.

    Parameters and attributes are those of `TreeCRF`; ``pseudo_likelihood_iterations`` must be 0. `potentials` gives
    ``log P(y | state, window)``.
    """

    _criterion: ClassVar[Criterion] = "local"

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        for potentials in super()._staged_potentials(data, every):
            yield normalize_locally(potentials)

    def _check_settings(self) -> None:
        super()._check_settings()
        setting = self.boosting_params().lattice_setting
        if setting is not None:
            raise ValueError(f"{setting}: a {type(self).__name__} has none; leave it at its default.")
        if self.pseudo_likelihood_iterations:
            raise ValueError(
                f"pseudo_likelihood_iterations={self.pseudo_likelihood_iterations!r}: a MEMM's likelihood is local "
                "already; give 0."
            )


@dataclass(eq=False, repr=False)
class SlidingWindow(MEMM):
    """The sliding window: every position by itself, a sum of regression trees for each label (PhD section 5.4).

    Parameters and attributes are those of `MEMM`, whose order is 0 here.
    """

    order: int = 0

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.order:
            raise ValueError(f"order={self.order!r}: a sliding window sees no previous label; give 0, or take a MEMM.")


def normalize_locally(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log P(y | state, window)`` from the scores of the labels, shape (n_labels, n_positions, n_states)."""
    relative = scores - scores.max(axis=0)
    return relative - np.log(np.exp(relative).sum(axis=0))
