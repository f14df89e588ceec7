"""`InducedCRF` against enumeration, `LinearCRF` and planted conjunctions."""

import naive
import numpy as np
import pytest
from builders import cells_by_position, tuples
from builders import copied_set as random_set

from treecrf import Attribute, LinearCRF, SequenceSet, chain
from treecrf.models.execution import Workers
from treecrf.models.linear.induced_crf import InducedCRF, _Training
from treecrf.models.linear.lbfgs import minimize_objective
from treecrf.models.linear.linear_crf import Outcomes

SHORT = {"keep_stages": True, "n_iterations": 24, "features_per_induction": 10, "window": (1, 1), "variance": 5.0}
OUT_OF_RANGE = r"the objective is nan at the start of training; lower the variance or start_noise"


def naive_potentials(data, window, conjunctions, labels, transitions, features):
    """Potentials from explicit weights: a conjunction counts where a position has all of its cells.

    It has weights by label, or by label before (START last) and label.
    """
    n_labels = len(labels)
    potentials = np.zeros((n_labels, data.n_positions, n_labels + 1))
    for position, cells in enumerate(cells_by_position(data, window)):
        scores = np.repeat(labels[None], n_labels + 1, axis=0)
        for conjunction, weights in zip(tuples(conjunctions), features, strict=True):
            if cells >= set(conjunction):
                scores += weights.reshape(-1, n_labels)
        potentials[:, position] = scores.T
    potentials[:, :, :n_labels] += transitions.T[:, None, :]
    return potentials


def planted_set(seed, n_sequences=60):
    """The label says whether exactly one of letter "a" and flag "yes" holds; a mark says nothing."""
    rng = np.random.default_rng(seed)
    offsets = np.arange(0, 10 * n_sequences + 1, 10)
    letters, flags, marks = (rng.integers(0, n, offsets[-1]) for n in (2, 2, 4))
    attributes = (Attribute("letter", ("a", "b")), Attribute("flag", ("no", "yes")), Attribute("mark", tuple("pqrs")))
    values = np.stack([letters, flags, marks], axis=1)
    return SequenceSet(values, offsets, attributes, (letters == 0) ^ (flags == 1), ("same", "other"))


@pytest.mark.parametrize("features", ["pairs", "labels"])
@pytest.mark.parametrize("window", [(0, 0), (1, 1)])
def test_objective_and_gradient_equal_enumeration(window, features):
    data, outcomes = random_set(1, 12), Outcomes(3, 1, features)
    training = _Training(data, data.labels, window, outcomes, 3.0)
    everything = training.part(np.arange(len(data)))
    for _ in range(2):
        training.add_features(everything, 0.95, 6, Workers().run)
    assert {1, 2} <= {len(cells) for cells in tuples(training.conjunctions)}
    weights = np.random.default_rng(2).normal(size=len(training.weights))

    def expected(at, of):
        labels, transitions, features = np.split(at, [3, 12])
        parts = training.conjunctions, labels, transitions.reshape(3, 3), features.reshape(-1, outcomes.size)
        potentials = naive_potentials(of, window, *parts)
        answers = naive.enumerate_chains(potentials, of.offsets, 1)
        states = chain.state_sequence(of.labels, of.offsets, 3, 1)
        score = potentials[of.labels, np.arange(of.n_positions), states].sum()
        return answers.log_partition.sum() - score + at @ at / 6.0

    for chosen in ([7, 2, 5], range(len(data))):
        value, gradient = training.objective(training.part(np.array(chosen)))(weights)
        part = data.select(sorted(chosen))
        assert value == pytest.approx(expected(weights, part), abs=1e-9)
        for index in range(0, len(weights), 5):
            step = np.zeros_like(weights)
            step[index] = 1e-5
            slope = (expected(weights + step, part) - expected(weights - step, part)) / 2e-5
            assert gradient[index] == pytest.approx(slope, abs=1e-6)


def test_without_conjunctions_the_optimum_is_that_of_a_linear_chain():
    # One slot has one cell at a time, so no two hold together. A constant attribute gives LinearCRF weights of labels.
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    letters = np.where(rng.random(300) < 0.6, labels, rng.integers(0, 4, 300))
    offsets, letter = np.arange(0, 301, 6), Attribute("letter", tuple("abcd"))
    one = SequenceSet(letters[:, None], offsets, (letter,), labels, tuple("XYZ"))
    values = np.stack([letters, np.zeros(300)], axis=1).astype(int)
    two = SequenceSet(values, offsets, (letter, Attribute("constant", ("it",))), labels, tuple("XYZ"))
    linear = LinearCRF(2.0, features="labels", max_iterations=2000, tolerance=1e-14).fit(two)
    induced = InducedCRF(
        2.0, features="labels", n_iterations=300, true_label_threshold=1.0, training_proportions=()
    ).fit(one)
    assert sorted(tuples(induced.conjunctions_)) == [(0,), (1,), (2,), (3,)]
    assert induced.objective_history_[-1] == pytest.approx(linear.objective_history_[-1], rel=1e-6)
    weights, order = induced.weights_, np.argsort(induced.conjunctions_.cells)
    np.testing.assert_allclose(weights.features[order], linear.cell_weights_[:4], atol=5e-3)
    np.testing.assert_allclose(weights.labels, linear.cell_weights_[5], atol=5e-3)
    np.testing.assert_allclose(weights.transitions, linear.transition_weights_, atol=5e-3)


@pytest.mark.parametrize("features", ["pairs", "labels"])
def test_predictions_are_those_of_the_weights_and_history_is_the_likelihood(features):
    data, other, heard = random_set(3), random_set(4), []
    model = InducedCRF(**SHORT | {"n_iterations": 48, "features": features}).fit(
        data, monitor=lambda *event: heard.append(event)
    )
    assert {1, 2, 3} <= {len(cells) for cells in tuples(model.conjunctions_)}
    weights = model.weights_
    potentials = naive_potentials(
        other, (1, 1), model.conjunctions_, weights.labels, weights.transitions, weights.features
    )
    np.testing.assert_allclose(model.potentials(other), potentials, atol=1e-12)
    marginals = chain.forward_backward(potentials, other.offsets, 1).labels
    np.testing.assert_allclose(model.predict_proba(other), marginals, atol=1e-12)
    log_likelihood = model.log_likelihood(data).sum()
    assert heard[-1][2] == pytest.approx(log_likelihood, abs=1e-8)
    assert model.objective_history_[-1] == pytest.approx(model.stages_[-1] @ model.stages_[-1] / 10 - log_likelihood)
    assert [number for number, _, _ in heard] == list(range(1, len(model.stages_) + 1))
    assert set(heard[0][1]) == set(model.seconds_) == {"windows", "gradient", "induction"}
    assert all(heard[-1][1][phase] <= model.seconds_[phase] for phase in model.seconds_)
    assert model.n_inductions_ == 6
    staged = model.staged_score(other)
    assert staged.shape == (len(heard), 2)
    assert staged[-1].tolist() == [model.score(other), model.score(other, decoder="viterbi")]


def test_a_shorter_fit_is_a_stage_of_a_longer_one():
    # Its last round has all sequences and no induction after it: with shares of 1 that changes nothing before.
    data, other = random_set(5), random_set(6)
    settings = SHORT | {"training_proportions": ()}
    longer = InducedCRF(**settings).fit(data)
    staged = longer.staged_score(other)
    for n_iterations in (3, 8, 16):
        shorter = InducedCRF(**settings | {"n_iterations": n_iterations}).fit(data)
        assert len(shorter.stages_) == n_iterations
        for stage, expected in zip(shorter.stages_, longer.stages_, strict=False):
            np.testing.assert_array_equal(stage, expected)
        assert staged[n_iterations - 1].tolist() == [shorter.score(other), shorter.score(other, decoder="viterbi")]


@pytest.mark.parametrize("n_iterations", [8, 16, 24])
def test_the_last_iterations_have_all_sequences(n_iterations):
    data = random_set(7)
    model = InducedCRF(**SHORT | {"n_iterations": n_iterations}, training_proportions=(0.5,) * 9).fit(data)
    weights = model.stages_[-1]
    assert model.objective_history_[-1] == pytest.approx(weights @ weights / 10 - model.log_likelihood(data).sum())


def test_a_seed_perturbs_the_start():
    data = random_set(9)
    none, first, again, second = (
        InducedCRF(**SHORT, random_state=seed, start_noise=0.3).fit(data) for seed in (None, 1, 1, 2)
    )
    assert first.stages_[-1].tobytes() == again.stages_[-1].tobytes()
    assert len({model.stages_[0].tobytes() for model in (none, first, second)}) == 3
    whole = SHORT | {"training_proportions": (), "start_noise": 0.0}  # neither parts nor noise are left to a seed
    quiet, none = (InducedCRF(**whole, random_state=seed).fit(data) for seed in (0, None))
    assert quiet.stages_[-1].tobytes() == none.stages_[-1].tobytes()


def test_a_planted_conjunction_is_found():
    train, test = planted_set(0), planted_set(1)
    assert LinearCRF(5.0).fit(train).score(test) < 0.6
    model = InducedCRF(5.0, n_iterations=40, keep_stages=True).fit(train)
    # Cells: a, b, EDGE, no, yes, EDGE, ..; the second of two categories stands for both.
    assert (1, 4) in tuples(model.conjunctions_)[: len(model.stages_[7]) // 2]
    assert model.score(test) > 0.99


def test_training_ends_at_the_optimum_where_nothing_is_left_to_induce():
    labels = np.random.default_rng(0).integers(0, 2, 100)
    data = SequenceSet(np.zeros((100, 0), dtype=int), np.arange(0, 101, 5), (), labels, ("X", "Y"))
    model = InducedCRF(training_proportions=()).fit(data)
    constant = data.with_values(np.zeros((100, 1), dtype=int), (Attribute("constant", ("it",)),))
    linear = LinearCRF(features="labels", tolerance=1e-14).fit(constant)
    assert model.n_inductions_ < 25
    assert len(model.stages_) < 200
    assert model.objective_history_[-1] == pytest.approx(linear.objective_history_[-1], rel=1e-8)


def test_an_objective_out_of_range_is_refused():
    with pytest.raises(ValueError, match=OUT_OF_RANGE):
        minimize_objective(lambda weights: (np.nan, weights), np.ones(2), 5, 1e-9, lambda weights, value: None)
    with pytest.raises(ValueError, match=OUT_OF_RANGE):
        InducedCRF(random_state=0, start_noise=1e4).fit(random_set(0))
