"""Measures for the claims of ``claims.yaml`` about the cost of training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from treecrf.rendering.cells import number, three_digits
from treecrf.rendering.style import training_method_name
from treecrf.rendering.words import points_text
from treecrf.studies.claim_rows import INDUCTION, Measured, above, first_of, speed_ratio
from treecrf.studies.claims import FAILS, HOLDS, LEANS, Evidence, Observation, Results, gather


def slope_by_length(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """The slope of forward-backward seconds by length, both logarithmic, of the two methods of figure 3.3a."""
    for method, slope, lengths in length_slopes(results):
        yield Measured(slope, f"{method} has slope {number(slope)} over lengths {lengths} of {dataset}")


def length_slopes(results: Results) -> Iterator[tuple[str, float, str]]:
    """Name of each of these methods, its slope, and the lengths: the largest half of those measured."""
    scaling = _scaling(results, "length", "forward_backward")
    for method in ("treecrf", first_of(INDUCTION, scaling["method"])):
        rows = scaling[scaling["method"] == method].sort_values("value")
        rows = rows.iloc[len(rows) // 2 :]
        if len(rows) > 1:
            slope = _slope(np.log(rows["value"]), np.log(rows["seconds"]))
            yield training_method_name(method), slope, f"{rows['value'].min():g} to {rows['value'].max():g}"


def growth_with_features(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """CPU seconds of an induction by number of features against those of growing trees."""
    scaling = _scaling(results, "n_features", "induction").rename(columns={"value": "size"})
    return _growth(dataset, scaling, "boolean feature")


def windows(results: Results, datasets: Sequence[str], ratio: float) -> Evidence:
    """CPU seconds of an iteration by the size of the window: which method is cheaper at first, and whose grow faster."""

    def observe(dataset: str) -> list[Observation]:
        measured = results.frame("cost", dataset, "windows")
        if measured is None:
            return []
        measured = measured.rename(columns={"window_size": "size", "seconds_per_iteration": "seconds"})
        growth = list(_growth(dataset, measured, "observation in the window"))
        degrees = [each.observation(above(each, ratio, leans=1)) for each in growth]
        return [_at_the_smallest(measured), *degrees] if growth else []

    return gather(datasets, observe)


def pseudo_likelihood_starts(results: Results, datasets: Sequence[str], points: float) -> Evidence:
    """CPU seconds to the same log likelihood with and without first iterations by the pseudo-likelihood, and accuracy."""

    def observe(dataset: str) -> Iterator[Observation]:
        sampling = results.frame("cost", dataset, "sampling")
        if sampling is None:
            return
        plain = sampling.loc[sampling["option"] == "none", "accuracy"].iloc[0]
        for row in sampling[sampling["option"] == "pseudo_likelihood_iterations"].to_dict("records"):
            ratio = speed_ratio(row["plain_seconds_to_likelihood"], row["seconds_to_likelihood"])
            gain = row["accuracy"] - plain
            numbers = (
                f"{row['value']:g} first iterations by the pseudo-likelihood on {dataset}: {number(ratio)} times as fast, "
                f"accuracy {points_text(gain)}"
            )
            yield Observation(numbers, FAILS if ratio <= 1 else HOLDS if gain > -points else LEANS, numbers)

    return gather(datasets, observe)


def _scaling(results: Results, axis: str, quantity: str) -> pd.DataFrame:
    """Measured seconds of a quantity above 0; without rows where nothing was measured."""
    scaling = results.table("cost", "scaling.csv")
    if scaling is None:
        return pd.DataFrame(columns=["axis", "value", "method", "quantity", "seconds"])
    return scaling[(scaling["axis"] == axis) & (scaling["quantity"] == quantity) & (scaling["seconds"] > 0)]


def _growth(dataset: str, measured: pd.DataFrame, unit: str) -> Iterator[Measured[float]]:
    """How much faster seconds rise with size for feature induction than for trees; columns method, size, seconds."""
    method = first_of(INDUCTION, measured["method"])
    slopes = []
    for name in (method, "treecrf"):
        rows = measured[measured["method"] == name]
        if len(rows) < 2:
            return
        slopes.append(_slope(rows["size"], rows["seconds"]))
    ratio = speed_ratio(*slopes)
    yield Measured(
        ratio,
        f"on {dataset}, {three_digits(slopes[0])} s more per {unit} with {training_method_name(method)}, "
        f"{three_digits(slopes[1])} s with TreeCRF, ratio {number(ratio)}",
    )


def _at_the_smallest(measured: pd.DataFrame) -> Observation:
    """Whether an iteration of feature induction is cheaper than one of TreeCRF at the smallest window."""
    size, method = measured["size"].min(), first_of(INDUCTION, measured["method"])
    seconds = measured[measured["size"] == size].set_index("method")["seconds"]
    numbers = (
        f"at window {size:g} an iteration takes {three_digits(seconds[method])} s with {training_method_name(method)} and "
        f"{three_digits(seconds['treecrf'])} s with TreeCRF"
    )
    return Observation(numbers, HOLDS if seconds[method] < seconds["treecrf"] else FAILS, numbers)


def _slope(x: pd.Series, y: pd.Series) -> float:
    """Of the line of least squares."""
    return float(np.polyfit(x.to_numpy(float), y.to_numpy(float), 1)[0])
