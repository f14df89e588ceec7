"""The numbers that papers print, in the folders ``published`` of the studies."""

from __future__ import annotations

from pathlib import Path

import pandas as pd


def read_beside(module_file: str, name: str) -> pd.DataFrame:
    """The table `name`.csv in the folder of a module, whose mention of ``__file__`` makes the file count as read by it."""
    return pd.read_csv(Path(module_file).with_name(f"{name}.csv"), encoding="utf-8")
