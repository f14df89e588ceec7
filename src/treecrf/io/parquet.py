"""Reading Parquet files so that a damaged one is named."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from treecrf.io.messages import quoted

if TYPE_CHECKING:
    import pandas as pd

_DAMAGE = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, MemoryError, RuntimeError, AssertionError, EOFError,
)  # fmt: skip
"""What pyarrow and pandas raise where a file, or what pandas noted in it, is damaged."""


def read_parquet(path: str | os.PathLike[str], what: str, without: Collection[str] = ()) -> pd.DataFrame:
    """The frame at `path`, but for some columns; a ValueError names `what` ("table") and the file if it is not readable as Parquet."""
    return parse_parquet(Path(path).read_bytes(), f"{what} {os.fspath(path)}", without)


def parse_parquet(data: bytes, name: str, without: Collection[str] = ()) -> pd.DataFrame:
    """The frame that the bytes of a Parquet file hold, but for columns `without`, which are not decoded.

    A ValueError begins with `name` if they are damaged.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        names = parquet.read_schema(pa.BufferReader(data)).names if without else None
        columns = None if names is None else [each for each in names if each not in without]
        table = parquet.read_table(pa.BufferReader(data), columns=columns)
        table.validate(full=True)  # reading does not look whether text is text
        frame: pd.DataFrame = table.to_pandas()
        return frame
    except (OSError, pa.ArrowException, *_DAMAGE) as error:
        found = quoted(f"{type(error).__name__}: {error}")
        raise ValueError(f"{name} is not a readable Parquet file ({found}); write it again.") from error
