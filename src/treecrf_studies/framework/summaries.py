"""Runs put together: one schema of results for all studies.

A row for each data set, method, condition and quantity: value, sd, low, high, n and unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from treecrf_studies.framework.metrics import METRICS


def summarise(
    runs: pd.DataFrame, keys: Sequence[str], quantities: Mapping[str, Mapping[str, str]], **more: tuple[str, Any]
) -> pd.DataFrame:
    """Quantities over the runs of each method, such as draws or trainings.

    Parameters
    ----------
    runs : DataFrame
        A row for each run.
    keys : sequence of str
        Columns that tell methods and conditions apart.
    quantities : mapping of str to mapping
        Columns of `runs`, and what the rows about them have in further columns: quantity, perhaps decoder, and unit
        unless the quantity is one of `METRICS`.
    more : (str, object)
        Further columns, as `DataFrameGroupBy.agg` takes them.

    Returns
    -------
    DataFrame
        `keys`, what `quantities` say, unit, cpu_seconds (median, where runs have them), `more`, value (mean, or the
        median of measurements that are no `METRICS`), sd, low, high and n (of the known ones); values that no run has
        are left out.
    """
    groups = runs.groupby(list(keys), sort=False, dropna=False, observed=True)
    seconds = {"cpu_seconds": ("cpu_seconds", "median")} if "cpu_seconds" in runs else {}
    parts = [groups.agg(**seconds, **more)] if seconds or more else []
    summaries = []
    for name, columns in quantities.items():
        centre = "median" if "unit" in columns else "mean"
        if centre == "mean":
            columns = {**columns, "unit": METRICS[columns["quantity"]].unit}
        values = groups[name].agg(value=centre, sd="std", low="min", high="max", n="count")
        summaries.append(pd.concat([*parts, values], axis=1).assign(**columns).set_index([*columns], append=True))
    return pd.concat(summaries).reset_index().dropna(subset="value", ignore_index=True)
