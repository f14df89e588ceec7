"""The perceptron of label sequences against a slow one."""

import naive
import naive_perceptron
import numpy as np
import pytest
from builders import larger_set, random_set
from numpy.testing import assert_allclose, assert_array_equal

from treecrf import SequenceSet
from treecrf.compiled.struct import allocate
from treecrf.models.linear.linear_crf import window_cells
from treecrf.models.linear.perceptron import Beam, Counts, Examples, VotedPerceptron, _learn_epoch


def searches(n_labels):
    return {
        "all labels": ({}, lambda weights, cells, _: naive_perceptron.likeliest(weights, cells, n_labels)),
        "a beam": ({"beam": 2}, lambda weights, cells, _: naive_perceptron.in_beam(weights, cells, n_labels, 2)),
        "one label": ({"beam": 1}, lambda weights, cells, _: naive_perceptron.in_beam(weights, cells, n_labels, 1)),
        "early updates": (
            {"beam": 2, "early_update": True},
            lambda weights, cells, truth: naive_perceptron.in_beam(weights, cells, n_labels, 2, truth),
        ),
    }


@pytest.mark.parametrize("n_labels", [2, 4, 5])  # of few and of more, chains are kept in two ways
@pytest.mark.parametrize("order", [0, 1])
def test_predictions_are_those_of_the_chain_with_its_weights(n_labels, order):
    train, test = (random_set(np.random.default_rng(seed), 6, n_labels, 2, 4, 4) for seed in (1, 5))
    model = VotedPerceptron(3, window=(1, 1), order=order).fit(train)
    cells, _ = window_cells(model.align_inputs(test, "error"), (1, 1))
    potentials = model.cell_weights_[cells].sum(axis=1).T[:, :, None] + model.transition_weights_[:, None, :]
    expected = naive.enumerate_chains(potentials, test.offsets, 1)
    assert_allclose(model.predict_proba(test), expected.marginals, atol=1e-9)
    assert_array_equal(model.predict(test, "viterbi"), expected.best_labels)


@pytest.mark.parametrize("search", searches(4))
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_the_slow_perceptron(search, seed):
    data = random_set(np.random.default_rng(seed), 8, 4, 2, 3, 4)
    settings, find = searches(4)[search]
    model = VotedPerceptron(3, window=(1, 0), **settings).fit(data)
    cells, n_cells = window_cells(data, (1, 0))
    expected = naive_perceptron.train(cells, data.labels, data.offsets, 4, 3, find)
    of_cells, of_transitions = naive_perceptron.as_arrays(expected, n_cells, 4)
    assert_allclose(model.cell_weights_, of_cells, atol=1e-12)
    assert_allclose(model.transition_weights_, of_transitions, atol=1e-12)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_two_labels_have_a_faster_kernel_with_the_same_weights(seed, order):
    data = random_set(np.random.default_rng(seed), 8, 2, 2, 3, 4)
    fast = VotedPerceptron(4, window=(1, 0), order=order).fit(data)
    cells, n_cells = window_cells(data, (1, 0))
    examples = Examples(cells, data.labels.copy(), data.offsets.copy())
    counts, beam = allocate(Counts, n_cells=n_cells, n_labels=2), allocate(Beam, n_longest=4, n_labels=2)
    n_wrong = [_learn_epoch(examples, counts, beam, 2, False, order) for _ in range(4)]
    assert min(n_wrong) > 0  # every pass corrects weights
    assert_array_equal(fast.n_wrong_, n_wrong)
    assert fast.cell_weights_.tobytes() == (counts.cells - counts.cell_delays / counts.n_seen).tobytes()
    transitions = counts.transitions - counts.transition_delays / counts.n_seen
    assert fast.transition_weights_.tobytes() == np.ascontiguousarray(transitions.T).tobytes()


def test_without_transitions_positions_are_labelled_by_themselves():
    data = random_set(np.random.default_rng(0), 8, 4, 2, 3, 4)
    model = VotedPerceptron(3, window=(1, 0), order=0).fit(data)
    cells, n_cells = window_cells(data, (1, 0))

    def find(weights, cells, _):
        scores = [[sum(weights.get((int(cell), label), 0) for cell in row) for label in range(4)] for row in cells]
        return tuple(int(np.argmax(row)) for row in scores)

    expected = naive_perceptron.train(cells, data.labels, data.offsets, 4, 3, find)
    assert_allclose(model.cell_weights_, naive_perceptron.as_arrays(expected, n_cells, 4)[0], atol=1e-12)
    assert not model.transition_weights_.any()
    exponentials = np.exp(model.cell_weights_[cells].sum(axis=1))
    assert_allclose(model.predict_proba(data), exponentials / exponentials.sum(axis=1, keepdims=True))
    assert_array_equal(model.predict(data, "viterbi"), model.predict(data))


def test_a_beam_of_all_labels_is_none():
    data = larger_set()
    wide, without = (VotedPerceptron(4, beam, window=(1, 1)).fit(data) for beam in (3, None))
    assert wide.cell_weights_.tobytes() == without.cell_weights_.tobytes()


def test_separable_labels_are_learnt_without_a_mistake():
    data = larger_set()
    told = data.with_labels(data.values[:, 0] % 3, data.label_names)
    model = VotedPerceptron(10).fit(told)
    assert model.n_wrong_[-1] == 0
    assert model.score(told) == 1.0


def test_a_category_that_training_did_not_have_has_no_weight():
    train = larger_set()
    model = VotedPerceptron(3).fit(train)
    names = [attribute._replace(categories=(*attribute.categories, "new")) for attribute in train.attributes]
    test = SequenceSet(np.array([[5, 5]]), [0, 1], names)
    with pytest.warns(UserWarning, match="new"):
        found = model.predict_proba(test)
    start = model.transition_weights_[:, 3]
    assert_allclose(found[0], np.exp(start) / np.exp(start).sum())
