"""A page to read in five minutes: which method for missing values to use when, from the numbers of one run.

Every number is computed from the study's frames, and every sentence that judges is chosen by a small function from
those numbers. Only definitions are written down here: what a method does and assumes, and how the study is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from treecrf.rendering.layouts import BEST
from treecrf.rendering.style import method_name
from treecrf.studies.missing.guide.numbers import _cost_of, _kinds, _prepare, _records, _Run, _spans
from treecrf.studies.missing.guide.sentences import (
    DEFINITIONS,
    MEAN_OF_DATA_SETS,
    OWN_DEFINITION,
    _advice,
    _cost_words,
    _does_the_choice_matter,
    _false_alarms,
    _few_data_sets,
    _for_kind,
    _gains,
    _holes_at_random,
    _holes_or_choice,
    _how_to_read,
    _in_seconds,
    _informative,
    _leaders,
    _least_behind,
    _loss_in_short,
    _no_reference,
    _nothing_missing,
    _nothing_to_compare,
    _overall_tests,
    _own_holes,
    _picks_by_kind,
    _prices,
    _shared_data,
    _stand_ins,
    _unclustered,
    _untested,
    _verdict,
    _visible_differences,
)
from treecrf.studies.missing.guide.tables import WORSE, _accuracy_table, _cost_table, _loss_table, _record_table
from treecrf.studies.missing.guide.words import _and, _capital, _code, _joined, _list, _rates

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
        dataset, rate, baseline, method, coefficient, p_holm, clustered_p_holm, points_low, points_high, with
        every method as the baseline (`treecrf.statistics.deviance.compare_all`). Rate 0 is there only if the data have holes
        of their own.
    costs : DataFrame
        dataset, rate, method, training_set, phase, cpu_seconds, n_iterations.
    deviance : DataFrame, optional
        dataset, rate, term, p_value.
    command : str
        What makes this page anew for a reader's own file; shown as it is.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no evaluation, or if the comparisons have a data set, rate or method that the evaluations lack.

    Notes
    -----
    A method is clearly worse than another if its coefficient against that one is negative with p < 0.05, after Holm's
    correction, with errors clustered by test sequence; where there is no such p-value, by the plain one.
    """
    run = _prepare(evaluations, comparisons, costs, deviance)
    sections = (
        ("The short answer", _short_answer(run)),
        ("What holes cost, and whether the choice matters", _losses(run)),
        ("Accuracy by data set", _accuracies(run)),
        ("What each method costs to run", _costs(run)),
        ("When to use which", _decisions(run)),
        ("How sure this is", _certainty(run)),
        ("The same page for your own data", _regenerate(command)),
    )
    blocks = ["# Missing values: which method to use", _origin(run)]
    for number, (title, body) in enumerate(sections, 1):
        blocks += [f"## {number}. {title}", *(block for block in body if block)]
    return "\n\n".join(blocks) + "\n"


def recommendation(
    evaluations: pd.DataFrame,
    comparisons: pd.DataFrame,
    costs: pd.DataFrame,
    deviance: pd.DataFrame | None = None,
) -> tuple[str | None, str]:
    """The guide's short answer alone, without its table.

    Parameters are those of `missing_values_guide`.

    Returns
    -------
    method : str or None
        The method that it names first; None where none was compared.
    text : str
        Which method to use, and why, in Markdown.
    """
    run = _prepare(evaluations, comparisons, costs, deviance)
    method = None if run.judged.empty else _records(run.judged)[0].method
    blocks = [block for block in _short_answer(run) if block and not block.startswith("|")]
    return method, SECTION.sub("", "\n\n".join(blocks)) + "\n"


def accuracy_table(evaluations: pd.DataFrame, comparisons: pd.DataFrame, costs: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of each method by rate, for one data set, with the marks of the guide.

    Parameters are those of `missing_values_guide`.

    Returns
    -------
    DataFrame
        method, then a column for each rate, such as "10 %": percent, followed by `BEST` for the best mean of the rate
        and by `WORSE` for a method that is clearly worse than it.
    """
    run = _prepare(evaluations, comparisons, costs, None)
    marks = run.judged.set_index(["rate", "method"])
    rows = []
    for method in run.methods:
        row = {"method": method_name(method)}
        for rate, percent in run.accuracy.loc[run.accuracy["method"] == method, ["rate", "percent"]].itertuples(
            index=False, name=None
        ):
            judged = marks.loc[(rate, method)] if (rate, method) in marks.index else None
            mark = "" if judged is None else BEST if judged["best"] else WORSE if judged["worse"] else ""
            row[f"{100 * rate:g} %"] = f"{percent:.1f} {mark}".rstrip()
        rows.append(row)
    return pd.DataFrame(rows)


def _origin(run: _Run) -> str:
    rates = sorted(rate for rate in run.accuracy["rate"].unique() if rate > 0)
    holes = f"holes made in {_rates(rates)} of the cells" if rates else "no holes made"
    return (
        f"Methods: {_and(method_name(method) for method in run.methods)}. Data: {_and(_code(run.datasets))}, with "
        f"{holes}, in training and test alike. Every number and every verdict below was computed by the run that wrote "
        "this page; other data or settings give another page."
    )


def _short_answer(run: _Run) -> Iterator[str]:
    judged = run.judged
    if judged.empty:
        yield _nothing_to_compare(run.methods)
        return
    records = _records(judged)
    picks = _picks_by_kind(judged, _kinds(judged))
    always_beaten = all(record.n_beaten for record in records)
    if always_beaten and len({name for _, name in picks}) > 1:
        yield "**It depends on the data.**"
        yield _list(f"{title}: **{name}**." for title, name in picks)
        yield _advice(records)
    elif always_beaten and len(picks) > 1:
        yield f"**Use {picks[0][1]}: it is the choice for each kind of data of this run.**"
        yield _advice(records)
    else:
        yield f"**{_advice(records)}**"
    yield _leaders(judged)
    answers = [
        _least_behind(records),
        _loss_in_short(_spans(run.cells, run.accuracy)),
        _prices(_cost_of(run.costs), run.yardstick),
    ]
    yield _list(answers)
    yield _record_table(records)
    yield _how_to_read(judged, run.comparisons)


def _losses(run: _Run) -> Iterator[str]:
    if run.cells.empty:
        yield "The run made no holes and found none: add rates above 0 to `missing.rates`."
        return
    spans = _spans(run.cells, run.accuracy)
    several = len(run.datasets) > 1
    yield (
        f"Points of accuracy lost against rate 0{MEAN_OF_DATA_SETS if several else ''}. Best and worst method: those with the "
        f"highest and the lowest mean {'of each data set and rate' if several else 'at each rate'}, so they need not be the "
        "same ones throughout."
    )
    yield _loss_table(spans, run)
    remarks = [
        _no_reference(spans),
        _gains(spans),
        _own_holes(run.own_holes),
        _does_the_choice_matter(spans),
        _holes_or_choice(spans),
    ]
    yield _list(remarks)


def _accuracies(run: _Run) -> Iterator[str]:
    yield (
        f"Percent of test positions labelled correctly, mean over the damaged training and test sets. Bold: the best mean "
        f"of the row, before rounding. {WORSE}: clearly worse than it. No mark: within noise of it."
        f"{_nothing_missing(run)}"
    )
    for dataset in run.datasets:
        rows = run.accuracy[run.accuracy["dataset"] == dataset]
        title = f"### {dataset}" + (" (stand-in)" if rows["stand_in"].any() else "")
        yield f"{title}\n\n{_accuracy_table(rows, run)}"


def _costs(run: _Run) -> Iterator[str]:
    if not run.costs["ratio"].notna().any():
        yield "No CPU time was measured."
        return
    over = " Geometric mean over the data sets." if len(run.datasets) > 1 else ""
    yield (
        f"CPU seconds of one training iteration; {run.yardstick} = 1.{over} The last columns: predicting a test set, "
        "likewise, and how many iterations a training chose."
    )
    yield _cost_table(run)
    yield _in_seconds(run)


def _decisions(run: _Run) -> Iterator[str]:
    judged = run.judged
    yield _holes_at_random(run.own_holes)
    kinds = _kinds(judged)
    if len(kinds) > 1:
        yield "By kind of data:"
        yield _list(_for_kind(judged, *kind) for kind in kinds)
    yield "By method, the least often beaten first:" if len(judged) else _nothing_to_compare(run.methods)
    records = {record.method: record for record in _records(judged)}
    costs = _cost_of(run.costs)
    unjudged = [method for method in run.methods if method not in records]
    items = []
    for method in [*records, *unjudged]:
        sentences = (
            _verdict(records[method], judged) if method in records else "",
            _cost_words(method, costs, run.yardstick),
            DEFINITIONS.get(method, OWN_DEFINITION),
            _informative(method, run.own_holes),
        )
        items.append(f"**{_capital(method_name(method))}.** {_joined(sentences)}")
    yield _list(items)


def _certainty(run: _Run) -> Iterator[str]:
    judged = run.judged
    items = [_few_data_sets(run.datasets), _stand_ins(run.accuracy), _shared_data(run.evaluations)]
    if len(judged):
        items = [
            "Each data set and rate has a logistic model of the odds that a position is labelled correctly, with a "
            "coefficient for every method and every damaged training set (dissertation, section 4.4). Standard errors are "
            "clustered by test sequence, since positions of one sequence are alike. Wald tests compare each method with "
            "each other one; Holm's method corrects for the number of methods compared with it.",
            _unclustered(run.comparisons),
            _untested(run.comparisons),
            _false_alarms(judged),
            _overall_tests(run.deviance),
            _visible_differences(run.comparisons, run.evaluations),
            *items,
        ]
    yield _list(items)


def _regenerate(command: str) -> Iterator[str]:
    yield (
        "Write your sequences into a CSV or Parquet file: one row per observation, a column that tells sequences apart, a "
        "column with the label, and the attributes; an empty cell is missing. Holes that are there already stay, and the "
        "row 0 % then shows how the methods handle them. Save this as `my.yaml` (`config/README.md` explains every key):"
    )
    yield (
        "```yaml\n"
        "datasets:\n"
        "  mine: {kind: table, path: mine.csv, sequence: sentence, label: tag, window: [1, 1]}\n"
        "missing:\n"
        "  datasets: [mine]\n"
        "  rates: [0, 0.05, 0.1, 0.2, 0.4]\n"
        "```"
    )
    yield "Then run:"
    yield f"```sh\n{command}\n```"
