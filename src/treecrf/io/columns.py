"""Columns of tables, parsed once as text and as numbers: what they hold, and their codes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import Bools, Floats
from treecrf.io.messages import counted, listed, quoted, repeated, warn

if TYPE_CHECKING:
    import pandas as pd


MISSING = -1
"""Code of a cell whose value is not known."""

_EXACT = 2**53  # whole numbers below it are exact in float64


class CellError(ValueError):
    """What is wrong with a cell of a table, in one sentence; who knows the file adds its name and the line."""

    def __init__(self, row: int, column: str, problem: str) -> None:
        super().__init__(row, column, problem)
        self.row, self.column, self.problem = row, column, problem

    def __str__(self) -> str:
        """The sentence without file and line."""
        return f"row {self.row}, column {quoted(self.column)}: {self.problem}"


def cell_texts(column: pd.Series, name: str) -> NDArray[np.object_]:
    """The cells of a column as text; `name` is what an error calls the column, and what is no value has some text, too.

    The text of a cell depends on nothing but its value: a whole number is written without ".0" even where a missing
    value or a fraction elsewhere in the column has made it a float, and a date without midnight.

    Raises
    ------
    CellError
        For bytes that are no UTF-8 and text with half a surrogate pair.
    """
    import pandas as pd

    if is_text(column):
        return column.fillna("").to_numpy(dtype=object)
    if isinstance(column.dtype, pd.CategoricalDtype):  # whose rows share the text of a category
        column = column.cat.remove_unused_categories()
        return np.append(_level_texts(column, name), "")[column.cat.codes.to_numpy()]
    if pd.api.types.is_numeric_dtype(column.dtype):
        return _number_texts(column)
    texts = np.empty(len(column), dtype=object)
    for row, cell in enumerate(column.to_numpy(dtype=object)):
        try:
            texts[row] = cell_text(cell)
            texts[row].encode()
        except UnicodeError:
            raise CellError(row, name, f"{quoted(cell)} is not text in UTF-8; fix that cell.") from None
    return texts


def _level_texts(column: pd.Series, name: str) -> NDArray[np.object_]:
    """The text of each category of a column; an error names a row that has it."""
    import pandas as pd

    try:
        return cell_texts(pd.Series(column.cat.categories), name)
    except CellError as error:
        rows = np.flatnonzero(column.cat.codes.to_numpy() == error.row)
        if len(rows):
            raise CellError(int(rows[0]), name, error.problem) from None
        raise ValueError(
            f"column {quoted(name)} has a category that no row has and that is not text in UTF-8; remove unused "
            "categories."
        ) from None


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


def cell_text(cell: object) -> str:
    """The text of a cell that has a value."""
    if isinstance(cell, bytes):
        return cell.decode()
    if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(float(cell)) < _EXACT:
        return str(int(cell))
    if isinstance(cell, np.datetime64 | np.timedelta64) and isinstance(cell.item(), date | timedelta):
        cell = cell.item()
    if isinstance(cell, datetime):
        return str(cell).removesuffix(" 00:00:00")  # a date, whatever the times beside it
    if type(cell) is timedelta:
        return _duration_text(cell)
    return str(cell)


def _duration_text(duration: timedelta) -> str:
    """A duration as pandas writes it, "1 days 02:00:00", unless it is longer than pandas' durations may be."""
    import pandas as pd

    try:
        return str(pd.Timedelta(duration))
    except ValueError:
        return str(duration)


Kind = Literal["number", "category"]
COLUMN_KINDS: tuple[Kind, ...] = ("number", "category")

MOST_INTEGERS = 20
"""A column of whole numbers alone holds categories if it has at most so many different ones."""

SAID = "treecrf.kinds"
"""Where the ``attrs`` of a frame that a transform made say which columns are numbers, however few values they have."""


class Column:
    """A column of a table, whose cells are parsed once: when they are first asked for as text, or as numbers.

    Parameters
    ----------
    cells : Series, list, or array of numbers
        Of a table; or any values in Python, one for each row.
    name : str
        What errors call it.
    """

    def __init__(self, cells: pd.Series | list[Any] | NDArray[Any], name: str) -> None:
        self.cells, self.name = cells, name

    @cached_property
    def series(self) -> pd.Series:
        """The cells with their types."""
        import pandas as pd

        if isinstance(self.cells, list):
            return _without_signals(pd.Series(np.fromiter(self.cells, object, len(self.cells))))
        return _without_signals(self.cells) if isinstance(self.cells, pd.Series) else pd.Series(self.cells)

    @cached_property
    def distinct(self) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
        """Which of its different texts (second, in the order of the rows) each cell has, `MISSING` where it is empty.

        Raises
        ------
        CellError
            For cells that are no text, as `cell_texts` has it.
        """
        plain = _distinct_texts(self.cells) if isinstance(self.cells, list) else None
        if plain is not None:
            return plain
        import pandas as pd

        column = self.series
        cells = column if is_text(column) else pd.Series(cell_texts(column, self.name)).mask(column.isna().to_numpy())
        codes, texts = pd.factorize(cells.mask(cells == ""))
        return codes, np.asarray(texts, dtype=object)

    @cached_property
    def are_numbers(self) -> bool:
        """Whether all cells but the missing ones are numbers by their types; booleans and text are not."""
        if isinstance(self.cells, np.ndarray) or (isinstance(self.cells, list) and _are_numbers(self.cells)):
            return True
        if self.series.dtype == object:
            return _are_numbers(self.series.dropna())
        dtype = self.series.dtype
        return dtype.kind in "iuf" or (dtype.kind == "O" and str(dtype).startswith("decimal"))  # of Arrow

    @property
    def numbers(self) -> Floats:
        """The cells as numbers, NaN where one is empty or no finite number; shape (n_rows,).

        Errors as of `distinct`.
        """
        return self._parsed[0]

    @property
    def strange(self) -> Bools:
        """Whether a cell has a value that is no finite number and no mark of a missing one; bool, shape (n_rows,)."""
        return self._parsed[1] & ~self.marked

    @cached_property
    def marked(self) -> Bools:
        """Whether a cell has a mark that says that its number is missing (`MARKS`); bool, shape (n_rows,)."""
        if not self._parsed[1].any():
            return self._parsed[1]
        codes, texts = self.distinct
        return np.append([_is_mark(text) for text in texts], False)[codes]

    @cached_property
    def _parsed(self) -> tuple[Floats, Bools]:
        """The numbers, and whether a cell has a value that is none."""
        numbers = self._typed_numbers()
        if numbers is not None:
            is_empty = np.isnan(numbers)
        elif is_text(self.series) and (numbers := _cast(self.series)) is not None:
            is_empty = np.array(self.series.isna(), dtype=bool)
            is_empty |= (self.series == "").to_numpy(dtype=bool, na_value=False)
        else:
            codes, texts = self.distinct
            numbers, is_empty = np.append(_parse(texts), np.nan)[codes], codes == MISSING
        numbers[~np.isfinite(numbers)] = np.nan
        return numbers, np.isnan(numbers) & ~is_empty

    def _typed_numbers(self) -> Floats | None:
        """The cells, where their types say that they are numbers or booleans, NaN where one is missing; else None."""
        try:
            if isinstance(self.cells, np.ndarray) or (isinstance(self.cells, list) and _are_numbers(self.cells)):
                return np.array(self.cells, dtype=np.float64)
            if self.are_numbers or self.series.dtype.kind == "b":
                return self.series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
        except OverflowError:  # a whole number beyond all floats
            pass
        return None

    @property
    def levels(self) -> list[str] | None:
        """Texts of the levels of a categorical column, unused ones included; None where they are not given."""
        if isinstance(self.cells, list) or not hasattr(self.cells.dtype, "categories"):
            return None

        texts = _level_texts(self.series, self.name).tolist()
        return None if "" in texts or repeated(texts) is not None else texts

    def refuse_nested(self) -> None:
        """Raise a CellError for a cell that holds several values."""
        cells = self.cells if isinstance(self.cells, list) else self.series
        if isinstance(cells, list) or cells.dtype == object:
            kinds = {kind for kind in set(map(type, cells)) if issubclass(kind, _NESTED)}
            row = next((row for row, cell in enumerate(cells) if type(cell) in kinds), None) if kinds else None
            if row is not None:
                raise CellError(
                    row,
                    self.name,
                    f"the argument must be a string or a number, not {quoted(self.series.iloc[row])}; give each part "
                    "a name of its own.",
                )


_NESTED = (list, tuple, set, dict, np.ndarray)


def infer_kind(column: Column, is_written: bool = False) -> Kind:
    """What a column holds, where nobody says it.

    Values in Python are numbers if all are. A column of a table holds numbers by its type or, where all cells are
    written as text (`is_written`), if all read as finite ones, but for empty cells and marks of missing ones; of these,
    a column without fractions that has at most `MOST_INTEGERS` different numbers holds categories. Whole numbers that
    pandas keeps as floats, for a missing value among them, are whole numbers all the same.
    """
    if isinstance(column.cells, list | np.ndarray):
        return "number" if column.are_numbers else "category"
    said: Kind | None = column.cells.attrs.get(SAID, {}).get(column.name)
    if said is not None:
        return said
    is_typed = column.cells.dtype != object and column.are_numbers
    are_read = not column.strange.any() if is_written else is_typed
    return "number" if are_read and _are_many(column.numbers) else "category"


def _without_signals(column: pd.Series) -> pd.Series:
    """The column with None for each signalling NaN of decimals, which raises at every comparison."""
    if column.dtype != object or Decimal not in set(map(type, column)):
        return column
    import pandas as pd

    cells = [None if isinstance(cell, Decimal) and cell.is_snan() else cell for cell in column]
    return pd.Series(cells, index=column.index, name=column.name, dtype=object)


def _are_many(numbers: Floats) -> bool:
    """Whether there are fractions, or more than `MOST_INTEGERS` different numbers."""
    values = np.unique(numbers[~np.isnan(numbers)])
    return len(values) > MOST_INTEGERS or bool((values != np.floor(values)).any())


def _are_numbers(cells: Iterable[Any]) -> bool:
    """Whether all cells are numbers or None; booleans are not."""
    return all(issubclass(kind, Real | NoneType) and kind is not bool for kind in set(map(type, cells)))


def _distinct_texts(cells: list[Any]) -> tuple[NDArray[np.intp], NDArray[np.object_]] | None:
    """`Column.distinct` of text, None and NaN; None for other cells. Without pandas, for the sake of few rows."""
    try:
        different = dict.fromkeys(cells)
        texts = [cell for cell in different if type(cell) is str and cell]
        "".join(texts).encode()
    except (TypeError, UnicodeEncodeError):  # a cell that cannot be hashed, or half a surrogate pair
        return None
    if not all(type(cell) is str or cell is None or (type(cell) is float and cell != cell) for cell in different):
        return None
    place_of = {text: place for place, text in enumerate(texts)}
    return np.array([place_of.get(cell, MISSING) for cell in cells], dtype=np.intp), np.array(texts, dtype=object)


MARKS = frozenset(
    ("na", "n/a", "#n/a", "#na", "<na>", "n.a.", "nan", "-nan", "null", "none", "nil", "missing", "?", "-", "--", ".")
)
"""What programs write for a number that is missing, in small letters."""

MOST_MARKS = 3
"""More distinct non-numeric values than this are not interpreted as marks of missing values."""


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


class Marks(NamedTuple):
    """Cells of a column of numbers that stand for missing ones, it seems.

    `strange` (bool, shape (n_rows,)) says which cells; `texts` has their different values; `are_among_many` is whether
    the other cells, taken by themselves, are numbers (`infer_kind`).
    """

    strange: Bools
    texts: list[str]
    are_among_many: bool


def find_marks(column: Column) -> Marks | None:
    """The few non-numeric values among many numbers, as some programs mark missing values; None if none."""
    codes, texts = column.distinct
    strange = column.strange | column.marked
    marks = [str(text) for text in texts[np.unique(codes[strange])]]
    known = column.numbers[~np.isnan(column.numbers)]
    if not 0 < len(marks) <= MOST_MARKS or len(marks) >= len(np.unique(known)) or strange.sum() >= len(known):
        return None
    return Marks(strange, marks, _are_many(known))


def _cast(column: pd.Series) -> Floats | None:
    """The numbers in a column of text that has nothing but plain ones, NaN where a cell is empty; None for other
    columns.
    """
    import pyarrow as pa

    try:
        numbers = pa.chunked_array(column.mask(column == "")).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    return np.array(numbers.to_numpy(), dtype=np.float64)


def _parse(texts: NDArray[np.object_]) -> Floats:
    """The numbers that texts are, NaN for those that are none."""
    import pandas as pd

    numbers = np.array(pd.to_numeric(pd.Series(texts), errors="coerce"), dtype=np.float64)
    is_number = np.isfinite(numbers)
    numbers[is_number] = texts[is_number].astype(np.float64)  # exact, which pandas' last digit is not
    return numbers


# --- codes ------------------------------------------------------------------------------------------


def encode_numbers(column: Column) -> Floats:
    """A column's numbers, with a warning of those that are read as missing; a CellError for a cell that is none."""
    if column.strange.any():
        row = int(column.strange.argmax())
        raise CellError(
            row,
            column.name,
            f"{quoted(column.series.iloc[row])} is not a finite number, and the column is read as numbers; fix that "
            "cell, empty it if its value is missing, or read the column as categories (kinds).",
        )
    sentence = about_marked(column)
    if sentence is not None:
        warn(sentence)
    return column.numbers


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

    Where all names but `others` and `MARKS` are whole numbers, a text stands for the category of the same number,
    however it is written: programs write 7 as 7.0 beside a missing cell.

    Attributes
    ----------
    names : tuple of str
    place_of : dict of str to int
        The place of each name.
    """

    def __init__(self, names: Sequence[str], others: Collection[str] = ()) -> None:
        self.names = tuple(names)
        self.place_of = {name: place for place, name in enumerate(names)}
        self._others = others

    def codes(self, cells: list[Any]) -> NDArray[np.int32] | None:
        """The place of each cell if all are names or empty, else None; `places` may know some."""
        if not set(map(type, cells)) <= {str, NoneType}:
            return None
        try:
            return np.fromiter(map(self._code_of_cell.__getitem__, cells), np.int32, len(cells))
        except KeyError:
            return None

    @cached_property
    def _code_of_cell(self) -> dict[str | None, int]:
        return self.place_of | {None: MISSING, "": MISSING}

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
    """The texts; if all but `MARKS` are whole numbers, one written in several ways becomes that of `str`."""
    if not all(_NUMBER.fullmatch(text) or _is_mark(text) for text in texts):
        return texts
    numbers = whole_numbers(texts)
    if any(number is None and not _is_mark(text) for text, number in zip(texts, numbers, strict=True)):
        return texts
    ways: dict[int | str, list[str]] = {}
    for text, number in zip(texts, numbers, strict=True):
        ways.setdefault(text if number is None else number, []).append(text)
    return [same[0] if len(same) == 1 else str(number) for number, same in ways.items()]
