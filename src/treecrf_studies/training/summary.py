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
from treecrf.statistics.blocks import estimate_blocks
from treecrf.statistics.paired import compare_pairs
from treecrf.statistics.ranking import RANK_COLUMNS, SEPARATION_MARGIN, rank_methods
from treecrf.statistics.two_way import estimate_trainings, make_pairs
from treecrf.statistics.variance import COMPONENT_COLUMNS, decompose_variance
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.resamples import FAMILY, TESTED, decided, of_family, tested
from treecrf_studies.training.choices import (
    BETTER,
    BLOCKS,
    CHOICE,
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
    preferred_decoder,
    unperturbed,
)
from treecrf_studies.training.larger_summary import summarise_larger
from treecrf_studies.training.published import training_accuracies
from treecrf_studies.training.seconds import costs, mean_seconds, steps, timings


def summarise_method(
    choice: pd.DataFrame, curves: pd.DataFrame, published: pd.DataFrame, stand_in: bool = False
) -> pd.DataFrame:
    """Published accuracy, accuracy at the cross-validated choice, and the highest one of all, by decoder.

    The last row, decoder `BETTER`, stands for the decoder that cross-validation prefers. The highest accuracy is that
    on the test set over all candidates and iterations (and, in the last row, decoders): an optimistic bound, as the
    test labels choose settings too.

    Parameters are `choice` and `curves` of one method on one data set
    (`treecrf_studies.training.jobs.TrainingOutcome`), the published values of this data set (method, decoder, percent,
    table; may be empty), and whether it stands in for the one of the papers.

    Returns
    -------
    DataFrame
        dataset, stand_in, method, decoder, chosen_decoder, published, published_table, candidate (those of the splits,
        parted by " / "), iteration (median over the splits), iteration_low, iteration_high, chosen_by, cv_accuracy,
        chosen_accuracy (unperturbed), chosen_mean, chosen_sd, chosen_min, chosen_max (over the perturbed runs),
        highest_accuracy, highest_candidate, highest_iteration (unperturbed), n_perturbed_runs. Accuracies are in
        percent.
    """
    dataset, method = choice["dataset"].iloc[0], choice["method"].iloc[0]
    preferred, best = preferred_decoder(choice), highest_points(joined_candidates(curves))
    decoders = list(dict.fromkeys(choice["decoder"]))
    rows: list[dict[str, Any]] = []
    for decoder in [*decoders, BETTER]:
        used = preferred if decoder == BETTER else decoder
        chosen = choice[choice["decoder"] == used]
        at_choice = curves.merge(chosen[["split", "decoder", "candidate", "iteration"]])
        best_of = best if decoder == BETTER else best[best["decoder"] == decoder]
        highest = best_of.iloc[int(best_of["accuracy"].to_numpy().argmax())]
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
                **_at_choice(at_choice),
                "highest_accuracy": 100 * highest["accuracy"],
                "highest_candidate": highest["candidate"],
                "highest_iteration": int(highest["iteration"]),
                "n_perturbed_runs": int(curves.loc[curves["run"] != UNPERTURBED, "run"].nunique()),
            }
        )
    return pd.DataFrame(rows)


def ends(choice: pd.DataFrame, curves: pd.DataFrame, phases: pd.DataFrame) -> pd.DataFrame:
    """Where training with the chosen settings ends: at convergence, or after the last iteration that the settings
    allow.

    Parameters are frames of one method on one data set (`treecrf_studies.training.jobs.TrainingOutcome`).

    Returns
    -------
    DataFrame
        dataset, method, decoder (the last row is `BETTER`, the preferred one), last_accuracy (percent, unperturbed,
        mean over the splits), last_iteration_low and last_iteration_high (over the splits).
    """
    rows = []
    done = unperturbed(phases).groupby(["split", "candidate"])["n_iterations"].first().rename("n_done").reset_index()
    for decoder, chosen in by_decoder(choice):
        chosen = chosen[["split", "decoder", "candidate"]].merge(done)
        last = unperturbed(curves).merge(chosen).sort_values("iteration").groupby("split").last()
        rows.append(
            {
                "dataset": choice["dataset"].iloc[0],
                "method": choice["method"].iloc[0],
                "decoder": decoder,
                "last_accuracy": 100 * (last["n_correct"] / last["n_positions"]).mean(),
                "last_iteration_low": int(chosen["n_done"].min()),
                "last_iteration_high": int(chosen["n_done"].max()),
            }
        )
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


def summarise(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """`summarise_dataset` of the jobs of a data set, with the published values of what it is in
    `treecrf_studies.datasets`, and its larger samples.
    """
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

    Parameters are the frames of `treecrf_studies.training.jobs.TrainingOutcome` of all methods; for others see
    `summarise_method`, `treecrf_studies.training.seconds.costs` and `treecrf_studies.training.summary`. Gives the
    frames of the study's declaration that are not of larger samples. The summary has the columns of `summarise_method`
    and `ends`; peak_accuracy, peak_low, peak_high and peak_iteration (`treecrf_studies.training.choices.peaks`); and
    cpu_seconds, peak_cpu_seconds and last_cpu_seconds, geometric means over all trainings.
    """
    methods = list(dict.fromkeys(outcomes["choice"]["method"]))
    choices, all_curves, phases, predictions, repeats = (
        [outcomes[name][outcomes[name]["method"] == method] for method in methods]
        for name in ("choice", "curves", "phases", "predictions", "timings")
    )
    of_training = list(zip(choices, all_curves, phases, strict=True))
    curves = pd.concat([learning_curves(*part) for part in of_training], ignore_index=True)
    highest = peaks(curves)
    measured = [
        timings(choice, curve, again, highest[highest["method"] == method])
        for method, choice, curve, again in zip(methods, choices, all_curves, repeats, strict=True)
    ]
    seconds = pd.concat(measured, ignore_index=True)
    summaries = [summarise_method(*part, published, stand_in) for part in zip(choices, all_curves, strict=True)]
    keys = ["dataset", "method", "decoder"]
    at_peak = highest.rename(columns={name: f"peak_{name}" for name in ("accuracy", "low", "high", "iteration")})
    summary = (
        pd.concat(summaries, ignore_index=True)
        .merge(pd.concat([ends(*part) for part in of_training]), on=keys)
        .merge(at_peak[[*keys, "peak_accuracy", "peak_low", "peak_high", "peak_iteration"]], on=keys, how="left")
        .merge(mean_seconds(seconds), on=keys, how="left")
    )
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
    """Accuracy of the unperturbed run and, over the perturbed ones, mean, sd, minimum and maximum; means over the
    splits, percent.
    """
    percent = 100 * curves["n_correct"] / curves["n_positions"]
    by_run = percent.groupby(curves["run"]).mean()
    perturbed = by_run.drop(UNPERTURBED)
    return {
        "chosen_accuracy": float(by_run[UNPERTURBED]),
        "chosen_mean": float(perturbed.mean()),
        "chosen_sd": float(perturbed.std(ddof=1)),
        "chosen_min": float(perturbed.min()),
        "chosen_max": float(perturbed.max()),
    }


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
    """All trainings that count."""
    parts = zip(choices, predictions, strict=True)
    return pd.concat([counting_runs(as_preferred(*part)) for part in parts], ignore_index=True)


# --- what the explorer shows ---------------------------------------------------------------------


def scores(summary: pd.DataFrame) -> pd.DataFrame:
    """Accuracies at the choice, the mean of the perturbed trainings or the only one; and at the peaks."""
    alone, candidate = summary["chosen_accuracy"], summary["candidate"] + ", iteration "
    chosen = {
        name: summary[f"chosen_{of}"].fillna(alone) for name, of in (("value", "mean"), ("low", "min"), ("high", "max"))
    }
    at_choice = summary.assign(
        point=CHOICE,
        n=summary["n_perturbed_runs"].where(summary["chosen_mean"].notna(), 1),
        settings=candidate + summary["iteration"].astype(str),
        **chosen,
    )
    high = {name: summary[f"peak_{of}"] for name, of in (("value", "accuracy"), ("low", "low"), ("high", "high"))}
    at_peak = summary.assign(
        point=PEAK,
        n=1,
        cpu_seconds=summary["peak_cpu_seconds"],
        settings=candidate + summary["peak_iteration"].map("{:.0f}".format),
        **high,
    )
    return pd.concat([at_choice, at_peak.dropna(subset="value")], ignore_index=True).assign(metric=ACCURACY)


def preferred_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """The test curves of the preferred decoders."""
    return curves[curves["preferred"]].assign(decoder=BETTER, is_chosen=curves["chosen"])


def predicted(predictions: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """The predictions that count at the choice, with each decoder and again with the preferred one."""
    chosen = _counted(predictions, CHOICE)
    preferred = summary.loc[summary["decoder"] == BETTER, ["dataset", "method", "chosen_decoder"]]
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
    """Mean accuracies on larger samples; their lowest and highest trainings are not kept."""
    rows = of_larger(larger_accuracies)
    return rows.assign(
        metric=ACCURACY,
        value=rows["accuracy"],
        n=rows["n_trainings"],
        cpu_seconds=rows["cpu_seconds"] / rows["n_trainings"],
        settings=rows["candidate"],
        stand_in=False,
    )


def _as_trainings(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.rename(columns={"run": "training", "stage": "point"})


def _counted(predictions: pd.DataFrame, stage: str) -> pd.DataFrame:
    """The perturbed trainings of each method and decoder at a stage, or the unperturbed one where it has no others."""
    at_stage = predictions[predictions["stage"] == stage]
    perturbed = at_stage["run"] != UNPERTURBED
    return at_stage[
        perturbed | ~perturbed.groupby([at_stage["method"], at_stage["decoder"]], observed=True).transform("any")
    ]
