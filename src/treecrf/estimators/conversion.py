"""Sequences, labels, masks and weights in the forms that users have, and answers in the form of the question.

`Given` reads

- a list of sequences, each a DataFrame (a row per observation; of pandas, polars, or a table of pyarrow), a 2-d array,
  an array with named columns, a list of dicts of features, a list of tokens or numbers, or a set (as ``list(data)`` has
  them): answers are one entry a sequence;
- one 2-d array, which is one sequence, or one DataFrame whose index has a name and tells its sequences apart: answers
  are one row for each of its rows. Where training has said what the inputs are, one list of dicts and a DataFrame whose
  index has no name are one sequence, too. With ``lengths``, as hmmlearn and seqlearn have them, these are the sequences
  one after another.

Columns of arrays are called x0, x1, .. and hold numbers, unless they are text. Columns of frames hold what
`SequenceSet.from_frame` takes them for. In dicts text and booleans are categories and numbers are numbers; a key that a
dict lacks is a feature that is off, as for CRFsuite and scikit-learn's DictVectorizer: the category `ABSENT`, or the
number 0. None and NaN are missing everywhere. What training took a column for it stays in new data. A sequence without
observations has no labels; the set is that of the others. The last rows of a sequence in an array of three dimensions
may be padding (`treecrf.estimators.labels`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.estimators.labels import Padding, flat_labels, flat_weights, sequence_groups, sorted_labels
from treecrf.estimators.tables import (
    Observations,
    as_array,
    as_frame,
    check_kind,
    described,
    encode,
    is_dicts,
    is_frame,
)
from treecrf.io.arrays import first_relatives, integers, of_objects
from treecrf.io.columns import SAID, Kind, Vocabulary
from treecrf.io.frames import by_index, comes_again, is_indexed, parts_by_index, runs_of
from treecrf.io.messages import counted, quoted
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    import pandas as pd

    Sequences: TypeAlias = SequenceSet | Sequence[Any] | NDArray[Any] | pd.DataFrame
    Labels: TypeAlias = Sequence[Any] | NDArray[Any] | pd.Series | None
    Groups: TypeAlias = Labels


_ADVICE = "give a list of sequences (DataFrames, 2-d arrays, lists of dicts), or a SequenceSet"


Form: TypeAlias = Literal["set", "sequences", "rows"]


class BySequence(list):
    """A list with one entry a sequence. Where numpy is given it, it is an array of objects: lengths may differ."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is not None and np.dtype(dtype) != object:
            raise ValueError(
                "this is a list with one entry for each sequence and no array of one type; to score it, give scorers "
                "of treecrf.metrics.SCORERS, such as SCORERS['log_loss'], in place of names or metrics of "
                "scikit-learn."
            )
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
    index : Index, list of Index, or None
        Of the rows of a DataFrame, or of each DataFrame of a list.
    empty : tuple of int
        Numbers of the sequences of a list that have no observation.
    kind : "set", "named" or "array"
        What each sequence of a list is: one with names has frames or dicts.
    padding : Padding or None
        Of an array of three dimensions.
    names : Index or None
        Of the sequences, where they are a Series.
    """

    data: SequenceSet
    form: Form
    classes: NDArray[Any] | None = None
    index: Any = None
    empty: tuple[int, ...] = ()
    kind: Literal["set", "named", "array"] = "array"
    padding: Padding | None = None
    names: pd.Index | None = None

    @classmethod
    def read(
        cls,
        sequences: Any,
        labels: Any = None,
        kinds: Mapping[str, Kind] | None = None,
        lengths: ArrayLike | None = None,
        vocabularies: Mapping[str, Vocabulary] | None = None,
    ) -> Self:
        """Read sequences and their labels.

        Parameters
        ----------
        sequences : SequenceSet, list of sequences, 2-d array, or DataFrame
            See above.
        labels : list of lists, or one list, optional
            One label for each observation, text or whole numbers, in the shape of the sequences. A set has labels
            already and may be given others, by sequence or one after another.
        kinds : mapping of str to "number" or "category", optional
            The inputs that are known from training; other ones are refused.
        lengths : array_like of int, optional
            How many observations each sequence has, of a padded array (`treecrf.estimators.labels`) or of rows.
        vocabularies : mapping of str to Vocabulary, optional
            The categories that are known from training: an attribute of dicts that has no others gets their codes.

        Raises
        ------
        ValueError
            For arguments of other kinds or sizes, in one sentence.
        """
        is_record = isinstance(sequences, np.ndarray) and sequences.dtype.names is not None and sequences.ndim == 1
        sequences = as_frame(sequences)
        names = sequences.index if is_indexed(sequences) and not is_frame(sequences) else None
        sequences = as_array(sequences)
        is_table = (
            is_frame(sequences) or is_dicts(sequences) or (isinstance(sequences, np.ndarray) and sequences.ndim == 2)
        )
        are_rows = is_table and lengths is not None
        is_set = isinstance(sequences, SequenceSet) and lengths is None
        padding = None if are_rows or is_set else Padding.find(sequences, labels, lengths)
        if padding is not None:
            sequences = padding.cut(sequences)
        form: Form
        empty: tuple[int, ...] = ()
        index: Any = None
        table: Observations | None = None
        kind: Literal["set", "named", "array"] = "array"
        if isinstance(sequences, SequenceSet):
            data, form = sequences, "set"
        elif are_rows:
            table, form = _of_rows(sequences, lengths), "rows"
        elif is_record or (kinds is not None and _is_one(sequences)):
            table, form = Observations.of([sequences]), "rows"
        elif is_frame(sequences):
            table, form = _of_indexed_frame(sequences), "rows"
        elif isinstance(sequences, np.ndarray) and sequences.ndim == 2:
            table, form = Observations.of([sequences]), "rows"
        else:
            every, form = _as_list(sequences), "sequences"
            filled = [sequence for sequence in every if len(sequence)]
            empty = tuple(number for number, sequence in enumerate(every) if not len(sequence))
            if not filled:
                raise ValueError("the set has no sequences; give at least one, with an observation.")
            if isinstance(filled[0], SequenceSet):
                data, kind = _joined(filled), "set"
            else:
                table = Observations.of(filled)
                kind = "array" if table.origin == "arrays" else "named"
                index = [each.index for each in every] if all(map(is_frame, every)) else None
        if table is not None:
            data = encode(table, kinds, vocabularies)
        if is_frame(sequences) and not is_record:
            index = sequences.index
        given = cls(data, form, None, index, empty, kind, padding, names)
        if labels is None:
            return given
        classes, codes = sorted_labels(flat_labels(given.of_filled(labels, "the labels"), data, form))
        return given._replace(data=data.with_labels(codes, tuple(map(str, classes.tolist()))), classes=classes)

    def in_order(self, values: Any, what: str) -> Any:
        """Labels, masks, weights or groups in the order of the sequences and rows, where both have an index."""
        if self.form == "rows" and self.index is not None and is_indexed(values):
            if self.index.names[0] is None:
                return by_index(values, self.index, what, is_said=False)
            firsts = self.data.observation_offsets[:-1]
            of_rows = len(values) == len(self.index)
            return by_index(values, self.index if of_rows else self.index.get_level_values(0)[firsts], what)
        if self.form != "sequences":
            return values
        if self.names is not None:
            values = by_index(values, self.names, what)
        if self.index is None:
            return values
        if is_indexed(values) and len(values) == self.data.n_positions != len(self.index):
            return by_index(values, self.index[0].append(self.index[1:]), what, is_said=False)
        return parts_by_index(values, self.index, what)

    def of_filled(self, lists: Any, what: str) -> Any:
        """Lists of labels, masks or weights by sequence, in order, without padding, nor those of empty sequences, which
        have to be empty.
        """
        lists = as_array(self.in_order(lists, what))
        lists = lists if self.padding is None else self.padding.cut(lists)
        if not self.empty or isinstance(lists, str | bytes | Mapping) or not isinstance(lists, Sequence | np.ndarray):
            return lists
        if len(lists) != len(self.data) + len(self.empty):
            return lists
        for number in self.empty:
            if isinstance(lists[number], Sequence | np.ndarray) and len(lists[number]):
                raise ValueError(
                    f"sequence {number} has no observations, and {counted(len(lists[number]), 'label')} or others; "
                    "give none."
                )
        kept = [each for number, each in enumerate(lists) if number not in self.empty]
        return np.array(kept) if isinstance(lists, np.ndarray) and lists.ndim == 1 else kept

    def weights(self, sample_weight: Any) -> NDArray[Any] | None:
        """Weights of sequences or of positions, where there are some."""
        return (
            None if sample_weight is None else flat_weights(self.of_filled(sample_weight, "sample_weight"), self.data)
        )

    def in_groups(self, groups: Any) -> Self:
        """The sequences in groups of related ones, where these are given."""
        if groups is None:
            return self
        rows = self.data.observation_offsets if self.form == "rows" else None
        codes = sequence_groups(self.in_order(groups, "groups"), len(self.data) + len(self.empty), rows)
        return self._replace(data=self.data.with_groups(np.delete(codes, self.empty)))

    def refuse_empty(self) -> None:
        """Refuse sequences without observations, where there is no answer for them."""
        if self.empty:
            raise ValueError(f"sequence {self.empty[0]} has no observations; leave it out.")

    def answers(self, by_position: NDArray[Any]) -> Any:
        """Answers by position, along the first axis, in the form of the question."""
        if self.form != "sequences":
            return by_position
        parts = [by_position[begin:end] for begin, end in pairwise(self.data.offsets.tolist())]
        for number in self.empty:
            parts.insert(number, by_position[:0])
        return BySequence(parts)

    def returned(self, data: SequenceSet, container: str = "default") -> Any:
        """The same sequences with other inputs, in a form that `read` takes for the one that it read.

        Parameters
        ----------
        data : SequenceSet
        container : "default", "pandas" or "polars"
            What sequences become that are no sets. "default": arrays of numbers stay arrays unless there are categories
            now, all other forms become DataFrames.
        """
        if self.form == "set" or self.kind == "set":
            return data if self.form == "set" else BySequence(data)
        if container == "default" and self.index is None and self.kind == "array" and not data.attributes:
            return self.answers(data.numbers.copy())
        frame = _frame_of(data)
        if self.form == "rows":
            if container == "polars":
                return _as_polars(frame)
            import pandas as pd

            index = pd.Index([0] * len(frame), name="sequence") if self.index is None else self.index
            return frame.set_axis(index)
        ends = data.observation_offsets.tolist()
        parts = [frame.iloc[begin:end].reset_index(drop=True) for begin, end in pairwise(ends)]
        for number in self.empty:
            parts.insert(number, frame.iloc[:0])
        if container == "polars":
            return BySequence(_as_polars(part) for part in parts)
        if self.index is not None:
            parts = [part.set_axis(index) for part, index in zip(parts, self.index, strict=True)]
        return BySequence(parts)


def _frame_of(data: SequenceSet) -> pd.DataFrame:
    """The inputs of a set, a row for each observation: categories, with all that there are, then numbers."""
    import pandas as pd

    columns: dict[str, Any] = {
        attribute.name: pd.Categorical.from_codes(codes, pd.Index(attribute.categories, dtype=object))
        for attribute, codes in zip(data.attributes, data.values.T, strict=True)
    }
    frame = pd.DataFrame(columns | dict(zip(data.number_names, data.numbers.T, strict=True)))
    frame.attrs[SAID] = dict.fromkeys(data.number_names, "number")
    return frame


def _as_polars(frame: pd.DataFrame) -> Any:
    import polars  # type: ignore[import-not-found, unused-ignore]

    return polars.from_pandas(frame)


def count_empty(sequences: Any) -> int | None:
    """How many sequences a list has, if all are without observations; None otherwise."""
    if not isinstance(sequences, list | tuple):
        return None
    are_empty = all(isinstance(each, list | tuple | np.ndarray) and not len(each) for each in sequences)
    return len(sequences) if are_empty else None


def _as_list(sequences: Any) -> list[Any]:
    """The sequences one by one, however they are kept, frames as those of pandas."""
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
    if set(map(type, sequence_list)) == {list}:
        return sequence_list
    for number, sequence in enumerate(sequence_list):
        if hasattr(sequence, "tocsr"):
            raise ValueError(
                f"sequence {number} is a sparse matrix or array, which is not read; give dense arrays (X.toarray())."
            )
        if isinstance(sequence, str | bytes | Mapping) or not hasattr(sequence, "__len__"):
            raise ValueError(
                f"sequence {number} is {described(sequence)}, which is one value or observation; give a list of "
                "sequences, [sequence] if there is one. Reshape your data so: a 2-d array is one sequence."
            )
    return [as_frame(sequence) for sequence in sequence_list]


def _is_one(sequences: Any) -> bool:
    """Whether something that does not divide its rows is one sequence."""
    return is_dicts(sequences) or (is_frame(sequences) and sequences.index.names[0] is None)


def _of_rows(rows: Any, lengths: Any) -> Observations:
    """Sequences one after another, whose lengths are given."""
    if is_frame(rows) and rows.index.names[0] is not None:
        raise ValueError("the index of the DataFrame tells its sequences apart; leave lengths out, or reset_index.")
    parts = integers(lengths, "lengths", ("n_sequences",), least=1, floats=False)
    if parts.sum() != len(rows):
        raise ValueError(
            f"lengths add up to {parts.sum()}, and there are {counted(len(rows), 'row')}; give those of all sequences."
        )
    return Observations.of([rows])._replace(lengths=parts)


def as_set(X: Sequences, y: Labels = None, *, groups: Groups = None, lengths: ArrayLike | None = None) -> SequenceSet:
    """Sequences and their labels, in any form that `fit` takes, as one set.

    scikit-learn's tools that cannot pass on lists of labels, such as ``cross_val_predict(.., method="predict_proba")``,
    take it in place of both.

    Parameters
    ----------
    X, y, groups, lengths : see `treecrf.models.base.Labeller.fit`
    """
    return Given.read(X, y, lengths=lengths).in_groups(groups).data


def _joined(sequences: list[Any]) -> SequenceSet:
    for number, part in enumerate(sequences):
        check_kind(part, lambda value: isinstance(value, SequenceSet), "a SequenceSet", number)
    joined = SequenceSet.concatenate(sequences)
    return joined.with_groups(first_relatives(np.concatenate([part.groups for part in sequences])))  # as in their set


def _of_indexed_frame(frame: Any) -> Observations:
    """A frame whose index tells sequences apart, by its first level if it has several."""
    if frame.index.names[0] is None:
        raise ValueError(
            "one DataFrame does not say where its sequences begin; set its index to the column that tells them apart "
            "(frame.set_index('sequence')), give a list of DataFrames, or SequenceSet.from_frame(frame, sequence=, "
            "label=)."
        )
    import pandas as pd

    if not len(frame):
        raise ValueError("the set has no sequences; give at least one.")
    names = frame.index.get_level_values(0)
    offsets, again = runs_of(pd.factorize(names, use_na_sentinel=False)[0])
    if again is not None:
        raise ValueError(f"row {again}: {comes_again(str(names[again]), 'frame by its index')}")
    return Observations.of_frames([frame])._replace(lengths=np.diff(offsets))
