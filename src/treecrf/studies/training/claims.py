"""Measures for the claims of ``claims.yaml`` about training.

Differences in accuracy are those of all trainings at the settings and iteration that cross-validation chose, unless peaks
are asked for. The paper's test stands beside a valid one, which decides. "feature_induction" is MALLET where it was run
and `InducedCRF` where not, as in table 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from treecrf.rendering.cells import number, seconds_text
from treecrf.rendering.style import training_method_name
from treecrf.rendering.words import interval_text
from treecrf.studies.framework.claims.judge import Evidence, Results
from treecrf.studies.framework.claims.kinds import Measured
from treecrf.studies.framework.claims.rows import INDUCTION, first_of, sum_up_counts
from treecrf.studies.training.comparisons import MethodPair, compare
from treecrf.studies.training.names import BETTER


def accuracy_difference(
    results: Results, dataset: str, pairs: Sequence[tuple[str, str]], decoders: Sequence[str] = (BETTER,)
) -> list[Measured[float]]:
    """Points of accuracy between two methods, with each decoder; nothing unless all `pairs` were run."""
    compared = [compare(results, dataset, *pair, decoder) for decoder in decoders for pair in pairs]
    found = [pair.measured() for pair in compared if pair]
    return found if len(found) == len(compared) else []


def peak_difference(results: Results, dataset: str, pairs: Sequence[tuple[str, str]]) -> list[Measured[float]]:
    """The same at the peaks of the test curves of forward-backward decoding."""
    compared = [compare(results, dataset, *pair, "forward_backward", "peak_comparisons") for pair in pairs]
    found = [_with_peaks(results, pair) for pair in compared if pair]
    return found if len(found) == len(compared) else []


def better_in_half(evidence: Evidence) -> Evidence:
    """Whether a method is better in at least half of the comparisons, and worse at most once."""
    return sum_up_counts(evidence, lambda n_better, n_worse, n_all: (2 * n_better >= n_all, n_worse <= 1))


def better_as_often(evidence: Evidence) -> Evidence:
    """Whether a method is better at least as often as it is worse, and worse at most once: a former rule."""
    return sum_up_counts(evidence, lambda n_better, n_worse, _: (n_better >= n_worse, n_worse <= 1), as_found=True)


def fluctuation(results: Results, dataset: str, first_iteration: int) -> Iterator[Measured[float]]:
    """How much more test accuracy jumps from iteration to iteration with feature induction than with TreeCRF."""
    curves = results.frame("training", dataset, "curves")
    if curves is None:
        return
    method = first_of(INDUCTION, curves["method"])
    induction, trees = (_jumps(curves, name, first_iteration) for name in (method, "treecrf"))
    if np.isnan(induction) or np.isnan(trees):
        return
    ratio = induction / trees if trees > 0 else np.inf
    measured = f"{training_method_name(method)} {number(induction, 3)}, TreeCRF {number(trees, 3)}"
    yield Measured(
        ratio,
        f"{dataset}: {measured}, ratio {number(ratio)}",
        f"the ratio is {number(ratio)} on {dataset}",
    )


def time_to_peak(results: Results, dataset: str, pair: tuple[str, str], uncertain: float) -> Iterator[Measured[float]]:
    """CPU seconds of one method to the peak of its test curve by those of another, certain to a factor of `uncertain`."""
    curves = results.frame("training", dataset, "curves")
    if curves is None or not {*pair} <= {*curves["method"]}:
        return
    first, second = (_peak(curves, name)["cpu_seconds"] for name in pair)
    seconds = " and ".join(
        f"{training_method_name(name)} {seconds_text(taken)} s"
        for name, taken in zip(pair, (first, second), strict=True)
    )
    ratio = first / second
    interval = ratio / uncertain, ratio * uncertain
    numbers = f"{dataset}: {seconds}, ratio {number(ratio)} ({number(interval[0])} to {number(interval[1])})"
    what = f"{' : '.join(map(training_method_name, pair))}, seconds to the peak"
    yield Measured(ratio, numbers, repeated=interval, what=what)


def final_difference(results: Results, dataset: str, pair: tuple[str, str]) -> Iterator[Measured[float]]:
    """Points of test accuracy between two methods after the last iteration of each, with its better decoder."""
    curves = results.frame("training", dataset, "curves")
    if curves is None or not {*pair} <= {*curves["method"]}:
        return
    last = curves.sort_values("iteration").groupby(["method", "decoder"], as_index=False).last()
    first, second = (_peak(last, name) for name in pair)
    reached = " and ".join(
        f"{training_method_name(name)} {number(row['accuracy'])} % at iteration {row['iteration']:g}"
        for name, row in zip(pair, (first, second), strict=True)
    )
    points = float(first["accuracy"] - second["accuracy"])
    what = " vs ".join(map(training_method_name, pair))
    yield Measured(points, f"{dataset}: {reached}, without a test", interval=(np.nan, np.nan), what=what)


def growth_with_iterations(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """The slope of TreeCRF's CPU seconds by iteration, both logarithmic, over all its trainings at the choice."""
    costs = results.frame("training", dataset, "costs")
    rows = costs[costs["method"] == "treecrf"].dropna(subset="seconds_slope") if costs is not None else pd.DataFrame()
    for row in rows.to_dict("records"):
        interval = row["seconds_slope_low"], row["seconds_slope_high"]
        numbers = f"{dataset}: slope {number(row['seconds_slope'], 3)} ({interval_text(interval, 3)})"
        yield Measured(row["seconds_slope"], numbers, repeated=interval)


def _with_peaks(results: Results, pair: MethodPair) -> Measured[float]:
    """A comparison whose numbers show the peaks of both methods too."""
    summary = results.frame("training", pair.dataset, "summary")
    found = pair.measured()
    if summary is None:
        return found
    heights = summary[summary["decoder"] == pair.decoder].set_index("method")["peak_accuracy"]
    texts = [
        f"{training_method_name(name)} {number(heights[name])} %"
        for name in (pair.method, pair.other)
        if name in heights
    ]
    return replace(found, numbers=f"{found.numbers}; peaks {', '.join(texts)}")


def _peak(curves: pd.DataFrame, method: str) -> pd.Series:
    """The row of the first of the highest accuracies of a method, over both decoders."""
    rows = curves[curves["method"] == method].sort_values("iteration", kind="stable").reset_index(drop=True)
    return rows.iloc[int(rows["accuracy"].to_numpy().argmax())]


def _jumps(curves: pd.DataFrame, method: str, first_iteration: int) -> float:
    """Standard deviation of the change of test accuracy per iteration; NaN for curves that are too short."""
    curve = curves[(curves["method"] == method) & (curves["iteration"] >= first_iteration)].sort_values("iteration")
    changes = np.diff(curve["accuracy"]) / np.diff(curve["iteration"])
    return float(np.std(changes, ddof=1)) if len(changes) > 1 else float("nan")
