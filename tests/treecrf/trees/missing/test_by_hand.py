"""Trees of two leaves on data with missing cells, worked by hand."""

import numpy as np
import pytest
from builders import HOLE_METHODS as METHODS

from treecrf import Attribute, SequenceSet, TreeCRF
from treecrf.trees.forest import FULL

X, Y, HOLE = 0, 1, -1
P, Q = 0, 1


def one_by_one(rows, names="ab"):
    """A sequence for each row (value of each attribute, label)."""
    values = np.array([row[:-1] for row in rows])
    attributes = [Attribute("a", ("x", "y")), Attribute("b", ("p", "q"))][: len(names)]
    return SequenceSet(values, np.arange(len(rows) + 1), attributes, [row[-1] for row in rows], ("A", "B"))


def one_split(rows, penalty, names="ab", **settings):
    """A tree of two leaves: at P = 1/2 the gradients for label A are 1/2 where it is A (0), else -1/2."""
    model = TreeCRF(1, 2, penalty, order=0, **settings).fit(one_by_one(rows, names))
    tree = model.forest_.tree(0)
    assert (tree.parents.tolist(), tree.columns.tolist(), tree.test(0).tolist()) == ([0], [0], [X])  # "a is x"
    np.testing.assert_array_equal(model.forest_.tree(1).values, -tree.values)  # label B: the opposite gradients
    return model


def values_of(model, rows, names="ab"):
    """The potential of label A for each row."""
    return model.potentials(one_by_one([(*row, 0) for row in rows], names))[0, :, 0]


def with_leaf_values(model, if_true, if_false):
    """The same splits with other leaf values for label A."""
    values = model.forest_.values.copy()
    values[:2] = if_false, if_true  # leaf 1 holds the rows of which the test is true
    model.forest_ = model.forest_._replace(values=values)
    return model


# x in 2 rows, y in 6, missing in 2, as in the docstring of treecrf.trees.missing.partition
TEN = [(X, 0)] * 2 + [(Y, 0)] + [(Y, 1)] * 5


def test_instance_weighting_by_hand():
    # Sums of gradients: x +1, y 1/2 - 5/2 = -2; the two unknown rows are B: -1, and a quarter of it goes to x.
    # Weights: 2 + 2/4 = 2.5 and 6 + 2 * 3/4 = 7.5; with lambda = 2.5
    # true:  (1 - 1/4) / (2.5 + 2.5) = 0.15, false: (-2 - 3/4) / (7.5 + 2.5) = -0.275,
    # unknown: 0.25 * 0.15 - 0.75 * 0.275 = -0.16875.
    model = one_split([*TEN, (HOLE, 1), (HOLE, 1)], 2.5, "a", missing="instance_weighting")
    assert model.forest_.shares.tolist() == [FULL // 4] * 2
    assert model.forest_.tree(0).values == pytest.approx([-0.275, 0.15], abs=1e-12)
    assert values_of(model, [(X,), (Y,), (HOLE,)], "a") == pytest.approx([0.15, -0.275, -0.16875], abs=1e-12)
    blended = values_of(with_leaf_values(model, 4.0, 0.8), [(X,), (Y,), (HOLE,)], "a")
    assert blended == pytest.approx([4.0, 0.8, 1.6], abs=1e-12)  # 0.25 * 4.0 + 0.75 * 0.8


def test_scaled_gain_by_hand():
    # a is known in 4 of 10 rows and parts them perfectly, b is known in all. With lambda = 0 the gain of a is
    # 1/2 + 1/2 - 0 = 1, of known 4/10: 0.4. The gain of b: p holds 3 A and 1 B, q 2 A and 4 B: 1/4 + 1/6 - 0 = 0.417.
    rows = [(X, P, 0)] * 2 + [(Y, Q, 1)] * 2 + [(HOLE, P, 0), (HOLE, P, 1)] + [(HOLE, Q, 0)] * 2 + [(HOLE, Q, 1)] * 2
    # A default direction knows where every row goes: 1/2 + 1/8 - 0 for a, and nothing to scale.
    for scale_gain, column in ((False, 0), (True, 1)):
        for method in METHODS:
            model = TreeCRF(1, 2, 0.0, order=0, missing=method, scale_gain=scale_gain).fit(one_by_one(rows))
            assert model.forest_.columns.tolist() == [0 if method == "default_direction" else column] * 2


# b stands for a: p where a is x, q where it is y, but for one row. a parts the labels where it is known, so it is
# split on: with lambda = 1 it gains 1/3 + 9/7 - 4/9 = 1.17, b 0 + 6.25/6 - 6.25/10 = 0.42.
TWINS = [(X, P, 0)] * 2 + [(Y, Q, 1)] * 5 + [(Y, P, 1)]


def test_surrogate_splitting_by_hand():
    # Two rows have no a. The first has b = p and label B, so it goes to x: true (1 - 1/2) / (3 + 1) = 0.125. The
    # second has no b either and label A; six of the eight known rows are y: false (-3 + 1/2) / (7 + 1) = -0.3125.
    rows = [*TWINS, (HOLE, P, 1), (HOLE, HOLE, 0)]
    model = one_split(rows, 1.0, missing="surrogate_splitting")
    # b agrees in 7 of 8 rows, the larger side has 6. "b is p" stands for "a is x"; "b is not q" does as well, but
    # tells nothing more.
    tree = model.forest_.tree(0)
    assert (tree.surrogates[0, 0].tolist(), tree.set(1).tolist()) == ([1, 1], [P])
    assert tree.surrogates[0, 1:, 0].tolist() == [-1] * 4
    seen = [(X, Q), (Y, P), (HOLE, P), (HOLE, Q), (HOLE, HOLE), (X, HOLE), (Y, HOLE)]
    true, false = 0.125, -0.3125
    assert values_of(model, seen) == pytest.approx([true, false, true, false, false, true, false], abs=1e-12)
    routed = values_of(with_leaf_values(model, 4.0, 0.8), seen)
    assert routed == pytest.approx([4.0, 0.8, 4.0, 0.8, 0.8, 4.0, 0.8], abs=1e-12)


@pytest.mark.parametrize(
    ("label", "true", "false", "unknown"),
    [
        # Both unknown rows are B. On the false side: 1/3 + 16/9, on the true one: 0/5 + 9/7. So false:
        # x has 1 / (2 + 1), y and the unknown have (-3 - 1) / (8 + 1).
        (1, 1 / 3, -4 / 9, -4 / 9),
        # Both are A. On the false side 1/3 + 4/9, on the true one 4/5 + 9/7: true, though most known rows are y.
        (0, 2 / 5, -3 / 7, 2 / 5),
    ],
)
def test_default_direction_by_hand(label, true, false, unknown):
    rows = [(X, 0)] * 2 + [(Y, 1)] * 6 + [(HOLE, label)] * 2
    model = one_split(rows, 1.0, "a", missing="default_direction")
    assert model.forest_.shares.tolist() == [0 if unknown == false else FULL] * 2
    assert values_of(model, [(X,), (Y,), (HOLE,)], "a") == pytest.approx([true, false, unknown], abs=1e-12)
    routed = values_of(with_leaf_values(model, 4.0, 0.8), [(X,), (Y,), (HOLE,)], "a")
    assert routed == pytest.approx([4.0, 0.8, 0.8 if unknown == false else 4.0], abs=1e-12)


@pytest.mark.parametrize(
    ("n_true", "unseen_missing", "share"),
    [(2, "majority", 0), (2, "both", FULL // 4), (6, "majority", FULL), (6, "both", 3 * FULL // 4), (4, "majority", 0)],
)
def test_default_direction_that_no_row_could_show(n_true, unseen_missing, share):
    # Nothing is missing in training; equal sides count as the false one.
    rows = [(X, 0)] * n_true + [(Y, 1)] * (8 - n_true)
    model = one_split(rows, 1.0, "a", missing="default_direction", unseen_missing=unseen_missing)
    assert model.forest_.shares.tolist() == [share] * 2
    part = share / FULL
    unknown = values_of(with_leaf_values(model, 4.0, 0.8), [(HOLE,)], "a")
    assert unknown == pytest.approx([4.0 * part + 0.8 * (1 - part)], abs=1e-12)


def test_attribute_missing_in_prediction_alone_by_hand():
    # x and A in 2 rows, y and B in 6, nothing missing: leaves 1 / (2 + 1) and -3 / (6 + 1).
    rows = [(X, 0)] * 2 + [(Y, 1)] * 6
    true, false = 1 / 3, -3 / 7
    for policy, unknown in (
        ({"missing": "instance_weighting"}, 0.25 * true + 0.75 * false),
        ({"missing": "surrogate_splitting"}, false),  # there are no surrogates, and most rows are y
        ({"missing": "surrogate_splitting", "all_missing": "both"}, 0.25 * true + 0.75 * false),
        ({"missing": "default_direction"}, false),
        ({"missing": "default_direction", "unseen_missing": "both"}, 0.25 * true + 0.75 * false),
    ):
        model = one_split(rows, 1.0, "a", **policy)
        assert values_of(model, [(HOLE,), (X,), (Y,)], "a") == pytest.approx([unknown, true, false], abs=1e-9)
