"""The published numbers, in the files of this folder, and how to read them."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd


def read_published(name: str) -> pd.DataFrame:
    """The published table in the file `name`.csv of this folder."""
    with (files(__name__) / f"{name}.csv").open(encoding="utf-8") as stream:
        return pd.read_csv(stream)


def treecrf_accuracies() -> pd.DataFrame:
    """Published accuracies of TreeCRF with shrinkage (PhD tables 3.4 and 3.5).

    Returns
    -------
    DataFrame
        dataset, decoder, percent, table. The decoder is "better" for table 3.5, which shows the better of the two.
    """
    by_decoder = read_published("table_3_4_shrinkage").query("variant == 'shrinkage'")
    by_method = read_published("table_3_5_methods").query("method == 'treecrf'")
    parts = [by_decoder.assign(table="3.4"), by_method.assign(decoder="better", table="3.5")]
    frame = pd.concat(parts, ignore_index=True).rename(columns={"accuracy_percent": "percent"})
    return frame[["dataset", "decoder", "percent", "table"]]


def missing_value_coefficients() -> pd.DataFrame:
    """Published log odds of the methods for missing values against the baseline (PhD tables 4.1 a to d).

    Returns
    -------
    DataFrame
        dataset, missing_rate, baseline, method, coefficient, significant (the star: p < 0.05).
    """
    return read_published("table_4_1_missing_values")
