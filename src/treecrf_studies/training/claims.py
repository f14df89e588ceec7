"""Measures for the claims of ``claims.yaml`` about training.

Differences in accuracy are those of all trainings at the settings and iteration that cross-validation chose, unless
peaks are asked for. The paper's test stands beside a valid one, which decides. "feature_induction" is MALLET where it
was run and `InducedCRF` where not, as in table 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.metrics import geometric_mean, ratio_of_geometric_means
from treecrf_studies.framework.claims.judge import FAILS, HOLDS, Degrees, Evidence, Results
from treecrf_studies.framework.claims.kinds import Kind, Measured, over_interval
from treecrf_studies.framework.claims.rows import INDUCTION, first_of, sum_up_counts
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
from treecrf_studies.training.choices import BETTER, BLOCKS, FORWARD_BACKWARD_STEP, INDUCTION_STEP, PEAK
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
    compared = [compare(results, dataset, *pair, decoder) for decoder in decoders for pair in pairs]
    found = [pair.measured() for pair in compared if pair]
    return found if len(found) == len(compared) else []


def larger_difference(
    results: Results,
    sample: str,
    pairs: Sequence[tuple[str, str]],
    decoders: Sequence[str] = (BETTER,),
    published_of: str = "",
) -> list[Measured[float]]:
    """The same on a larger sample, where forward-backward decoding stands for the better one; nothing unless all
    `pairs` were run.

    Published numbers are those of the data set that the sample is larger than, unless `published_of` names another one.
    """
    rows = _of_sample(results, sample)
    compared = [
        _compare_larger(rows, pair, decoder, published_of) for decoder in decoders for pair in pairs if rows is not None
    ]
    found = [each for each in compared if each]
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


def within_factor(found: Measured[float], factor: float) -> Degrees:
    """A ratio between 1 / `factor` and `factor`."""
    return over_interval(found, lambda ratio: HOLDS if 1 / factor <= ratio <= factor else FAILS, 1.0)


KINDS = {"within_factor": Kind(within_factor, ("factor",))}


def final_difference(results: Results, dataset: str, pairs: Sequence[tuple[str, str]]) -> list[Measured[float]]:
    """Points of test accuracy between two methods after the last iteration of each, with the preferred decoder.

    Results without predictions of the last iteration have no test of them.
    """
    compared = [compare(results, dataset, *pair, frame="last_comparisons") for pair in pairs]
    tested = [pair.measured() for pair in compared if pair]
    return (
        tested
        if len(tested) == len(pairs)
        else [found for pair in pairs for found in _untested_end(results, dataset, pair)]
    )


def _untested_end(results: Results, dataset: str, pair: tuple[str, str]) -> Iterator[Measured[float]]:
    summary = results.frame("training", dataset, "summary")
    last = (
        pd.Series(dtype=float)
        if summary is None
        else summary[summary["decoder"] == BETTER].set_index("method")["last_accuracy"]
    )
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


class Spent(NamedTuple):
    """CPU seconds up to a point of a training, or of a part of an iteration: in words, and where they are found.

    frame, column: of the results; published: of `treecrf_studies.training.published.training_costs`.
    """

    words: str
    frame: str
    column: str
    published: str


SPENT = {
    PEAK: Spent("to the peak", "summary", "peak_cpu_seconds", "cpu_seconds"),
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
        of_method = (once["method"] == method) & (once["decoder"] == BETTER if "decoder" in once else True)
        return once.loc[of_method, column].dropna().to_numpy()
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


@dataclass(frozen=True)
class MethodPair:
    """Two methods on one data set.

    Attributes
    ----------
    dataset, decoder, method, other : str
    points, p : float
        That `method` is better, the mean of all trainings, and the p-value of the sequence-level test, which decides.
    papers_points, papers_p : float
        The same of one training each by the paper's test, McNemar's.
    interval : (float, float)
        Of the points, 90 %.
    by_blocks : bool
        Whether there are too few sequences for anything but a test of blocks of these.
    published : float
        The same points as published, at the peaks of the test curves.
    alike : float
        The points at the choice averaged as published ones: over documents, where each is a test set in turn.
    """

    dataset: str
    decoder: str
    method: str
    other: str
    points: float
    p: float
    papers_points: float
    papers_p: float
    interval: tuple[float, float]
    by_blocks: bool
    published: float
    alike: float = np.nan

    @property
    def tests(self) -> str:
        """Both tests in words."""
        blocks = " over blocks of lines of these documents" if self.by_blocks else ""
        return f"by the paper's test {p_text(self.papers_p)}, by the sequence-level test {p_text(self.p)}{blocks}"

    def measured(self) -> Measured[float]:
        """The comparison as claims look at it."""
        first, second = training_method_name(self.method), training_method_name(self.other)
        decoder = "" if self.decoder == BETTER else f", {DECODER_NAMES[self.decoder]}"
        interval = f"90 % interval {signed(self.interval[0])} to {signed(self.interval[1])}"
        published = "" if np.isnan(self.published) else f", published {points_text(self.published)} at the peaks"
        is_alike = np.isnan(self.alike) or abs(self.alike - self.points) < SHOWN
        return Measured(
            self.points,
            f"{self.dataset}{decoder}: {first} {points_text(self.points)} against {second} ({self.tests}, {interval})",
            f"{first} is {direction(self.points)} {second} on {self.dataset}{decoder} ({self.tests}{published})",
            self.p,
            self.interval,
            (self.papers_points, self.papers_p),
            what=f"{first} vs {second}{decoder}",
            methods=(first, second),
            published=None if np.isnan(self.published) else self.published,
            alike=None if is_alike else self.alike,
        )


def compare(
    results: Results, dataset: str, method: str, other: str, decoder: str = BETTER, frame: str = "comparisons"
) -> MethodPair | None:
    """Two methods on one data set, one of which may be `INDUCTION`; None where one of them was not run.

    The frames "peak_comparisons" and "last_comparisons" compare them at the peaks of their test curves or at their ends
    instead of at the choice.
    """
    pairs = results.frame("training", dataset, frame)
    if pairs is None:
        return None
    there = {*pairs["method"], *pairs["other"]}
    first, second = first_of(method, there), first_of(other, there)
    for one, two, sign in ((first, second, 1), (second, first, -1)):
        rows = pairs[(pairs["method"] == one) & (pairs["other"] == two) & (pairs["decoder"] == decoder)]
        if len(rows):
            row = rows.iloc[0]
            ends = sorted(float(sign * row[name]) for name in ("low_90", "high_90"))
            return MethodPair(
                dataset,
                decoder,
                first,
                second,
                points=float(sign * row["mean_points"]),
                p=float(row["valid_p_value"]),
                papers_points=float(sign * row["accuracy_points"]),
                papers_p=float(row["p_value"]),
                interval=(ends[0], ends[1]),
                by_blocks=bool(row["valid_test"] == BLOCKS),
                published=_published_points(dataset, first, second, decoder),
                alike=_document_points(results, dataset, first, second, decoder) if frame == "comparisons" else np.nan,
            )
    return None


def _document_points(results: Results, dataset: str, method: str, other: str, decoder: str) -> float:
    """Accuracy of `method` minus that of `other` at the choice, means over the documents; NaN without a summary."""
    summary = results.frame("training", dataset, "summary")
    if summary is None:
        return np.nan
    rows = summary[summary["decoder"] == decoder].set_index("method")
    accuracy = rows["chosen_mean"].fillna(rows["chosen_accuracy"])
    return float(accuracy.get(method, np.nan) - accuracy.get(other, np.nan))


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
    first, second = (first_of(method, {*rows["method"], *rows["other"]}) for method in pair)
    of_decoder = rows[rows["decoder"] == ("forward_backward" if decoder == BETTER else decoder)]
    for one, two, sign in ((first, second, 1), (second, first, -1)):
        found = of_decoder[(of_decoder["method"] == one) & (of_decoder["other"] == two)]
        if len(found):
            row = found.iloc[0]
            low, high = sorted(float(sign * row[name]) for name in ("low_90", "high_90"))
            points, p = float(sign * row["mean_points"]), float(row["valid_p_value"])
            published = _published_points(published_of or row["dataset"], first, second, decoder)
            names = training_method_name(first), training_method_name(second)
            what = " vs ".join(names) + ("" if decoder == BETTER else f", {DECODER_NAMES[decoder]}")
            test = f"{TESTS_OF_SAMPLES[row['valid_test']].format(n=count_text(row['n_trainings']))}, {p_text(p)}"
            return Measured(
                points,
                f"{row['sample']}: {what} {points_text(points)} ({test}, 90 % interval {signed(low)} to "
                f"{signed(high)})",
                f"{names[0]} is {direction(points)} {names[1]} on {row['sample']} ({p_text(p)})",
                p,
                (low, high),
                what=what,
                methods=names,
                published=None if np.isnan(published) else published,
                n=int(row["n_clusters"]),
                units="documents" if row["valid_test"] == "documents" else "groups of related sequences",
            )
    return None


def _published_points(dataset: str, method: str, other: str, decoder: str) -> float:
    """Published accuracy of `method` minus that of `other`; NaN without either."""
    table: pd.DataFrame = training_accuracies()
    table = table[(table["dataset"] == dataset) & (table["decoder"] == decoder)]
    percent = table.set_index("method")["percent"]
    return float(percent.get(method, np.nan) - percent.get(other, np.nan))
