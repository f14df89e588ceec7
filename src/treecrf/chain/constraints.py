"""Constraints on labels: those that positions may have and that may follow others, from names of labels and schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.messages import listed, quoted


class Scheme(NamedTuple):
    """How tags such as ``B-PER``, ``I-PER`` and ``O`` write entities down.

    Attributes
    ----------
    tags : str
        The letters that come before a type.
    continuing : str
        Letters that only come after `continued` ones of the same type.
    continued : str
    unfinished : str
        Letters that a `continuing` one of the same type must follow.
    single, first, middle, last : str
        Letters of an entity's one position, or of its positions.
    """

    tags: str
    continuing: str
    continued: str
    unfinished: str
    single: str
    first: str
    middle: str
    last: str


SCHEMES = {
    "bio": Scheme("BI", "I", "BI", "", "B", "B", "I", "I"),
    "bioes": Scheme("BIES", "IE", "BI", "BI", "S", "B", "I", "E"),
    "bilou": Scheme("BILU", "IL", "BI", "BI", "U", "B", "I", "L"),
    "bmes": Scheme("BMES", "ME", "BM", "BM", "S", "B", "M", "E"),
}
"""``bio`` is also called IOB2; the others mark the ends of entities, and those of one position, too, by other letters.
"""

OUTSIDE = "O"


def scheme_of(name: str) -> Scheme:
    """The scheme of a name; a ValueError lists those that there are."""
    if name not in SCHEMES:
        raise ValueError(f"the scheme {quoted(name)} is not known; choose one of {', '.join(SCHEMES)}.")
    return SCHEMES[name]


def parse_labels(label_names: Sequence[str], scheme: str) -> list[tuple[str, str]]:
    """Letter and type of every label; the type is empty where there is the letter alone, and that of ``O``.

    Raises
    ------
    ValueError
        If a label is none of the scheme.
    """
    letters = scheme_of(scheme).tags
    parts = [(name[:1], name[2:]) for name in label_names]
    for name, (letter, kind) in zip(label_names, parts, strict=True):
        is_tag = letter in letters and (name == letter or (name[1:2] == "-" and kind != ""))
        if name != OUTSIDE and not (letter and is_tag):
            raise ValueError(
                f"the label {quoted(name)} is none of the scheme {scheme}: {OUTSIDE}, {', '.join(letters)}, or one of "
                f"these letters before a type, such as {letters[0]}-PER; the labels are {listed(label_names)}."
            )
    return parts


def steps_of_scheme(label_names: Sequence[str], scheme: str) -> NDArray[np.bool_]:
    """Whether a label may follow another one in a scheme of `SCHEMES`.

    Returns
    -------
    bool, shape (n_labels + 1, n_labels)
        By label before, then label; the last row is START, what stands before a first position.
    """
    rules, labels = scheme_of(scheme), parse_labels(label_names, scheme)
    follows = np.ones((len(labels) + 1, len(labels)), dtype=np.bool_)
    for before, (letter_before, kind_before) in enumerate([*labels, (OUTSIDE, "")]):
        for label, (letter, kind) in enumerate(labels):
            goes_on = letter in rules.continuing and letter_before in rules.continued and kind == kind_before
            must_go_on = letter in rules.continuing or letter_before in rules.unfinished
            follows[before, label] = goes_on or not must_go_on
    return follows


def last_labels_of_scheme(label_names: Sequence[str], scheme: str) -> NDArray[np.bool_]:
    """Whether a label may be the last of a sequence, shape (n_labels,): it leaves no entity unfinished."""
    unfinished = scheme_of(scheme).unfinished
    return np.array([letter not in unfinished for letter, _ in parse_labels(label_names, scheme)])


def checked_steps(follows: ArrayLike, n_labels: int) -> NDArray[np.bool_]:
    """A matrix as of `steps_of_scheme` that somebody wrote down; a ValueError if it has another shape or kind."""
    steps = np.asarray(follows)
    if steps.shape != (n_labels + 1, n_labels) or steps.dtype != np.bool_:
        raise ValueError(
            f"constraints must be the name of a scheme ({', '.join(SCHEMES)}) or a bool array of shape "
            f"{(n_labels + 1, n_labels)}: by label before, START last, and label; "
            f"these are {steps.dtype} of shape {steps.shape}."
        )
    return steps


def checked_allowed(allowed: ArrayLike, n_positions: int, n_labels: int) -> NDArray[np.bool_]:
    """A mask that somebody wrote down; bool, shape (n_positions, n_labels).

    Raises
    ------
    ValueError
        If it has another shape or kind.
    """
    mask = np.asarray(allowed)
    if mask.shape != (n_positions, n_labels) or mask.dtype != np.bool_:
        raise ValueError(
            f"allowed must be bool of shape {(n_positions, n_labels)}, positions by labels, not {mask.dtype} of shape "
            f"{mask.shape}."
        )
    return mask


def allow_known(known: ArrayLike, n_positions: int, n_labels: int) -> NDArray[np.bool_]:
    """The labels that positions may have if some are known, the others -1; bool, shape (n_positions, n_labels).

    Raises
    ------
    ValueError
        If the codes have another shape or kind, or there is no such label.
    """
    codes = np.asarray(known)
    if codes.shape != (n_positions,) or codes.dtype.kind not in "iu":
        raise ValueError(
            "known must be codes of labels (whole numbers, -1 where the label is not known) of shape "
            f"({n_positions},), not {codes.dtype} of shape {codes.shape}."
        )
    wrong = (codes < -1) | (codes >= n_labels)
    if wrong.any():
        position = int(wrong.argmax())
        raise ValueError(f"known: {codes[position]} at position {position} is none of -1 to {n_labels - 1}.")
    return (codes[:, None] == -1) | (codes[:, None] == np.arange(n_labels))
