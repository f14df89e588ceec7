"""What a fitted labeller says of sequences: labels, probabilities, likelihoods, and how good they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.estimators.conversion import BySequence, Given, count_empty
from treecrf.estimators.protocol import Estimator, MetadataRequests
from treecrf.inputs.anchors import AnchorSetting
from treecrf.io.arrays import Codes, Floats
from treecrf.io.columns import Kind, Vocabulary
from treecrf.io.messages import quoted
from treecrf.models.decoding import (
    DECODERS,
    Constraints,
    Decoder,
    Labelling,
    Limits,
    are_given,
    chain_lag,
    check_decoder,
    check_names,
    constrained_trellis,
    limits_of_set,
    refuse_lag,
)
from treecrf.models.inputs import Inputs, align_labels, check_set, label_codes, position_weights, refuse_missing
from treecrf.sequences import MISSING, Attribute, SequenceSet
from treecrf.statistics.metrics import METRICS, SCIKIT_NAMES, sum_log_probabilities

if TYPE_CHECKING:  # kernels are loaded for predictions alone
    from treecrf.chain.n_best import NBest
    from treecrf.chain.trellis import Trellis
    from treecrf.estimators.conversion import Labels, Sequences
    from treecrf.models.streaming import CodedWindows, LabelStream


class Predictor(MetadataRequests, Estimator):
    """What a fitted labeller says of sequences: labels, probabilities, likelihoods, and how good they are.

    Its public methods take sequences in the forms of `treecrf.estimators.conversion` and limits of the labels; what
    they call sees sets alone. Subclasses implement `_marginals`, and where positions are not labelled by themselves
    `_log_likelihood`, `_viterbi`, `trellis` and `reach`; where there are stages `staged_predict`.
    """

    has_probabilities: bool = True
    """Whether `predict_proba` gives probabilities, not votes or scores that were made to add up to one."""

    has_stages: bool = True
    """Whether predictions change from iteration to iteration; a labeller without stages has iteration 1 alone."""

    unseen: str
    anchors: AnchorSetting = None
    _classes: NDArray[Any] | None = None
    inputs_: Inputs
    label_names_: tuple[str, ...]
    seconds_: dict[str, float]

    # --- to be implemented --------------------------------------------------------------------------

    def _marginals(self, data: SequenceSet) -> Floats:
        """P(y_t | X) for every position, shape (n_positions, n_labels)."""
        raise NotImplementedError

    def _log_likelihood(self, data: SequenceSet) -> Floats:
        """log P(Y | X) of every sequence, shape (n_sequences,); here a sum over positions, labelled by themselves."""
        return sum_log_probabilities(self._marginals(data), self.align_labels(data, unknown=True), data.offsets)

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, Codes]]:
        """`predict` after `every`, 2 `every`, .. iterations, by decoder; here of a labeller without stages."""
        if self.has_stages:
            raise NotImplementedError
        check_set(data)
        if every == 1:
            for decoder in decoders:
                check_decoder(decoder)
            yield dict.fromkeys(decoders, self.predict(data))

    def _labels(self, data: SequenceSet, decoder: Decoder) -> Codes:
        """The likeliest labels without limits, shape (n_positions,)."""
        if decoder == "viterbi":
            return self._viterbi(data)
        return self._checked_marginals(data).argmax(axis=1).astype(np.int16)

    def _checked_marginals(self, data: SequenceSet) -> Floats:
        """`_marginals`, unless weights are so large that rounding leaves no probabilities of them."""
        marginals = self._marginals(data)
        wrong = ~(np.abs(marginals.sum(axis=1) - 1) <= 0.01)
        if wrong.any():
            raise ValueError(
                f"the probabilities of position {int(wrong.argmax())} do not add up to 1, as weights of the model are "
                "too large; train it again with a stronger penalty."
            )
        return marginals

    def _viterbi(self, data: SequenceSet) -> Codes:
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
        """`reach` in a stream; a labeller that sees the ends of the sequence is refused."""
        if self.anchors is not None:
            raise ValueError(
                f"anchors={self.anchors} labels no streams, as positions see the end of the sequence; train without "
                "anchors, or leave lag out."
            )
        return self.reach

    # --- predictions --------------------------------------------------------------------------------

    def predict(self, X: Sequences, decoder: Decoder = "forward_backward", **limits: Unpack[Limits]) -> Codes:
        """Label every position (PhD section 2.3).

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
        decoder : "forward_backward" or "viterbi"
            The likeliest label of each position, or the likeliest sequence of labels; the lowest code wins ties.
        **limits
            `allowed`, `known`, `constraints`, `lag` and `lengths`, all optional (`treecrf.models.decoding.Limits`): the
            labels that positions may have, labels that are known already, labels that may follow others, how many
            observations after a position decide its label, and how many observations the sequences of a padded array
            have.

        Returns
        -------
        int16, shape (n_positions,)
            Codes. Of sequences in other forms than a set, the labels as `classes_` has them: an array for each
            sequence.

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

    def predict_proba(self, X: Sequences, **limits: Unpack[Limits]) -> Floats:
        """P(y_t | X) for every position, given the limits; parameters as for `predict`.

        Returns
        -------
        float64, shape (n_positions, n_labels)
            Of lists, such an array for each sequence. Where `has_probabilities` is false, votes or scores that add up
            to one.
        """
        check_names(limits, type(self).__name__)
        if (n_empty := count_empty(X)) is not None:
            return BySequence([np.empty((0, len(self.classes_)))] * n_empty)  # type: ignore[return-value]
        given, within = self._ask(X, limits)
        ask = self._limited_marginals(given.data, within) if are_given(within) else self._checked_marginals(given.data)
        return given.answers(ask)

    def predict_log_proba(self, X: Sequences, **limits: Unpack[Limits]) -> Floats:
        """The logarithms of `predict_proba`, in its form; -inf where a probability is 0."""
        probabilities = self.predict_proba(X, **limits)
        with np.errstate(divide="ignore"):
            if isinstance(probabilities, BySequence):
                return BySequence(np.log(each) for each in probabilities)
            return np.log(probabilities)

    def log_likelihood(self, X: Sequences, y: Labels = None, *, lengths: ArrayLike | None = None) -> Floats:
        """log P(known labels | X) of every sequence, summed over unknown ones; float64, shape (n_sequences,)."""
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
            ``labels``, int16 of shape (n, n_positions): row i holds the (i + 1)-th likeliest path of each sequence, -1
            where a sequence has fewer; ``log_probabilities``, shape (n, n_sequences), given the limits; ``n_paths``,
            shape (n_sequences,). Of equally likely paths the one with the lowest last label comes first, then with the
            lowest label before it, and so on. Of sequences in other forms than a set, a list of `Labelling` for each
            sequence.

        Raises
        ------
        ValueError
            In one sentence, also for a sequence that has no path within the limits.
        """
        from treecrf.chain.n_best import n_best
        from treecrf.chain.trellis import trellis_marginals

        refuse_lag(limits)
        given, within = self._ask(X, limits)
        given.refuse_empty()
        trellis = self._limited_trellis(given.data, within)
        best = n_best(trellis, n, trellis_marginals(trellis).log_partition)
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
    ) -> Floats:
        """The probability that all positions of a span have a label, or that an entity begins and ends where it does.

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
        spans : iterable of (sequence, first, last, label)
            Number of the sequence; its first and last position in the sequence, both within; the name of the label.
        entities : "bio" or "bioes", optional
            Labels of spans are types of entities, such as PER of B-PER and I-PER ("" where labels are bare letters).
            The probability is that of an entity of exactly these positions.
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
        names, windows = self.label_names_, self._coded_windows()
        return LabelStream(
            self.trellis, self.inputs_, self._vocabularies, names, order, reach, lag, constraints, windows
        )

    def _coded_windows(self) -> CodedWindows | None:
        """Potentials of windows, for streams; None where it is `trellis` alone that gives potentials."""
        return None

    def _ask(self, X: Sequences, limits: Mapping[str, Any]) -> tuple[Given, Limits]:
        """The set of a question, and its limits."""
        check_names(limits, type(self).__name__)
        given = self._read(X, lengths=limits.get("lengths"))
        return given, limits_of_set(limits, given, self.classes_ if are_given(limits) else np.empty(0))

    def _limited_trellis(self, data: SequenceSet, limits: Limits) -> Trellis:
        return constrained_trellis(self.trellis(data), limits, self.label_names_)

    def _limited_marginals(self, data: SequenceSet, limits: Limits) -> Floats:
        """P(y_t | X, the limits), shape (n_positions, n_labels); with a lag, X ends so much later."""
        from treecrf.chain.smoothing import lagged_marginals
        from treecrf.chain.trellis import trellis_marginals

        lag = limits.get("lag")
        if lag is None:
            return trellis_marginals(self._limited_trellis(data, limits)).labels
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
            The true labels, unless `X` is a set that has them. One that training did not have counts as an error; in a
            set without `y` it is refused.
        decoder : "forward_backward" or "viterbi"
            See `predict`.
        metric : str
            "accuracy" (fraction of positions that are labelled correctly), or another name of
            `treecrf.statistics.metrics.METRICS`: "balanced_accuracy", "macro_f1", "sequence_accuracy"; also by
            scikit-learn's name, such as "f1_macro".
        sample_weight : array_like of float, shape (n_sequences,) or (n_positions,), optional
            What each sequence or position counts in the metric.
        lengths : int, shape (n_sequences,), optional
            As for `fit`.
        """
        name = SCIKIT_NAMES.get(metric, metric)
        if name not in METRICS:
            raise ValueError(f"metric {quoted(metric)} is not known; choose one of {', '.join(METRICS)}.")
        if isinstance(y, str) and y in DECODERS:
            raise ValueError(f"y={y!r} is a decoder and no labels; name it: decoder={y!r}.")
        given = self._read(X, y, lengths)
        weights = given.weights(sample_weight)
        of_positions = None if weights is None else position_weights(given.data, weights, None)
        return METRICS[name](self._truth(given), self.predict(given.data, decoder), given.data.offsets, of_positions)

    def staged_score(self, X: Sequences, decoders: tuple[Decoder, ...] = DECODERS, y: Labels = None) -> Floats:
        """Accuracy after 1, 2, .. iterations, shape (n_iterations, n_decoders); X and y as for `score`."""
        given = self._read(X, y)
        truth = self._truth(given)
        stages = self.staged_predict(given.data, decoders)
        known = truth != MISSING
        return np.array([[(stage[decoder] == truth)[known].mean() for decoder in decoders] for stage in stages])

    # --- alignment with the training set ------------------------------------------------------------

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

    def align_labels(self, data: SequenceSet, unknown: bool = False) -> Codes:
        """Labels in the codes of the training set (`treecrf.models.inputs.align_labels`)."""
        self._check_fitted()
        return align_labels(data, self.label_names_, unknown)

    def _truth(self, given: Given) -> Codes:
        """The labels of a question in the codes of the training set; see `score`."""
        if given.classes is None:
            truth = self.align_labels(given.data, unknown=True)
        else:
            truth = label_codes(given.data, self.label_names_)
        if (truth == MISSING).all():
            raise ValueError("no label of the set is known; give labelled sequences.")
        return truth
