"""Measures for the claims of ``claims.yaml`` about the cost of training.

Every value is from repeated measurements, with its 95 % interval over the repeats. Seconds of two methods are compared within a
repeat and within one language: TreeCRF with `induced_crf`, both Python; MALLET, in Java, is a remark. How the seconds of one method
grow is a matter of its own: there feature induction is MALLET where it was run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.rendering.cells import interval_text, number, points_text, three_digits
from treecrf.rendering.style import training_method_name
from treecrf.statistics.metrics import geometric_mean, mean_with_interval
from treecrf.studies.framework.claims.judge import FAILS, HOLDS, LEANS, Degrees, Results
from treecrf.studies.framework.claims.kinds import Kind, Measured, over_interval
from treecrf.studies.framework.claims.rows import INDUCTION as FEATURE_INDUCTION
from treecrf.studies.framework.claims.rows import first_of

TREES, INDUCTION, IN_JAVA = "treecrf", "induced_crf", "mallet"


class Slope(NamedTuple):
    """The slope of a method's seconds by length, both logarithmic: mean of the repeats, interval, and which lengths."""

    method: str
    mean: float
    interval: tuple[float, float]
    lengths: str


@dataclass(frozen=True)
class ShortCut(Measured[float]):
    """How many times faster a short cut is, and the points of accuracy that it gains."""

    gain: float = 0.0


def faster_without_loss(found: ShortCut, points: float) -> Degrees:
    """Faster, and less accurate by less than `points` in the one training that there is; leans if it is only faster."""
    if_faster = HOLDS if found.gain > -points else LEANS
    return over_interval(found, lambda ratio: if_faster if ratio > 1 else FAILS)


KINDS = {"faster_without_loss": Kind(faster_without_loss, ("points",))}


def slope_by_length(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """The slope of forward-backward seconds by length, both logarithmic, with trees and with feature induction."""
    found = {slope.method: slope for slope in length_slopes(results)}
    induction = first_of(FEATURE_INDUCTION, found)
    if not {TREES, induction} <= found.keys():
        return
    for method in (TREES, induction):
        numbers = f"{_slope_text(found[method])} over lengths {found[method].lengths} of {dataset}"
        what = f"slope of {training_method_name(method)}"
        yield Measured(found[method].mean, numbers, repeated=found[method].interval, what=what)


def length_slopes(results: Results) -> Iterator[Slope]:
    """The slopes of the methods that were measured, over the largest half of the lengths."""
    scaling = _scaling(results, "length", "forward_backward")
    for method in (TREES, INDUCTION, IN_JAVA):
        seconds = _by_repeat(scaling, method)
        seconds = seconds.iloc[:, seconds.shape[1] // 2 :]
        if seconds.shape[1] > 1:
            lengths = f"{seconds.columns[0]:g} to {seconds.columns[-1]:g}"
            yield Slope(method, *mean_with_interval(_log_slopes(seconds)), lengths)


def growth_with_features(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """How CPU seconds of an induction grow with the number of features, against those of growing trees."""
    scaling = _scaling(results, "n_features", "induction")
    return _compared_growth(dataset, scaling, "of an induction", "boolean features")


def growth_with_window(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """How CPU seconds of an iteration grow with the window with feature induction, against those with trees."""
    return _compared_growth(dataset, _windows(results, dataset), "of an iteration", "observations in the window")


def ratio_of_slopes(results: Results, dataset: str, axis: str, other: str) -> Iterator[Measured[float]]:
    """The slope of a method's seconds by that of TreeCRF's, along the number of features or the window: a former rule's."""
    measured = _windows(results, dataset) if axis == "window" else _scaling(results, axis, "induction")
    seconds = [_by_repeat(measured, method) for method in (other, TREES)]
    if all(each.shape[1] > 1 for each in seconds):
        slopes = [np.polyfit(each.columns.to_numpy(float), each.mean(), 1)[0] for each in seconds]
        ratio = float(slopes[0] / slopes[1])
        yield Measured(
            ratio, f"{dataset}: the slope of {training_method_name(other)} is {number(ratio)} times TreeCRF's"
        )


def ratio_at_smallest_window(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """CPU seconds of an iteration at the smallest window with trees by those with feature induction."""
    measured = _windows(results, dataset)
    seconds = {method: _by_repeat(measured, method) for method in (INDUCTION, TREES, IN_JAVA)}
    if seconds[INDUCTION].empty or seconds[TREES].empty:
        return
    smallest = measured["size"].min()
    ratio, interval = geometric_mean(seconds[TREES][smallest] / seconds[INDUCTION][smallest])
    taken = {method: f"{three_digits(each[smallest].median())} s" for method, each in seconds.items() if not each.empty}
    numbers = (
        f"on {dataset}, at window {smallest:g} an iteration takes {_of(taken, TREES, INDUCTION)}, ratio {number(ratio)} "
        f"({interval_text(interval)})"
    )
    what = "TreeCRF : CRF with induction, seconds at the smallest window"
    yield Measured(ratio, numbers + _in_java(taken), numbers, repeated=interval, what=what)


def speed_up_of_starts(results: Results, dataset: str) -> Iterator[ShortCut]:
    """CPU seconds to the same log likelihood without and with first iterations by the pseudo-likelihood, and accuracy."""
    sampling = results.frame("cost", dataset, "sampling")
    if sampling is None:
        return
    plain = sampling[sampling["option"] == "none"].set_index("repeat")["accuracy"]
    for value, rows in sampling[sampling["option"] == "pseudo_likelihood_iterations"].groupby("value"):
        rows = rows.set_index("repeat")
        ratio, interval = geometric_mean(rows["plain_seconds_to_likelihood"] / rows["seconds_to_likelihood"])
        gain = float((rows["accuracy"] - plain).mean())
        numbers = (
            f"{value:g} first iterations by the pseudo-likelihood on {dataset}: {number(ratio)} times as fast "
            f"({interval_text(interval)}), accuracy {points_text(gain)}"
        )
        yield ShortCut(ratio, numbers, repeated=interval, gain=gain, what=f"speed-up, {value:g} first iterations")


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


def _compared_growth(dataset: str, measured: pd.DataFrame, step: str, unit: str) -> Iterator[Measured[float]]:
    """By which factor seconds grow from the smallest to the largest size with feature induction, by that of trees.

    The factors are those of straight lines through logarithms.
    """
    seconds = {method: _by_repeat(measured, method) for method in (INDUCTION, TREES, IN_JAVA)}
    growths = {
        method: np.exp(_log_slopes(each) * np.ptp(_log_sizes(each)))
        for method, each in seconds.items()
        if each.shape[1] > 1
    }
    if not {INDUCTION, TREES} <= growths.keys():
        return
    ratio, interval = geometric_mean(growths[INDUCTION] / growths[TREES])
    grown = {method: f"{number(geometric_mean(each)[0])} times" for method, each in growths.items()}
    sizes = seconds[TREES].columns
    numbers = (
        f"on {dataset}, from {sizes[0]:g} to {sizes[-1]:g} {unit} the seconds {step} grow {_of(grown, INDUCTION, TREES)}, ratio "
        f"{number(ratio)} ({interval_text(interval)})"
    )
    what = f"CRF with induction : TreeCRF, growth of the seconds {step}"
    yield Measured(ratio, numbers + _in_java(grown), numbers, repeated=interval, what=what)


def _slope_text(slope: Slope) -> str:
    return f"{training_method_name(slope.method)} has slope {number(slope.mean)} ({interval_text(slope.interval)})"


def _of(texts: dict[str, str], *methods: str) -> str:
    """What belongs to the methods; of a ratio, the first by the second."""
    return " and ".join(f"{texts[method]} with {training_method_name(method)}" for method in methods)


def _in_java(texts: dict[str, str]) -> str:
    """A remark on MALLET, if it was measured."""
    return f"; in Java, {_of(texts, IN_JAVA)}" if IN_JAVA in texts else ""
