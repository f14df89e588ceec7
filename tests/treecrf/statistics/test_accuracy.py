"""Intervals against Student's t, and the correction for choosing against a loop."""

import numpy as np
import pytest
from scipy import stats

from treecrf.statistics.metrics import correct_for_choice, estimate_accuracy, estimate_share


def test_equally_long_clusters_have_the_t_interval():
    shares = np.array([7, 9, 4, 8, 10])
    found = estimate_share(shares, np.full(5, 10))
    expected = stats.t.interval(0.95, 4, 10 * shares.mean(), 10 * stats.sem(shares))
    assert found == pytest.approx((10 * shares.mean(), *expected), rel=1e-12)


def test_accuracies_stay_within_their_range():
    assert estimate_accuracy(np.array([10, 10, 9]), np.array([10, 10, 10])).high == 100
    moved = estimate_accuracy(np.array([5, 6, 7]), np.array([10, 10, 10]), 58.0)
    plain = estimate_accuracy(np.array([5, 6, 7]), np.array([10, 10, 10]))
    assert (moved.points, moved.low) == pytest.approx((58.0, plain.low - 2))


def test_clusters_without_an_error_may_be_lucky():
    positions = np.array([3, 9, 4, 6])
    expected = 100 * stats.binomtest(4, 4).proportion_ci(0.95, "exact").low
    assert estimate_accuracy(positions, positions) == pytest.approx((100, expected, 100), rel=1e-12)
    assert estimate_accuracy(0 * positions, positions) == pytest.approx((0, 0, 100 - expected), rel=1e-12)


def test_one_cluster_has_no_interval():
    points, low, high = estimate_accuracy(np.array([3]), np.array([4]))
    assert points == 75
    assert np.isnan([low, high]).all()


def test_interval_holds_the_share_as_often_as_it_says():
    rng = np.random.default_rng(0)
    n_held = 0
    for _ in range(1000):
        positions = rng.integers(5, 40, 30)
        difficulty = rng.beta(8, 2, 30)
        low, high = estimate_accuracy(rng.binomial(positions, difficulty), positions)[1:]
        n_held += low <= 80 <= high
    assert 0.92 < n_held / 1000 < 0.97


def test_choice_is_corrected_as_by_a_loop():
    rng = np.random.default_rng(1)
    positions = rng.integers(3, 9, 7)
    correct = rng.binomial(positions, 0.6, (5, 7))
    drawn = np.random.default_rng(4).multinomial(7, np.full(7, 1 / 7), 20)
    expected = []
    for times in drawn:
        out = times == 0
        if out.any():
            best = max(range(5), key=lambda c: (times * correct[c]).sum() / (times * positions).sum())
            expected.append(correct[best][out].sum() / positions[out].sum())
    assert correct_for_choice(correct, positions, 4, 20) == pytest.approx(100 * np.mean(expected), rel=1e-12)


def test_the_luckiest_of_equals_is_brought_back():
    rng = np.random.default_rng(2)
    positions = np.full(40, 10)
    errors = []
    for number in range(40):
        correct = rng.binomial(10, 0.5, (50, 40))
        errors.append((correct.sum(axis=1).max() / 4 - 50, correct_for_choice(correct, positions, number, 200) - 50))
    plain, corrected = np.mean(errors, axis=0)
    assert plain > 4
    assert abs(corrected) < 1


def test_one_cluster_cannot_be_corrected():
    assert correct_for_choice(np.array([[3], [4]]), np.array([5]), 0) == 80
