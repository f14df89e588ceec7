"""The numbers that papers print, in the folders ``published`` of the studies."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd


def read_published(study: str, name: str) -> pd.DataFrame:
    """The published table in the file `name`.csv of a study."""
    with files(f"treecrf.studies.{study}.published").joinpath(f"{name}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file)
