"""What the page of somebody's own data says of holes."""

import pandas as pd

from treecrf_studies.missing.advice import answers

METHODS = ("instance_weighting", "imputation")


def frames(lost):
    """Two ways at two rates, the second tested; imputation is found worse at the rates `lost`."""
    evaluations = [
        {
            "dataset": "words",
            "rate": rate,
            "method": method,
            "draw": 0,
            "test_set": 0,
            "n_positions": 100,
            "n_correct": correct - place,
        }
        for rate, correct in ((0.0, 90), (0.2, 80))
        for place, method in enumerate(METHODS)
    ]
    comparisons = [
        {
            "dataset": "words",
            "rate": 0.2,
            "other": METHODS[0],
            "method": METHODS[1],
            "value": -1.0,
            "standard_error": 2.0,
            "degrees_of_freedom": 9.0,
            "decision": "worse" if 0.2 in lost else "undecided",
        }
    ]
    return pd.DataFrame(evaluations), pd.DataFrame(comparisons)


def said(lost=(), n_missing=0):
    descriptions = {"words": {side: {"missing_cells": n_missing} for side in ("train", "test")}}
    return answers(descriptions, *frames(lost))


def test_what_holes_cost():
    note, table = said(lost=[0.2], n_missing=700)
    assert (
        "loses 10.00 percentage points if a further 20 % of the cells are missing completely at random. 1,400 cells"
        in note.text
    )
    assert "in the data. For instance weighting, no test finds a better method at any share." in note.text
    assert table.layout.to_numpy().tolist() == [
        ["0 %", "90.00", "0.00", "instance weighting", "–"],
        ["20 %", "80.00", "−10.00", "instance weighting", "–"],
    ]


def test_ways_that_no_test_tells_apart():
    note, table = said()
    assert "No cell is missing in the data." in note.text
    assert "No test separates the methods" in note.text
    assert table.layout["not separated from the best"].tolist() == ["–", "imputation"]


def test_a_single_rate_has_no_answer():
    evaluations, comparisons = frames([])
    descriptions = {"words": {side: {"missing_cells": 0} for side in ("train", "test")}}
    assert answers(descriptions, evaluations[evaluations["rate"] == 0], comparisons) == []
