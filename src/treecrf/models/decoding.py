"""Decoders, and limits of predictions: labels that are allowed, known, or may follow others, and a lag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

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
from treecrf.estimators.conversion import Given
from treecrf.estimators.labels import flat_masks, known_codes
from treecrf.io.arrays import Bools
from treecrf.io.messages import quoted, refuse_unknown

if TYPE_CHECKING:  # kernels are loaded for predictions alone
    from treecrf.chain.trellis import Trellis

Constraints = str | ArrayLike
Decoder = Literal["forward_backward", "viterbi"]
DECODERS: tuple[Decoder, ...] = ("forward_backward", "viterbi")


class Limits(TypedDict, total=False):
    """What labels may be, and what they may look at; all are optional.

    Attributes
    ----------
    allowed : bool, shape (n_positions, n_labels)
        The labels that each position may have, in the order of ``label_names_``; of lists, such an array for each
        sequence.
    known : int, shape (n_positions,)
        Labels that are known already, by code; -1 elsewhere. Of lists, lists of labels, None elsewhere.
    constraints : str or bool, shape (n_labels + 1, n_labels)
        "bio" or "bioes" (`treecrf.chain.constraints.SCHEMES`), or whether each label may stand right after another: by
        the label before, START (what stands before a first position) last, and the label.
    lag : int
        Label each position by what is seen `lag` observations later, as a stream is labelled.
    lengths : int, shape (n_sequences,)
        How many observations each sequence of a padded array has.
    """

    allowed: ArrayLike | None
    known: ArrayLike | None
    constraints: Constraints | None
    lag: int | None
    lengths: ArrayLike | None


class Labelling(NamedTuple):
    """Labels of one sequence, as ``classes_`` has them, and the logarithm of their probability."""

    labels: NDArray[Any]
    log_probability: float


def check_names(limits: Mapping[str, Any], owner: str) -> None:
    """Refuse arguments of a prediction that it does not have."""
    refuse_unknown(limits, ("decoder", *Limits.__annotations__), f"a prediction of {owner}")


def are_given(limits: Mapping[str, Any]) -> bool:
    """Whether any limit is given."""
    return any(value is not None for value in limits.values())


def limits_of_set(limits: Mapping[str, Any], given: Given, classes: NDArray[Any]) -> Limits:
    """The limits of a question, which have its form, as those of the set."""
    of_set = {name: limit for name, limit in limits.items() if name != "lengths"}
    if given.form != "set":
        if of_set.get("known") is not None:
            of_set["known"] = known_codes(given.of_filled(of_set["known"], "known"), given.data, given.form, classes)
        if of_set.get("allowed") is not None:
            of_set["allowed"] = flat_masks(given.of_filled(of_set["allowed"], "allowed"), given.data, given.form)
    return of_set  # type: ignore[return-value]


def refuse_lag(limits: Mapping[str, Any]) -> None:
    """Refuse a lag where whole paths are asked for."""
    if limits.get("lag") is not None:
        raise ValueError(
            "lag: whole paths are known at the end alone; leave lag out, or choose decoder='forward_backward'."
        )


def constrained_trellis(trellis: Trellis, limits: Limits, label_names: tuple[str, ...]) -> Trellis:
    """The paths that are within the limits."""
    from treecrf.chain.trellis import constrain

    n_positions, n_labels = trellis.unary.shape
    masks = []
    if limits.get("allowed") is not None:
        masks.append(checked_allowed(limits["allowed"], n_positions, n_labels))  # type: ignore[arg-type]
    if limits.get("known") is not None:
        masks.append(allow_known(limits["known"], n_positions, n_labels))  # type: ignore[arg-type]
    follows, may_end = step_masks(limits.get("constraints"), label_names)
    if may_end is not None and not may_end.all():
        is_last = np.isin(np.arange(n_positions), trellis.offsets[1:] - 1)
        masks.append(may_end | ~is_last[:, None])
    return constrain(trellis, np.logical_and.reduce(masks) if masks else None, follows)


def step_masks(constraints: Constraints | None, label_names: tuple[str, ...]) -> tuple[Bools | None, Bools | None]:
    """The labels that may follow others, and for a scheme those that may be last."""
    if constraints is None:
        return None, None
    if isinstance(constraints, str):
        return steps_of_scheme(label_names, constraints), last_labels_of_scheme(label_names, constraints)
    return checked_steps(constraints, len(label_names)), None


def chain_lag(lag: int, constraints: Constraints | None, right: int) -> int:
    """How many positions later a label is decided if `lag` observations after it are seen.

    A position's potentials are known once the window's `right` side is there, and whether a label may be the last one
    when it turns out to be the last one.
    """
    if isinstance(constraints, str) and scheme_of(constraints).unfinished:
        right = max(right, 1)
    if not isinstance(lag, (int, np.integer)) or isinstance(lag, bool) or lag < right:
        raise ValueError(
            f"lag={quoted(lag)}: give a whole number of observations, at least the {right} that the labeller sees "
            "after a position."
        )
    return lag - right


def check_decoder(decoder: str) -> None:
    """Refuse a decoder that is not known."""
    if decoder not in DECODERS:
        raise ValueError(f"decoder {decoder!r} is not known; choose one of {', '.join(DECODERS)}.")
