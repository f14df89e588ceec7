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

from treecrf.statistics.blocks import estimate_blocks
from treecrf.statistics.estimates import TESTED, tested
from treecrf.statistics.paired import compare_pairs
from treecrf.statistics.ranking import RANK_COLUMNS, SEPARATION_MARGIN, rank_methods
from treecrf.statistics.two_way import estimate_trainings, make_pairs
from treecrf.statistics.variance import COMPONENT_COLUMNS, decompose_variance
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY, METRICS
from treecrf_studies.framework.resamples import FAMILY, decided, of_family
from treecrf_studies.training.choices import (
    BETTER,
    BLOCKS,
    CHOICE,
    HIGHEST,
    LAST,
    METHODS,
    PAIR,
    PEAK,
    SEQUENCES,
    TRAININGS,
    UNPERTURBED,
    by_decoder,
    highest_points,
    joined_candidates,
    of_first_decoder,
    peaks,
    preferred_at,
    preferred_decoder,
    unperturbed,
)
from treecrf_studies.training.larger_summary import frames_of_larger
from treecrf_studies.training.published import training_accuracies
from treecrf_studies.training.seconds import PLACES, costs, mean_seconds, steps, timings


def score_method(
    choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame, highest: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Accuracies of one method on one data set, by decoder and point of the training.

    The last decoder is `BETTER`, the one that cross-validation prefers. The points are `CHOICE`, the cross-validated
    one; `PEAK` of the test curve; `LAST`, where training with the chosen settings ends: at convergence, or after the
    last iteration that they allow; and `HIGHEST` over all candidates and iterations (and, of `BETTER`, decoders): an
    optimistic bound, as the test labels choose settings too.

    `choice`, `curves` and `phases` are of `treecrf_studies.training.jobs.TrainingOutcome`, `highest` is from `peaks`,
    `published` are the accuracies of this data set (method, decoder, percent; may be empty).

    Returns
    -------
    DataFrame
        dataset, method, decoder, point, quantity, unit; chosen_decoder, chosen_by, held_out_accuracy (of
        cross-validation), published; value, sd, low, high and n: at the choice over the perturbed trainings, or the
        unperturbed one where there are no others; at other points the value is that of the unperturbed training, at the
        peak low and high are over all trainings; unperturbed; candidate (those of the splits, parted by " / "),
        iteration (median over the splits), iteration_low, iteration_high.
    """
    dataset, method = choice["dataset"].iloc[0], choice["method"].iloc[0]
    best, at_peak = highest_points(joined_candidates(curves)), highest.set_index("decoder")
    done = unperturbed(phases).groupby(["split", "candidate"])["n_iterations"].first().rename("n_done").reset_index()
    rows: list[dict[str, Any]] = []
    for decoder, chosen in by_decoder(choice):
        known = published[(published["method"] == method) & (published["decoder"] == decoder)]["percent"]
        shared = {
            "chosen_decoder": chosen["decoder"].iloc[0],
            "chosen_by": chosen["chosen_by"].iloc[0],
            "held_out_accuracy": 100 * chosen["cv_accuracy"].mean(),
            "published": float(known.iloc[0]) if len(known) else np.nan,
            "candidate": " / ".join(dict.fromkeys(chosen["candidate"])),
        }
        places = chosen[["split", "decoder", "candidate"]]
        last = unperturbed(curves).merge(places).sort_values("iteration").groupby("split").last()
        peak = at_peak.loc[decoder]
        best_of = best if decoder == BETTER else best[best["decoder"] == decoder]
        top = best_of.iloc[int(best_of["accuracy"].to_numpy().argmax())]
        points: dict[str, dict[str, Any]] = {
            CHOICE: _at_choice(curves.merge(places.assign(iteration=chosen["iteration"])))
            | _iterations(chosen["iteration"]),
            PEAK: _alone(peak["accuracy"])
            | {"low": peak["low"], "high": peak["high"]}
            | _iterations(peak["iteration"]),
            LAST: _alone(100 * (last["n_correct"] / last["n_positions"]).mean())
            | _iterations(places.merge(done)["n_done"]),
            HIGHEST: _alone(100 * top["accuracy"]) | {"candidate": top["candidate"]} | _iterations(top["iteration"]),
        }
        rows += [
            {"dataset": dataset, "method": method, "decoder": decoder, "point": point, "quantity": ACCURACY}
            | {"unit": METRICS[ACCURACY].unit, **shared, **measured}
            for point, measured in points.items()
        ]
    return pd.DataFrame(rows)


def learning_curves(choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """Test accuracy and CPU seconds by iteration with the chosen settings (figures 3.1 and 3.2), with each decoder.

    Parameters are frames of one method on one data set (`treecrf_studies.training.jobs.TrainingOutcome`).

    Returns
    -------
    DataFrame
        dataset, method, decoder, preferred (whether cross-validation prefers it), iteration (to the first tested one at
        which no training goes on), accuracy (percent, unperturbed, mean over the splits, each with its own settings),
        low, high (over all runs), cpu_seconds (mean over the splits), chosen (whether it is the median chosen
        iteration).
    """
    names = ["iteration", "accuracy", "low", "high", "cpu_seconds", "chosen"]
    constant = {"dataset": choice["dataset"].iloc[0], "method": choice["method"].iloc[0]}
    preferred, frames = preferred_decoder(choice), []
    for decoder, chosen in choice.groupby("decoder", sort=False):
        part = curves.merge(chosen[["split", "decoder", "candidate"]])
        part = part.assign(percent=100 * part["n_correct"] / part["n_positions"])
        by_run = part.pivot_table(index="iteration", columns="run", values="percent")  # mean over the splits
        n_done = int(unperturbed(phases).merge(chosen[["split", "candidate"]])["n_iterations"].max())
        frame = pd.DataFrame(
            {
                "accuracy": by_run[UNPERTURBED],
                "low": by_run.min(axis=1),
                "high": by_run.max(axis=1),
                "cpu_seconds": unperturbed(part).groupby("iteration")["cpu_seconds"].mean(),
                "chosen": by_run.index == int(chosen["iteration"].median()),
            }
        ).reset_index()
        is_new = frame["iteration"].shift(fill_value=0) < n_done
        frames.append(frame.loc[is_new, names].assign(**constant, decoder=decoder, preferred=decoder == preferred))
    return pd.concat(frames, ignore_index=True)[["dataset", "method", "decoder", "preferred", *names]]


def make_frames(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """`frames_of_outcomes` of the jobs of a data set, with the published values of what it is in
    `treecrf_studies.datasets`, and its larger samples.
    """
    settings, description = dict(context.settings), context.description
    separation_margin = settings.pop("separation_margin")
    rules = Rules(**settings)
    published = training_accuracies().query("dataset == @context.source")
    own = [name for name in context.frames if name != "folds" and not name.startswith("larger_")]
    outcomes = {name: context.of_jobs(name) for name in own}
    numbers = description["average_length"], description["n_features"]
    frames = frames_of_outcomes(outcomes, published, context.is_stand_in, *numbers, rules, separation_margin)
    return frames | frames_of_larger(context.frames, rules.equivalence_margin)


def frames_of_outcomes(
    outcomes: Mapping[str, pd.DataFrame],
    published: pd.DataFrame,
    stand_in: bool,
    average_length: float,
    n_features: int,
    rules: Rules,
    separation_margin: float = SEPARATION_MARGIN,
) -> dict[str, pd.DataFrame]:
    """The frames of a data set from the outcomes of all its methods, with a column stand_in.

    Parameters are the frames of `treecrf_studies.training.jobs.TrainingOutcome` of all methods; for others see
    `score_method`, `treecrf_studies.training.seconds.costs` and `treecrf_studies.training.summary`. Gives the
    frames of the study's declaration that are not of larger samples. The summary has the columns of `score_method`
    and cpu_seconds up to the point, the geometric mean of all trainings.
    """
    methods = list(dict.fromkeys(outcomes["choice"]["method"]))
    choices, all_curves, phases, predictions, repeats = (
        [outcomes[name][outcomes[name]["method"] == method] for method in methods]
        for name in ("choice", "curves", "phases", "predictions", "timings")
    )
    of_training = list(zip(choices, all_curves, phases, strict=True))
    curves = pd.concat([learning_curves(*part) for part in of_training], ignore_index=True)
    highest = peaks(curves)
    of_peaks = [highest[highest["method"] == method] for method in methods]
    measured = [timings(*part) for part in zip(choices, all_curves, repeats, of_peaks, strict=True)]
    seconds = pd.concat(measured, ignore_index=True)
    summaries = [score_method(*part, peak, published) for part, peak in zip(of_training, of_peaks, strict=True)]
    summary = pd.concat(summaries, ignore_index=True).join(mean_seconds(seconds), on=PLACES)
    spent = [costs(*part, average_length, n_features) for part in of_training]
    comparisons = compare(choices, predictions, rules)
    frames = {
        "summary": summary,
        "choice": outcomes["choice"],
        "curves": curves,
        "costs": pd.concat(spent, ignore_index=True),
        "timings": pd.concat([seconds[seconds["decoder"] == BETTER], *map(steps, choices, phases)], ignore_index=True),
        "comparisons": comparisons,
        "peak_comparisons": compare(choices, predictions, rules, PEAK),
        "last_comparisons": compare(choices, predictions, rules, LAST),
        "ranks": rank(choices, predictions, comparisons, separation_margin),
        "noise": noise(choices, predictions),
        "notes": outcomes["notes"],
    }
    return {name: frame.assign(stand_in=stand_in) for name, frame in frames.items()}


def _at_choice(curves: pd.DataFrame) -> dict[str, float]:
    """Accuracies of the trainings that count and of the unperturbed one; means over the splits, percent."""
    by_run = (100 * curves["n_correct"] / curves["n_positions"]).groupby(curves["run"]).mean()
    perturbed = by_run.drop(UNPERTURBED)
    counted = perturbed if len(perturbed) else by_run
    summary = counted.agg(value="mean", sd="std", low="min", high="max")
    return {**summary, "n": len(counted), "unperturbed": float(by_run[UNPERTURBED])}


def _alone(accuracy: Any) -> dict[str, float]:
    """The accuracy of the unperturbed training."""
    return {**dict.fromkeys(("value", "low", "high", "unperturbed"), accuracy), "sd": np.nan, "n": 1}


def _iterations(iterations: Any) -> dict[str, int]:
    """Median, smallest and largest of the iterations of the splits."""
    low, middle, high = np.quantile(iterations, (0, 0.5, 1))
    return {"iteration": int(middle), "iteration_low": int(low), "iteration_high": int(high)}


VALID_COLUMNS = [*PAIR, *TESTED, *FAMILY, "about", "test", "n_clusters", "n_blocks", "block_length", "decision"]

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


def compare(
    choices: Iterable[pd.DataFrame], predictions: Iterable[pd.DataFrame], rules: Rules, stage: str = CHOICE
) -> pd.DataFrame:
    """Every pair of methods on one data set at the cross-validated choice, by decoder and for the preferred decoders.

    Choices and predictions are of `treecrf_studies.training.jobs.TrainingOutcome`, one of each for every method. Of
    another `stage`, there are the rows of the methods with predictions of it.

    Returns
    -------
    DataFrame
        Of the unperturbed trainings alone the columns of `treecrf.statistics.paired.compare_pairs`, of which
        accuracy_points, p_value and p_holm are papers_value, papers_p and papers_p_holm. Of all perturbed trainings of
        a method, or the unperturbed one where it has no others:

        value, standard_error, degrees_of_freedom
            Difference of accuracy in points, the mean of the trainings.
        low, high, low_90, high_90, p_value
            Its intervals of 95 % and 90 % and the p-value of no difference, all from one standard error
            (`treecrf.statistics.two_way.estimate_trainings`): p is below 0.05 where the 95 % interval leaves out 0.
        family_low, family_high, p_holm
            Interval and p-value of the family, the pairs of the data set and decoder: Bonferroni's and Holm's
            (`treecrf.statistics.estimates.Estimates`).
        point
            The stage.
        about
            "methods", or "these trainings" where one of the two has fewer than `ENOUGH_TRAININGS`.
        test
            What is taken as independent: "sequences" (groups of related ones), or "blocks" of positions where there are
            fewer than `blocks_under` of these; blocks tell about these sequences only.
        n_clusters, n_blocks, block_length
            Groups of related test sequences; blocks and their length, missing where sequences are enough.
        decision
            "better", "worse", "equivalent" or "undecided", from `p_holm` and the 90 % interval.
    """
    parts = []
    for choice, every in zip(choices, predictions, strict=True):
        parts += [every[every["stage"] == stage], as_preferred(choice, every, stage)]
    return _compare(parts, rules).assign(point=stage)


def as_preferred(choice: pd.DataFrame, predictions: pd.DataFrame, stage: str = CHOICE) -> pd.DataFrame:
    """The predictions of one method at its choice, or another stage, with its preferred decoder, which is called
    `BETTER`.
    """
    chosen = (predictions["stage"] == stage) & (predictions["decoder"] == preferred_decoder(choice))
    return predictions[chosen].assign(decoder=BETTER)


def counting_runs(predictions: pd.DataFrame) -> pd.DataFrame:
    """The perturbed trainings of one method, or the unperturbed one where it has no others."""
    perturbed = predictions[predictions["run"] != UNPERTURBED]
    return perturbed if len(perturbed) else predictions


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
    ).rename(columns={"accuracy_points": "papers_value", "p_value": "papers_p", "p_holm": "papers_p_holm"})
    groups = predicted.groupby(["dataset", "decoder"], sort=False)
    valid = [
        _compare_trainings(_trainings(group), rules).assign(dataset=str(dataset), decoder=str(decoder))
        for (dataset, decoder), group in groups
        if len(set(group["method"])) > 1
    ]
    ours = pd.concat(valid) if valid else pd.DataFrame(columns=VALID_COLUMNS)
    return papers.merge(ours, on=PAIR, validate="one_to_one")


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
    n_trainings = np.array([len(correct) for correct in trainings.correct])
    enough = np.minimum(n_trainings[pairs.first], n_trainings[pairs.second]) >= ENOUGH_TRAININGS
    return pd.DataFrame(
        {
            "method": [trainings.methods[place] for place in pairs.first],
            "other": [trainings.methods[place] for place in pairs.second],
            **tested(estimates),
            **of_family(estimates, estimates.p_value),
            "about": np.where(enough, METHODS, TRAININGS),
            "test": unit,
            "n_clusters": len(positions),
            **of_blocks,
            "decision": decided(estimates, estimates.p_holm, rules.equivalence_margin),
        }
    )


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

    Choices and predictions are of `treecrf_studies.training.jobs.TrainingOutcome`, one of each for every method;
    comparisons are of `compare`. dataset; the columns of `treecrf.statistics.ranking.rank_methods`, of the accuracies
    of all test positions (the mean of the trainings), from the best on; and test, what tells the methods apart. No rows
    for a single method.
    """
    preferred = _preferred(choices, predictions)
    pairs = comparisons[comparisons["decoder"] == BETTER]
    if pairs.empty:
        return pd.DataFrame(columns=["dataset", *RANK_COLUMNS, "test"])
    right = preferred["label"] == preferred["predicted"]
    ranks = rank_methods(100 * right.groupby(preferred["method"], sort=False).mean(), pairs, separation_margin)
    ranks.insert(0, "dataset", pairs["dataset"].iloc[0])
    return ranks.assign(test=pairs["test"].iloc[0])


def noise(choices: Iterable[pd.DataFrame], predictions: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Variance components of the accuracies of groups of test sequences over all perturbed trainings.

    Choices and predictions as of `rank`. dataset and the columns of `treecrf.statistics.variance.decompose_variance`;
    no rows where fewer than two methods have perturbed trainings, or there is one group.
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
    """Predictions of all trainings that count, at the preferred decoder and point."""
    parts = zip(choices, predictions, strict=True)
    return pd.concat([counting_runs(as_preferred(*part)) for part in parts], ignore_index=True)


# --- what the explorer shows ---------------------------------------------------------------------


def scores(summary: pd.DataFrame) -> pd.DataFrame:
    """Accuracies at the choice and at the peaks."""
    shown = summary[summary["point"].isin([CHOICE, PEAK])]
    return shown.assign(settings=shown["candidate"] + ", iteration " + shown["iteration"].astype(str))


def preferred_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """The test curves of the preferred decoders."""
    return curves[curves["preferred"]].assign(decoder=BETTER, is_chosen=curves["chosen"])


def predicted(predictions: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """The predictions that count at the choice, with each decoder and again with the preferred one."""
    chosen = _counted(predictions, CHOICE)
    preferred = preferred_at(summary, CHOICE)[["dataset", "method", "chosen_decoder"]]
    better = chosen.merge(preferred.rename(columns={"chosen_decoder": "decoder"}))
    return _as_trainings(pd.concat([chosen, better.assign(decoder=BETTER)], ignore_index=True))


def beyond_choice(predictions: pd.DataFrame) -> pd.DataFrame:
    """Correct positions at the peaks, and after the last iteration."""
    rows = pd.concat([predictions[predictions["stage"] == PEAK], _counted(predictions, LAST)], ignore_index=True)
    return _as_trainings(rows.assign(n_positions=1, n_correct=rows["label"] == rows["predicted"]))


def of_samples(larger_counts: pd.DataFrame) -> pd.DataFrame:
    """Correct positions on the larger samples."""
    return larger_counts.assign(dataset=larger_counts["sample"], point=CHOICE)


def of_larger(frame: pd.DataFrame) -> pd.DataFrame:
    """Accuracies of larger samples or tests on them: each sample as a data set.

    The decoder that chose the settings stands for the preferred one too.
    """
    rows = pd.concat([frame, of_first_decoder(frame).assign(decoder=BETTER)], ignore_index=True)
    return rows.assign(dataset=rows["sample"])


def larger_scores(larger_accuracies: pd.DataFrame) -> pd.DataFrame:
    """Accuracies on larger samples."""
    rows = of_larger(larger_accuracies)
    return rows.assign(cpu_seconds=rows["cpu_seconds"] / rows["n"], settings=rows["candidate"], stand_in=False)


def _as_trainings(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.rename(columns={"run": "draw", "stage": "point"})


def _counted(predictions: pd.DataFrame, stage: str) -> pd.DataFrame:
    """The perturbed trainings of each method and decoder at a stage, or the unperturbed one where it has no others."""
    at_stage = predictions[predictions["stage"] == stage]
    perturbed = at_stage["run"] != UNPERTURBED
    return at_stage[
        perturbed | ~perturbed.groupby([at_stage["method"], at_stage["decoder"]], observed=True).transform("any")
    ]
