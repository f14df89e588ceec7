"""Measures for the claims of ``claims.yaml`` about future features.

Accuracies are means over the draws, of the start value G_0 that the validation sets prefer unless a claim names it. A
method with bags is written with them, as "ff_memm_1 (bag 2)".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from treecrf.statistics.metrics import geometric_mean
from treecrf_studies.framework.claims.judge import Degrees, Results
from treecrf_studies.framework.claims.kinds import NO, YES, Kind, Measured, largest_fall
from treecrf_studies.framework.comparisons import Comparison, find_pair, measured_all
from treecrf_studies.future.methods import method_text, variant_names
from treecrf_studies.future.published import future_accuracies
from treecrf_studies.rendering.cells import interval_text, number, p_text, points_text, signed

PASSES = {"forward": "the forward pass", "backward": "the backward pass", "both": "both"}
"""What reads the example of section 5.1."""


def most_probable_first(results: Results, _: str, direction: str) -> Iterator[Measured[Sequence[str]]]:
    """The labels of the example of section 5.1 by their probability in one of `PASSES`."""
    example = results.table("future", "example.csv")
    if example is not None:
        rows = example.sort_values(direction, ascending=False, kind="stable")
        best = rows.iloc[0]
        numbers = f"{PASSES[direction]}: {best['label']} with probability {number(best[direction], 3)}"
        yield Measured(rows["label"].tolist(), numbers)


def accuracy(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """Mean test accuracy of a method, percent."""
    accuracies = _accuracies(results, dataset)
    if method in accuracies:
        reached = f"{number(accuracies[method])} %"
        published = _published_text(dataset, method)
        yield Measured(
            float(accuracies[method]),
            f"{dataset}: {reached}",
            f"{method_text(method)} reaches {reached} on {dataset}{published}",
            what=method_text(method),
            methods=(method_text(method),),
            published=_published(dataset, method),
            unit="%",
        )


def highest_accuracy(results: Results, dataset: str, methods: Sequence[str]) -> Iterator[Measured[float]]:
    """The highest mean test accuracy of some methods, percent."""
    if reached := _accuracies_of(results, dataset, methods):
        difference = f"a CRF reaches {number(max(reached))} % on {dataset}"
        yield Measured(max(reached), _listed(dataset, reached), f"{difference}{_published_list(dataset, methods)}")


def accuracy_by_order(results: Results, dataset: str, methods: Sequence[str]) -> Iterator[Measured[Sequence[float]]]:
    """Mean test accuracies of methods that rise in order, percent."""
    if reached := _accuracies_of(results, dataset, methods):
        fall = f"{number(largest_fall(reached))} points from one order to the next on {dataset}"
        published = _published_list(dataset, methods)
        yield Measured(reached, _listed(dataset, reached), f"accuracy falls by {fall}{published}")


def accuracy_difference(results: Results, dataset: str, pairs: Sequence[tuple[str, str]]) -> list[Measured[float]]:
    """Points of mean test accuracy between two methods with their interval; nothing unless all `pairs` were run."""
    return measured_all((_compare(results, dataset, *pair) for pair in pairs), partial(_measured, dataset))


def gain_of_order(results: Results, dataset: str, methods: Sequence[str]) -> Iterator[Measured[float]]:
    """Points that the best of the higher orders has over the first method."""
    accuracies = _accuracies(results, dataset)
    if methods[0] in accuracies and (reached := _accuracies_of(results, dataset, methods)):
        points = max(reached) - float(accuracies[methods[0]])
        numbers = f"{dataset}: the best order is {points_text(points)} against {method_text(methods[0])}"
        yield Measured(points, numbers, f"a higher order gains {points_text(points)} on {dataset}")


def gain_of_larger_bags(
    results: Results, dataset: str, bags: Sequence[int], orders: Sequence[int]
) -> Iterator[Measured[float]]:
    """Points that FF-MEMM gains with the larger of two bags, by order; nothing unless all `orders` were run."""
    names = [tuple(f"ff_memm_{order} (bag {bag})" for bag in sorted(bags, reverse=True)) for order in orders]
    comparisons = [_compare(results, dataset, *pair) for pair in names]
    if None in comparisons:
        return
    for order, pair in zip(orders, filter(None, comparisons), strict=True):
        measured = _measured(dataset, pair)
        yield replace(measured, numbers=f"order {order}: {measured.numbers}")


def patterns(
    results: Results, dataset: str, negative: bool = True, g0: Sequence[float] | None = None
) -> Iterator[Measured[tuple[float, float]]]:
    """From each negative start value, or from 0: the number of features, and the lower accuracy, of instances or bags.

    Of start values `g0` alone if these are given, and then nothing unless all of them were run.
    """
    summary = results.frame("future", dataset, "summary")
    if summary is None:
        return
    of_start = summary["g0"].isin(g0) if g0 is not None else summary["g0"] < 0 if negative else summary["g0"] == 0
    rows = summary[(summary["method"] == "ff_memm_0") & of_start]
    for row in rows.to_dict("records") if g0 is None or len(rows) == len(g0) else ():
        lowest = min(row["test_instance_accuracy"], row["test_bag_accuracy"])
        what = f"G0 {row['g0']:g}".replace("G0 -", "G0 −")
        numbers = (
            f"{dataset}, {what}: features {number(row['n_features'], 1)}, instances "
            f"{number(row['test_instance_accuracy'])} %, bags {number(row['test_bag_accuracy'])} %"
        )
        yield Measured((row["n_features"], lowest), numbers, what=what)


def largest_step(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """The largest of the steps β with any start value, divided by the largest of the steps α and η."""
    summary = results.frame("future", dataset, "summary")
    rows = summary[summary["method"] == "ff_memm_0"] if summary is not None else pd.DataFrame()
    if len(rows):
        steps = {name: float(rows[f"largest_{name}"].max()) for name in ("alpha", "beta", "eta")}
        ratio = steps["beta"] / max(steps["alpha"], steps["eta"])
        others = f"the largest α {steps['alpha']:.1f}, the largest η {steps['eta']:.1f}"
        text = f"on {dataset} the largest β is {steps['beta']:.0f}, {others}"
        yield Measured(ratio, text, what="largest β : largest α or η", unit="times")


def seconds_by_order(results: Results, dataset: str, orders: tuple[int, int]) -> Iterator[Measured[float]]:
    """CPU seconds of training a CRF of the higher order by those of the lower one, over the draws."""
    runs = results.frame("future", dataset, "runs")
    if runs is None:
        return
    seconds = [runs[runs["method"] == f"crf_{order}"].set_index("draw")["cpu_seconds"] for order in orders]
    if not any(each.empty for each in seconds):
        ratio, interval = geometric_mean(seconds[1] / seconds[0])
        what = f"{method_text(f'crf_{orders[1]}')} : {method_text(f'crf_{orders[0]}')}, seconds of training"
        numbers = f"on {dataset}, {what}: ratio {number(ratio)} ({interval_text(interval)})"
        yield Measured(ratio, numbers, repeated=interval, what=what)


def recovers(measured: Measured[tuple[float, float]], n_features: tuple[int, int], recovered: float) -> Degrees:
    """As many features as that, and labels that are recovered to `recovered` percent."""
    features, lowest = measured.value
    return YES if n_features[0] <= features <= n_features[1] and lowest >= recovered else NO


CLAIM_KINDS = {"recovers": Kind(recovers, ("n_features", "recovered"))}


def _accuracies_of(results: Results, dataset: str, methods: Sequence[str]) -> list[float]:
    """The accuracies of the methods, if all were run."""
    accuracies = _accuracies(results, dataset)
    return accuracies[[*methods]].tolist() if {*methods} <= {*accuracies.index} else []


def _listed(dataset: str, accuracies: Sequence[float]) -> str:
    return f"{dataset}: {', '.join(map(number, accuracies))} %"


def _compare(results: Results, dataset: str, method: str, other: str) -> Comparison | None:
    """Two variants on a data set, each with the G_0 that validation prefers; None where one of them was not run."""
    comparisons = results.frame("future", dataset, "comparisons")
    return None if comparisons is None else find_pair(comparisons, method, other)


def _measured(dataset: str, pair: Comparison) -> Measured[float]:
    """A comparison as claims look at it."""
    published = _published_gain_text(dataset, pair.method, pair.other)
    printed = _published(dataset, pair.method) - _published(dataset, pair.other)
    return Measured(
        pair.points,
        f"{dataset}: {_pair_text(pair)}",
        f"{_pair_text(pair)} on {dataset}{published}",
        pair.p,
        pair.interval_90,
        (pair.points, pair.papers_p),
        what=f"{method_text(pair.method)} vs {method_text(pair.other)}",
        methods=(method_text(pair.method), method_text(pair.other)),
        published=None if np.isnan(printed) else printed,
    )


def _accuracies(results: Results, dataset: str) -> pd.Series:
    """Mean test accuracy (percent) by method and bag, as `variant_name`; without rows where there are none."""
    best = results.frame("future", dataset, "best")
    if best is None:
        return pd.Series(dtype=float)
    return best.set_index(variant_names(best))["value"]


def _published(dataset: str, variant: str) -> float:
    """Published accuracy; NaN without."""
    table = future_accuracies()
    rows = table[
        (table["dataset"] == dataset.removesuffix("_full").removesuffix("_30")) & (variant_names(table) == variant)
    ]
    return float(rows["percent"].iloc[0]) if len(rows) else float("nan")


def _published_text(dataset: str, variant: str) -> str:
    value = _published(dataset, variant)
    return "" if np.isnan(value) else f" (published {number(value)} %)"


def _published_gain_text(dataset: str, method: str, other: str) -> str:
    points = _published(dataset, method) - _published(dataset, other)
    return "" if np.isnan(points) else f" (published {points_text(points)})"


def _published_list(dataset: str, methods: Sequence[str]) -> str:
    values = [_published(dataset, method) for method in methods]
    return "" if np.isnan(values).any() else f" (published {', '.join(map(number, values))})"


def _pair_text(pair: Comparison) -> str:
    """The difference in points and both tests in words."""
    low, high = map(signed, pair.interval)
    valid = f"by the sequence-level test {p_text(pair.p)}, 95 % interval {low} to {high}"
    tests = (
        f"by the paper's test median {p_text(pair.papers_p)}, {'no sequence-level test' if np.isnan(pair.p) else valid}"
    )
    return f"{method_text(pair.method)} {points_text(pair.points)} against {method_text(pair.other)} ({tests})"
