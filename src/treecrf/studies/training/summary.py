"""Putting the jobs of the training study together: accuracies, learning curves, costs, tests between methods.

Accuracy means the mean over the splits of the fraction of correct positions: one split, or each document in turn
(PhD section 3.5.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.files import stacked
from treecrf.models.registry import FORWARD_BACKWARD, INDUCTION
from treecrf.statistics.blocks import estimate_blocks
from treecrf.statistics.estimates import CONFIDENCE, decide
from treecrf.statistics.mcnemar import compare_pairs
from treecrf.statistics.metrics import mean_with_interval
from treecrf.statistics.ranking import RANK_COLUMNS, SEPARATION_MARGIN, rank_methods
from treecrf.statistics.two_way import estimate_trainings, make_pairs
from treecrf.statistics.variance import COMPONENT_COLUMNS, decompose_variance
from treecrf.studies.framework.job_context import SummaryContext
from treecrf.studies.training.choices import (
    BETTER,
    BLOCKS,
    CHOICE,
    METHODS,
    PAIR,
    PEAK,
    SEQUENCES,
    TRAININGS,
    UNPERTURBED,
    joined_candidates,
    peaks,
    preferred_decoder,
)
from treecrf.studies.training.larger_summary import summarise_larger
from treecrf.studies.training.published import training_accuracies


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
    """`summarise_dataset` of the jobs of a data set, with the published values of what it is in `treecrf.datasets`, and its larger samples."""
    settings, description = dict(context.settings), context.description
    separation_margin = settings.pop("separation_margin")
    rules = Rules(**settings)
    published = training_accuracies().query("dataset == @context.source")
    own = [name for name in context.frames if name != "folds" and not name.startswith("larger_")]
    outcomes = {name: stacked(context.frames[name]) for name in own}
    numbers = description["average_length"], description["n_features"]
    found = summarise_dataset(outcomes, published, bool(description["stand_in"]), *numbers, rules, separation_margin)
    return found | summarise_larger(context.frames, rules.equivalence_margin)


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
    `summarise_method`, `costs` and `treecrf.studies.training.summary`. Gives the frames of the study's declaration that are not of
    larger samples.
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


VALID_COLUMNS = (
    "mean_points", "points_standard_error", "degrees_of_freedom", "low", "high", "low_90", "high_90", "valid_p_value", "family_low", "family_high", "valid_p_holm", "about",
    "valid_test", "n_clusters", "n_blocks", "block_length", "decision",
)  # fmt: skip
"""Columns about all trainings."""

ENOUGH_TRAININGS = 3
"""Of each method, for a test to be about the methods: with fewer the error of trainings is hardly known."""


@dataclass(frozen=True)
class Rules:
    """How methods are compared; see the settings of these names."""

    exact_under: int
    blocks_under: int
    block_length: int
    equivalence_margin: float


class _Trainings(NamedTuple):
    """All trainings of some methods on the test positions of a data set."""

    methods: tuple[str, ...]
    correct: tuple[NDArray[np.bool_], ...]
    """Of each method, shape (n_trainings, n_positions)."""
    offsets: NDArray[np.int64]
    """Shape (n_sequences + 1,): where test sequences begin."""
    clusters: NDArray[np.int64]
    """Shape (n_positions,), from 0: groups of related sequences."""


def compare(choices: Iterable[pd.DataFrame], predictions: Iterable[pd.DataFrame], rules: Rules) -> pd.DataFrame:
    """Every pair of methods on one data set at the cross-validated choice, by decoder and for the preferred decoders.

    Choices and predictions are of `treecrf.studies.training.jobs.TrainingOutcome`, one of each for every method.

    Returns
    -------
    DataFrame
        The columns of `treecrf.statistics.mcnemar.compare_pairs`, which are about the unperturbed trainings alone, and
        these, which are about all perturbed trainings of a method, or the unperturbed one where it has no others:

        mean_points, points_standard_error, degrees_of_freedom
            Difference of accuracy in points, the mean of the trainings.
        low, high, low_90, high_90, valid_p_value
            Its intervals of 95 % and 90 % and the p-value of no difference, all from one standard error
            (`treecrf.statistics.two_way.estimate_trainings`): p is below 0.05 where the 95 % interval leaves out 0.
        family_low, family_high, valid_p_holm
            Interval and p-value of the family, the pairs of the data set and decoder: Bonferroni's and Holm's
            (`treecrf.statistics.estimates.Estimates`).
        about
            "methods", or "these trainings" where one of the two has fewer than `ENOUGH_TRAININGS`.
        valid_test
            What is taken as independent: "sequences" (groups of related ones), or "blocks" of positions where there are fewer
            than `blocks_under` of these; blocks tell about these sequences only.
        n_clusters, n_blocks, block_length
            Groups of related test sequences; blocks and their length, missing where sequences are enough.
        decision
            "better", "worse", "equivalent" or "undecided", from `valid_p_holm` and the 90 % interval.
    """
    parts = []
    for choice, every in zip(choices, predictions, strict=True):
        parts += [every[every["stage"] == CHOICE], as_preferred(choice, every)]
    return _compare(parts, rules)


def as_preferred(choice: pd.DataFrame, predictions: pd.DataFrame) -> pd.DataFrame:
    """The predictions of one method at its choice with its preferred decoder, which is called `BETTER`."""
    chosen = (predictions["stage"] == CHOICE) & (predictions["decoder"] == preferred_decoder(choice))
    return predictions[chosen].assign(decoder=BETTER)


def counting_runs(predictions: pd.DataFrame) -> pd.DataFrame:
    """The perturbed trainings of one method, or the unperturbed one where it has no others."""
    perturbed = predictions[predictions["run"] != UNPERTURBED]
    return perturbed if len(perturbed) else predictions


def counted_at_choice(predictions: pd.DataFrame) -> pd.DataFrame:
    """The same of several methods and decoders, at the choice."""
    chosen = predictions[predictions["stage"] == CHOICE]
    perturbed = chosen["run"] != UNPERTURBED
    return chosen[perturbed | ~perturbed.groupby([chosen["method"], chosen["decoder"]], observed=True).transform("any")]


def compare_peaks(curves: Iterable[pd.DataFrame], predictions: Iterable[pd.DataFrame], rules: Rules) -> pd.DataFrame:
    """The same at the peaks of the test curves, by decoder and for the decoder with the higher one.

    No rows where documents test in turn, without such predictions. A peak has one training, the unperturbed one.
    """
    parts = []
    for curve, every in zip(curves, predictions, strict=True):
        at_peak, predicted = peaks(curve), every[every["stage"] == PEAK]
        parts.append(predicted.merge(at_peak[["decoder", "candidate"]]))
        highest = at_peak.nlargest(1, "accuracy")[["decoder", "candidate"]]
        parts.append(predicted.merge(highest).assign(decoder=BETTER))
    return _compare(parts, rules)


def _compare(parts: Sequence[pd.DataFrame], rules: Rules) -> pd.DataFrame:
    names = ["dataset", "decoder", "method", "run", "split", "sequence", "group", "position"]  # the rest takes room
    predicted = pd.concat([part[names].assign(correct=part["label"] == part["predicted"]) for part in parts])
    predicted = predicted.reset_index(drop=True)
    # positions of a data set, split after split
    longest = int(predicted["position"].max()) + 1 if len(predicted) else 0
    predicted["position"] += predicted["split"].astype(np.int64) * longest
    plain = predicted[predicted["run"] == UNPERTURBED]
    papers = compare_pairs(
        plain[["dataset", "decoder", "method", "sequence", "position", "correct"]], rules.exact_under
    )
    groups = predicted.groupby(["dataset", "decoder"], sort=False)
    valid = [
        _compare_trainings(_trainings(group), rules).assign(dataset=str(dataset), decoder=str(decoder))
        for (dataset, decoder), group in groups
        if len(set(group["method"])) > 1
    ]
    columns = [*PAIR, *VALID_COLUMNS]
    ours = pd.concat(valid)[columns] if valid else pd.DataFrame(columns=columns)
    return papers.merge(ours, on=list(PAIR), validate="one_to_one")


def _trainings(predicted: pd.DataFrame) -> _Trainings:
    """The predictions of one data set and decoder by training."""
    by_method = {
        method: counting_runs(rows).sort_values(["run", "position"], kind="stable")
        for method, rows in predicted.groupby("method", sort=False)
    }
    first = next(iter(by_method.values()))
    places = first[first["run"] == first["run"].iloc[0]]
    begins = (places[["split", "sequence"]].diff() != 0).any(axis=1)
    return _Trainings(
        tuple(str(method) for method in by_method),
        tuple(rows["correct"].to_numpy().reshape(-1, len(places)) for rows in by_method.values()),
        np.append(np.flatnonzero(begins), len(places)),
        pd.factorize(places["group"])[0],
    )


def _compare_trainings(trainings: _Trainings, rules: Rules) -> pd.DataFrame:
    """The columns that are about all trainings; see `compare`."""
    positions = np.bincount(trainings.clusters)
    pairs = make_pairs([_by_cluster(correct, trainings.clusters) for correct in trainings.correct])
    of_blocks: dict[str, Any] = {"n_blocks": np.nan, "block_length": np.nan}
    if len(positions) >= rules.blocks_under:
        unit, estimates = SEQUENCES, estimate_trainings(pairs, positions)
    else:
        unit = BLOCKS
        estimates, *sizes = estimate_blocks(trainings.correct, trainings.offsets, rules.block_length)
        of_blocks = dict(zip(of_blocks, sizes, strict=True))
    (low, high), (low_90, high_90) = estimates.interval(), estimates.interval(CONFIDENCE)
    family_low, family_high = estimates.interval_bonferroni()
    n_trainings = np.array([len(correct) for correct in trainings.correct])
    enough = np.minimum(n_trainings[pairs.first], n_trainings[pairs.second]) >= ENOUGH_TRAININGS
    return pd.DataFrame(
        {
            "method": [trainings.methods[place] for place in pairs.first],
            "other": [trainings.methods[place] for place in pairs.second],
            "mean_points": estimates.points, "points_standard_error": estimates.standard_error,
            "degrees_of_freedom": estimates.degrees_of_freedom, "low": low, "high": high, "low_90": low_90, "high_90": high_90,
            "valid_p_value": estimates.p_value, "family_low": family_low, "family_high": family_high, "valid_p_holm": estimates.p_holm,
            "about": np.where(enough, METHODS, TRAININGS), "valid_test": unit, "n_clusters": len(positions), **of_blocks,
            "decision": decide(estimates.points, estimates.p_holm, low_90, high_90, margin=rules.equivalence_margin),
        }
    )  # fmt: skip


def _by_cluster(correct: NDArray[np.bool_], clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Correct positions by training and cluster."""
    counts = [np.bincount(clusters, weights=training) for training in correct]
    return np.array(counts).astype(np.int64)  # weights make whole floats


def rank(
    choices: Iterable[pd.DataFrame],
    predictions: Iterable[pd.DataFrame],
    comparisons: pd.DataFrame,
    separation_margin: float = SEPARATION_MARGIN,
) -> pd.DataFrame:
    """Ranks of the methods of one data set at the cross-validated choice, each with its preferred decoder.

    Choices and predictions are of `treecrf.studies.training.jobs.TrainingOutcome`, one of each for every method; comparisons are of
    `compare`. dataset; the columns of `treecrf.statistics.ranking.rank_methods` with accuracy (percent of all test positions, the
    mean of the trainings) in place of accuracy_points, from the best on; and valid_test, what tells the methods apart. No rows for
    a single method.
    """
    preferred = _preferred(choices, predictions)
    pairs = comparisons[comparisons["decoder"] == BETTER]
    if pairs.empty:
        names = ["accuracy" if name == "accuracy_points" else name for name in RANK_COLUMNS]
        return pd.DataFrame(columns=["dataset", *names, "valid_test"])
    right = preferred["label"] == preferred["predicted"]
    accuracy = 100 * right.groupby(preferred["method"], sort=False).mean()
    tested = pd.DataFrame(
        {
            "method": pairs["method"],
            "other": pairs["other"],
            "accuracy_points": pairs["mean_points"],
            "points_standard_error": pairs["points_standard_error"],
            "degrees_of_freedom": pairs["degrees_of_freedom"],
            "decision": pairs["decision"],
        }
    )
    ranks = rank_methods(accuracy, tested, separation_margin).rename(columns={"accuracy_points": "accuracy"})
    ranks.insert(0, "dataset", pairs["dataset"].iloc[0])
    return ranks.assign(valid_test=pairs["valid_test"].iloc[0])


def noise(choices: Iterable[pd.DataFrame], predictions: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Variance components of the accuracies of groups of test sequences over all perturbed trainings.

    Choices and predictions as of `rank`. dataset and the columns of `treecrf.statistics.variance.decompose_variance`; no rows where
    fewer than two methods have perturbed trainings, or there is one group.
    """
    preferred = _preferred(choices, predictions)
    perturbed = preferred[preferred["run"] != UNPERTURBED]
    if len(set(perturbed["method"])) < 2 or len(set(perturbed["group"])) < 2:
        return pd.DataFrame(columns=["dataset", *COMPONENT_COLUMNS])
    keys = ["method", "run", "group"]
    right = perturbed.assign(correct=perturbed["label"] == perturbed["predicted"])
    counts = right.groupby(keys)["correct"].agg(n_positions="size", n_correct="sum").reset_index()
    components = decompose_variance(counts.rename(columns={"group": "sequence"}))
    components.insert(0, "dataset", preferred["dataset"].iloc[0])
    return components


def _preferred(choices: Iterable[pd.DataFrame], predictions: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """All trainings that count."""
    parts = zip(choices, predictions, strict=True)
    return pd.concat([counting_runs(as_preferred(*part)) for part in parts], ignore_index=True)
