"""The best test of a column, against every set that is possible, and the choice among equal splits."""

import naive_splits
import numpy as np
import pytest
from naive_splits import EDGE, MISSING, Rules

from treecrf import Attribute, SequenceSet, TreeCRF
from treecrf.compiled.struct import allocate
from treecrf.trees.splitting import (
    EITHER_SIDE,
    INCORPORATED,
    ONE_VS_REST,
    ORDERED,
    SUBSETS,
    UNKNOWN,
    ColumnSums,
    SplitParams,
    bound,
    find_test,
    rank,
    write_set,
)

SPLITS = {"one_vs_rest": ONE_VS_REST, "subsets": SUBSETS, "ordered": ORDERED}


def sums_of(column, weights, gradients, n_codes, takes_missing):
    """Sums by code of some rows, as growing unpacks them; EDGE is the last code but missing."""
    sums = allocate(ColumnSums, n_most_codes=n_codes + 1)
    number = {EDGE: n_codes - 1, MISSING: n_codes}
    for code, weight, gradient in zip(column, weights, gradients, strict=True):
        sums.weights[number.get(code, code)] += weight
        sums.gradients[number.get(code, code)] += gradient
    if not takes_missing:
        sums.weights[n_codes] = sums.gradients[n_codes] = 0.0
    sums.total[:] = sums.weights[: n_codes + 1].sum(), sums.gradients[: n_codes + 1].sum()
    return sums


def random_rows(rng, n_codes, with_missing):
    """Codes, weights and gradients of some rows; not every code need occur."""
    names = [*range(n_codes - 1), EDGE] + [MISSING] * with_missing
    n_rows = int(rng.integers(2, 25))
    column = [names[i] for i in rng.integers(0, len(names), n_rows)]
    return column, rng.random(n_rows) + 0.01, rng.normal(size=n_rows)


@pytest.mark.parametrize("kind", SPLITS)
@pytest.mark.parametrize("with_missing", [False, True])
@pytest.mark.parametrize("least_weight", [0.0, 2.0])
@pytest.mark.parametrize("penalty", [0.0, 3.0])
def test_best_test_gains_what_the_best_of_all_sets_gains(kind, with_missing, least_weight, penalty):
    rng = np.random.default_rng([SPLITS[kind], with_missing, int(least_weight), int(penalty)])
    split_params = SplitParams(penalty, least_weight, 0.0, INCORPORATED if with_missing else UNKNOWN, np.inf, 1.0)
    rules = Rules((kind,), l2_regularization=penalty, least_weight=least_weight)
    found = 0
    for _ in range(200):
        n_codes = int(rng.integers(2, 9))
        column, weights, gradients = random_rows(rng, n_codes, with_missing)
        sums = sums_of(column, weights, gradients, n_codes, with_missing)
        expected, _ = naive_splits.best_set(column, weights, gradients, kind, rules)
        if kind == "subsets" and least_weight > 0:  # the best of the prefixes, as the theorem knows no least weight
            expected = naive_splits.best_prefix(column, weights, gradients, rules)
        gain, candidate = find_test(sums, n_codes, SPLITS[kind], split_params)
        assert gain == pytest.approx(expected, abs=1e-8)
        if expected > 0:
            codes = np.zeros(n_codes + 1, dtype=np.int32)
            codes = codes[: write_set(sums, n_codes, SPLITS[kind], split_params, candidate, codes)]
            number = {EDGE: n_codes - 1, MISSING: n_codes}
            holds = np.isin([number.get(code, code) for code in column], codes)
            of_set = naive_splits.gain(
                weights[holds].sum(), gradients[holds].sum(), weights.sum(), gradients.sum(), penalty
            )
            assert of_set == pytest.approx(gain, abs=1e-8)
            assert (np.diff(codes) > 0).all()
            if kind != "one_vs_rest":
                assert weights[holds].sum() <= weights[~holds].sum() + 1e-9
            found += 1
    assert found > 50


@pytest.mark.parametrize("missing", [UNKNOWN, EITHER_SIDE, INCORPORATED])
@pytest.mark.parametrize("penalty", [0.0, 3.0])
def test_no_subset_gains_more_than_the_bound_and_some_gain_nearly_as_much(missing, penalty):
    rng = np.random.default_rng([missing, int(penalty)])
    split_params = SplitParams(penalty, 0.0, 0.0, missing, np.inf, 1.0)
    shares = []
    for _ in range(500):
        n_codes = int(rng.integers(2, 9))
        column, weights, gradients = random_rows(rng, n_codes, missing != UNKNOWN)
        sums = sums_of(column, weights, gradients, n_codes, missing != UNKNOWN)
        gain, _ = find_test(sums, n_codes, SUBSETS, split_params)
        shares.append(gain / bound(sums, n_codes, split_params))
    assert (0.95 if penalty == 0 else 0.7) < max(shares) <= 1.0


def test_a_code_that_weighs_nothing_but_has_a_gradient_has_no_bound():
    sums = allocate(ColumnSums, n_most_codes=4)
    sums.weights[:2], sums.gradients[:3] = 1.0, [1.0, -1.0, 1e-3]
    sums.total[:] = sums.weights.sum(), sums.gradients.sum()
    assert bound(sums, 3, SplitParams(1.0, 0.0, 0.0, UNKNOWN, np.inf, 1.0)) > 1e250


def test_smoothing_moves_rare_categories_to_the_middle():
    # One row of category 2 has the steepest gradient; smoothed, it stands beside category 1.
    sums = allocate(ColumnSums, n_most_codes=5)
    sums.weights[:3], sums.gradients[:3] = [50.0, 50.0, 1.0], [-10.0, 10.0, 0.9]
    sums.total[:] = sums.weights.sum(), sums.gradients.sum()
    for smoothing, order in ((0.0, [0, 1, 2]), (10.0, [0, 2, 1])):
        split_params = SplitParams(0.0, 0.0, smoothing, UNKNOWN, np.inf, 1.0)
        write_set(sums, 4, SUBSETS, split_params, 0, np.zeros(5, dtype=np.int32))
        assert sums.ranked[:3].tolist() == order


def test_what_no_row_shows_goes_the_way_of_most():
    # Code 3 and EDGE do not occur: they are in no set, so they fail the test as most rows do.
    sums = allocate(ColumnSums, n_most_codes=6)
    sums.weights[:3], sums.gradients[:3] = [2.0, 9.0, 9.0], [2.0, -2.0, -2.5]
    sums.total[:] = sums.weights.sum(), sums.gradients.sum()
    split_params, codes = SplitParams(1.0, 0.0, 0.0, UNKNOWN, np.inf, 1.0), np.zeros(6, dtype=np.int32)
    _, candidate = find_test(sums, 5, SUBSETS, split_params)
    assert codes[: write_set(sums, 5, SUBSETS, split_params, candidate, codes)].tolist() == [0]


@pytest.mark.parametrize("n", [1, 2, 40, 64, 65, 500])
def test_codes_are_sorted_by_key_then_code(n):
    rng = np.random.default_rng(n)
    keys = rng.integers(0, max(n // 2, 1), n).astype(np.float64)
    codes = np.sort(rng.choice(10 * n, n, replace=False)).astype(np.int32)
    expected = [code for _, code in sorted(zip(keys, codes, strict=True))]
    ranked = np.zeros(n, dtype=np.int32)
    rank(codes.copy(), keys.copy(), ranked, np.empty(n, dtype=np.int64))
    assert ranked.tolist() == expected


def test_equal_splits_go_to_the_lowest_feature():
    # Both attributes carry the same information; the tests on the first one must win.
    values = np.array([[0, 0], [1, 1]] * 10)
    labels = np.array([0, 1] * 10)
    attributes = (Attribute("first", ("x", "y")), Attribute("second", ("x", "y")))
    data = SequenceSet(values, np.arange(0, 21, 2), attributes, labels, ("A", "B"))
    model = TreeCRF(1, 2, 1.0, order=0).fit(data)
    for index in range(2):
        tree = model.forest_.tree(index)
        assert (tree.columns[0], tree.codes[0]) == (0, 0)
