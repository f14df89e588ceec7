"""Tables of the guide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from treecrf.rendering.cells import DASH
from treecrf.rendering.style import method_name, ordered_methods
from treecrf.studies.missing.guide.numbers import _geometric_mean, _Record, _records, _Run
from treecrf.studies.missing.guide.words import _and, _code, _mean_and_range, _points, _rate, _table, _times

WORSE = "▼"
"""After an accuracy that is clearly worse than the best of its row."""


def _record_table(records: Sequence[_Record]) -> str:
    """The counts; "than another" only where it is not the same as "than the best"."""
    differ = any(record.n_beaten != record.n_worse for record in records)
    head = ["method", "cases", "best", "within noise of the best", "clearly worse than the best"]
    more = ["clearly worse than another"] if differ else []
    rows = []
    for _, n_cases, n_best, n_worse, n_beaten, behind in records:
        counts = [n_cases, n_best, n_cases - n_best - n_worse, n_worse, *([n_beaten] if differ else [])]
        rows.append([*map(str, counts), _points(behind)])
    named = [[record.name, *row] for record, row in zip(records, rows, strict=True)]
    return _table([*head, *more, "points behind the best"], named)


def _loss_table(spans: pd.DataFrame, run: _Run) -> str:
    head = ["holes", "lost, best method", "lost, worst method", "gap", "gap clear in", "never clearly worse"]
    everywhere = spans["dataset"].nunique()
    rows = []
    for rate, at_rate in spans.groupby("rate"):
        names = list(at_rate["dataset"])
        label = _rate(float(str(rate))) + (f" ({_and(_code(names))})" if len(names) < everywhere else "")
        ranges = [_mean_and_range(at_rate[name]) for name in ("lost_best", "lost_worst", "gap")]
        cases = at_rate[at_rate["compared"]]
        clear = f"{cases['clear'].sum()} of {len(cases)}" if len(cases) else DASH
        judged = run.judged
        rows.append([label, *ranges, clear, _safe_methods(judged[judged["rate"] == rate])])
    return _table(head, rows, n_words=1, last_words=1)


def _safe_methods(judged: pd.DataFrame) -> str:
    """Methods that were never beaten here; where there is none, the safest and how often it was."""
    if judged.empty:
        return DASH
    records = _records(judged)
    safe = [record.name for record in records if not record.n_beaten]
    if safe:
        return "all" if len(safe) == len(records) else ", ".join(safe)
    return f"none; most seldom {records[0].name} ({records[0].n_beaten} of {records[0].n_cases})"


def _accuracy_table(rows: pd.DataFrame, run: _Run) -> str:
    methods = ordered_methods(rows["method"])
    marks = {
        (rate, method): (best, worse)
        for rate, method, best, worse in run.judged.loc[
            run.judged["dataset"] == rows["dataset"].iloc[0], ["rate", "method", "best", "worse"]
        ].itertuples(index=False, name=None)
    }
    body = []
    for rate, at_rate in rows.groupby("rate"):
        percent = dict(zip(at_rate["method"], at_rate["percent"], strict=True))
        cells = [_marked(percent.get(method, np.nan), *marks.get((rate, method), (False, False))) for method in methods]
        body.append([_rate(float(str(rate))), *cells])
    return _table(["holes", *(method_name(method) for method in methods)], body)


def _marked(percent: float, best: bool, worse: bool) -> str:
    if np.isnan(percent):
        return DASH
    text = f"{percent:.1f}"
    return f"**{text}**" if best else f"{text} {WORSE}" if worse else text


def _cost_table(run: _Run) -> str:
    rates = sorted(run.costs["rate"].unique())
    ratios = run.costs.groupby(["method", "rate"])["ratio"].agg(_geometric_mean)
    predictions = run.costs.groupby("method")["prediction_ratio"].agg(_geometric_mean)
    iterations = run.costs.groupby("method")["iterations"].mean()
    head = ["method", *(f"{_rate(rate)} holes" for rate in rates), "prediction", "iterations"]
    rows = [
        [
            method_name(method),
            *(_times(ratios.get((method, rate), np.nan)) for rate in rates),
            _times(predictions[method]),
            f"{iterations[method]:.0f}",
        ]
        for method in ordered_methods(run.costs["method"])
    ]
    return _table(head, rows)
