"""CPU seconds of the trainings of the training study: up to a point of the curve, of an iteration, and how they
grow.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from treecrf.io.files import stacked
from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.methods.catalogue import FORWARD_BACKWARD, INDUCTION
from treecrf_studies.training.choices import (
    BETTER,
    CHOICE,
    FORWARD_BACKWARD_STEP,
    INDUCTION_STEP,
    LAST,
    PEAK,
    by_decoder,
    preferred_decoder,
    unperturbed,
)

PLACES = ["dataset", "method", "decoder", "point"]
"""Columns that tell the points of the trainings of a method apart."""


def timings(choice: pd.DataFrame, curves: pd.DataFrame, repeats: pd.DataFrame, highest: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of every training with the chosen settings, up to three of its iterations.

    `choice`, `curves` and `repeats` (timings) are of one method on one data set
    (`treecrf_studies.training.jobs.TrainingOutcome`), `highest` is from `peaks`.

    Returns
    -------
    DataFrame
        dataset, method, decoder (the last ones are `BETTER`, the preferred one), point (`CHOICE`, `PEAK` of the
        unperturbed training, `LAST`), iteration (largest over the splits), run, cpu_seconds (mean over the splits).
    """
    keys = ["split", "candidate", "run", "iteration"]
    seconds = stacked([part[[*keys, "cpu_seconds"]] for part in (curves.drop_duplicates(keys), repeats)]).astype(
        {"cpu_seconds": float}
    )
    at_peak = highest.set_index("decoder")["iteration"]
    frames = []
    for decoder, chosen in by_decoder(choice):
        part: pd.DataFrame = seconds.merge(chosen[["split", "candidate"]])
        last = part.groupby(["split", "candidate"])["iteration"].max().reset_index()
        places: dict[str, pd.DataFrame] = {CHOICE: chosen, PEAK: chosen.assign(iteration=at_peak[decoder]), LAST: last}
        for point, place in places.items():
            by_run = part.merge(place[["split", "candidate", "iteration"]]).groupby("run")["cpu_seconds"].mean()
            frames.append(
                by_run.reset_index().assign(decoder=decoder, point=point, iteration=int(place["iteration"].max()))
            )
    constant = {"dataset": choice["dataset"].iloc[0], "method": choice["method"].iloc[0]}
    return pd.concat(frames, ignore_index=True).assign(**constant)[[*PLACES, "iteration", "run", "cpu_seconds"]]


def mean_seconds(seconds: pd.DataFrame) -> pd.Series:
    """CPU seconds at each point by `PLACES`, the geometric mean of the trainings."""
    return seconds.groupby(PLACES)["cpu_seconds"].agg(_geometric_mean)


def _geometric_mean(values: pd.Series) -> float:
    with np.errstate(divide="ignore"):  # nothing takes no time
        return float(np.exp(np.log(values).mean()))


def steps(choice: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """`step_seconds` as rows of `timings`; the steps of one iteration."""
    steps = step_seconds(choice, phases).reset_index().melt("run", var_name="point", value_name="cpu_seconds").dropna()
    constant = {"dataset": choice["dataset"].iloc[0], "method": choice["method"].iloc[0]}
    return steps.assign(**constant, decoder=BETTER, iteration=1)


def costs(
    choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame, average_length: float, n_features: int
) -> pd.DataFrame:
    """CPU seconds of one iteration of forward-backward and of one induction of features (PhD table 3.6), and their
    growth.

    Parameters are frames of one method on one data set (`treecrf_studies.training.jobs.TrainingOutcome`), the mean
    number of positions of a training sequence, and the number of boolean features of a window.

    Returns
    -------
    DataFrame
        One row: dataset, method, average_length, n_features, forward_backward_seconds and induction_seconds
        (`step_seconds`, geometric means over the trainings), total_seconds (of a whole training, unperturbed),
        n_iterations; means over the splits. seconds_slope, seconds_slope_low and seconds_slope_high: with which power
        of the iterations the seconds of all trainings grow (`growth_of_seconds`).
    """
    slope, (low, high) = growth_of_seconds(choice, curves, phases)
    part = unperturbed(phases).merge(_chosen(choice))
    steps = step_seconds(choice, phases)
    return pd.DataFrame(
        [
            {
                "dataset": choice["dataset"].iloc[0],
                "method": choice["method"].iloc[0],
                "average_length": average_length,
                "n_features": n_features,
                "forward_backward_seconds": _geometric_mean(steps[FORWARD_BACKWARD_STEP]),
                "induction_seconds": _geometric_mean(steps[INDUCTION_STEP]),
                "total_seconds": part.groupby("split")["cpu_seconds"].sum().mean(),
                "n_iterations": part.groupby("split")["n_iterations"].first().mean(),
                "seconds_slope": slope,
                "seconds_slope_low": low,
                "seconds_slope_high": high,
            }
        ]
    )


def step_seconds(choice: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of the parts of an iteration in every training with the chosen settings, means over the splits.

    Index run; `FORWARD_BACKWARD_STEP` (inference and the new values of F, per iteration), `INDUCTION_STEP` (one tree
    for each label, or one round of feature induction; NaN without). Parameters as for `costs`.
    """
    part = phases.merge(_chosen(choice))
    keys = ["run", "split"]
    by_phase = part.pivot_table(index=keys, columns="phase", values="cpu_seconds")
    n_iterations, n_inductions = (part.groupby(keys)[name].first() for name in ("n_iterations", "n_inductions"))
    n_inductions = n_inductions.where(n_inductions > 0, n_iterations)
    steps = {FORWARD_BACKWARD_STEP: (FORWARD_BACKWARD, n_iterations), INDUCTION_STEP: (INDUCTION, n_inductions)}
    seconds = {
        name: by_phase[by_phase.columns.intersection(names)].sum(axis=1, min_count=1) / n
        for name, (names, n) in steps.items()
    }
    return pd.DataFrame(seconds).groupby("run").mean()


def growth_of_seconds(
    choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame
) -> tuple[float, tuple[float, float]]:
    """The power of the number of iterations with which CPU seconds grow, and its 95 % interval over trainings or
    splits.

    The slope of log seconds by log iteration over the larger half of the iterations of every training with chosen
    settings, perturbed or not, the mean of each split where there are several; NaN where none has three such
    iterations. Parameters as for `costs`.
    """
    keys = ["split", "candidate", "run"]
    done = phases.groupby(keys, sort=False)["n_iterations"].first().rename("n_done").reset_index()
    part = curves[curves["decoder"] == preferred_decoder(choice)].merge(_chosen(choice))
    part = part.merge(done, on=keys)
    part = part[(part["iteration"] > part["n_done"] / 2) & (part["iteration"] <= part["n_done"])]
    slopes = {
        key: np.polyfit(np.log(each["iteration"]), np.log(each["cpu_seconds"]), 1)[0]
        for key, each in part.groupby(keys, sort=False)
        if len(each) > 2
    }
    if not slopes:
        return np.nan, (np.nan, np.nan)
    exponents = pd.Series(slopes)
    if len(set(part["split"])) > 1:  # trainings of a split share their sequences
        exponents = exponents.groupby(level=0).mean()
    return mean_with_interval(exponents)


def _chosen(choice: pd.DataFrame) -> pd.DataFrame:
    """The chosen candidate of each split."""
    return choice.loc[choice["decoder"] == preferred_decoder(choice), ["split", "candidate"]]
