"""What kind of holes a file has: whether they tell the label, come in runs, and differ from those of another file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.sequences import MISSING, SequenceSet
from treecrf.statistics.estimates import adjust_holm
from treecrf.statistics.selection import derive_seed
from treecrf.statistics.sign_flip import score_flip_p_value

N_EXCHANGES = 2000
"""Of sequences between two files."""

Bools = NDArray[np.bool_]


def describe_holes(data: SequenceSet, seed: int, other: SequenceSet | None = None) -> pd.DataFrame:
    """Each column with holes, and three questions about them.

    Parameters
    ----------
    data : SequenceSet
        With labels.
    seed : int
        Of the tests.
    other : SequenceSet, optional
        A second file with the same columns, such as the test set.

    Returns
    -------
    DataFrame
        One row for each column with holes (in either set).

        column, share
            And the share of its cells that is missing.
        label_most, share_at_most, label_least, share_at_least, p_label
            The labels at which it is missing most and least often, and whether holes and labels are associated.
        run, run_by_chance, p_run
            Observations in a run of holes, on average, and what that would be if each cell were missing by itself; whether
            neighbours are missing together.
        share_other, p_other
            With `other`: its share, and whether it differs.

        The p-values are by sequence, with Holm's correction over the columns.
    """
    names = [*(attribute.name for attribute in data.attributes), *data.number_names]
    mask, mask_of_other = _mask(data), None if other is None else _mask(other)
    rows = []
    for j, name in enumerate(names):
        holes = mask[:, j]
        if not holes.any() and (mask_of_other is None or not mask_of_other[:, j].any()):
            continue
        row = {"column": name, "share": float(holes.mean()), **_by_label(data, holes, derive_seed(seed, name, "label"))}
        row |= _in_runs(data, holes, derive_seed(seed, name, "runs"))
        if other is not None and mask_of_other is not None:
            row |= _between(data, holes, other, mask_of_other[:, j], derive_seed(seed, name, "other"))
        rows.append(row)
    frame = pd.DataFrame(rows)
    for column in [column for column in frame.columns if column.startswith("p_")]:
        frame[column] = adjust_holm(frame[column].to_numpy(dtype=np.float64))
    return frame


def tell_holes(frame: pd.DataFrame, level: float) -> Iterator[str]:
    """The answers in sentences, from `describe_holes`."""
    questions = (
        ("p_label", "Missing by the label (its absence tells something): {}.", "No column's holes were found to depend on the label."),
        ("p_run", "Missing in runs: {}.", "No column's holes were found to come in runs."),
        ("p_other", "Missing more or less often in the other file: {}.", "No column was found to be missing more often in one file."),
    )  # fmt: skip
    for column, found, none in questions:
        if column in frame.columns:
            is_found = frame[column] < level
            if column == "p_run":  # runs that are shorter than by chance are none
                is_found &= frame["run"] > frame["run_by_chance"]
            names = frame.loc[is_found, "column"].tolist()
            yield found.format(", ".join(names)) if names else none


def _mask(data: SequenceSet) -> Bools:
    return np.hstack([data.values == MISSING, np.isnan(data.numbers)])


def _by_label(data: SequenceSet, holes: Bools, seed: int) -> dict[str, object]:
    labels, n_labels = np.asarray(data.labels), len(data.label_names)
    of_positions = holes[_labelled_rows(data)].astype(np.float64)
    shares = np.bincount(labels, minlength=n_labels) / len(labels)
    rates = np.bincount(labels, weights=of_positions, minlength=n_labels) / np.maximum(shares * len(labels), 1)
    excess = of_positions - of_positions.mean()
    scores = np.empty((len(data), n_labels))
    for label in range(n_labels):
        scores[:, label] = np.add.reduceat(excess * ((labels == label) - shares[label]), data.offsets[:-1])
    seen = np.flatnonzero(shares)
    most, least = seen[rates[seen].argmax()], seen[rates[seen].argmin()]
    return {
        "label_most": data.label_names[most], "share_at_most": float(rates[most]),
        "label_least": data.label_names[least], "share_at_least": float(rates[least]),
        "p_label": score_flip_p_value(scores, seed),
    }  # fmt: skip


def _labelled_rows(data: SequenceSet) -> NDArray[np.int64]:
    """The observation of each position."""
    shift = data.observation_offsets[:-1] - data.offsets[:-1]
    return np.arange(data.n_positions) + np.repeat(shift, data.lengths)


def _in_runs(data: SequenceSet, holes: Bools, seed: int) -> dict[str, float]:
    starts, rate = data.observation_offsets[:-1], float(holes.mean())
    first = np.zeros(len(holes), dtype=np.bool_)
    first[starts] = True
    n_runs = int((holes & (first | ~np.roll(holes, 1))).sum())
    lengths = np.diff(data.observation_offsets)
    # Of m cells that are missing by themselves with probability p, p + (m - 1) p (1 - p) begin a run on average.
    by_chance = len(holes) / float((1 + (lengths - 1) * (1 - rate)).sum())
    excess = holes - rate
    products = np.where(first, 0.0, excess * np.roll(excess, 1))
    scores = np.add.reduceat(products, starts)[:, None]
    run = int(holes.sum()) / n_runs if n_runs else float("nan")
    return {"run": run, "run_by_chance": by_chance, "p_run": score_flip_p_value(scores, seed)}


def _between(data: SequenceSet, holes: Bools, other: SequenceSet, of_other: Bools, seed: int) -> dict[str, float]:
    """Exchange of whole sequences between the files, which keeps the numbers of both."""
    sums = [
        np.add.reduceat(h.astype(np.int64), d.observation_offsets[:-1]) for d, h in ((data, holes), (other, of_other))
    ]
    counts, sizes = np.concatenate(sums), np.concatenate([np.diff(d.observation_offsets) for d in (data, other)])
    rng, n_first = np.random.default_rng(seed), len(data)
    order = np.arange(len(counts))
    differences = np.empty(N_EXCHANGES)
    for exchange in range(N_EXCHANGES):  # the first is as it is, so that p is never 0
        one, two = order[:n_first], order[n_first:]
        differences[exchange] = counts[one].sum() / sizes[one].sum() - counts[two].sum() / sizes[two].sum()
        order = rng.permutation(len(counts))
    tolerance = 1e-12
    p_value = float((np.abs(differences) >= abs(differences[0]) - tolerance).mean())
    return {"share_other": float(of_other.mean()), "p_other": p_value}
