"""Votes of experts on predictions, against versions that enumerate path experts."""

import naive_ensembles as naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from treecrf.ensembles.baselines import CLOSE, Descent, OnlineMajorityVote, RandomPath, StepwiseEnsemble
from treecrf.ensembles.espboost import (
    Cells,
    ESPBoost,
    choose_rounds,
    cross_validated_losses,
    fold_of_positions,
    mistake_correlation,
)
from treecrf.ensembles.voting import CLASS_MAPS, BestExpert, MajorityVote, WeightedVote, position_classes

RHOS = np.array([0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9])


def predicted(seed, n_positions=None, n_experts=None, n_classes=None, n_labels=4):
    """Experts of unlike accuracy, whose mistakes are often the same; some classes may have no position."""
    rng = np.random.default_rng(seed)
    m = n_positions or int(rng.integers(1, 41))
    p = n_experts or int(rng.integers(1, 5))
    n_classes = n_classes or int(rng.integers(1, 5))
    labels, classes = rng.integers(0, n_labels, m), rng.integers(0, n_classes, m)
    own = np.where(rng.random((m, p)) < 0.5, rng.integers(0, n_labels, (m, 1)), rng.integers(0, n_labels, (m, p)))
    right = rng.random((m, p)) < rng.uniform(0.2, 0.9, (n_classes, p))[classes]
    return np.where(right, labels[:, None], own).astype(np.uint8), labels, classes, n_classes


def lists(*arrays):
    return [array.tolist() for array in arrays]


def test_boosting_is_that_over_all_path_experts():
    n_rounds = set()
    for seed in range(200):
        predictions, labels, classes, n_classes = predicted(seed)
        model = ESPBoost(20).fit(predictions, labels, classes, n_classes)
        paths, alphas, errors = naive.boost(*lists(predictions, labels, classes), n_classes, 20)
        assert [tuple(path) for path in model.paths_.tolist()] == paths
        assert_allclose(model.errors_, errors, rtol=0, atol=1e-10)
        assert_allclose(model.alphas_, alphas, rtol=0, atol=1e-9)
        weights = naive.weights_of(paths, alphas, n_classes, predictions.shape[1])
        assert_allclose(model.weights_, weights, rtol=0, atol=1e-8)
        other, _, of, _ = predicted(seed + 1000, 30, predictions.shape[1], n_classes)
        votes = [naive.vote(weights[c], row) for row, c in zip(*lists(other, of), strict=True)]
        assert model.vote(other, of).tolist() == votes
        n_rounds.add(len(paths))
    assert {1, 2, 20} <= n_rounds


@pytest.mark.parametrize("n_experts", [3, 16, 17, 20])
def test_packing_of_few_and_many_experts_agrees(n_experts):
    predictions, labels, classes, n_classes = predicted(0, 60, n_experts, 2)
    cells = Cells.pack(predictions, labels, classes)
    assert_array_equal(cells.right[cells.of], predictions == labels[:, None])
    assert_array_equal(cells.classes[cells.of], classes)
    assert (np.diff(cells.classes) >= 0).all()
    assert len({(c, *row) for c, row in zip(*lists(cells.classes, cells.right), strict=True)}) == len(cells.classes)
    model = ESPBoost(5).fit(predictions, labels, classes, n_classes)
    paths, _, errors = naive.boost(*lists(predictions, labels, classes), n_classes, 1)
    assert model.paths_[0].tolist() == list(paths[0])
    assert model.errors_[0] == pytest.approx(errors[0], abs=1e-10)
    stages = [ESPBoost(t).fit(predictions, labels, classes).loss(predictions, labels, classes) for t in range(1, 6)]
    staged = model.staged_losses(predictions, labels, classes)
    assert_allclose(staged, stages[: len(staged)], atol=1e-15)


def test_margins_and_their_losses_by_round():
    for seed in range(20):
        predictions, labels, classes, n_classes = predicted(seed, 40, 4)
        model = ESPBoost(10).fit(predictions, labels, classes, n_classes)
        expected = []
        for t in range(1, len(model.alphas_) + 1):
            weights = naive.weights_of(model.paths_[:t].tolist(), model.alphas_[:t], n_classes, 4)
            rows = zip(*lists(classes, predictions, labels), strict=True)
            expected.append([naive.margin(weights[c], row, label) for c, row, label in rows])
        assert_allclose(model.margins(predictions, labels, classes), expected[-1], atol=1e-12)
        losses = model.staged_margin_losses(predictions, labels, classes, RHOS)
        counted = [[np.mean(np.array(row) <= rho + 1e-12) for rho in RHOS] for row in expected]
        assert_allclose(losses, counted, atol=1e-12)
        shares = model.shares(predictions, classes, 4)
        assert_allclose(shares.sum(axis=1), 1)
        right = shares[np.arange(40), labels]
        shares[np.arange(40), labels] = 0
        assert_allclose(right - shares.max(axis=1), expected[-1], atol=1e-12)


def test_theorem_3_and_its_equality():
    held = 0
    for seed in range(100):
        predictions, labels, classes, n_classes = predicted(seed, 40)
        model = ESPBoost(10).fit(predictions, labels, classes, n_classes)
        bounds = model.bound(RHOS)
        assert bounds.shape == (len(model.alphas_), len(RHOS))
        assert_array_equal(model.bound(0.2), bounds[:, 4])
        assert (model.staged_margin_losses(predictions, labels, classes, RHOS) <= bounds + 1e-12).all()
        parts = lists(predictions, labels, classes)
        for t in range(1, len(model.alphas_) + 1):
            paths, alphas = model.paths_[:t].tolist(), model.alphas_[:t]
            # At rho = 0 it is F(alpha); elsewhere exp(rho ||alpha||) times that.
            assert bounds[t - 1, 0] == pytest.approx(naive.objective(paths, alphas, *parts), abs=1e-10)
            if 0 < model.errors_[0] < 0.5 - 1e-6:
                held += 1
                expected = [naive.theorem_3(model.errors_[:t], rho) for rho in RHOS]
                assert_allclose(bounds[t - 1], expected, rtol=1e-9)
    assert held > 300


def test_cross_validated_losses_are_those_of_trainings_without_each_fold():
    for seed in range(10):
        predictions, labels, classes, _ = predicted(seed, 40, 3, 2)
        sequences = np.arange(40) // 4 * 3
        folds = fold_of_positions(sequences, 3, seed)
        assert all(len(set(folds[sequences == number])) == 1 for number in sequences)
        losses = cross_validated_losses(predictions, labels, classes, sequences, 8, 3, seed)
        expected = naive.cross_validated_losses(*lists(predictions, labels, classes, folds), 2, 8)
        assert_allclose(losses, expected, atol=1e-12)
        assert choose_rounds(losses) == 1 + expected.index(min(expected))


def test_online_weights_are_those_of_one_sequence_after_another():
    for seed in range(20):
        predictions, labels, classes, n_classes = predicted(seed, 40)
        sequences = np.sort(np.random.default_rng(seed).integers(0, 9, 40))
        model = OnlineMajorityVote(0.8, 0.1).fit(predictions, labels, classes, n_classes, sequences=sequences)
        weights, first = naive.online(*lists(predictions, labels, classes, sequences), n_classes, 0.8, 0.1)
        assert model.first_ == first
        assert_allclose(model.weights_, weights, atol=1e-12)
        drawn = RandomPath(0.8, 0.1, seed).fit(predictions, labels, classes, n_classes, sequences=sequences)
        wrong = (predictions != labels[:, None]) * np.array(weights)[classes]
        assert drawn.expected_loss(predictions, labels, classes) == pytest.approx(wrong.sum() / 40)
        path = predictions[np.arange(40), drawn.path_[classes]]
        assert_array_equal(drawn.vote(predictions, classes), path)


def test_paths_are_drawn_by_their_weights():
    predictions, labels, classes, n_classes = predicted(3, 40, 3, 2)
    fit = {"sequences": np.arange(40) // 4}
    models = [RandomPath(0.9, random_state=i).fit(predictions, labels, classes, n_classes, **fit) for i in range(400)]
    found = np.mean([model.weights_ for model in models], axis=0)
    sds = np.sqrt(models[0].probabilities_ * (1 - models[0].probabilities_) / 400)
    assert (np.abs(found - models[0].probabilities_) < 4 * sds).all()


def test_steps_end_where_no_expert_helps():
    for seed in range(20):
        predictions, labels, _, _ = predicted(seed, 200, 5, 1)
        model = StepwiseEnsemble(seed).fit(predictions, labels)
        best = int((predictions == labels[:, None]).sum(axis=0).argmax())
        assert model.counts_[best] >= 1
        votes = model.vote(predictions)
        counts = model.counts_.tolist()
        for row, label in zip(predictions.tolist(), votes.tolist(), strict=True):
            found = naive.scores(counts, row)
            tied = [j for j in range(5) if counts[j] and found[row[j]] == max(found.values())]
            top = max(model.accuracies_[j] for j in tied)
            assert label in {row[j] for j in tied if model.accuracies_[j] == top}


def test_a_draw_decides_between_experts_as_accurate():
    labels = np.zeros(4000, dtype=int)
    wrong = np.random.default_rng(0).permutation(4000).reshape(2, 2000)
    predictions = np.zeros((4000, 2), dtype=np.uint8)
    predictions[wrong[0], 0] = predictions[wrong[1], 1] = 1
    model = StepwiseEnsemble().fit(predictions, labels)
    model.counts_ = np.array([1, 1])
    assert abs((model.vote(predictions) == 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)


def test_descent_reaches_the_minimum_of_the_objective():
    lower = 0
    for seed in range(60):
        predictions, labels, classes, n_classes = predicted(seed, 40, 3, 2)
        model, boosted = (
            Descent(5000).fit(predictions, labels, classes),
            ESPBoost(100).fit(predictions, labels, classes),
        )
        parts = lists(predictions, labels, classes)
        found = naive.objective(model.paths_.tolist(), model.alphas_, *parts)
        assert np.exp(model.log_objective_) == pytest.approx(found, rel=1e-9)
        bounds = model.bound(RHOS)
        margins = model.margins(predictions, labels, classes)
        assert all((margins <= rho + 1e-12).mean() <= bound + 1e-12 for rho, bound in zip(RHOS, bounds, strict=True))
        if len(boosted.alphas_) > 1 and model.n_steps_ < 1000:
            assert found <= boosted.bound(0.0)[-1] + 1e-12
            lower += found < boosted.bound(0.0)[-1] - 1e-6
            for path in naive.all_paths(n_classes, 3):  # no change of one weight lowers F by much
                rho = np.where([naive.is_wrong(path, *parts, i) for i in range(40)], -1, 1)
                every = np.array([[naive.is_wrong(q, *parts, i) for i in range(40)] for q in model.paths_.tolist()])
                terms = np.exp(-(model.alphas_[:, None] * np.where(every, -1, 1)).sum(axis=0))
                error = terms[rho < 0].sum() / terms.sum()
                assert error >= 0.5 - 2 * CLOSE
    assert lower > 5


# --- classes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASS_MAPS)
def test_classes_of_positions(name):
    offsets = np.concatenate([[0], np.cumsum(np.arange(1, 13))])
    predictions = predicted(0, int(offsets[-1]), 3)[0]
    classes, n_classes = position_classes(name, offsets, predictions, 4)
    expected = [
        naive.position_class(name, place, length, predictions[offsets[length - 1] + place].tolist())
        for length in range(1, 13)
        for place in range(length)
    ]
    assert classes.tolist() == expected
    assert classes.max() == n_classes - 1 >= 0


def test_a_class_map_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match=r"the class map 'two' is not known; choose one of one, ends, .*\."):
        position_classes("two", np.array([0, 1]), np.zeros((1, 1), np.uint8), 2)


# --- what is at the border --------------------------------------------------------------------------


def test_a_label_that_no_expert_predicts_is_never_right():
    predictions, _, classes, n_classes = predicted(2, 40, 3, 2)
    labels = np.full(40, 9)
    model = ESPBoost().fit(predictions, labels, classes, n_classes)
    assert (model.errors_.tolist(), model.alphas_.tolist()) == ([1.0], [1.0])
    assert model.loss(predictions, labels, classes) == 1
    assert model.margins(predictions, labels, classes).tolist() == [-1.0] * 40
    assert (model.staged_margin_losses(predictions, labels, classes, RHOS) <= model.bound(RHOS)).all()
    labels[:20] = predictions[:20, 0]  # now some are right
    margins = ESPBoost().fit(predictions, labels, classes).margins(predictions, labels, classes)
    assert (margins[20:] < 0).all()


def test_a_path_that_is_always_right_is_returned_alone():
    labels = classes = np.array([0, 1, 0, 1])
    predictions = np.array([[0, 1], [0, 1], [0, 2], [2, 1]], dtype=np.uint8)
    for model in (ESPBoost(), Descent()):
        model.fit(predictions, labels, classes)
        assert (model.paths_.tolist(), model.alphas_.tolist()) == ([[0, 1]], [1.0])
        assert model.loss(predictions, labels, classes) == 0
    assert ESPBoost().fit(predictions, labels, classes).errors_.tolist() == [0.0]


def test_a_path_no_better_than_chance_is_returned_alone():
    labels, classes = np.zeros(4, dtype=int), np.zeros(4, dtype=int)
    predictions = np.array([[0, 1], [0, 1], [1, 0], [1, 0]], dtype=np.uint8)
    for model in (ESPBoost(), Descent()):
        model.fit(predictions, labels, classes)
        assert (model.paths_.tolist(), model.alphas_.tolist()) == ([[0]], [1.0])
        assert_array_equal(model.vote(predictions, classes), predictions[:, 0])


def test_a_class_without_positions_gets_the_first_expert():
    predictions, labels, _, _ = predicted(4, 40, 3, 1)
    model = ESPBoost(5).fit(predictions, labels, np.ones(40, dtype=int), 3)
    assert set(model.paths_[:, 0]) == set(model.paths_[:, 2]) == {0}
    assert_array_equal(model.vote(predictions, np.zeros(40, dtype=int)), predictions[:, 0])
    paths = naive.boost(predictions.tolist(), labels.tolist(), [1] * 40, 3, 5)[0]
    assert [tuple(path) for path in model.paths_.tolist()] == paths
    online = OnlineMajorityVote().fit(predictions, labels, np.ones(40, dtype=int), 3, sequences=np.arange(40))
    assert_allclose(online.weights_[[0, 2]], 1 / 3)


def test_ties_go_to_the_heaviest_voter_and_then_to_the_lowest():
    model = WeightedVote()
    model.weights_ = np.array([[1.0, 2.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.1, 0.2, 0.3, 0.0]])
    predictions = np.array([[5, 6, 5, 6], [5, 6, 5, 6], [5, 5, 6, 6]], dtype=np.uint8)
    assert model.vote(predictions, np.arange(3)).tolist() == [6, 5, 6]
    assert [naive.vote(w, row) for w, row in zip(*lists(model.weights_, predictions), strict=True)] == [6, 5, 6]


def test_correlation_is_that_of_mistakes():
    labels = np.zeros(4, dtype=int)
    predictions = np.array(
        [[0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 0, 1], [1, 0, 0, 1]]
    )  # one always right, one always wrong
    assert mistake_correlation(predictions, labels) == pytest.approx(np.corrcoef([0, 0, 1, 1], [0, 0, 1, 0])[0, 1])
    assert np.isnan(mistake_correlation(predictions[:, :1], labels))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros(3, int), [0, 0, 0], [0, 0, 0]), r"predictions of shape \(3,\): give a row for each position"),
        ((np.zeros((0, 2), int), [], []), r"predictions of shape \(0, 2\)"),
        ((np.zeros((3, 2)), [0, 0, 0], [0, 0, 0]), "predictions: give codes of labels, whole numbers from 0 to 255"),
        ((np.full((3, 2), 256), [0, 0, 0], [0, 0, 0]), "predictions: give codes of labels"),
        ((np.zeros((3, 2), int), [0, 0], [0, 0, 0]), r"labels of shape \(2,\): give one for each of 3 positions"),
        ((np.zeros((3, 2), int), [0, 0, 0], [0]), r"classes of shape \(1,\): give one for each of 3 positions"),
        ((np.zeros((3, 2), int), [0, 0, 0], [0, -1, 0]), "classes: give whole numbers of at least 0"),
        ((np.zeros((1, 257), int), [0], [0]), "predictions of 257 experts: give at most 256"),
    ],
)
def test_predictions_that_cannot_be_are_refused(arguments, message):
    for model in (ESPBoost(), Descent(), BestExpert(), MajorityVote()):
        with pytest.raises(ValueError, match=message):
            model.fit(*arguments)


def test_a_vote_refuses_what_it_does_not_know():
    model = MajorityVote().fit(np.zeros((3, 2), int), np.zeros(3, int), np.zeros(3, int))
    with pytest.raises(ValueError, match=r"the predictions are of 3 experts, the vote is of 2; give the same\."):
        model.vote(np.zeros((3, 3), int), np.zeros(3, int))
    with pytest.raises(ValueError, match=r"position 1 is of class 1, and the vote knows 1; name n_classes in fit\."):
        model.vote(np.zeros((3, 2), int), np.arange(3))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ESPBoost(0), "n_rounds=0: give a whole number of at least 1"),
        (Descent(0), "n_steps=0: give a whole number of at least 1"),
        (OnlineMajorityVote(1.0), "beta=1.0: give a number above 0 and below 1"),
        (OnlineMajorityVote(0.9, 0), "delta=0: give a number above 0 and below 1"),
        (RandomPath(random_state=-1), "random_state=-1: give a whole number of at least 0"),
    ],
)
def test_settings_out_of_range_are_refused(model, message):
    given = np.zeros((3, 2), int), np.zeros(3, int), np.zeros(3, int)
    with pytest.raises(ValueError, match=message):
        model.fit(*given, **({"sequences": np.arange(3)} if isinstance(model, OnlineMajorityVote) else {}))
