"""Tables to the codes and offsets of a `treecrf.sequences.SequenceSet`, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.cells import KINDS, MISSING, CellError, Column, Kind, column_kind
from treecrf.io.messages import listed, quoted, repeated

if TYPE_CHECKING:
    import pandas as pd


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
    taken = {sequence} | ({label} if label is not None else set())
    columns = [c for c in table if c not in taken] if attributes is None else list(attributes)
    for column in [*taken, *columns]:
        if column not in table:
            raise ValueError(f"the table has no column {quoted(column)}; its columns are {listed(table)}.")
    twice = repeated([sequence, *([] if label is None else [label]), *columns])
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
        raise CellError(row, column.name, f"sequence {quoted(texts[codes[row]])} comes a second time; sort the table.")
    return np.r_[starts, len(codes)].astype(np.int64)


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
    for j, (name, categories, _) in enumerate(data.attributes):
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
    """Codes of a column's cells, MISSING where empty, and the names behind the codes, sorted unless they are fixed."""
    import pandas as pd

    cells, texts = column.distinct
    names = tuple(map(str, fixed)) if fixed is not None else tuple(sorted(texts))
    twice = repeated(names)
    if twice is not None:
        raise ValueError(
            f"column {quoted(column.name)}: the names given for it have {quoted(twice)} twice; give it once."
        )
    code_of = pd.Index(names, dtype=object).get_indexer(pd.Index(texts, dtype=object))
    codes = np.append(code_of, MISSING)[cells]
    unknown = np.flatnonzero((cells != MISSING) & (codes == MISSING))
    if len(unknown):
        row = int(unknown[0])
        raise CellError(row, column.name, f"{quoted(texts[cells[row]])} is not among the names given for it.")
    return codes.astype(np.int32), names


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
