"""The sentences that studies start with."""

import numpy as np
import pandas as pd

from treecrf.io.files import write_frame
from treecrf.studies.cost.page import cost_headline
from treecrf.studies.future.page import future_headline
from treecrf.studies.missing.page import missing_headline
from treecrf.studies.training.page import training_headline


def outcomes(**percent):
    """Rows of the summary of training: (mean over perturbed runs, one training) by method."""
    rows = [("protein", name, "better", *values, np.nan, False) for name, values in percent.items()]
    names = ["dataset", "method", "decoder", "chosen_mean", "chosen_accuracy", "published", "stand_in"]
    return pd.DataFrame(rows, columns=names)


def test_headlines_count_all_that_are_equal_at_the_shown_precision():
    text = training_headline(outcomes(mallet=(np.nan, 63.721), smile=(np.nan, 63.719), treecrf=(62.87, 70.0)))
    assert text == (
        "Most accurate at the cross-validated choice (mean over perturbed runs; one training of methods without such runs): "
        "MALLET on 1 of 1 data set, SMILE on 1; ties count for each."
    )
    text = training_headline(outcomes(treecrf=(63.7, 70.0), linear_crf=(63.6, 70.0)))
    assert text == "Most accurate at the cross-validated choice: TreeCRF on 1 of 1 data set."
    counts = {"n_positions": 100_000, "n_correct": [90_000, 80_001, 80_000, 70_000], "rate": [0, 0.4, 0.4, 0.4]}
    methods = ["imputation", "imputation", "indicator", "surrogate_splitting"]
    worse = {"dataset": "a", "rate": 0.4, "baseline": "imputation", "method": "surrogate_splitting"}
    tested = pd.DataFrame([worse | {"decision": "worse"}, worse | {"method": "indicator", "decision": "undecided"}])
    text = missing_headline(pd.DataFrame({"dataset": "a", "method": methods, **counts}), tested)
    assert text.startswith(
        "Not significantly worse than the best method with missing cells: imputation in 1 of 1 case (data set and share), "
        "indicator in 1; ties count for each."
    )
    assert text.endswith(
        "10.0 points ahead of the worst, on average. With 40% missing even the best method loses 10.0 points on average."
    )


def test_the_headline_of_cost_tells_how_seconds_grow_with_length(tmp_path):
    lengths = [10, 20, 40, 80]
    rows = [("treecrf", n, 0.1 * n) for n in lengths] + [("induced_crf", n, 0.1 * n**2) for n in lengths]
    frame = pd.DataFrame(rows, columns=["method", "value", "seconds"])
    assert cost_headline(tmp_path) == ""
    write_frame(frame.assign(axis="length", quantity="forward_backward"), tmp_path / "cost/scaling.csv")
    assert cost_headline(tmp_path) == (
        "CPU seconds of forward-backward grow with length to the power 1.00 (TreeCRF) and 2.00 (CRF with induction), over "
        "lengths 40 to 80; 1 is linear."
    )


def test_the_headline_of_future_features_names_ties():
    rows = [
        ("a", "ff_memm_0", 90.001),
        ("a", "crf_1", 90.004),
        ("b", "ff_memm_0", 80.0),
        ("b", "crf_1", 70.0),
        ("b", "crf_2", 70.001),
    ]
    text = future_headline(pd.DataFrame(rows, columns=["dataset", "method", "test_mean"]))
    assert "on 1 of 2 data sets, and as accurate on 1. Median difference: +5.00 points; largest on b: " in text
    assert text.endswith("largest on b: FF-MEMM-0 80.00 %, TreeCRF-1 and TreeCRF-2 70.00 %.")
