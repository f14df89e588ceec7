"""Tests between the methods of a data set: the papers' own beside one that has the level it claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.blocks import estimate_blocks
from treecrf.statistics.estimates import CONFIDENCE, decide
from treecrf.statistics.mcnemar import compare_pairs
from treecrf.statistics.two_way import estimate_trainings, make_pairs
from treecrf.studies.training.choices import peaks, preferred_decoder
from treecrf.studies.training.names import (
    BETTER,
    BLOCKS,
    CHOICE,
    METHODS,
    PAIR,
    PEAK,
    SEQUENCES,
    TRAININGS,
    UNPERTURBED,
)

VALID_COLUMNS = (
    "mean_points", "points_standard_error", "degrees_of_freedom", "low", "high", "low_90", "high_90", "valid_p_value", "holm_low", "holm_high", "valid_p_holm", "about",
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

    Parameters
    ----------
    choices, predictions : iterable of DataFrame
        Of `treecrf.studies.training.jobs.TrainingOutcome`, one of each for every method.
    rules : Rules

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
        holm_low, holm_high, valid_p_holm
            Interval and p-value with Holm's correction over the pairs of the data set and decoder
            (`treecrf.statistics.estimates.Estimates.interval_holm`).
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

    No rows where documents test in turn, without such predictions.

    Parameters
    ----------
    curves, predictions : iterable of DataFrame
        As of `compare`. A peak has one training, the unperturbed one.
    rules : Rules
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
    holm_low, holm_high = estimates.interval_holm()
    n_trainings = np.array([len(correct) for correct in trainings.correct])
    enough = np.minimum(n_trainings[pairs.first], n_trainings[pairs.second]) >= ENOUGH_TRAININGS
    return pd.DataFrame(
        {
            "method": [trainings.methods[place] for place in pairs.first],
            "other": [trainings.methods[place] for place in pairs.second],
            "mean_points": estimates.points, "points_standard_error": estimates.standard_error,
            "degrees_of_freedom": estimates.degrees_of_freedom, "low": low, "high": high, "low_90": low_90, "high_90": high_90,
            "valid_p_value": estimates.p_value, "holm_low": holm_low, "holm_high": holm_high, "valid_p_holm": estimates.p_holm,
            "about": np.where(enough, METHODS, TRAININGS), "valid_test": unit, "n_clusters": len(positions), **of_blocks,
            "decision": decide(estimates.points, estimates.p_holm, low_90, high_90, margin=rules.equivalence_margin),
        }
    )  # fmt: skip


def _by_cluster(correct: NDArray[np.bool_], clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Correct positions by training and cluster."""
    counts = [np.bincount(clusters, weights=training) for training in correct]
    return np.array(counts).astype(np.int64)  # weights make whole floats
