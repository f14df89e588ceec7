"""What labellers and transforms take besides a `SequenceSet`, and answers in the shape in which they were asked.

`Given` reads

- a list of sequences, each a DataFrame (a row per observation), a 2-d array, a list of dicts of features, a list of tokens or
  numbers, or a set (as ``list(data)`` has them): answers are one entry a sequence;
- one 2-d array, which is one sequence, or one DataFrame whose index has a name and tells its sequences apart: answers are one
  row for each of its rows.

Columns of arrays are called x0, x1, .. and hold numbers, unless they are text. Columns of frames hold what
`SequenceSet.from_frame` takes them for. In dicts text and booleans are categories and numbers are numbers; a key that a dict lacks
is a feature that is off, as for CRFsuite and scikit-learn's DictVectorizer: the category `ABSENT`, or the number 0. None and
NaN are missing everywhere. What training took a column for it stays in new data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import first_relatives, of_objects
from treecrf.io.cell_numbers import Kind, column_kind, parse_numbers
from treecrf.io.cell_texts import cell_texts
from treecrf.io.messages import counted, listed, quoted
from treecrf.sequences import MISSING, Attribute, SequenceSet

if TYPE_CHECKING:
    import pandas as pd

    Sequences: TypeAlias = SequenceSet | Sequence[Any] | NDArray[Any] | pd.DataFrame
    Labels: TypeAlias = Sequence[Any] | NDArray[Any] | pd.Series | None

ABSENT = "(absent)"
"""The category of an observation whose dict lacks the key."""

_SEQUENCE = "(sequence)"
_ADVICE = "give a list of sequences (DataFrames, 2-d arrays, lists of dicts), or a SequenceSet"


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
    """

    data: SequenceSet
    form: Literal["set", "sequences", "rows"]
    classes: NDArray[Any] | None = None
    index: Any = None

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
        sequences = _as_array(sequences)
        if isinstance(sequences, SequenceSet):
            data, form = sequences, "set"
        elif _is_frame(sequences):
            data, form = _of_indexed_frame(sequences, kinds), "rows"
        elif isinstance(sequences, np.ndarray) and sequences.ndim == 2:
            data, form = _encode(_Table.of([sequences]), kinds), "rows"
        else:
            data, form = _of_list(_as_list(sequences), kinds), "sequences"
        index = sequences.index if _is_frame(sequences) else None
        if labels is None:
            return cls(data, form, None, index)
        classes, codes = _sorted_labels(_flat_labels(labels, data, form))
        return cls(data.with_labels(codes, tuple(map(str, classes.tolist()))), form, classes, index)

    def answers(self, by_position: NDArray[Any]) -> Any:
        """Answers by position, along the first axis, in the form of the question."""
        if self.form != "sequences":
            return by_position
        return BySequence(np.split(by_position, self.data.offsets[1:-1]))

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


# --- tables of sequences ----------------------------------------------------------------------------


class _Table(NamedTuple):
    """The observations of some sequences.

    `columns` are Series by name, whose cells may be `_LACKING` where they are `from_dicts`; `kind_of` says what one holds, where
    training has not decided that.
    """

    columns: dict[str, pd.Series]
    lengths: NDArray[np.int64]
    kind_of: Callable[[pd.Series], Kind]
    from_dicts: bool = False

    @classmethod
    def of(cls, sequences: Sequence[Any]) -> Self:
        """Sequences of one kind, one after another."""
        first = sequences[0]
        if _is_frame(first):
            return cls.of_frames(sequences)
        if _is_dicts(first):
            return cls.of_dicts(sequences)
        return cls.of_arrays(sequences)

    @classmethod
    def of_frames(cls, frames: Sequence[Any]) -> Self:
        import pandas as pd

        names = list(frames[0].columns)
        if len(set(map(str, names))) != len(names):
            raise ValueError(f"sequence 0 has two columns of one name ({listed(names)}); rename one.")
        for number, frame in enumerate(frames):
            _check_kind(frame, _is_frame, "a DataFrame", number)
            if not frame.columns.equals(frames[0].columns) and sorted(map(str, frame.columns)) != sorted(map(str, names)):
                raise ValueError(
                    f"sequence {number} has the columns {listed(frame.columns)}, sequence 0 has {listed(names)}; give all "
                    "sequences the same columns."
                )
        table = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
        return cls({str(name): table[name] for name in names}, _lengths(frames), column_kind)

    @classmethod
    def of_dicts(cls, sequences: Sequence[Any]) -> Self:
        import pandas as pd

        for number, sequence in enumerate(sequences):
            _check_kind(sequence, _is_dicts, "a list of dicts", number)
        rows = [row for sequence in sequences for row in sequence]
        cells: dict[str, NDArray[np.object_]] = {}
        for place, row in enumerate(rows):
            for key, value in row.items():
                name = str(key)
                if name not in cells:
                    cells[name] = np.full(len(rows), _LACKING, dtype=object)
                cells[name][place] = value
        columns = {name: pd.Series(column, dtype=object) for name, column in cells.items()}
        return cls(columns, _lengths(sequences), _kind_of_cells, from_dicts=True)

    @classmethod
    def of_arrays(cls, sequences: Sequence[Any]) -> Self:
        import pandas as pd

        parts = [_as_table(sequence, number) for number, sequence in enumerate(sequences)]
        widths = np.array([part.shape[1] for part in parts])
        if (widths != widths[0]).any():
            number = int((widths != widths[0]).argmax())
            raise ValueError(
                f"sequence {number} has {counted(int(widths[number]), 'column')}, sequence 0 has {widths[0]}; give all "
                "sequences the same columns."
            )
        kinds = {part.dtype.kind for part in parts}
        if kinds <= set("iuf"):
            values = np.concatenate(parts)
            columns = {f"x{j}": pd.Series(column) for j, column in enumerate(values.T)}
            return cls(columns, _lengths(parts), lambda column: "number")
        values = np.concatenate([part.astype(object) for part in parts])
        columns = {f"x{j}": pd.Series(column, dtype=object) for j, column in enumerate(values.T)}
        return cls(columns, _lengths(parts), _kind_of_cells)

    def place(self, row: int) -> str:
        """Where a row is, for errors."""
        first = np.concatenate([[0], np.cumsum(self.lengths)])
        sequence = int(np.searchsorted(first, row, side="right")) - 1
        return f"sequence {sequence}, observation {row - first[sequence]}"


_LACKING = object()
"""Stands in a column of dicts where a dict has no such key."""


def _encode(table: _Table, known: Mapping[str, Kind] | None) -> SequenceSet:
    empty = np.flatnonzero(table.lengths == 0)
    if len(empty):
        raise ValueError(f"sequence {empty[0]} has no observations; leave it out.")
    columns = table.columns if known is None else _known_columns(table, known)
    if not columns:
        raise ValueError("the sequences have no columns; give at least one input.")
    n_rows = int(table.lengths.sum())
    attributes, values, names, numbers = [], [], [], []
    for name, column in columns.items():
        kind = known[name] if known is not None else table.kind_of(_seen(column))
        if kind == "number":
            names.append(name)
            numbers.append(_encode_numbers(table, column, name, known is not None))
        else:
            attribute, codes = _encode_categories(table, column, name)
            attributes.append(attribute)
            values.append(codes)
    offsets = np.concatenate([[0], np.cumsum(table.lengths)])
    return SequenceSet(
        np.stack(values, axis=1) if values else np.empty((n_rows, 0), dtype=np.int32), offsets, tuple(attributes),
        numbers=np.stack(numbers, axis=1) if numbers else None, number_names=tuple(names),
    )  # fmt: skip


def _known_columns(table: _Table, known: Mapping[str, Kind]) -> dict[str, Any]:
    """The columns that training had, in its order."""
    import pandas as pd

    if table.from_dicts:
        lacking = pd.Series(np.full(int(table.lengths.sum()), _LACKING, dtype=object))
        return {name: table.columns.get(name, lacking) for name in known}
    if set(table.columns) != set(known):
        raise ValueError(
            f"the sequences have {counted(len(table.columns), 'column')} ({listed(table.columns)}), the training set had "
            f"{len(known)} ({listed(known)}); give the same ones."
        )
    return {name: table.columns[name] for name in known}


def _encode_numbers(table: _Table, column: pd.Series, name: str, is_known: bool) -> NDArray[np.float64]:
    if column.dtype == object:
        column = column.mask(_is_lacking(column), 0.0)
        if _kind_of_cells(column) == "number":
            column = column.astype(np.float64)
    numbers, strange = parse_numbers(column, name)
    if strange.any():
        row = int(strange.argmax())
        value = column.iloc[row]
        if isinstance(value, Real) and not np.isfinite(float(value)):
            raise ValueError(
                f"{table.place(row)}: {name!r} is infinity or too large ({float(value)}); give a finite number, or NaN where it "
                "is not known."
            )
        before = "the training set had numbers there" if is_known else "other observations have numbers there"
        raise ValueError(f"{table.place(row)}: {name!r} is {quoted(value)}, and {before}; give a number.")
    return numbers


def _encode_categories(table: _Table, column: pd.Series, name: str) -> tuple[Attribute, NDArray[np.int32]]:
    import pandas as pd

    if column.dtype == object:
        column = column.mask(_is_lacking(column), ABSENT)
        for row, cell in enumerate(column):
            if isinstance(cell, list | tuple | set | dict | np.ndarray):
                raise ValueError(
                    f"{table.place(row)}: {name!r}: the argument must be a string or a number, not {quoted(cell)}; give each "
                    "part a name of its own."
                )
    texts = cell_texts(column, name)
    codes, categories = pd.factorize(pd.Series(texts, dtype=object).mask(np.array(column.isna()) | (texts == "")), sort=True)
    return Attribute(name, tuple(categories)), codes.astype(np.int32)


def _is_lacking(column: pd.Series) -> NDArray[np.bool_]:
    if column.dtype != object:
        return np.zeros(len(column), dtype=np.bool_)
    return np.fromiter((cell is _LACKING for cell in column), dtype=np.bool_, count=len(column))


def _seen(column: pd.Series) -> pd.Series:
    return column[~_is_lacking(column)] if column.dtype == object else column


def _kind_of_cells(column: pd.Series) -> Kind:
    """Numbers if all cells are numbers, or missing; booleans are not."""
    known = [cell for cell in column if cell is not None and cell == cell]
    return "number" if all(isinstance(c, Real) and not isinstance(c, bool | np.bool_) for c in known) else "category"


# --- sequences --------------------------------------------------------------------------------------


def _is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "iloc")


def _is_dicts(sequence: Any) -> bool:
    return isinstance(sequence, Sequence) and len(sequence) > 0 and all(isinstance(row, Mapping) for row in sequence)


def _check_kind(sequence: Any, is_kind: Callable[[Any], bool], kind: str, number: int) -> None:
    if not is_kind(sequence):
        raise ValueError(
            f"sequence {number} is {_described(sequence)}, and sequence 0 is {kind}; give sequences of one kind."
        )


def _described(value: Any) -> str:
    """What a value is, in a few words."""
    if isinstance(value, Sequence | Mapping) and not len(value):
        return f"an empty {type(value).__name__}"
    return f"{quoted(value)}" if isinstance(value, str | int | float | bool | None) else f"a {type(value).__name__}"


def _as_array(value: Any) -> Any:
    """An array, where numpy can make one of something that is none of the forms."""
    is_known = isinstance(value, SequenceSet | Sequence | np.ndarray) or _is_frame(value)
    return np.asarray(value) if hasattr(value, "__array__") and not is_known else value


def _as_list(sequences: Any) -> list[Any]:
    """The sequences one by one, however they are kept."""
    if hasattr(sequences, "tocsr"):
        raise ValueError("the sequences are a sparse matrix or array, which is not read; give dense arrays (X.toarray()).")
    if isinstance(sequences, str | bytes | Mapping) or not isinstance(sequences, Iterable):
        raise ValueError(f"the sequences are {_described(sequences)}; {_ADVICE}.")
    if isinstance(sequences, np.ndarray) and sequences.ndim == 0:
        raise ValueError(f"the sequences are one value ({quoted(sequences.item())}); {_ADVICE}.")
    found = list(sequences)
    if not found:
        raise ValueError("the set has no sequences; give at least one.")
    for number, sequence in enumerate(found):
        if isinstance(sequence, str | bytes | Mapping) or not hasattr(sequence, "__len__"):
            raise ValueError(
                f"sequence {number} is {_described(sequence)}, which is one value or observation; give a list of sequences, "
                "[sequence] if there is one. Reshape your data so: a 2-d array is one sequence."
            )
    return found


def _lengths(sequences: Sequence[Any]) -> NDArray[np.int64]:
    return np.array([len(sequence) for sequence in sequences], dtype=np.int64)


def _as_table(sequence: Any, number: int) -> NDArray[Any]:
    """A sequence of rows, or of single values, as a 2-d array of numbers or objects."""
    if isinstance(sequence, Sequence) and any(isinstance(row, Mapping) for row in sequence):
        raise ValueError(f"sequence {number} has dicts and other values; give a dict for each observation.")
    if _is_frame(sequence) or isinstance(sequence, SequenceSet):
        raise ValueError(f"sequence {number} is {_described(sequence)}, and sequence 0 is none; give sequences of one kind.")
    if isinstance(sequence, np.ndarray) or hasattr(sequence, "__array__"):
        table = np.asarray(sequence)
    else:
        rows = [list(row) if isinstance(row, Iterable) and not isinstance(row, str | bytes) else [row] for row in sequence]
        uneven = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
        if uneven is not None:
            raise ValueError(
                f"sequence {number}, observation {uneven} has {counted(len(rows[uneven]), 'value')}, observation 0 has "
                f"{len(rows[0])}; give all observations the same inputs, None where one is not known."
            )
        table = np.array(rows, dtype=object)
        if table.ndim == 2 and all(_kind_of_cells(column) == "number" for column in table.T):
            table = table.astype(np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise ValueError(f"sequence {number} has {table.ndim} dimensions; give one row for each observation.")
    if not table.shape[1]:
        raise ValueError(
            f"sequence {number} has 0 feature(s) (shape={table.shape}) while a minimum of 1 is required; give an input."
        )
    if table.dtype.kind == "c":
        raise ValueError(f"sequence {number} has complex numbers. Complex data not supported; give their parts as columns.")
    return table if table.dtype.kind in "iuf" else table.astype(object)


def _of_list(sequences: list[Any], known: Mapping[str, Kind] | None) -> SequenceSet:
    if not isinstance(sequences[0], SequenceSet):
        return _encode(_Table.of(sequences), known)
    for number, part in enumerate(sequences):
        _check_kind(part, lambda value: isinstance(value, SequenceSet), "a SequenceSet", number)
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
    table = _Table.of_frames([frame])
    return _encode(table._replace(lengths=np.diff(np.r_[starts, len(frame)])), known)


# --- labels -----------------------------------------------------------------------------------------


def _flat_labels(labels: Any, data: SequenceSet, form: str) -> list[Any]:
    """The labels one after another, once their number is right."""
    labels = _as_array(labels)
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise ValueError(f"the labels are {_described(labels)}; give one list of labels for each sequence.")
    if _is_frame(labels):
        labels = labels.to_numpy()
    if isinstance(labels, np.ndarray) and labels.ndim == 2 and labels.shape[1] == 1 and form == "rows":
        labels = labels[:, 0]
    given = list(labels)
    is_nested = [isinstance(each, Iterable) and not isinstance(each, str | bytes) for each in given]
    if form == "rows" or (form == "set" and not all(is_nested)):
        if any(is_nested):
            raise ValueError("the labels are lists, and the sequences are rows; give one label for each row.")
        if len(given) != data.n_positions:
            raise ValueError(
                f"there are {counted(len(given), 'label')} and {counted(data.n_positions, 'position')}; give one for each."
            )
        return given
    if not all(is_nested):
        raise ValueError(
            f"labels of sequence {is_nested.index(False)}: {quoted(given[is_nested.index(False)])} is one label; give one list of "
            "labels for each sequence."
        )
    if len(given) != len(data):
        raise ValueError(f"there are labels of {counted(len(given), 'sequence')}, and {counted(len(data), 'sequence')}; give both.")
    nested = [list(each) for each in given]
    wrong = np.flatnonzero(_lengths(nested) != data.lengths)
    if len(wrong):
        number = int(wrong[0])
        raise ValueError(
            f"sequence {number} has {counted(len(nested[number]), 'label')} and "
            f"{counted(int(data.lengths[number]), 'observation')}; give one label for each."
        )
    return [label for each in nested for label in each]


def _sorted_labels(labels: list[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different labels, in their own type, and the code of each, `MISSING` for None and NaN."""
    is_known = np.array([label is not None and label == label for label in labels])
    known = [label for label, has_label in zip(labels, is_known, strict=True) if has_label]
    kinds = [_label_kind(label) for label in known]
    if "" in kinds:
        raise ValueError(
            f"Unknown label type: {quoted(known[kinds.index('')])} is a label; labels are text or whole numbers, None where they are "
            "not known."
        )
    if len(set(kinds)) > 1:
        raise ValueError(f"labels are {' and '.join(sorted(set(kinds)))}; give them one type.")
    classes, codes = np.unique(np.array(known), return_inverse=True)
    found = np.full(len(labels), MISSING)
    found[is_known] = codes
    return classes, found


def _label_kind(label: Any) -> str:
    """Text, truth values, or whole numbers, which may be floats; empty for what is no label."""
    if isinstance(label, str):
        return "text" if label else ""
    if isinstance(label, bool | np.bool_):
        return "booleans"
    if isinstance(label, Integral) or (isinstance(label, float | np.floating) and float(label).is_integer()):
        return "numbers"
    return ""
