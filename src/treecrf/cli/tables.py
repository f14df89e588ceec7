"""Files with labels as the commands read them: their columns, named or guessed, and what a labeller is trained on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from treecrf.cli import shared
from treecrf.io.messages import counted, listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecrf.io.columns import Kind
    from treecrf.readers.tables import TableColumns, TypedTable
    from treecrf.readers.text_files import Dialect
    from treecrf.sequences import SequenceSet

MOST_CELLS = 2**32
"""Of all windows together; each takes at least a byte."""


class TableOptions(NamedTuple):
    """Options about a file with labels: its columns, their types, and the format and dialect of the file.

    `attributes` are all other columns where they are None.
    """

    sequence: str
    label: str
    attributes: tuple[str, ...] | None
    kinds: Mapping[str, Kind]
    dialect: Dialect
    groups: str | None = None
    weights: str | None = None

    @classmethod
    def parse(
        cls,
        sequence: str,
        label: str,
        attributes: str | None,
        kinds: str | None,
        *dialect: str | None,
        groups: str | None = None,
        weights: str | None = None,
    ) -> TableOptions:
        """From the command line; wrong usage if a value is not known."""
        names = None if attributes is None else shared.split_names(attributes)
        return cls(sequence, label, names, shared.parse_kinds(kinds), shared.parse_dialect(*dialect), groups, weights)


def window_within(window: tuple[int, int], data: SequenceSet) -> tuple[int, int]:
    """A window without the places that are outside of every sequence; a ValueError if it is too large all the same."""
    import numpy as np

    most = int(np.diff(data.observation_offsets).max()) - 1
    left, right = min(window[0], most), min(window[1], most)
    n_cells = data.n_cells * (left + right + 1)
    if n_cells > MOST_CELLS:
        raise ValueError(
            f"the windows {left},{right} have {counted(n_cells, 'cell')}, too many; give a smaller --window."
        )
    if (left, right) != window:
        shared.note(f"No sequence has more than {counted(most + 1, 'observation')}: the window is {left},{right}.")
    return left, right


def read_guessed_table(path: Path, options: TableOptions) -> tuple[TypedTable, TableOptions]:
    """The table at `path`, and the options with the columns of sequences and labels that it seems to have."""
    from treecrf.readers.reading import read_table

    table = read_table(path, options.dialect, options.sequence, shared.note)
    return table, _guessed(table, options._replace(label=table.label_column(options.label)))


def unnamed_columns(table: TypedTable, options: TableOptions) -> tuple[str, ...]:
    """Which of the sequences and the labels have neither a column that was named nor one of the usual name with cells
    that are not empty.
    """
    from treecrf.readers.columns import SEQUENCE
    from treecrf.readers.tables import LABEL

    usual = {"sequence": (options.sequence, SEQUENCE), "label": (options.label, LABEL)}
    return tuple(
        role
        for role, (name, default) in usual.items()
        if name == default and (name not in table or not len(table[name].distinct[1]))
    )


def read_labelled_table(
    path: Path, options: TableOptions, *more: Path, strict: bool
) -> tuple[TypedTable, TableColumns, SequenceSet]:
    """The table at `path`, how its columns are read, and its sequences, as a labeller would be trained on them.

    The rows of `more` files follow; sequences are then called by file and name.

    With `strict`, cells such as "NA" among numbers are refused, and columns without any cell, those that identify rows
    and those that seem to hold groups are left out unless they were named.
    """
    table, options = read_guessed_table(path, options)
    return as_labelled(table, options, *more, strict=strict)


def as_labelled(
    table: TypedTable, options: TableOptions, *more: Path, strict: bool
) -> tuple[TypedTable, TableColumns, SequenceSet]:
    """What `read_labelled_table` gives of a table that has been read."""
    from treecrf.readers.reading import read_table

    label, names, advice = (
        options.label,
        options.attributes,
        "name yours by --sequence, --label, --attributes and --groups",
    )
    others = [name for name in (options.groups, options.weights) if name is not None]
    table.check_columns([options.sequence, label, *(names or ()), *others], advice)
    if more:
        table = _joined(
            [table, *(read_table(each, options.dialect, options.sequence, shared.note) for each in more)], options
        )
    if names is None:
        names = tuple(name for name in table if name not in (options.sequence, label, *others))
        names = _useful(table, names, options) if strict else names
    columns = table.decide_columns(options.sequence, label, names, options.kinds, options.groups)
    if strict:
        table.check_marks([name for name in columns.categories if name not in options.kinds])
    return table, columns, table.encode(columns)


def _joined(tables: list[TypedTable], options: TableOptions) -> TypedTable:
    """One table of the rows of several files with the same columns."""
    from treecrf.readers.tables import TypedTable

    first, *others = tables
    for table in others:
        if set(table) != set(first):
            raise ValueError(
                f"table {table.path} has the columns {listed(table)}, and {first.path} has {listed(first)}; give all "
                "files the same ones."
            )
    stems = [Path(table.path).stem for table in tables]
    names = stems if len(set(stems)) == len(stems) else [str(table.path) for table in tables]
    if len(set(names)) < len(names):
        raise ValueError("a training file is named twice; name each file once.")
    example = f"{names[0]}:{_first(first, options)}"
    shared.note(f"{counted(len(tables), 'file')}: their sequences are called by file and name, such as {example}.")
    return TypedTable.join(tables, options.sequence, names)


def _first(table: TypedTable, options: TableOptions) -> str:
    cells = table.frame[options.sequence]
    return str(cells.iloc[0]) if len(cells) else "1"


def _guessed(table: TypedTable, options: TableOptions) -> TableOptions:
    """The options with the columns of sequences and labels that the table seems to have, where those of usual names are
    not there; what is guessed is said on stderr.
    """
    from treecrf.automl.description import guess_label, guess_sequence
    from treecrf.readers.columns import SEQUENCE
    from treecrf.readers.tables import LABEL

    said = []
    if options.sequence == SEQUENCE and SEQUENCE not in table and len(table.frame):
        guess = guess_sequence(table, options.label)
        if guess is not None:
            options = options._replace(sequence=guess)
            said.append(f"sequences from the column {guess!r} (--sequence)")
    if options.label == LABEL and LABEL not in table and options.sequence in table and len(table.frame):
        guess = guess_label(table, options.sequence)
        if guess is not None:
            options = options._replace(label=guess)
            said.append(f"labels from the column {guess!r} (--label)")
    if said:
        shared.note(f"Taking {' and '.join(said)}.")
    return options


def _useful(table: TypedTable, names: tuple[str, ...], options: TableOptions) -> tuple[str, ...]:
    """The columns that are inputs where none are named; others are named on stderr."""
    from treecrf.automl.description import left_out

    reasons = left_out(table, names, options.sequence, options.groups)
    for name, reason in reasons.items():
        shared.note(f"Column {name!r} is left out: {reason}")
    if names and len(table.frame) and not any(len(table[name].distinct[1]) for name in names):
        raise ValueError(f"table {table.path}: all input columns are empty.")
    return tuple(name for name in names if name not in reasons)


def without_inputs(columns: TableColumns, names: Collection[str]) -> TableColumns:
    """The columns without some of the inputs."""
    kept = tuple(name for name in columns.attributes if name not in names)
    return replace(columns, attributes=kept, numbers=tuple(name for name in columns.numbers if name in kept))


def read_training_set(
    path: Path, options: TableOptions, *more: Path, derives: bool = False
) -> tuple[TableColumns, SequenceSet, NDArray[np.float64] | None]:
    """How the columns at `path` and of `more` files are read, the sequences, and the weights of their positions, if
    they have some; columns of little use are named on stderr.

    Time stamps that identify rows are left out unless other inputs are derived from them (`derives`).
    """
    from treecrf.automl.description import column_warnings, inputs_sentence
    from treecrf.inputs.times import identifying_times

    table, columns, data = read_labelled_table(path, options, *more, strict=True)
    stamps = identifying_times(data)
    for name in stamps:
        used, also = (
            ("used for derived inputs alone", "") if derives else ("left out", "; treecrf fit --derive times uses them")
        )
        shared.note(f"Column {name!r} is {used}: its time stamps identify the rows{also}.")
    others = without_inputs(columns, stamps)
    if stamps and not derives:
        columns, data = others, table.encode(others)
    if len(data.label_names) < 2:
        raise ValueError(
            f"table {path}, column {columns.label!r}: every label is {data.label_names[0]!r}; training needs at least "
            "two different labels."
        )
    for sentence in [inputs_sentence(others), *column_warnings(table, others)]:
        shared.note(sentence)
    return columns, data, None if options.weights is None else read_weights(table, options.weights, data)


def read_weights(table: TypedTable, column: str, data: SequenceSet) -> NDArray[np.float64]:
    """The weight of each position; a ValueError names a cell that is none."""
    from treecrf.sequences import window_rows

    table.check_columns([column])
    weights = table[column].numbers[window_rows(data, (0, 0))[:, 0]]
    wrong = ~(weights >= 0)
    if wrong.any():
        row = int(window_rows(data, (0, 0))[int(wrong.argmax()), 0])
        raise table.cell_error(row, column, "a weight must be a number of at least 0; fix that cell.")
    if not weights.any():
        raise ValueError(f"table {table.path}, column {column!r}: all weights are 0; give some row one above 0.")
    return weights
