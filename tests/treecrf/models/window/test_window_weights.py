"""Window classifiers with unknown labels and with weights."""

import numpy as np
import pytest
from builders import hidden_labels, larger_set

from treecrf import NeuralNetwork, SequenceSet, WindowLightGBM

LABELLERS = [
    WindowLightGBM(5, min_samples_leaf=1),
    NeuralNetwork(n_hidden=4, n_epochs=3, window=(0, 0), batch_size=10**6),
]


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


def test_heavy_labels_are_predicted_more_often():
    data = larger_set()
    plain, heavy = (WindowLightGBM(5, class_weight=weight).fit(data) for weight in (None, {"B": 8.0}))
    assert (heavy.predict(data) == 1).mean() > (plain.predict(data) == 1).mean() + 0.1
