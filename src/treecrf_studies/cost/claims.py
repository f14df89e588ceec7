"""Measures for the claims of ``claims.yaml`` about the cost of training.

Every value is from repeated measurements, with its 95 % interval over the repeats. Two methods are compared within a
repeat. How their seconds grow can be compared between languages, seconds themselves cannot: the dissertation's MALLET
is in Java.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.metrics import geometric_mean, mean_with_interval
from treecrf_studies.framework.claims.judge import FAILS, HOLDS, LEANS, Degrees, Results
from treecrf_studies.framework.claims.kinds import Kind, Measured, over_interval
from treecrf_studies.rendering.cells import interval_text, number, points_text, signed, three_digits
from treecrf_studies.rendering.style import training_method_name

TREES = "treecrf"

EVALUATED = {"treecrf": "trees", "treecrf_flat": "flattened trees", "induced_crf": "dot products"}
"""What F is evaluated by."""


@dataclass(frozen=True)
class ShortCut(Measured[float]):
    """How many times faster a short cut is, and the points of accuracy that it gains."""

    gain: float = 0.0


def faster_without_loss(measured: ShortCut, points: float) -> Degrees:
    """Faster, and less accurate by less than `points` in the one training that there is; leans if it is only faster."""
    if_faster = HOLDS if measured.gain > -points else LEANS
    return over_interval(measured, lambda ratio: if_faster if ratio > 1 else FAILS)


CLAIM_KINDS = {"faster_without_loss": Kind(faster_without_loss, ("points",))}


def slope_by_length(
    results: Results, dataset: str, methods: Sequence[str], lengths: tuple[int, int]
) -> Iterator[Measured[float]]:
    """The slope of forward-backward seconds by length, both logarithmic; nothing unless all `methods` were measured."""
    slopes = _length_slopes(results, methods, lengths)
    for method in methods if len(slopes) == len(methods) else ():
        mean, interval = mean_with_interval(slopes[method])
        numbers = (
            f"{training_method_name(method)} has slope {number(mean)} ({interval_text(interval)}), "
            f"{_over(dataset, lengths)}"
        )
        yield Measured(mean, numbers, repeated=interval, what=f"slope of {training_method_name(method)}")


def slope_difference(
    results: Results, dataset: str, method: str, lengths: tuple[int, int]
) -> Iterator[Measured[float]]:
    """By how much the slope of TreeCRF is larger than that of another method, in the same repeats."""
    slopes = _length_slopes(results, (TREES, method), lengths)
    if len(slopes) == 2:
        mean, interval = mean_with_interval(slopes[TREES] - slopes[method])
        each = " and ".join(f"{number(slopes[name].mean())} of {training_method_name(name)}" for name in slopes)
        what = f"slope of TreeCRF minus that of {training_method_name(method)}"
        numbers = f"{what} {signed(mean)} ({interval_text(interval)}), {_over(dataset, lengths)} ({each})"
        yield Measured(mean, numbers, repeated=interval, what=what)


def growth_with_features(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """How CPU seconds of an induction grow with the number of features, against those of growing trees."""
    scaling = _scaling(results, "n_features", "induction")
    return _compared_growth(dataset, scaling, method, "of an induction", "boolean features")


def growth_with_window(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """How CPU seconds of an iteration grow with the window with a method, against those with trees."""
    return _compared_growth(
        dataset, _windows(results, dataset), method, "of an iteration", "observations in the window"
    )


def bend_by_window(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """How much steeper the seconds of an iteration rise over the larger half of the windows than over the smaller
    half.
    """
    seconds = _by_repeat(_windows(results, dataset), method)
    if seconds.shape[1] > 2:
        sizes, middle = seconds.columns.to_numpy(float), seconds.shape[1] // 2
        halves = slice(None, middle + 1), slice(middle, None)
        lower, upper = (np.polyfit(sizes[half], seconds.to_numpy(float).T[half], 1)[0] for half in halves)
        ratio, interval = geometric_mean(pd.Series(upper / lower))
        name = training_method_name(method)
        numbers = (
            f"on {dataset}, seconds of {name} rise {number(ratio)} times as steeply from window {sizes[middle]:g} on"
        )
        yield Measured(ratio, f"{numbers} ({interval_text(interval)})", repeated=interval)


def ratio_at_smallest_window(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """CPU seconds of an iteration at the smallest window with trees by those with another method."""
    measured = _windows(results, dataset)
    seconds = {name: _by_repeat(measured, name) for name in (method, TREES)}
    if any(each.empty for each in seconds.values()):
        return
    smallest = measured["size"].min()
    ratio, interval = geometric_mean(seconds[TREES][smallest] / seconds[method][smallest])
    taken = {name: f"{three_digits(each[smallest].median())} s" for name, each in seconds.items()}
    numbers = (
        f"on {dataset}, at window {smallest:g} an iteration takes {_of(taken, TREES, method)}, ratio {number(ratio)} "
        f"({interval_text(interval)})"
    )
    what = f"TreeCRF : {training_method_name(method)}, seconds at the smallest window"
    yield Measured(ratio, numbers, repeated=interval, what=what)


def growth_of_induction(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """CPU seconds of the last induction of a training by those of its first, over all windows."""
    last, first = (
        _by_repeat(_scaling(results, "n_features", f"{which}_induction"), method) for which in ("last", "first")
    )
    what = f"{training_method_name(method)}, seconds of the last induction : the first"
    return _mean_ratio(dataset, what, last, first)


def ratio_of_evaluations(results: Results, dataset: str, method: str, other: str) -> Iterator[Measured[float]]:
    """CPU seconds of evaluating F with one method by those with another, over all lengths of sequences."""
    scaling = _scaling(results, "length", "evaluation")
    first, second = (_by_repeat(scaling, name) for name in (method, other))
    what = f"{EVALUATED[method]} : {EVALUATED[other]}, seconds of evaluating F"
    return _mean_ratio(dataset, what, first, second)


def speed_up_of_starts(results: Results, dataset: str) -> Iterator[ShortCut]:
    """CPU seconds to the same log likelihood without and with first iterations by the pseudo-likelihood, and
    accuracy.
    """
    return _speed_ups(results, dataset, "seconds")


def fewer_iterations_of_starts(results: Results, dataset: str) -> Iterator[ShortCut]:
    """The same of iterations, which no machine makes faster; those by the pseudo-likelihood count too."""
    return _speed_ups(results, dataset, "iterations")


def _speed_ups(results: Results, dataset: str, unit: str) -> Iterator[ShortCut]:
    sampling = results.frame("cost", dataset, "sampling")
    if sampling is None or f"{unit}_to_likelihood" not in sampling:  # older runs lack iterations
        return
    plain = sampling[sampling["option"] == "none"].set_index("repeat")["accuracy"]
    for value, rows in sampling[sampling["option"] == "pseudo_likelihood_iterations"].groupby("value"):
        rows = rows.set_index("repeat")
        ratio, interval = geometric_mean(rows[f"plain_{unit}_to_likelihood"] / rows[f"{unit}_to_likelihood"])
        gain = float((rows["accuracy"] - plain).mean())
        numbers = (
            f"{value:g} first iterations by the pseudo-likelihood on {dataset}: {number(ratio)} times as fast in "
            f"{unit} ({interval_text(interval)}), accuracy {points_text(gain)}"
        )
        yield ShortCut(
            ratio,
            numbers,
            repeated=interval,
            gain=gain,
            what=f"speed-up in {unit}, {value:g} first iterations",
        )


def _scaling(results: Results, axis: str, quantity: str) -> pd.DataFrame:
    """All measurements of a quantity along one axis, as size and seconds; without rows where nothing was measured."""
    scaling = results.table("cost", "scaling.csv")
    if scaling is None:
        return pd.DataFrame(columns=["repeat", "size", "method", "seconds"])
    return scaling[(scaling["axis"] == axis) & (scaling["quantity"] == quantity)].rename(columns={"value": "size"})


def _windows(results: Results, dataset: str) -> pd.DataFrame:
    """The same of all iterations on a data set, by the size of the window."""
    windows = results.frame("cost", dataset, "windows")
    if windows is None:
        return pd.DataFrame(columns=["repeat", "size", "method", "seconds"])
    return windows.rename(columns={"window_size": "size", "seconds_per_iteration": "seconds"})


def _by_repeat(measured: pd.DataFrame, method: str) -> pd.DataFrame:
    """Seconds of a method: a row for each repeat, a column for each size in rising order."""
    return measured[measured["method"] == method].pivot_table("seconds", "repeat", "size")


def _log_slopes(seconds: pd.DataFrame) -> NDArray[np.float64]:
    """The slope of the line of least squares through logarithms of seconds by those of sizes, shape (n_repeats,)."""
    return np.asarray(np.polyfit(_log_sizes(seconds), np.log(seconds.to_numpy(float).T), 1)[0])


def _log_sizes(seconds: pd.DataFrame) -> NDArray[np.float64]:
    return np.log(seconds.columns.to_numpy(float))


def _mean_ratio(dataset: str, what: str, seconds: pd.DataFrame, others: pd.DataFrame) -> Iterator[Measured[float]]:
    """The geometric mean over sizes of a ratio, with its interval over the repeats; nothing without either."""
    if not (seconds.empty or others.empty):
        ratio, interval = geometric_mean(np.exp(np.log(seconds / others).mean(axis=1)))
        numbers = f"on {dataset}, {what}: ratio {number(ratio)} ({interval_text(interval)})"
        yield Measured(ratio, numbers, repeated=interval, what=what)


def _length_slopes(
    results: Results, methods: Sequence[str], lengths: tuple[int, int]
) -> dict[str, NDArray[np.float64]]:
    """The slope of each repeat, by method that was measured at several of these lengths."""
    scaling = _scaling(results, "length", "forward_backward")
    within = scaling[scaling["size"].between(*lengths)]
    seconds = {method: _by_repeat(within, method) for method in methods}
    return {method: _log_slopes(each) for method, each in seconds.items() if each.shape[1] > 1}


def _compared_growth(
    dataset: str, measured: pd.DataFrame, method: str, step: str, unit: str
) -> Iterator[Measured[float]]:
    """By which factor seconds of a method grow from the smallest to the largest size, by that of trees.

    The factors are those of straight lines through logarithms.
    """
    seconds = {name: _by_repeat(measured, name) for name in (method, TREES)}
    if any(each.shape[1] < 2 for each in seconds.values()):
        return
    growths = {name: np.exp(_log_slopes(each) * np.ptp(_log_sizes(each))) for name, each in seconds.items()}
    ratio, interval = geometric_mean(growths[method] / growths[TREES])
    grown = {name: f"{number(geometric_mean(each)[0])} times" for name, each in growths.items()}
    sizes = seconds[TREES].columns
    numbers = (
        f"on {dataset}, from {sizes[0]:g} to {sizes[-1]:g} {unit} the seconds {step} grow {_of(grown, method, TREES)}, "
        f"ratio {number(ratio)} ({interval_text(interval)})"
    )
    what = f"{training_method_name(method)} : TreeCRF, growth of the seconds {step}"
    yield Measured(ratio, numbers, repeated=interval, what=what)


def _over(dataset: str, lengths: tuple[int, int]) -> str:
    return f"lengths {lengths[0]} to {lengths[1]} of {dataset}"


def _of(texts: dict[str, str], *methods: str) -> str:
    """What belongs to the methods; of a ratio, the first by the second."""
    return " and ".join(f"{texts[method]} with {training_method_name(method)}" for method in methods)
