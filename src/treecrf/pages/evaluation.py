"""The page of an evaluation: the test between models first, then each model, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treecrf.automl.evaluation import Breakdown, Evaluation, about_new_labels, p_text, seen_labels
from treecrf.automl.scores import METRICS
from treecrf.io.messages import counted
from treecrf.pages.page import commonest_labels, confusion_table, page, table
from treecrf.statistics.metrics import calibration_error

MOST_GROUPS = 50
"""Groups that are listed, those with the lowest accuracy."""

MOST_CONFUSED = 20
"""Labels of a confusion matrix."""


class Judged(NamedTuple):
    """A model's evaluation on the file.

    Attributes
    ----------
    evaluation : Evaluation
    parts : Breakdown
    unit : str
        What the interval of the accuracy takes as one: "sequence" or "group".
    """

    evaluation: Evaluation
    parts: Breakdown
    unit: str


def render_evaluation(
    title: str, judged: Mapping[str, Judged], sentences: Sequence[str] = (), comparison: pd.DataFrame | None = None
) -> str:
    """The text of the page.

    Parameters
    ----------
    title : str
    judged : mapping of str to Judged
        By name of the model.
    sentences : sequence of str
        What the tests between models say.
    comparison : DataFrame, optional
        `treecrf.automl.evaluation.compare` of more than one model.
    """
    parts = []
    if comparison is not None:
        lead = "".join(f'<p class="lead">{escape(sentence)}</p>\n' for sentence in sentences)
        unit = next(iter(judged.values())).unit
        parts.append(f"<h2>Difference</h2>\n{lead}{_differences(comparison, unit)}")
    new = "".join(
        f"<p>{escape(name)} {escape(about_new_labels(each.evaluation.new_labels))}</p>\n"
        for name, each in judged.items()
        if each.evaluation.new_labels
    )
    parts.append(f"<h2>Accuracy</h2>\n{new}{_overview(judged)}")
    sections: Sequence[tuple[str, dict[str, str]]] = [
        ("Errors", _confusions(judged)),
        ("By label", {name: _labels(each.evaluation) for name, each in judged.items()}),
        ("Calibration", {name: _calibration(each.evaluation) for name, each in judged.items()}),
        (
            "By group",
            {name: _groups(each.parts.by_group) for name, each in judged.items() if each.parts.by_group is not None},
        ),
        (
            "By length of the sequence",
            {name: _lengths(each.parts.by_length, each.unit) for name, each in judged.items()},
        ),
        ("Worst sequences", {name: _worst(each.parts.worst) for name, each in judged.items()}),
    ]
    parts += [_side_by_side(heading, texts, len(judged) > 1) for heading, texts in sections if texts]
    return page(title, "<main>\n" + "\n".join(parts) + "\n</main>")


def _side_by_side(heading: str, texts: Mapping[str, str], are_named: bool) -> str:
    named = (
        f"<section>{f'<h3>{escape(name)}</h3>' if are_named else ''}{text}</section>\n" for name, text in texts.items()
    )
    return f'<h2>{heading}</h2>\n<div class="sides">\n{"".join(named)}</div>'


def _differences(comparison: pd.DataFrame, unit: str) -> str:
    metric = METRICS[comparison["metric"].iloc[0]] if "metric" in comparison else ""
    names = {
        "method": "model",
        "other": "other model",
        "score_points": f"points of {metric}",
        "score_p_value": f"p of {metric}",
        "accuracy_points": "points of accuracy" if metric else "points",
        "only_method": "only the model is right",
        "only_other": "only the other is right",
        "p_value": "McNemar's p",
        "flip_p_value": f"{unit}-level p",
    }
    shown = comparison[[name for name in names if name in comparison]].copy()
    for name in shown.columns.intersection(["score_p_value", "p_value", "flip_p_value"]):
        shown[name] = [p_text(value).removeprefix("p ").removeprefix("= ") for value in shown[name]]
    rows = shown.itertuples(index=False, name=None)
    return table([names[str(name)] for name in shown], rows, "Tests of the difference, on the positions of the file")


def _overview(judged: Mapping[str, Judged]) -> str:
    """A row for each model, the metric that it was chosen by first."""
    metrics = dict.fromkeys(each.evaluation.metric for each in judged.values())
    measures = [*(name for name in metrics if name != "accuracy"), "accuracy"]
    has_entities = "span_f1" not in metrics and any(each.evaluation.entities for each in judged.values())
    head = ["model", *(text for name in measures for text in (f"{METRICS[name]} in %", "95 % interval"))]
    head += ["macro F1 in %", "sequences without an error in %", "log loss of a label", "Brier score"]
    head += ["calibration error in points", *(["entity F1 in %"] if has_entities else [])]
    rows = []
    for name, each in judged.items():
        evaluation = each.evaluation
        values = {"accuracy": evaluation.accuracy, evaluation.metric: evaluation.score}
        row: list[Any] = [name]
        for measure in measures:
            points, low, high = values.get(measure, ("–", np.nan, np.nan))
            row += [points, f"{low:.1f} to {high:.1f} by {each.unit}" if low == low else "–"]
        row += [100 * evaluation.macro_f1, 100 * evaluation.whole_sequences, evaluation.log_loss]
        row += [evaluation.brier, 100 * calibration_error(evaluation.reliability)]
        if has_entities:
            row.append(evaluation.entities.scores["all"].f1 if evaluation.entities else "–")
        rows.append(row)
    by_label = next(iter(judged.values())).evaluation.by_label
    sizes, labels = by_label["n_positions"].to_numpy(), by_label["label"].tolist()
    share = 100 * sizes.max() / sizes.sum()
    caption = f"On {counted(int(sizes.sum()), 'position')}; always the commonest label, {labels[sizes.argmax()]}, "
    return table(head, rows, f"{caption}would be right at {share:.1f} %")


def _confusions(judged: Mapping[str, Judged]) -> dict[str, str]:
    """The errors of each model, on the labels that are commonest in all together."""
    confusions = {name: each.evaluation.confusion for name, each in judged.items()}
    labels = list(dict.fromkeys(label for confusion in confusions.values() for label in confusion))
    whole = {name: each.reindex(index=labels, columns=labels, fill_value=0) for name, each in confusions.items()}
    together = pd.DataFrame(sum(each.to_numpy() for each in whole.values()), labels, labels)
    shown = commonest_labels(together, MOST_CONFUSED)
    return {name: confusion_table(each, shown) for name, each in whole.items()}


def _labels(evaluation: Evaluation) -> str:
    frame = seen_labels(evaluation.by_label).sort_values("n_positions", ascending=False, kind="stable")
    return table(["label", "precision", "recall", "F1", "positions"], frame.itertuples(index=False, name=None))


def _calibration(evaluation: Evaluation) -> str:
    rows = (
        (f"{low:.1f} to {high:.1f}", int(n), probability, right, 100 * (right - probability))
        for low, high, n, probability, right in _rows(
            evaluation.reliability, ["low", "high", "n_positions", "probability", "right"]
        )
    )
    caption = "Accuracy of the predicted label by its probability"
    return table(["probability", "positions", "mean probability", "accuracy", "gap in points"], rows, caption)


_RATES = ["n_sequences", "n_positions", "accuracy"]


def _rated(name: str, unit: str) -> list[str]:
    return [name, "sequences", "positions", "accuracy in %", f"95 % interval by {unit}"]


def _interval(low: float, high: float) -> str:
    return f"{low:.1f} to {high:.1f}" if low == low else "–"


def _groups(by_group: pd.DataFrame) -> str:
    shown = by_group.head(MOST_GROUPS)
    rows = (
        (name, n_sequences, n_positions, points, _interval(low, high))
        for name, n_sequences, n_positions, points, low, high in _rows(shown, ["group", *_RATES, "low", "high"])
    )
    more = (
        f"The {counted(len(shown), 'group')} with the lowest accuracy of {len(by_group)}"
        if len(shown) < len(by_group)
        else ""
    )
    return table(_rated("group", "sequence"), rows, more)


def _lengths(by_length: pd.DataFrame, unit: str) -> str:
    rows = (
        (f"{first} to {last}" if first < last else str(first), n_sequences, n_positions, points, _interval(low, high))
        for first, last, n_sequences, n_positions, points, low, high in _rows(
            by_length, ["shortest", "longest", *_RATES, "low", "high"]
        )
    )
    return table(_rated("positions of a sequence", unit), rows)


def _worst(worst: pd.DataFrame) -> str:
    if worst.empty:
        return "<p>No sequence has an error.</p>"
    return table(["sequence", "positions", "errors", "accuracy in %"], worst.itertuples(index=False, name=None))


def _rows(frame: pd.DataFrame, names: list[str]) -> Iterable[tuple]:
    return frame[names].itertuples(index=False, name=None)
