"""Tables to the codes and offsets of a `treecrf.sequences.SequenceSet`, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.cells import KINDS, Kind, cell_texts, column_kind, is_text, parse_numbers
from treecrf.io.messages import listed, quoted, repeated

if TYPE_CHECKING:
    import pandas as pd

MISSING = -1
"""Code of a cell whose value is not known."""


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
    taken = {sequence} | ({label} if label is not None else set())
    columns = [c for c in frame.columns if c not in taken] if attributes is None else list(attributes)
    for column in [*taken, *columns]:
        if column not in frame.columns:
            raise ValueError(f"the table has no column {quoted(column)}; its columns are {listed(frame.columns)}.")
    twice = repeated([sequence, *([] if label is None else [label]), *columns])
    if twice is not None:
        raise ValueError(f"column {quoted(twice)} has two uses; name it for one of them.")
    if not columns:
        raise ValueError("the table has no attribute columns; name at least one.")
    if not len(frame):
        raise ValueError("the table has no rows; give at least one sequence.")

    observation_offsets = _starts(frame[sequence], sequence)
    kind_of = _kinds(frame, columns, categories or {}, kinds or {})
    described: list[tuple[str, tuple[str, ...], bool]] = []
    values, numbers = [], []
    for column in columns:
        if kind_of[column] == "number":
            numbers.append(_encode_numbers(frame[column], column))
            continue
        codes, names = _encode(frame[column], column, (categories or {}).get(column))
        values.append(codes)
        described.append((str(column), names, False))
    number_names = tuple(str(column) for column in columns if kind_of[column] == "number")
    inputs = Encoded(
        _stacked(values, len(frame), np.int32), observation_offsets, described, None, tuple(label_names or ()),
        observation_offsets, _stacked(numbers, len(frame), np.float64), number_names,
    )  # fmt: skip
    if label is None:
        return inputs
    codes, names = _encode(frame[label], label, label_names)
    if len(names) > np.iinfo(np.int16).max:
        raise ValueError(f"column {quoted(label)} has {len(names):,} different labels, too many; name another column.")
    if unknown_labels:
        return inputs._replace(labels=codes.astype(np.int16), label_names=names)
    offsets, labelled = _labelled_positions(codes, observation_offsets, label)
    return inputs._replace(offsets=offsets, labels=codes[labelled].astype(np.int16), label_names=names)


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


def _kinds(
    frame: pd.DataFrame,
    columns: Sequence[str],
    categories: Mapping[str, Sequence[str]],
    kinds: Mapping[str, Kind],
) -> dict[str, Kind]:
    """What each input column holds: what `kinds` says, categories where they are named, otherwise by its type."""
    for column, kind in kinds.items():
        if column not in columns:
            raise ValueError(f"kinds names {quoted(column)}, which is no input; the inputs are {listed(columns)}.")
        if kind not in KINDS:
            raise ValueError(f"kinds: {quoted(column)} cannot be {quoted(kind)}; choose one of {listed(KINDS)}.")
    by_default: dict[str, Kind] = {
        column: "category" if column in categories else column_kind(frame[column]) for column in columns
    }
    return by_default | dict(kinds)


def _encode_numbers(column: pd.Series, name: str) -> NDArray[np.float64]:
    numbers, strange = parse_numbers(column, name)
    if strange.any():
        row = int(strange.argmax())
        raise ValueError(
            f"row {row}, column {quoted(name)}: {quoted(column.iloc[row])} is not a finite number, and the column is read as "
            "numbers; fix that cell, empty it if its value is missing, or read the column as categories (kinds)."
        )
    return numbers


def _stacked(columns: Sequence[NDArray[Any]], n_rows: int, kept_as: type[np.generic]) -> NDArray[Any]:
    return np.stack(columns, axis=1).astype(kept_as) if columns else np.empty((n_rows, 0), dtype=kept_as)


def _encode(column: pd.Series, name: str, fixed: Sequence[str] | None) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Codes of a column's cells, MISSING where empty, and the names behind the codes."""
    import pandas as pd

    found, texts = _distinct(column, name)
    names = tuple(map(str, fixed)) if fixed is not None else tuple(sorted(texts))
    twice = repeated(names)
    if twice is not None:
        raise ValueError(f"column {quoted(name)}: the names given for it have {quoted(twice)} twice; give it once.")
    code_of = pd.Index(names, dtype=object).get_indexer(pd.Index(texts, dtype=object))
    codes = np.append(code_of, MISSING)[found]
    unknown = np.flatnonzero((found != MISSING) & (codes == MISSING))
    if len(unknown):
        raise ValueError(
            f"row {unknown[0]}, column {quoted(name)}: {quoted(texts[found[unknown[0]]])} is not among the names given for it."
        )
    return codes.astype(np.int32), names


def _distinct(column: pd.Series, name: str) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Which of its different texts (second) each cell of a column has, MISSING where it is empty."""
    import pandas as pd

    cells = column if is_text(column) else pd.Series(cell_texts(column, name)).mask(column.isna().to_numpy())
    codes, texts = pd.factorize(cells.mask(cells == ""))
    return codes, np.asarray(texts, dtype=object)


def _starts(column: pd.Series, name: str) -> NDArray[np.int64]:
    """Offsets of the runs of equal cells; each sequence must be one run."""
    import pandas as pd

    codes, texts = _distinct(column, name)
    unnamed = codes == MISSING
    if unnamed.any():
        raise ValueError(f"row {int(unnamed.argmax())}, column {quoted(name)}: the sequence is not named.")
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    again = pd.Series(codes[starts]).duplicated().to_numpy()
    if again.any():
        row = int(starts[again.argmax()])
        raise ValueError(
            f"row {row}, column {quoted(name)}: sequence {quoted(texts[codes[row]])} comes a second time; sort the table."
        )
    return np.r_[starts, len(column)].astype(np.int64)


def _labelled_positions(
    codes: NDArray[np.int32], observation_offsets: NDArray[np.int64], name: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Offsets of the labelled rows; unlabelled ones may only end a sequence."""
    labelled = codes != MISSING
    counts = np.add.reduceat(labelled.astype(np.int64), observation_offsets[:-1])
    place = np.arange(len(codes)) - np.repeat(observation_offsets[:-1], np.diff(observation_offsets))
    expected = place < np.repeat(counts, np.diff(observation_offsets))
    if (labelled != expected).any():
        row = int((~labelled & expected).argmax())
        raise ValueError(
            f"row {row}, column {quoted(name)}: an empty label stands before labelled rows, and only the end of a sequence may be "
            "unlabelled; fill it in, or read the table from Python with unknown_labels=True."
        )
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), labelled
