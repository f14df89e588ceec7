"""The measurements of cost, put together: of all data sets, and of the repeats the median with the smallest and
largest.
"""

from __future__ import annotations

import pandas as pd

from treecrf.statistics.metrics import geometric_mean
from treecrf_studies.cost.methods import OPTION, RELATIVE, SECONDS, SPEED_UP, TREE_SECONDS
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY, LOG_LIKELIHOOD
from treecrf_studies.framework.summaries import summarise


def make_frames(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """scaling_medians, windows_medians and sampling_medians, as far as they are measured; of data sets with a column
    stand_in.

    See `treecrf_studies.framework.summaries.summarise`.
    """
    reduce = {"scaling": reduce_scaling, "windows": reduce_windows, "sampling": reduce_sampling}
    reduced = {f"{name}_medians": reduce[name](context.of_jobs(name)) for name in context.frames}
    return {
        name: frame.assign(stand_in=frame["dataset"].map(context.stand_ins)) if "dataset" in frame else frame
        for name, frame in reduced.items()
    }


def reduce_scaling(scaling: pd.DataFrame) -> pd.DataFrame:
    """Summaries of the frame of `treecrf_studies.cost.jobs.measure_scaling`; its column value is size."""
    keys = ["axis", "size", "method", "quantity"]
    sized = scaling.rename(columns={"value": "size"})
    return summarise(sized, keys, {"seconds": {"unit": "s"}}, n_positions=("n_positions", "first"))


def reduce_windows(windows: pd.DataFrame) -> pd.DataFrame:
    """Summaries of frames of `treecrf_studies.cost.jobs.measure_windows`: CPU seconds of an iteration, accuracies; and
    cpu_seconds of a training.
    """
    return summarise(
        windows.assign(cpu_seconds=windows["seconds_per_iteration"] * windows["n_iterations"]),
        ["dataset", "window_size", "method"],
        {"seconds_per_iteration": {"quantity": SECONDS, "unit": "s"}, "accuracy": {"quantity": ACCURACY}},
        n_iterations=("n_iterations", "first"),
    )


def reduce_sampling(sampling: pd.DataFrame) -> pd.DataFrame:
    """Summaries of frames of `treecrf_studies.cost.jobs.measure_sampling`; their column value is setting.

    `RELATIVE` seconds are those by the plain training of the same repeat. `SPEED_UP` is a geometric mean with its 95 %
    interval over the repeats.
    """
    repeats = ["dataset", "repeat"]
    plain = sampling[sampling["option"] == "none"].set_index(repeats)["cpu_seconds"].rename("plain_seconds")
    rows = sampling.rename(columns={"value": "setting"}).join(plain, on=repeats)
    rows["relative_seconds"] = rows["cpu_seconds"] / rows["plain_seconds"]
    quantities = {
        "cpu_seconds": {"quantity": SECONDS, "unit": "s"},
        "tree_seconds": {"quantity": TREE_SECONDS, "unit": "s"},
        "relative_seconds": {"quantity": RELATIVE, "unit": "times"},
        "accuracy": {"quantity": ACCURACY},
        "log_likelihood": {"quantity": LOG_LIKELIHOOD},
    }
    faster = rows["plain_seconds_to_likelihood"] / rows["seconds_to_likelihood"]
    groups = faster.groupby([rows[name] for name in OPTION], sort=False)
    means = [(mean, *interval) for mean, interval in groups.agg(geometric_mean)]
    speed_ups = pd.DataFrame(means, groups.size().index, ["value", "low", "high"])
    reduced = speed_ups.assign(quantity=SPEED_UP, unit="times", n=groups.size()).reset_index()
    return pd.concat([summarise(rows, OPTION, quantities), reduced], ignore_index=True)


def window_scores(windows: pd.DataFrame) -> pd.DataFrame:
    """The accuracies by window, as the explorer shows scores."""
    rows = reduce_windows(windows)
    return rows[rows["quantity"] == ACCURACY].assign(variant="window size " + rows["window_size"].astype(str))


def sampling_scores(sampling: pd.DataFrame) -> pd.DataFrame:
    """The accuracies by option, as the explorer shows scores."""
    rows = reduce_sampling(sampling)
    rows = rows[rows["quantity"] == ACCURACY]
    named = [f"{option}={setting:g}" for option, setting in zip(rows["option"], rows["setting"], strict=True)]
    return rows.assign(variant="sampling and trimming", method=named)
