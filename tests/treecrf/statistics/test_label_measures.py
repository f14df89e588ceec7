"""The measures of `score` against scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics

from treecrf.statistics.metrics import METRICS, accuracy, balanced_accuracy, macro_f1, sequence_accuracy


def test_measures_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    for n_labels, least in ((2, 0), (4, 0), (3, -2)):
        truth, predicted = rng.integers(least, n_labels, 50), rng.integers(0, n_labels, 50)
        truth[truth < 0] = -2  # a new label
        offsets = np.array([0, 20, 50])
        assert accuracy(truth, predicted, offsets) == pytest.approx(metrics.accuracy_score(truth, predicted))
        assert macro_f1(truth, predicted, offsets) == pytest.approx(metrics.f1_score(truth, predicted, average="macro"))
        recalls = metrics.recall_score(truth, predicted, average=None, labels=np.unique(truth), zero_division=0)
        assert balanced_accuracy(truth, predicted, offsets) == pytest.approx(recalls.mean())


def test_a_sequence_is_right_if_all_of_it_is():
    truth, offsets = np.array([0, 1, 1, 0, 1]), np.array([0, 2, 3, 5])
    assert sequence_accuracy(truth, np.array([0, 1, 0, 0, 1]), offsets) == pytest.approx(2 / 3)
    assert all(metric(truth, truth, offsets) == 1.0 for metric in METRICS.values())


def test_positions_without_a_label_do_not_count():
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    offsets = np.arange(0, 41, 4)
    kept = np.arange(40) % 4 < 3
    for name, metric in METRICS.items():
        found = metric(np.where(kept, truth, -1), predicted, offsets)
        assert found == metric(truth[kept], predicted[kept], np.arange(0, 31, 3)), name
