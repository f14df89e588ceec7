"""Labels, masks, weights and groups in the shape of the sequences, one after another, and padded arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import pairwise
from numbers import Integral, Number
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.estimators.tables import as_array, described, is_frame, lengths_of
from treecrf.io.arrays import Bools, Ints, of_objects
from treecrf.io.messages import counted, listed, quoted, warn
from treecrf.sequences import MISSING, SequenceSet


def flat_labels(labels: Any, data: SequenceSet, form: str) -> list[Any]:
    """The labels one after another, once their number is right.

    There is a list for each sequence or, where the input's `form` is "rows" or "set", one label for each position.
    """
    labels = as_array(labels)
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise ValueError(f"the labels are {described(labels)}; give one list of labels for each sequence.")
    label_list = _column(labels, "the labels") if form == "rows" or is_frame(labels) else list(labels)
    is_nested = [isinstance(each, Iterable) and not isinstance(each, str | bytes) for each in label_list]
    if form == "rows":
        is_nested = [not _is_hashable(each) for each in label_list]
    if form == "rows" or (form == "set" and not all(is_nested)):
        if any(is_nested):
            raise ValueError("the labels are lists, and the sequences are rows; give one label for each row.")
        if len(label_list) != data.n_positions:
            raise ValueError(
                f"there are {counted(len(label_list), 'label')} and {counted(data.n_positions, 'position')}; give one "
                "for each."
            )
        return label_list
    if not all(is_nested):
        raise ValueError(
            f"labels of sequence {is_nested.index(False)}: {quoted(label_list[is_nested.index(False)])} is one label; "
            "give one list of labels for each sequence."
        )
    if len(label_list) != len(data):
        raise ValueError(
            f"there are {counted(len(data), 'sequence')}, and labels of {len(label_list)}; give one list of labels for "
            "each sequence."
        )
    nested = [_column(each, f"labels of sequence {number}") for number, each in enumerate(label_list)]
    for number in np.flatnonzero(lengths_of(nested) > data.lengths).tolist():
        length = int(data.lengths[number])
        # The rest may be padding, of which a transform left out the rows.
        if not any(is_known(label) for label in nested[number][length:]):
            nested[number] = nested[number][:length]
    wrong = np.flatnonzero(lengths_of(nested) != data.lengths)
    if len(wrong):
        number = int(wrong[0])
        raise ValueError(
            f"sequence {number} has {counted(len(nested[number]), 'label')} and "
            f"{counted(int(data.lengths[number]), 'observation')}; give one label for each."
        )
    return [label for each in nested for label in each]


def is_known(label: Any) -> bool:
    """Whether something is a label: None, NaN and empty text are none."""
    return label is not None and label == label and not (isinstance(label, str) and label == "")


def _column(labels: Any, what: str) -> list[Any]:
    """Labels of observations that may be a column of a table; `what` they are, in errors."""
    if is_frame(labels) or (isinstance(labels, np.ndarray) and labels.ndim > 1):
        table = np.asarray(labels)
        if table.ndim > 2 or table.shape[1] != 1:
            raise ValueError(
                f"{what} have the shape {table.shape}; give one label for each observation, such as "
                "names[array.argmax(axis=1)] where they are one-hot."
            )
        labels = table[:, 0]
    return list(labels)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def known_codes(known: Any, data: SequenceSet, form: str, classes: NDArray[Any]) -> Ints:
    """Labels that are known already, None elsewhere, in the shape of the sequences, as codes of `classes`, shape
    (n_positions,).
    """
    try:
        known_labels, codes = sorted_labels(flat_labels(known, data, form))
    except ValueError as error:
        raise ValueError(f"known: {error}") from None
    code_of = {label: code for code, label in enumerate(classes.tolist())}
    for label in known_labels.tolist():
        if label not in code_of:
            raise ValueError(
                f"known: {quoted(label)} is none of the labels, which are {listed(classes.tolist())}; give None where "
                "the label is not known."
            )
    return np.array([*(code_of[label] for label in known_labels.tolist()), MISSING])[codes]


def flat_masks(allowed: Any, data: SequenceSet, form: str) -> Any:
    """The labels that positions may have, bool, shape (n_positions, n_labels), from a mask for each sequence (form
    "sequences").
    """
    if form != "sequences":
        return allowed
    if isinstance(allowed, str | bytes | Mapping) or not isinstance(allowed, Iterable):
        raise ValueError(f"allowed is {described(allowed)}; give one mask, positions by labels, for each sequence.")
    masks = list(allowed)
    if len(masks) != len(data):
        raise ValueError(
            f"allowed: there are {counted(len(data), 'sequence')}, and masks of {len(masks)}; give one mask, positions "
            "by labels, for each."
        )
    try:
        masks = [np.asarray(mask) for mask in masks]
    except ValueError:
        raise ValueError("allowed: the rows of a mask have different lengths; give a bool for each label.") from None
    for number, (mask, length) in enumerate(zip(masks, data.lengths.tolist(), strict=True)):
        if mask.ndim != 2 or len(mask) != length or mask.shape[1] != masks[0].shape[1]:
            raise ValueError(
                f"allowed: the mask of sequence {number} has the shape {mask.shape}; give ({length}, the number of "
                "labels)."
            )
    return np.concatenate(masks)


def flat_weights(weights: Any, data: SequenceSet) -> NDArray[Any]:
    """Weights as one array: one for each sequence or position as they are, lists of a sequence's positions one after
    another.
    """
    weights = as_array(weights)
    if isinstance(weights, np.ndarray) and weights.ndim == 1 and weights.dtype != object:
        return weights
    if isinstance(weights, str | bytes | Mapping) or not isinstance(weights, Iterable):
        raise ValueError(
            f"sample_weight is {described(weights)}; give one number for each sequence, or a list of them."
        )
    weight_list = list(weights)
    if not any(isinstance(each, Iterable) for each in weight_list):
        return np.asarray(weight_list)
    lengths = [len(each) if isinstance(each, Sized) else 0 for each in weight_list]
    if lengths != data.lengths.tolist():
        raise ValueError(
            f"sample_weight has lists of the lengths {listed(lengths)}, the sequences have "
            f"{listed(data.lengths.tolist())}; give numbers, one for each sequence or each position."
        )
    return np.concatenate([np.asarray(each) for each in weight_list])


def sequence_groups(groups: Any, n_sequences: int, rows: Ints | None = None) -> Ints:
    """The group of each sequence as a number, shape (n_sequences,).

    Parameters
    ----------
    groups : list, Series or array
        One name or number for each sequence or, where `rows` are given, for each row, the same in all rows of a
        sequence.
    n_sequences : int
    rows : int64, shape (n_sequences + 1,), optional
        Where the rows of each sequence begin.
    """
    import pandas as pd

    groups = as_array(groups)
    if isinstance(groups, str | bytes | Mapping) or not isinstance(groups, Iterable):
        raise ValueError(f"groups are {described(groups)}; give the group of each sequence.")
    codes = pd.factorize(of_objects(groups))[0].astype(np.int64)
    if rows is not None and len(codes) == rows[-1]:
        by_row, codes = codes, codes[rows[:-1]]
        mixed = by_row != np.repeat(codes, np.diff(rows))
        if mixed.any():
            raise ValueError(f"groups: the sequence of row {int(mixed.argmax())} is in two groups; give it one.")
    if len(codes) != n_sequences:
        raise ValueError(
            f"there are {counted(n_sequences, 'sequence')} and {counted(len(codes), 'group')}; give one for each."
        )
    if (codes < 0).any():
        raise ValueError(f"groups: sequence {int((codes < 0).argmax())} has none; give each sequence one.")
    return codes


def sorted_labels(labels: list[Any]) -> tuple[NDArray[Any], Ints]:
    """The different labels, in their own type, and the code of each, `MISSING` for None and NaN.

    Labels are sorted, by their text if they have no order. They are text, truth values or whole numbers, or anything
    else that can be the key of a dictionary, such as dates and tuples; these are an array of objects.
    """
    import pandas as pd

    unhashable = next((label for label in labels if not _is_hashable(label)), None)
    if unhashable is not None:
        raise ValueError(
            f"Unknown label type: {quoted(unhashable)} is a label; give each observation one label that a dictionary's "
            "key can be."
        )
    codes, distinct = pd.factorize(of_objects(labels))
    kinds = [_label_kind(label) for label in distinct]
    if "" in kinds:
        raise ValueError(
            f"Unknown label type: {quoted(distinct[kinds.index('')])} is a label; labels are text or whole numbers, "
            "None where they are not known."
        )
    if len(set(kinds)) > 1:
        raise ValueError(f"labels are {' and '.join(sorted(set(kinds)))}; give them one type.")
    if not set(kinds) <= set(_STORED):
        classes = of_objects(_sorted(distinct.tolist()))
        place_of = np.array([classes.tolist().index(label) for label in distinct], dtype=np.int64)
        return classes, np.append(place_of, MISSING)[codes]
    classes, place_of = np.unique(np.array(distinct.tolist()), return_inverse=True)
    return classes, np.append(place_of, MISSING)[codes]


def _sorted(labels: list[Any]) -> list[Any]:
    try:
        ordered = sorted(labels)
        if all(before < after for before, after in pairwise(ordered)):  # sets have no order that sorts
            return ordered
    except TypeError:
        pass
    return sorted(labels, key=str)


def storable_labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Labels as a file holds them: as text, with a warning, if they are neither text, truth values nor numbers."""
    if classes.dtype != object:
        return classes
    texts = np.array([str(label) for label in classes])
    warn(
        f"labels are {type(classes[0]).__name__}, which a file cannot hold: a model that is loaded from it has their "
        f"texts, such as {quoted(str(texts[0]))}."
    )
    return texts


_STORED = ("text", "booleans", "numbers")
"""Kinds of labels that files hold as they are."""


def _label_kind(label: Any) -> str:
    """ "text", "truth values", "whole numbers" (floats, too), or the name of another type; "" for what is no label."""
    if isinstance(label, str):
        return "text" if label else ""
    if isinstance(label, bool | np.bool_):
        return "booleans"
    if isinstance(label, Integral) or (isinstance(label, float | np.floating) and float(label).is_integer()):
        return "numbers"
    return "" if isinstance(label, Number) else type(label).__name__


# --- padding ---------------------------------------------------------------------------------------


class Padding(NamedTuple):
    """How many rows of each sequence are observations, and how many there are.

    Attributes
    ----------
    lengths : int64, shape (n_sequences,)
    longest : int
    """

    lengths: Ints
    longest: int

    @classmethod
    def find(cls, sequences: Any, labels: Any, lengths: ArrayLike | None) -> Self | None:
        """The padding of sequences; None if there is none.

        Parameters
        ----------
        sequences : any form of sequences
            Arrays of three dimensions (n_sequences, longest, n_columns) alone have padding.
        labels : list or array, optional
            Of the sequences.
        lengths : array_like of int, shape (n_sequences,), optional
            How many observations each sequence has. Unless given, the last rows of a float array are padding, with a
            warning, where all inputs are NaN and no label is known.

        Raises
        ------
        ValueError
            For lengths that do not fit, in one sentence.
        """
        is_array = isinstance(sequences, np.ndarray) and sequences.ndim == 3
        if lengths is not None:
            if not is_array:
                raise ValueError(
                    "lengths are those of rows (a 2-d array, a DataFrame or a list of dicts) or of a padded array of "
                    f"three dimensions, and the sequences are {described(sequences)}; leave lengths out, as each "
                    "sequence has its own length."
                )
            return cls(_checked(lengths, sequences.shape), sequences.shape[1])
        if not is_array or sequences.dtype.kind != "f" or not sequences.size:
            return None
        longest = sequences.shape[1]
        ends = _ends(~np.isnan(sequences).all(axis=2))
        if (ends == longest).all():
            return None
        if isinstance(labels, Sequence | np.ndarray) and len(labels) == len(sequences):
            ends = np.maximum(ends, [min(_labelled_end(each, longest), longest) for each in labels])
        n_rows, n_padded = int((longest - ends).sum()), int((ends < longest).sum())
        if not n_rows:
            return None
        warn(
            f"{counted(n_rows, 'row')} at the ends of {counted(n_padded, 'sequence')} left out as padding, as all is "
            "missing there; lengths= says which rows are observations."
        )
        return cls(ends, longest)

    def cut(self, lists: Any) -> Any:
        """Arrays, or lists of labels, masks or weights by sequence, without what belongs to the padding."""
        if isinstance(lists, str | bytes | Mapping) or not isinstance(lists, Sequence | np.ndarray):
            return lists
        if len(lists) != len(self.lengths) or not all(isinstance(each, Sized) for each in lists):
            return lists
        return [
            each[:length] if not isinstance(each, str) and len(each) == self.longest else each
            for each, length in zip(lists, self.lengths.tolist(), strict=True)
        ]


def _ends(is_there: Bools) -> Ints:
    """Where the last True of each row ends, 0 if there is none."""
    places = np.arange(1, is_there.shape[1] + 1)
    return np.asarray((is_there * places).max(axis=1), dtype=np.int64)


def _labelled_end(labels: Any, longest: int) -> int:
    """Where the last known label of a sequence ends; the number of labels where they are not padded."""
    if not isinstance(labels, Sequence | np.ndarray):
        return 0
    if len(labels) != longest:
        return len(labels)
    known = [is_known(label) for label in of_objects(labels)]
    return int(_ends(np.array([known]))[0])


def _checked(lengths: ArrayLike, shape: tuple[int, ...]) -> Ints:
    n_rows = np.asarray(lengths)
    if n_rows.shape != shape[:1] or n_rows.dtype.kind not in "iu":
        raise ValueError(
            f"lengths have the shape {n_rows.shape} and type {n_rows.dtype}; give a whole number for each of "
            f"{counted(shape[0], 'sequence')}."
        )
    wrong = (n_rows < 0) | (n_rows > shape[1])
    if wrong.any():
        number = int(wrong.argmax())
        raise ValueError(
            f"lengths: sequence {number} has {counted(n_rows[number], 'observation')}; give 0 to {shape[1]}."
        )
    return n_rows.astype(np.int64)
