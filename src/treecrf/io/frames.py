"""Tables to the codes and offsets of a `treecrf.sequences.SequenceSet`, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.cell_texts import cell_texts
from treecrf.io.messages import listed, quoted, repeated

if TYPE_CHECKING:
    import pandas as pd

MISSING = -1
"""Code of a cell whose value is not known."""


class Encoded(NamedTuple):
    """What a `SequenceSet` is made of, in the order of its parameters."""

    values: NDArray[np.int16]
    offsets: NDArray[np.int64]
    attributes: list[tuple[str, tuple[str, ...]]]
    labels: NDArray[np.int16] | None
    label_names: tuple[str, ...]
    observation_offsets: NDArray[np.int64]


def encode_frame(
    frame: pd.DataFrame,
    sequence: str,
    label: str | None,
    attributes: Sequence[str] | None,
    label_names: Sequence[str] | None,
    categories: dict[str, Sequence[str]] | None,
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
    described = []
    values = np.empty((len(frame), len(columns)), dtype=np.int16)
    for j, column in enumerate(columns):
        fixed = None if categories is None else categories.get(column)
        values[:, j], names = _encode(frame[column], column, fixed)
        described.append((str(column), names))
    if label is None:
        return Encoded(values, observation_offsets, described, None, tuple(label_names or ()), observation_offsets)

    codes, names = _encode(frame[label], label, label_names)
    offsets, labelled = _labelled_positions(codes, observation_offsets, label)
    return Encoded(values, offsets, described, codes[labelled], names, observation_offsets)


def decode_frame(data: Encoded, sequence: str, label: str) -> pd.DataFrame:
    """See `SequenceSet.to_frame`."""
    import pandas as pd

    names_of_columns = [sequence, label, *(name for name, _ in data.attributes)]
    twice = repeated(names_of_columns)
    if twice is not None:
        raise ValueError(f"two columns would be called {twice!r}; give to_frame other names for sequence and label.")
    lengths = np.diff(data.observation_offsets)
    columns: dict[str, Any] = {sequence: np.repeat(np.arange(len(lengths)), lengths)}
    if data.labels is not None:
        place = np.arange(len(data.values)) - np.repeat(data.observation_offsets[:-1], lengths)
        inside = place < np.repeat(np.diff(data.offsets), lengths)
        column = np.full(len(data.values), None, dtype=object)
        column[inside] = np.array(data.label_names, dtype=object)[data.labels]
        columns[label] = column
    for j, (name, categories) in enumerate(data.attributes):
        names = np.array([*categories, None], dtype=object)
        columns[name] = names[data.values[:, j]]
    return pd.DataFrame(columns)


def _encode(column: pd.Series, name: str, fixed: Sequence[str] | None) -> tuple[NDArray[np.int16], tuple[str, ...]]:
    """Codes of a column's cells, MISSING where empty, and the names behind the codes."""
    import pandas as pd

    text = cell_texts(column, name)
    empty = _is_empty(column, text)
    names = tuple(map(str, fixed)) if fixed is not None else tuple(sorted(set(text[~empty])))
    twice = repeated(names)
    if twice is not None:
        raise ValueError(f"column {quoted(name)}: the names given for it have {quoted(twice)} twice; give it once.")
    codes = np.where(empty, MISSING, pd.Index(names, dtype=object).get_indexer(pd.Index(text, dtype=object)))
    unknown = np.flatnonzero(~empty & (codes == MISSING))
    if len(unknown):
        raise ValueError(
            f"row {unknown[0]}, column {quoted(name)}: {quoted(text[unknown[0]])} is not among the names given for it."
        )
    if len(names) > np.iinfo(np.int16).max:
        raise ValueError(f"column {quoted(name)} has {len(names)} different values; merge the rare ones.")
    return codes.astype(np.int16), names


def _is_empty(column: pd.Series, text: NDArray[np.object_]) -> NDArray[np.bool_]:
    return np.asarray(column.isna(), dtype=bool) | np.asarray(text == "", dtype=bool)


def _starts(column: pd.Series, name: str) -> NDArray[np.int64]:
    """Offsets of the runs of equal cells; each sequence must be one run."""
    import pandas as pd

    text = cell_texts(column, name)
    unnamed = _is_empty(column, text)
    if unnamed.any():
        raise ValueError(f"row {int(unnamed.argmax())}, column {quoted(name)}: the sequence is not named.")
    codes = pd.factorize(text)[0]
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    again = pd.Series(codes[starts]).duplicated().to_numpy()
    if again.any():
        row = int(starts[again.argmax()])
        raise ValueError(
            f"row {row}, column {quoted(name)}: sequence {quoted(text[row])} comes a second time; sort the table."
        )
    return np.r_[starts, len(column)].astype(np.int64)


def _labelled_positions(
    codes: NDArray[np.int16], observation_offsets: NDArray[np.int64], name: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Offsets of the labelled rows; unlabelled ones may only end a sequence."""
    labelled = codes != MISSING
    counts = np.add.reduceat(labelled.astype(np.int64), observation_offsets[:-1])
    place = np.arange(len(codes)) - np.repeat(observation_offsets[:-1], np.diff(observation_offsets))
    expected = place < np.repeat(counts, np.diff(observation_offsets))
    if (labelled != expected).any():
        row = int((~labelled & expected).argmax())
        raise ValueError(
            f"row {row}, column {quoted(name)}: an empty label stands before labelled rows; only the end may be unlabelled."
        )
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), labelled
