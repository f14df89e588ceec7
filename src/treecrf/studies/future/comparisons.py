"""Tests between two variants, and what discovered features gain, as the ledger, the tables and the headline read them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from treecrf.rendering.cells import signed
from treecrf.rendering.words import p_text, points_text
from treecrf.statistics.estimates import OPPOSITES, SIGNIFICANCE_LEVEL, adjust_holm
from treecrf.studies.framework.comparisons import Comparison
from treecrf.studies.framework.comparisons import find_pair as find_compared
from treecrf.studies.future.methods import discovers_features, method_text, variant_names


def find_pair(comparisons: pd.DataFrame, method: str, other: str) -> Comparison | None:
    """Two variants in "comparisons" of one data set (`treecrf.studies.future.summary.compare_variants`), None without them.

    Their names are those of `treecrf.studies.future.methods.variant_name`. Without the sequence-level test, which needs two draws, its p-value
    and intervals are NaN.
    """
    return find_compared(comparisons.rename(columns={"median_p": "papers_p"}), method, other)


def pair_text(pair: Comparison) -> str:
    """Points and both tests in words."""
    low, high = map(signed, pair.interval)
    valid = f"by the sequence-level test {p_text(pair.p)}, 95 % interval {low} to {high}"
    tests = (
        f"by the paper's test median {p_text(pair.papers_p)}, {'no sequence-level test' if np.isnan(pair.p) else valid}"
    )
    return f"{method_text(pair.method)} {points_text(pair.points)} against {method_text(pair.other)} ({tests})"


def gains(best: pd.DataFrame, comparisons: pd.DataFrame) -> dict[str, Comparison]:
    """By data set, the best variant that discovers features against the best that does not, where there are both.

    `best` and `comparisons` are of all data sets. The best is the one that validation prefers, as a user would choose it. The
    pairs of all data sets are a family: a difference that Holm's correction over them does not leave is undecided.
    """
    found = {}
    for dataset, variants in best.groupby("dataset", sort=False):
        ranked = variant_names(variants.sort_values("validation_mean", ascending=False, kind="stable"))
        discovers = ranked.map(discovers_features).astype(bool)
        if discovers.any() and not discovers.all():
            pair = (str(ranked[discovers].iloc[0]), str(ranked[~discovers].iloc[0]))
            compared = find_pair(comparisons[comparisons["dataset"] == dataset], *pair)
            if compared is not None:
                found[str(dataset)] = compared
    holm = adjust_holm(np.array([pair.p for pair in found.values()]))
    return {name: _corrected(pair, float(p)) for (name, pair), p in zip(found.items(), holm, strict=True)}


def _corrected(pair: Comparison, p_holm: float) -> Comparison:
    is_left = pair.decision not in OPPOSITES or p_holm < SIGNIFICANCE_LEVEL
    return replace(pair, p_holm=p_holm, decision=pair.decision if is_left else "undecided")
