"""Which method for missing values to use when, from planted frames."""

import pandas as pd
import pytest

from treecrf_studies.missing.advice import (
    BEATEN,
    USES,
    accuracy_table,
    advice,
    advice_layout,
    advice_sentences,
    judge,
    recommended,
)
from treecrf_studies.missing.ranking import CASE
from treecrf_studies.rendering.cells import TOP
from treecrf_studies.rendering.parts import Table
from treecrf_studies.rendering.style import METHOD_NAMES

WEIGHTING, IMPUTATION, INDICATOR = "instance_weighting", "imputation", "indicator"

PERCENT = {
    ("a", 0.0): {WEIGHTING: 90, IMPUTATION: 90, INDICATOR: 90},
    ("a", 0.1): {WEIGHTING: 88, IMPUTATION: 85, INDICATOR: 87},
    ("a", 0.4): {WEIGHTING: 80, IMPUTATION: 74, INDICATOR: 80},
}
"""Accuracies by case; differences above two points are significant."""


def evaluations_of(percent, **columns):
    rows = [
        {"dataset": dataset, "rate": rate, "method": method, "draw": 0, "n_positions": 100, "n_correct": value}
        for (dataset, rate), methods in percent.items()
        for method, value in methods.items()
    ]
    return pd.DataFrame(rows).assign(test_set=0, stand_in=False, **columns)


def comparisons_of(percent, at_zero=False, **columns):
    rows = []
    for (dataset, rate), methods in percent.items():
        for method, value in methods.items():
            for baseline, other in methods.items():
                points = float(value - other)
                decision = "undecided" if abs(points) <= 2 else "better" if points > 0 else "worse"
                interval = {"family_low": points - 1.5, "family_high": points + 1.5}
                pair = {"dataset": dataset, "rate": rate, "other": baseline, "method": method, "decision": decision}
                p_value = 0.5 if decision == "undecided" else 0.01
                errors = {"standard_error": 0.5, "degrees_of_freedom": 100.0, "p_holm": p_value}
                if method != baseline and (rate or at_zero):
                    rows.append(pair | {"value": points} | interval | errors)
    return pd.DataFrame(rows).assign(**columns)


def costs_of(seconds):
    """Ten iterations of a training, and what counts to none of them."""
    rows = [
        {
            "dataset": "a",
            "rate": 0.1,
            "method": method,
            "draw": 0,
            "phase": phase,
            "cpu_seconds": each,
            "n_iterations": 10,
        }
        for method, value in seconds.items()
        for phase, each in (("choice", 1e6), ("gradient", 4 * value), ("trees", 6 * value), ("prediction", 1e4))
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def frames():
    seconds = {WEIGHTING: 6.0, IMPUTATION: 2.0, INDICATOR: 1.0}
    return evaluations_of(PERCENT), comparisons_of(PERCENT), costs_of(seconds)


def test_the_method_with_the_smallest_gap_is_recommended(frames):
    evaluations, comparisons, _ = frames
    judged = judge([(evaluations, comparisons, CASE)])
    assert set(judged["rate"]) == {0.1, 0.4}  # nothing is missing at 0
    assert recommended(judged) == WEIGHTING
    (text,) = advice_sentences(judged)
    assert text == (
        "Use instance weighting for values missing completely at random. Its mean gap to the best method of 2 cases: "
        "0.00 percentage points, never significantly worse than another method. The second is indicator: −0.50 "
        "percentage points, never significantly worse than another method."
    )


def test_cases_with_missing_cells_of_their_own_count_at_rate_0():
    percent = {("a", 0.0): {WEIGHTING: 70, IMPUTATION: 80}}
    judged = judge([(evaluations_of(percent), comparisons_of(percent, at_zero=True), CASE)])
    assert recommended(judged) == IMPUTATION
    assert recommended(judge([(evaluations_of(percent), comparisons_of(PERCENT), CASE)])) is None


def test_the_table_has_gaps_standings_and_cpu_time_of_an_iteration(frames):
    evaluations, comparisons, costs = frames
    layout = advice_layout(judge([(evaluations, comparisons, CASE)]), costs).set_index("method")
    assert layout.loc["imputation", "gap, completely at random (points)"] == "−4.50"
    assert layout.loc["imputation", "best or tied / worse, completely at random"] == "0 / 2 of 2"
    assert layout["CPU time"].to_dict() == {"instance weighting": "3.0", "imputation": "1.0", "indicator": "0.5"}
    assert not any("not at random" in head for head in layout)  # no such case


def test_mechanisms_are_told_apart_by_what_absence_depends_on():
    percent = {("a", 0.2): {WEIGHTING: 70, IMPUTATION: 75}}
    parts = [
        (evaluations_of(percent, mechanism=name), comparisons_of(percent, mechanism=name), (*CASE, "mechanism"))
        for name in ("mcar", "runs", "test_only", "observations", "mar", "mnar", "label")
    ]
    kinds = judge(parts).groupby("missing")["mechanism"].agg(set).to_dict()
    assert kinds == {
        "completely at random": {"mcar", "runs", "test_only", "observations"},
        "at random": {"mar"},
        "not at random": {"mnar", "label"},
    }


def test_accuracies_of_the_command_are_marked_where_methods_were_compared(frames):
    table = accuracy_table(*frames).set_index("method")
    assert list(table.columns) == ["0 %", "10 %", "40 %", "CPU time"]
    assert list(table["0 %"]) == ["90.0"] * 3
    assert table.loc["instance weighting", "10 %"] == f"88.0 {TOP}"
    assert list(table["40 %"]) == [f"80.0 {TOP}", f"74.0 {BEATEN}", f"80.0 {TOP}"]


def test_the_page_shows_what_speaks_against_instance_weighting(frames):
    percent = {("a", 0.2): {WEIGHTING: 70, IMPUTATION: 75}}
    equal = {("a", 0.2): {WEIGHTING: 75, IMPUTATION: 76}}
    mechanism = (
        pd.concat([evaluations_of(percent, mechanism="mnar"), evaluations_of(equal, mechanism="mar")]),
        pd.concat([comparisons_of(percent, mechanism="mnar"), comparisons_of(equal, mechanism="mar")]),
    )
    *_, told, last = advice(*frames, *mechanism)
    assert "worse than the best method if values are missing by its own value in 1 of 1 case." in told.text
    assert "If they are missing by a neighbour's value, no test finds it worse than the best method." in told.text
    assert "−5.00 points (−6.50 to −3.50) vs imputation" in last.text
    alone = advice(*frames)
    assert [part.caption for part in alone if isinstance(part, Table)] == ["Which method to use when"]
    assert advice(frames[0], frames[1][:0], frames[2]) == []


def test_every_method_has_a_use():
    assert list(USES) == list(METHOD_NAMES)
