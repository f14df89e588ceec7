"""Measures for the claims of ``claims.yaml`` about training.

Differences in accuracy are those of all trainings at the settings and iteration that cross-validation chose, unless
peaks are asked for. The paper's test stands beside a valid one, which decides. "feature_induction" is MALLET where it
was run and `InducedCRF` where not, as in table 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.metrics import geometric_mean, ratio_of_geometric_means
from treecrf_studies.framework.claims.judge import FAILS, HOLDS, Degrees, Evidence, Results
from treecrf_studies.framework.claims.kinds import Kind, Measured, over_interval
from treecrf_studies.framework.claims.rows import INDUCTION, first_of, sum_up_counts
from treecrf_studies.framework.comparisons import Comparison, find_pair, measured_all
from treecrf_studies.rendering.cells import (
    count_text,
    direction,
    interval_text,
    number,
    p_text,
    points_text,
    signed,
    three_digits,
)
from treecrf_studies.rendering.style import DECODER_NAMES, training_method_name
from treecrf_studies.training.choices import (
    BETTER,
    BLOCKS,
    CHOICE,
    FORWARD_BACKWARD_STEP,
    INDUCTION_STEP,
    LAST,
    PEAK,
    preferred_at,
)
from treecrf_studies.training.published import training_accuracies, training_costs

SHOWN = 0.005
"""Points that two digits show."""

TESTS_OF_SAMPLES = {
    "folds": "corrected resampled t test over {n} folds",
    "draws": "t test over sequences crossed with {n} training sets",
    "documents": "Wilcoxon's signed-rank test over {n} documents, t interval",
}
"""What the tests on larger samples are, by `LargerSample.test`."""


def accuracy_difference(
    results: Results, dataset: str, pairs: Sequence[tuple[str, str]], decoders: Sequence[str] = (BETTER,)
) -> list[Measured[float]]:
    """Points of accuracy between two methods, with each decoder; nothing unless all `pairs` were run."""
    compared = (compare(results, dataset, *pair, decoder) for decoder in decoders for pair in pairs)
    return measured_all(compared, partial(_measured_alike, results))


def larger_difference(
    results: Results,
    sample: str,
    pairs: Sequence[tuple[str, str]],
    decoders: Sequence[str] = (BETTER,),
    published_of: str = "",
) -> list[Measured[float]]:
    """`accuracy_difference` on a larger sample, where forward-backward stands for the better decoder.

    Published numbers are those of the data set that the sample is larger than, unless `published_of` names another one.
    """
    rows = _of_sample(results, sample)
    if rows is None:
        return []
    compared = [_compare_larger(rows, pair, decoder, published_of) for decoder in decoders for pair in pairs]
    return [each for each in compared if each] if all(compared) else []


def peak_difference(results: Results, dataset: str, pairs: Sequence[tuple[str, str]]) -> list[Measured[float]]:
    """`accuracy_difference` at the peaks of the test curves of forward-backward decoding."""
    compared = (compare(results, dataset, *pair, "forward_backward", "peak_comparisons") for pair in pairs)
    return measured_all(compared, partial(_with_peaks, results))


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


def time_ratio(
    results: Results, dataset: str, pairs: Sequence[tuple[str, str]], point: str = PEAK
) -> Iterator[Measured[float]]:
    """CPU seconds of one method by those of another: geometric means over the trainings, and the interval of their
    ratio.

    `point` is one of `SPENT`. Results without the frame of timings have one training, hence no interval.
    """
    words = SPENT[point].words
    published = training_costs().query("dataset == @dataset").set_index("method")[SPENT[point].published]
    spent = {method: _seconds(results, dataset, method, point) for pair in pairs for method in pair}
    for pair in pairs if all(map(len, spent.values())) else ():
        first, second = (spent[method] for method in pair)
        ratio, interval = ratio_of_geometric_means(first, second)
        names = tuple(map(training_method_name, pair))
        seconds = " and ".join(
            f"{name} {three_digits(geometric_mean(taken)[0])} s"
            for name, taken in zip(names, (first, second), strict=True)
        )
        certain = f"95 % interval {interval_text(interval)}" if np.isfinite(interval[1]) else "measured once"
        yield Measured(
            ratio,
            f"{dataset}: {seconds} {words}, ratio {three_digits(ratio)} ({certain})",
            repeated=interval,
            what=f"{' : '.join(names)}, seconds {words}",
            published=float(published.get(pair[0], np.nan) / published.get(pair[1], np.nan)),
        )


def within_factor(measured: Measured[float], factor: float) -> Degrees:
    """A ratio between 1 / `factor` and `factor`."""
    return over_interval(measured, lambda ratio: HOLDS if 1 / factor <= ratio <= factor else FAILS, 1.0)


CLAIM_KINDS = {"within_factor": Kind(within_factor, ("factor",))}


def final_difference(results: Results, dataset: str, pairs: Sequence[tuple[str, str]]) -> list[Measured[float]]:
    """Points of test accuracy between two methods after the last iteration of each, with the preferred decoder.

    Results without predictions of the last iteration have no test of them.
    """
    compared = (compare(results, dataset, *pair, frame="last_comparisons") for pair in pairs)
    tested = measured_all(compared, _measured)
    return tested or [untested for pair in pairs for untested in _untested_end(results, dataset, pair)]


def _untested_end(results: Results, dataset: str, pair: tuple[str, str]) -> Iterator[Measured[float]]:
    last = _accuracies(results, dataset, LAST, BETTER)
    if {*pair} <= {*last.index}:
        names = tuple(map(training_method_name, pair))
        reached = " and ".join(f"{name} {number(last[method])} %" for name, method in zip(names, pair, strict=True))
        text = f"{dataset}: {reached} after the last iteration, without a test"
        points = float(last[pair[0]] - last[pair[1]])
        yield Measured(points, text, p=np.nan, interval=(np.nan, np.nan), what=" vs ".join(names), methods=names)


def growth_with_iterations(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """The slope of TreeCRF's CPU seconds by iteration, both logarithmic, over all its trainings at the choice."""
    costs = results.frame("training", dataset, "costs")
    rows = costs[costs["method"] == "treecrf"].dropna(subset="seconds_slope") if costs is not None else pd.DataFrame()
    for row in rows.to_dict("records"):
        interval = row["seconds_slope_low"], row["seconds_slope_high"]
        numbers = f"{dataset}: slope {number(row['seconds_slope'], 3)} ({interval_text(interval, 3)})"
        yield Measured(row["seconds_slope"], numbers, repeated=interval)


def _with_peaks(results: Results, pair: Comparison) -> Measured[float]:
    """A comparison whose numbers show the peaks of both methods too."""
    measured, heights = _measured(pair), _accuracies(results, pair.dataset, PEAK, pair.row["decoder"])
    texts = [
        f"{training_method_name(name)} {number(heights[name])} %"
        for name in (pair.method, pair.other)
        if name in heights
    ]
    return replace(measured, numbers=f"{measured.numbers}; peaks {', '.join(texts)}") if texts else measured


class Spent(NamedTuple):
    """CPU seconds up to a point of a training, or of a part of an iteration: in words, and where they are found.

    frame, column: of the results; published: of `treecrf_studies.training.published.training_costs`.
    """

    words: str
    frame: str
    column: str
    published: str


SPENT = {
    PEAK: Spent("to the peak", "summary", "cpu_seconds", "cpu_seconds"),
    FORWARD_BACKWARD_STEP: Spent(
        "of forward-backward in an iteration", "costs", "forward_backward_seconds", "forward_backward_seconds"
    ),
    INDUCTION_STEP: Spent("of an induction", "costs", "induction_seconds", "induction_seconds"),
}
"""By the point of the frame of timings."""


def _seconds(results: Results, dataset: str, method: str, point: str) -> NDArray[np.float64]:
    """CPU seconds of each training of a method; none where it was not run."""
    frame = results.frame("training", dataset, "timings")
    if frame is None:
        once, column = results.frame("training", dataset, SPENT[point].frame), SPENT[point].column
        if once is None or column not in once:
            return np.empty(0)
        once = preferred_at(once, point) if "point" in once else once
        return once.loc[once["method"] == method, column].dropna().to_numpy()
    of_point = (frame["method"] == method) & (frame["point"] == point)
    return frame.loc[of_point, "cpu_seconds"].to_numpy()


def _jumps(curves: pd.DataFrame, method: str, first_iteration: int) -> float:
    """Standard deviation of the change of test accuracy per iteration, preferred decoder; NaN for curves that are too
    short.
    """
    shown = curves["preferred"] & (curves["method"] == method) & (curves["iteration"] >= first_iteration)
    curve = curves[shown].sort_values("iteration")
    changes = np.diff(curve["accuracy"]) / np.diff(curve["iteration"])
    return float(np.std(changes, ddof=1)) if len(changes) > 1 else float("nan")


def compare(
    results: Results, dataset: str, method: str, other: str, decoder: str = BETTER, frame: str = "comparisons"
) -> Comparison | None:
    """Two methods on one data set, one of which may be `INDUCTION`; None where one of them was not run.

    The frames "peak_comparisons" and "last_comparisons" compare them at the peaks of their test curves or at their ends
    instead of at the choice.
    """
    rows = results.frame("training", dataset, frame)
    if rows is None:
        return None
    there = {*rows["method"], *rows["other"]}
    pair = find_pair(rows[rows["decoder"] == decoder], first_of(method, there), first_of(other, there))
    return (
        replace(pair, place=dataset if decoder == BETTER else f"{dataset}, {DECODER_NAMES[decoder]}") if pair else None
    )


def _measured(pair: Comparison) -> Measured[float]:
    """A comparison as claims look at it, beside what the papers print at the peaks of the test curves."""
    published = _published_points(pair.dataset, pair.method, pair.other, pair.row["decoder"])
    blocks = " over blocks of lines of these documents" if pair.row["test"] == BLOCKS else ""
    tests = f"by the paper's test {p_text(pair.papers_p)}, by the sequence-level test {p_text(pair.p)}{blocks}"
    if np.isnan(published):
        return pair.measured(training_method_name, tests)
    printed = f", published {points_text(published)} at the peaks"
    return replace(pair.measured(training_method_name, tests, printed), published=published)


def _measured_alike(results: Results, pair: Comparison) -> Measured[float]:
    """`_measured`, and the difference averaged as published ones are: over documents that are test sets in turn."""
    alike = _document_points(results, pair.dataset, pair.method, pair.other, pair.row["decoder"])
    return replace(_measured(pair), alike=None if np.isnan(alike) or abs(alike - pair.points) < SHOWN else alike)


def _document_points(results: Results, dataset: str, method: str, other: str, decoder: str) -> float:
    """Accuracy of `method` minus that of `other` at the choice, means over the documents; NaN without a summary."""
    accuracy = _accuracies(results, dataset, CHOICE, decoder)
    return float(accuracy.get(method, np.nan) - accuracy.get(other, np.nan))


def _accuracies(results: Results, dataset: str, point: str, decoder: str) -> pd.Series:
    """Accuracies at a point, by method; none without a summary."""
    summary = results.frame("training", dataset, "summary")
    if summary is None:
        return pd.Series(dtype=float)
    rows = (summary["point"] == point) & (summary["decoder"] == decoder)
    return summary[rows].set_index("method")["value"]


def _of_sample(results: Results, sample: str) -> pd.DataFrame | None:
    """The comparisons on a larger sample, which are among those of the data set that it is larger than."""
    for folder in sorted((results.folder / "training").glob("*/larger_comparisons.csv")):
        frame = results.frame("training", folder.parent.name, "larger_comparisons")
        if frame is not None and sample in {*frame["sample"]}:
            return frame[frame["sample"] == sample]
    return None


def _compare_larger(
    rows: pd.DataFrame, pair: tuple[str, str], decoder: str, published_of: str
) -> Measured[float] | None:
    """Two methods on a larger sample; None where one of them was not run."""
    there = {*rows["method"], *rows["other"]}
    of_decoder = rows[rows["decoder"] == ("forward_backward" if decoder == BETTER else decoder)]
    compared = find_pair(of_decoder, *(first_of(method, there) for method in pair))
    if compared is None:
        return None
    row = compared.row
    published = _published_points(published_of or compared.dataset, compared.method, compared.other, decoder)
    test = f"{TESTS_OF_SAMPLES[row['test']].format(n=count_text(row['n']))}, {p_text(compared.p)}"
    names = training_method_name(compared.method), training_method_name(compared.other)
    what = " vs ".join(names) + ("" if decoder == BETTER else f", {DECODER_NAMES[decoder]}")
    low, high = map(signed, compared.interval_90)
    return Measured(
        compared.points,
        f"{row['sample']}: {what} {points_text(compared.points)} ({test}, 90 % interval {low} to {high})",
        f"{names[0]} is {direction(compared.points)} {names[1]} on {row['sample']} ({p_text(compared.p)})",
        compared.p,
        compared.interval_90,
        what=what,
        methods=names,
        published=None if np.isnan(published) else published,
        n=int(row["n_clusters"]),
        units="documents" if row["test"] == "documents" else "groups of related sequences",
    )


def _published_points(dataset: str, method: str, other: str, decoder: str) -> float:
    """Published accuracy of `method` minus that of `other`; NaN without either."""
    table: pd.DataFrame = training_accuracies()
    table = table[(table["dataset"] == dataset) & (table["decoder"] == decoder)]
    percent = table.set_index("method")["percent"]
    return float(percent.get(method, np.nan) - percent.get(other, np.nan))
