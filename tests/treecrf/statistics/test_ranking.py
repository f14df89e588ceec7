"""How methods stand to the best one, and ranks that comparisons leave open."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from treecrf.statistics.estimates import CONFIDENCE, Estimates, decide
from treecrf.statistics.ranking import BEST, CLOSE, EQUIVALENT, NOT_SEPARATED, WORSE, rank_cases, rank_methods

POINTS = pd.Series({"bob": 90.0, "ada": 95.0, "eve": 94.0, "dan": 80.0})


def comparisons(half=3.0, points=POINTS, **decisions):
    """Decisions by the first letters of two methods, undecided where not given; single intervals of points +- half."""
    names = list(points.index)
    rows = [
        (one, other, points[one] - points[other], decisions.get(one[0] + other[0], "undecided"))
        for i, one in enumerate(names)
        for other in names[i + 1 :]
    ]
    frame = pd.DataFrame(rows, columns=["method", "other", "value", "decision"])
    return frame.assign(standard_error=half / norm.ppf(0.975), degrees_of_freedom=np.inf)


def standing(decision, half, gap=0.3):
    """Of the second of two methods that is behind by so many points, with an interval of so many to each side."""
    points = pd.Series({"first": 90.0, "second": 90.0 - gap})
    return rank_methods(points, comparisons(half, points, fs=decision)).set_index("method").loc["second", "standing"]


def test_ranks_by_hand():
    tested = comparisons(bd="better", ad="better", ed="better", ba="worse")
    ranks = rank_methods(POINTS, tested).set_index("method")
    assert ranks.index.tolist() == ["ada", "eve", "bob", "dan"]
    assert ranks["rank"].tolist() == [1, 2, 3, 4]
    assert ranks["standing"].tolist() == [BEST, NOT_SEPARATED, WORSE, WORSE]
    assert ranks["rank_low"].tolist() == [1, 1, 2, 4]
    assert ranks["rank_high"].tolist() == [2, 3, 3, 4]
    gaps = ranks[["gap_points", "gap_low", "gap_high"]].to_numpy()
    half = 3 * norm.ppf(1 - 0.025 / 6) / norm.ppf(0.975)  # of six pairs
    np.testing.assert_allclose(gaps[1:, 1:], [[gap - half, gap + half] for gap in (-1, -5, -15)], rtol=1e-6)
    np.testing.assert_array_equal(gaps[:, 0], [np.nan, -1, -5, -15])


def test_a_method_far_behind_that_no_test_separates_is_not_called_near_the_best():
    """FAQ documents: 86.96 % beside 97.81 %, and too few documents to tell them apart."""
    assert standing("undecided", 12.0, gap=10.85) == NOT_SEPARATED


@pytest.mark.parametrize(
    ("decision", "half", "expected"),
    [
        ("equivalent", 0.15, EQUIVALENT),
        ("undecided", 0.699, CLOSE),  # to 0.999 below
        ("undecided", 0.701, NOT_SEPARATED),
        ("undecided", np.nan, NOT_SEPARATED),
        ("better", 0.1, WORSE),
        ("equivalent", 5.0, EQUIVALENT),  # the decision comes before the interval
    ],
)
def test_standing_of_a_method_behind_the_best(decision, half, expected):
    assert standing(decision, half) == expected


def test_who_is_worse_than_another_is_so_whatever_the_best_says():
    points = pd.Series({"a": 90.0, "b": 89.9, "c": 89.7})
    ranks = rank_methods(points, comparisons(0.1, points, ab="equivalent", ac="equivalent", bc="better"))
    assert ranks["standing"].tolist() == [BEST, EQUIVALENT, WORSE]


def test_noise_ranks_nothing():
    ranks = rank_methods(POINTS, comparisons(20.0))
    assert ranks["standing"].tolist() == [BEST, *[NOT_SEPARATED] * 3]
    assert (ranks["rank_low"] == 1).all()
    assert (ranks["rank_high"] == 4).all()


def test_equals_share_the_first_rank():
    points = pd.Series({"one": 50.0, "two": 70.0, "three": 70.0})
    rows = [("one", "two", -20.0, "worse"), ("one", "three", -20.0, "worse"), ("two", "three", 0.0, "undecided")]
    tested = pd.DataFrame(rows, columns=["method", "other", "value", "decision"])
    ranks = rank_methods(points, tested.assign(standard_error=1.0, degrees_of_freedom=9.0))
    assert ranks["method"].tolist() == ["two", "three", "one"]
    assert ranks["rank"].tolist() == [1, 1, 3]
    assert ranks["standing"].tolist() == [BEST, BEST, WORSE]


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_of_the_gap_leaves_out_0_only_where_the_best_is_decided_to_be_better(seed):
    """Decisions and intervals are of one error model."""
    rng = np.random.default_rng(seed)
    points = pd.Series(rng.normal(90, 1.5, 6), index=list("abcdef"))
    pairs = comparisons(points=points).assign(degrees_of_freedom=4.0)
    pairs["standard_error"] = rng.uniform(0.1, 0.3, len(pairs))
    estimates = Estimates(*pairs[["value", "standard_error", "degrees_of_freedom"]].to_numpy().T)
    pairs["decision"] = decide(estimates.points, estimates.p_holm, *estimates.interval(CONFIDENCE))
    ranks = rank_methods(points, pairs).set_index("method")
    best = ranks.index[0]
    pairs = pairs.assign(is_significant=estimates.p_value < 0.05 / len(pairs))
    for method, row in ranks[1:].iterrows():
        pair = pairs[pairs[["method", "other"]].isin([best, method]).all(axis=1)].iloc[0]
        assert (row["gap_high"] < 0) == pair["is_significant"]
        assert row["gap_high"] >= 0 or row["standing"] == WORSE


@pytest.mark.parametrize(
    "change", [lambda f: f[1:], lambda f: pd.concat([f, f[:1]]), lambda f: f.replace("bob", "zoe")]
)
def test_pairs_must_be_complete(change):
    with pytest.raises(ValueError, match="each of their 6 pairs once"):
        rank_methods(POINTS, change(comparisons()))


def test_cases_whose_pairs_are_not_all_tested_are_left_out():
    accuracies = pd.DataFrame({"method": POINTS.index, "value": POINTS.to_numpy()})
    accuracies = pd.concat([accuracies.assign(dataset=name) for name in ("one", "two", "three")])
    tested = pd.concat([comparisons().assign(dataset="one"), comparisons()[1:].assign(dataset="two")])
    found = rank_cases(accuracies, tested, ["dataset"])
    expected = rank_methods(POINTS, comparisons())
    pd.testing.assert_frame_equal(found, expected.assign(dataset="one")[found.columns])
    assert rank_cases(accuracies, tested.iloc[:0], ["dataset"]).empty
