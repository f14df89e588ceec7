"""A table of text, whose columns are parsed once: what they hold, where rows are, and the set they make."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treecrf.io.arrays import Ints
from treecrf.io.columns import MISSING, CellError, Column, Kind, find_marks, infer_kind
from treecrf.io.files import AnyPath
from treecrf.io.frames import check_kinds, encode_columns, find_sequences
from treecrf.io.messages import counted, listed, quoted
from treecrf.readers.columns import SEQUENCE
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    import pandas as pd

LABEL = "label"
"""Name of the column with the labels, unless stated otherwise."""


@dataclass(frozen=True)
class TableColumns:
    """Names of the columns that identify sequences, hold the labels and are inputs; `numbers` are the inputs with
    numbers, and `groups` is the column of what related sequences share, such as a person, where there is one.
    """

    sequence: str
    label: str
    attributes: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    groups: str | None = None

    @property
    def categories(self) -> tuple[str, ...]:
        """The other inputs."""
        return tuple(name for name in self.attributes if name not in self.numbers)

    @property
    def kinds(self) -> dict[str, Kind]:
        """What each input holds."""
        return {name: "number" if name in self.numbers else "category" for name in self.attributes}


class TypedTable(Mapping[str, Column]):
    """The columns of a table by name, each parsed once, of a frame as from `treecrf.readers.reading.read_frame` and its
    file.

    Cells whose text is in `na` are missing in all columns, but stay as they are in the frame.
    """

    def __init__(self, frame: pd.DataFrame, path: AnyPath, na: Sequence[str] = ()) -> None:
        self.frame, self.path, self._na = frame, path, tuple(na)
        self._columns = {
            str(name): Column(cells.mask(cells.isin(self._na)) if na else cells, str(name))
            for name, cells in frame.items()
        }
        self._parts: list[TypedTable] = [self]
        self._starts = [0]

    @classmethod
    def join(cls, tables: Sequence[TypedTable], sequence: str, names: Sequence[str] | None = None) -> TypedTable:
        """The rows of tables with the same columns, one after another; the same name in two tables means two sequences.

        The name of a sequence is that of its table, which is its number unless there are `names`, a colon, and its own.

        Raises
        ------
        ValueError
            For a table without rows or with a sequence in two places; one sentence that names its file.
        """
        import pandas as pd

        for table in tables:
            if not len(table.frame):
                raise ValueError(f"table {table.path}: the table has no rows; give at least one sequence.")
            try:
                find_sequences(table[sequence])
            except CellError as error:
                raise table.error(error) from None
        frames = [
            table.frame.assign(**{sequence: f"{name}:" + table.frame[sequence]})
            for name, table in zip(names or range(len(tables)), tables, strict=True)
        ]
        joined = cls(pd.concat(frames, ignore_index=True), tables[0].path, tables[0]._na)
        joined._parts = list(tables)
        joined._starts = [sum(len(table.frame) for table in tables[:number]) for number in range(len(tables))]
        return joined

    def with_missing(self, names: Sequence[str]) -> TypedTable:
        """The table with further columns, all of whose cells are missing; its frame stays as it is."""
        import pandas as pd

        cells = pd.Series([None] * len(self.frame), index=self.frame.index, dtype=object)
        completed = copy(self)
        completed._columns = self._columns | {name: Column(cells, name) for name in names}
        return completed

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of columns."""
        return len(self._columns)

    # --- errors -------------------------------------------------------------------------------------

    def error(self, error: CellError) -> ValueError:
        """The error with the file, the file in a folder, and the line where there are lines; rows are those of the
        file.
        """
        number = bisect_right(self._starts, error.row) - 1
        part, row = self._parts[number], error.row - self._starts[number]
        index = part.frame.index
        if index.nlevels == 2:
            file, line = index[row]
            place = f"/{file}, line {line}"
        else:
            place = f", line {index[row]}" if index.dtype.kind == "i" and index[0] != 0 else ""
        return ValueError(f"table {part.path}{place}: {CellError(row, error.column, error.problem)}")

    def cell_error(self, row: int, column: str, problem: str) -> ValueError:
        """`error` of a cell; rows count from 0."""
        return self.error(CellError(row, column, problem))

    def check_columns(self, names: Sequence[str], advice: str = "correct the name") -> None:
        """Raise where the table has no such column; `advice` says what to do."""
        for name in names:
            if name not in self:
                if len(self) == 1:
                    advice = "give the field separator (separator)"
                raise ValueError(
                    f"table {self.path} has no column {quoted(name)}; its columns are {listed(self)}; {advice}."
                )

    # --- what the columns are -----------------------------------------------------------------------

    def label_column(self, label: str = LABEL) -> str:
        """The column with the labels: that of this name, or the last one where columns have no names but numbers."""
        numbers = [name for name in self if name != SEQUENCE]
        nameless = bool(numbers) and numbers == [str(place) for place in range(1, len(numbers) + 1)]
        return numbers[-1] if nameless and label == LABEL else label

    def decide_columns(
        self,
        sequence: str,
        label: str,
        attributes: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        groups: str | None = None,
    ) -> TableColumns:
        """The columns with what the inputs hold: what `kinds` says, else `treecrf.io.columns.infer_kind`."""
        kinds = kinds or {}
        try:
            check_kinds(kinds, attributes)
            kind_of = {name: kinds.get(name) or infer_kind(self[name], is_written=True) for name in attributes}
        except ValueError as error:
            raise ValueError(f"table {self.path}: {error}") from None
        numbers = tuple(name for name, kind in kind_of.items() if kind == "number")
        return TableColumns(sequence, label, tuple(attributes), numbers, groups)

    def check_marks(self, names: Sequence[str]) -> None:
        """Refuse columns of categories that would hold numbers, were it not for a few cells such as "NA"."""
        for name in names:
            marks = find_marks(self[name])
            if marks is not None and marks.are_among_many:
                raise self.cell_error(
                    int(marks.strange.argmax()),
                    name,
                    f"{quoted(marks.texts[0])} is not a number, as all but "
                    f"{counted(int(marks.strange.sum()), 'cell')} of the column are; name it as a text that means "
                    "missing (na), or read the column as categories (kinds).",
                )

    def encode(
        self, columns: TableColumns, *, labelled: bool = True, label_names: Sequence[str] | None = None
    ) -> SequenceSet:
        """The sequences of the table; unless `labelled`, no labels are read, and every row is a position.

        Sequences are grouped by the column of groups, if the table has it.

        Raises
        ------
        ValueError
            As of `SequenceSet.from_frame`; one sentence that names file, line, row and column.
        """
        label = columns.label if labelled else None
        try:
            encoded = encode_columns(
                self, columns.sequence, label, columns.attributes, label_names, kinds=columns.kinds
            )
            data = SequenceSet(**encoded._asdict())
            return data.with_groups(self._groups(columns)) if columns.groups in self else data
        except CellError as error:
            raise self.error(error) from None
        except ValueError as error:
            raise ValueError(f"table {self.path}: {error}") from None

    def _groups(self, columns: TableColumns) -> Ints:
        """The group of each sequence; a CellError where one has none, or several."""
        assert columns.groups is not None
        column = self[columns.groups]
        codes, texts = column.distinct
        starts = find_sequences(self[columns.sequence])
        unknown = codes == MISSING
        if unknown.any():
            raise CellError(int(unknown.argmax()), column.name, "the group of the row's sequence is not named.")
        of_rows = np.repeat(codes[starts[:-1]], np.diff(starts))
        if (codes != of_rows).any():
            row = int((codes != of_rows).argmax())
            raise CellError(
                row,
                column.name,
                f"{quoted(texts[codes[row]])} follows {quoted(texts[of_rows[row]])} within a sequence; a sequence is "
                "of one group: name another column of groups, or split the sequence there.",
            )
        return codes[starts[:-1]].astype(np.int64)
