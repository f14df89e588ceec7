"""Files whose cells have types: Parquet, Feather and JSON lines, with a row for each observation or for each sequence.

Where a row is a sequence, the columns of its observations hold a list in each row; all other columns say something of
the whole sequence, and hold for each of its observations.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from treecrf.io.arrays import of_objects
from treecrf.io.columns import cell_texts
from treecrf.io.files import Content, frame_of, parse_parquet, readable
from treecrf.io.messages import counted, listed, quoted, repeated
from treecrf.io.process import check_memory
from treecrf.readers.text_files import MOST_COLUMNS, Format, Tell, check_names, find_encoding, open_text

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""What files hold by their suffix."""


def read_typed(content: Content, kind: Format, sequence: str, encoding: str | None, tell: Tell) -> pd.DataFrame:
    """Read a file, a row for each observation.

    The column `sequence` identifies sequences: where a row of the file is a sequence and has none, the number of the
    row.

    Returns
    -------
    DataFrame
        Cells with their types; the index holds the lines of JSON lines with an observation each, rows from 0 otherwise.

    Raises
    ------
    ValueError
        One sentence that names the file, and the line or row where one is at fault.
    """
    import pandas as pd

    frame = _PARSERS[kind](content, encoding)
    frame.columns = pd.Index([str(name) for name in frame.columns])
    check_names(content.name, list(frame.columns))
    return _by_observation(frame, content.name, sequence, tell)


def text_of(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Cells as text, missing where empty: the same value is the same text, whatever the type of its column in this
    file.
    """
    import pandas as pd

    texts = {}
    for column in frame.columns:
        try:
            cells = cell_texts(frame[column], column)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if isinstance(frame[column].dtype, pd.CategoricalDtype):  # a long category of many rows takes little in a file
            check_memory(sum(map(len, cells)), name, "give a smaller one")
        cells[frame[column].isna().to_numpy() | (cells == "")] = None
        texts[column] = pd.Series(cells, index=frame.index, dtype="str")
    return pd.DataFrame(texts, index=frame.index, columns=frame.columns)


# --- formats ----------------------------------------------------------------------------------------


def _parse_parquet(content: Content, encoding: str | None) -> pd.DataFrame:
    return _with_index(parse_parquet(content.data, content.name))


def _parse_feather(content: Content, encoding: str | None) -> pd.DataFrame:
    import pyarrow as pa
    from pyarrow import feather

    with readable(content.name, "Feather"):
        n_bytes = _feather_size(content.data)
    check_memory(2 * n_bytes, content.name, "give a smaller one")
    with readable(content.name, "Feather"):
        return _with_index(frame_of(feather.read_table(pa.BufferReader(content.data))))


def _feather_size(data: bytes) -> int:
    """Bytes of the columns of a Feather file when they are unpacked.

    pyarrow tells it only afterwards; the file has it before each packed buffer, at places that its footer leads to
    (https://arrow.apache.org/docs/format/Columnar.html).
    """
    if not data.startswith(_ARROW):
        return len(data)  # of version 1, which packs nothing
    end = len(data) - len(_ARROW) - 4
    start = end - _number(data, end)
    footer, total = start + _number(data, start), 0
    blocks = [_structs(data, footer, field, "<qi4xq") for field in (_DICTIONARIES, _BATCHES)]
    for offset, n_about, n_packed in chain(*blocks):
        message = offset + 8 + _number(data, offset + 8)
        batch = _field(data, message, _HEADER)
        batch += _number(data, batch)
        if data[_field(data, message, _HEADER_TYPE)] == _IS_DICTIONARY:
            batch = _field(data, batch, 1)
            batch += _number(data, batch)
        if not _field(data, batch, _COMPRESSION):
            total += n_packed
            continue
        for place, size in _structs(data, batch, _BUFFERS, "<qq"):
            total += max(_number(data, offset + n_about + place, "<q"), size) if size else 0
    return total


_ARROW = b"ARROW1"
_DICTIONARIES, _BATCHES = 2, 3  # fields of the footer
_HEADER_TYPE, _HEADER, _IS_DICTIONARY = 1, 2, 2  # of a message
_BUFFERS, _COMPRESSION = 2, 3  # of a batch


def _number(data: bytes, place: int, form: str = "<i") -> int:
    return int(struct.unpack_from(form, data, place)[0])


def _field(data: bytes, table: int, field: int) -> int:
    """Where a field of a table of Flatbuffers is; 0 if it is not there."""
    about = table - _number(data, table)
    is_known = 4 + 2 * field < _number(data, about, "<H")
    distance = _number(data, about + 4 + 2 * field, "<H") if is_known else 0
    return table + distance if distance else 0


def _structs(data: bytes, table: int, field: int, form: str) -> Iterator[tuple[Any, ...]]:
    """The records of a field that is a list of them; none if it is not there."""
    if place := _field(data, table, field):
        start = place + _number(data, place)
        for number in range(_number(data, start, "<I")):
            yield struct.unpack_from(form, data, start + 4 + number * struct.calcsize(form))


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its index as columns, where that has names."""
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(named).reset_index(drop=True)


def _parse_json_lines(content: Content, encoding: str | None) -> pd.DataFrame:
    """An object in each line; a key that an object lacks is a missing value."""
    import pandas as pd

    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    stream = open_text(content, find_encoding(content, encoding).codec, "\n")
    for number, line in enumerate(stream, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{content.name}, line {number}: no JSON ({error}); write one object in each line."
            ) from None
        if not isinstance(row, Mapping):
            raise ValueError(
                f"{content.name}, line {number}: {quoted(row)} is no object; write one object in each line, with the "
                "names of the columns as keys."
            )
        for name in row:
            columns.setdefault(name, [None] * len(lines))
        if len(columns) > MOST_COLUMNS:
            check_names(content.name, list(columns))
        for name, cells in columns.items():
            cells.append(row.get(name))
        lines.append(number)
    if not columns:
        raise ValueError(f"{content.name} has no rows with values; give at least one sequence.")
    frame = pd.DataFrame({name: pd.Series(of_objects(cells)) for name, cells in columns.items()})
    return frame.set_axis(pd.Index(np.array(lines, dtype=np.int64)))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these keys and values."""
    twice = repeated(name for name, _ in pairs)
    if twice is not None:
        raise ValueError(f"the key {quoted(twice)} appears twice")
    return dict(pairs)


_PARSERS: dict[str, Callable[[Content, str | None], Any]] = {
    "parquet": _parse_parquet,
    "feather": _parse_feather,
    "jsonl": _parse_json_lines,
}


# --- rows that are sequences ------------------------------------------------------------------------


def _by_observation(frame: pd.DataFrame, name: str, sequence: str, tell: Tell) -> pd.DataFrame:
    """The table with a row for each observation, where a row is a sequence."""
    import pandas as pd

    in_lists = []
    for column in frame.columns[(frame.dtypes == np.dtype(object)).to_numpy()]:
        is_list = np.array([_is_list(cell) for cell in frame[column]], dtype=bool)
        odd = np.array([isinstance(cell, Mapping) for cell in frame[column]], dtype=bool)
        if is_list.any():
            in_lists.append(column)
            odd |= ~is_list
        if odd.any():
            row = int(odd.argmax())
            raise ValueError(
                f"{name}, {_place(frame, row)}: column {quoted(column)} has {quoted(frame[column].iloc[row])}; give a "
                "list in each row of a column, or one value in each."
            )
    if not in_lists:
        return frame
    lengths = np.stack([frame[column].map(len).to_numpy(dtype=np.int64) for column in in_lists])
    uneven = (lengths != lengths[0]).any(axis=0)
    if uneven.any():
        row = int(uneven.argmax())
        differing = [f"{length} in {quoted(column)}" for column, length in zip(in_lists, lengths[:, row], strict=True)]
        raise ValueError(
            f"{name}, {_place(frame, row)}: the lists have different lengths ({listed(differing, str)}); give each one "
            "entry for each observation."
        )
    n_empty = int((lengths[0] == 0).sum())
    if n_empty:
        tell(f"{name}: {counted(n_empty, 'sequence')} without observations left out.")
    if sequence not in frame.columns:
        frame = frame.assign(**{sequence: np.arange(len(frame))})[[sequence, *frame.columns]]
    rows = frame.loc[:, ~frame.columns.isin(in_lists)].iloc[np.repeat(np.arange(len(frame)), lengths[0])]
    cells = {column: of_objects(chain.from_iterable(frame[column])) for column in in_lists}
    for column, values in cells.items():
        nested = next((cell for cell in values if _is_list(cell) or isinstance(cell, Mapping)), None)
        if nested is not None:
            raise ValueError(
                f"{name}: the lists of column {quoted(column)} hold {quoted(nested)}; give each number of an "
                "observation a column."
            )
    of_lists = pd.DataFrame({column: pd.Series(values).infer_objects() for column, values in cells.items()})
    return pd.concat([rows.reset_index(drop=True), of_lists], axis=1)[list(frame.columns)]


def _is_list(cell: Any) -> bool:
    return isinstance(cell, list | tuple | np.ndarray)


def _place(frame: pd.DataFrame, row: int) -> str:
    return f"row {row}" if frame.index[0] == 0 else f"line {frame.index[row]}"
