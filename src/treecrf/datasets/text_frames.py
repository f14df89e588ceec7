"""Frames of text, and the places of their rows in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def text_frame(columns: Mapping[str, Any], lines: Sequence[int]) -> pd.DataFrame:
    """A frame of text (dtype str) from columns of an Arrow array or of texts, None where a cell is empty, and their lines."""
    import pandas as pd
    import pyarrow as pa

    text = pa.large_string()
    arrays = {k: v if isinstance(v, pa.ChunkedArray) else pa.array(v, text) for k, v in columns.items()}
    frame: pd.DataFrame = pa.table(arrays).to_pandas()
    frame.index = pd.Index(np.array(lines, dtype=np.int64))
    return frame
