"""Measures of labels, their intervals, calibration, and means of repeated measurements: against libraries and loops."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from treecrf.statistics.metrics import (
    METRICS,
    accuracy,
    balanced_accuracy,
    brier_score,
    calibration_error,
    correct_for_choice,
    estimate_accuracy,
    estimate_share,
    geometric_mean,
    macro_f1,
    mean_with_interval,
    ratio_of_geometric_means,
    reliability,
    sequence_accuracy,
)


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


# --- calibration -----------------------------------------------------------------------------------


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


# --- label measures --------------------------------------------------------------------------------


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


# --- repeated --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_repeats", [2, 5, 30])
def test_the_interval_is_that_of_the_t_test(n_repeats):
    values = np.random.default_rng(n_repeats).normal(3, 1, n_repeats)
    mean, interval = mean_with_interval(values, 0.9)
    assert mean == pytest.approx(values.mean())
    assert interval == pytest.approx(stats.ttest_1samp(values, 0).confidence_interval(0.9))


def test_one_measurement_says_nothing_about_the_next():
    assert mean_with_interval([2.0]) == (2.0, (-np.inf, np.inf))
    assert geometric_mean([2.0]) == (2.0, (0.0, np.inf))


def test_ratios_and_their_reciprocals_agree():
    ratios = np.array([2.0, 3.0, 2.5])
    mean, (low, high) = geometric_mean(ratios)
    inverse, ends = geometric_mean(1 / ratios)
    assert (1 / inverse, 1 / ends[1], 1 / ends[0]) == pytest.approx((mean, low, high))
    assert stats.gmean(ratios) == pytest.approx(mean)
    assert low < mean < high


def test_ratio_of_two_samples_by_hand():
    """Welch's interval of the difference of logarithms."""
    first, second = np.exp([1.0, 2.0, 3.0]), np.exp([0.0, 1.0])
    ratio, (low, high) = ratio_of_geometric_means(first, second, 0.9)
    parts = np.array([1 / 3, 0.5 / 2])  # variances over sizes
    degrees_of_freedom = parts.sum() ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 1)
    half_width = stats.t.isf(0.05, degrees_of_freedom) * np.sqrt(parts.sum())
    assert np.log(ratio) == pytest.approx(1.5)
    assert np.log([low, high]) == pytest.approx([1.5 - half_width, 1.5 + half_width])
    assert ratio_of_geometric_means(second, first, 0.9)[1] == pytest.approx((1 / high, 1 / low))


def test_a_ratio_to_a_single_measurement_is_not_certain():
    assert ratio_of_geometric_means([4.0], [2.0, 2.0]) == (pytest.approx(2.0), (0.0, np.inf))
