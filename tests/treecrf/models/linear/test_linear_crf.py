"""`LinearCRF` against enumeration and python-crfsuite."""

import re
import tracemalloc

import naive
import numpy as np
import pycrfsuite
import pytest
from builders import assert_gradient, hidden_labels, larger_set, letter_set
from numpy.testing import assert_allclose

import treecrf
from treecrf import Attribute, LinearCRF, chain
from treecrf.models.linear.linear_crf import FEATURES, Objective, Outcomes
from treecrf.sequences import SequenceSet, slot_sizes, window_codes


def naive_potentials(data, window, order, weights, features="labels"):
    """Potentials of explicit weights: for each cell those of labels, then of pairs; then one for each pair alone."""
    n_labels, sizes = len(data.label_names), slot_sizes(data.attributes, window)
    codes, first = window_codes(data, window), np.concatenate([[0], np.cumsum(sizes)])
    with_labels, with_pairs = features != "pairs" or not order, features in ("pairs", "both") and order
    n_outcomes = n_labels * with_labels + n_labels * (n_labels + 1) * with_pairs
    of_cells = weights[: first[-1] * n_outcomes].reshape(-1, n_outcomes)
    space = chain.StateSpace(n_labels, order)
    potentials = np.zeros((n_labels, data.n_positions, space.n_states))
    for position, row in enumerate(codes):
        for slot, code in enumerate(row):
            if code < sizes[slot]:
                of_cell = of_cells[first[slot] + code]
                for label in range(n_labels):
                    for before in range(space.n_states):
                        if with_labels:
                            potentials[label, position, before] += of_cell[label]
                        if with_pairs:
                            place = n_labels * with_labels + before * n_labels + label
                            potentials[label, position, before] += of_cell[place]
    if order:
        pairs = weights[first[-1] * n_outcomes :].reshape(n_labels, n_labels)
        potentials[:, :, :n_labels] += pairs.T[:, None, :]
    return potentials


@pytest.mark.parametrize(("order", "features"), [(0, "labels"), (0, "both"), (1, "labels"), (1, "pairs"), (1, "both")])
@pytest.mark.parametrize("window", [(0, 0), (1, 2)])
def test_objective_and_gradient_equal_enumeration(order, features, window):
    data = letter_set(order)
    objective = Objective(data, data.labels, window, Outcomes(len(data.label_names), order, features), 3.0)
    weights = np.random.default_rng(1).normal(size=objective.n_weights)

    def expected(at):
        potentials = naive_potentials(data, window, order, at, features)
        answers = naive.enumerate_chains(potentials, data.offsets, order)
        states = chain.state_sequence(data.labels, data.offsets, len(data.label_names), order)
        score = potentials[data.labels, np.arange(data.n_positions), states].sum()
        return answers.log_partition.sum() - score + at @ at / 6.0

    value, gradient = objective(weights)
    assert value == pytest.approx(expected(weights), abs=1e-9)
    assert_gradient(expected, weights, gradient, 7 if features == "labels" else 29)


def test_cells_have_weights_of_pairs_as_in_the_dissertation():
    # Section 2.2 of the dissertation: 3^2 x 13 x 20 = 2340 weights; ours has START too, a cell for what is outside the
    # sequence, and the pairs by themselves.
    amino_acids = tuple("ACDEFGHIKLMNPQRSTVWY")
    rng = np.random.default_rng(0)
    data = treecrf.SequenceSet(
        rng.integers(0, 20, (50, 1)),
        np.array([0, 50]),
        (Attribute("residue", amino_acids),),
        rng.integers(0, 3, 50),
        ("helix", "sheet", "coil"),
    )
    model = LinearCRF(window=(6, 6), max_iterations=1).fit(data)
    assert model.cell_weights_.shape == (13 * (20 + 1), 3**2 + 3)
    assert model.transition_weights_.shape == (3, 3)
    of_residues = model.cell_weights_.reshape(13, 21, 12)[:, :20, : 3**2]
    assert of_residues.size == 3**2 * 13 * 20


def crfsuite(data, window, variance, n_iterations):
    """Train python-crfsuite on the same features; its weights in our order, and what it logged last."""
    codes, sizes = window_codes(data, window), slot_sizes(data.attributes, window)
    items = [[f"{slot}={code}" for slot, code in enumerate(row)] for row in codes]
    names = [data.label_names[label] for label in data.labels]
    logged = []
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.message = logged.append
    trainer.set_params(
        {
            "c2": 1 / (2 * variance),
            "max_iterations": n_iterations,
            "epsilon": 1e-12,
            "delta": 1e-14,
            "period": 30,
            "feature.possible_states": True,
            "feature.possible_transitions": True,
        }
    )
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        trainer.append(items[begin:end], names[begin:end])
    return trainer, logged, sizes


def weights_of(path, data, sizes):
    """A saved model's weights, cells before pairs; 0 where it has none."""
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    known = tagger.info()
    first = np.concatenate([[0], np.cumsum(sizes)])
    cells, pairs = np.zeros((first[-1], len(data.label_names))), np.zeros((len(data.label_names),) * 2)
    for (feature, name), weight in known.state_features.items():
        slot, code = map(int, feature.split("="))
        cells[first[slot] + code, data.label_names.index(name)] = weight
    for (before, name), weight in known.transitions.items():
        pairs[data.label_names.index(before), data.label_names.index(name)] = weight
    return np.concatenate([cells.ravel(), pairs.ravel()])


@pytest.mark.parametrize("n_iterations", [1, 3, 10])
def test_objective_and_gradient_equal_crfsuites(tmp_path, n_iterations):
    # crfsuite says its loss and the norm of its gradient at the weights of every iteration, and saves the last ones.
    data = letter_set(7, n_sequences=40, longest=12)
    trainer, logged, sizes = crfsuite(data, (1, 1), 2.0, n_iterations)
    trainer.train(str(tmp_path / "model"))
    text = "".join(logged)
    loss, norm = (float(re.findall(rf"{name}: ([\d.e+-]+)", text)[-1]) for name in ("Loss", "Error norm"))
    weights = weights_of(tmp_path / "model", data, sizes)
    assert np.abs(weights).max() > 0.1
    value, gradient = Objective(data, data.labels, (1, 1), Outcomes(3, 1, "labels"), 2.0)(weights)
    assert value == pytest.approx(loss, rel=2e-6)
    assert np.linalg.norm(gradient) == pytest.approx(norm, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("variance", [0.5, 10.0])
def test_optimum_equals_crfsuites(tmp_path, variance):
    data = letter_set(8, n_sequences=60, longest=12)
    trainer, logged, sizes = crfsuite(data, (1, 0), variance, 2000)
    trainer.train(str(tmp_path / "model"))
    expected = weights_of(tmp_path / "model", data, sizes)
    model = LinearCRF(variance, (1, 0), features="labels", max_iterations=2000, tolerance=1e-14).fit(data)
    assert_allclose(model.weights_history_[-1], expected, atol=2e-3)
    loss = float(re.findall(r"Loss: ([\d.e+-]+)", "".join(logged))[-1])
    assert model.objective_history_[-1] == pytest.approx(loss, rel=1e-4)
    assert model.objective_history_[-1] <= loss * (1 + 1e-6)


@pytest.mark.parametrize("features", FEATURES)
def test_predictions_are_those_of_the_potentials_and_history_is_the_likelihood(features):
    data, other = letter_set(3, 40), letter_set(4, 40)
    heard = []
    model = LinearCRF(5.0, (1, 1), features=features, keep_stages=True).fit(
        data, monitor=lambda *event: heard.append((event[0], event[2]))
    )
    potentials = naive_potentials(other, (1, 1), 1, model.weights_history_[-1], features)
    assert_allclose(model.potentials(other), potentials, atol=1e-12)
    marginals = chain.forward_backward(potentials, other.offsets, 1).labels
    assert_allclose(model.predict_proba(other), marginals, atol=1e-12)
    np.testing.assert_array_equal(model.predict(other, "viterbi"), chain.viterbi(potentials, other.offsets, 1).labels)
    weights = model.weights_history_[-1]
    assert heard[-1][1] == pytest.approx(model.log_likelihood(data).sum(), abs=1e-8)
    assert model.objective_history_[-1] == pytest.approx(weights @ weights / 10 - model.log_likelihood(data).sum())
    assert (np.diff(model.objective_history_) <= 0).all()
    assert_allclose(model.log_likelihood(other), chain.log_likelihood(potentials, other.labels, other.offsets, 1))
    shorter = LinearCRF(5.0, (1, 1), features=features, max_iterations=4).fit(data)
    assert model.staged_score(other)[3].tolist() == [shorter.score(other), shorter.score(other, decoder="viterbi")]


def test_an_unseen_category_has_no_weight():
    data = letter_set(6, 30)
    model = LinearCRF(1.0, features="labels").fit(data)
    wider = (Attribute("letter", (*data.attributes[0].categories, "new")), data.attributes[1])
    values = data.values.copy()
    values[0, 0] = 4
    with pytest.warns(UserWarning, match="category 'new' was not in the training set"):
        potentials = model.potentials(data.with_values(values, wider))
    flag = model.cell_weights_[5 + data.values[0, 1]]
    assert_allclose(potentials[:, 0, -1], flag, atol=1e-12)


def test_predictions_take_less_memory_than_the_potentials():
    rng, n_labels, n = np.random.default_rng(0), 40, 8000
    attribute = Attribute("letter", tuple("abcdefgh"))
    labels = rng.integers(0, n_labels, n)
    data = treecrf.SequenceSet(
        rng.integers(0, 8, (n, 1)),
        np.arange(0, n + 1, 20),
        (attribute,),
        labels,
        tuple(f"y{i}" for i in range(n_labels)),
    )
    model = LinearCRF(max_iterations=1, features="labels").fit(data)
    model.predict_proba(data)  # compiles
    tracemalloc.start()
    model.predict_proba(data)
    model.log_likelihood(data)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 0.3 * 8 * n * n_labels**2


# --- linear weights --------------------------------------------------------------------------------


def naive_objective(data, order, features, weights_of_positions, parameters, variance):
    """The penalized weighted log likelihood from explicit potentials; partial labels where weights are equal."""
    n_labels, value = len(data.label_names), 0.0
    array = naive_potentials(data, (0, 0), order, parameters, features)
    states = [(state,) if order else () for state in range(array.shape[2])]
    potential = {
        (y, p, state): array[y, p, i] for y, p in np.ndindex(array.shape[:2]) for i, state in enumerate(states)
    }
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        labels, weights = data.labels[begin:end], weights_of_positions[begin:end]
        if (labels >= 0).all():
            value += naive.chain_rule_gradients(potential, int(begin), labels, weights, n_labels, order)[0]
        else:
            value += weights[0] * naive.partial_log_likelihood(potential, int(begin), labels, n_labels, order)
    return parameters @ parameters / (2 * variance) - value


@pytest.mark.parametrize(("order", "features"), [(0, "labels"), (1, "labels"), (1, "pairs")])
@pytest.mark.parametrize("kind", ["unknown", "unknown by sequence", "by position", "by sequence"])
def test_weighted_objective_and_gradient_equal_enumeration(order, features, kind):
    rng = np.random.default_rng(order)
    data = letter_set(rng, n_sequences=5, longest=4)
    weights = rng.integers(0, 5, data.n_positions) / 2
    if kind.endswith("by sequence"):
        weights = np.repeat(rng.integers(1, 5, len(data)) / 2, data.lengths)
    if kind == "unknown":
        weights = np.ones(data.n_positions)
    if kind.startswith("unknown"):
        data = hidden_labels(data)
    given = None if kind == "unknown" else weights
    objective = Objective(data, data.labels, (0, 0), Outcomes(len(data.label_names), order, features), 3.0, given)
    parameters = rng.normal(size=objective.n_weights)

    def expected(at):
        return naive_objective(data, order, features, weights, at, 3.0)

    value, gradient = objective(parameters)
    assert value == pytest.approx(expected(parameters), abs=1e-10)
    assert_gradient(expected, parameters, gradient, 5)


def test_unknown_labels_of_positions_by_themselves_are_left_out():
    data = hidden_labels(larger_set(n_sequences=10, longest=8))
    known = np.flatnonzero(data.labels >= 0)
    kept = SequenceSet(
        data.values[known], np.arange(len(known) + 1), data.attributes, data.labels[known], data.label_names
    )
    model, expected = (LinearCRF(order=0, tolerance=1e-15).fit(train) for train in (data, kept))
    assert_allclose(model.predict_proba(data), expected.predict_proba(data), atol=1e-5)


def test_likelihood_of_the_training_set_is_that_of_its_known_labels():
    data = hidden_labels(larger_set(n_sequences=10, longest=8))
    reported = []
    model = LinearCRF(max_iterations=5).fit(data, monitor=lambda stage, seconds, value: reported.append(value))
    assert model.log_likelihood(data).sum() == pytest.approx(reported[-1], abs=1e-9)


def test_unknown_labels_and_weights_that_differ_within_a_sequence_are_refused():
    with pytest.raises(ValueError, match="has unknown labels and weights that differ between its positions"):
        LinearCRF(class_weight={"B": 8.0}).fit(hidden_labels(larger_set()))
    assert isinstance(LinearCRF(order=0, class_weight={"B": 8.0}).fit(hidden_labels(larger_set())), LinearCRF)
