"""Hidden Markov models and the cycle, against the sentences of the M.S. thesis that define them."""

import numpy as np
import pytest
from builders import contents
from numpy.testing import assert_allclose

from treecrf.chain import forward_backward, log_likelihood
from treecrf_studies import datasets
from treecrf_studies.datasets.hidden_markov import PUBLISHED, TINY, known_model

NAMES = (*PUBLISHED, "cycle")


def as_rows(data):
    """Labels and symbols by sequence."""
    return data.labels.reshape(len(data), -1).astype(int), data.values.reshape(len(data), -1)


def slow_marginals(model, symbols):
    """P(label | symbols) of one sequence from probabilities, zeros and all; shape (length, n_labels)."""
    forward = [model.start * model.emissions[:, symbols[0]]]
    for symbol in symbols[1:]:
        forward.append(forward[-1] @ model.transitions * model.emissions[:, symbol])
    backward = [np.ones(len(model.start))]
    for symbol in symbols[:0:-1]:
        backward.insert(0, model.transitions @ (model.emissions[:, symbol] * backward[0]))
    products = np.array(forward) * np.array(backward)
    return products / products.sum(axis=1, keepdims=True)


def known_accuracy(name, seed):
    """Percent of test positions that the generator's own model labels right."""
    _, test = datasets.load(name, seed=seed)
    labels = forward_backward(known_model(name, seed=seed).potentials(test), test.offsets, 1).labels.argmax(axis=1)
    return 100 * (labels == test.labels).mean()


@pytest.mark.parametrize("name", PUBLISHED)
def test_known_model_is_as_published(name):
    p_o, k_o, p_l, k_l = PUBLISHED[name].values()
    model = known_model(name)
    for found, stays, size in ((model.emissions, p_o, k_o), (model.transitions, p_l, k_l)):
        for i, row in enumerate(found):
            others = np.flatnonzero(row * (np.arange(40) != i))
            expected = np.zeros(40)
            expected[i], expected[others] = stays, (1 - stays) / size
            assert len(others) == size
            assert_allclose(row, expected)
    assert_allclose(model.start, np.full(40, 1 / 40))


@pytest.mark.parametrize("name", PUBLISHED)
def test_frequencies_are_those_of_the_known_model(name):
    """Of 1,000 sequences; each of up to 1,600 counts within five standard deviations of a binomial one."""
    train, test = datasets.load(name, n_train=500, n_test=500, seed=3)
    model = known_model(name, seed=3)
    labels, symbols = map(np.vstack, zip(*map(as_rows, (train, test)), strict=True))
    turns, emitted, first = np.zeros((40, 40)), np.zeros((40, 40)), np.bincount(labels[:, 0], minlength=40)[None, :]
    np.add.at(turns, (labels[:, :-1].ravel(), labels[:, 1:].ravel()), 1)
    np.add.at(emitted, (labels.ravel(), symbols.ravel()), 1)
    for counts, probabilities in (
        (turns, model.transitions),
        (emitted, model.emissions),
        (first, model.start[None, :]),
    ):
        expected = counts.sum(axis=1, keepdims=True) * probabilities
        assert (np.abs(counts - expected) <= 5 * np.sqrt(expected * (1 - probabilities))).all()
    stays, n_turns = np.trace(turns), turns.sum()
    p_l = PUBLISHED[name]["p_l"]
    assert abs(stays - p_l * n_turns) < 4 * np.sqrt(n_turns * p_l * (1 - p_l))
    own, p_o = (labels == symbols).sum(), PUBLISHED[name]["p_o"]
    assert abs(own - p_o * labels.size) < 4 * np.sqrt(labels.size * p_o * (1 - p_o))


def test_sizes():
    for name in PUBLISHED:
        train, test = datasets.load(name)
        assert (len(train), len(test), set(train.lengths), set(test.lengths)) == (100, 100, {50}, {50})
        assert (len(train.label_names), len(train.attributes[0].categories)) == (40, 40)
    train, test = datasets.load("cycle")
    assert (len(train), len(test), set(train.lengths), set(test.lengths)) == (20, 20, {60}, {60})
    assert (train.label_names, train.attributes[0].categories) == (("1", "2", "3"), ("1", "2", "3", "-"))


def test_cycle_goes_round():
    data, _ = datasets.load("cycle", n_train=300)
    labels, symbols = as_rows(data)
    assert (labels[:, 1:] == np.array([1, 2, 0])[labels[:, :-1]]).all()
    assert (symbols[:, 0] == labels[:, 0]).all()
    assert (symbols[:, 1:] == 3).all()
    assert (np.abs(np.bincount(labels[:, 0]) - 100) < 4 * np.sqrt(300 * 2 / 9)).all()


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_sets_are_drawn_for_a_name_and_a_seed(name):
    model = known_model(name, seed=1)
    assert all(map(np.array_equal, known_model(name, seed=1, n_train=3, n_test=4, length=5), model))
    for other in (known_model(name, seed=2), known_model("both" if name == "transition" else "transition", seed=1)):
        for one, two in ((model.transitions, other.transitions), (model.emissions, other.emissions)):
            assert ((one > 0) != (two > 0)).any(axis=1).sum() > 20
    assert ((model.transitions > 0) != (model.emissions > 0)).any(axis=1).sum() > 20


def test_options():
    train, _ = datasets.load("both", p_o=1)
    assert np.array_equal(train.values[:, 0], train.labels)
    train, _ = datasets.load("both", p_l=1.0)
    labels, _ = as_rows(train)
    assert (labels == labels[:, :1]).all()
    model = known_model("transition", p_o=0, k_o=39, k_l=1)
    assert_allclose(model.emissions, (1 - np.eye(40)) / 39)
    assert ((model.transitions > 0).sum(axis=1) == 2).all()
    for option in ("p_o", "p_l"):
        for value in (-0.1, 1.1, float("nan"), "0.5", True, None):
            with pytest.raises(ValueError, match=rf"{option}=.*: give a probability, a number from 0 to 1\."):
                datasets.load("both", **{option: value})
    for option in ("k_o", "k_l"):
        for value in (0, 40, 1.5, True):
            with pytest.raises(ValueError, match=rf"{option}=.*: give a whole number from 1 to 39\."):
                datasets.load("both", **{option: value})
    with pytest.raises(ValueError, match="data set 'both': got an unexpected keyword argument 'k_x'; leave that"):
        datasets.load("both", k_x=2)
    with pytest.raises(ValueError, match="known_model: 'hmm' has none; choose one of transition, both, cycle"):
        known_model("hmm")
    for name, near in (("both", "k_o"), ("cycle", "n_test")):
        with pytest.raises(
            ValueError, match=rf"^the data set '{name}' has no argument '{near}x'; .*; the nearest is '{near}'"
        ):
            known_model(name, **{f"{near}x": 2})


@pytest.mark.parametrize("name", NAMES)
def test_potentials_give_the_marginals_of_the_probabilities(name):
    """The stand-in for zero does not show."""
    _, test = datasets.load(name, n_test=4, seed=5)
    model = known_model(name, seed=5)
    found = forward_backward(model.potentials(test), test.offsets, 1).labels.reshape(4, -1, len(model.start))
    for marginals, symbols in zip(found, as_rows(test)[1], strict=True):
        assert_allclose(marginals, slow_marginals(model, symbols), atol=1e-12)


def test_potentials_sum_to_the_logarithm_of_the_joint_probability():
    _, test = datasets.load("transition", n_test=3, length=4)
    model = known_model("transition")
    potentials = model.potentials(test)
    log_partitions = forward_backward(potentials, test.offsets, 1).log_partition
    found = log_likelihood(potentials, test.labels, test.offsets, 1) + log_partitions
    for value, labels, symbols in zip(found, *as_rows(test), strict=True):
        joint = model.start[labels[0]] * model.emissions[labels[0], symbols[0]]
        for before, label, symbol in zip(labels, labels[1:], symbols[1:], strict=False):
            joint *= model.transitions[before, label] * model.emissions[label, symbol]
        assert value == pytest.approx(np.log(joint))
    assert potentials.min() >= 2 * np.log(TINY)


def test_potentials_need_the_symbols_of_the_model():
    _, test = datasets.load("both", n_test=1)
    with pytest.raises(ValueError, match=r"have inputs of \[40\] categories and 0 missing cells, and the model has 4"):
        known_model("cycle").potentials(test)
    with pytest.raises(ValueError, match="and 50 missing cells, and the model has 40 symbols; give data that it"):
        known_model("both").potentials(test.with_values(np.full_like(test.values, -1)))


@pytest.mark.parametrize(("name", "percent"), [("transition", 92.4), ("both", 98.6)])
def test_accuracy_of_the_known_model(name, percent):
    """As loops over other draws measured (20 seeds, whose standard deviations were 0.7 and 0.6 points)."""
    accuracies = [known_accuracy(name, seed) for seed in range(5)]
    assert np.mean(accuracies) == pytest.approx(percent, abs=0.8)


def test_known_model_of_the_cycle_makes_no_errors():
    assert [known_accuracy("cycle", seed) for seed in range(3)] == [100, 100, 100]


@pytest.mark.parametrize("name", NAMES)
def test_splits(name):
    splits = datasets.load_splits(name, seed=4)
    train, test = datasets.load(name, seed=4)
    assert splits.test == test
    assert (len(splits.validation), len(splits.train)) == (round(len(train) / 3), len(train) - round(len(train) / 3))
    assert contents(splits.train, splits.validation) == contents(train)
    with pytest.raises(ValueError, match="held_out=0"):
        datasets.load_splits(name, seed=4, held_out=0.999999)
    if name == "cycle":  # copies are not held together: there are but three sequences
        assert set(splits.train.labels[splits.train.offsets[:-1]]) == {0, 1, 2}
