"""The labeller that trains experts and combines them, against the same by hand."""

import json

import numpy as np
import pytest
from builders import larger_set, number_set, random_set
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

import treecrf
from treecrf import Ensemble, LinearCRF, SlidingWindow, TreeCRF, WindowLightGBM
from treecrf.ensembles.combiners import COMBINERS, BoostedStacking, Evidence, MarginalAverage, Stacking, espboost
from treecrf.ensembles.espboost import ESPBoost
from treecrf.models.custom import CustomLabeller
from treecrf.statistics.selection import derive_seed, hold_out, sequence_folds

EXPERTS = (TreeCRF(4, 6, 1.0, (1, 1)), LinearCRF(5.0, (0, 0)), SlidingWindow(3, 4, window=(1, 0)))


def fitted():
    return [type(expert)(**expert.get_params()) for expert in EXPERTS]


def marginals_of(experts, data):
    return np.stack([expert.predict_proba(data) for expert in experts], axis=1)


@pytest.fixture(scope="module")
def sets():
    return larger_set(0), larger_set(1)


@pytest.fixture(scope="module")
def stacked(sets):
    return Ensemble(EXPERTS, n_folds=3, seed=5).fit(sets[0])


def test_the_combiner_learns_from_a_part_that_is_held_out(sets):
    train, test = sets
    model = Ensemble(EXPERTS, held_out=0.4, seed=5).fit(train)
    first, second = hold_out(train.groups, 0.4, derive_seed(5, None))
    part = [expert.fit(train.select(first)) for expert in fitted()]
    held_out = train.select(second)
    features = np.log(np.maximum(marginals_of(part, held_out), 1e-6)).reshape(held_out.n_positions, -1)
    regression = LogisticRegression(max_iter=10_000).fit(features, held_out.labels)
    final = [expert.fit(train) for expert in fitted()]
    features = np.log(np.maximum(marginals_of(final, test), 1e-6)).reshape(test.n_positions, -1)
    assert_allclose(model.predict_proba(test), regression.predict_proba(features), atol=1e-12)
    assert_array_equal(model.predict(test), regression.predict(features))
    assert model.score(test) == (regression.predict(features) == test.labels).mean()


def evidence_of(marginals):
    return Evidence(marginals, np.array([0, len(marginals)]), np.zeros(1, dtype=int))


def test_the_combiner_learns_from_what_other_folds_say(sets, stacked):
    train, test = sets
    marginals, labels = [], []
    for fold in sequence_folds(train.groups, 3, derive_seed(5, None)):
        rest = train.select(np.setdiff1d(np.arange(len(train)), fold))
        part = [expert.fit(rest) for expert in fitted()]
        marginals.append(marginals_of(part, train.select(fold)))
        labels.append(train.select(fold).labels)
    rule = Stacking().fit(evidence_of(np.concatenate(marginals)), np.concatenate(labels), 0)
    final = [expert.fit(train) for expert in fitted()]
    assert_array_equal(stacked.predict_proba(test), rule.predict_proba(evidence_of(marginals_of(final, test))))


@pytest.mark.parametrize("held_out", [None, 0.4])
@pytest.mark.parametrize("combine", COMBINERS)
def test_every_combiner_comes_back_from_a_file(sets, tmp_path, combine, held_out):
    train, test = sets
    model = Ensemble(EXPERTS, combine, 2, held_out).fit(train)
    marginals = model.predict_proba(test)
    assert_allclose(marginals.sum(axis=1), 1)
    assert (marginals >= 0).all()
    path = tmp_path / "model.npz"
    model.save(path)
    again = treecrf.load(path)
    assert_array_equal(again.predict_proba(test), marginals)
    assert_array_equal(again.predict(test), model.predict(test))
    assert repr(again) == repr(model)
    chosen = marginals[np.arange(test.n_positions), model.predict(test)]
    assert_allclose(chosen, marginals.max(axis=1))  # where several labels are tied the vote's rule decides
    with np.load(path) as archive:
        assert json.loads(archive["header"].tobytes())["class"] == "Ensemble"


def test_votes_are_those_of_the_experts_labels(sets):
    train, test = sets
    model = Ensemble(EXPERTS, "majority_vote", 2).fit(train)
    votes = marginals_of(model.experts_, test).argmax(axis=2)
    expected = [
        max(row, key=lambda label, row=row: (row.tolist().count(label), -row.tolist().index(label))) for row in votes
    ]
    assert model.predict(test).tolist() == expected
    best = Ensemble(EXPERTS, "best_expert", 2).fit(train)
    rights = [(expert.predict(test) == best.predict(test)).all() for expert in best.experts_]
    assert any(rights)
    mean = Ensemble(EXPERTS, "marginal_average", 2).fit(train)
    assert_allclose(mean.predict_proba(test), marginals_of(mean.experts_, test).mean(axis=1))


def test_a_mean_trains_each_expert_once_and_keeps_no_stages(sets):
    reported = []
    model = Ensemble(EXPERTS, "marginal_average").fit(sets[0], monitor=lambda number, *_: reported.append(number))
    assert reported == [1, 2, 3]
    assert (model.n_trainings, Ensemble(EXPERTS, n_folds=4).n_trainings) == (3, 15)
    assert len(model.experts_[1].weights_history_) == 1
    assert [name for name, make in COMBINERS.items() if not make().needs_evidence] == ["marginal_average"]
    related = sets[0].with_groups(np.zeros(40, dtype=int))
    assert_array_equal(
        Ensemble(EXPERTS, "marginal_average").fit(related).predict_proba(sets[1]), model.predict_proba(sets[1])
    )


def test_weights_of_a_mean(sets, tmp_path):
    train, test = sets
    model = Ensemble(EXPERTS, "marginal_average", weights=(2, 1.0, 5)).fit(train)
    expected = np.average(marginals_of(model.experts_, test), axis=1, weights=(2, 1, 5))
    assert_allclose(model.predict_proba(test), expected, rtol=1e-12)
    model.save(tmp_path / "m.npz")
    again = treecrf.load(tmp_path / "m.npz")
    assert again.predict_proba(test).tobytes() == model.predict_proba(test).tobytes()
    for weights, combine, problem in (
        ((1, 2), "marginal_average", "weights: there are 2 for 3 experts; give one for each"),
        ((1, 2, 3), "stacking", "weights: stacking learns its own"),
        ((1, 2, 0), "marginal_average", "a number above 0 for each expert"),
    ):
        with pytest.raises(ValueError, match=problem):
            Ensemble(EXPERTS, combine, weights=weights).fit(train)


def test_boosting_has_the_classes_and_rounds_that_cross_validation_chose(sets):
    train, _ = sets
    experts = [expert.fit(train) for expert in fitted()]
    evidence = Evidence.ask(experts, train)
    class_map, vote = espboost(evidence, train.labels, 3)
    boosted = ESPBoost(len(vote.alphas_)).fit(evidence.predictions, train.labels, *evidence.classes(class_map))
    assert_array_equal(vote.weights_, boosted.weights_)


def test_named_experts_have_the_ensembles_settings():
    names = ("treecrf_newton", "treecrf_original", "linear_crf", "neural_network", "lightgbm")
    settings = {"window": (2, 1), "n_iterations": 7, "unseen": "error", "n_threads": 2}
    made = [
        getattr(expert, "labeller", expert) for expert in Ensemble(names, **settings, random_state=3).make_experts()
    ]
    assert all(expert.window == (2, 1) and expert.unseen == "error" for expert in made)
    assert [made[0].n_iterations, made[2].max_iterations, made[3].n_epochs] == [7, 7, 7]
    assert [expert.random_state for expert in made] == [3, 3, 3, 4, 3]
    assert (made[0].splits, made[0].n_threads, made[1].l2_regularization) == ("subsets", 2, 0.0)
    made = [getattr(expert, "labeller", expert) for expert in Ensemble(names).make_experts()]
    assert [expert.random_state for expert in made] == [None, None, None, 0, None]


@pytest.mark.parametrize("names", [("treecrf", "memm", "sliding_window"), ("linear_crf", "lightgbm", "neural_network")])
def test_named_experts_handle_missing_cells_unless_told_otherwise(names):
    train = number_set(0)
    holes = train.with_values(np.where(np.arange(train.n_positions)[:, None] % 5 == 0, -1, train.values))
    experts = Ensemble(names, "marginal_average", n_iterations=2)
    assert np.isfinite(experts.fit(holes).predict_proba(holes)).all()
    assert np.isfinite(experts.fit(train).predict_proba(holes)).all()
    with pytest.raises(ValueError, match="is missing at observation 0; fill or mark"):
        experts.set_params(missing="error").fit(holes)


def test_experts_see_numbers_as_they_do_alone(tmp_path):
    train, test = number_set(0), number_set(1)
    model = Ensemble(("treecrf", "lightgbm"), "marginal_average", 2, window=(1, 0), n_iterations=4).fit(train)
    alone = [TreeCRF(4, window=(1, 0)).fit(train), WindowLightGBM(4, window=(1, 0)).fit(train)]
    assert_array_equal(model.predict_proba(test), marginals_of(alone, test).mean(axis=1))
    model.save(tmp_path / "model.npz")
    again = treecrf.load(tmp_path / "model.npz")
    assert_array_equal(again.predict_proba(test), model.predict_proba(test))
    assert again.inputs_.number_names == train.number_names


def test_related_sequences_are_in_one_fold(monkeypatch):
    train = larger_set(0).with_groups(np.arange(40) // 10)
    asked, ask = [], Evidence.ask
    monkeypatch.setattr(
        Evidence, "ask", classmethod(lambda cls, experts, data: asked.append(data.groups) or ask(experts, data))
    )
    Ensemble(EXPERTS[:1], n_folds=9).fit(train)
    assert [set(groups) for groups in asked] != []
    assert sorted(len(set(groups)) for groups in asked) == [1, 1, 1, 1]


def test_labels_that_the_combiner_has_not_seen():
    evidence = evidence_of(np.random.default_rng(0).dirichlet(np.ones(4), (50, 2)))
    for rule in (Stacking(), BoostedStacking()):
        found = rule.fit(evidence, np.repeat([0, 2], 25), 0).predict_proba(evidence)
        assert (found[:, [1, 3]] < 1e-14).all()
        assert_allclose(found.sum(axis=1), 1)
        assert_allclose(rule.fit(evidence, np.full(50, 2), 0).predict_proba(evidence)[:, 2], 1)
    assert MarginalAverage().predict_proba(evidence).shape == (50, 4)


def test_two_labels_are_those_of_the_regression():
    rng = np.random.default_rng(0)
    marginals = rng.dirichlet(np.ones(2), (80, 3))
    labels = (marginals[:, 0, 1] + rng.normal(0, 0.3, 80) > 0.5).astype(int)
    regression = LogisticRegression(max_iter=10_000).fit(np.log(np.maximum(marginals, 1e-6)).reshape(80, -1), labels)
    expected = regression.predict_proba(np.log(np.maximum(marginals, 1e-6)).reshape(80, -1))
    evidence = evidence_of(marginals)
    assert_allclose(Stacking().fit(evidence, labels, 0).predict_proba(evidence), expected, atol=1e-12)


def test_sequences_that_are_all_related_are_refused():
    related = larger_set(0).with_groups(np.zeros(40, dtype=int))
    with pytest.raises(
        ValueError, match=r"no two unrelated sequences, so experts cannot be cross-fitted; give at least two\."
    ):
        Ensemble(EXPERTS).fit(related)
    with pytest.raises(ValueError, match="no two unrelated sequences, so none can be held out"):
        Ensemble(EXPERTS, held_out=0.5).fit(related)
    two = larger_set(0).with_groups(np.arange(40) // 20)
    with pytest.raises(ValueError, match=r"are all related, so none can judge; give more, or combine by stacking\."):
        Ensemble(EXPERTS, "espboost", held_out=0.5).fit(two)


def test_an_expert_that_is_not_saved_says_so(tmp_path):
    train = random_set(np.random.default_rng(0), 20)
    expert = CustomLabeller("sklearn_free:Even", window=(0, 0))
    model = Ensemble((EXPERTS[1],), n_folds=2).fit(train)
    model.experts_ = [expert]
    with pytest.raises(ValueError, match=r"sklearn_free:Even is not saved here; save `inner_` as the class does\."):
        model.save(tmp_path / "model.npz")


def test_experts_warn_of_the_same_cells_once():
    train = random_set(np.random.default_rng(0), 12)
    wider = [attribute._replace(categories=(*attribute.categories, "new")) for attribute in train.attributes]
    values = train.values.copy()
    values[3, 0] = len(train.attributes[0].categories)
    model = Ensemble([LinearCRF(max_iterations=3), TreeCRF(n_iterations=2)], n_folds=2).fit(train)
    for _ in range(2):
        with pytest.warns(UserWarning, match="category 'new'") as told:
            model.predict(train.with_values(values, wider))
        assert len(told) == 1
