"""A page to read in five minutes: which method for missing values to use when, from the numbers of one run.

Every number is computed from the study's frames (`numbers`); the template ``guide.md.jinja`` has the words, and chooses
every sentence that judges by those numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from treecrf.rendering.cells import DASH
from treecrf.rendering.style import method_name, ordered_methods
from treecrf.rendering.words import rates_text, with_and
from treecrf.studies.missing.guide.numbers import (
    GuideResults,
    Record,
    geometric_mean,
    numbers,
    prepare,
    records_of,
    spans_of,
)

BEST = "▲"
"""After an accuracy that is the best of its row."""

WORSE = "▼"
"""After an accuracy that is significantly worse than another of its row."""

SECTION = re.compile(r" \(section \d\)|: section \d(?=\))")
"""Where the short answer points to sections of the guide."""


def missing_values_guide(
    evaluations: pd.DataFrame,
    comparisons: pd.DataFrame,
    costs: pd.DataFrame,
    deviance: pd.DataFrame | None = None,
    *,
    command: str,
) -> str:
    """Which method for missing values to use when: a page in Markdown, all of it from these frames.

    Parameters
    ----------
    evaluations : DataFrame
        dataset, stand_in, rate, method, training_set, test_set, n_positions, n_correct. Rate 0 is the reference.
    comparisons : DataFrame
        dataset, rate, baseline, method, accuracy_points, points_standard_error, degrees_of_freedom, valid_p_holm, points_low,
        points_high, decision, cluster, n_training_sets, with every method as the baseline (`treecrf.statistics.blocks.compare_crossed`). Rate 0 is there
        only if the data have holes of their own.
    costs : DataFrame
        dataset, rate, method, training_set, phase, cpu_seconds, n_iterations.
    deviance : DataFrame, optional
        dataset, rate, term, p_value.
    command : str
        What makes this page for a reader's own file; shown as it is.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no evaluation, or if the comparisons have a data set, rate or method that the evaluations lack.

    Notes
    -----
    A method is significantly worse than another if the comparison with that one decides "worse".
    """
    return _page(prepare(evaluations, comparisons, costs, deviance), command)


def recommendation(
    evaluations: pd.DataFrame,
    comparisons: pd.DataFrame,
    costs: pd.DataFrame,
    deviance: pd.DataFrame | None = None,
) -> tuple[str | None, str]:
    """The method that the guide names first (None without comparisons), and its short answer as Markdown.

    Parameters are those of `missing_values_guide`.
    """
    run = prepare(evaluations, comparisons, costs, deviance)
    method = None if run.judged.empty else records_of(run.judged)[0].method
    _, answer, *_ = re.split(r"^## .*\n\n", _page(run, ""), flags=re.MULTILINE)
    blocks = [block for block in answer.strip().split("\n\n") if not block.startswith("|")]
    return method, SECTION.sub("", "\n\n".join(blocks)) + "\n"


def accuracy_table(evaluations: pd.DataFrame, comparisons: pd.DataFrame, costs: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of each method by rate, for one data set: method, then a column for each rate, such as "10 %".

    Parameters are those of `missing_values_guide`. Percent, followed by `BEST` for the best mean of the rate and those
    equivalent to it, and by `WORSE` for a method that is significantly worse than another.
    """
    run = prepare(evaluations, comparisons, costs, None)
    marks = run.judged.set_index(["rate", "method"])
    rows = []
    for method in run.methods:
        row = {"method": method_name(method)}
        for rate, percent in run.accuracy.loc[run.accuracy["method"] == method, ["rate", "percent"]].itertuples(
            index=False, name=None
        ):
            judged = marks.loc[(rate, method)] if (rate, method) in marks.index else None
            mark = "" if judged is None else BEST if judged["top"] else WORSE if judged["beaten"] else ""
            row[f"{100 * rate:g} %"] = f"{percent:.1f} {mark}".rstrip()
        rows.append(row)
    return pd.DataFrame(rows)


def _page(run: GuideResults, command: str) -> str:
    facts = numbers(run)
    tables = {
        "record_table": _record_table(facts["records"]),
        "loss_table": _loss_table(run),
        "accuracy_tables": {name: _accuracy_table(run, name) for name in run.datasets},
        "cost_table": _cost_table(run),
    }
    page = _template().render(**facts, **tables, worse=WORSE, method_name=method_name, command=command)
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


# --- tables -----------------------------------------------------------------------------------------


def _record_table(records: Sequence[Record]) -> str:
    """In how many cases each method has which standing."""
    head = [
        "method",
        "cases",
        "best or equivalent",
        "not separated",
        "significantly worse than another",
        "points behind the best",
    ]
    rows = [
        [one.name, *map(str, (one.n_cases, one.n_top, one.n_open, one.n_beaten)), _points(one.behind)]
        for one in records
    ]
    return _table(head, rows)


def _loss_table(run: GuideResults) -> str:
    spans = spans_of(run.cells, run.accuracy)
    head = ["holes", "lost, best method", "lost, worst method", "gap", "gap clear in", "never significantly worse"]
    everywhere = spans["dataset"].nunique()
    rows = []
    for rate, at_rate in spans.groupby("rate"):
        names = list(at_rate["dataset"])
        label = _rate(float(str(rate))) + (f" ({_codes(names)})" if len(names) < everywhere else "")
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
    records = records_of(judged)
    safe = [record.name for record in records if not record.n_beaten]
    if safe:
        return "all" if len(safe) == len(records) else ", ".join(safe)
    return f"none; least often {records[0].name} ({records[0].n_beaten} of {records[0].n_cases})"


def _accuracy_table(run: GuideResults, dataset: str) -> str:
    rows = run.accuracy[run.accuracy["dataset"] == dataset]
    methods = ordered_methods(rows["method"])
    marks = {
        (rate, method): (top, beaten)
        for rate, method, top, beaten in run.judged.loc[
            run.judged["dataset"] == dataset, ["rate", "method", "top", "beaten"]
        ].itertuples(index=False, name=None)
    }
    body = []
    for rate, at_rate in rows.groupby("rate"):
        percent = dict(zip(at_rate["method"], at_rate["percent"], strict=True))
        cells = [_marked(percent.get(method, np.nan), *marks.get((rate, method), (False, False))) for method in methods]
        body.append([_rate(float(str(rate))), *cells])
    return _table(["holes", *(method_name(method) for method in methods)], body)


def _marked(percent: float, top: bool, beaten: bool) -> str:
    if np.isnan(percent):
        return DASH
    text = f"{percent:.1f}"
    return f"**{text}**" if top else f"{text} {WORSE}" if beaten else text


def _cost_table(run: GuideResults) -> str:
    rates = sorted(run.costs["rate"].unique())
    ratios = run.costs.groupby(["method", "rate"])["ratio"].agg(geometric_mean)
    predictions = run.costs.groupby("method")["prediction_ratio"].agg(geometric_mean)
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


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int = 1, last_words: int = 0) -> str:
    """A Markdown table; columns of words to the left, numbers to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(3, *(len(line[place]) for line in lines)) for place in range(len(head))]
    is_words = [place < n_words or place >= len(head) - last_words for place in range(len(head))]
    rule = ["-" * width if words else "-" * (width - 1) + ":" for width, words in zip(widths, is_words, strict=True)]
    padded = [
        [
            cell.ljust(width) if words else cell.rjust(width)
            for cell, width, words in zip(line, widths, is_words, strict=True)
        ]
        for line in lines
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [padded[0], rule, *padded[1:]])


# --- words ------------------------------------------------------------------------------------------


def _codes(names: Iterable[str]) -> str:
    return with_and(f"`{name}`" for name in names)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _n(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _of(count: float, total: float) -> str:
    return f"{int(count)} of {_n(int(total), 'case')}"


def _all_cases(n_cases: int) -> str:
    return "the one case" if n_cases == 1 else f"all {n_cases} cases"


def _any_case(n_cases: int) -> str:
    return "the one case" if n_cases == 1 else f"any of the {n_cases} cases"


def _rate(rate: float) -> str:
    return f"{100 * rate:g} %"


def _points(value: float) -> str:
    """One decimal; what rounds to zero has no sign."""
    return DASH if np.isnan(value) else f"{round(value, 1) or 0.0:.1f}".replace("-", "−")


def _mean_and_range(values: pd.Series) -> str:
    known = values.dropna()
    if len(known) < 2:
        return _points(known.mean())
    return f"{_points(known.mean())} ({_points(known.min())} to {_points(known.max())})"


def _times(ratio: float) -> str:
    return DASH if np.isnan(ratio) else f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def _digits(value: float) -> str:
    """Two significant digits, without exponents."""
    return np.format_float_positional(value, precision=2, fractional=False, trim="-")


def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("treecrf.studies.missing", "guide"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "all_cases": _all_cases,
        "any_case": _any_case,
        "capital": _capital,
        "codes": _codes,
        "digits": _digits,
        "method_name": method_name,
        "n": _n,
        "of": _of,
        "points": _points,
        "rate": _rate,
        "rates": rates_text,
        "times": _times,
        "with_and": with_and,
    }
    return environment.get_template("guide.md.jinja")
