"""Two runs of a study: which of its numbers rest on the same predictions, and a valid test of those that do not.

A number is the accuracy of a method on a data set under the conditions that `treecrf.studies.study.Kept.by` names. Both runs
must have labelled the same positions: otherwise nothing is said. The tests are those that the studies make between two methods,
here between one method and itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.blocks import LEAST_LENGTH, choose_blocks, compare_crossed
from treecrf.statistics.estimates import CONFIDENCE, LEAST_CLUSTERS, MARGIN, Estimates
from treecrf.statistics.two_way import estimate_trainings, make_pairs
from treecrf.studies.draw_tests import Counts, Rules, compare_counts, count_correct
from treecrf.studies.study import Kept
from treecrf.studies.training.comparing import counting_runs

FROM, TO = "from", "to"

COLUMNS = {
    "trainings": ("run", "split", "sequence", "group", "position", "label", "predicted"),
    "draws": ("seed", "position", "label", "predicted"),
    "counts": ("training_set", "test_set", "sequence", "group", "block", "n_positions", "n_correct"),
}
"""Of a kept frame, by its kind, beside dataset and method; draws also have a group, or else a sequence."""

Accuracies = tuple[float, float]


class Tested(NamedTuple):
    """A valid test of one number.

    Attributes
    ----------
    points : float
        Accuracy of the second run minus that of the first, percentage points.
    interval, interval_90 : (float, float)
        Of the points, 95 % and 90 %; NaN where the data vary too little to tell.
    p_value : float
        Of no difference, not corrected; NaN likewise.
    by : str
        What the test takes as independent: "sequences" (groups of related ones), "blocks" of positions, "draws", or "sequences and
        training sets".
    n_clusters : int
        How many of these there are; of draws, their number.
    is_of_method : bool
        Whether the luck of a training is in the test: it then speaks of the method, otherwise of two trained models.
    """

    points: float
    interval: tuple[float, float]
    interval_90: tuple[float, float]
    p_value: float
    by: str
    n_clusters: int
    is_of_method: bool


@dataclass(frozen=True)
class Rerun:
    """One number of two runs.

    Attributes
    ----------
    method, of : str
        `of` names the conditions, such as "rate 0.1"; it may be empty.
    problem : str
        Why the two cannot be compared; empty if they can.
    note : str
        Which part of them is compared, if it is a part.
    accuracies : (float, float)
        Percent, of the first and of the second run.
    n_predictions, n_changed : int
        Predictions that both runs have, and those that differ; counts of correct ones where nothing else is kept.
    test : callable
        Gives a `Tested`; None where nothing changed.
    """

    method: str
    of: str
    problem: str = ""
    note: str = ""
    accuracies: Accuracies = (np.nan, np.nan)
    n_predictions: int = 0
    n_changed: int = 0
    test: Callable[[], Tested] | None = None


class RerunRules(NamedTuple):
    """How numbers are tested: settings of these names, and how much draws overlap."""

    test_per_train: float = 0.0
    equivalence_margin: float = MARGIN
    block_length: int = LEAST_LENGTH
    degrees_of_freedom: str = ""


def pair_numbers(kept: Kept, one: pd.DataFrame, other: pd.DataFrame, rules: RerunRules) -> Iterator[Rerun]:
    """Every number that one of two runs has of a data set.

    Parameters
    ----------
    kept : Kept
    one, other : DataFrame
        That frame of either run, of all methods.
    rules : RerunRules

    Raises
    ------
    ValueError
        If a frame lacks a column, as those of other versions may; the words go on with what is then not known.
    """
    for frame, place in ((one, "first"), (other, "second")):
        lacking = [name for name in ("method", *kept.by, *kept.rows, *COLUMNS[kept.kind]) if name not in frame]
        if lacking:
            raise ValueError(f"the {kept.frame} of the {place} run have no column {', '.join(lacking)}")
    keys = ["method", *kept.by]
    numbers = [_numbers(frame, kept, keys) for frame in (one, other)]
    for key in dict.fromkeys([*numbers[0], *numbers[1]]):
        method, of = str(key[0]), _conditions(kept.by, key[1:])
        if key not in numbers[0] or key not in numbers[1]:
            yield Rerun(method, of, problem=f"only in the {'second' if key in numbers[1] else 'first'} run")
            continue
        try:
            yield _PAIR[kept.kind](numbers[0][key], numbers[1][key], rules, method, of)
        except ValueError as error:
            yield Rerun(method, of, problem=str(error))


def _numbers(frame: pd.DataFrame, kept: Kept, keys: Sequence[str]) -> dict[tuple[object, ...], pd.DataFrame]:
    counted = frame
    for name, value in kept.rows.items():
        counted = counted[counted[name] == value]
    groups = counted.groupby(list(keys), sort=False, dropna=False, observed=True)
    return {tuple(pd.Series(key, dtype=object).fillna("")): rows for key, rows in groups}


def _conditions(names: Sequence[str], values: Sequence[object]) -> str:
    shown = (
        (name, f"{value:g}" if isinstance(value, float) else value) for name, value in zip(names, values, strict=True)
    )
    return ", ".join(f"{name} {value}" for name, value in shown if value != "")


# --- pairs of predictions ---------------------------------------------------------------------------


def _pair_trainings(one: pd.DataFrame, other: pd.DataFrame, rules: RerunRules, method: str, of: str) -> Rerun:
    """All trainings on one training set, with one test set."""
    places = ["split", "sequence", "group", "position", "label"]
    tables = [_by_training(rows, places) for rows in (one, other)]
    if not np.array_equal(tables[0][0], tables[1][0]):
        raise ValueError("the test positions or their labels are not the same")
    where = tables[0][0]
    common = sorted(tables[0][1].keys() & tables[1][1].keys())
    n_changed = sum(int((tables[0][1][run] != tables[1][1][run]).sum()) for run in common)
    same = n_changed == 0 and tables[0][1].keys() == tables[1][1].keys()
    labels = where[:, places.index("label")]
    correct = [
        _correct(counting_runs(rows)["run"].unique(), table[1], labels)
        for rows, table in zip((one, other), tables, strict=True)
    ]
    begins = (np.diff(where[:, :2], axis=0) != 0).any(axis=1)
    offsets = np.concatenate([[0], np.flatnonzero(begins) + 1, [len(where)]])
    clusters = pd.factorize(where[:, places.index("group")])[0]
    counts = [len(table[1]) for table in tables]
    return Rerun(
        method, of,
        note="" if counts[0] == counts[1] else f"{counts[0]} and {counts[1]} trainings",
        accuracies=(100 * float(correct[0].mean()), 100 * float(correct[1].mean())),
        n_predictions=len(common) * len(where),
        n_changed=n_changed,
        test=None if same else partial(_test_trainings, correct[0], correct[1], offsets, clusters, rules),
    )  # fmt: skip


def _by_training(rows: pd.DataFrame, places: Sequence[str]) -> tuple[NDArray[np.int64], dict[int, NDArray[np.int64]]]:
    """Where there are predictions, shape (n_positions, n_places), and these by training."""
    ordered = rows.sort_values(["run", "split", "position"], kind="stable")
    runs = [int(run) for run in dict.fromkeys(ordered["run"])]
    if len(ordered) % len(runs):
        raise ValueError("its trainings do not label the same positions")
    where = ordered[list(places)].to_numpy(dtype=np.int64).reshape(len(runs), -1, len(places))
    if (where != where[0]).any():
        raise ValueError("its trainings do not label the same positions")
    predicted = ordered["predicted"].to_numpy(dtype=np.int64).reshape(len(runs), -1)
    return where[0], dict(zip(runs, predicted, strict=True))


def _correct(
    runs: NDArray[np.int64], predicted: dict[int, NDArray[np.int64]], labels: NDArray[np.int64]
) -> NDArray[np.bool_]:
    return np.array([predicted[int(run)] == labels for run in runs])


def _pair_draws(one: pd.DataFrame, other: pd.DataFrame, rules: RerunRules, method: str, of: str) -> Rerun:
    """Trainings on several draws of the data, those that both runs have."""
    cluster = "group" if "group" in one and "group" in other else "sequence"
    seeds = [set(rows["seed"]) for rows in (one, other)]
    common = sorted(seeds[0] & seeds[1])
    if not common:
        raise ValueError("the two runs have no draw in common")
    tables = [
        rows[rows["seed"].isin(common)]
        .sort_values(["seed", "position"], kind="stable")
        .rename(columns={cluster: "group"})
        for rows in (one, other)
    ]
    where = [table[["seed", "group", "position", "label"]].to_numpy(dtype=np.int64) for table in tables]
    if not np.array_equal(where[0], where[1]):
        raise ValueError("the test positions or their labels are not the same")
    predicted = [table["predicted"].to_numpy(dtype=np.int64) for table in tables]
    n_changed, labels = int((predicted[0] != predicted[1]).sum()), where[0][:, -1]
    same = n_changed == 0 and seeds[0] == seeds[1]
    right = [each == labels for each in predicted]
    note = (
        ""
        if seeds[0] == seeds[1]
        else f"{len(seeds[0])} and {len(seeds[1])} draws, compared on the {len(common)} of both"
    )
    draws = where[0][:, 0]
    shares = [np.mean([each[draws == seed].mean() for seed in common]) for each in right]
    test: Callable[[], Tested]
    if len(common) == 1:
        begins = np.diff(where[0][:, 1]) != 0
        offsets = np.concatenate([[0], np.flatnonzero(begins) + 1, [len(draws)]])
        clusters = pd.factorize(where[0][:, 1])[0]
        test = partial(_test_trainings, right[0][None], right[1][None], offsets, clusters, rules)
    else:
        named = [(TO, tables[1]), (FROM, tables[0])]
        names = ["seed", "group", "label", "predicted"]
        counts = count_correct(pd.concat([table[names].assign(method=name) for name, table in named]))
        test = partial(_test_draws, counts, rules)
    return Rerun(
        method, of, note=note, accuracies=(100 * float(shares[0]), 100 * float(shares[1])),
        n_predictions=len(labels), n_changed=n_changed, test=None if same or not n_changed else test,
    )  # fmt: skip


def _pair_counts(one: pd.DataFrame, other: pd.DataFrame, rules: RerunRules, method: str, of: str) -> Rerun:
    """Correct positions by damaged training and test set; those that both runs have."""
    keys = ["training_set", "test_set", "sequence", "group", "block"]
    sets = [set(zip(rows["training_set"], rows["test_set"], strict=True)) for rows in (one, other)]
    common = sets[0] & sets[1]
    tables = [
        rows[[pair in common for pair in zip(rows["training_set"], rows["test_set"], strict=True)]].sort_values(keys)
        for rows in (one, other)
    ]
    where = [table[[*keys, "n_positions"]].to_numpy(dtype=np.int64) for table in tables]
    if not common or not np.array_equal(where[0], where[1]):
        raise ValueError("the damaged sets do not have the same sequences")
    correct = [table["n_correct"].to_numpy(dtype=np.int64) for table in tables]
    n_changed, total = int((correct[0] != correct[1]).sum()), int(where[0][:, -1].sum())
    names = [*keys, "n_positions", "n_correct"]
    both = pd.concat([table[names].assign(method=name) for name, table in zip((FROM, TO), tables, strict=True)])
    note = "" if sets[0] == sets[1] else f"compared on the {len(common)} damaged sets of both"
    return Rerun(
        method, of, note=note, accuracies=(100 * float(correct[0].sum() / total), 100 * float(correct[1].sum() / total)),
        n_predictions=len(where[0]), n_changed=n_changed,
        test=partial(_test_counts, both, rules) if n_changed else None,
    )  # fmt: skip


_PAIR = {"trainings": _pair_trainings, "draws": _pair_draws, "counts": _pair_counts}


# --- tests ------------------------------------------------------------------------------------------


def _test_trainings(
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    clusters: NDArray[np.int64],
    rules: RerunRules,
) -> Tested:
    """Over groups of related sequences, or over blocks of positions where there are few groups."""
    right = [each.astype(np.int64) for each in (other, one)]
    positions = np.bincount(clusters)
    by = "sequences" if len(positions) >= LEAST_CLUSTERS else "blocks"
    if by == "blocks":
        starts = choose_blocks(right[0], right[1], offsets, rules.block_length)[2]
        counts = [np.add.reduceat(each, starts, axis=1) for each in right]
        positions = np.diff(starts, append=offsets[-1])
    else:
        counts = [
            np.array([np.bincount(clusters, weights=training) for training in each]).astype(np.int64) for each in right
        ]
    pairs = make_pairs(counts)
    estimates = estimate_trainings(pairs, positions)
    return _tested(estimates, float(estimates.p_value[0]), by, len(positions), bool(pairs.trainings_vary[0]))


def _test_draws(counts: Counts, rules: RerunRules) -> Tested:
    """The corrected resampled t test."""
    row = compare_counts(counts, Rules(0, rules.equivalence_margin, rules.test_per_train)).iloc[0]
    return Tested(
        row["accuracy_points"], (row["points_low"], row["points_high"]), (row["low_90"], row["high_90"]), row["valid_p_value"],
        "draws", int(row["n_seeds"]), True,
    )  # fmt: skip


def _test_counts(counts: pd.DataFrame, rules: RerunRules) -> Tested:
    """Test sequences crossed with damaged training sets."""
    tested = compare_crossed(
        counts.assign(dataset="", rate=0.0), rules.equivalence_margin, rules.degrees_of_freedom == "satterthwaite"
    )
    row = tested[tested["method"] == TO].iloc[0]
    estimates = Estimates.of(
        np.array([row["accuracy_points"]]), np.array([row["points_standard_error"]]), row["degrees_of_freedom"]
    )
    several = row["n_training_sets"] > 1
    by = "sequences" if row["cluster"] == "group" else "blocks"
    return _tested(
        estimates,
        float(row["valid_p_value"]),
        f"{by} and training sets" if several else by,
        int(row["n_clusters"]),
        bool(several),
    )


def _tested(estimates: Estimates, p_value: float, by: str, n_clusters: int, is_of_method: bool) -> Tested:
    low, high = (float(end[0]) for end in estimates.interval())
    low_90, high_90 = (float(end[0]) for end in estimates.interval(CONFIDENCE))
    return Tested(float(estimates.points[0]), (low, high), (low_90, high_90), p_value, by, n_clusters, is_of_method)
