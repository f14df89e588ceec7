"""Window classifiers with unknown labels and with weights."""

import numpy as np
import pytest
from builders import hidden_labels, larger_set

from treecrf import NeuralNetwork, SequenceSet, WindowLightGBM

LABELLERS = [
    WindowLightGBM(5, min_samples_leaf=1), NeuralNetwork(n_hidden=4, n_epochs=3, window=(0, 0), batch_size=10**6),
]  # fmt: skip


def alone(data, positions):
    """Some positions, each a sequence."""
    return SequenceSet(
        data.values[positions], np.arange(len(positions) + 1), data.attributes, data.labels[positions], data.label_names
    )


@pytest.mark.parametrize("labeller", LABELLERS)
def test_unknown_labels_are_left_out(labeller):
    data = hidden_labels(larger_set())
    kept = alone(data, np.flatnonzero(data.labels >= 0))
    found = labeller.fit(data).predict_proba(data)
    np.testing.assert_allclose(found, labeller.fit(kept).predict_proba(data), atol=1e-12)


@pytest.mark.parametrize("labeller", LABELLERS)
def test_whole_weights_are_numbers_of_copies(labeller):
    # Of numbers, as LightGBM counts examples, whatever they weigh, where it groups categories.
    data = larger_set()
    numbers = SequenceSet(
        np.empty((data.n_positions, 0)), data.offsets, (), data.labels, data.label_names,
        numbers=data.values.astype(float), number_names=("x", "y"),
    )  # fmt: skip
    weights = np.random.default_rng(0).integers(0, 4, data.n_positions)
    copies = np.repeat(np.arange(data.n_positions), weights)
    copied = SequenceSet(
        np.empty((len(copies), 0)), np.arange(len(copies) + 1), (), data.labels[copies], data.label_names,
        numbers=numbers.numbers[copies], number_names=("x", "y"),
    )  # fmt: skip
    if isinstance(labeller, NeuralNetwork):  # standard numbers are those of all positions, whatever they weigh
        numbers, copied = data, alone(data, copies)
    reported, expected = [], []
    labeller.fit(numbers, sample_weight=weights, monitor=lambda *report: reported.append(report[2]))
    found = labeller.predict_proba(numbers)
    labeller.fit(copied, monitor=lambda *report: expected.append(report[2]))
    np.testing.assert_allclose(found, labeller.predict_proba(numbers), atol=1e-6)
    np.testing.assert_allclose(reported, expected, rtol=1e-6)


def test_heavy_labels_are_predicted_more_often():
    data = larger_set()
    plain, heavy = (WindowLightGBM(5, class_weight=weight).fit(data) for weight in (None, {"B": 8.0}))
    assert (heavy.predict(data) == 1).mean() > (plain.predict(data) == 1).mean() + 0.1
