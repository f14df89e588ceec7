"""Reading Parquet files so that a damaged one is named."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from treecrf.io.messages import quoted

if TYPE_CHECKING:
    import pandas as pd

_DAMAGE = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, MemoryError, RuntimeError, AssertionError, EOFError,
)  # fmt: skip
"""What pyarrow and pandas raise where a file, or what pandas noted in it, is damaged."""


_OF_THE_DISK = (errno.ENOENT, errno.EACCES, errno.EISDIR, errno.EIO, errno.EMFILE)
"""Errors that say nothing of what is in the file."""


def read_parquet(path: str | os.PathLike[str], what: str) -> pd.DataFrame:
    """The frame at `path`; a ValueError names `what` ("table") and the file if it is not readable as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with open(path, "rb") as stream:
            table = parquet.read_table(stream)
        table.validate(full=True)  # reading does not look whether text is text
        frame: pd.DataFrame = table.to_pandas()
        return frame
    except (OSError, pa.ArrowException, *_DAMAGE) as error:
        if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
            raise
        found = quoted(f"{type(error).__name__}: {error}")
        raise ValueError(
            f"{what} {os.fspath(path)} is not a readable Parquet file ({found}); write it again."
        ) from error
