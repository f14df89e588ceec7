"""What a labeller is judged by: metrics as ratios of two counts of each sequence.

Accuracy and F1 alike are sums of numerators by sums of denominators over sequences, so that intervals, tests between
labellers and averages work for each of them by the linearized ratio (Cochran 1977, Sampling Techniques, section 2.11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.constraints import last_labels_of_scheme, steps_of_scheme
from treecrf.io.messages import listed
from treecrf.models.base import Labeller
from treecrf.models.decoding import constrained_trellis
from treecrf.sequences import SequenceSet
from treecrf.statistics.chunks import chunk_scheme, find_chunks, find_runs, strict_scheme
from treecrf.statistics.metrics import Accuracy, estimate_accuracy

AUTO = "auto"

METRICS = {"accuracy": "accuracy", "span_f1": "span F1", "segment_f1": "segment F1"}
"""What metrics are called in sentences, by name."""

CONSTRAINTS = {"BIO": "bio", "IOBES": "bioes", "BILOU": "bilou", "BMES": "bmes"}
"""Schemes whose labels mark spans by their letters, by the name of the constraints that each has."""


MOST_SLIPS = 0.01
"""Share of the spans of a set that may break its scheme, by a slip of who labelled them, without being imitated."""

LEAST_MARGINAL = 1e-30
"""What a marginal counts with at least, so that some sequence of labels is always left."""


class Counts(NamedTuple):
    """A ratio's counts by sequence, or by group of related ones, of one or several labellings.

    Attributes
    ----------
    numerator, denominator : int64, shape (n_sequences,) or (n_labellings, n_sequences)
        Correct positions and positions, or, of F1, twice the spans that are right and the spans of the truth and of the
        prediction together.
    """

    numerator: NDArray[np.int64]
    denominator: NDArray[np.int64]

    @classmethod
    def stacked(cls, parts: Sequence[Counts]) -> Counts:
        """Those of several labellings of the same sequences."""
        return cls(*(np.stack(arrays) for arrays in zip(*parts, strict=True)))

    @classmethod
    def pooled(cls, parts: Sequence[Counts]) -> Counts:
        """Those of several sets of labellings of the same sequences, one set after another."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    @classmethod
    def joined(cls, parts: Sequence[Counts]) -> Counts:
        """Those of one set of sequences after those of another."""
        return cls(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)))

    def of(self, place: Any) -> Counts:
        """Those of one labelling, or of some."""
        return Counts(self.numerator[place], self.denominator[place])

    def by_group(self, group: NDArray[np.int64]) -> Counts:
        """Sums by the group of each sequence, from 0."""
        sums = np.zeros((int(group.max()) + 1, *self.numerator.shape[:-1], 2), dtype=np.int64)
        np.add.at(sums, group, np.moveaxis(np.stack(self, axis=-1), -2, 0))
        return Counts(*np.ascontiguousarray(np.moveaxis(sums, (-1, 0), (0, -1))))

    @property
    def points(self) -> NDArray[np.float64]:
        """The ratio of the sums, in percent; 0 where there is nothing to count."""
        whole = self.denominator.sum(axis=-1)
        return np.asarray(100 * self.numerator.sum(axis=-1) / np.maximum(whole, 1))

    @property
    def parts(self) -> NDArray[np.float64]:
        """What each sequence, or group, contributes to the points, whose deviations from their mean are those of the
        linearized ratio; they add up to the points.
        """
        whole = np.maximum(self.denominator.sum(axis=-1, keepdims=True), 1)
        points = self.points[..., None]
        residuals = 100 * self.numerator - points * self.denominator
        return np.asarray(residuals / whole + points / self.numerator.shape[-1])

    def estimate(self) -> Accuracy:
        """The points, with their 95 % interval for other sequences or groups; 0 where there is nothing to count."""
        if not self.denominator.any():
            return Accuracy(0.0, np.nan, np.nan)
        return estimate_accuracy(self.numerator, self.denominator)


class Metric(NamedTuple):
    """What labellers of a file are judged by, and how they decode for it.

    Attributes
    ----------
    name : str
        Of `METRICS`.
    constraints : str, optional
        The scheme (`treecrf.chain.constraints.SCHEMES`) whose impossible pairs of labels are left out.
    """

    name: str = "accuracy"
    constraints: str | None = None

    @property
    def words(self) -> str:
        """What sentences call it."""
        return METRICS[self.name]

    @property
    def n_errors(self) -> float:
        """Standard errors within which log loss chooses: none of spans, of which surer labellers find more than their
        log loss says.
        """
        return 1.0 if self.name == "accuracy" else 0.0

    def predict(self, labeller: Labeller, data: SequenceSet) -> NDArray[np.int16]:
        """What a trained labeller predicts so, as codes: `decode` of its marginals."""
        if self.constraints is None:
            return labeller.predict(data)
        return self.decode(labeller.predict_proba(data), data.offsets, labeller.label_names_)

    def decode(
        self, marginals: NDArray[np.floating], offsets: NDArray[np.int64], label_names: Sequence[str]
    ) -> NDArray[np.int16]:
        """Labels from marginals, shape (n_positions, n_labels): the likeliest one of each position, or with constraints
        the sequence that they allow with the greatest product of marginals, by Viterbi's algorithm.

        Methods and their averages alike have marginals, and folds judge what predictions will be.
        """
        if self.constraints is None:
            return marginals.argmax(axis=1).astype(np.int16)
        from treecrf.chain.n_best import best_path
        from treecrf.chain.trellis import trellis_of_scores

        trellis = trellis_of_scores(np.log(np.maximum(marginals, LEAST_MARGINAL, dtype=np.float64)), offsets)
        return best_path(constrained_trellis(trellis, {"constraints": self.constraints}, tuple(label_names)))

    def counts(self, predicted: NDArray[np.integer], data: SequenceSet) -> Counts:
        """The counts of a labelling of a labelled set, by sequence."""
        truth = np.asarray(data.labels)
        if self.name == "accuracy":
            right = np.add.reduceat(predicted == truth, data.offsets[:-1], dtype=np.int64)
            return Counts(right, data.lengths.astype(np.int64))
        if self.name == "segment_f1":
            spans = [find_runs(codes, data.offsets) for codes in (truth, predicted)]
        else:
            scheme = strict_scheme(data.label_names)
            spans = [find_chunks(codes, data.label_names, data.offsets, scheme) for codes in (truth, predicted)]
        keys = [_keys(of_spans, data) for of_spans in spans]
        sequences = [np.searchsorted(data.offsets, of_spans[:, 0], side="right") - 1 for of_spans in spans]
        correct = np.isin(keys[1], keys[0], assume_unique=True)
        n_true, n_predicted, n_correct = (
            np.bincount(places, minlength=len(data)).astype(np.int64) for places in (*sequences, sequences[1][correct])
        )
        return Counts(2 * n_correct, n_true + n_predicted)


def _keys(spans: NDArray[np.int64], data: SequenceSet) -> NDArray[np.int64]:
    """A number for each span that no other one of the set has: by first and last position and type or label."""
    length, n_types = data.n_positions, len(data.label_names) + 1
    return (spans[:, 0] * length + spans[:, 1]) * n_types + spans[:, 2]


def choose_metric(data: SequenceSet, name: str = AUTO) -> Metric:
    """The metric of a labelled set: `AUTO` takes span F1 where labels mark spans in a scheme of `CONSTRAINTS`, else
    accuracy.

    Pairs of labels that are impossible in the scheme are left out unless the set itself has more than `MOST_SLIPS`.

    Raises
    ------
    ValueError
        If spans are asked for and the labels mark none.
    """
    scheme = chunk_scheme(data.label_names)
    if name == AUTO:
        name = "span_f1" if scheme in CONSTRAINTS else "accuracy"
    if name != "span_f1":
        return Metric(name)
    if scheme is None:
        raise ValueError(
            f"--metric span_f1 needs labels that mark spans, such as B-PER, I-PER and O; the labels are "
            f"{listed(data.label_names)}. Choose accuracy or segment_f1."
        )
    constraints = CONSTRAINTS.get(scheme)
    return Metric(name, constraints if constraints and _keeps_to(data, constraints) else None)


def _keeps_to(data: SequenceSet, constraints: str) -> bool:
    """Whether the labels of a set follow a scheme but for slips, and it has a label that may stand everywhere."""
    follows, may_end = (rule(data.label_names, constraints) for rule in (steps_of_scheme, last_labels_of_scheme))
    anywhere = np.diag(follows) & follows[-1] & may_end
    return bool(anywhere.any()) and not _has_more_than_slips(data, constraints)


def _has_more_than_slips(data: SequenceSet, constraints: str) -> bool:
    labels = np.asarray(data.labels)
    follows, may_end = (rule(data.label_names, constraints) for rule in (steps_of_scheme, last_labels_of_scheme))
    before = np.append(-1, labels[:-1])  # the last row of the steps is START
    before[data.offsets[:-1]] = -1
    n_slips = (~follows[before, labels]).sum() + (~may_end[labels[data.offsets[1:] - 1]]).sum()
    n_spans = len(find_chunks(labels, data.label_names, data.offsets, strict_scheme(data.label_names)))
    return bool(n_slips > MOST_SLIPS * n_spans)


def breaks_scheme(data: SequenceSet) -> bool:
    """Whether more of the spans of a set than `MOST_SLIPS` break the scheme of its labels, which has constraints."""
    scheme = chunk_scheme(data.label_names)
    return scheme in CONSTRAINTS and _has_more_than_slips(data, CONSTRAINTS[scheme])
