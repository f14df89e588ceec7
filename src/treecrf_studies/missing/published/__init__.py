"""The published numbers of this study, in the files of this folder, and how to read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd


@cache
def missing_value_coefficients() -> pd.DataFrame:
    """Published log odds of the methods for missing values against the baseline (PhD tables 4.1 a to d).

    dataset, rate, other (the baseline), method, coefficient, significant (the star: p < 0.05).
    """
    printed = pd.read_csv(Path(__file__).with_name("table_4_1_missing_values.csv"), encoding="utf-8")
    return printed.rename(columns={"missing_rate": "rate", "baseline": "other"})
