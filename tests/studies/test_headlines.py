"""The sentences that studies start with."""

import pandas as pd
import pytest

from treecrf.io.files import write_frame
from treecrf.studies.cost.page import cost_headline
from treecrf.studies.future.page import future_headline
from treecrf.studies.missing.page import missing_headline
from treecrf.studies.training.page import training_headline


def peaks(**points):
    """Rows of the summary of training: peak of TreeCRF by data set, 60 published; what it chose is far off."""
    rows = [(name, "treecrf", "better", 10.0, 60 + value, 60.0, name == "stand_in") for name, value in points.items()]
    names = ["dataset", "method", "decoder", "chosen_accuracy", "peak_accuracy", "published", "stand_in"]
    return pd.DataFrame(rows, columns=names)


def places(dataset="protein", valid_test="sequences", **low):
    """Ranks on a data set: the first place that a method may have."""
    frame = pd.DataFrame({"method": low.keys(), "rank_low": low.values(), "dataset": dataset, "valid_test": valid_test})
    return frame.assign(tied_for_best=frame["rank_low"] == 1)


def test_no_method_wins_that_is_tied_for_best():
    ranks = pd.concat([places(mallet=1, smile=1, treecrf=3), places("hyphen", mallet=1, treecrf=1)])
    assert training_headline(peaks(), ranks) == (
        "Tied for best at the cross-validated choice, not told apart by a valid test: MALLET on 2 of 2 data sets, SMILE on 1, "
        "TreeCRF on 1; ties count for each."
    )


@pytest.mark.parametrize(
    ("second", "is_only"),
    [
        ({"treecrf": 1, "mallet": 2}, True),
        ({"treecrf": 2, "mallet": 1}, False),  # each is worse somewhere
        ({"mallet": 1}, False),  # TreeCRF was not run everywhere
    ],
)
def test_only_a_method_that_is_nowhere_worse_is_called_so(second, is_only):
    ranks = pd.concat([places(treecrf=1, mallet=2), places("hyphen", **second)])
    sentence = "TreeCRF is the only method never worse than another by that test."
    assert (sentence in training_headline(peaks(), ranks)) == is_only
    assert "only method" not in training_headline(peaks(), places(treecrf=1, mallet=1))


def test_ties_that_blocks_decide_say_so():
    ranks = pd.concat([places(treecrf=1, mallet=2), places("faq_aix", "blocks", treecrf=1, mallet=1)])
    assert "On faq_aix that is about these documents only" in training_headline(peaks(), ranks)


def test_published_peaks_are_compared_with_peaks():
    text = training_headline(peaks(protein=0.91, nettalk=0.89, hyphen=-0.55, stand_in=9.0), places())
    assert text.endswith("median +0.89 points over 3 data sets, largest +0.91 on protein.")


def test_the_headline_of_missing_values_counts_all_that_are_equal_at_the_shown_precision():
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
    powers = {"treecrf": 1, "induced_crf": 2}
    rows = [(name, r, n, 0.1 * n**power) for name, power in powers.items() for r in (0, 1) for n in lengths]
    frame = pd.DataFrame(rows, columns=["method", "repeat", "value", "seconds"])
    assert cost_headline(tmp_path) == ""
    write_frame(frame.assign(axis="length", quantity="forward_backward"), tmp_path / "cost/scaling.csv")
    assert cost_headline(tmp_path) == (
        "CPU seconds of forward-backward grow with length to the power 1.00 (TreeCRF, 95 % interval 1.00 to 1.00) and 2.00 (CRF "
        "with induction, 95 % interval 2.00 to 2.00), over lengths 40 to 80; 1 is linear."
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
