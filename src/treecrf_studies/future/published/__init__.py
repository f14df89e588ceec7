"""The published numbers of this study, in the files of this folder, and how to read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.future.methods import NO_BAG, split_method, variant_names


def read_published(name: str) -> pd.DataFrame:
    """The published table in a file of this folder."""
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"), encoding="utf-8")


@cache
def future_accuracies() -> pd.DataFrame:
    """Published accuracies (PhD tables 5.4 and 5.5): dataset, method, bag, percent, table."""
    synthetic = read_published("table_5_4_synthetic_accuracy").melt("dataset", var_name="method", value_name="percent")
    synthetic["method"] = synthetic["method"].replace("sw", "sliding_window")
    synthetic["bag"] = synthetic["method"].map(lambda method: "bag 6" if method.startswith("ff_") else NO_BAG)
    nettalk = read_published("table_5_5_nettalk_binary")
    family, bag = nettalk["method"].str.split("_bag").str[0], nettalk["method"].str.extract(r"_bag(\d+)", expand=False)
    names = [
        f"{name}_{order}" if order else "sliding_window" for name, order in zip(family, nettalk["order"], strict=True)
    ]
    nettalk = nettalk.assign(
        dataset="nettalk_binary", method=names, bag=("bag " + bag).fillna(NO_BAG), percent=nettalk["accuracy_percent"]
    )
    parts = [synthetic.assign(table="5.4"), nettalk.assign(table="5.5")]
    return pd.concat(parts, ignore_index=True)[["dataset", "method", "bag", "percent", "table"]]


def with_published(summary: pd.DataFrame) -> pd.DataFrame:
    """A summary (one G_0 of each method and bag) with the columns family, order and published (percent, or NaN).

    Published values belong to the kind of the data, not to its name: bags cut at the end and full ones share them.
    """
    parts = [split_method(method) for method in summary["method"]]
    known = future_accuracies().rename(columns={"dataset": "kind", "percent": "published"})
    joined = summary.merge(known[["kind", "method", "bag", "published"]], on=["kind", "method", "bag"], how="left")
    return joined.assign(family=[family for family, _ in parts], order=[order for _, order in parts])


def start_values() -> pd.DataFrame:
    """Published accuracies of FF-MEMM by G_0 (PhD table 5.3)."""
    return read_published("table_5_3_ff_memm_synthetic")


def beside_accuracies(best: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Every published accuracy beside the measured one, as the explorer shows published numbers."""
    by_order = best.merge(future_accuracies().rename(columns={"percent": "published"}), on=["dataset", "method", "bag"])
    is_counted = (by_order["table"] != "5.4") | (by_order["method"] != "ff_memm_0")  # table 5.3 has these, too
    by_start = start_values()[["dataset", "g0", "test_percent"]].rename(columns={"test_percent": "published"})
    patterns = summary[(summary["method"] == "ff_memm_0") & (summary["bag"] == "bag 6")].merge(by_start)
    rows = pd.concat(
        [
            by_order.assign(source="PhD table " + by_order["table"], counted=is_counted),
            patterns.assign(
                source="PhD table 5.3", variant="G0 = " + patterns["g0"].map("{:g}".format).astype(str), counted=True
            ),
        ],
        ignore_index=True,
    )
    return rows.assign(
        method=variant_names(rows),
        quantity=ACCURACY,
        variant=rows["variant"].fillna(""),
        measured=rows["value"],
        at_choice=rows["value"],
    )
