"""Folds keep sequences whole and relatives together; one long sequence is cut into blocks; a fold is scored by
sequence.
"""

import numpy as np
import pytest
from builders import letter_before, random_set

from treecrf import SequenceSet
from treecrf.automl.candidates import make_candidates
from treecrf.automl.cross_validation import (
    SPREAD,
    USUAL,
    CVResults,
    FoldResult,
    Halves,
    LearningCurve,
    Split,
    cut_into_blocks,
    draw_sequences,
    fit_fold,
    make_folds,
    one_standard_error_choice,
    widening,
)
from treecrf.automl.scores import Counts
from treecrf.automl.search import BudgetedSearch
from treecrf.statistics.metrics import Accuracy


def test_relatives_and_copies_are_held_out_together():
    data = random_set(np.random.default_rng(0), n_sequences=20, longest=9)
    data = SequenceSet.concatenate([data, data.select([3, 4])]).with_groups(np.append(np.arange(20) // 2, [10, 11]))
    folds = make_folds(data, 1, 10_000)
    assert sorted(np.concatenate(folds.parts[: folds.n_folds])) == list(range(22))
    assert not folds.are_blocks
    for fold in folds.parts:
        for one, other in ((0, 1), (8, 9), (3, 20), (4, 21)):
            assert (one in fold) == (other in fold)
    train, held_out, _ = folds.split(0)
    assert len(train) + len(held_out) == 22


@pytest.mark.parametrize("lengths", [[40], [30, 11], [3]])
def test_few_sequences_are_cut_into_blocks(lengths):
    rng = np.random.default_rng(0)
    n = sum(lengths)
    data = SequenceSet(
        rng.integers(0, 3, (n + 1, 1)),
        np.cumsum([0, *lengths]),
        [("a", "xyz")],
        rng.integers(0, 2, n),
        "uv",
        np.cumsum([0, *lengths[:-1], lengths[-1] + 1]),
    )
    folds = make_folds(data, 0, 10_000)
    assert folds.are_blocks
    cut = folds.data
    np.testing.assert_array_equal(cut.labels, data.labels)
    np.testing.assert_array_equal(cut.values, data.values)
    assert set(data.offsets) <= set(cut.offsets)
    assert np.diff(cut.observation_offsets)[-1] == cut.lengths[-1] + 1
    assert len(cut) == min(n, 12)
    assert np.ptp(cut.lengths) <= 2
    assert len(np.unique(cut.groups)) == len(cut)


def test_few_sequences_are_cut_several_times():
    data = random_set(np.random.default_rng(0), n_sequences=30, longest=9)
    assert len(make_folds(data, 0, 10_000).parts) == 5
    folds = make_folds(data.select(range(12)), 0, 10_000)
    assert (folds.n_folds, len(folds.parts), folds.share) == (5, 15, 0.8)
    cuts = [{tuple(part) for part in folds.parts[first : first + 5]} for first in (0, 5, 10)]
    assert cuts[0] != cuts[1] != cuts[2]
    assert all(sorted(sum(cut, ())) == list(range(12)) for cut in cuts)


def test_too_short_to_be_cut():
    data = SequenceSet(np.zeros((2, 1), dtype=int), [0, 2], [("a", "x")], [0, 1], "uv")
    with pytest.raises(ValueError, match="2 positions cannot be cut into three parts that choose; give a longer file"):
        cut_into_blocks(data)


def test_a_part_has_whole_groups():
    data = random_set(np.random.default_rng(3), n_sequences=40, longest=9).with_groups(np.arange(40) // 4)
    part = data.select(draw_sequences(data, 0, data.n_positions // 2, 2))
    assert 0 < part.n_positions <= data.n_positions // 2
    assert (np.bincount(part.groups)[np.unique(part.groups)] == 4).all()
    few = draw_sequences(data, 0, 1, 3)
    assert few.tolist() == sorted(few)
    assert len(np.unique(data.groups[few])) == 3
    assert draw_sequences(data, 0, 10**6, 2).tolist() == list(range(40))


def test_what_was_drawn_is_held_out_once_and_others_train():
    """Groups stay whole, weights follow, and positions are counted."""
    data = letter_before(40).with_groups(np.arange(40) // 2)
    weights = np.arange(data.n_positions, dtype=float)
    folds = make_folds(data, 0, 100, weights=weights)
    assert folds.n_others == data.n_positions - folds.data.n_positions == 300
    large = folds.enlarged(0, 200)
    train, held_out, of_train = large.split(0)
    assert held_out.values.tolist() == folds.data.values.tolist()
    assert held_out.n_positions == 100
    assert train.n_positions == len(of_train) == 200
    assert not set(train.groups) & set(held_out.groups)
    assert of_train.tolist() == weights[np.isin(np.repeat(data.groups, data.lengths), train.groups)].tolist()
    assert (len(large.parts), large.n_folds, large.n_others) == (1, 1, 0)
    assert large.share == pytest.approx(2 / 3)
    assert large.growth == pytest.approx(400 / 300)
    assert make_folds(data, 0, 400).n_others == 0


def test_weights_follow_the_sequences_that_train():
    """Rows with wrong labels and weight 0 teach nothing, in folds, parts of folds and a drawn part of the set."""
    data = letter_before(40)
    wrong = np.repeat(np.arange(40) % 2 == 0, 10)
    spoilt = data.with_labels(np.where(wrong, 0, data.labels), data.label_names)
    folds = make_folds(spoilt, 0, 300, weights=np.where(wrong, 0.0, 2.0))
    split = folds.split(1)
    for each in (split, split.part(0, split.train.n_positions // 2, 1)):
        assert each.weights.tolist() == np.where(each.train.groups % 2 == 0, 0.0, 2.0).repeat(10).tolist()
    judged = data.select(range(8))
    for method in ("treecrf_newton", "linear_crf"):
        [candidate] = next(make_candidates(method, data, [(1, 1)], "auto", {"iterations": 20}))
        points = [
            fit_fold(candidate, Split(split.train, judged, weights)).counts.points[-1]
            for weights in (split.weights, None)
        ]
        assert points[0] == 100 > points[1]


def test_a_fold_scores_stages_by_sequence():
    data = letter_before(12)
    train, held_out = split = Split(data.select(range(8)), data.select(range(8, 12)))[:2]
    [candidate] = next(make_candidates("treecrf_newton", data, [(1, 1)], "auto", {"iterations": 4}))
    result = fit_fold(candidate, Split(*split))
    labeller = candidate.build().set_params(missing="instance_weighting").fit(train)
    right = labeller.predict(held_out) == held_out.labels
    assert result.iterations.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(result.counts.numerator[-1], right.reshape(4, 10).sum(axis=1))
    of_truth = labeller.predict_proba(held_out)[np.arange(40), held_out.labels]
    np.testing.assert_allclose(result.log_loss[-1], -np.log(of_truth).reshape(4, 10).sum(axis=1), rtol=1e-12)


def test_many_labels_are_scored_at_fewer_stages(monkeypatch):
    data = letter_before(12)
    [candidate] = next(make_candidates("treecrf_newton", data, [(0, 0)], "auto", {"iterations": 15}))
    split = Split(data.select(range(8)), data.select(range(8, 12)))
    assert fit_fold(candidate, split).iterations.tolist() == list(range(1, 16))
    monkeypatch.setattr("treecrf.automl.cross_validation.SCORING", 40 * 3**2)
    assert fit_fold(candidate, split).iterations.tolist() == [3, 6, 9, 12, 15]


def test_marginals_are_kept_where_they_are_asked_for():
    data = letter_before(12)
    split = Split(data.select(range(8)), data.select(range(8, 12)))
    [candidate] = next(make_candidates("linear_crf", data, [(1, 1)], "auto", {"iterations": 3}))
    assert fit_fold(candidate, split).marginals is None
    kept = fit_fold(candidate, split, keeps_marginals=True).marginals
    labeller = candidate.build().fit(split[0])
    assert [each.dtype for each in kept] == [np.float32] * 3
    np.testing.assert_allclose(kept[-1], labeller.predict_proba(split[1]), rtol=1e-6, atol=1e-7)


def test_folds_of_unlike_lengths_are_joined():
    right, whole = np.array([[1, 1], [2, 2], [1, 1]]), np.full((3, 2), 4)
    long = FoldResult(np.array([2, 4, 6]), Counts(right, whole), np.array([[1.0, 1], [2, 2], [3, 3]]))
    short = FoldResult(np.array([2, 4]), Counts(np.array([[1], [3]]), whole[:2, :1]), np.array([[1.0], [2]]))
    results = CVResults([short, long])
    np.testing.assert_array_equal(results.counts().numerator, [[1, 1, 1], [3, 2, 2], [3, 1, 1]])
    np.testing.assert_array_equal(results.log_loss(), [[1, 1, 1], [2, 2, 2], [2, 3, 3]])
    assert results.iterations()[results.best_stage()] == 4
    assert [results.stage_within(most) for most in (9, 4, 3)] == [1, 1, 1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treecrf.automl.cross_validation.NEARLY", 60)
        assert [results.stage_within(most) for most in (9, 4, 3, 1)] == [1, 1, 0, 0]


def test_of_candidates_that_chance_tells_apart_the_smallest_log_loss_is_best():
    steady, alike, worse = ([8, 8, 8, 8], [10, 6, 10, 6], [7, 7, 7, 7])
    log_loss = np.array([[4.0], [3.0], [1.0]]) * np.ones((3, 4))

    def of(*correct):
        return Counts(np.array(correct), np.full((len(correct), 4), 12))

    assert one_standard_error_choice(of(steady, alike, worse), log_loss) == 1  # `worse` is one behind everywhere
    assert one_standard_error_choice(of(steady, worse), log_loss[[0, 2]]) == 0
    best = [10, 7, 10, 6]  # by a point, which is within a standard error
    assert [one_standard_error_choice(of(best, alike), log_loss[:2], errors) for errors in (1.0, 0.0)] == [1, 0]
    assert one_standard_error_choice(of(steady, steady), log_loss[:2]) == 0


def wrong(per_mille, n_groups, size=1000):
    return Counts(np.full(n_groups, size - per_mille), np.full(n_groups, size))


def test_many_groups_tell_the_exponent():
    curve = LearningCurve.of_halves(Halves(wrong(100, 50), wrong(140, 50), 5))
    assert curve.exponent == pytest.approx(np.log2(1.4))
    assert curve.error == pytest.approx(0, abs=1e-6)
    assert curve.correct(Accuracy(90, 90, 90), 2, 5).points == pytest.approx(100 - 10 / 1.4)


def test_few_that_differ_leave_it_near_the_usual_one():
    rng = np.random.default_rng(0)
    whole, half = (Counts(rng.integers(2, 10, 4), np.full(4, 10)) for _ in range(2))
    curve = LearningCurve.of_halves(Halves(whole, half, 5))
    assert abs(curve.exponent - USUAL) < 2 * SPREAD
    assert 0 < curve.error <= SPREAD
    assert LearningCurve.of_halves(Halves(wrong(0, 3), wrong(0, 3), 5)) == LearningCurve()


def test_the_best_of_several_is_a_little_worse_than_it_looks():
    halves = Halves(wrong(100, 50), wrong(140, 50), 5)
    assert LearningCurve.of_halves(halves, optimism=1.0).exponent == pytest.approx(np.log2(14 / 11))
    assert LearningCurve.of_halves(halves, optimism=5.0).exponent == 0


def test_where_nothing_is_learnt_more_data_change_nothing():
    rng = np.random.default_rng(0)
    exponents = []
    for _ in range(100):
        whole, half = (Counts(rng.binomial(8, 0.5, 20), np.full(20, 8)) for _ in range(2))
        exponents.append([LearningCurve.of_halves(Halves(whole, half, 5), usual).exponent for usual in (0.0, USUAL)])
    assert LearningCurve.of_halves(None, 0.0).correct(Accuracy(50, 40, 60), 1.5, 3).points == 50
    none, usual = np.mean(exponents, axis=0)
    assert none < 0.05 < usual


def test_the_error_of_the_exponent_is_that_of_redrawn_groups():
    rng = np.random.default_rng(1)
    found, errors = [], []
    for _ in range(300):
        size = np.full(40, 50)
        whole, half = (Counts(rng.binomial(size, share), size) for share in (0.9, 0.87))
        curve = LearningCurve.of_halves(Halves(whole, half, 5))
        share = 1 - (curve.error / SPREAD) ** 2
        found.append((curve.exponent - (1 - share) * USUAL) / share)  # without the usual one
        errors.append(SPREAD * np.sqrt((1 - share) / share))
    assert widening(5) * np.std(found) == pytest.approx(np.mean(errors), rel=0.15)


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
    assert search.train_halves(one) is not None
    assert left - search.left == pytest.approx(folds.n_folds * search.cost(one.best) / 2)
    search.left = 0.0
    assert search.train_halves(one) is None
