"""Sequences, labels, masks and weights in the forms that users have, and answers in the form of the question.

`Given` reads

- a list of sequences, each a DataFrame (a row per observation), a 2-d array, a list of dicts of features, a list of tokens or
  numbers, or a set (as ``list(data)`` has them): answers are one entry a sequence;
- one 2-d array, which is one sequence, or one DataFrame whose index has a name and tells its sequences apart: answers are one
  row for each of its rows.

Columns of arrays are called x0, x1, .. and hold numbers, unless they are text. Columns of frames hold what
`SequenceSet.from_frame` takes them for. In dicts text and booleans are categories and numbers are numbers; a key that a dict lacks
is a feature that is off, as for CRFsuite and scikit-learn's DictVectorizer: the category `ABSENT`, or the number 0. None and
NaN are missing everywhere. What training took a column for it stays in new data. A sequence without observations has no labels; the
set is that of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.tables import Observations, as_array, check_kind, described, encode, is_frame, lengths_of
from treecrf.io.arrays import first_relatives, of_objects
from treecrf.io.frames import Kind
from treecrf.io.messages import counted, listed, quoted
from treecrf.sequences import MISSING, SequenceSet

if TYPE_CHECKING:
    import pandas as pd

    Sequences: TypeAlias = SequenceSet | Sequence[Any] | NDArray[Any] | pd.DataFrame
    Labels: TypeAlias = Sequence[Any] | NDArray[Any] | pd.Series | None


_SEQUENCE = "(sequence)"
_ADVICE = "give a list of sequences (DataFrames, 2-d arrays, lists of dicts), or a SequenceSet"


Form: TypeAlias = Literal["set", "sequences", "rows"]


class BySequence(list):
    """A list with one entry a sequence. Where numpy is given it, it is an array of objects: lengths may differ."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return of_objects(self)


class Given(NamedTuple):
    """What a caller gave.

    Attributes
    ----------
    data : SequenceSet
    form : "set", "sequences" or "rows"
        A set; a list with one entry a sequence; rows that are not divided.
    classes : array or None
        The labels that were given, sorted, in their own type, in the order of their codes.
    index : Index or None
        Of the rows of a DataFrame.
    empty : tuple of int
        Numbers of the sequences of a list that have no observation.
    """

    data: SequenceSet
    form: Form
    classes: NDArray[Any] | None = None
    index: Any = None
    empty: tuple[int, ...] = ()

    @classmethod
    def read(cls, sequences: Any, labels: Any = None, kinds: Mapping[str, Kind] | None = None) -> Self:
        """Read sequences and their labels.

        Parameters
        ----------
        sequences : SequenceSet, list of sequences, 2-d array, or DataFrame
            See above.
        labels : list of lists, or one list, optional
            One label for each observation, text or whole numbers, in the shape of the sequences. A set has labels already
            and may be given others, by sequence or one after another.
        kinds : mapping of str to "number" or "category", optional
            The inputs that are known from training; other ones are refused.

        Raises
        ------
        ValueError
            For arguments of other kinds or sizes, in one sentence.
        """
        sequences = as_array(sequences)
        form: Form
        empty: tuple[int, ...] = ()
        if isinstance(sequences, SequenceSet):
            data, form = sequences, "set"
        elif is_frame(sequences):
            data, form = _of_indexed_frame(sequences, kinds), "rows"
        elif isinstance(sequences, np.ndarray) and sequences.ndim == 2:
            data, form = encode(Observations.of([sequences]), kinds), "rows"
        else:
            every = _as_list(sequences)
            filled = [sequence for sequence in every if len(sequence)]
            empty = tuple(number for number, sequence in enumerate(every) if not len(sequence))
            if not filled:
                raise ValueError("the set has no sequences; give at least one, with an observation.")
            data, form = _of_list(filled, kinds), "sequences"
        index = sequences.index if is_frame(sequences) else None
        if labels is None:
            return cls(data, form, None, index, empty)
        given = cls(data, form, None, index, empty)
        classes, codes = sorted_labels(flat_labels(given.of_filled(labels), data, form))
        return given._replace(data=data.with_labels(codes, tuple(map(str, classes.tolist()))), classes=classes)

    def of_filled(self, lists: Any) -> Any:
        """Lists of labels, masks or weights by sequence, without those of empty sequences, which have to be empty."""
        if not self.empty or isinstance(lists, str | bytes | Mapping) or not isinstance(lists, Sequence):
            return lists
        for number in self.empty:
            if number < len(lists) and isinstance(lists[number], Sized) and len(lists[number]):
                raise ValueError(
                    f"sequence {number} has no observations, and {len(lists[number])} labels or others; give none."
                )
        return [each for number, each in enumerate(lists) if number not in self.empty]

    def refuse_empty(self) -> None:
        """Refuse sequences without observations, where there is no answer for them."""
        if self.empty:
            raise ValueError(f"sequence {self.empty[0]} has no observations; leave it out.")

    def answers(self, by_position: NDArray[Any]) -> Any:
        """Answers by position, along the first axis, in the form of the question."""
        if self.form != "sequences":
            return by_position
        parts = np.split(by_position, self.data.offsets[1:-1])
        for number in self.empty:
            parts.insert(number, by_position[:0])
        return BySequence(parts)

    def returned(self, data: SequenceSet) -> Any:
        """The same sequences with other inputs, in a form that `read` takes for the one that it read."""
        if self.form == "set":
            return data
        if self.form == "sequences":
            return BySequence(data)
        if self.index is None and not data.attributes:
            return data.numbers.copy()
        import pandas as pd

        frame = data.with_labels(None).to_frame(sequence=_SEQUENCE).drop(columns=_SEQUENCE)
        return frame.set_axis(pd.Index([0] * len(frame), name="sequence") if self.index is None else self.index)


def count_empty(sequences: Any) -> int | None:
    """How many sequences a list has, if all are without observations; None otherwise."""
    if not isinstance(sequences, list | tuple):
        return None
    are_empty = all(isinstance(each, list | tuple | np.ndarray) and not len(each) for each in sequences)
    return len(sequences) if are_empty else None


def _as_list(sequences: Any) -> list[Any]:
    """The sequences one by one, however they are kept."""
    if hasattr(sequences, "tocsr"):
        raise ValueError(
            "the sequences are a sparse matrix or array, which is not read; give dense arrays (X.toarray())."
        )
    if isinstance(sequences, str | bytes | Mapping) or not isinstance(sequences, Iterable):
        raise ValueError(f"the sequences are {described(sequences)}; {_ADVICE}.")
    if isinstance(sequences, np.ndarray) and sequences.ndim == 0:
        raise ValueError(f"the sequences are one value ({quoted(sequences.item())}); {_ADVICE}.")
    sequence_list = list(sequences)
    if not sequence_list:
        raise ValueError("the set has no sequences; give at least one.")
    for number, sequence in enumerate(sequence_list):
        if isinstance(sequence, str | bytes | Mapping) or not hasattr(sequence, "__len__"):
            raise ValueError(
                f"sequence {number} is {described(sequence)}, which is one value or observation; give a list of sequences, "
                "[sequence] if there is one. Reshape your data so: a 2-d array is one sequence."
            )
    return sequence_list


def _of_list(sequences: list[Any], known: Mapping[str, Kind] | None) -> SequenceSet:
    if not isinstance(sequences[0], SequenceSet):
        return encode(Observations.of(sequences), known)
    for number, part in enumerate(sequences):
        check_kind(part, lambda value: isinstance(value, SequenceSet), "a SequenceSet", number)
    joined = SequenceSet.concatenate(sequences)
    return joined.with_groups(first_relatives(np.concatenate([part.groups for part in sequences])))  # as in their set


def _of_indexed_frame(frame: Any, known: Mapping[str, Kind] | None) -> SequenceSet:
    """A frame whose index tells sequences apart, by its first level if it has several."""
    if frame.index.names[0] is None:
        raise ValueError(
            "one DataFrame does not say where its sequences begin; set its index to the column that tells them apart "
            "(frame.set_index('sequence')), give a list of DataFrames, or SequenceSet.from_frame(frame, sequence=, label=)."
        )
    import pandas as pd

    if not len(frame):
        raise ValueError("the set has no sequences; give at least one.")
    codes = pd.factorize(frame.index.get_level_values(0), use_na_sentinel=False)[0]
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    if len(np.unique(codes)) != len(starts):
        again = starts[pd.Series(codes[starts]).duplicated().to_numpy().argmax()]
        raise ValueError(
            f"row {again}: sequence {frame.index.get_level_values(0)[again]} comes a second time; sort the frame by its index."
        )
    table = Observations.of_frames([frame])
    return encode(table._replace(lengths=np.diff(np.r_[starts, len(frame)])), known)


# --- labels, masks and weights ----------------------------------------------------------------------


def flat_labels(labels: Any, data: SequenceSet, form: str) -> list[Any]:
    """The labels one after another, once their number is right.

    Parameters
    ----------
    labels : sequence or array
        A list for each sequence or, of rows and of a set, one label for each position.
    data : SequenceSet
    form : str
        Of the input that `data` was: "sequences", "rows" or "set".
    """
    labels = as_array(labels)
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise ValueError(f"the labels are {described(labels)}; give one list of labels for each sequence.")
    if is_frame(labels):
        labels = np.asarray(labels)
    if isinstance(labels, np.ndarray) and labels.ndim == 2 and labels.shape[1] == 1 and form == "rows":
        labels = labels[:, 0]
    label_list = list(labels)
    is_nested = [isinstance(each, Iterable) and not isinstance(each, str | bytes) for each in label_list]
    if form == "rows" or (form == "set" and not all(is_nested)):
        if any(is_nested):
            raise ValueError("the labels are lists, and the sequences are rows; give one label for each row.")
        if len(label_list) != data.n_positions:
            raise ValueError(
                f"there are {counted(len(label_list), 'label')} and {counted(data.n_positions, 'position')}; give one for each."
            )
        return label_list
    if not all(is_nested):
        raise ValueError(
            f"labels of sequence {is_nested.index(False)}: {quoted(label_list[is_nested.index(False)])} is one label; give one list of "
            "labels for each sequence."
        )
    if len(label_list) != len(data):
        raise ValueError(
            f"there are {counted(len(data), 'sequence')}, and labels of {len(label_list)}; give one list of labels for each sequence."
        )
    nested = [list(each) for each in label_list]
    wrong = np.flatnonzero(lengths_of(nested) != data.lengths)
    if len(wrong):
        number = int(wrong[0])
        raise ValueError(
            f"sequence {number} has {counted(len(nested[number]), 'label')} and "
            f"{counted(int(data.lengths[number]), 'observation')}; give one label for each."
        )
    return [label for each in nested for label in each]


def known_codes(known: Any, data: SequenceSet, form: str, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Labels that are known already, None elsewhere, in the shape of the sequences, as codes of `classes`, shape (n_positions,).

    Parameters
    ----------
    known, data, form
        As `labels`, `data` and `form` of `flat_labels`.
    classes : array, shape (n_labels,)
    """
    try:
        known_labels, codes = sorted_labels(flat_labels(known, data, form))
    except ValueError as error:
        raise ValueError(f"known: {error}") from None
    code_of = {label: code for code, label in enumerate(classes.tolist())}
    for label in known_labels.tolist():
        if label not in code_of:
            raise ValueError(
                f"known: {quoted(label)} is none of the labels, which are {listed(classes.tolist())}; give None where the label is "
                "not known."
            )
    return np.array([*(code_of[label] for label in known_labels.tolist()), MISSING])[codes]


def flat_masks(allowed: Any, data: SequenceSet, form: str) -> Any:
    """The labels that positions may have, bool, shape (n_positions, n_labels).

    Parameters
    ----------
    allowed : list of bool arrays, or bool array
        A mask for each sequence where the input was a list of sequences; else the whole.
    data : SequenceSet
    form : str
        As for `flat_labels`.
    """
    if form != "sequences":
        return allowed
    if isinstance(allowed, str | bytes | Mapping) or not isinstance(allowed, Iterable):
        raise ValueError(f"allowed is {described(allowed)}; give one mask, positions by labels, for each sequence.")
    masks = list(allowed)
    if len(masks) != len(data):
        raise ValueError(
            f"allowed: there are {counted(len(data), 'sequence')}, and masks of {len(masks)}; give one mask, positions by labels, for "
            "each."
        )
    try:
        masks = [np.asarray(mask) for mask in masks]
    except ValueError:
        raise ValueError("allowed: the rows of a mask have different lengths; give a bool for each label.") from None
    for number, (mask, length) in enumerate(zip(masks, data.lengths.tolist(), strict=True)):
        if mask.ndim != 2 or len(mask) != length or mask.shape[1] != masks[0].shape[1]:
            raise ValueError(
                f"allowed: the mask of sequence {number} has the shape {mask.shape}; give ({length}, the number of labels)."
            )
    return np.concatenate(masks)


def flat_weights(weights: Any, data: SequenceSet) -> NDArray[Any]:
    """Weights as one array: one for each sequence or position as they are, lists of a sequence's positions one after another."""
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
            f"sample_weight has lists of the lengths {listed(lengths)}, the sequences have {listed(data.lengths.tolist())}; give "
            "numbers, one for each sequence or each position."
        )
    return np.concatenate([np.asarray(each) for each in weight_list])


def sorted_labels(labels: list[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different labels, in their own type, and the code of each, `MISSING` for None and NaN."""
    import pandas as pd

    codes, distinct = pd.factorize(of_objects(labels))
    kinds = [_label_kind(label) for label in distinct]
    if "" in kinds:
        raise ValueError(
            f"Unknown label type: {quoted(distinct[kinds.index('')])} is a label; labels are text or whole numbers, None where they are "
            "not known."
        )
    if len(set(kinds)) > 1:
        raise ValueError(f"labels are {' and '.join(sorted(set(kinds)))}; give them one type.")
    classes, place_of = np.unique(np.array(distinct.tolist()), return_inverse=True)
    return classes, np.append(place_of, MISSING)[codes]


def _label_kind(label: Any) -> str:
    """Text, truth values, or whole numbers, which may be floats; empty for what is no label."""
    if isinstance(label, str):
        return "text" if label else ""
    if isinstance(label, bool | np.bool_):
        return "booleans"
    if isinstance(label, Integral) or (isinstance(label, float | np.floating) and float(label).is_integer()):
        return "numbers"
    return ""
