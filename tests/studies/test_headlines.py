"""The sentences that studies start with."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from treecrf.io.files import write_frame
from treecrf.studies.cost.page import cost_headline
from treecrf.studies.framework.settings import load_settings
from treecrf.studies.future.page import future_headline
from treecrf.studies.missing.page import missing_headline
from treecrf.studies.training.page import distinct_datasets, training_headline


def peaks(**points):
    """Rows of the summary of training: peak of TreeCRF by data set, 60 published; what it chose is far off."""
    rows = [(name, "treecrf", "better", 10.0, 60 + value, 60.0, name == "stand_in") for name, value in points.items()]
    names = ["dataset", "method", "decoder", "chosen_accuracy", "peak_accuracy", "published", "stand_in"]
    return pd.DataFrame(rows, columns=names)


def places(dataset="protein", valid_test="sequences", **low):
    """Ranks on a data set: the first place that a method may have."""
    frame = pd.DataFrame({"method": low.keys(), "rank_low": low.values(), "dataset": dataset, "valid_test": valid_test})
    standing = ["best", *["not separated from the best"] * (len(frame) - 1)]
    return frame.assign(standing=np.where(frame["rank_low"] == 1, standing, "worse than another"))


def test_methods_that_are_not_separated_from_the_best_are_counted_apart():
    ranks = pd.concat([places(mallet=1, smile=1, treecrf=3), places("hyphen", mallet=1, treecrf=1)])
    assert training_headline(peaks(), ranks) == (
        "Best at the cross-validated choice, or equivalent to the best: MALLET on 2 of 2 data sets. Behind it, and not found worse "
        "by a valid test: SMILE on 1 of 1 data set, TreeCRF on 1 of 2."
    )


def test_data_sets_that_are_left_out_are_named():
    assert "MALLET on 1 of 1 data set (a and b, the same data as another, left out)." in training_headline(
        peaks(), places(mallet=1, treecrf=2), ["a", "b"]
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
    sentence = "TreeCRF is the only method never found worse than another by that test."
    assert (sentence in training_headline(peaks(), ranks)) == is_only
    assert "only method" not in training_headline(peaks(), places(treecrf=1, mallet=1))


def test_data_under_other_rules_are_not_counted_twice():
    settings = load_settings(
        {
            "profile": "own",
            "datasets": {
                "hmm": {},
                "free": {"source": "hmm", "groups": "none"},
                "long": {"source": "hmm", "options": {"length": 9}},
            },
            "training": {"datasets": ["hmm", "free", "long"]},
        }
    )
    assert distinct_datasets(settings, ["hmm", "free", "long"]) == ["hmm", "long"]


def test_ties_that_blocks_decide_say_so():
    ranks = pd.concat([places(treecrf=1, mallet=2), places("faq_aix", "blocks", treecrf=1, mallet=1)])
    assert " On faq_aix this is about these documents only, of which there are few." in training_headline(
        peaks(), ranks
    )


def test_published_peaks_are_compared_with_peaks():
    text = training_headline(peaks(protein=0.91, nettalk=0.89, hyphen=-0.55, stand_in=9.0), places())
    assert text.endswith("median +0.89 points over 3 data sets, largest +0.91 on protein.")


def test_the_headline_of_missing_values_counts_all_that_are_equal_at_the_shown_precision():
    counts = {"n_positions": 100_000, "n_correct": [90_000, 80_001, 80_000, 70_000], "rate": [0, 0.4, 0.4, 0.4]}
    methods = ["imputation", "imputation", "indicator", "surrogate_splitting"]
    names = ("imputation", "indicator", "surrogate_splitting")
    rows = [("a", 0.4, *pair, -1.0, 1.0, 9.0, "undecided") for pair in combinations(names[:2], 2)]
    rows += [("a", 0.4, name, names[2], -10.0, 1.0, 9.0, "worse") for name in names[:2]]
    columns = [
        "dataset",
        "rate",
        "baseline",
        "method",
        "accuracy_points",
        "points_standard_error",
        "degrees_of_freedom",
        "decision",
    ]
    tested = pd.DataFrame(rows, columns=columns)
    text = missing_headline(pd.DataFrame({"dataset": "a", "method": methods, **counts}), tested)
    assert text.startswith(
        "With missing cells (a case is a data set and a share): Best or equivalent to the best: imputation in 1 of 1 case, "
        "indicator in 1 of 1."
    )
    assert text.endswith("With 40% missing even the best method loses 10.0 points on average.")


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


def test_without_holes_no_method_is_named():
    counts = pd.DataFrame({"dataset": "a", "method": ["imputation", "indicator"], "rate": 0.0, "n_correct": [9, 8]})
    assert missing_headline(counts.assign(n_positions=10), pd.DataFrame()) == ""


def found_best(**accuracies):
    """The best variants of a data set: accuracy on validation and on test sets by method."""
    rows = [("a", name, "no bag", *both) for name, both in accuracies.items()]
    return pd.DataFrame(rows, columns=["dataset", "method", "bag", "validation_mean", "test_mean"])


def compared_pairs(*rows, dataset="a"):
    """Comparisons of a data set: method, other, points, decision."""
    frame = pd.DataFrame(rows, columns=["method", "other", "accuracy_points", "decision"])
    names = ("points_low", "points_high", "low_90", "high_90", "valid_p_value", "median_p")
    return frame.assign(dataset=dataset, **dict.fromkeys(names, 0.01))


AGAINST = (
    "The best labeller with discovered future features against the best one without, each the best on the validation sets, by "
    "a valid test: "
)


def test_discovered_features_win_by_a_valid_test_alone():
    """On the test sets they are ahead on both."""
    best = found_best(crf_1=(80, 80), ff_memm_0=(90, 90))
    both = pd.concat([best, best.assign(dataset="b")])
    b = compared_pairs(("ff_memm_0", "crf_1", 10.0, "undecided"), dataset="b")
    found = pd.concat([compared_pairs(("ff_memm_0", "crf_1", 9.0, "better")), b])
    assert future_headline(both, found) == (
        f"{AGAINST}better on 1 of 2 data sets, undecided on 1. Largest significant difference: +9.00 points on a, FF-MEMM-0 "
        "against TreeCRF-1."
    )
    undecided = pd.concat([compared_pairs(("ff_memm_0", "crf_1", 9.0, "equivalent")), b])
    assert future_headline(both, undecided) == f"{AGAINST}equivalent on 1 of 2 data sets, undecided on 1."


def test_differences_are_corrected_over_the_data_sets():
    """Holm makes 0.03 + 0.03 of two tests, of which neither is below 0.05."""
    best = found_best(crf_1=(80, 80), ff_memm_0=(90, 90))
    pair = compared_pairs(("ff_memm_0", "crf_1", 9.0, "better")).assign(valid_p_value=0.03)
    assert future_headline(best, pair).startswith(f"{AGAINST}better on 1 of 1 data set.")
    both = [pd.concat([frame, frame.assign(dataset="b")]) for frame in (best, pair)]
    assert future_headline(*both) == f"{AGAINST}undecided on 2 of 2 data sets."


def test_the_best_is_what_validation_chooses_and_not_the_test_set():
    best = found_best(crf_1=(80, 70), crf_2=(70, 80), ff_memm_0=(60, 90), ff_crf_1=(75, 50))
    rows = [("crf_1", "ff_crf_1", 20.0, "better"), ("ff_memm_0", "crf_2", 10.0, "better")]
    text = future_headline(best, compared_pairs(*rows))
    assert text.startswith(f"{AGAINST}worse on 1 of 1 data set.")
    assert text.endswith("−20.00 points on a, FF-TreeCRF-1 against TreeCRF-1.")


def test_without_labellers_of_both_kinds_no_one_wins():
    best = found_best(crf_1=(80, 70), crf_2=(70, 80))
    assert future_headline(best, compared_pairs(("crf_2", "crf_1", 10.0, None))) == ""
