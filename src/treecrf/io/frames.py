"""Columns of tables, parsed once as text and as numbers, and the codes and offsets of a `treecrf.sequences.SequenceSet` that they make."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.messages import counted, listed, quoted, repeated

if TYPE_CHECKING:
    import pandas as pd


MISSING = -1
"""Code of a cell whose value is not known."""

_EXACT = 2**53  # whole numbers below it are exact in float64


class CellError(ValueError):
    """What is wrong with a cell of a table: one sentence, which whoever knows the file completes by its name and the line."""

    def __init__(self, row: int, column: str, problem: str) -> None:
        super().__init__(row, column, problem)
        self.row, self.column, self.problem = row, column, problem

    def __str__(self) -> str:
        """The sentence without file and line."""
        return f"row {self.row}, column {quoted(self.column)}: {self.problem}"


def cell_texts(column: pd.Series, name: str) -> NDArray[np.object_]:
    """The cells of a column as text; `name` is what an error calls the column, and what is no value has some text, too.

    The text of a cell depends on nothing but its value: a whole number is written without ".0" even where a missing value or a
    fraction elsewhere in the column has made it a float, and a date without midnight.

    Raises
    ------
    CellError
        For bytes that are no UTF-8 and text with half a surrogate pair.
    """
    import pandas as pd

    if is_text(column):
        return column.fillna("").to_numpy(dtype=object)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return _number_texts(column)
    texts = np.empty(len(column), dtype=object)
    for row, cell in enumerate(column.to_numpy(dtype=object)):
        try:
            texts[row] = _text(cell)
            texts[row].encode()
        except UnicodeError:
            raise CellError(row, name, f"{quoted(cell)} is not text in UTF-8; fix that cell.") from None
    return texts


def is_text(column: pd.Series) -> bool:
    """Whether a column has nothing but text, for Arrow keeps its cells."""
    import pandas as pd

    return isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "pyarrow"


def _number_texts(column: pd.Series) -> NDArray[np.object_]:
    texts: NDArray[np.object_] = column.astype(str).to_numpy(dtype=object, copy=True)
    if column.dtype.kind == "f":
        values = column.to_numpy(dtype=float, na_value=np.nan)
        whole = (np.abs(values) < _EXACT) & (values == np.floor(values))
        texts[whole] = values[whole].astype(np.int64).astype(str)
    return texts


def _text(cell: object) -> str:
    if isinstance(cell, bytes):
        return cell.decode()
    if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(float(cell)) < _EXACT:
        return str(int(cell))
    if isinstance(cell, datetime):
        return str(cell).removesuffix(" 00:00:00")  # a date, whatever the times beside it
    return str(cell)


Kind = Literal["number", "category"]
KINDS: tuple[Kind, ...] = ("number", "category")

MOST_INTEGERS = 20
"""A column of whole numbers alone holds categories if it has at most so many different ones."""


def column_kind(column: pd.Series) -> Kind:
    """What a column holds, by its type: numbers if it has fractions, or more than `MOST_INTEGERS` different numbers.

    Whole numbers that pandas keeps as floats, for a missing value among them, are whole numbers all the same.
    """
    if column.dtype.kind not in "iuf" and not _is_decimal(column):
        return "category"
    return kind_of_numbers(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _is_decimal(column: pd.Series) -> bool:
    """Whether a column has decimal numbers of Arrow."""
    import pandas as pd

    return (
        isinstance(column.dtype, pd.ArrowDtype) and column.dtype.kind == "O" and str(column.dtype).startswith("decimal")
    )


def kind_of_numbers(numbers: NDArray[np.float64]) -> Kind:
    """What a column of numbers, NaN where one is missing, holds, as `column_kind` has it."""
    values = np.unique(numbers)
    values = values[~np.isnan(values)]
    return "category" if len(values) <= MOST_INTEGERS and (values == np.floor(values)).all() else "number"


class Column:
    """A column of a table, whose cells are parsed once: when they are first asked for as text, or as numbers; errors name it."""

    def __init__(self, cells: pd.Series, name: str) -> None:
        self.cells, self.name = cells, name

    @cached_property
    def distinct(self) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
        """Which of its different texts (second, in the order of the rows) each cell has, `MISSING` where it is empty.

        Raises
        ------
        CellError
            For cells that are no text, as `cell_texts` has it.
        """
        import pandas as pd

        column = self.cells
        cells = column if is_text(column) else pd.Series(cell_texts(column, self.name)).mask(column.isna().to_numpy())
        codes, texts = pd.factorize(cells.mask(cells == ""))
        return codes, np.asarray(texts, dtype=object)

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The cells as numbers, NaN where one is empty or no finite number; float64, shape (n_rows,). Errors as of `distinct`."""
        return self._parsed[0]

    @property
    def strange(self) -> NDArray[np.bool_]:
        """Whether a cell has a value that is no finite number and no mark of a missing one; bool, shape (n_rows,)."""
        return self._parsed[1] & ~self.marked

    @cached_property
    def marked(self) -> NDArray[np.bool_]:
        """Whether a cell has a mark that says that its number is missing (`MARKS`); bool, shape (n_rows,)."""
        if not self._parsed[1].any():
            return self._parsed[1]
        codes, texts = self.distinct
        return np.append([_is_mark(text) for text in texts], False)[codes]

    @cached_property
    def _parsed(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The numbers, and whether a cell has a value that is none."""
        column = self.cells
        plain = _cast(column) if is_text(column) else None
        if plain is not None:
            numbers, empty = plain, np.array(column.isna(), dtype=bool)
            empty |= (column == "").to_numpy(dtype=bool, na_value=False)
        elif column.dtype.kind in "iufb":
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan).copy()
            empty = np.array(column.isna(), dtype=bool)
        else:
            codes, texts = self.distinct
            numbers, empty = np.append(_parse(texts), np.nan)[codes], codes == MISSING
        numbers[~np.isfinite(numbers)] = np.nan
        return numbers, np.isnan(numbers) & ~empty


MARKS = frozenset(
    ("na", "n/a", "#n/a", "#na", "<na>", "n.a.", "nan", "-nan", "null", "none", "nil", "missing", "?", "-", "--", ".")
)
"""What programs write for a number that is missing, in small letters."""


def _is_mark(text: str) -> bool:
    return text.strip().casefold() in MARKS


def about_marked(column: Column) -> str | None:
    """A sentence on the cells of a column of numbers that are read as missing; None where there are none."""
    if not column.marked.any():
        return None
    codes, texts = column.distinct
    marks = texts[np.unique(codes[column.marked])]
    n_cells = counted(int(column.marked.sum()), "cell")
    return f"Column {quoted(column.name)} holds numbers and {listed(marks)} ({n_cells}), which is read as missing."


def _cast(column: pd.Series) -> NDArray[np.float64] | None:
    """The numbers in a column of text that has nothing but plain ones, NaN where a cell is empty; None for other columns."""
    import pyarrow as pa

    try:
        numbers = pa.chunked_array(column.mask(column == "")).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    return np.array(numbers.to_numpy(), dtype=np.float64)


def _parse(texts: NDArray[np.object_]) -> NDArray[np.float64]:
    """The numbers that texts are, NaN for those that are none."""
    import pandas as pd

    numbers = np.array(pd.to_numeric(pd.Series(texts), errors="coerce"), dtype=np.float64)
    is_number = np.isfinite(numbers)
    numbers[is_number] = texts[is_number].astype(np.float64)  # exact, which pandas' last digit is not
    return numbers


class Encoded(NamedTuple):
    """What a `SequenceSet` is made of, in the order of its parameters."""

    values: NDArray[np.int32]
    offsets: NDArray[np.int64]
    attributes: Sequence[tuple[str, tuple[str, ...], bool]]
    labels: NDArray[np.int16] | None
    label_names: tuple[str, ...]
    observation_offsets: NDArray[np.int64]
    numbers: NDArray[np.float64]
    number_names: tuple[str, ...]


def encode_frame(
    frame: pd.DataFrame,
    sequence: str,
    label: str | None,
    attributes: Sequence[str] | None,
    label_names: Sequence[str] | None,
    categories: Mapping[str, Sequence[str]] | None,
    kinds: Mapping[str, Kind] | None,
    unknown_labels: bool = False,
) -> Encoded:
    """See `SequenceSet.from_frame`."""
    twice = repeated(frame.columns)
    if twice is not None:
        raise ValueError(f"the table has two columns {quoted(twice)}; rename one.")
    table = {name: Column(frame[name], name) for name in frame.columns}
    return encode_columns(table, sequence, label, attributes, label_names, categories, kinds, unknown_labels)


def encode_columns(
    table: Mapping[str, Column],
    sequence: str,
    label: str | None,
    attributes: Sequence[str] | None,
    label_names: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    unknown_labels: bool = False,
) -> Encoded:
    """The set that the columns of a table make, by name; other arguments and errors as of `SequenceSet.from_frame`."""
    taken = [sequence] if label is None else [sequence, label]
    columns = [c for c in table if c not in taken] if attributes is None else list(attributes)
    for column in [*taken, *columns]:
        if column not in table:
            raise ValueError(f"the table has no column {quoted(column)}; its columns are {listed(table)}.")
    twice = repeated([*taken, *columns])
    if twice is not None:
        raise ValueError(f"column {quoted(twice)} has two uses; name it for one of them.")
    if not columns:
        raise ValueError("the table has no attribute columns; name at least one.")
    n_rows = len(table[sequence].cells)
    if not n_rows:
        raise ValueError("the table has no rows; give at least one sequence.")

    observation_offsets = find_sequences(table[sequence])
    kind_of = _kinds(table, columns, categories or {}, kinds or {})
    described: list[tuple[str, tuple[str, ...], bool]] = []
    values, numbers = [], []
    for column in columns:
        if kind_of[column] == "number":
            numbers.append(_encode_numbers(table[column]))
            continue
        codes, names = encode_categories(table[column], (categories or {}).get(column))
        values.append(codes)
        described.append((str(column), names, False))
    number_names = tuple(str(column) for column in columns if kind_of[column] == "number")
    inputs = Encoded(
        _stacked(values, n_rows, np.int32), observation_offsets, described, None, tuple(label_names or ()),
        observation_offsets, _stacked(numbers, n_rows, np.float64), number_names,
    )  # fmt: skip
    if label is None:
        return inputs
    codes, names = encode_categories(table[label], label_names)
    if len(names) > np.iinfo(np.int16).max:
        raise ValueError(f"column {quoted(label)} has {len(names):,} different labels, too many; name another column.")
    if unknown_labels:
        return inputs._replace(labels=codes.astype(np.int16), label_names=names)
    offsets, labelled = _labelled_positions(codes, observation_offsets, label)
    return inputs._replace(offsets=offsets, labels=codes[labelled].astype(np.int16), label_names=names)


def find_sequences(column: Column) -> NDArray[np.int64]:
    """Offsets of the runs of equal cells; a CellError unless each sequence has a name and is one run."""
    import pandas as pd

    codes, texts = column.distinct
    unnamed = codes == MISSING
    if unnamed.any():
        raise CellError(int(unnamed.argmax()), column.name, "the sequence is not named.")
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    again = pd.Series(codes[starts]).duplicated().to_numpy()
    if again.any():
        row = int(starts[again.argmax()])
        raise CellError(row, column.name, comes_again(quoted(texts[codes[row]]), "table"))
    return np.r_[starts, len(codes)].astype(np.int64)


def comes_again(sequence: str, what: str) -> str:
    """What is wrong with a sequence whose rows stand in two places of a table or frame."""
    return (
        f"sequence {sequence} comes a second time; sort the {what} if these rows belong to it, or rename it if they are of "
        "another recording, which sorting would merge."
    )


def decode_frame(data: Encoded, sequence: str, label: str) -> pd.DataFrame:
    """See `SequenceSet.to_frame`."""
    import pandas as pd

    names_of_columns = [sequence, label, *(attribute[0] for attribute in data.attributes), *data.number_names]
    twice = repeated(names_of_columns)
    if twice is not None:
        raise ValueError(f"two columns would be called {twice!r}; give to_frame other names for sequence and label.")
    lengths = np.diff(data.observation_offsets)
    columns: dict[str, Any] = {sequence: np.repeat(np.arange(len(lengths)), lengths)}
    if data.labels is not None:
        place = np.arange(len(data.values)) - np.repeat(data.observation_offsets[:-1], lengths)
        inside = place < np.repeat(np.diff(data.offsets), lengths)
        column = np.full(len(data.values), None, dtype=object)
        column[inside] = np.array([*data.label_names, None], dtype=object)[data.labels]
        columns[label] = column
    for j, (name, categories, *_) in enumerate(data.attributes):
        names = np.array([*categories, None], dtype=object)
        columns[name] = names[data.values[:, j]]
    for j, name in enumerate(data.number_names):
        columns[name] = data.numbers[:, j]
    return pd.DataFrame(columns)


def check_kinds(kinds: Mapping[str, Kind], columns: Sequence[str]) -> None:
    """Raise where a kind is none, or that of a column that is no input."""
    for column, kind in kinds.items():
        if column not in columns:
            raise ValueError(f"kinds names {quoted(column)}, which is no input; the inputs are {listed(columns)}.")
        if kind not in KINDS:
            raise ValueError(f"kinds: {quoted(column)} cannot be {quoted(kind)}; choose one of {listed(KINDS)}.")


def _kinds(
    table: Mapping[str, Column],
    columns: Sequence[str],
    categories: Mapping[str, Sequence[str]],
    kinds: Mapping[str, Kind],
) -> dict[str, Kind]:
    """What each input column holds: what `kinds` says, categories where they are named, otherwise by its type."""
    check_kinds(kinds, columns)
    by_default: dict[str, Kind] = {
        column: "category" if column in categories else column_kind(table[column].cells)
        for column in columns
        if column not in kinds
    }
    return by_default | dict(kinds)


def _encode_numbers(column: Column) -> NDArray[np.float64]:
    sentence = about_marked(column)
    if sentence is not None:
        warnings.warn(sentence, stacklevel=5)
    if column.strange.any():
        row = int(column.strange.argmax())
        raise CellError(
            row,
            column.name,
            f"{quoted(column.cells.iloc[row])} is not a finite number, and the column is read as numbers; fix that cell, empty "
            "it if its value is missing, or read the column as categories (kinds).",
        )
    return column.numbers


def _stacked(columns: Sequence[NDArray[Any]], n_rows: int, kept_as: type[np.generic]) -> NDArray[Any]:
    return np.stack(columns, axis=1).astype(kept_as) if columns else np.empty((n_rows, 0), dtype=kept_as)


def encode_categories(column: Column, fixed: Sequence[str] | None = None) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Codes of a column's cells, MISSING where empty, and the names behind the codes, sorted unless they are fixed.

    Where all are whole numbers, those that are written in several ways are one category (`Vocabulary`).
    """
    cells, texts = column.distinct
    names = tuple(map(str, fixed)) if fixed is not None else tuple(sorted(_without_copies(texts)))
    twice = repeated(names)
    if twice is not None:
        raise ValueError(
            f"column {quoted(column.name)}: the names given for it have {quoted(twice)} twice; give it once."
        )
    codes = np.append(Vocabulary(names).places(texts), MISSING)[cells]
    unknown = np.flatnonzero((cells != MISSING) & (codes == MISSING))
    if len(unknown):
        row = int(unknown[0])
        raise CellError(row, column.name, f"{quoted(texts[cells[row]])} is not among the names given for it.")
    return codes.astype(np.int32), names


Texts = Sequence[str] | NDArray[np.object_]
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
_PADDED = re.compile(r"[+-]?0[0-9]")


def whole_numbers(texts: Texts) -> list[int | None]:
    """The whole number that each text is, such as 7, 7.0 or 7e0; None for another text.

    Texts with leading zeros, such as 007, are numbers only where all that are have as many digits; else they are codes.
    """
    values = [float(text) if _NUMBER.fullmatch(text) else np.nan for text in texts]
    numbers = [int(value) if abs(value) < _EXACT and value.is_integer() else None for value in values]
    known = [text for text, number in zip(texts, numbers, strict=True) if number is not None]
    widths = {len(text) if text.isdecimal() else 0 for text in known}
    if any(map(_PADDED.match, known)) and (len(widths) > 1 or 0 in widths):
        return [None if _PADDED.match(text) else number for text, number in zip(texts, numbers, strict=True)]
    return numbers


class Vocabulary:
    """Names of categories, and which of them a text stands for.

    Where all names but `others` and `MARKS` are whole numbers, a text stands for the category of the same number, however it is
    written: programs write 7 as 7.0 beside a missing cell.

    Attributes
    ----------
    place_of : dict of str to int
        The place of each name.
    """

    def __init__(self, names: Sequence[str], others: Collection[str] = ()) -> None:
        self.place_of = {name: place for place, name in enumerate(names)}
        self._others = others

    def places(self, texts: Texts) -> NDArray[np.intp]:
        """The place of each text, `MISSING` where it is no category."""
        places = np.array([self.place_of.get(text, MISSING) for text in texts], dtype=np.intp)
        if (places == MISSING).any() and self._place_of_number:
            for row, number in enumerate(whole_numbers(texts)):
                if places[row] == MISSING and number is not None:
                    places[row] = self._place_of_number.get(number, MISSING)
        return places

    @cached_property
    def _place_of_number(self) -> dict[int, int]:
        """The place of each whole number; empty where names are something else."""
        names = self.place_of
        if not all(_NUMBER.fullmatch(n) or n in self._others or _is_mark(n) for n in names):
            return {}
        plain = [name for name in names if _NUMBER.fullmatch(name)]
        numbers = whole_numbers(plain)
        return (
            {n: names[name] for n, name in zip(numbers, plain, strict=True) if n is not None}
            if None not in numbers
            else {}
        )


def _without_copies(texts: Texts) -> Texts:
    """The texts; where all but `MARKS` are whole numbers, one that is written in several ways once, as `str` writes it."""
    numbers = whole_numbers(texts)
    if any(number is None and not _is_mark(text) for text, number in zip(texts, numbers, strict=True)):
        return texts
    ways: dict[int | str, list[str]] = {}
    for text, number in zip(texts, numbers, strict=True):
        ways.setdefault(text if number is None else number, []).append(text)
    return [same[0] if len(same) == 1 else str(number) for number, same in ways.items()]


def _labelled_positions(
    codes: NDArray[np.int32], observation_offsets: NDArray[np.int64], name: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Offsets of the labelled rows; unlabelled ones may only end a sequence."""
    labelled = codes != MISSING
    counts = np.add.reduceat(labelled.astype(np.int64), observation_offsets[:-1])
    place = np.arange(len(codes)) - np.repeat(observation_offsets[:-1], np.diff(observation_offsets))
    expected = place < np.repeat(counts, np.diff(observation_offsets))
    if (labelled != expected).any():
        raise CellError(
            int((~labelled & expected).argmax()),
            name,
            "an empty label stands before labelled rows, and only the end of a sequence may be unlabelled; fill it in, or read "
            "the table from Python with unknown_labels=True.",
        )
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), labelled


def by_index(values: Any, index: pd.Index, what: str, is_said: bool = True) -> Any:
    """Values of rows or sequences in the order of these, where they have an index; a ValueError if it is another one.

    Parameters
    ----------
    values : any
        What has no index, such as an array, is in order already.
    index : Index
        Of the rows or sequences.
    what : str
        Values are, in errors.
    is_said : bool
        Whether the index says what a row belongs to; else one that only counts, of values or of rows, is not looked at.
    """
    if not is_indexed(values) or len(values) != len(index):
        return values
    own = values.index
    if own.equals(index) or own.equals(index.get_level_values(0)):
        return values
    if own.is_unique and index.is_unique and own.nlevels == index.nlevels:
        places = own.get_indexer(index)
        if (places >= 0).all():
            return values.iloc[places]
    if not is_said and (_only_counts(own) or _only_counts(index)):
        return values
    raise ValueError(
        f"{what} have another index than the sequences; give them the same one, or an array (.to_numpy()), which is taken as it is "
        "ordered."
    )


def is_indexed(value: Any) -> bool:
    """Whether something is a Series or a DataFrame of pandas."""
    return hasattr(value, "iloc") and hasattr(value, "index")


def parts_by_index(parts: Any, indices: list[pd.Index], what: str) -> Any:
    """The same for lists of the values of each sequence, and the index of its rows."""
    parts = list(parts) if isinstance(parts, Iterator) else parts
    if not isinstance(parts, Collection) or len(parts) != len(indices) or not any(map(is_indexed, parts)):
        return parts
    return [
        by_index(part, index, f"{what} of sequence {number}", is_said=False)
        for number, (part, index) in enumerate(zip(parts, indices, strict=True))
    ]


def _only_counts(index: pd.Index) -> bool:
    import pandas as pd

    return bool(index.equals(pd.RangeIndex(len(index))))
