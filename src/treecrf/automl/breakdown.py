"""Where a model is right: accuracy by group and by length, the worst sequences, and an evaluation as JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.automl.evaluation import Evaluation
from treecrf.automl.labeller import TableLabeller
from treecrf.readers.tables import TypedTable
from treecrf.sequences import SequenceSet
from treecrf.statistics.metrics import calibration_error, estimate_accuracy

N_LENGTHS = 5
"""Classes of length, with about as many sequences each."""

N_WORST = 20
"""Sequences with most errors that are named."""


class Breakdown(NamedTuple):
    """Accuracy by parts of a file.

    Attributes
    ----------
    by_group : DataFrame or None
        group, n_sequences, n_positions, accuracy, low, high (percent, with a 95% interval by sequence), the lowest
        accuracy first; None where every sequence is a group of its own.
    by_length : DataFrame
        shortest, longest (positions of the sequences of a class), and the same.
    worst : DataFrame
        sequence, n_positions, n_errors, accuracy (percent): the sequences with most errors.
    """

    by_group: pd.DataFrame | None
    by_length: pd.DataFrame
    worst: pd.DataFrame


def break_down(
    correct: NDArray[np.bool_], data: SequenceSet, names: Sequence[str], group_names: Sequence[str] | None = None
) -> Breakdown:
    """Divide a labeller's accuracy by groups and lengths of sequences.

    Parameters
    ----------
    correct : bool, shape (n_positions,)
    data : SequenceSet
    names : sequence of str, length n_sequences
    group_names : sequence of str, length n_sequences, optional
        What related sequences share; their numbers unless given.
    """
    right = np.add.reduceat(correct, data.offsets[:-1], dtype=np.int64)
    lengths, members = data.lengths, np.unique(data.groups, return_inverse=True)[1]
    by_group = None
    if members.max(initial=0) + 1 < len(data):
        first = np.unique(members, return_index=True)[1]
        called = (
            [str(number) for number in data.groups[first]] if group_names is None else [group_names[i] for i in first]
        )
        rows = [{"group": name} | _rate(right, lengths, members == code) for code, name in enumerate(called)]
        by_group = pd.DataFrame(rows).sort_values("accuracy", kind="stable", ignore_index=True)
    bounds = np.unique(np.quantile(lengths, np.linspace(0, 1, N_LENGTHS + 1), method="higher"))
    classes = np.searchsorted(bounds[1:], lengths) if len(bounds) > 1 else np.zeros(len(lengths), dtype=np.int64)
    of_lengths = []
    for code in np.unique(classes):
        there = classes == code
        ends = {"shortest": int(lengths[there].min()), "longest": int(lengths[there].max())}
        of_lengths.append(ends | _rate(right, lengths, there))
    errors = lengths - right
    worst = np.argsort(-errors, kind="stable")[: min(N_WORST, int((errors > 0).sum()))]
    table = {
        "sequence": [str(names[i]) for i in worst],
        "n_positions": lengths[worst],
        "n_errors": errors[worst],
        "accuracy": 100 * right[worst] / lengths[worst],
    }
    return Breakdown(by_group, pd.DataFrame(of_lengths), pd.DataFrame(table))


def _rate(right: NDArray[np.int64], lengths: NDArray[np.int64], there: NDArray[np.bool_]) -> dict[str, float]:
    points, low, high = estimate_accuracy(right[there], lengths[there])
    sizes = {"n_sequences": int(there.sum()), "n_positions": int(lengths[there].sum())}
    return sizes | {"accuracy": points, "low": low, "high": high}


def sequence_names(model: TableLabeller, table: TypedTable, data: SequenceSet) -> tuple[list[str], list[str] | None]:
    """Names of the sequences of a table, and of their groups where it has them."""
    first = data.observation_offsets[:-1]
    names = table.frame[model.columns.sequence].astype(str).to_numpy()[first].tolist()
    groups = model.columns.groups
    if groups is None or groups not in table:
        return names, None
    return names, table.frame[groups].astype(str).to_numpy()[first].tolist()


# --- JSON -------------------------------------------------------------------------------------------


def described(evaluation: Evaluation, parts: Breakdown, unit: str) -> dict[str, Any]:
    """An evaluation as JSON values, with all digits; null where nothing can be divided.

    Parameters
    ----------
    evaluation : Evaluation
    parts : Breakdown
    unit : str
        What the interval of the accuracy takes as one.
    """
    entities = evaluation.entities
    return plain(
        {
            "n_positions": len(evaluation.correct),
            "accuracy": evaluation.accuracy._asdict() | {"unit": unit},
            "metric": evaluation.metric,
            "score": evaluation.score._asdict(),
            "sequences_without_error": evaluation.whole_sequences,
            "macro_f1": evaluation.macro_f1,
            "log_likelihood": evaluation.log_likelihood,
            "brier": evaluation.brier,
            "calibration_error": calibration_error(evaluation.reliability),
            "by_label": evaluation.by_label,
            "confusion": {
                "labels": list(evaluation.confusion.columns),
                "counts": evaluation.confusion.to_numpy().tolist(),
            },
            "calibration": evaluation.reliability,
            "entities": None
            if entities is None
            else entities._asdict() | {"scores": {name: score._asdict() for name, score in entities.scores.items()}},
            "segments": evaluation.segments._asdict(),
            "new_labels": evaluation.new_labels,
            **parts._asdict(),
        }
    )


def plain(value: Any) -> Any:
    """A value as JSON knows it: frames as lists of rows, null for NaN."""
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict("records")]
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
