"""The published numbers of this study, in the files of this folder, and how to read them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd


def read_published(name: str) -> pd.DataFrame:
    """The published table in a file of this folder."""
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"), encoding="utf-8")


def table_1() -> pd.DataFrame:
    """Published Hamming losses."""
    return read_published("table_1")


def mean_losses(losses: pd.DataFrame) -> pd.DataFrame:
    """Measured Hamming losses: the mean over the samples of each pool, then over the pools, with the lowest and highest pool."""
    means = losses.groupby(["dataset", "method", "pool"])["loss"].mean()
    return means.groupby(["dataset", "method"]).agg(loss="mean", low="min", high="max").reset_index()
