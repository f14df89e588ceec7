"""Accuracy of labellers on a table with labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.automl.scores import LEAST_MARGINAL, METRICS, Counts, Metric
from treecrf.io.messages import counted, listed
from treecrf.models.base import Labeller
from treecrf.models.decoding import Decoder
from treecrf.sequences import MISSING, SequenceSet
from treecrf.statistics.chunks import (
    MIXED,
    ChunkScore,
    chunk_f1,
    chunk_f1_by_type,
    chunk_scheme,
    segment_f1,
    strict_scheme,
)
from treecrf.statistics.estimates import LEAST_CLUSTERS
from treecrf.statistics.metrics import (
    Accuracy,
    brier_score,
    calibration_error,
    estimate_accuracy,
    macro_f1,
    reliability,
)
from treecrf.statistics.paired import compare_flips, compare_pairs, swap_p_value
from treecrf.statistics.selection import derive_seed


class Entities(NamedTuple):
    """Scores of the chunks that labels mark.

    Attributes
    ----------
    scheme : str
        Of `treecrf.statistics.chunks.SCHEMES`, or `MIXED`.
    strict : bool
        Whether only chunks that are written as the scheme says count.
    scores : dict of str to ChunkScore
        Of all chunks ("all") and of each type.
    n_invalid : int
        Predicted chunks that are not written as the scheme says; 0 of a mixed one.
    """

    scheme: str
    strict: bool
    scores: dict[str, ChunkScore]
    n_invalid: int


@dataclass(frozen=True)
class Evaluation:
    """One labeller on one set: which positions are `correct` (bool), and what fraction of the sequences has no error.

    `accuracy` has its interval by group of related sequences, and `macro_f1` is the mean of the labels' F1.
    `log_loss` is that of a label by itself and `log_likelihood` that of whole sequences, the mean of a position whose
    label training had, in nats. `by_label` has label, precision,
    recall, f1 and n_positions (of that true label), NaN where nothing can be divided; `confusion` the positions by true
    (rows) and predicted label (columns). `brier` and `reliability` are those of `treecrf.statistics.metrics`.
    `entities` are the chunks that labels mark, None where they mark none, and `segments` the score of runs of one
    label. `new_labels` has the positions of each label that training did not have: they count as errors, with a
    probability of 0. `metric` is what the labeller was chosen by, `score` its value with its interval, and `counts` are
    its counts by group of related sequences.
    """

    correct: NDArray[np.bool_]
    accuracy: Accuracy
    whole_sequences: float
    log_loss: float
    log_likelihood: float
    by_label: pd.DataFrame
    macro_f1: float
    confusion: pd.DataFrame
    brier: float
    reliability: pd.DataFrame
    entities: Entities | None
    segments: ChunkScore
    new_labels: dict[str, int]
    metric: str
    score: Accuracy
    counts: Counts


def evaluate(
    labeller: Labeller,
    data: SequenceSet,
    decoder: Decoder | None,
    scheme: str | None = "auto",
    metric: Metric = Metric(),  # noqa: B008
) -> Evaluation:
    """Compare what a labeller predicts with the labels of a set that is encoded for it; some may be new to it.

    Without a `decoder` predictions are those of the `metric` that the labeller was chosen by. `scheme` is that of the
    labels, by which entities count strictly; "auto" recognizes it, None looks for no entities.
    """
    known = list(labeller.label_names_)
    new = [name for name in data.label_names if name not in known]
    names = known + new
    truth = _codes(data, names)
    predicted = metric.predict(labeller, data) if decoder is None else labeller.predict(data, decoder)
    is_new = truth >= len(known)
    counts = np.bincount(truth * np.intp(len(names)) + predicted, minlength=len(names) ** 2)
    confusion = pd.DataFrame(counts.reshape(len(names), -1), index=names, columns=names)
    correct = predicted == truth
    by_sequence = np.logical_and.reduceat(correct, data.offsets[:-1])
    answerable = data.with_labels(np.where(is_new, MISSING, truth), known)
    with np.errstate(invalid="ignore"):
        log_likelihood = float(labeller.log_likelihood(answerable).sum() / np.sum(~is_new))
    probabilities = np.pad(labeller.predict_proba(data), ((0, 0), (0, len(new))))
    of_truth = probabilities[np.arange(len(truth)), truth][~is_new]
    texts = np.array(names)[truth], np.array(names)[predicted]
    entities = None if scheme is None else score_entities(*texts, data.offsets, scheme)
    score = accuracy = estimate(correct, data)
    if metric.name == "span_f1" and chunk_scheme(names) is None:  # some labels are new, and mark no spans
        metric = Metric()
    group = np.unique(data.groups, return_inverse=True)[1]
    counts_by_group = metric.counts(predicted, data.with_labels(truth, names)).by_group(group)
    if metric.name != "accuracy":
        score = counts_by_group.estimate()
    return Evaluation(
        correct=correct,
        accuracy=accuracy,
        whole_sequences=float(by_sequence.mean()),
        log_loss=float(-np.log(np.maximum(of_truth, LEAST_MARGINAL)).mean()) if len(of_truth) else np.nan,
        log_likelihood=log_likelihood,
        by_label=rate_labels(confusion),
        macro_f1=macro_f1(truth, predicted, data.offsets),
        confusion=confusion,
        brier=brier_score(probabilities, truth),
        reliability=reliability(probabilities, truth),
        entities=entities,
        segments=segment_f1(*texts, data.offsets),
        new_labels={name: n for name, n in zip(new, confusion.loc[new].sum(axis=1).tolist(), strict=True) if n},
        metric=metric.name,
        score=score,
        counts=counts_by_group,
    )


def _codes(data: SequenceSet, names: list[str]) -> NDArray[np.int16]:
    """The labels of a labelled set by their places among `names`."""
    assert data.labels is not None
    return np.array([names.index(name) for name in data.label_names], dtype=np.int16)[data.labels]


def estimate(correct: NDArray[np.bool_], data: SequenceSet) -> Accuracy:
    """The accuracy at positions whose label is known, with its interval by group of related sequences."""
    known = data.labels != MISSING
    cluster = np.unique(_clusters(data)[known], return_inverse=True)[1]
    return estimate_accuracy(np.bincount(cluster, weights=correct[known]).astype(np.int64), np.bincount(cluster))


def score_entities(
    true: NDArray[np.str_], predicted: NDArray[np.str_], offsets: NDArray[np.int64], scheme: str = "auto"
) -> Entities | None:
    """Scores of the chunks that labels mark in a scheme, or in the one that they seem to be of ("auto"); None without
    one.
    """
    names = np.unique(np.concatenate([true, predicted]))
    used_scheme = chunk_scheme(names) if scheme == "auto" else scheme
    strict = scheme != "auto" or (used_scheme is not None and used_scheme == strict_scheme(names))
    if used_scheme is None:
        return None
    counted = used_scheme if strict else None
    scores = {"all": chunk_f1(true, predicted, offsets, counted), **chunk_f1_by_type(true, predicted, offsets, counted)}
    n_invalid = 0
    if used_scheme != MIXED:
        lenient, complete = (chunk_f1(true, predicted, offsets, way) for way in (None, used_scheme))
        n_invalid = lenient.n_predicted - complete.n_predicted
    return Entities(used_scheme, strict, scores, n_invalid)


def rate_labels(confusion: pd.DataFrame) -> pd.DataFrame:
    """Precision, recall and F1 of every label, as in `Evaluation.by_label`, from a confusion matrix."""
    counts = confusion.to_numpy()
    hits, true, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        precision, recall, f1 = hits / predicted, hits / true, 2 * hits / (true + predicted)
    columns = {"label": list(confusion.columns), "precision": precision, "recall": recall, "f1": f1}
    return pd.DataFrame(columns | {"n_positions": true})


def about_new_labels(new_labels: Mapping[str, int]) -> str:
    """What is said of a model and `Evaluation.new_labels`, after its name."""
    return (
        f"was not trained with {counted(len(new_labels), 'label')} of the file: {listed(new_labels)} "
        f"({counted(sum(new_labels.values()), 'position')}); they count as errors with probability 0, but log loss and "
        "log likelihood are of the other positions."
    )


def seen_labels(by_label: pd.DataFrame) -> pd.DataFrame:
    """The rows of `Evaluation.by_label` whose label is true or predicted somewhere."""
    return by_label[by_label["f1"].notna()]


def compare(evaluations: Mapping[str, Evaluation], data: SequenceSet) -> pd.DataFrame:
    """Every pair of trained labellers, by name: McNemar's test, and flips of whole groups of related sequences.

    The columns of `treecrf.statistics.paired.compare_pairs`, and n_clusters and flip_p_value
    (`treecrf.statistics.paired`). Where all were chosen by another metric than accuracy, also metric, score_points (the
    difference) and score_p_value (`treecrf.statistics.paired.swap_p_value`).
    """
    sequence = np.repeat(np.arange(len(data)), data.lengths)
    cluster = _clusters(data)
    outcomes = [
        pd.DataFrame({"method": name, "sequence": sequence, "position": np.arange(len(sequence)), "correct": e.correct})
        for name, e in evaluations.items()
    ]
    papers = compare_pairs(pd.concat(outcomes, ignore_index=True).assign(dataset="table", decoder="one"))
    counts = [np.bincount(cluster, weights=e.correct).astype(np.int64)[None] for e in evaluations.values()]
    flips = compare_flips(list(evaluations), counts, len(sequence), derive_seed("evaluate", "flips"))
    ours = flips[["method", "other", "n_clusters", "p_value"]].rename(columns={"p_value": "flip_p_value"})
    compared = papers.merge(ours, on=["method", "other"], validate="one_to_one")
    metrics = {evaluation.metric for evaluation in evaluations.values()}
    if len(metrics) > 1 or metrics == {"accuracy"}:
        return compared
    rows = []
    for method, other in compared[["method", "other"]].itertuples(index=False):
        pair = Counts.stacked([evaluations[name].counts for name in (method, other)])
        points = pair.points
        rows.append((*metrics, points[0] - points[1], swap_p_value(*pair, derive_seed("evaluate", "swaps"))))
    return compared.assign(
        **dict(zip(("metric", "score_points", "score_p_value"), zip(*rows, strict=True), strict=True))
    )


def verdicts(comparison: pd.DataFrame, unit: str = "sequence") -> list[str]:
    """What tests of `compare` say, in words: a sentence for each pair and measure, that of the metric first, and one
    where the file is too small. `unit` is what the tests exchange: sequences or groups.
    """
    sentences = []
    for row in comparison.to_dict("records"):
        names = row["method"], row["other"]
        if "metric" in row:
            difference = _difference(*names, row["score_points"], METRICS[row["metric"]])
            sentences.append(f"{difference}; a test that exchanges whole {unit}s has {p_text(row['score_p_value'])}.")
        sentences.append(
            f"{_difference(*names, row['accuracy_points'], 'accuracy')}: only {names[0]} is right on "
            f"{counted(row['only_method'], 'position')}, only {names[1]} on {row['only_other']:,}; McNemar's test "
            f"{p_text(row['p_value'])}, {unit}-level test {p_text(row['flip_p_value'])}."
        )
    if int(comparison["n_clusters"].min()) < LEAST_CLUSTERS:
        sentences.append(
            f"The file has too few {unit}s for the {unit}-level test: with fewer than {LEAST_CLUSTERS} it never "
            "has p < 0.05."
        )
    return sentences


def _difference(method: str, other: str, points: float, words: str) -> str:
    better, worse = (method, other) if points > 0 else (other, method)
    return (
        f"{better} is {abs(points):.2f} points of {words} better than {worse}"
        if points
        else f"{method} and {other} have equal {words}"
    )


def p_text(value: float) -> str:
    """A p-value with its sign of relation."""
    return "p = –" if value != value else "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _clusters(data: SequenceSet) -> NDArray[np.int64]:
    """The group of each position, from 0."""
    return np.repeat(np.unique(data.groups, return_inverse=True)[1], data.lengths)


# --- where a model is right ------------------------------------------------------------------------


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
        shortest, longest (positions of the sequences of a class), and the same, with intervals by group.
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
        alone = np.arange(len(data))
        rows = [{"group": name} | _rate(right, lengths, alone, members == code) for code, name in enumerate(called)]
        by_group = pd.DataFrame(rows).sort_values("accuracy", kind="stable", ignore_index=True)
    bounds = np.unique(np.quantile(lengths, np.linspace(0, 1, N_LENGTHS + 1), method="higher"))
    classes = np.searchsorted(bounds[1:], lengths) if len(bounds) > 1 else np.zeros(len(lengths), dtype=np.int64)
    of_lengths = []
    for code in np.unique(classes):
        there = classes == code
        ends = {"shortest": int(lengths[there].min()), "longest": int(lengths[there].max())}
        of_lengths.append(ends | _rate(right, lengths, members, there))
    errors = lengths - right
    worst = np.argsort(-errors, kind="stable")[: min(N_WORST, int((errors > 0).sum()))]
    table = {
        "sequence": [str(names[i]) for i in worst],
        "n_positions": lengths[worst],
        "n_errors": errors[worst],
        "accuracy": 100 * right[worst] / lengths[worst],
    }
    return Breakdown(by_group, pd.DataFrame(of_lengths), pd.DataFrame(table))


def _rate(
    right: NDArray[np.int64], lengths: NDArray[np.int64], cluster: NDArray[np.intp], there: NDArray[np.bool_]
) -> dict[str, float]:
    """The accuracy of the sequences that are `there`, with an interval that takes each cluster as one."""
    of = np.unique(cluster[there], return_inverse=True)[1]
    correct, total = (np.bincount(of, weights=each[there]).astype(np.int64) for each in (right, lengths))
    points, low, high = estimate_accuracy(correct, total)
    sizes = {"n_sequences": int(there.sum()), "n_positions": int(lengths[there].sum())}
    return sizes | {"accuracy": points, "low": low, "high": high}


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
            "log_loss": evaluation.log_loss,
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
