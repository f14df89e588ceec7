"""The correction for the size of the training set, on counts that are known."""

import numpy as np
import pytest
from builders import letter_before

from treecrf.automl.candidates import make_candidates
from treecrf.automl.cross_validation import make_folds
from treecrf.automl.learning_curve import SPREAD, USUAL, LearningCurve
from treecrf.automl.scores import Counts
from treecrf.automl.search import BudgetedSearch
from treecrf.statistics.metrics import Accuracy


def wrong(per_mille, n_groups, size=1000):
    return Counts(np.full(n_groups, size - per_mille), np.full(n_groups, size))


def test_many_groups_tell_the_exponent():
    curve = LearningCurve.of_halves(wrong(100, 50), wrong(140, 50))
    assert curve.exponent == pytest.approx(np.log2(1.4))
    assert curve.error == pytest.approx(0, abs=1e-6)
    assert curve.correct(Accuracy(90, 90, 90), 2, 5).points == pytest.approx(100 - 10 / 1.4)


def test_few_that_differ_leave_it_near_the_usual_one():
    rng = np.random.default_rng(0)
    whole, half = (Counts(rng.integers(2, 10, 4), np.full(4, 10)) for _ in range(2))
    curve = LearningCurve.of_halves(whole, half)
    assert abs(curve.exponent - USUAL) < 2 * SPREAD
    assert 0 < curve.error <= SPREAD
    assert LearningCurve.of_halves(wrong(0, 3), wrong(0, 3)) == LearningCurve()


def test_the_error_of_the_exponent_is_that_of_redrawn_groups():
    rng = np.random.default_rng(1)
    found, errors = [], []
    for _ in range(300):
        size = np.full(40, 50)
        curve = LearningCurve.of_halves(Counts(rng.binomial(size, 0.9), size), Counts(rng.binomial(size, 0.87), size))
        share = 1 - (curve.error / SPREAD) ** 2
        found.append((curve.exponent - (1 - share) * USUAL) / share)  # without the usual one
        errors.append(SPREAD * np.sqrt((1 - share) / share))
    assert np.std(found) == pytest.approx(np.mean(errors), rel=0.15)


def test_intervals_widen_with_the_distance():
    estimate = Accuracy(80.0, 78.0, 82.0)
    near, far = (LearningCurve().correct(estimate, ratio, 5) for ratio in (1.25, 10))
    assert 80 < near.points < far.points < 100
    assert 4 < near.high - near.low < far.high - far.low
    nothing_known = LearningCurve().correct(Accuracy(80.0, np.nan, np.nan), 1.25, 3)
    assert nothing_known.points > 80
    assert np.isnan(nothing_known.low)


def test_halves_are_trained_within_the_budget():
    folds = make_folds(letter_before(), 0, 10_000)
    [candidate, *_] = next(make_candidates("linear_crf", folds.data, [(0, 0)], "auto", {"iterations": 4}))
    search = BudgetedSearch(folds, 1000.0, lambda done, words: None)
    [one] = search.cross_validate([candidate])
    left = search.left
    assert search.learning_curve(one) != LearningCurve()
    assert left - search.left == pytest.approx(folds.n_folds * search.cost(one.best) / 2)
    search.left = 0.0
    assert search.learning_curve(one) == LearningCurve()
