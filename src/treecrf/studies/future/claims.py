"""Claims about features of the future: PhD chapter 5.

Accuracies are means over the draws, of the start value G_0 that the validation sets prefer unless a claim names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pandas as pd

from treecrf.rendering.cells import number
from treecrf.rendering.words import p_text, points_text
from treecrf.statistics.deviance import compare_pairs
from treecrf.studies.claims import (
    FAILS,
    HOLDS,
    LEANS,
    Finding,
    Observation,
    Place,
    Results,
    checks,
    gather,
    judge,
)
from treecrf.studies.future.published import future_accuracies
from treecrf.studies.future.summary import variant_names
from treecrf.studies.future.tables import method_text

GENERATED = ("xor", "or", "extra")
ORDERS = (1, 2, 3, 4)

PATTERNS = "ff_memm_0 (bag 6)"
"""The labeller of table 5.4."""

RECOVERED = 99.9
"""Percent that count as all (P5.2, P5.4)."""

NEGATIVE_G0 = (-5.0, -7.0)
"""Start values of P5.4."""

STEP = 0.3
"""Points that a curve may fall and still rise (P5.3)."""

XOR_BOUND = 60.0
"""Percent that no CRF exceeds on XOR (P5.3)."""

SIGNIFICANT = 0.05

EXACT_UNDER = 25
"""Discordant positions under which McNemar's test is exact (protocol)."""

ROUNDING = 1e-9
"""Differences of accuracies below it are errors of rounding."""


@checks("P5.1")
def one_direction_is_not_enough(results: Results) -> Finding:
    """The labels that each direction and both together say in the example of section 5.1."""
    said = {"forward": ("the forward pass", "l2"), "backward": ("the backward pass", "l3"), "both": ("both", "l1")}

    def observe(_: Place) -> Iterator[Observation]:
        example = results.table("future", "example.csv")
        if example is None:
            return
        for name, (words, label) in said.items():
            best = example.nlargest(1, name).iloc[0]
            numbers = f"{words}: {best['label']} with probability {number(best[name], 3)}"
            yield Observation(numbers, HOLDS if best["label"] == label else FAILS, numbers)

    return judge(gather(("the example of section 5.1",), observe), "most probable label, exact")


@checks("P5.2")
def future_features_solve_generated_sets(results: Results) -> Finding:
    """Accuracy of FF-MEMM-0."""

    def observe(place: Place) -> Iterator[Observation]:
        accuracies = _accuracies(results, place)
        if PATTERNS in accuracies:
            reached = f"{number(accuracies[PATTERNS])} %"
            yield Observation(
                f"{place.name}: {reached}",
                HOLDS if accuracies[PATTERNS] >= RECOVERED else FAILS,
                f"{method_text(PATTERNS)} reaches {reached} on {place.name}{_published_text(place, PATTERNS)}",
            )

    return judge(gather(GENERATED, observe), f"mean test accuracy ≥ {RECOVERED} %")


@checks("P5.3")
def higher_orders_help_but_on_xor(results: Results) -> Finding:
    """Accuracy of CRFs of order 1 to 4."""

    def observe(place: Place) -> Iterator[Observation]:
        accuracies = _accuracies(results, place)
        by_order = [float(accuracies[name]) for name in (f"crf_{order}" for order in ORDERS) if name in accuracies]
        if len(by_order) < 2:
            return
        numbers = f"{place.name}: {', '.join(map(number, by_order))} %"
        if place.name == "xor":
            highest = max(by_order)
            holds = highest <= XOR_BOUND
            difference = f"a CRF reaches {number(highest)} % on xor"
        else:
            fall = -float(min(np.diff(by_order)))
            holds = fall <= STEP + ROUNDING
            difference = f"accuracy falls by {number(fall)} points from one order to the next on {place.name}"
        known = [_published(place, f"crf_{order}") for order in ORDERS]
        published = f" ({place.published(', '.join(map(number, known)))})" if not np.isnan(known).any() else ""
        yield Observation(numbers, HOLDS if holds else FAILS, f"{difference}{published}")

    test = f"accuracy by order rises within {STEP} points; on XOR at most {XOR_BOUND:g} %"
    return judge(gather(GENERATED, observe), test)


@checks("P5.4")
def negative_starts_recover_patterns(results: Results) -> Finding:
    """Number of features and recovered instances and bags with negative G_0."""

    def observe(place: Place) -> Iterator[Observation]:
        summary = results.frame("future", place.name, "summary")
        if summary is None:
            return
        rows = summary[(summary["method"] == "ff_memm_0") & summary["g0"].isin(NEGATIVE_G0)]
        for row in rows.to_dict("records"):
            recovered = min(row["test_instance_accuracy"], row["test_bag_accuracy"])
            holds = 1 <= row["n_features"] <= 2 and recovered >= RECOVERED
            said = (
                f"{place.name}, G0 {row['g0']:g}: features {number(row['n_features'], 1)}, instances "
                f"{number(row['test_instance_accuracy'])} %, bags {number(row['test_bag_accuracy'])} %"
            ).replace("G0 -", "G0 −")
            yield Observation(said, HOLDS if holds else FAILS, said)

    test = f"median number of features 1 or 2; mean accuracy of test instances and bags ≥ {RECOVERED} %"
    return judge(gather(GENERATED, observe), test)


@checks("P5.5")
def future_features_help_on_nettalk(results: Results) -> Finding:
    """FF-MEMM-1 with bags of 2 against MEMM-1 and CRF-1."""

    def observe(place: Place) -> list[Observation]:
        compared = [_compare(results, place, "ff_memm_1 (bag 2)", other) for other in ("memm_1", "crf_1")]
        return [
            _gain(place, "ff_memm_1 (bag 2)", other, *found, 2.0)
            for other, found in zip(("memm_1", "crf_1"), compared, strict=True)
            if found is not None and None not in compared
        ]

    test = f"difference of mean accuracies > 2 points; McNemar's median p over the draws < {SIGNIFICANT}"
    return judge(gather(("nettalk_binary",), observe), test)


@checks("P5.6")
def second_order_helps_on_nettalk(results: Results) -> Finding:
    """CRF-2 against CRF-1."""

    def observe(place: Place) -> list[Observation]:
        accuracies = _accuracies(results, place)
        if not {"crf_1", "crf_2"} <= set(accuracies.index):
            return []
        return [_gain(place, "crf_2", "crf_1", float(accuracies["crf_2"] - accuracies["crf_1"]), None, 3.0)]

    return judge(gather(("nettalk_binary",), observe), "difference of mean accuracies > 3 points")


@checks("P5.7")
def larger_bags_do_not_help(results: Results) -> Finding:
    """Bags of 4 against bags of 2, by order."""

    def observe(place: Place) -> Iterator[Observation]:
        accuracies = _accuracies(results, place)
        for order in ORDERS:
            large, small = (f"ff_memm_{order} (bag {bag})" for bag in (4, 2))
            if large in accuracies and small in accuracies:
                points = float(accuracies[large] - accuracies[small])
                numbers = f"order {order}: {points_text(points)}"
                known = _published_gain_text(place, large, small)
                difference = f"a bag of 4 is {number(points)} points better at order {order}{known}"
                yield Observation(numbers, HOLDS if points <= ROUNDING else FAILS, difference)

    test = "difference of mean accuracies, bag of 4 minus bag of 2, ≤ 0"
    return judge(gather(("nettalk_binary",), observe), test, partly=Fraction(3, 4))


def _accuracies(results: Results, place: Place) -> pd.Series:
    """Mean test accuracy (percent) by method and bag, as `variant_name`; without rows where there are none."""
    best = results.frame("future", place.name, "best")
    if best is None:
        return pd.Series(dtype=float)
    return best.set_index(variant_names(best))["test_mean"]


def _compare(results: Results, place: Place, method: str, other: str) -> tuple[float, float] | None:
    """Points that `method` is better, mean over the draws, and McNemar's median p; None without their predictions."""
    parts = [_predictions(results, place, name) for name in (method, other)]
    found = [part for part in parts if part is not None and len(part)]
    if len(found) < 2:
        return None
    outcomes = pd.concat(found, ignore_index=True)
    outcomes = outcomes.assign(
        method=variant_names(outcomes),
        decoder=outcomes["seed"].astype(str),  # a test in each draw
        correct=outcomes["label"] == outcomes["predicted"],
    )
    pairs = compare_pairs(outcomes, EXACT_UNDER)
    return float(pairs["accuracy_points"].mean()), float(pairs["p_value"].median())


def _predictions(results: Results, place: Place, variant: str) -> pd.DataFrame | None:
    """Predictions of a method and bag with the G_0 that validation prefers."""
    best = results.frame("future", place.name, "best")
    predictions = results.table("future", place.name, f"{variant.split(' ')[0]}.predictions.parquet")
    if best is None or predictions is None:
        return None
    chosen = best[variant_names(best) == variant]
    of_bag = predictions[predictions["bag"].isin(chosen["bag"])]
    return of_bag[of_bag["g0"].isin(chosen["g0"]) | of_bag["g0"].isna()]


def _gain(place: Place, method: str, other: str, points: float, p: float | None, margin: float) -> Observation:
    """Whether `method` is more than `margin` points better, and significantly where there is a test."""
    tested = "" if p is None else f" ({p_text(p)})"
    holds = points > margin and (p is None or p < SIGNIFICANT)
    numbers = f"{method_text(method)} {points_text(points)} against {method_text(other)}{tested}"
    known = _published_gain_text(place, method, other)
    return Observation(numbers, HOLDS if holds else LEANS if points > 0 else FAILS, f"{numbers}{known}")


def _published(place: Place, variant: str) -> float:
    """Published accuracy; NaN without."""
    table = future_accuracies()
    rows = table[(table["dataset"] == place.published_name) & (variant_names(table) == variant)]
    return float(rows["percent"].iloc[0]) if len(rows) else float("nan")


def _published_text(place: Place, variant: str) -> str:
    value = _published(place, variant)
    return "" if np.isnan(value) else f" ({place.published(f'{number(value)} %')})"


def _published_gain_text(place: Place, method: str, other: str) -> str:
    points = _published(place, method) - _published(place, other)
    return "" if np.isnan(points) else f" ({place.published(points_text(points))})"
