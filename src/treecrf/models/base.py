"""Base of all labellers: settings, training, predictions, and what a file holds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.estimators.checks import (
    CLASS_WEIGHT,
    N_BINS,
    SECONDS,
    SIZE,
    UNSEEN,
    WINDOW,
    Check,
    check_params,
    optional,
)
from treecrf.estimators.conversion import BySequence, Given, count_empty
from treecrf.estimators.labels import storable_labels
from treecrf.estimators.routing import MetadataRequests
from treecrf.estimators.settings import Estimator
from treecrf.inputs.anchors import ANCHORS, AnchorSetting
from treecrf.inputs.binning import MOST_BINS
from treecrf.io.columns import Kind, Vocabulary
from treecrf.io.messages import counted, quoted
from treecrf.io.npz import check_npz_name, write_npz
from treecrf.models.decoding import (
    Constraints,
    Labelling,
    Limits,
    are_given,
    chain_lag,
    check_names,
    constrained_trellis,
    limits_of_set,
    refuse_lag,
)
from treecrf.models.execution import Monitor, reporting_monitor
from treecrf.models.fitted import Declared, named_arrays, take_declared
from treecrf.models.inputs import Inputs, align_labels, check_set, check_training_set, label_codes, refuse_missing
from treecrf.models.weights import ClassWeight, position_weights, refuse_weights, without_silent
from treecrf.sequences import MISSING, Attribute, SequenceSet
from treecrf.statistics.metrics import METRICS, SCIKIT_NAMES, sum_log_probabilities

if TYPE_CHECKING:  # kernels are loaded for predictions alone
    from treecrf.chain.n_best import NBest
    from treecrf.chain.trellis import Trellis
    from treecrf.estimators.conversion import Groups, Labels, Sequences
    from treecrf.models.streaming import LabelStream

Codes = NDArray[np.int16]
Floats = NDArray[np.float64]
Decoder = Literal["forward_backward", "viterbi"]
DECODERS: tuple[Decoder, ...] = ("forward_backward", "viterbi")

FORMAT = "treecrf.model/1"


class Labeller(MetadataRequests, Estimator):
    """A sequence labeller with the interface of a scikit-learn estimator.

    Its public methods take sequences in the forms of `treecrf.estimators.conversion` and limits of the labels; what they call
    sees sets alone. Subclasses take their settings as keyword arguments, store them unchanged, and implement `_train`,
    `_marginals`, `_log_likelihood`, `staged_predict`, `_state` and `_restore`, and where they need to `_viterbi`, `trellis` and `reach`.

    Attributes
    ----------
    n_bins : int
        Most bins that a number is cut into (`treecrf.inputs.binning.Binner`); few where each has a weight of its own.
    min_count : int
        Categories that the training set has less often become one; weights count (`treecrf.models.inputs.Inputs`).
    anchors : (int, int) or (int, int, tuple of str), optional
        Observations from the start and from the end of the sequence that every position sees, beside the distances of both
        ends; then attributes whose categories before the position are counted (`treecrf.inputs.anchors.Anchors`). None: none of
        these.
    class_weight : "balanced", mapping of str to float, or None
        What positions weigh by the name of their label, 1 unless named (`treecrf.models.weights`).
    """

    registry: ClassVar[dict[str, type[Labeller]]] = {}
    _parameter_constraints: ClassVar[Mapping[str, Check]] = {
        "window": WINDOW, "unseen": UNSEEN, "n_bins": N_BINS, "min_count": SIZE, "class_weight": CLASS_WEIGHT,
        "anchors": optional(ANCHORS),
    }  # fmt: skip
    """What settings must be, by name; a subclass declares those that others do not have, or have in another range."""

    takes_numbers: ClassVar[bool] = False
    """Whether `_train` and predictions see numbers; otherwise they see ordered attributes in their place."""

    takes_unknown_labels: ClassVar[bool] = False
    """Whether `_train` gets labels that are `MISSING` at some positions."""

    has_probabilities: bool = True
    """Whether `predict_proba` gives probabilities, not votes or scores that were made to add up to one."""

    has_stages: bool = True
    """Whether predictions change from iteration to iteration; a labeller without stages has iteration 1 alone."""

    takes_weights: ClassVar[bool] = False
    """Whether `fit` has weights; otherwise `_train` is not given any."""

    is_saved: ClassVar[bool] = True
    """Whether a file may hold one; nothing that a file names runs code of another package."""

    _fitted_arrays: ClassVar[Declared] = {}
    """What `fit` learns as arrays (`treecrf.models.fitted`), and `save` writes."""

    _fitted_values: ClassVar[Mapping[str, Check]] = {"seconds": SECONDS}
    """What it learns as JSON values."""

    _described: ClassVar[Mapping[str, Check]] = {}
    """What else a file has as JSON values, from which `_restore` makes something."""

    unseen: str
    n_bins: int = MOST_BINS
    min_count: int = 1
    class_weight: ClassWeight = None
    anchors: AnchorSetting = None
    _classes: NDArray[Any] | None = None
    inputs_: Inputs
    label_names_: tuple[str, ...]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        Labeller.registry[cls.__name__] = cls

    # --- settings -----------------------------------------------------------------------------------

    def _params_for_file(self) -> dict[str, Any]:
        """Settings as JSON values, labellers among them by class and settings."""
        return {name: _described(value) for name, value in self.get_params(deep=False).items()}

    def _check_settings(self) -> None:
        """Refuse a setting that is out of its range, in one sentence."""
        check_params(self.get_params(deep=False), {**Labeller._parameter_constraints, **self._parameter_constraints})

    def keeping_stages(self) -> Self:
        """Itself, told to keep its stages where it would not, as they take memory."""
        return self.set_params(keep_stages=True) if "keep_stages" in self.get_params() else self

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
    ) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
            At least two label names; without missing cells, unless the method copes with them.
        y : list of lists, optional
            The labels, unless `X` is a set that has them: text or whole numbers, by sequence.
        sample_weight : array_like of float, shape (n_sequences,) or (n_positions,), optional
            What each sequence or position counts, for a method that takes weights (`treecrf.models.weights`).
        groups : list, length n_sequences, optional
            What each sequence belongs to, such as a person: those of one group stay together where training holds some out.
        lengths : int, shape (n_sequences,), optional
            How many observations each sequence of a padded array has, which has three dimensions (sequences, rows, columns).
        monitor : callable, optional
            Called as ``monitor(iteration, seconds_by_phase, log_likelihood)`` after every iteration, the log likelihood
            of the sequences that it trained on, without a prior or penalty.
        verbose : bool or int
            Whether to print a line after every iteration, or after every so many.

        Raises
        ------
        ValueError
            For unusable settings or data, in one sentence.
        """
        return self._fit_given(X, y, sample_weight, groups, lengths, monitor, verbose)

    def _fit_given(
        self,
        X: Sequences,
        y: Labels,
        sample_weight: ArrayLike | None,
        groups: Groups,
        lengths: ArrayLike | None,
        monitor: Monitor | None,
        verbose: bool | int,
        **options: Any,
    ) -> Self:
        """`fit` of what a caller gave; the options are for `_fit`."""
        given = Given.read(X, y, lengths=lengths).in_groups(groups)
        if given.empty:
            warnings.warn(
                f"{counted(len(given.empty), 'sequence')} without observations left out of training.", stacklevel=3
            )
        weights = given.weights(sample_weight)
        monitor = reporting_monitor(type(self).__name__, verbose, monitor)
        self._check_settings()
        self._fit(given.data, weights, monitor, **options)
        if self.label_names_ == given.data.label_names:  # else training went on with the labels of another set
            self._classes = given.classes
        return self

    def _fit(self, train: SequenceSet, sample_weight: ArrayLike | None, monitor: Monitor | None) -> Any:
        train, weights = self._examples(train, sample_weight)
        assert train.labels is not None
        self._refuse_missing(train)
        inputs = self._learn_inputs(train, weights)
        self._train(inputs.apply(train, "error"), train.labels, weights, monitor)
        self.inputs_, self.label_names_ = inputs, train.label_names

    def _examples(
        self, train: SequenceSet, sample_weight: ArrayLike | None
    ) -> tuple[SequenceSet, NDArray[np.float64] | None]:
        """Sequences with non-zero weight, and the weights of their positions if not 1."""
        check_training_set(train, self.takes_unknown_labels)
        weights = position_weights(train, sample_weight, self.class_weight)
        if not self.takes_weights:
            refuse_weights(self, weights)
        return without_silent(train, weights)

    def fit_predict_proba(self, train: SequenceSet) -> NDArray[np.float64]:
        """`fit`, then `predict_proba` of the training set itself."""
        return self.fit(train).predict_proba(train)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels in the order of their codes and of the columns of `predict_proba`, as `fit` was given them."""
        self._check_fitted()
        return np.array(self.label_names_) if self._classes is None else self._classes

    def _input_kinds(self) -> dict[str, Kind]:
        self._check_fitted()
        kinds: dict[str, Kind] = {attribute.name: "category" for attribute in self.inputs_.categories}
        return kinds | dict.fromkeys(self.inputs_.number_names, "number")

    def _read(self, data: Any, y: Any = None, lengths: ArrayLike | None = None) -> Given:
        """Sequences in the form that the caller has, once there is something to ask them."""
        self._check_fitted()
        kinds = None if isinstance(data, SequenceSet) else self._input_kinds()
        return Given.read(data, y, kinds, lengths, self._vocabularies)

    @property
    def _vocabularies(self) -> Mapping[str, Vocabulary]:
        """The categories in which predictions see the attributes of the training set, by name."""
        inputs = self.inputs_
        return {each.name: known for each, known in zip(inputs.categories, inputs.vocabularies, strict=True)}

    @property
    def attributes_(self) -> tuple[Attribute, ...]:
        """The attributes that `_train` and predictions see."""
        return self.inputs_.attributes

    def _refuse_missing(self, data: SequenceSet) -> None:
        """Refuse a set with cells missing that this labeller needs."""
        refuse_missing(data)

    def _learn_inputs(self, train: SequenceSet, weights: Floats | None = None) -> Inputs:
        """What this labeller sees of a training set, whose positions have weights, if not 1."""
        return Inputs.learn(train, None if self.takes_numbers else self.n_bins, self.min_count, self.anchors, weights)

    # --- to be implemented --------------------------------------------------------------------------

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        """Set the fitted attributes but those that `fit` sets; positions have weights, if not 1."""
        raise NotImplementedError

    def _marginals(self, data: SequenceSet) -> NDArray[np.float64]:
        """P(y_t | X) for every position, shape (n_positions, n_labels)."""
        raise NotImplementedError

    def _log_likelihood(self, data: SequenceSet) -> NDArray[np.float64]:
        """log P(Y | X) of every labelled sequence, shape (n_sequences,): where positions are by themselves, a sum over them."""
        return sum_log_probabilities(self._marginals(data), self.align_labels(data, unknown=True), data.offsets)

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, NDArray[np.int16]]]:
        """`predict` after `every`, 2 `every`, .. iterations, by decoder; here once, of a labeller whose decoders agree."""
        if self.has_stages:
            raise NotImplementedError
        check_set(data)
        if every == 1:
            for decoder in decoders:
                check_decoder(decoder)
            yield dict.fromkeys(decoders, self.predict(data))

    def _labels(self, data: SequenceSet, decoder: Decoder) -> NDArray[np.int16]:
        """The likeliest labels without limits, shape (n_positions,)."""
        if decoder == "viterbi":
            return self._viterbi(data)
        return self._checked_marginals(data).argmax(axis=1).astype(np.int16)

    def _checked_marginals(self, data: SequenceSet) -> NDArray[np.float64]:
        """`_marginals`, unless weights are so large that rounding leaves no probabilities of them."""
        marginals = self._marginals(data)
        wrong = ~(np.abs(marginals.sum(axis=1) - 1) <= 0.01)
        if wrong.any():
            raise ValueError(
                f"the probabilities of position {int(wrong.argmax())} do not add up to 1, as weights of the model are too large; "
                "train it again with a stronger penalty."
            )
        return marginals

    def _viterbi(self, data: SequenceSet) -> NDArray[np.int16]:
        """The likeliest path: where positions are labelled by themselves, the likeliest label of each."""
        return self._labels(data, "forward_backward")

    def trellis(self, data: SequenceSet) -> Trellis:
        """All paths; where positions are labelled by themselves, their probabilities take the place of a chain."""
        from treecrf.chain.trellis import trellis_of_scores

        with np.errstate(divide="ignore"):  # votes may give a label nothing
            return trellis_of_scores(np.log(self._marginals(data)), data.offsets)

    @property
    def reach(self) -> tuple[int, int]:
        """How many observations before and after a position its potentials see."""
        raise ValueError(f"{type(self).__name__} labels no streams, as it is no chain of windows; leave lag out.")

    @property
    def stream_reach(self) -> tuple[int, int]:
        """The same in a stream; a labeller that sees the ends of the sequence is refused."""
        if self.anchors is not None:
            raise ValueError(
                f"anchors={self.anchors} labels no streams, as positions see the end of the sequence; train without anchors, or "
                "leave lag out."
            )
        return self.reach

    def _sizes(self) -> dict[str, Any]:
        """Lengths of axes that arrays from a file must have, and other limits that their rules name."""
        return {"n_labels": len(self.label_names_)}

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What `fit` learnt, as JSON values and arrays: what the class declares, and what it adds."""
        values = {name: getattr(self, f"{name}_") for name in self._fitted_values}
        fitted = {name: getattr(self, f"{name}_") for name in self._fitted_arrays}
        return values, named_arrays(fitted, self._fitted_arrays)

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Take back what `_state` gave; it takes the arrays out, by `take_declared` alone, and what is left is refused."""
        fitted = take_declared(arrays, self._fitted_arrays, self._sizes())
        for name, value in (fitted | {name: values[name] for name in self._fitted_values}).items():
            setattr(self, f"{name}_", value)

    # --- predictions --------------------------------------------------------------------------------

    def predict(
        self, X: Sequences, decoder: Decoder = "forward_backward", **limits: Unpack[Limits]
    ) -> NDArray[np.int16]:
        """Label every position (PhD section 2.3).

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
        decoder : "forward_backward" or "viterbi"
            The likeliest label of each position, or the likeliest sequence of labels; the lowest code wins ties.
        **limits
            `allowed`, `known`, `constraints`, `lag` and `lengths`, all optional (`treecrf.models.decoding.Limits`): the labels
            that positions may have, labels that are known already, labels that may follow others, how many observations after
            a position decide its label, and how many observations the sequences of a padded array have.

        Returns
        -------
        int16, shape (n_positions,)
            Codes. Of sequences in other forms than a set, the labels as `classes_` has them: an array for each sequence.

        Raises
        ------
        ValueError
            In one sentence, also for a sequence that has no labels within the limits.
        """
        check_names(limits, type(self).__name__)
        if (n_empty := count_empty(X)) is not None:
            return BySequence([self.classes_[:0]] * n_empty)  # type: ignore[return-value]
        given, within = self._ask(X, limits)
        check_decoder(decoder)
        if not are_given(within):
            codes = self._labels(given.data, decoder)
        elif decoder == "viterbi":
            from treecrf.chain.n_best import best_path

            refuse_lag(within)
            codes = best_path(self._limited_trellis(given.data, within))
        else:
            codes = self._limited_marginals(given.data, within).argmax(axis=1).astype(np.int16)
        return codes if given.form == "set" else given.answers(self.classes_[codes])

    def predict_proba(self, X: Sequences, **limits: Unpack[Limits]) -> NDArray[np.float64]:
        """P(y_t | X) for every position, given the limits; parameters as for `predict`.

        Returns
        -------
        float64, shape (n_positions, n_labels)
            Of lists, such an array for each sequence. Where `has_probabilities` is false, votes or scores that add up to one.
        """
        check_names(limits, type(self).__name__)
        if (n_empty := count_empty(X)) is not None:
            return BySequence([np.empty((0, len(self.classes_)))] * n_empty)  # type: ignore[return-value]
        given, within = self._ask(X, limits)
        ask = self._limited_marginals(given.data, within) if are_given(within) else self._checked_marginals(given.data)
        return given.answers(ask)

    def predict_log_proba(self, X: Sequences, **limits: Unpack[Limits]) -> NDArray[np.float64]:
        """The logarithms of `predict_proba`, in its form; -inf where a probability is 0."""
        probabilities = self.predict_proba(X, **limits)
        with np.errstate(divide="ignore"):
            if isinstance(probabilities, BySequence):
                return BySequence(np.log(each) for each in probabilities)
            return np.log(probabilities)

    def log_likelihood(
        self, X: Sequences, y: Labels = None, *, lengths: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """log P(Y | X) of every sequence, float64, shape (n_sequences,): of its labels that are known, summed over the others."""
        given = self._read(X, y, lengths)
        of_filled = self._log_likelihood(given.data)
        return np.insert(of_filled, np.array(given.empty, dtype=np.int64) - np.arange(len(given.empty)), 0.0)

    def predict_n_best(self, X: Sequences, n: int, **limits: Unpack[Limits]) -> NBest | list[list[Labelling]]:
        """The n likeliest label sequences of every sequence, exactly.

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
        n : int
            At least 1.
        **limits
            `allowed`, `known` and `constraints` as for `predict`.

        Returns
        -------
        NBest
            ``labels``, int16 of shape (n, n_positions): row i holds the (i + 1)-th likeliest path of each sequence, -1 where a
            sequence has fewer; ``log_probabilities``, shape (n, n_sequences), given the limits; ``n_paths``, shape
            (n_sequences,). Of equally likely paths the one with the lowest last label comes first, then with the lowest label
            before it, and so on. Of sequences in other forms than a set, a list of `Labelling` for each sequence.

        Raises
        ------
        ValueError
            In one sentence, also for a sequence that has no path within the limits.
        """
        from treecrf.chain.n_best import n_best
        from treecrf.chain.trellis import forward_backward

        refuse_lag(limits)
        given, within = self._ask(X, limits)
        given.refuse_empty()
        trellis = self._limited_trellis(given.data, within)
        best = n_best(trellis, n, forward_backward(trellis).log_partition)
        if given.form == "set":
            return best
        return [
            [
                Labelling(self.classes_[best.labels[rank, begin:end]], float(best.log_probabilities[rank, sequence]))
                for rank in range(best.n_paths[sequence])
            ]
            for sequence, (begin, end) in enumerate(pairwise(given.data.offsets.tolist()))
        ]

    def span_probability(
        self,
        X: Sequences,
        spans: Iterable[tuple[int, int, int, str]],
        *,
        entities: str | None = None,
        **limits: Unpack[Limits],
    ) -> NDArray[np.float64]:
        """The probability that all positions of a span have a label, or that an entity begins and ends where it does.

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
        spans : iterable of (sequence, first, last, label)
            Number of the sequence; its first and last position in the sequence, both within; the name of the label.
        entities : "bio" or "bioes", optional
            Labels of spans are types of entities, such as PER of B-PER and I-PER ("" where labels are bare letters). The
            probability is that of an entity of exactly these positions.
        **limits
            `allowed`, `known` and `constraints` as for `predict`: probabilities are those given the limits.

        Returns
        -------
        float64, shape (n_spans,)

        Raises
        ------
        ValueError
            In one sentence, also for a span or label that there is not.
        """
        from treecrf.chain.spans import span_probability

        refuse_lag(limits)
        given, within = self._ask(X, limits)
        given.refuse_empty()
        return span_probability(self._limited_trellis(given.data, within), spans, self.label_names_, entities)

    def stream(self, lag: int, *, constraints: Constraints | None = None) -> LabelStream:
        """Something that takes one observation after another of a sequence, and labels each when `lag` more have come.

        Labels are those of ``predict(X, lag=lag, constraints=constraints)``.

        Raises
        ------
        ValueError
            If the method cannot label a stream, or its window sees more than `lag` observations after a position.
        """
        from treecrf.models.streaming import LabelStream

        self._check_fitted()
        reach, order = self.stream_reach, getattr(self, "order", 1)
        return LabelStream(
            self.trellis, self.inputs_, self._vocabularies, self.label_names_, order, reach, lag, constraints
        )

    def _ask(self, X: Sequences, limits: Mapping[str, Any]) -> tuple[Given, Limits]:
        """The set of a question, and its limits."""
        check_names(limits, type(self).__name__)
        given = self._read(X, lengths=limits.get("lengths"))
        return given, limits_of_set(limits, given, self.classes_ if are_given(limits) else np.empty(0))

    def _limited_trellis(self, data: SequenceSet, limits: Limits) -> Trellis:
        return constrained_trellis(self.trellis(data), limits, self.label_names_)

    def _limited_marginals(self, data: SequenceSet, limits: Limits) -> NDArray[np.float64]:
        """P(y_t | X, the limits), shape (n_positions, n_labels); with a lag, X ends so much later."""
        from treecrf.chain.lag import lagged_marginals
        from treecrf.chain.trellis import forward_backward

        lag = limits.get("lag")
        if lag is None:
            return forward_backward(self._limited_trellis(data, limits)).labels
        n_later = chain_lag(lag, limits.get("constraints"), self.stream_reach[1])
        return lagged_marginals(self._limited_trellis(data, limits), n_later)

    def score(
        self,
        X: Sequences,
        y: Labels = None,
        *,
        decoder: Decoder = "forward_backward",
        metric: str = "accuracy",
        sample_weight: ArrayLike | None = None,
        lengths: ArrayLike | None = None,
    ) -> float:
        """How good predictions are, at the positions whose label is known; more is better.

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
        y : list of lists, optional
            The true labels, unless `X` is a set that has them. One that training did not have counts as an error; in a set
            without `y` it is refused.
        decoder : "forward_backward" or "viterbi"
            See `predict`.
        metric : str
            "accuracy" (fraction of positions that are labelled correctly), or another name of `treecrf.statistics.metrics.METRICS`:
            "balanced_accuracy", "macro_f1", "sequence_accuracy"; also by scikit-learn's name, such as "f1_macro".
        sample_weight : array_like of float, shape (n_sequences,) or (n_positions,), optional
            What each sequence or position counts in the metric.
        lengths : int, shape (n_sequences,), optional
            As for `fit`.
        """
        metric = SCIKIT_NAMES.get(metric, metric)
        if metric not in METRICS:
            raise ValueError(f"metric {quoted(metric)} is not known; choose one of {', '.join(METRICS)}.")
        if isinstance(y, str) and y in DECODERS:
            raise ValueError(f"y={y!r} is a decoder and no labels; name it: decoder={y!r}.")
        given = self._read(X, y, lengths)
        weights = given.weights(sample_weight)
        of_positions = None if weights is None else position_weights(given.data, weights, None)
        return METRICS[metric](self._truth(given), self.predict(given.data, decoder), given.data.offsets, of_positions)

    def staged_score(
        self, X: Sequences, decoders: tuple[Decoder, ...] = DECODERS, y: Labels = None
    ) -> NDArray[np.float64]:
        """Accuracy after 1, 2, .. iterations, shape (n_iterations, n_decoders); X and y as for `score`."""
        given = self._read(X, y)
        truth = self._truth(given)
        stages = self.staged_predict(given.data, decoders)
        known = truth != MISSING
        return np.array([[(stage[decoder] == truth)[known].mean() for decoder in decoders] for stage in stages])

    # --- files --------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted labeller to one file (.npz with a JSON header, no pickle); atomic.

        The name of a file of another format, such as ``model.pkl``, is refused.
        """
        check_npz_name(path)
        write_npz(path, *self.contents())

    def contents(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What `save` writes: a header of JSON values, and arrays."""
        self._check_fitted()
        values, arrays = self._state()
        header = {
            "format": FORMAT,
            "class": type(self).__name__,
            "params": self._params_for_file(),
            "label_names": self.label_names_,
            "classes": storable_labels(self.classes_).tolist(),
            "values": values,
            **self.inputs_.described(),
        }
        return header, arrays

    # --- alignment with the training set ------------------------------------------------------------

    def _check_fitted(self) -> None:
        if not hasattr(self, "label_names_"):
            self._refuse_unfitted()

    def align_inputs(self, data: SequenceSet, unseen: str) -> SequenceSet:
        """Inputs as the labeller sees them (`treecrf.models.inputs.Inputs.apply`)."""
        self._check_fitted()
        check_set(data)
        if not len(data):
            raise ValueError("the set has no sequences; give at least one.")
        return self.inputs_.apply(data, unseen)

    def _aligned(self, data: SequenceSet) -> SequenceSet:
        """Inputs to predict from, by the setting `unseen`, without cells missing that this labeller needs."""
        aligned = self.align_inputs(data, self.unseen)
        self._refuse_missing(data)
        return aligned

    def align_labels(self, data: SequenceSet, unknown: bool = False) -> NDArray[np.int16]:
        """Labels in the codes of the training set (`treecrf.models.inputs.align_labels`)."""
        self._check_fitted()
        return align_labels(data, self.label_names_, unknown)

    def _truth(self, given: Given) -> NDArray[np.int16]:
        """The labels of a question in the codes of the training set; see `score`."""
        if given.classes is None:
            truth = self.align_labels(given.data, unknown=True)
        else:
            truth = label_codes(given.data, self.label_names_)
        if (truth == MISSING).all():
            raise ValueError("no label of the set is known; give labelled sequences.")
        return truth


LABELLER = Check(lambda value: isinstance(value, Labeller), "give a labeller")


def check_decoder(decoder: str) -> None:
    """Refuse a decoder that is not known."""
    if decoder not in DECODERS:
        raise ValueError(f"decoder {decoder!r} is not known; choose one of {', '.join(DECODERS)}.")


def _described(setting: Any) -> Any:
    """A setting as JSON value."""
    if isinstance(setting, Labeller):
        return {"class": type(setting).__name__, "params": setting._params_for_file()}
    return [_described(each) for each in setting] if isinstance(setting, tuple | list) else setting
