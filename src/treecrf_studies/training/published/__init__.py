"""The published numbers of this study, in the files of this folder, and how to read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

from treecrf_studies.framework.metrics import ACCURACY

STANDS_FOR = {
    "treecrf": "treecrf",
    "mallet": "mallet",
    "induced_crf": "mallet",
    "mallet_linear": "baseline",
    "linear_crf": "baseline",
}
"""Methods of the training study and whose published numbers (PhD table 3.5) theirs are compared with; the papers' own
come first.

BASELINE is MALLET without feature induction (section 3.5).
"""

PAPERS_OWN = ("treecrf", "treecrf_original", "mallet", "mallet_linear")
"""Methods that the papers print; others stand beside the numbers of these."""

INFERRED = ("faq_ai_general", "faq_ai_neural", "faq_aix")
"""Data sets whose 20 columns are inferred (`treecrf_studies.datasets.faq`): the dissertation does not name them."""


def read_published(name: str) -> pd.DataFrame:
    """The published table in a file of this folder."""
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"), encoding="utf-8")


@cache
def training_accuracies() -> pd.DataFrame:
    """Published accuracies of the training study (PhD tables 3.4 and 3.5).

    dataset, method, decoder ("better" for table 3.5, which shows the better of the two), percent, table; compared, the
    decoder that the number is of, "better" where the paper does not say: table 3.5 repeats accuracies of TreeCRF that
    table 3.4 has by decoder, on faq_ai_general the lower one; counted, whether it is the only row with this printed
    number that is of the paper's own method.
    """
    variants = {"shrinkage": "treecrf", "original": "treecrf_original"}
    printed = read_published("table_3_4_shrinkage")
    printed = printed.assign(
        method=printed["variant"].map(variants), compared=printed["decoder"], table="3.4", counted=True
    )
    of_trees = printed[printed["method"] == "treecrf"].set_index(["dataset", "accuracy_percent"])["decoder"]
    by_method, parts = read_published("table_3_5_methods"), [printed]
    for method, published in STANDS_FOR.items():
        rows = by_method[by_method["method"] == published]
        keys = zip(rows["dataset"], rows["accuracy_percent"], strict=True)
        compared = [of_trees[key] for key in keys] if method == "treecrf" else "better"
        counted = method in ("mallet", "mallet_linear")
        parts.append(rows.assign(method=method, decoder="better", compared=compared, table="3.5", counted=counted))
    frame = pd.concat(parts, ignore_index=True).rename(columns={"accuracy_percent": "percent"})
    return frame[["dataset", "method", "decoder", "percent", "table", "compared", "counted"]]


def beside_peaks(summary: pd.DataFrame) -> pd.DataFrame:
    """Every published accuracy beside the measured peak, as the explorer shows published numbers.

    The decoder is that which the number is compared with; low and high are of the trainings at the peak or, where its
    curve was not kept, at the choice; inferred: whether the data set is one of `INFERRED`.
    """
    known = training_accuracies().drop(columns="decoder").rename(columns={"compared": "decoder"})
    keys = ["dataset", "method", "decoder"]
    chosen, peaks = (summary[summary["point"] == point].set_index(keys) for point in ("choice", "peak"))
    peaks = peaks[peaks["value"].notna()]
    without = chosen[~chosen.index.isin(peaks.index) & (chosen["n"] > 1)]
    spread = pd.concat([peaks, without])[["low", "high"]]
    known = known.join(chosen[["stand_in", "unperturbed"]], on=keys, how="inner")
    known = known.join(peaks["value"], on=keys).join(spread, on=keys)
    return known.assign(
        point="peak",
        quantity=ACCURACY,
        source="PhD table " + known["table"],
        published=known["percent"],
        measured=known["value"],
        at_choice=known["unperturbed"],
        own=known["method"].isin(PAPERS_OWN),
        inferred=known["dataset"].isin(INFERRED),
    )


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
