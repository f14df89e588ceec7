"""Tests between the methods of a data set: the papers' own beside one that has the level it claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.block_flips import compare_block_flips
from treecrf.statistics.equivalence import CONFIDENCE, decide
from treecrf.statistics.holm import adjust_holm, least_clusters
from treecrf.statistics.mcnemar import compare_pairs
from treecrf.statistics.pairs import make_pairs
from treecrf.statistics.selection import derive_seed
from treecrf.statistics.sign_flip import pair_p_values
from treecrf.statistics.two_way import estimate_trainings
from treecrf.studies.training.choices import peaks, preferred_decoder
from treecrf.studies.training.names import (
    BETTER,
    BLOCKS,
    CHOICE,
    PAIR,
    PEAK,
    SEQUENCES,
    UNPERTURBED,
)

VALID_COLUMNS = (
    "mean_points", "low", "high", "low_90", "high_90", "trainings_vary", "n_clusters", "flip_p_value", "n_blocks",
    "block_length", "block_p_value", "valid_test", "valid_p_value", "family_test", "family_low", "family_high", "family_p_value",
    "valid_p_holm", "decision",
)  # fmt: skip
"""Columns about all trainings."""

ENDS = ["low", "high", "low_90", "high_90"]


@dataclass(frozen=True)
class Rules:
    """How methods are compared; see the settings of these names, and `seed` of the configuration."""

    exact_under: int
    blocks_under: int
    block_length: int
    equivalence_margin: float
    seed: int


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
        Of `treecrf.studies.training.jobs.Outcome`, one of each for every method.
    rules : Rules

    Returns
    -------
    DataFrame
        The columns of `treecrf.statistics.mcnemar.compare_pairs`, which are about the unperturbed trainings alone, and
        these, which are about all perturbed trainings of a method, or the unperturbed one where it has no others:

        mean_points
            Difference of accuracy in points, the mean of the trainings.
        low, high, low_90, high_90
            Its intervals of 95 % and 90 % (`treecrf.statistics.two_way.estimate_trainings`), by what `valid_test` flips.
        trainings_vary
            Whether both methods have several trainings; otherwise trained models are compared.
        n_clusters, flip_p_value
            Groups of related test sequences; p-value of flips of these.
        n_blocks, block_length, block_p_value
            The same of blocks of positions; missing where there are enough clusters.
        valid_test, valid_p_value
            "sequences", or "blocks" where flips of so few sequences never have p < 0.05.
        family_test, family_low, family_high, family_p_value, valid_p_holm
            The same, and the interval of 95 %, where they never have it after Holm's correction over the pairs of the data
            set and decoder.
        decision
            "better", "worse", "equivalent" or "undecided", from `valid_p_holm` and the 90 % interval by what `family_test`
            flips.
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
        _compare_trainings(_trainings(group), str(dataset), rules).assign(dataset=str(dataset), decoder=str(decoder))
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


def _compare_trainings(trainings: _Trainings, dataset: str, rules: Rules) -> pd.DataFrame:
    """The columns that are about all trainings; see `compare`."""
    seed = derive_seed(rules.seed, dataset, "flips")
    sequences = _flip_sequences(trainings, seed)
    n_clusters = int(sequences["n_clusters"].iloc[0])
    one, family = (SEQUENCES if n_clusters >= least_clusters(n) else BLOCKS for n in (1, len(sequences)))
    blocks = pd.DataFrame(np.nan, sequences.index, ["n_blocks", "block_length", "p_value"])
    if family == BLOCKS or n_clusters < rules.blocks_under:
        blocks = compare_block_flips(
            trainings.methods, trainings.correct, trainings.offsets, seed, least_length=rules.block_length
        )
    tested = {SEQUENCES: sequences, BLOCKS: blocks}
    of_one, of_family = tested[one], tested[family]
    p_holm = adjust_holm(of_family["p_value"].to_numpy())
    points, low, high = (
        column.to_numpy() for column in (sequences["mean_points"], of_family["low_90"], of_family["high_90"])
    )
    return sequences.rename(columns={"p_value": "flip_p_value"}).assign(
        **of_one[ENDS],
        n_blocks=blocks["n_blocks"], block_length=blocks["block_length"], block_p_value=blocks["p_value"],
        valid_test=one, valid_p_value=of_one["p_value"],
        family_test=family, family_low=of_family["low"], family_high=of_family["high"], family_p_value=of_family["p_value"],
        valid_p_holm=p_holm, decision=decide(points, p_holm, low, high, margin=rules.equivalence_margin),
    )  # fmt: skip


def _flip_sequences(trainings: _Trainings, seed: int) -> pd.DataFrame:
    """Flips of groups of related sequences and the intervals over these: method, other, and columns of `compare`."""
    positions = np.bincount(trainings.clusters)
    pairs = make_pairs([_by_cluster(correct, trainings.clusters) for correct in trainings.correct])
    estimates = estimate_trainings(pairs, positions)
    (low, high), (low_90, high_90) = estimates.interval(), estimates.interval(CONFIDENCE)
    return pd.DataFrame(
        {
            "method": [trainings.methods[place] for place in pairs.first],
            "other": [trainings.methods[place] for place in pairs.second],
            "mean_points": estimates.points, "trainings_vary": pairs.trainings_vary, "n_clusters": len(positions),
            "p_value": pair_p_values(pairs, seed), "low": low, "high": high, "low_90": low_90, "high_90": high_90,
        }
    )  # fmt: skip


def _by_cluster(correct: NDArray[np.bool_], clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Correct positions by training and cluster."""
    counts = [np.bincount(clusters, weights=training) for training in correct]
    return np.array(counts).astype(np.int64)  # weights make whole floats
