"""Users' sequences: files with one row per observation, an empty cell for a missing value."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from treecrf.grouping import group_copies
from treecrf.inputs.derived import identifying_times
from treecrf.io.columns import Kind
from treecrf.io.messages import counted, quoted, repeated
from treecrf.readers.reading import read_table
from treecrf.readers.tables import LABEL, TypedTable
from treecrf.readers.text_files import Dialect, Format
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import generator, hold_out


def load_table(
    path: str | os.PathLike[str],
    *,
    test: str | os.PathLike[str] | None = None,
    sequence: str = "sequence",
    label: str = LABEL,
    attributes: Sequence[str] | None = None,
    split: str | None = None,
    test_fraction: float = 1 / 3,
    seed: int = 0,
    kinds: Mapping[str, Kind] | None = None,
    format: Format | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    quote: str | None = None,
    na: Sequence[str] = (),
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set from one or two tables, which are files or folders (`treecrf.readers.reading.read_table`).

    A warning reports detected options.

    Parameters
    ----------
    path : path
        The training table, or the only one.
    test : path, optional
        The test table.
    sequence, label : str
        Columns. A columns file numbers its sequences in "sequence", and "label" is its last column.
    attributes : sequence of str, optional
        Input columns; all others unless given.
    split : str, optional
        Column that holds "train" or "test", the same on all rows of a sequence; not read where `test` is given.
    test_fraction : float
        Without `test` and `split`: the share of the sequences that is drawn for testing, copies of a sequence with it.
    seed : int
        Decides which.
    kinds : mapping of str to "number" or "category", optional
        What input columns hold, where it is not what `treecrf.io.columns.infer_kind` says.
    format, separator, decimal, encoding, quote : str, optional
        How the files are written (`treecrf.readers.text_files.Dialect`) (default: detected).
    na : sequence of str
        Texts that mean that a cell is missing.

    Raises
    ------
    ValueError
        One sentence that names file, line (of a CSV file), row (from 0, the column names not counted) and column.
    """
    paths = [path] if test is None else [path, test]
    dialect = Dialect(format, separator, decimal, encoding, quote, tuple(na))
    tables = [read_table(each, dialect, sequence, _warn) for each in paths]
    label = tables[0].label_column(label)
    if attributes is None:
        attributes = [name for name in tables[0] if name not in (sequence, label, split)]
    names = [sequence, label, *attributes, *([split] if split is not None and test is None else [])]
    twice = repeated(names)
    if twice is not None:
        raise ValueError(f"table {path}: column {quoted(twice)} has two uses; name it for one of them.")
    for table in tables:
        table.check_columns(names)
    table = tables[0] if test is None else TypedTable.join(tables, sequence)
    columns = table.decide_columns(sequence, label, attributes, kinds)
    table.check_marks([name for name in columns.categories if name not in (kinds or {})])
    whole = table.encode(columns)
    for name in identifying_times(whole):
        _warn(
            f"Column {name!r}: its time stamps identify the rows; derive inputs from them "
            "(treecrf.inputs.DerivedInputs), or leave it out (attributes)."
        )
    starts = whole.observation_offsets[:-1]
    if test is not None:
        for_test = starts >= len(tables[0].frame)
    elif split is not None:
        for_test = _split_column(table, split, whole)
    else:
        if not 0 < test_fraction < 1:
            raise ValueError(f"test_fraction={test_fraction}: give a share between 0 and 1.")
        for_test = np.zeros(len(whole), dtype=bool)
        copies = group_copies(whole)
        if copies.any():  # there are two groups
            for_test[hold_out(copies, test_fraction, generator("table", "test", seed=seed))[1]] = True
    if for_test.all() or not for_test.any():
        raise ValueError(
            f"table {path}: training and test set both need a sequence, and the table has "
            f"{counted(len(whole), 'sequence')}."
        )
    return whole.select(np.flatnonzero(~for_test)), whole.select(np.flatnonzero(for_test))


def _warn(sentence: str) -> None:
    warnings.warn(sentence, stacklevel=2)


def _split_column(table: TypedTable, split: str, whole: SequenceSet) -> NDArray[np.bool_]:
    """Whether each sequence is for testing."""
    codes, texts = table[split].distinct
    cells = np.array([*texts, None], dtype=object)[codes]
    wrong = ~np.isin(codes, [code for code, text in enumerate(texts) if text in ("train", "test")])
    if wrong.any():
        row = int(wrong.argmax())
        raise table.cell_error(row, split, f"{quoted(cells[row])} is neither 'train' nor 'test'.")
    starts = whole.observation_offsets[:-1]
    mixed = cells != np.repeat(cells[starts], np.diff(whole.observation_offsets))
    if mixed.any():
        raise table.cell_error(int(mixed.argmax()), split, "its sequence has both parts.")
    return np.asarray(cells[starts] == "test")
