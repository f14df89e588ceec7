"""The observations of lists of sequences, column by column, and the set that they make."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treecrf.io.frames import Column, Kind, cell_texts, column_kind, encode_categories
from treecrf.io.messages import counted, listed, quoted, repeated
from treecrf.sequences import MISSING, Attribute, SequenceSet

if TYPE_CHECKING:
    import pandas as pd

    Cells: TypeAlias = pd.Series | NDArray[Any]

ABSENT = "(absent)"
"""The category of an observation whose dict lacks the key."""


KINDS = "treecrf.kinds"
"""Where the ``attrs`` of a frame that a transform made say which columns are numbers, however few values they have."""


class Observations(NamedTuple):
    """The observations of some sequences.

    `columns` are by name, those of frames Series, others arrays, whose cells may be `_LACKING` where they are `from_dicts`;
    `kind_of` says what one holds, where training has not decided that; `is_named` is whether frames name them.
    """

    columns: dict[str, Cells]
    lengths: NDArray[np.int64]
    kind_of: Callable[[Any], Kind]
    from_dicts: bool = False
    is_named: bool = False

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
                    f"sequence {number} has the columns {listed(frame.columns)}, sequence 0 has {listed(names)}; give all "
                    "sequences the same columns."
                )
        table = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
        return cls({str(name): table[name] for name in names}, lengths_of(frames), _kind_of_column, is_named=True)

    @classmethod
    def of_dicts(cls, sequences: Sequence[Any]) -> Self:
        for number, sequence in enumerate(sequences):
            check_kind(sequence, is_dicts, "a list of dicts", number)
        rows = [row for sequence in sequences for row in sequence]
        cells: dict[str, NDArray[np.object_]] = {}
        names = {str(key): key for key in rows[0]}
        if set(map(type, rows)) == {dict} and set(map(len, rows)) == {len(names)}:
            with suppress(KeyError):  # else all have the same keys, as from a table
                for name, key in names.items():
                    column = [row[key] for row in rows]
                    cells[name] = np.empty(len(rows), dtype=object)
                    cells[name][:] = column
                return cls(dict(cells), lengths_of(sequences), _kind_of_cells, from_dicts=True)
            cells.clear()
        for place, row in enumerate(rows):
            for key, value in row.items():
                name = str(key)
                if name not in cells:
                    cells[name] = np.full(len(rows), _LACKING, dtype=object)
                cells[name][place] = value
        return cls(dict(cells), lengths_of(sequences), _kind_of_cells, from_dicts=True)

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
        kinds = {part.dtype.kind for part in parts}
        if kinds <= set("iuf"):
            values = np.concatenate(parts)
            return cls(_by_name(values), lengths_of(parts), lambda column: "number")
        values = np.concatenate([part.astype(object) for part in parts])
        return cls(_by_name(values), lengths_of(parts), _kind_of_cells)

    def place(self, row: int) -> str:
        """Where a row is, for errors."""
        first = np.concatenate([[0], np.cumsum(self.lengths)])
        sequence = int(np.searchsorted(first, row, side="right")) - 1
        return f"sequence {sequence}, observation {row - first[sequence]}"


_LACKING = object()
"""Stands in a column of dicts where a dict has no such key."""


def _by_name(values: NDArray[Any]) -> dict[str, Cells]:
    return {f"x{j}": column for j, column in enumerate(values.T)}


def encode(table: Observations, known: Mapping[str, Kind] | None) -> SequenceSet:
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
        numbers=np.stack(numbers, axis=1) if numbers else np.empty((n_rows, 0)), number_names=tuple(names),
    )  # fmt: skip


def _known_columns(table: Observations, known: Mapping[str, Kind]) -> dict[str, Any]:
    """The columns that training had, in its order."""
    new = [name for name in table.columns if name not in known]
    if table.from_dicts:
        _warn_of_new(new)
        lacking = np.full(int(table.lengths.sum()), _LACKING, dtype=object)
        return {name: table.columns.get(name, lacking) for name in known}
    if (new and not table.is_named) or not set(known) <= set(table.columns):
        raise ValueError(
            f"the sequences have {counted(len(table.columns), 'column')} ({listed(table.columns)}), the training set had "
            f"{len(known)} ({listed(known)}); give the same ones."
        )
    _warn_of_new(new)
    return {name: table.columns[name] for name in known}


def _warn_of_new(names: list[str]) -> None:
    if names:
        warnings.warn(
            f"{counted(len(names), 'column')} that the training set did not have left out: {listed(names)}.",
            stacklevel=7,
        )


def _encode_numbers(table: Observations, column: Cells, name: str, is_known: bool) -> NDArray[np.float64]:
    if isinstance(column, np.ndarray) and (numbers := _plain_numbers(column)) is not None:
        return numbers
    cells = _as_series(column, 0.0)
    if cells.dtype == object and _kind_of_cells(cells) == "number":
        cells = cells.astype(np.float64)
    parsed = Column(cells, name)
    if parsed.strange.any():
        row = int(parsed.strange.argmax())
        value = cells.iloc[row]
        if isinstance(value, Real) and not np.isfinite(float(value)):
            raise ValueError(
                f"{table.place(row)}: {name!r} is infinity or too large ({float(value)}); give a finite number, or NaN where it "
                "is not known."
            )
        before = "the training set had numbers there" if is_known else "other observations have numbers there"
        raise ValueError(f"{table.place(row)}: {name!r} is {quoted(value)}, and {before}; give a number.")
    return parsed.numbers


def _encode_categories(table: Observations, column: Cells, name: str) -> tuple[Attribute, NDArray[np.int32]]:
    if isinstance(column, np.ndarray) and (plain := _plain_categories(column)) is not None:
        return Attribute(name, plain[0]), plain[1]
    cells = _as_series(column, ABSENT)
    if cells.dtype == object:
        for row, cell in enumerate(cells):
            if isinstance(cell, list | tuple | set | dict | np.ndarray):
                raise ValueError(
                    f"{table.place(row)}: {name!r}: the argument must be a string or a number, not {quoted(cell)}; give each "
                    "part a name of its own."
                )
    codes, categories = encode_categories(Column(cells, name), _levels(cells, name))
    return Attribute(name, categories), codes


def _levels(column: pd.Series, name: str) -> list[str] | None:
    """Texts of the levels of a categorical column, also of those that no cell has; None where they are not given."""
    import pandas as pd

    if not isinstance(column.dtype, pd.CategoricalDtype):
        return None
    texts = cell_texts(pd.Series(column.dtype.categories), name).tolist()
    return None if "" in texts or repeated(texts) is not None else texts


def _plain_numbers(column: NDArray[Any]) -> NDArray[np.float64] | None:
    """The numbers of an array of finite ones, None and NaN; None for other arrays. Without pandas, for the sake of few rows."""
    cells = column
    if column.dtype == object:
        listed_cells = [0.0 if cell is _LACKING else cell for cell in column]
        if not all(issubclass(kind, _NUMBERS) and kind is not bool for kind in set(map(type, listed_cells))):
            return None
        try:
            cells = np.array(listed_cells, dtype=np.float64)
        except OverflowError:
            return None
    numbers = np.array(cells, dtype=np.float64)
    return None if np.isinf(numbers).any() else numbers


_NUMBERS = (float, int, np.floating, np.integer, type(None))


def _plain_categories(column: NDArray[Any]) -> tuple[tuple[str, ...], NDArray[np.int32]] | None:
    """The categories, sorted, and the codes of an array of text, None and NaN; None for other arrays."""
    if column.dtype != object:
        return None
    cells = [ABSENT if cell is _LACKING else cell for cell in column]
    try:
        distinct = set(cells)
        texts = [cell for cell in distinct if type(cell) is str]
        "".join(texts).encode()
    except (TypeError, UnicodeEncodeError):  # a cell that cannot be hashed, or half a surrogate pair
        return None
    others = (cell for cell in distinct if type(cell) is not str)
    if not all(cell is None or (type(cell) is float and cell != cell) for cell in others):
        return None
    names = tuple(sorted(text for text in texts if text))
    code_of = {text: code for code, text in enumerate(names)}
    return names, np.array([code_of.get(cell, MISSING) for cell in cells], dtype=np.int32)


def _as_series(column: Cells, lacking: Any) -> pd.Series:
    """A column as a Series, whose cells are `lacking` where dicts have none."""
    import pandas as pd

    series = pd.Series(column)
    return series.mask(_is_lacking(series), lacking) if series.dtype == object else series


def _is_lacking(column: Any) -> NDArray[np.bool_]:
    return np.fromiter((cell is _LACKING for cell in column), dtype=np.bool_, count=len(column))


def _seen(column: Any) -> Any:
    return column[~_is_lacking(column)] if column.dtype == object else column


def _kind_of_column(column: pd.Series) -> Kind:
    """What a transform says that a column holds, else what its type and values say."""
    said: dict[str, Kind] = column.attrs.get(KINDS, {})
    return said.get(str(column.name)) or column_kind(column)


def _kind_of_cells(column: Iterable[Any]) -> Kind:
    """Numbers if all cells are numbers, or missing; booleans are not."""
    known = [cell for cell in column if cell is not None and cell == cell]
    return "number" if all(isinstance(c, Real) and not isinstance(c, bool | np.bool_) for c in known) else "category"


def as_frame(value: Any) -> Any:
    """A DataFrame of pandas for that of another library and for an array with named columns; other values as they are."""
    if isinstance(value, np.ndarray) and value.dtype.names is not None and value.ndim == 1:
        import pandas as pd

        return pd.DataFrame({name: value[name] for name in value.dtype.names})
    is_other = not is_frame(value) and hasattr(value, "to_pandas") and hasattr(value, "columns")
    return value.to_pandas() if is_other else value


def is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "iloc")


def is_dicts(sequence: Any) -> bool:
    is_filled = isinstance(sequence, Sequence) and len(sequence) > 0
    return is_filled and all(type(row) is dict or isinstance(row, Mapping) for row in sequence)


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


def lengths_of(sequences: Sequence[Any]) -> NDArray[np.int64]:
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
        raise ValueError(
            f"sequence {number} has complex numbers. Complex data not supported; give their parts as columns."
        )
    return table if table.dtype.kind in "iuf" else table.astype(object)


def as_array(value: Any) -> Any:
    """An array, where numpy can make one of something that is none of the forms."""
    is_known = isinstance(value, SequenceSet | Sequence | np.ndarray) or is_frame(value)
    return np.asarray(value) if hasattr(value, "__array__") and not is_known else value
