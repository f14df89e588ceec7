"""Writing files so that a killed job leaves nothing half-written behind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path in the folder of `path`; when the block ends well, rename it to `path`.

    Parameters
    ----------
    path : path-like
        The folder is made if need be.

    Yields
    ------
    Path
        ``NAME.PID.tmp``; removed if the block raises.
    """
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
    """The JSON value at `path`."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


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


def read_frames(paths: Iterable[str]) -> pd.DataFrame:
    """The frames (Parquet or CSV) at `paths`, one under another."""
    frames = [pd.read_csv(path) if Path(path).suffix == ".csv" else pd.read_parquet(path) for path in paths]
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def resource(name: str) -> str:
    """The text of a file of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
