"""Trees on the window and a matrix of transitions, with and without a label dictionary."""

import numpy as np
import pytest
from builders import assert_same_bits, larger_set, lasting_set, lettered_set, random_set

from treecrf import MEMM, Attribute, SequenceSet, TreeCRF
from treecrf.models.boosted.label_dictionary import learn_dictionary, make_lattice

SEPARABLE = {"transitions": "separable", "leaf_values": "newton", "learning_rate": 0.2, "window": (1, 1)}


def test_first_trees_are_those_of_positions_by_themselves():
    # Before the first iteration all labels are as likely, whatever stands before them.
    data = larger_set()
    separable = TreeCRF(1, 6, 1.0, **SEPARABLE).fit(data)
    alone = TreeCRF(1, 6, 1.0, order=0, **SEPARABLE | {"transitions": "full"}).fit(data)
    assert_same_bits_of_forests(separable.forest_, alone.forest_)


def assert_same_bits_of_forests(first, second):
    for name, part in first._asdict().items():
        assert part.tobytes() == getattr(second, name).tobytes(), name


def test_first_transitions_are_observed_less_expected_counts():
    data = larger_set()
    model = TreeCRF(1, 6, 1.0, **SEPARABLE).fit(data)
    observed = np.zeros((3, 4))
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        for position in range(begin, end):
            observed[data.labels[position], 3 if position == begin else data.labels[position - 1]] += 1
    expected = np.full((3, 4), (data.n_positions - len(data)) / 9)
    expected[:, 3] = len(data) / 3
    step = 0.2 * ((observed - expected) / (expected + 1.0)).clip(-4, 4)
    np.testing.assert_allclose(model.transitions_[0], step, atol=1e-12)


def test_gradient_is_the_slope_of_the_likelihood():
    # The slope along a transition, by finite differences of the likelihood at the model's potentials.
    data = larger_set(n_sequences=10)
    model = TreeCRF(3, 6, 1.0, largest_step=1e9, **SEPARABLE).fit(data)
    part = model.truncated(2)
    before = part.transitions_[-1].copy()
    for label, other in ((0, 1), (2, 2), (1, 3)):
        values = []
        for step in (1e-4, -1e-4):
            part.transitions_[-1] = before
            part.transitions_[-1][label, other] += step
            values.append(part.log_likelihood(data).sum())
        slope = (values[0] - values[1]) / 2e-4
        observed = sum(
            data.labels[p] == label and (3 if p in data.offsets else data.labels[p - 1]) == other
            for p in range(data.n_positions)
        )
        expected = observed - slope
        assert model.transitions_[2][label, other] == pytest.approx(0.2 * slope / (expected + 1.0), abs=1e-6)


@pytest.mark.parametrize("dictionary", [None, "centre"])
def test_likelihood_rises_and_is_that_of_the_model(dictionary):
    data = lettered_set(np.random.default_rng(0))
    model = TreeCRF(12, 6, 1.0, label_dictionary=dictionary, **SEPARABLE).fit(data)
    assert (np.diff(model.log_likelihood_history_) > 0).all()
    assert model.log_likelihood_history_[-1] == pytest.approx(model.log_likelihood(data).sum(), abs=1e-8)
    np.testing.assert_allclose(model.predict_proba(data).sum(axis=1), 1.0)


def test_a_dictionary_keeps_labels_to_their_symbols():
    data = lettered_set(np.random.default_rng(0))
    with_it, without = (TreeCRF(5, 6, 1.0, label_dictionary=d, **SEPARABLE).fit(data) for d in ("centre", None))
    marginals = with_it.predict_proba(data)
    labels, letters = np.arange(5), data.values[:, :1]
    impossible = (labels < letters) | (labels > letters + 1)
    assert (marginals[impossible] == 0).all()
    assert (without.predict_proba(data)[impossible] > 0).all()
    assert set(with_it.predict(data, "viterbi") - data.values[:, 0]) <= {0, 1}
    lattice = make_lattice(data, learn_dictionary(data, "letter"), "letter")
    assert (np.diff(lattice.first) == 2).all()


def test_a_dictionary_with_all_labels_is_none():
    data = random_set(np.random.default_rng(0), 60, 3, 1, 2, 8)
    with_it, without = (TreeCRF(5, 6, 1.0, label_dictionary=d, **SEPARABLE).fit(data) for d in ("centre", None))
    assert with_it.dictionary_.all()
    assert_same_bits(with_it, without)


def test_a_symbol_that_training_did_not_show_may_have_all_labels():
    train = lettered_set(np.random.default_rng(0))
    model = TreeCRF(5, 6, 1.0, label_dictionary="centre", **SEPARABLE).fit(train)
    test = SequenceSet(np.array([[4], [0]]), [0, 2], (Attribute("letter", tuple("abcde")),))
    with pytest.warns(UserWarning, match="'e'"):
        marginals = model.predict_proba(test)
    assert (marginals[0] > 0).all()
    assert (marginals[1, :2] > 0).all()
    assert (marginals[1, 2:] == 0).all()


def test_a_label_outside_the_dictionary_has_likelihood_0():
    train = lettered_set(np.random.default_rng(0))
    model = TreeCRF(5, 6, 1.0, label_dictionary="centre", **SEPARABLE).fit(train)
    test = SequenceSet(np.array([[0], [0]]), [0, 1, 2], train.attributes, np.array([0, 4]), train.label_names)
    likely, impossible = model.log_likelihood(test)
    assert np.isfinite(likely)
    assert impossible == -np.inf


def test_flat_trees_give_the_same_probabilities():
    data = lettered_set(np.random.default_rng(1))
    model = TreeCRF(8, **SEPARABLE | {"max_leaves": 6, "splits": "subsets"}).fit(data)
    np.testing.assert_allclose(model.flattened().predict_proba(data), model.predict_proba(data), atol=1e-9)


def test_steps_that_lower_the_likelihood_are_halved():
    settings = SEPARABLE | {"learning_rate": 1.0, "max_leaves": 8, "l2_regularization": 0.1}
    model = TreeCRF(10, **settings).fit(lasting_set())
    assert (model.steps_ < 1).any()
    assert (np.diff(model.log_likelihood_history_) >= -1e-6).all()
    part = TreeCRF(5, **settings, warm_start=True).fit(lasting_set()).set_params(n_iterations=10).fit(lasting_set())
    assert_same_bits(part, model)


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (TreeCRF, {"order": 2}, "order=2: transitions='separable' needs 1"),
        (TreeCRF, {"missing": "instance_weighting"}, "needs 'error' or 'incorporated'"),
        (TreeCRF, {"pseudo_likelihood_iterations": 3}, "pseudo_likelihood_iterations=3"),
        (TreeCRF, {"influence_trimming": 0.1}, "influence_trimming=0.1: transitions='separable' needs 0"),
        (TreeCRF, {"order": 2, "transitions": "full", "label_dictionary": "a0"}, "order=2: label_dictionary needs 1"),
        (TreeCRF, {"order": 0, "transitions": "full", "beam": 2}, "order=0: beam needs 1"),
        (TreeCRF, {"beam": 0}, "beam=0: give None or a whole number of at least 1"),
        (MEMM, {}, "a MEMM has none"),
        (MEMM, {"transitions": "full", "beam": 2}, "a MEMM has none"),
        (TreeCRF, {"label_dictionary": "letter"}, "one of a0, a1"),
        (TreeCRF, {"label_dictionary": "centre"}, "2 attributes with categories; name one of a0, a1"),
        (TreeCRF, {"transitions": "none"}, "choose one of 'full', 'separable'"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(kind, settings, message):
    with pytest.raises(ValueError, match=message):
        kind(2, **SEPARABLE | settings).fit(larger_set())


def test_potentials_of_pairs_are_refused():
    model = TreeCRF(2, **SEPARABLE).fit(larger_set())
    with pytest.raises(ValueError, match="kept in parts"):
        model.potentials(larger_set())
