"""The observations of lists of sequences, column by column, and the set that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from numbers import Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import Ints, starts_of
from treecrf.io.columns import CellError, Column, Kind, Vocabulary, infer_kind
from treecrf.io.frames import encode_inputs
from treecrf.io.messages import counted, listed, quoted, warn
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    import pandas as pd

    Cells: TypeAlias = pd.Series | NDArray[Any] | list[Any]

ABSENT = "(absent)"
"""The category of an observation whose dict lacks the key."""


class Observations(NamedTuple):
    """The observations of some sequences.

    `columns` are by name: those of frames are Series, those of dicts lists. Where some dict does not have a key, cells
    are `_LACKING` and `has_holes` is true.
    """

    columns: dict[str, Cells]
    lengths: Ints
    origin: Literal["frames", "dicts", "arrays"]
    has_holes: bool = False

    @classmethod
    def of(cls, sequences: Sequence[Any]) -> Self:
        """Sequences of one kind, one after another."""
        first = sequences[0]
        if is_frame(first):
            return cls.of_frames(sequences)
        if is_dicts(first):
            return cls.of_dicts(sequences)
        return cls.of_arrays(sequences)

    @classmethod
    def of_frames(cls, frames: Sequence[Any]) -> Self:
        import pandas as pd

        names = list(frames[0].columns)
        if len(set(map(str, names))) != len(names):
            raise ValueError(f"sequence 0 has two columns of one name ({listed(names)}); rename one.")
        for number, frame in enumerate(frames):
            check_kind(frame, is_frame, "a DataFrame", number)
            if not frame.columns.equals(frames[0].columns) and sorted(map(str, frame.columns)) != sorted(
                map(str, names)
            ):
                raise ValueError(
                    f"sequence {number} has the columns {listed(frame.columns)}, sequence 0 has {listed(names)}; give "
                    "all sequences the same columns."
                )
        table = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
        return cls({str(name): table[name] for name in names}, lengths_of(frames), "frames")

    @classmethod
    def of_dicts(cls, sequences: Sequence[Any]) -> Self:
        are_lists = set(map(type, sequences)) == {list}
        if not are_lists or set(map(type, chain.from_iterable(sequences))) != {dict}:
            for number, sequence in enumerate(sequences):
                check_kind(sequence, is_dicts, "a list of dicts", number)
        rows = list(chain.from_iterable(sequences))
        lengths = lengths_of(sequences)
        names = {str(key): key for key in rows[0]}
        if set(map(type, rows)) == {dict} and set(map(len, rows)) == {len(names)}:
            with suppress(KeyError):  # else all have the same keys, as from a table
                return cls({name: list(map(itemgetter(key), rows)) for name, key in names.items()}, lengths, "dicts")
        cells: dict[str, list[Any]] = {}
        for place, row in enumerate(rows):
            for key, value in row.items():
                name = str(key)
                if name not in cells:
                    cells[name] = [_LACKING] * len(rows)
                cells[name][place] = value
        return cls(dict(cells), lengths, "dicts", has_holes=True)

    @classmethod
    def of_arrays(cls, sequences: Sequence[Any]) -> Self:
        parts = [as_table(sequence, number) for number, sequence in enumerate(sequences)]
        widths = np.array([part.shape[1] for part in parts])
        if (widths != widths[0]).any():
            number = int((widths != widths[0]).argmax())
            raise ValueError(
                f"sequence {number} has {counted(int(widths[number]), 'column')}, sequence 0 has {widths[0]}; give all "
                "sequences the same columns."
            )
        is_typed = all(part.dtype != object for part in parts)
        values = np.concatenate([part if is_typed else part.astype(object) for part in parts])
        columns = {f"x{j}": column if is_typed else column.tolist() for j, column in enumerate(values.T)}
        return cls(columns, lengths_of(parts), "arrays")

    def place(self, row: int) -> str:
        """What errors call a row."""
        first = starts_of(self.lengths)
        sequence = int(np.searchsorted(first, row, side="right")) - 1
        return f"sequence {sequence}, observation {row - first[sequence]}"


_LACKING = object()
"""Stands in a column of dicts where a dict has no such key."""


def encode(
    table: Observations, known: Mapping[str, Kind] | None, vocabularies: Mapping[str, Vocabulary] | None = None
) -> SequenceSet:
    """The set of the observations; `known` and `vocabularies` are what training had."""
    empty = np.flatnonzero(table.lengths == 0)
    if len(empty):
        raise ValueError(f"sequence {empty[0]} has no observations; leave it out.")
    if known is not None:
        table = _known_columns(table, known)
    if not table.columns:
        raise ValueError("the sequences have no columns; give at least one input.")
    columns = {name: Column(cells, name) for name, cells in table.columns.items()}
    kinds = known or {}
    if table.has_holes:
        kinds = {name: kinds.get(name) or infer_kind(_without_holes(column)) for name, column in columns.items()}
        columns = {name: _filled(column, kinds[name]) for name, column in columns.items()}
    offsets = starts_of(table.lengths)
    try:
        return SequenceSet.of_parts(encode_inputs(columns, kinds, offsets, vocabularies=vocabularies))
    except CellError as error:
        column = columns[error.column]
        is_number = (kinds.get(error.column) or infer_kind(column)) == "number"
        problem = _about_number(column, error.row, known is not None) if is_number else f": {error.problem}"
        raise ValueError(f"{table.place(error.row)}: {error.column!r}{problem}") from None


def _about_number(column: Column, row: int, is_known: bool) -> str:
    """What is wrong with a cell of a column of numbers."""
    value = column.series.iloc[row]
    if isinstance(value, Real) and not _is_finite(value):
        shown = float(value) if isinstance(value, float | np.floating) else quoted(value)
        return f" is infinity or too large ({shown}); give a finite number, or NaN where it is not known."
    before = "the training set had numbers there" if is_known else "other observations have numbers there"
    return f" is {quoted(value)}, and {before}; give a number."


def _is_finite(number: Real) -> bool:
    try:
        return bool(np.isfinite(float(number)))
    except OverflowError:
        return False


def _known_columns(table: Observations, known: Mapping[str, Kind]) -> Observations:
    """The columns that training had, in its order; `_LACKING` where no dict has one."""
    new = [name for name in table.columns if name not in known]
    lacking = [name for name in known if name not in table.columns]
    if (new and table.origin == "arrays") or (lacking and table.origin != "dicts"):
        raise ValueError(
            f"the sequences have {counted(len(table.columns), 'column')} ({listed(table.columns)}), the training set "
            f"had {len(known)} ({listed(known)}); give the same ones."
        )
    if new:
        warn(f"{counted(len(new), 'column')} that the training set did not have left out: {listed(new)}.")
    holes = dict.fromkeys(lacking, [_LACKING] * int(table.lengths.sum()))
    columns = {name: holes.get(name) or table.columns[name] for name in known}
    return table._replace(columns=columns, has_holes=table.has_holes or bool(lacking))


def _without_holes(column: Column) -> Column:
    return Column([cell for cell in column.cells if cell is not _LACKING], column.name)


def _filled(column: Column, kind: Kind) -> Column:
    """A column of dicts, whose cells are those of a feature that is off where a dict has none."""
    off = 0.0 if kind == "number" else ABSENT
    return Column([off if cell is _LACKING else cell for cell in column.cells], column.name)


def as_frame(value: Any) -> Any:
    """A pandas DataFrame for one of another library or an array with named columns; other values as they are."""
    if isinstance(value, np.ndarray) and value.dtype.names is not None and value.ndim == 1:
        import pandas as pd

        return pd.DataFrame({name: value[name] for name in value.dtype.names})
    is_other = not is_frame(value) and hasattr(value, "to_pandas") and hasattr(value, "columns")
    return value.to_pandas() if is_other else value


def is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "iloc")


def is_dicts(sequence: Any) -> bool:
    if type(sequence) is not list and not isinstance(sequence, Sequence):
        return False
    kinds = set(map(type, sequence))
    return kinds == {dict} or (bool(kinds) and all(issubclass(kind, Mapping) for kind in kinds))


def check_kind(sequence: Any, is_kind: Callable[[Any], bool], kind: str, number: int) -> None:
    if not is_kind(sequence):
        raise ValueError(
            f"sequence {number} is {described(sequence)}, and sequence 0 is {kind}; give sequences of one kind."
        )


def described(value: Any) -> str:
    """What a value is, in a few words."""
    if isinstance(value, Sequence | Mapping) and not len(value):
        return f"an empty {type(value).__name__}"
    return f"{quoted(value)}" if isinstance(value, str | int | float | bool | None) else f"a {type(value).__name__}"


def lengths_of(sequences: Sequence[Any]) -> Ints:
    return np.array([len(sequence) for sequence in sequences], dtype=np.int64)


def as_table(sequence: Any, number: int) -> NDArray[Any]:
    """A sequence of rows, or of single values, as a 2-d array of numbers or objects."""
    if isinstance(sequence, Sequence) and any(isinstance(row, Mapping) for row in sequence):
        raise ValueError(f"sequence {number} has dicts and other values; give a dict for each observation.")
    if is_frame(sequence) or isinstance(sequence, SequenceSet):
        raise ValueError(
            f"sequence {number} is {described(sequence)}, and sequence 0 is none; give sequences of one kind."
        )
    if isinstance(sequence, np.ndarray) or hasattr(sequence, "__array__"):
        table = np.asarray(sequence)
    else:
        rows = [
            list(row) if isinstance(row, Iterable) and not isinstance(row, str | bytes) else [row] for row in sequence
        ]
        uneven = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
        if uneven is not None:
            raise ValueError(
                f"sequence {number}, observation {uneven} has {counted(len(rows[uneven]), 'value')}, observation 0 has "
                f"{len(rows[0])}; give all observations the same inputs, None where one is not known."
            )
        table = np.array(rows, dtype=object)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise ValueError(f"sequence {number} has {table.ndim} dimensions; give one row for each observation.")
    if not table.shape[1]:
        raise ValueError(
            f"sequence {number} has 0 feature(s) (shape={table.shape}) while a minimum of 1 is required; give an input."
        )
    if table.dtype.kind == "c":
        raise ValueError(
            f"sequence {number} has complex numbers. Complex data not supported; give their parts as columns."
        )
    return table if table.dtype.kind in "iuf" else table.astype(object)


def as_array(value: Any) -> Any:
    """An array, where numpy can make one of something that is none of the forms."""
    is_known = isinstance(value, SequenceSet | Sequence | np.ndarray) or is_frame(value)
    return np.asarray(value) if hasattr(value, "__array__") and not is_known else value
