"""Answers beyond accuracy: confusions, confidence and hard sequences, from predicted labels and their probabilities.

F1, log loss and Brier score, confusion, calibration, the sequences with the most errors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.files import stacked
from treecrf.sequences import SequenceSet
from treecrf.statistics.metrics import mean_f1
from treecrf_studies.framework.metrics import (
    ACCURACY,
    BRIER_SCORE,
    LOG_LOSS,
    MACRO_F1,
    P_LABEL,
    SEQUENCES_RIGHT,
    brier_score,
    has_confidence,
    log_loss,
    reliability,
)

KEYS = ["variant", "decoder", "point", "method"]

N_HARDEST = 8
"""Sequences that are kept of each method."""

EXCERPT = 64
"""Positions that are kept of a longer sequence: those with the most errors."""


class Answers(NamedTuple):
    """Frames about the labels that were predicted, with the columns `KEYS`.

    Attributes
    ----------
    runs : DataFrame
        run, accuracy, macro F1, sequences right (percent), log loss (nats) and Brier score: NaN without probabilities.
    confusion : DataFrame
        label, predicted (codes), n: positions of all runs together.
    calibration : DataFrame
        The bins of `treecrf.statistics.metrics.reliability`, of the runs with probabilities together.
    hardest : DataFrame
        place (from 1), sequence, n_positions, n_wrong, first (place of the excerpt), observed (texts; empty where
        unknown), label, predicted (lists of codes): of the first run.
    """

    runs: pd.DataFrame
    confusion: pd.DataFrame
    calibration: pd.DataFrame
    hardest: pd.DataFrame


def summarise_answers(answers: pd.DataFrame, tests: dict[str, SequenceSet]) -> Answers:
    """The frames of the predictions (rows of `treecrf_studies.framework.views.VIEWS`).

    `tests` has the test set of each run, for its observations and, where the predictions do not say, its sequences; it
    may lack any. A set under the empty name is that of every run, and the predictions say which of its sequences is
    meant.
    """
    runs, confusion, calibration, hardest = [], [], [], []
    for key, of_method in answers.groupby(KEYS, sort=False, observed=True):
        named: dict[str, Any] = dict(zip(KEYS, key, strict=True))
        counts = None
        told = of_method[of_method[P_LABEL].notna()]
        if len(told):
            calibration.append(reliability(told).assign(**named))
        for place, (run, of_run) in enumerate(of_method.groupby("run", sort=False, observed=True)):
            rows = with_sequences(of_run, tests.get(str(run)))
            matrix = confusion_matrix(rows["label"].to_numpy(), rows["predicted"].to_numpy())
            runs.append(named | {"run": run, **_metrics(rows, matrix)})
            counts = matrix if counts is None else _added(counts, matrix)
            if not place:
                shown = tests.get(str(run), tests.get(""))
                hardest += [named | row for row in hardest_sequences(rows, shown)]
        if counts is not None:
            label, predicted = np.nonzero(counts)
            cells = {"label": label, "predicted": predicted, "n": counts[label, predicted]}
            confusion.append(pd.DataFrame(named | cells))
    return Answers(
        pd.DataFrame(runs),
        stacked(confusion or [pd.DataFrame()]),
        stacked(calibration or [pd.DataFrame()]),
        pd.DataFrame(hardest),
    )


def with_sequences(rows: pd.DataFrame, test: SequenceSet | None) -> pd.DataFrame:
    """The rows in the order of their positions, each with the number of its sequence.

    Where the predictions do not say it, the test set does; without one, a sequence ends where the group of related
    sequences changes.
    """
    place = rows["sequence"].to_numpy().astype(np.int64), rows["position"].to_numpy()
    rows = rows.iloc[np.lexsort(place[::-1])]
    if (rows["sequence"] >= 0).all():
        return rows
    if test is not None and rows["position"].max() < test.offsets[-1]:
        number = np.searchsorted(test.offsets, rows["position"].to_numpy(), side="right") - 1
    else:
        group = rows["group"].to_numpy()
        number = np.append(0, np.cumsum(group[1:] != group[:-1]))
    return rows.assign(sequence=number)


def confusion_matrix(label: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.int64]:
    """Positions by true and predicted label; labels that are not known to the method are left out."""
    known = (label >= 0) & (predicted >= 0)
    n = int(max(label.max(initial=0), predicted.max(initial=0))) + 1
    pairs = label[known].astype(np.int64) * n + predicted[known]
    return np.bincount(pairs, minlength=n * n).reshape(n, n)


def macro_f1(matrix: NDArray[np.int64]) -> float:
    """Mean F1 over the labels that occur, in percent; a label's F1 is 2 right / (true + predicted)."""
    return 100 * mean_f1(matrix.diagonal(), matrix.sum(axis=1), matrix.sum(axis=0))


def hardest_sequences(rows: pd.DataFrame, test: SequenceSet | None) -> list[dict[str, Any]]:
    """The sequences with the most wrong positions, equals by the share of wrong ones, with their labels side by side."""
    wrong = (rows["label"] != rows["predicted"]).to_numpy()
    begins = sequence_starts(rows)
    n_wrong, n_positions = np.add.reduceat(wrong, begins, dtype=np.int64), np.diff(begins, append=len(rows))
    order = np.lexsort((-n_wrong / n_positions, -n_wrong))
    found = []
    for place, index in enumerate(order[: min(N_HARDEST, int((n_wrong > 0).sum()))], start=1):
        of_sequence = rows.iloc[begins[index] : begins[index] + n_positions[index]]
        number = int(of_sequence["sequence"].iloc[0])
        first = _excerpt((of_sequence["label"] != of_sequence["predicted"]).to_numpy())
        shown = of_sequence.iloc[first : first + EXCERPT]
        found.append(
            {
                "place": place,
                "sequence": number,
                "n_positions": len(of_sequence),
                "n_wrong": int(n_wrong[index]),
                "first": first,
                "observed": _observed(test, number, first, len(of_sequence)) if test is not None else [],
                "label": shown["label"].tolist(),
                "predicted": shown["predicted"].tolist(),
            }
        )
    return found


def _excerpt(wrong: NDArray[np.bool_]) -> int:
    """Where the excerpt with the most errors begins."""
    if len(wrong) <= EXCERPT:
        return 0
    sums = np.convolve(wrong, np.ones(EXCERPT, dtype=np.int64), mode="valid")
    return int(sums.argmax())


def _observed(test: SequenceSet, number: int, first: int, n_positions: int) -> list[str]:
    """The observations of an excerpt as texts, of the first attribute; empty where there is none, or other sequences."""
    if not test.attributes or number >= len(test):
        return []
    values = test.select([number]).values[:, 0]
    if len(values) < n_positions:
        return []
    names = test.attributes[0].categories
    return [
        names[value] if value >= 0 else "?" for value in values[first : first + EXCERPT + (len(values) - n_positions)]
    ]


def sequence_starts(rows: pd.DataFrame) -> NDArray[np.int64]:
    """Where the sequences of rows that `with_sequences` has put in order begin."""
    number = rows["sequence"].to_numpy()
    return np.append(0, np.flatnonzero(number[1:] != number[:-1]) + 1)


def _metrics(rows: pd.DataFrame, matrix: NDArray[np.int64]) -> dict[str, float]:
    right = (rows["label"] == rows["predicted"]).to_numpy()
    whole = np.logical_and.reduceat(right, sequence_starts(rows))
    return {
        ACCURACY: float(100 * right.mean()),
        MACRO_F1: macro_f1(matrix),
        SEQUENCES_RIGHT: float(100 * whole.mean()),
        LOG_LOSS: log_loss(rows) if has_confidence(rows) else np.nan,
        BRIER_SCORE: brier_score(rows) if has_confidence(rows) else np.nan,
    }


def _added(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of two matrices, the smaller one filled up."""
    n = max(len(one), len(other))
    total = np.zeros((n, n), dtype=np.int64)
    for matrix in (one, other):
        total[: len(matrix), : len(matrix)] += matrix
    return total
