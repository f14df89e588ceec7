"""Cells of windows, trees that are grown, and their evaluation against single rows."""

import pickle

import naive
import numpy as np
import pytest
from builders import larger_set

from treecrf import Attribute, SequenceSet, TreeCRF, chain
from treecrf.compiled.struct import allocate
from treecrf.models.boosted.potentials import columns_of
from treecrf.sequences import window_codes
from treecrf.trees.columns import distinct_windows, number_cells
from treecrf.trees.forest import Evaluator, Forest

DATA, OTHER = larger_set(), larger_set(1, 6)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_potentials_are_sums_over_trees_of_the_leaf_of_each_row(order):
    model = TreeCRF(4, 12, 1.0, (1, 1), order, random_state=0, splits="subsets").fit(DATA)
    codes, before = window_codes(OTHER, (1, 1)), chain.StateSpace(3, order).labels_of_state
    expected = np.repeat(model.start_[:, None, :], OTHER.n_positions, axis=1)
    for number in range(model.forest_.n_trees):
        tree = model.forest_.tree(number)
        for position, state in np.ndindex(*expected.shape[1:]):
            leaf = naive.leaf_of(tree, codes[position], before[state])
            expected[number % 3, position, state] += tree.values[leaf]
    np.testing.assert_array_equal(model.potentials(OTHER), expected)


def test_some_trees_are_added_to_some_entries():
    model = TreeCRF(4, 12, 1.0, (1, 1), order=0).fit(DATA)
    codes, trees = window_codes(OTHER, (1, 1)), np.array([1, 4, 10])
    positions, entries = np.array([3, 5, 0], dtype=np.int32), np.array([0, 2, 6])
    evaluator = Evaluator(columns_of(OTHER, (1, 1), False), np.zeros((1, 0), dtype=np.int16), 12)
    scores = np.arange(8.0)
    evaluator.add_to_entries(model.forest_, trees, positions, entries, scores)
    expected = np.arange(8.0)
    for number in trees:
        tree = model.forest_.tree(number)
        for position, entry in zip(positions, entries, strict=True):
            expected[entry] += tree.values[naive.leaf_of(tree, codes[position], ())]
    np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("n_iterations", [0, 3])
def test_a_pickle_keeps_every_array(n_iterations):
    forest = TreeCRF(max(n_iterations, 1), 12, 1.0, (1, 1), missing="surrogate_splitting").fit(DATA).forest_
    forest = forest if n_iterations else Forest(*(array[: 1 if array.ndim == 1 else 0] for array in forest))
    for first, second in zip(forest, pickle.loads(pickle.dumps(forest)), strict=True):
        assert (first.dtype, first.shape, first.tobytes()) == (second.dtype, second.shape, second.tobytes())


@pytest.mark.parametrize("n_codes", [2, 4, 30])
def test_windows_are_told_apart_unless_most_differ(n_codes):
    cells = np.random.default_rng(0).integers(0, n_codes, (500, 3)).astype(np.uint32)
    examples, window_of = distinct_windows(cells)
    n_distinct = len({tuple(row) for row in cells})
    assert (n_distinct > 250) == (n_codes == 30)
    assert len(examples) == (500 if n_codes == 30 else n_distinct)
    np.testing.assert_array_equal(cells[examples][window_of], cells)


def test_codes_are_numbered_slot_by_slot_and_unknown_ones_have_no_cell():
    codes = np.array([[0, 1], [2, 0], [1, 3], [200, 2]], dtype=np.uint8)
    cells = number_cells(codes, np.array([0, 2, 5]))
    assert cells.dtype == np.uint32
    np.testing.assert_array_equal(cells, [[0, 3], [5, 2], [1, 5], [5, 4]])


@pytest.mark.parametrize("row_fraction", [1.0, 0.5])
def test_lists_of_positions_grow_when_they_are_full(row_fraction, monkeypatch):
    data = larger_set()
    expected = TreeCRF(4, 40, 0.5, (1, 1), order=2, row_fraction=row_fraction).fit(data)

    def with_short_lists(kind, **sizes):
        workspace = allocate(kind, **sizes)
        leaves = workspace.leaves
        return workspace._replace(leaves=leaves._replace(positions=leaves.positions[: data.n_positions]))

    monkeypatch.setattr("treecrf.models.boosted.training.allocate", with_short_lists)
    measured = TreeCRF(4, 40, 0.5, (1, 1), order=2, row_fraction=row_fraction).fit(data)
    for name in expected.forest_._fields:
        assert getattr(measured.forest_, name).tobytes() == getattr(expected.forest_, name).tobytes()


def test_large_sets_are_grown_as_small_ones():
    # One more attribute that is constant changes how attributes are swept together, not the trees.
    data = larger_set(n_sequences=300, longest=60)
    constant = np.zeros((len(data.values), 1), dtype=np.int16)
    attributes = (data.attributes[0], Attribute("same", tuple("abcdefg")), data.attributes[1])
    wider = data.with_values(np.hstack([data.values[:, :1], constant, data.values[:, 1:]]), attributes)
    first, second = (TreeCRF(3, 30, 1.0, order=1).fit(one) for one in (data, wider))
    assert first.log_likelihood_history_.tobytes() == second.log_likelihood_history_.tobytes()
    np.testing.assert_array_equal(first.predict_proba(data), second.predict_proba(wider))


def test_leaf_values_shrink_as_equation_3_1_says():
    # One label per value, order 0: before the first tree P = 1/2, so each gradient is +-1/2.
    data = SequenceSet(
        np.array([[0], [1]] * 10), np.arange(0, 21, 2), (Attribute("a", ("x", "y")),), np.array([0, 1] * 10), ("A", "B")
    )
    for penalty in (0.0, 5.0, 90.0):
        tree = TreeCRF(1, 2, penalty, order=0).fit(data).forest_.tree(0)
        assert sorted(tree.values) == pytest.approx([-5.0 / (10 + penalty), 5.0 / (10 + penalty)], abs=1e-12)
