"""Writing files so that a killed job leaves nothing half-written behind."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.messages import quoted, repeated
from treecrf.io.parquet import read_parquet


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path, ``NAME.PID.tmp``, which becomes `path` when the block ends well and is removed if not."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with open(temporary, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write `text` to `path`."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(value: Any, path: str | os.PathLike[str]) -> None:
    """Write `value` to `path` as JSON."""
    write_text(json.dumps(value, indent=2) + "\n", path)


def read_json(path: str | os.PathLike[str]) -> Any:
    """The JSON value at `path`; a ValueError names the file if it is damaged."""
    text = _text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: a number of thousands of digits
        raise _damaged(path, f"not JSON: {error}") from None


def write_frame(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write `frame` to `path`, as Parquet or CSV by its suffix."""
    suffix = Path(path).suffix
    if suffix not in (".parquet", ".csv"):
        raise ValueError(f"{os.fspath(path)}: a frame is written as .parquet or .csv, not {suffix!r}; rename the file.")
    with atomic(path) as temporary:
        if suffix == ".csv":
            frame.to_csv(temporary, index=False)
        else:
            frame.to_parquet(temporary, index=False)


def read_frame(path: str | os.PathLike[str], without: Collection[str] = ()) -> pd.DataFrame:
    """What `write_frame` wrote to `path`, Parquet or CSV by its suffix; columns `without` of a Parquet file take no memory.

    Raises
    ------
    ValueError
        One sentence that names the file if it is damaged, and the line if a CSV file has a line cut off.
    """
    if Path(path).suffix != ".csv":
        return read_parquet(path, "file", without)
    text = _text(path)
    _check_rows(text, path)
    try:
        return pd.read_csv(io.StringIO(text))
    except (ValueError, OverflowError) as error:
        raise _damaged(path, f"not CSV: {error}") from None


def _check_rows(text: str, path: str | os.PathLike[str]) -> None:
    """Raise where a row does not have one cell for each column: pandas fills up short ones without a word."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = next(reader, [])
        if repeated(names) is not None:
            raise _damaged(path, f"the column {quoted(repeated(names))} appears twice")
        for row in reader:
            if row and len(row) != len(names):
                raise _damaged(path, f"line {reader.line_num} has {len(row)} cells and not {len(names)}")
    except csv.Error as error:
        raise _damaged(path, f"line {reader.line_num} is not CSV: {error}") from None
    if not text.endswith("\n"):
        raise _damaged(path, "its last line has no end")


def _text(path: str | os.PathLike[str]) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise _damaged(path, f"not UTF-8 at byte {error.start:,}") from None


def _damaged(path: str | os.PathLike[str], problem: str) -> ValueError:
    return ValueError(f"file {os.fspath(path)} is damaged ({' '.join(problem.split())}); delete it and run again.")


def read_frames(paths: Iterable[str]) -> pd.DataFrame:
    """The frames (Parquet or CSV) at `paths`, one under another; errors as of `read_frame`."""
    return stacked([read_frame(path) for path in paths])


def stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The frames one under another; those without rows may have other columns."""
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def resource(package: str, name: str) -> str:
    """The text of a file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
