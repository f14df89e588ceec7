"""Weights as they are given, and who takes them."""

import numpy as np
import pytest
from builders import hidden_labels, larger_set, random_set

import treecrf
from treecrf.models.inputs import position_weights, without_silent


def test_weights_are_those_of_positions():
    data = random_set(np.random.default_rng(0), n_sequences=3)
    by_sequence = position_weights(data, [1, 2, 0.5], None)
    np.testing.assert_array_equal(by_sequence, np.repeat([1, 2, 0.5], data.lengths))
    np.testing.assert_array_equal(position_weights(data, by_sequence, None), by_sequence)
    np.testing.assert_array_equal(
        position_weights(data, [1, 2, 0.5], {"B": 4.0}), by_sequence * np.where(data.labels == 1, 4.0, 1.0)
    )
    assert position_weights(data, None, None) is None
    assert position_weights(data, np.ones(3), {"A": 1.0}) is None


def test_balanced_labels_weigh_the_same_in_all():
    from sklearn.utils.class_weight import compute_sample_weight

    data = larger_set()
    expected = compute_sample_weight("balanced", data.labels)
    np.testing.assert_allclose(position_weights(data, None, "balanced"), expected)
    hidden = hidden_labels(data)
    found, known = position_weights(hidden, None, "balanced"), hidden.labels >= 0
    np.testing.assert_allclose(found[known], compute_sample_weight("balanced", hidden.labels[known]))
    np.testing.assert_array_equal(found[~known], 1.0)


def test_silent_sequences_are_left_out():
    data = random_set(np.random.default_rng(0), n_sequences=4)
    labels = np.array(data.labels)
    labels[data.offsets[1] : data.offsets[2]] = -1
    weights = np.repeat([0.0, 1.0, 2.0, 3.0], data.lengths)
    kept, left = without_silent(data.with_labels(labels), weights)
    assert kept == data.select([2, 3])
    np.testing.assert_array_equal(left, np.repeat([2.0, 3.0], data.lengths[2:]))
    assert without_silent(data, None)[0] is data


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 2], r"sample_weight has shape \(2,\) and type int64; give numbers, one for each of 40 sequences"),
        (["a"] * 40, "give numbers"),
        ([1] * 39 + [-1], r"sample_weight\[39\] is -1; a weight must be finite and at least 0"),
        ([np.nan] + [1] * 39, r"sample_weight\[0\] is nan"),
        ([0] * 40, "all weights are 0"),
        ([1e300] + [1] * 39, r"weights go up to 1e\+300; divide all by one number, so that none is above 1e\+100\.$"),
    ],
)
def test_unusable_weights_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        treecrf.TreeCRF(2, 4).fit(larger_set(), sample_weight=weights)


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ({"D": 1.0}, "class_weight names 'D', which is no label; the labels are A, B, C"),
        ("even", "class_weight='even': give None, 'balanced' or weights"),
        ({"A": -1.0}, "weights of at least 0"),
    ],
)
def test_unusable_weights_of_labels_are_refused(class_weight, words):
    with pytest.raises(ValueError, match=words):
        treecrf.TreeCRF(2, 4, class_weight=class_weight).fit(larger_set())


def test_weights_of_labels_are_in_files(tmp_path):
    data = larger_set()
    for model in (treecrf.TreeCRF(2, 4, class_weight={"B": 2.0}), treecrf.LinearCRF(class_weight="balanced")):
        model.fit(data).save(tmp_path / "model.npz")
        assert treecrf.load(tmp_path / "model.npz").class_weight == model.class_weight


FACTORS = {
    "LinearCRF": lambda factor: treecrf.LinearCRF(variance=10 / factor, max_iterations=40),
    "LinearCRF of labels": lambda factor: treecrf.LinearCRF(variance=10 / factor, features="labels", order=0),
    "NeuralNetwork": lambda factor: treecrf.NeuralNetwork(l2_regularization=1e-2 * factor, n_epochs=3, window=(1, 1)),
    "NeuralCRF": lambda factor: treecrf.NeuralCRF(width=6, n_epochs=2),  # whose decay is of weights alone
}
"""Labellers with penalties that are multiplied by a factor; those of trees are in their own tests."""


@pytest.mark.parametrize("make", FACTORS.values(), ids=FACTORS)
def test_a_factor_of_weights_and_penalties_changes_nothing(make):
    data = larger_set(n_sequences=20, longest=8)
    weights = np.random.default_rng(0).uniform(0.1, 2, 20)
    fitted = [make(factor).fit(data, sample_weight=factor * weights) for factor in (1.0, 1e-7, 1e7)]
    expected = fitted[0].predict_proba(data)
    for other in fitted[1:]:
        np.testing.assert_allclose(other.predict_proba(data), expected, rtol=0, atol=1e-9)
        if hasattr(other, "objective_history_"):
            share = fitted[0].variance / other.variance
            np.testing.assert_allclose(
                other.objective_history_[-1], share * fitted[0].objective_history_[-1], rtol=1e-9
            )
