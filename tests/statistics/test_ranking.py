"""Ranks that comparisons leave open."""

import pandas as pd
import pytest

from treecrf.statistics.ranking import rank_methods

POINTS = pd.Series({"bob": 90.0, "ada": 95.0, "eve": 94.0, "dan": 80.0})


def comparisons(**p_values):
    """p-values by the first letters of two methods; 1 where not given."""
    names = list(POINTS.index)
    rows = [
        (one, other, POINTS[one] - POINTS[other], p_values.get(one[0] + other[0], 1.0))
        for i, one in enumerate(names)
        for other in names[i + 1 :]
    ]
    return pd.DataFrame(rows, columns=["method", "other", "accuracy_points", "p_value"])


def test_ranks_by_hand():
    ranks = rank_methods(POINTS, comparisons(ad=0.001, bd=0.001, ed=0.001, ba=0.01)).set_index("method")
    assert ranks.index.tolist() == ["ada", "eve", "bob", "dan"]
    assert ranks["rank"].tolist() == [1, 2, 3, 4]
    assert ranks["tied_for_best"].tolist() == [True, True, False, False]
    assert ranks["rank_low"].tolist() == [1, 1, 2, 4]
    assert ranks["rank_high"].tolist() == [2, 3, 3, 4]


def test_noise_ranks_nothing():
    ranks = rank_methods(POINTS, comparisons())
    assert ranks["tied_for_best"].all()
    assert (ranks["rank_low"] == 1).all()
    assert (ranks["rank_high"] == 4).all()


def test_family_is_all_pairs():
    # 0.02 alone is below the level, and six times that is not.
    assert rank_methods(POINTS, comparisons(ba=0.02))["tied_for_best"].all()
    assert not rank_methods(POINTS, comparisons(ba=0.008))["tied_for_best"].all()


def test_order_of_a_pair_does_not_matter():
    some = comparisons(ad=0.001, bd=0.001, ba=0.001)
    turned = some.rename(columns={"method": "other", "other": "method"}).assign(
        accuracy_points=-some["accuracy_points"]
    )
    pd.testing.assert_frame_equal(
        rank_methods(POINTS, some), rank_methods(POINTS, turned.sample(frac=1, random_state=0))
    )


def test_equals_share_the_first_rank():
    points = pd.Series({"one": 50.0, "two": 70.0, "three": 70.0})
    rows = [("one", "two", -20.0, 1e-5), ("one", "three", -20.0, 1e-5), ("two", "three", 0.0, 1.0)]
    ranks = rank_methods(points, pd.DataFrame(rows, columns=["method", "other", "accuracy_points", "p_value"]))
    assert ranks["method"].tolist() == ["two", "three", "one"]
    assert ranks["rank"].tolist() == [1, 1, 3]
    assert ranks["tied_for_best"].tolist() == [True, True, False]


@pytest.mark.parametrize(
    "change", [lambda f: f[1:], lambda f: pd.concat([f, f[:1]]), lambda f: f.replace("bob", "zoe")]
)
def test_pairs_must_be_complete(change):
    with pytest.raises(ValueError, match="each of their 6 pairs once"):
        rank_methods(POINTS, change(comparisons()))
