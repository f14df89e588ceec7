"""Base of all labellers: parameters, alignment of new data with the training data, predictions, files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.estimators.conversion import Given
from treecrf.estimators.settings import Estimator
from treecrf.io.cells import Kind
from treecrf.io.messages import quoted
from treecrf.io.npz import write_npz
from treecrf.models.checks import CHECKS, Check
from treecrf.models.decoding import Decoding, Limits, are_given, limited_labels
from treecrf.models.inputs import MOST_BINS, Inputs, check_set, check_training_set, refuse_missing
from treecrf.models.questions import answers_labels, learns
from treecrf.models.scores import METRICS
from treecrf.models.weights import ClassWeight, position_weights, refuse_weights, without_silent
from treecrf.sequences import MISSING, Attribute, SequenceSet

Decoder = Literal["forward_backward", "viterbi"]
DECODERS: tuple[Decoder, ...] = ("forward_backward", "viterbi")

Monitor = Callable[[int, Mapping[str, float], float], None]
"""Called as ``monitor(stage, seconds_by_phase, log_likelihood)`` after every stage of training."""

FORMAT = "treecrf.model/1"

_NEW = -2  # the code of a label that training did not have


class Labeller(Decoding, Estimator):
    """A sequence labeller with the interface of a scikit-learn estimator.

    Subclasses take their settings as keyword arguments, store them unchanged, and implement `_train`,
    `predict_proba`, `log_likelihood`, `_viterbi`, `_state` and `_restore`. What they implement sees sets; `fit`, `predict`,
    `predict_proba`, `score` and `log_likelihood` also take sequences in the forms of `treecrf.estimators.conversion`.
    """

    registry: ClassVar[dict[str, type[Labeller]]] = {}
    checks: ClassVar[Mapping[str, Check]] = {}
    """What this class asks of its settings, where that is not in `CHECKS`."""

    takes_numbers: ClassVar[bool] = False
    """Whether `_train` and predictions see numbers; otherwise they see ordered attributes in their place."""

    takes_unknown_labels: ClassVar[bool] = False
    """Whether `_train` gets labels that are `MISSING` at some positions."""

    has_probabilities: bool = True
    """Whether `predict_proba` gives probabilities, not votes or scores that were made to add up to one."""

    takes_weights: ClassVar[bool] = False
    """Whether `fit` has weights, and `_train_weighted` is implemented."""

    keeps_stages: bool = True
    """Whether a training that has to keep something for it keeps all stages, or the last one: then `staged_predict` has that alone."""

    n_bins: int = MOST_BINS
    min_count: int = 1
    class_weight: ClassWeight = None
    _classes: NDArray[Any] | None = None
    inputs_: Inputs
    label_names_: tuple[str, ...]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        Labeller.registry[cls.__name__] = cls

    # --- settings -----------------------------------------------------------------------------------

    def _params_for_file(self) -> dict[str, Any]:
        """Settings as JSON values."""
        return self.get_params()

    @classmethod
    def _params_from_file(cls, params: dict[str, Any]) -> dict[str, Any]:
        """What `_params_for_file` gave, once it has been read."""
        return {name: tuple(value) if isinstance(value, list) else value for name, value in params.items()}

    def _check_settings(self) -> None:
        """Refuse a setting that is out of its range, in one sentence."""
        for name, value in self.get_params().items():
            check = self.checks.get(name) or CHECKS.get(name)
            if check is not None and not check.holds(value):
                raise ValueError(f"{name}={quoted(value)}: {check.need}.")

    # --- training -----------------------------------------------------------------------------------

    @learns
    def fit(
        self, train: SequenceSet, *, monitor: Monitor | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        train : SequenceSet, or sequences as in `treecrf.estimators.conversion`
            With labels, without missing cells; at least two label names.
        y : list of lists, optional
            The labels, unless `train` is a set that has them: text or whole numbers, by sequence.
        monitor : callable, optional
            Called as ``monitor(iteration, seconds_by_phase, log_likelihood)`` after every iteration, the log likelihood
            of the sequences that it trained on, without a prior or penalty.
        sample_weight : array_like of float, shape (n_sequences,) or (n_positions,), optional
            What each sequence or position counts, for a method that takes weights (`treecrf.models.weights`).
        verbose : bool or int
            Whether to print a line after every iteration, or after every so many.

        Raises
        ------
        ValueError
            For unusable settings or data, in one sentence.
        """
        self._check_settings()
        train, weights = self._examples(train, sample_weight)
        assert train.labels is not None
        labels = train.labels
        self._refuse_missing(train)
        inputs = self._learn_inputs(train)
        aligned = inputs.apply(train, "error")
        if weights is None:
            self._train(aligned, labels, monitor)
        else:
            self._train_weighted(aligned, labels, weights, monitor)
        self.inputs_, self.label_names_ = inputs, train.label_names
        return self

    def _examples(
        self, train: SequenceSet, sample_weight: ArrayLike | None
    ) -> tuple[SequenceSet, NDArray[np.float64] | None]:
        """The sequences that say something, and what their positions weigh, if not 1 each."""
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

    def _read(self, data: Any, y: Any = None) -> Given:
        """Sequences in the form that the caller has, once there is something to ask them."""
        kinds = None if isinstance(data, SequenceSet) else self._input_kinds()
        return Given.read(data, y, kinds)

    @property
    def attributes_(self) -> tuple[Attribute, ...]:
        """The attributes that `_train` and predictions see."""
        return self.inputs_.attributes

    def _refuse_missing(self, data: SequenceSet) -> None:
        """Refuse a set with cells missing that this labeller needs."""
        refuse_missing(data)

    def _learn_inputs(self, train: SequenceSet) -> Inputs:
        """What this labeller sees of a training set."""
        return Inputs.learn(train, None if self.takes_numbers else self.n_bins, self.min_count)

    # --- to be implemented --------------------------------------------------------------------------

    def _train(self, train: SequenceSet, labels: NDArray[np.int16], monitor: Monitor | None) -> None:
        """Set the fitted attributes but those that `fit` sets."""
        raise NotImplementedError

    def _train_weighted(
        self,
        train: SequenceSet,
        labels: NDArray[np.int16],
        weights: NDArray[np.float64] | None,
        monitor: Monitor | None,
    ) -> None:
        """As `_train`, with a weight for each position, if not 1."""
        raise NotImplementedError

    def predict_proba(self, data: SequenceSet, **limits: Unpack[Limits]) -> NDArray[np.float64]:
        """P(y_t | X) for every position, shape (n_positions, n_labels); limits as for `predict`."""
        raise NotImplementedError

    def log_likelihood(self, data: SequenceSet) -> NDArray[np.float64]:
        """log P(Y | X) of every labelled sequence, shape (n_sequences,)."""
        raise NotImplementedError

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, NDArray[np.int16]]]:
        """`predict` after `every`, 2 `every`, .. iterations, by decoder."""
        raise NotImplementedError

    @property
    def has_stages(self) -> bool:
        """Whether predictions change from iteration to iteration; a labeller without stages has iteration 1 alone."""
        return True

    def _viterbi(self, data: SequenceSet) -> NDArray[np.int16]:
        raise NotImplementedError

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What `fit` learnt, as JSON values and arrays."""
        raise NotImplementedError

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Take back what `_state` gave."""
        raise NotImplementedError

    # --- predictions --------------------------------------------------------------------------------

    @answers_labels
    def predict(
        self, data: SequenceSet, decoder: Decoder = "forward_backward", **limits: Unpack[Limits]
    ) -> NDArray[np.int16]:
        """Label every position (PhD section 2.3).

        Parameters
        ----------
        data : SequenceSet, or sequences as in `treecrf.estimators.conversion`
        decoder : "forward_backward" or "viterbi"
            The likeliest label of each position, or the likeliest sequence of labels; the lowest code wins ties.
        **limits
            `allowed`, `known`, `constraints` and `lag`, all optional (`treecrf.models.decoding.Limits`): the labels that
            positions may have, labels that are known already, labels that may follow others, and how many observations after
            a position decide its label.

        Returns
        -------
        int16, shape (n_positions,)
            Codes. Of sequences in other forms than a set, the labels as `classes_` has them: an array for each sequence.

        Raises
        ------
        ValueError
            In one sentence, also for a sequence that has no labels within the limits.
        """
        check_decoder(decoder)
        if are_given(limits):
            return limited_labels(self, data, decoder, limits)
        if decoder == "viterbi":
            return self._viterbi(data)
        return self.predict_proba(data).argmax(axis=1).astype(np.int16)

    def score(
        self, data: Any, y: Any = None, *, decoder: Decoder = "forward_backward", metric: str = "accuracy"
    ) -> float:
        """How good predictions are, at the positions whose label is known; more is better.

        Parameters
        ----------
        data : SequenceSet, or sequences as in `treecrf.estimators.conversion`
        y : list of lists, optional
            The true labels, unless `data` is a set that has them. One that training did not have counts as an error; in a set
            without `y` it is refused.
        decoder : "forward_backward" or "viterbi"
            See `predict`.
        metric : str
            "accuracy" (fraction of positions that are labelled correctly), or another name of `treecrf.models.scores.METRICS`:
            "balanced_accuracy", "macro_f1", "sequence_accuracy".
        """
        if metric not in METRICS:
            raise ValueError(f"metric {quoted(metric)} is not known; choose one of {', '.join(METRICS)}.")
        if isinstance(y, str) and y in DECODERS:
            raise ValueError(f"y={y!r} is a decoder and no labels; name it: decoder={y!r}.")
        given = self._read(data, y)
        return METRICS[metric](self._truth(given), self.predict(given.data, decoder), given.data.offsets)

    def staged_score(self, data: Any, decoders: tuple[Decoder, ...] = DECODERS, y: Any = None) -> NDArray[np.float64]:
        """Accuracy after 1, 2, .. iterations, shape (n_iterations, n_decoders); data and y as for `score`."""
        given = self._read(data, y)
        truth = self._truth(given)
        stages = self.staged_predict(given.data, decoders)
        known = truth != MISSING
        return np.array([[(stage[decoder] == truth)[known].mean() for decoder in decoders] for stage in stages])

    # --- files --------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted labeller to one file (.npz with a JSON header, no pickle); atomic."""
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
            "classes": self.classes_.tolist(),
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

    def align_labels(self, data: SequenceSet, unknown: bool = False) -> NDArray[np.int16]:
        """Labels of `data` in the codes of the training set; a label that it did not have is refused.

        `unknown` says whether a position may have none (`MISSING`).
        """
        self._check_fitted()
        if data.labels is None:
            raise ValueError("the set has no labels; give labelled sequences, or their labels as y.")
        is_known = data.labels != MISSING
        if not (unknown or is_known.all()):
            raise ValueError(f"position {int((~is_known).argmax())} has no label; give it one or drop its sequence.")
        labels = self._codes_of(data)
        if (labels == _NEW).any():
            position = int((labels == _NEW).argmax())
            raise ValueError(
                f"position {position}: label {data.label_names[data.labels[position]]!r} was not in the training set, "
                f"which had {', '.join(self.label_names_)}; drop its sequence or train with it."
            )
        return labels

    def _truth(self, given: Given) -> NDArray[np.int16]:
        """The labels of a question in the codes of the training set; see `score`."""
        truth = self.align_labels(given.data, unknown=True) if given.classes is None else self._codes_of(given.data)
        if (truth == MISSING).all():
            raise ValueError("no label of the set is known; give labelled sequences.")
        return truth

    def _codes_of(self, data: SequenceSet) -> NDArray[np.int16]:
        """Labels of a labelled set in the codes of the training set; `_NEW` for one that it did not have."""
        assert data.labels is not None
        if data.label_names == self.label_names_:
            return data.labels
        code_of = {name: code for code, name in enumerate(self.label_names_)}
        table = np.array([code_of.get(name, _NEW) for name in data.label_names] + [MISSING], dtype=np.int16)
        return table[data.labels]


def check_decoder(decoder: str) -> None:
    """Refuse a decoder that is not known."""
    if decoder not in DECODERS:
        raise ValueError(f"decoder {decoder!r} is not known; choose one of {', '.join(DECODERS)}.")
