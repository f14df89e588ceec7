"""Putting the jobs of the training study together: accuracies, learning curves, costs, tests between methods.

Accuracy means the mean over the splits of the fraction of correct positions: one split, or each document in turn
(PhD section 3.5.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from treecrf.io.files import stacked
from treecrf.models.registry import FORWARD_BACKWARD, INDUCTION
from treecrf.statistics.metrics import mean_with_interval
from treecrf.statistics.ranking import SEPARATION_MARGIN
from treecrf.studies.framework.job_context import SummaryContext
from treecrf.studies.training.choices import joined_candidates, peaks, preferred_decoder
from treecrf.studies.training.comparing import Rules, compare, compare_peaks
from treecrf.studies.training.names import BETTER, UNPERTURBED
from treecrf.studies.training.published import training_accuracies
from treecrf.studies.training.ranking import noise, rank


def summarise_method(
    choice: pd.DataFrame, curves: pd.DataFrame, published: pd.DataFrame, stand_in: bool = False
) -> pd.DataFrame:
    """Published accuracy, accuracy at the cross-validated choice, and peak of the test curve, by decoder.

    The last row, decoder `BETTER`, stands for the decoder that cross-validation prefers. A peak is the best accuracy on
    the test set over all candidates and iterations (and, in the last row, decoders): it uses the test labels to choose,
    so it is an optimistic upper bound.

    Parameters are `choice` and `curves` of one method on one data set (`treecrf.studies.training.jobs.TrainingOutcome`), the
    published values of this data set (method, decoder, percent, table; may be empty), and whether it stands in for the
    one of the papers.

    Returns
    -------
    DataFrame
        dataset, stand_in, method, decoder, chosen_decoder, published, published_table, candidate (those of the splits,
        parted by " / "), iteration (median over the splits), iteration_low, iteration_high, cv_accuracy, then for "chosen"
        and "peak": ``_accuracy`` (unperturbed), ``_mean``, ``_sd``, ``_min``, ``_max`` (over the perturbed runs); only chosen
        candidates have perturbed runs, so the peak of another one has no spread; peak_candidate,
        peak_iteration and peak_cpu_seconds (unperturbed), cpu_seconds (of training to the chosen iteration), n_perturbed_runs.
        Seconds are means over the splits, accuracies in percent.
    """
    dataset, method = choice["dataset"].iloc[0], choice["method"].iloc[0]
    joined = joined_candidates(curves)
    preferred, best = preferred_decoder(choice), peaks(joined)
    decoders = list(dict.fromkeys(choice["decoder"]))
    rows: list[dict[str, Any]] = []
    for decoder in [*decoders, BETTER]:
        used = preferred if decoder == BETTER else decoder
        chosen = choice[choice["decoder"] == used]
        at_choice = curves.merge(chosen[["split", "decoder", "candidate", "iteration"]])
        best_of = best if decoder == BETTER else best[best["decoder"] == decoder]
        peak = best_of.iloc[int(best_of["accuracy"].to_numpy().argmax())]
        at_peak = joined[(joined["candidate"] == peak["candidate"]) & (joined["decoder"] == peak["decoder"])]
        last = int(peak["iteration"])
        known = published[(published["method"] == method) & (published["decoder"] == decoder)]
        value = float(known["percent"].iloc[0]) if len(known) else np.nan
        rows.append(
            {
                "dataset": dataset,
                "stand_in": stand_in,
                "method": method,
                "decoder": decoder,
                "chosen_decoder": used,
                "published": value,
                "published_table": str(known["table"].iloc[0]) if len(known) else "",
                "candidate": " / ".join(dict.fromkeys(chosen["candidate"])),
                "iteration": int(chosen["iteration"].median()),
                "iteration_low": int(chosen["iteration"].min()),
                "iteration_high": int(chosen["iteration"].max()),
                "chosen_by": chosen["chosen_by"].iloc[0],
                "cv_accuracy": 100 * chosen["cv_accuracy"].mean(),
                **_spread("chosen", _by_run(at_choice, len(chosen))),
                "peak_candidate": peak["candidate"],
                "peak_iteration": last,
                **_spread("peak", _by_run(at_peak, len(chosen))),
                "peak_cpu_seconds": _unperturbed(at_peak).query("iteration == @last")["cpu_seconds"].mean(),
                "cpu_seconds": _unperturbed(at_choice)["cpu_seconds"].mean(),
                "n_perturbed_runs": int(curves.loc[curves["run"] != UNPERTURBED, "run"].nunique()),
            }
        )
    return pd.DataFrame(rows)


def ends(choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """Where training with the chosen settings ends: at convergence, or after the last iteration that the settings allow.

    Parameters are frames of one method on one data set (`treecrf.studies.training.jobs.TrainingOutcome`).

    Returns
    -------
    DataFrame
        dataset, method, decoder (the last row is `BETTER`, the preferred one), last_accuracy (percent, unperturbed, mean over
        the splits), last_iteration_low and last_iteration_high (over the splits), last_cpu_seconds (mean over the splits).
    """
    rows = []
    done = _unperturbed(phases).groupby(["split", "candidate"])["n_iterations"].first().rename("n_done").reset_index()
    for decoder in [*dict.fromkeys(choice["decoder"]), BETTER]:
        used = preferred_decoder(choice) if decoder == BETTER else decoder
        chosen = choice.loc[choice["decoder"] == used, ["split", "decoder", "candidate"]].merge(done)
        curve = _unperturbed(curves).merge(chosen).sort_values("iteration")
        last = curve.groupby("split").last()
        rows.append(
            {
                "dataset": choice["dataset"].iloc[0],
                "method": choice["method"].iloc[0],
                "decoder": decoder,
                "last_accuracy": 100 * (last["n_correct"] / last["n_positions"]).mean(),
                "last_iteration_low": int(chosen["n_done"].min()),
                "last_iteration_high": int(chosen["n_done"].max()),
                "last_cpu_seconds": last["cpu_seconds"].mean(),
            }
        )
    return pd.DataFrame(rows)


def learning_curves(choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """Test accuracy and CPU seconds by iteration, as chosen, with the preferred decoder (figures 3.1 and 3.2).

    Parameters are frames of one method on one data set (`treecrf.studies.training.jobs.TrainingOutcome`).

    Returns
    -------
    DataFrame
        dataset, method, decoder, iteration (to the last one before convergence), accuracy (percent, unperturbed),
        low, high (over all runs), cpu_seconds (mean over the splits), chosen (whether it is the median chosen iteration).
    """
    decoder = preferred_decoder(choice)
    chosen = choice[choice["decoder"] == decoder]
    part = curves.merge(chosen[["split", "decoder", "candidate"]])
    part = part.assign(percent=100 * part["n_correct"] / part["n_positions"])
    by_run = part.pivot_table(index="iteration", columns="run", values="percent")  # mean over the splits
    n_done = int(phases.merge(chosen[["split", "candidate"]]).query("run == @UNPERTURBED")["n_iterations"].max())
    seconds = part[part["run"] == UNPERTURBED].groupby("iteration")["cpu_seconds"].mean()
    frame = pd.DataFrame(
        {
            "accuracy": by_run[UNPERTURBED],
            "low": by_run.min(axis=1),
            "high": by_run.max(axis=1),
            "cpu_seconds": seconds,
            "chosen": by_run.index == int(chosen["iteration"].median()),
        }
    ).reset_index()
    constant = {"dataset": choice["dataset"].iloc[0], "method": choice["method"].iloc[0], "decoder": decoder}
    return frame[frame["iteration"] <= n_done].assign(**constant)[
        ["dataset", "method", "decoder", "iteration", "accuracy", "low", "high", "cpu_seconds", "chosen"]
    ]


def costs(
    choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame, average_length: float, n_features: int
) -> pd.DataFrame:
    """CPU seconds of one iteration of forward-backward and of one induction of features (PhD table 3.6), and their growth.

    Parameters are frames of one method on one data set (`treecrf.studies.training.jobs.TrainingOutcome`), the mean number of
    positions of a training sequence, and the number of boolean features of a window.

    Returns
    -------
    DataFrame
        One row: dataset, method, average_length, n_features, forward_backward_seconds (inference and the new values of F,
        per iteration), induction_seconds (one tree for each label, or one round of feature induction; NaN without),
        total_seconds (of a whole training), n_iterations; means over the splits. seconds_slope, seconds_slope_low and
        seconds_slope_high: with which power of the iterations the seconds of all trainings grow (`growth_of_seconds`).
    """
    slope, (low, high) = growth_of_seconds(choice, curves, phases)
    chosen = choice[choice["decoder"] == preferred_decoder(choice)]
    part = phases[phases["run"] == UNPERTURBED].merge(chosen[["split", "candidate"]])
    by_split = part.pivot_table(index="split", columns="phase", values="cpu_seconds")
    n_iterations = part.groupby("split")["n_iterations"].first()
    n_inductions = part.groupby("split")["n_inductions"].first()
    n_inductions = n_inductions.where(n_inductions > 0, n_iterations)
    forward = by_split[by_split.columns.intersection(FORWARD_BACKWARD)].sum(axis=1, min_count=1) / n_iterations
    induction = by_split[by_split.columns.intersection(INDUCTION)].sum(axis=1, min_count=1) / n_inductions
    return pd.DataFrame(
        [
            {
                "dataset": choice["dataset"].iloc[0],
                "method": choice["method"].iloc[0],
                "average_length": average_length,
                "n_features": n_features,
                "forward_backward_seconds": forward.mean(),
                "induction_seconds": induction.mean(),
                "total_seconds": by_split.sum(axis=1).mean(),
                "n_iterations": n_iterations.mean(),
                "seconds_slope": slope,
                "seconds_slope_low": low,
                "seconds_slope_high": high,
            }
        ]
    )


def growth_of_seconds(
    choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame
) -> tuple[float, tuple[float, float]]:
    """The power of the number of iterations with which CPU seconds grow, and its 95 % interval over trainings or splits.

    The slope of log seconds by log iteration over the larger half of the iterations of every training with chosen
    settings, perturbed or not, the mean of each split where there are several; NaN where none has three such iterations. Parameters as for `costs`.
    """
    keys = ["split", "candidate", "run"]
    decoder = preferred_decoder(choice)
    done = phases.groupby(keys, sort=False)["n_iterations"].first().rename("n_done").reset_index()
    part = curves[curves["decoder"] == decoder].merge(choice.loc[choice["decoder"] == decoder, ["split", "candidate"]])
    part = part.merge(done, on=keys)
    part = part[(part["iteration"] > part["n_done"] / 2) & (part["iteration"] <= part["n_done"])]
    slopes = {
        key: np.polyfit(np.log(each["iteration"]), np.log(each["cpu_seconds"]), 1)[0]
        for key, each in part.groupby(keys, sort=False)
        if len(each) > 2
    }
    if not slopes:
        return np.nan, (np.nan, np.nan)
    found = pd.Series(slopes)
    if len(set(part["split"])) > 1:  # trainings of a split share their sequences
        found = found.groupby(level=0).mean()
    return mean_with_interval(found)


def summarise(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """`summarise_dataset` of the jobs of a data set, and the published values of what it is in `treecrf.datasets`."""
    settings, description = dict(context.settings), context.description
    separation_margin = settings.pop("separation_margin")
    rules = Rules(**settings)
    published = training_accuracies().query("dataset == @context.source")
    outcomes = {name: stacked(parts) for name, parts in context.frames.items() if name != "folds"}
    numbers = description["average_length"], description["n_features"]
    return summarise_dataset(outcomes, published, bool(description["stand_in"]), *numbers, rules, separation_margin)


def summarise_dataset(
    outcomes: Mapping[str, pd.DataFrame],
    published: pd.DataFrame,
    stand_in: bool,
    average_length: float,
    n_features: int,
    rules: Rules,
    separation_margin: float = SEPARATION_MARGIN,
) -> dict[str, pd.DataFrame]:
    """The frames of a data set from the outcomes of all its methods, with a column stand_in.

    Parameters are the frames of `treecrf.studies.training.jobs.TrainingOutcome` of all methods; for others see
    `summarise_method`, `costs` and `treecrf.studies.training.comparing`. Gives the frames of the study's declaration.
    """
    methods = list(dict.fromkeys(outcomes["choice"]["method"]))
    choices, all_curves, phases, predictions = (
        [outcomes[name][outcomes[name]["method"] == method] for method in methods]
        for name in ("choice", "curves", "phases", "predictions")
    )
    summaries = [summarise_method(*part, published, stand_in) for part in zip(choices, all_curves, strict=True)]
    last = pd.concat([ends(*part) for part in zip(choices, all_curves, phases, strict=True)])
    curves = [learning_curves(*part) for part in zip(choices, all_curves, phases, strict=True)]
    spent = [costs(*part, average_length, n_features) for part in zip(choices, all_curves, phases, strict=True)]
    comparisons = compare(choices, predictions, rules)
    frames = {
        "summary": pd.concat(summaries, ignore_index=True).merge(last, on=["dataset", "method", "decoder"]),
        "choice": outcomes["choice"],
        "curves": pd.concat(curves, ignore_index=True),
        "costs": pd.concat(spent, ignore_index=True),
        "comparisons": comparisons,
        "peak_comparisons": compare_peaks(all_curves, predictions, rules),
        "ranks": rank(choices, predictions, comparisons, separation_margin),
        "noise": noise(choices, predictions),
        "notes": outcomes["notes"],
    }
    return {name: frame.assign(stand_in=stand_in) for name, frame in frames.items()}


def _unperturbed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["run"] == UNPERTURBED]


def _by_run(curves: pd.DataFrame, n_splits: int) -> pd.Series:
    """Accuracy in percent by run: of each iteration the mean over the splits, and then the best iteration."""
    percent = curves.assign(percent=100 * curves["n_correct"] / curves["n_positions"])
    if percent.groupby(["split", "run"]).size().max() == 1:  # one iteration chosen for each split
        return percent.groupby("run")["percent"].mean()
    by_iteration = percent.groupby(["run", "iteration"])["percent"].agg(["mean", "size"])
    return by_iteration.loc[by_iteration["size"] == n_splits, "mean"].groupby("run").max()


def _spread(name: str, by_run: pd.Series) -> dict[str, float]:
    """Accuracy of the unperturbed run and, over the perturbed ones, mean, sd, minimum and maximum."""
    perturbed = by_run.drop(UNPERTURBED)
    return {
        f"{name}_accuracy": float(by_run[UNPERTURBED]),
        f"{name}_mean": float(perturbed.mean()),
        f"{name}_sd": float(perturbed.std(ddof=1)),
        f"{name}_min": float(perturbed.min()),
        f"{name}_max": float(perturbed.max()),
    }
