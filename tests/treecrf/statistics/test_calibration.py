"""Brier score and reliability against a loop."""

import numpy as np
import pytest

from treecrf.statistics.metrics import brier_score, calibration_error, reliability


@pytest.fixture
def predicted():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(np.ones(3), 300)
    return probabilities, rng.integers(0, 3, 300)


def test_brier_score_as_by_a_loop(predicted):
    probabilities, labels = predicted
    squares = [
        sum((p - (k == y)) ** 2 for k, p in enumerate(row)) for row, y in zip(probabilities, labels, strict=True)
    ]
    assert brier_score(probabilities, labels) == pytest.approx(np.mean(squares), rel=1e-12)
    assert brier_score(np.eye(2), np.array([0, 1])) == 0
    assert brier_score(np.eye(2), np.array([1, 0])) == 2


def test_bins_as_by_a_loop(predicted):
    probabilities, labels = predicted
    found = reliability(probabilities, labels).set_index("low")
    n_seen = 0
    for number in range(10):
        low, high = number / 10, (number + 1) / 10
        rows = [
            (row.max(), row.argmax() == y)
            for row, y in zip(probabilities, labels, strict=True)
            if low < row.max() <= high
        ]
        if rows:
            n_seen += len(rows)
            expected = (high, len(rows), *np.mean(rows, axis=0))
            assert tuple(found.loc[low]) == pytest.approx(expected, rel=1e-12)
    assert n_seen == found["n_positions"].sum() == 300


def test_calibration_error_by_hand():
    # 0.8 is right half the time (two positions), 1.0 always (two positions): (0.3 + 0) / 2.
    probabilities = np.array([[0.8, 0.2], [0.8, 0.2], [1.0, 0.0], [1.0, 0.0]])
    assert calibration_error(reliability(probabilities, np.array([0, 1, 0, 0]))) == pytest.approx(0.15)


def test_certain_labels_are_in_the_last_bin():
    assert reliability(np.eye(2), np.array([0, 1]))["high"].tolist() == [1.0]
