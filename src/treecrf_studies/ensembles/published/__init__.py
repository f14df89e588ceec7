"""The published numbers of this study, in the files of this folder, and how to read them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd


def table_1() -> pd.DataFrame:
    """Published Hamming losses."""
    return pd.read_csv(Path(__file__).with_name("table_1.csv"), encoding="utf-8")


def mean_losses(losses: pd.DataFrame) -> pd.DataFrame:
    """Measured Hamming losses: the mean over the samples of each pool, then over the pools, with the lowest and highest
    pool.
    """
    means = losses.groupby(["dataset", "method", "pool"])["loss"].mean()
    return means.groupby(["dataset", "method"]).agg(measured="mean", low="min", high="max").reset_index()


def beside_losses(losses: pd.DataFrame) -> pd.DataFrame:
    """Every published loss beside the measured one, as the explorer shows published numbers."""
    printed = table_1().rename(columns={"hamming_loss": "published"})
    return mean_losses(losses).merge(printed).assign(quantity="Hamming loss", source="ESPBoost table 1")
