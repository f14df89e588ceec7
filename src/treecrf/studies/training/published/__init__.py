"""The published numbers of this study, in the files of this folder, and how to read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

STANDS_FOR = {
    "treecrf": "treecrf",
    "mallet": "mallet",
    "induced_crf": "mallet",
    "linear_crf": "baseline",
    "mallet_linear": "baseline",
}
"""Methods of the training study and whose published numbers (PhD table 3.5) theirs are compared with; the papers' own come first."""

INFERRED = ("faq_ai_general", "faq_ai_neural", "faq_aix")
"""Data sets whose 20 columns are inferred (`treecrf.datasets.faq`): the dissertation does not name them."""


def read_published(name: str) -> pd.DataFrame:
    """The published table in a file of this folder."""
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"), encoding="utf-8")


@cache
def training_accuracies() -> pd.DataFrame:
    """Published accuracies of the training study (PhD tables 3.4 and 3.5): dataset, method, decoder, percent, table, number.

    The decoder is "better" for table 3.5, which shows the better of the two. Rows of a data set with the same number repeat
    one another: table 3.5 prints the accuracies of TreeCRF that table 3.4 has, and several methods have the same rival.
    """
    variants = {"shrinkage": "treecrf", "original": "treecrf_original"}
    by_decoder = read_published("table_3_4_shrinkage")
    names = by_decoder["variant"] + ", " + by_decoder["decoder"]
    parts = [by_decoder.assign(method=by_decoder["variant"].map(variants), table="3.4", number=names)]
    printed = dict(zip(zip(by_decoder["dataset"], by_decoder["accuracy_percent"], strict=True), names, strict=True))
    by_method = read_published("table_3_5_methods")
    for method, published in STANDS_FOR.items():
        rows = by_method[by_method["method"] == published]
        numbers = [
            printed.get(key, published) if method == "treecrf" else published
            for key in zip(rows["dataset"], rows["accuracy_percent"], strict=True)
        ]
        parts.append(rows.assign(method=method, decoder="better", table="3.5", number=numbers))
    frame = pd.concat(parts, ignore_index=True).rename(columns={"accuracy_percent": "percent"})
    return frame[["dataset", "method", "decoder", "percent", "table", "number"]]


def with_printed(summary: pd.DataFrame) -> pd.DataFrame:
    """The rows of a summary that the papers print too, with the columns of `training_accuracies`.

    Also counted, whether it is the first row with this printed number, and inferred, whether the data set is one of `INFERRED`.
    """
    known = training_accuracies().merge(summary, on=["dataset", "method", "decoder"])
    return known.assign(counted=~known.duplicated(["dataset", "number"]), inferred=known["dataset"].isin(INFERRED))


def training_costs() -> pd.DataFrame:
    """Published CPU seconds and iterations to the peak (PhD table 3.5), and CPU seconds per iteration (table 3.6).

    dataset, method, cpu_seconds, iterations (text, may be a range), forward_backward_seconds, induction_seconds; NaN
    where table 3.6 does not have the method.
    """
    totals, steps = (read_published("table_3_5_methods"), read_published("table_3_6_cpu_per_iteration"))
    parts = []
    for method, published in STANDS_FOR.items():
        rows = totals[totals["method"] == published].drop(columns="method").assign(method=method)
        if published != "baseline":
            of_step = {f"{kind}_seconds_{published}": f"{kind}_seconds" for kind in ("forward_backward", "induction")}
            rows = rows.merge(steps[["dataset", *of_step]].rename(columns=of_step), on="dataset")
        parts.append(rows)
    names = ["dataset", "method", "cpu_seconds", "iterations", "forward_backward_seconds", "induction_seconds"]
    return pd.concat(parts, ignore_index=True)[names]
