"""The measurements of cost on single data sets, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from treecrf.io.files import stacked


def summarise(frames: Mapping[str, Sequence[pd.DataFrame]], stand_ins: Mapping[str, bool]) -> dict[str, pd.DataFrame]:
    """windows and sampling of all data sets, as far as they are measured, with a column stand_in."""
    joined = {name: stacked(parts) for name, parts in frames.items()}
    return {name: frame.assign(stand_in=frame["dataset"].map(stand_ins)) for name, frame in joined.items()}
