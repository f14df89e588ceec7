"""What chains can be asked beyond their labels: labels that are constrained, the best paths, spans, and labels of streams."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.chain.constraints import (
    allow_known,
    checked_allowed,
    checked_steps,
    last_labels_of_scheme,
    scheme_of,
    steps_of_scheme,
)
from treecrf.io.messages import quoted
from treecrf.models.questions import limits_of_set
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:  # kernels are loaded for predictions alone
    from treecrf.chain.n_best import NBest
    from treecrf.chain.trellis import Trellis
    from treecrf.models.streaming import LabelStream

Array = NDArray[np.float64]
Constraints = str | ArrayLike


class Limits(TypedDict, total=False):
    """What labels may be, and what they may look at; all are optional.

    Attributes
    ----------
    allowed : bool, shape (n_positions, n_labels)
        The labels that each position may have, in the order of ``label_names_``; of lists, such an array for each sequence.
    known : int, shape (n_positions,)
        Labels that are known already, by code; -1 elsewhere. Of lists, lists of labels, None elsewhere.
    constraints : str or bool, shape (n_labels + 1, n_labels)
        "bio" or "bioes" (`treecrf.chain.constraints.SCHEMES`), or whether each label may stand right after another: by the
        label before, START (what stands before a first position) last, and the label.
    lag : int
        Label each position by what is seen `lag` observations later, as a stream is labelled.
    """

    allowed: ArrayLike | None
    known: ArrayLike | None
    constraints: Constraints | None
    lag: int | None


class Labelling(NamedTuple):
    """Labels of one sequence, as ``classes_`` has them, and the logarithm of their probability."""

    labels: NDArray[Any]
    log_probability: float


class Decoding:
    """Questions to labellers whose answers come from constrained chains (`treecrf.chain.trellis`).

    Where positions are labelled by themselves, their probabilities take the place of a chain.
    """

    label_names_: tuple[str, ...]

    def predict_n_best(self, data: Any, n: int, **limits: Unpack[Limits]) -> NBest | list[list[Labelling]]:
        """The n likeliest label sequences of every sequence, exactly.

        Parameters
        ----------
        data : SequenceSet, or sequences as in `treecrf.estimators.conversion`
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

        _refuse_lag(limits)
        given = self._read(data)  # type: ignore[attr-defined]
        trellis = limited_trellis(self, given.data, cast("Limits", limits_of_set(self, given, limits)))
        found = n_best(trellis, n, forward_backward(trellis).log_partition)
        return found if given.form == "set" else self._labellings(found, given.data.offsets)

    def _labellings(self, found: NBest, offsets: NDArray[np.int64]) -> list[list[Labelling]]:
        classes = self.classes_  # type: ignore[attr-defined]
        return [
            [
                Labelling(classes[found.labels[rank, begin:end]], float(found.log_probabilities[rank, sequence]))
                for rank in range(found.n_paths[sequence])
            ]
            for sequence, (begin, end) in enumerate(pairwise(offsets.tolist()))
        ]

    def span_probability(
        self,
        data: Any,
        spans: Iterable[tuple[int, int, int, str]],
        *,
        entities: str | None = None,
        **limits: Unpack[Limits],
    ) -> Array:
        """The probability that all positions of a span have a label, or that an entity begins and ends where it does.

        Parameters
        ----------
        data : SequenceSet, or sequences as in `treecrf.estimators.conversion`
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

        _refuse_lag(limits)
        given = self._read(data)  # type: ignore[attr-defined]
        trellis = limited_trellis(self, given.data, cast("Limits", limits_of_set(self, given, limits)))
        return span_probability(trellis, spans, self.label_names_, entities)

    def stream(self, lag: int, *, constraints: Constraints | None = None) -> LabelStream:
        """Something that takes one observation after another of a sequence, and labels each when `lag` more have come.

        Labels are those of ``predict(data, lag=lag, constraints=constraints)``.

        Raises
        ------
        ValueError
            If the method cannot label a stream, or its window sees more than `lag` observations after a position.
        """
        from treecrf.models.streaming import LabelStream

        return LabelStream(self, lag, constraints)

    def _trellis(self, data: SequenceSet) -> Trellis:
        """All paths of the data."""
        from treecrf.chain.trellis import trellis_of_scores

        with np.errstate(divide="ignore"):  # votes may give a label nothing
            return trellis_of_scores(np.log(self.predict_proba(data)), data.offsets)  # type: ignore[attr-defined]

    @property
    def _reach(self) -> tuple[int, int]:
        """How many observations before and after a position its potentials see."""
        raise ValueError(f"{type(self).__name__} labels no streams, as it is no chain of windows; leave lag out.")


def are_given(limits: Limits) -> bool:
    """Whether any of them is there."""
    return any(value is not None for value in limits.values())


def limited_trellis(labeller: Any, data: SequenceSet, limits: Limits) -> Trellis:
    """The paths of the data that are within the limits."""
    from treecrf.chain.trellis import constrain

    trellis = labeller._trellis(data)
    n_positions, n_labels = trellis.unary.shape
    masks = []
    if limits.get("allowed") is not None:
        masks.append(checked_allowed(limits["allowed"], n_positions, n_labels))  # type: ignore[arg-type]
    if limits.get("known") is not None:
        masks.append(allow_known(limits["known"], n_positions, n_labels))  # type: ignore[arg-type]
    follows, may_end = step_masks(labeller, limits.get("constraints"))
    if may_end is not None and not may_end.all():
        is_last = np.isin(np.arange(n_positions), trellis.offsets[1:] - 1)
        masks.append(may_end | ~is_last[:, None])
    return constrain(trellis, np.logical_and.reduce(masks) if masks else None, follows)


def step_masks(
    labeller: Any, constraints: Constraints | None
) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
    """The labels that may follow others, and for a scheme those that may be last."""
    if constraints is None:
        return None, None
    if isinstance(constraints, str):
        names = labeller.label_names_
        return steps_of_scheme(names, constraints), last_labels_of_scheme(names, constraints)
    return checked_steps(constraints, len(labeller.label_names_)), None


def chain_lag(labeller: Any, lag: int, constraints: Constraints | None) -> int:
    """How many positions later a label is decided if `lag` observations after it are seen.

    A position's potentials are known once the window's right side is there, and whether a label may be the last one when it
    turns out to be the last one.
    """
    right = labeller._reach[1]
    sees_end = isinstance(constraints, str) and scheme_of(constraints).unfinished
    if sees_end:
        right = max(right, 1)
    if not isinstance(lag, (int, np.integer)) or isinstance(lag, bool) or lag < right:
        raise ValueError(
            f"lag={quoted(lag)}: give a whole number of observations, at least the {right} that the labeller sees after a position."
        )
    return lag - right


def limited_marginals(labeller: Any, data: SequenceSet, limits: Limits) -> Array:
    """P(y_t | X, the limits), shape (n_positions, n_labels); with a lag, X ends so much later."""
    from treecrf.chain.lag import lagged_marginals
    from treecrf.chain.trellis import forward_backward

    lag = limits.get("lag")
    if lag is None:
        return forward_backward(limited_trellis(labeller, data, limits)).labels
    n_later = chain_lag(labeller, lag, limits.get("constraints"))
    return lagged_marginals(limited_trellis(labeller, data, limits), n_later)


def limited_labels(
    labeller: Any, data: SequenceSet, decoder: Literal["forward_backward", "viterbi"], limits: Limits
) -> NDArray[np.int16]:
    """The likeliest label of each position within the limits, or the likeliest path; ties as of `Labeller.predict`."""
    from treecrf.chain.n_best import best_path

    if decoder == "forward_backward":
        return limited_marginals(labeller, data, limits).argmax(axis=1).astype(np.int16)
    _refuse_lag(limits)
    return best_path(limited_trellis(labeller, data, limits))


def _refuse_lag(limits: Limits) -> None:
    if limits.get("lag") is not None:
        raise ValueError(
            "lag: whole paths are known at the end alone; leave lag out, or choose decoder='forward_backward'."
        )
