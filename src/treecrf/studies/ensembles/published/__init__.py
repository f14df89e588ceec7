"""The published numbers of this study, in the files of this folder, and how to read them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd


def read_published(name: str) -> pd.DataFrame:
    """The published table in the file `name`.csv of this folder."""
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"))
