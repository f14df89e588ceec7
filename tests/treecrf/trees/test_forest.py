"""Evaluation of many trees at once against single rows, and forests whose arrays cannot be written to."""

import pickle

import naive
import numpy as np
import pytest
from builders import larger_set

from treecrf import TreeCRF, chain
from treecrf.models.boosted.potentials import columns_of
from treecrf.sequences import window_codes
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


def test_a_forest_that_cannot_be_written_to_predicts_the_same():
    model = TreeCRF(4, 12, 1.0, (1, 1)).fit(DATA)
    expected = model.predict_proba(OTHER)
    for array in model.forest_:
        array.setflags(write=False)
    np.testing.assert_array_equal(model.predict_proba(OTHER), expected)


@pytest.mark.parametrize("n_iterations", [0, 3])
def test_a_pickle_keeps_every_array(n_iterations):
    forest = TreeCRF(max(n_iterations, 1), 12, 1.0, (1, 1), missing="surrogate_splitting").fit(DATA).forest_
    forest = forest if n_iterations else Forest(*(array[: 1 if array.ndim == 1 else 0] for array in forest))
    for first, second in zip(forest, pickle.loads(pickle.dumps(forest)), strict=True):
        assert (first.dtype, first.shape, first.tobytes()) == (second.dtype, second.shape, second.tobytes())
