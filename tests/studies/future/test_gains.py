"""What discovered features gain: the best labellers with and without them, as validation chooses them."""

import pandas as pd

from treecrf.studies.future.tables import gains


def found_best(**accuracies):
    """The best variants of a data set: accuracy on validation and on test sets by method."""
    rows = [("a", name, "no bag", *both) for name, both in accuracies.items()]
    return pd.DataFrame(rows, columns=["dataset", "method", "bag", "validation_mean", "test_mean"])


def compared_pairs(*rows, dataset="a"):
    """Comparisons of a data set: method, other, points, decision."""
    frame = pd.DataFrame(rows, columns=["method", "other", "accuracy_points", "decision"])
    names = ("points_low", "points_high", "low_90", "high_90", "valid_p_value", "median_p")
    return frame.assign(dataset=dataset, **dict.fromkeys(names, 0.01))


def decisions(best, comparisons):
    """Decision by data set."""
    return {name: pair.decision for name, pair in gains(best, comparisons).items()}


def test_discovered_features_win_only_where_the_test_decides_so():
    best = found_best(crf_1=(80, 80), ff_memm_0=(90, 90))
    both = pd.concat([best, best.assign(dataset="b")])
    b = compared_pairs(("ff_memm_0", "crf_1", 10.0, "undecided"), dataset="b")
    found = pd.concat([compared_pairs(("ff_memm_0", "crf_1", 9.0, "better")), b])
    assert decisions(both, found) == {"a": "better", "b": "undecided"}
    undecided = pd.concat([compared_pairs(("ff_memm_0", "crf_1", 9.0, "equivalent")), b])
    assert decisions(both, undecided) == {"a": "equivalent", "b": "undecided"}


def test_differences_are_corrected_over_the_data_sets():
    """Holm makes 0.03 + 0.03 of two tests, of which neither is below 0.05."""
    best = found_best(crf_1=(80, 80), ff_memm_0=(90, 90))
    pair = compared_pairs(("ff_memm_0", "crf_1", 9.0, "better")).assign(valid_p_value=0.03)
    assert decisions(best, pair) == {"a": "better"}
    both = [pd.concat([frame, frame.assign(dataset="b")]) for frame in (best, pair)]
    assert decisions(*both) == {"a": "undecided", "b": "undecided"}


def test_the_best_is_what_validation_chooses_and_not_the_test_set():
    best = found_best(crf_1=(80, 70), crf_2=(70, 80), ff_memm_0=(60, 90), ff_crf_1=(75, 50))
    rows = [("crf_1", "ff_crf_1", 20.0, "better"), ("ff_memm_0", "crf_2", 10.0, "better")]
    (pair,) = gains(best, compared_pairs(*rows)).values()
    assert (pair.method, pair.other, pair.points, pair.decision) == ("ff_crf_1", "crf_1", -20.0, "worse")


def test_without_labellers_of_both_kinds_no_one_wins():
    best = found_best(crf_1=(80, 70), crf_2=(70, 80))
    assert gains(best, compared_pairs(("crf_2", "crf_1", 10.0, None))) == {}
