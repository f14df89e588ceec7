"""Measures for the claims of ``claims.yaml`` about output coding.

Accuracies are those with the longest code, or with the beam that held-out training sequences prefer; "gtb_cascade_best"
and "vp_cascade_best" are the cascades that these prefer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from treecrf.statistics.metrics import geometric_mean
from treecrf_studies.coding.methods import BEAM, is_cascade, learner_of, method_text, with_best
from treecrf_studies.coding.tables import find_compared, with_window
from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.claims.kinds import Measured
from treecrf_studies.framework.comparisons import Comparison, measured_all
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.rendering.cells import interval_text, number, p_text, points_text, seconds_text, signed

Pairs = Sequence[tuple[str, str]]


def accuracy(results: Results, dataset: str, method: str, window: int, of_draws: str) -> Iterator[Measured[float]]:
    """The highest or lowest test accuracy of the draws ("accuracy_high", "accuracy_low"), with the longest code,
    percent.
    """
    rows = _rows(_accuracies(results, dataset), method, window)
    if len(rows):
        end, extreme = {"accuracy_high": ("high", "at most"), "accuracy_low": ("low", "at least")}[of_draws]
        value = float(_longest(rows)[end])
        reached = f"{method_text(method)} {extreme} {number(value)} %"
        yield Measured(value, f"{dataset}: {reached}", f"{reached} on {dataset}")


def accuracy_difference(results: Results, dataset: str, pairs: Pairs, windows: Sequence[int]) -> list[Measured[float]]:
    """Points of accuracy between two methods, with each window; nothing unless all `pairs` were run."""
    comparisons, best = (results.frame("coding", dataset, name) for name in ("comparisons", "best"))
    if comparisons is None or best is None:
        return []
    compared = (find_compared(comparisons, best, window, *pair) for window in windows for pair in pairs)
    return measured_all(compared, lambda pair: pair.measured(method_text))


def difference_of_trees(results: Results, dataset: str, pairs: Pairs, windows: Sequence[int]) -> list[Measured[float]]:
    """The same, open where the trees of beams have other numbers of iterations than those of codes."""
    differences = accuracy_difference(results, dataset, pairs, windows)
    lines = _accuracies(results, dataset)
    numbers = set[float]()
    if lines is not None and "n_iterations" in lines:
        numbers = set(lines["n_iterations"][lines["method"].map(learner_of) == "gtb"].dropna())
    if len(numbers) == 1:
        return differences
    listed = f" ({', '.join(f'{number:g}' for number in sorted(numbers))})" if numbers else ""
    note = f"but the trees of beams and of codes have other numbers of iterations{listed}"
    return [_untested(each, note) for each in differences]


def _untested(measured: Measured[float], note: str) -> Measured[float]:
    numbers, difference, nan = f"{measured.numbers}, {note}", f"{measured.difference}, {note}", float("nan")
    unknown, papers = (nan, nan), (measured.value, nan)
    return replace(measured, numbers=numbers, difference=difference, p=nan, interval=unknown, papers=papers)


def shorter_history(results: Results, dataset: str, learner: str, windows: Sequence[int]) -> Iterator[Measured[float]]:
    """Points of the best history but the longest, as held-out sequences choose it, against the longest."""
    lines = _accuracies(results, dataset)
    comparisons, best = (results.frame("coding", dataset, name) for name in ("comparisons", "best"))
    if lines is None or comparisons is None or best is None:
        return
    for window in windows:
        rows = lines[(lines["window"] == window) & (lines["method"].map(learner_of) == learner)]
        rows = rows[rows["method"].map(is_cascade).astype(bool) & (rows["size"] == rows["size"].max())]
        shorter, longest = rows[rows["method"] != f"{learner}_cascade_all"], f"{learner}_cascade_all"
        if shorter["held_out_accuracy"].notna().any():
            chosen = str(shorter["method"].iloc[int(np.nanargmax(shorter["held_out_accuracy"]))])
            if (pair := find_compared(comparisons, best, window, chosen, longest)) is not None:
                yield pair.measured(method_text)


def by_history(
    results: Results, dataset: str, learner: str, histories: Sequence[int], windows: Sequence[int]
) -> Iterator[Measured[Sequence[float]]]:
    """Test accuracies with the longest code by the length of the history, percent; 0 stands for i-SECOC."""
    lines = _accuracies(results, dataset)
    for window in windows:
        names = [f"{learner}_cascade_{bits}" if bits else f"{learner}_secoc" for bits in histories]
        rows = [_rows(lines, name, window) for name in names]
        curve = [float(_longest(each)["value"]) for each in rows if len(each)]
        yield Measured(curve, f"{dataset}, window {window}: {', '.join(map(number, curve))} %")


def loss_after(
    results: Results, dataset: str, method: str, size: int, windows: Sequence[int]
) -> Iterator[Measured[float]]:
    """Points of test accuracy of the longest code but one, which has at most `size` bits, against the longest."""
    lengths = results.frame("coding", dataset, "lengths")
    if lengths is None:
        return
    shortened = lengths[(lengths["method"] == method) & (lengths["size"] <= size) & (lengths["longest"] > size)]
    for window in windows:
        for row in shortened[shortened["window"] == window].to_dict("records"):
            first, second = (f"{method_text(method)} with {row[name]} bits" for name in ("size", "longest"))
            yield with_window(Comparison.of(row | {"method": first, "other": second})).measured(str)


def difference_of_gains(results: Results, dataset: str, pairs: Pairs) -> Iterator[Measured[float]]:
    """How many points more one method gains over another with the smaller window than with the larger one."""
    gains = results.frame("coding", dataset, "gains")
    if gains is None:
        return
    for method, other in pairs:
        for row in gains[(gains["method"] == method) & (gains["other"] == other)].to_dict("records"):
            low, high = signed(row["low_90"]), signed(row["high_90"])
            gain = f"{method_text(method)} gains {points_text(row['value'])} more over {method_text(other)}"
            text = (
                f"{gain} with the smaller window (by the sequence-level test {p_text(row['p_value'])}, 90 % interval "
                f"{low} to {high})"
            )
            interval = row["low_90"], row["high_90"]
            names = method_text(method), method_text(other)
            what = f"gain of {names[0]} over {names[1]}, smaller minus larger window"
            yield Measured(
                row["value"],
                f"{dataset}: {text}",
                text,
                row["p_value"],
                interval,
                what=what,
                methods=names,
            )


def seconds_ratio(results: Results, dataset: str, pairs: Pairs, windows: Sequence[int]) -> Iterator[Measured[float]]:
    """CPU seconds of training of one method, divided by those of another, over repeats and draws; no interval of a
    single one.
    """
    timings, runs, best = (results.frame("coding", dataset, name) for name in ("timings", "runs", "best"))
    if timings is None and runs is not None:  # of a run that timed each training once
        timings = runs.assign(repeat=0)
    if timings is None or best is None:
        return
    for window in windows:
        chosen = with_best(best, window)
        for pair in pairs:
            methods = [chosen.get(name, name) for name in pair]
            first, second = (_seconds(timings, best, name, window) for name in methods)
            ratios = (first / second).dropna()
            if not len(ratios):
                continue
            ratio, interval = geometric_mean(ratios.to_numpy())
            taken = " against ".join(f"{seconds_text(seconds.median())} s" for seconds in (first, second))
            names = list(map(method_text, methods))
            text = f"{' and '.join(names)} take {taken} of training with window {window} ({interval_text(interval)})"
            what = f"{' : '.join(names)}, CPU time, window {window}"
            yield Measured(ratio, f"{dataset}: {text}", text, repeated=interval, what=what)


def _seconds(timings: pd.DataFrame, best: pd.DataFrame, method: str, window: int) -> pd.Series:
    """CPU seconds with the longest code or the chosen beam, by draw and repeat."""
    rows = _rows(timings, method, window)
    if method.endswith(f"_{BEAM}"):
        rows = rows.merge(best[["method", "window", "size"]])
    return rows[rows["size"] == rows["size"].max()].set_index(["draw", "repeat"])["cpu_seconds"]


def _accuracies(results: Results, dataset: str) -> pd.DataFrame | None:
    """The accuracies among the scores of all methods and sizes."""
    scores = results.frame("coding", dataset, "scores")
    return None if scores is None else scores[scores["quantity"] == ACCURACY]


def _longest(rows: pd.DataFrame) -> pd.Series:
    """The row of the longest code."""
    return rows.iloc[int(rows["size"].to_numpy().argmax())]


def _rows(lines: pd.DataFrame | None, method: str, window: int) -> pd.DataFrame:
    if lines is None:
        return pd.DataFrame()
    return lines[(lines["method"] == method) & (lines["window"] == window)].reset_index(drop=True)
