"""The measurements of cost, put together: of all data sets, and of the repeats the median with the smallest and
largest.
"""

from __future__ import annotations

import pandas as pd

from treecrf.io.files import stacked
from treecrf.statistics.metrics import geometric_mean
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY


def summarise(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """scaling_medians, windows_medians and sampling_medians, as far as they are measured; of data sets with a column
    stand_in.

    Seconds are medians over the repeats, columns that end in low and high the smallest and largest; accuracies and log
    likelihoods are means. seconds_speed_up has a geometric mean and its 95 % interval over the repeats.
    """
    reduce = {"scaling": reduce_scaling, "windows": reduce_windows, "sampling": reduce_sampling}
    reduced = {f"{name}_medians": reduce[name](stacked(parts)) for name, parts in context.frames.items()}
    return {
        name: frame.assign(stand_in=frame["dataset"].map(context.stand_ins)) if "dataset" in frame else frame
        for name, frame in reduced.items()
    }


def reduce_scaling(scaling: pd.DataFrame) -> pd.DataFrame:
    """Of what `treecrf_studies.cost.jobs.measure_scaling` gives."""
    groups = _by_all_but_repeat(scaling, ["axis", "value", "method", "quantity"])
    return groups.agg(**_spread("seconds"), n_positions=("n_positions", "first")).reset_index()


def reduce_windows(windows: pd.DataFrame) -> pd.DataFrame:
    """Of what `treecrf_studies.cost.jobs.measure_windows` gives on one data set or several."""
    groups = _by_all_but_repeat(windows, ["dataset", "window_size", "method"])
    return groups.agg(
        **_spread("seconds_per_iteration"), n_iterations=("n_iterations", "first"), accuracy=("accuracy", "mean")
    ).reset_index()


def reduce_sampling(sampling: pd.DataFrame) -> pd.DataFrame:
    """Of what `treecrf_studies.cost.jobs.measure_sampling` gives on one data set or several.

    relative_seconds is the median of the ratios to the plain training of the same repeat.
    """
    keys = ["dataset", "repeat"]
    plain = sampling[sampling["option"] == "none"].set_index(keys)["cpu_seconds"].rename("plain_seconds")
    rows = sampling.join(plain, on=keys)
    rows["relative_seconds"] = rows["cpu_seconds"] / rows["plain_seconds"]
    rows["faster"] = rows["plain_seconds_to_likelihood"] / rows["seconds_to_likelihood"]
    groups = _by_all_but_repeat(rows, ["dataset", "option", "value"])
    reduced = groups.agg(
        **_spread("cpu_seconds"),
        tree_seconds=("tree_seconds", "median"),
        relative_seconds=("relative_seconds", "median"),
        accuracy=("accuracy", "mean"),
        accuracy_low=("accuracy", "min"),
        accuracy_high=("accuracy", "max"),
        log_likelihood=("log_likelihood", "mean"),
    )
    speed_ups = groups["faster"].agg(geometric_mean)
    reduced[[*_spread("seconds_speed_up")]] = [(mean, *interval) for mean, interval in speed_ups]
    return reduced.reset_index()


def window_scores(windows: pd.DataFrame) -> pd.DataFrame:
    """The accuracies by window, as the explorer shows scores."""
    rows = reduce_windows(windows)
    accuracy = rows["accuracy"]
    return rows.assign(
        metric=ACCURACY,
        variant="window size " + rows["window_size"].astype(str),
        value=accuracy,
        low=accuracy,
        high=accuracy,
        cpu_seconds=rows["seconds_per_iteration"] * rows["n_iterations"],
    )


def sampling_scores(sampling: pd.DataFrame) -> pd.DataFrame:
    """The accuracies by option, as the explorer shows scores."""
    rows = reduce_sampling(sampling)
    return rows.assign(
        metric=ACCURACY,
        variant="sampling and trimming",
        method=[f"{option}={value:g}" for option, value in zip(rows["option"], rows["value"], strict=True)],
        value=rows["accuracy"],
        low=rows["accuracy_low"],
        high=rows["accuracy_high"],
    )


def _by_all_but_repeat(frame: pd.DataFrame, names: list[str]) -> pd.api.typing.DataFrameGroupBy:
    """The repeats of each measurement, in the order of the frame."""
    return frame.groupby(names, sort=False)


def _spread(name: str) -> dict[str, tuple[str, str]]:
    """Median, smallest and largest of a column, for `agg`."""
    return {name: (name, "median"), f"{name}_low": (name, "min"), f"{name}_high": (name, "max")}
