"""`InducedCRF` against enumeration, `LinearCRF` and planted conjunctions."""

import itertools
from functools import partial
from typing import NamedTuple

import naive
import numpy as np
import pytest
from builders import assert_gradient, cells_by_position, tuples
from builders import copied_set as random_set
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar

from treecrf import Attribute, LinearCRF, SequenceSet, chain
from treecrf.models.execution import Workers
from treecrf.models.linear.conjunctions import Conjunctions, Windows, boolean_cells, find_occurrences, join, pick
from treecrf.models.linear.induced_crf import (
    LEAST_TOKENS,
    Features,
    InducedCRF,
    _Training,
    bounds_of,
    find_error_tokens,
    fit_weight,
    gains_of,
    induce,
)
from treecrf.models.linear.lbfgs import minimize_objective
from treecrf.models.linear.linear_crf import Outcomes
from treecrf.sequences import slot_sizes

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
        of_part = partial(expected, of=data.select(sorted(chosen)))
        assert value == pytest.approx(of_part(weights), abs=1e-9)
        assert_gradient(of_part, weights, gradient, 5)


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
    assert_allclose(weights.features[order], linear.cell_weights_[:4], atol=5e-3)
    assert_allclose(weights.labels, linear.cell_weights_[5], atol=5e-3)
    assert_allclose(weights.transitions, linear.transition_weights_, atol=5e-3)


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
    assert_allclose(model.potentials(other), potentials, atol=1e-12)
    marginals = chain.forward_backward(potentials, other.offsets, 1).labels
    assert_allclose(model.predict_proba(other), marginals, atol=1e-12)
    log_likelihood = model.log_likelihood(data).sum()
    assert heard[-1][2] == pytest.approx(log_likelihood, abs=1e-8)
    assert model.objective_history_[-1] == pytest.approx(model.stages_[-1] @ model.stages_[-1] / 10 - log_likelihood)
    assert set(heard[0][1]) == set(model.seconds_) == {"windows", "gradient", "induction"}
    assert model.n_inductions_ == 6


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
            assert_array_equal(stage, expected)
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


# --- feature search --------------------------------------------------------------------------------


RUN = Workers().run


class Token(NamedTuple):
    cells: set
    label: int
    probabilities: np.ndarray


def naive_gain(cells, tokens, variance):
    """The sum over labels of what one weight for the label gains at the tokens that have all the cells."""
    held = [token for token in tokens if token.cells >= set(cells)]
    gain = 0.0
    for label in range(len(tokens[0].probabilities)):
        probabilities = np.array([token.probabilities[label] for token in held])
        n_observed = sum(token.label == label for token in held)
        gain += naive_label_gain(probabilities, n_observed, variance) if held else 0.0
    return gain


def naive_label_gain(probabilities, n_observed, variance):
    with np.errstate(divide="ignore"):
        log_no, log_yes = np.log1p(-probabilities), np.log(probabilities)

    def loss(weight):
        return weight**2 / (2 * variance) - weight * n_observed + np.logaddexp(log_no, log_yes + weight).sum()

    reach = variance * (len(probabilities) + 1.0)  # the slope of the likelihood is at most the number of tokens
    return max(0.0, -minimize_scalar(loss, bounds=(-reach, reach), method="bounded", options={"xatol": 1e-9}).fun)


def naive_induce(basic, model, tokens, variance, n_new):
    """The rules one by one; `basic` and `model` are tuples of cells."""
    if len(tokens) < 20:
        return []
    known = {}

    def gain(cells):
        if cells not in known:
            known[cells] = naive_gain(cells, tokens, variance)
        return known[cells]

    parts = [*basic, *[feature for feature in model if len(feature) > 1]]
    beam = [part for part in sorted(parts, key=gain, reverse=True)[: 2 * n_new] if gain(part) > 1e-12]
    unions = []
    for feature, cell in itertools.product(sorted(beam, key=parts.index), sorted(beam, key=parts.index)):
        union = tuple(sorted({*feature, *cell}))
        if len(cell) == 1 and union != feature and union not in unions and union not in model:
            unions.append(union)
    added, before = [], None
    for candidate in sorted([*parts, *unions], key=gain, reverse=True):
        if gain(candidate) <= 1e-12 or len(added) == n_new:
            break
        is_better = len(candidate) == 1 or all(gain(candidate) > gain((cell,)) for cell in candidate)
        if candidate not in model and is_better and gain(candidate) != before:
            added.append(candidate)
        before = gain(candidate)
    return added


def draw(seed, data, window, threshold=0.95):
    """Invented marginals: the error tokens that the library finds, and a list of them."""
    windows = Windows.of(data, window)
    marginals = np.random.default_rng(seed).dirichlet(np.ones(len(data.label_names)), data.n_positions)
    found = find_error_tokens(marginals, data.labels, windows.window_of, windows.n_windows, threshold)
    tokens = [
        Token(cells, label, row)
        for cells, label, row in zip(cells_by_position(data, window), data.labels.tolist(), marginals, strict=True)
        if row[label] < threshold
    ]
    return windows, found, tokens


def basic_features(data, window, windows):
    cells = boolean_cells(data.attributes, window)
    return Features.find(Conjunctions.of([cell] for cell in cells), windows.columns)


@pytest.mark.parametrize("window", [(0, 0), (1, 1)])
def test_occurrences_are_those_of_a_scan(window):
    data, rng = random_set(0), np.random.default_rng(0)
    windows = Windows.of(data, window)
    sizes = slot_sizes(data.attributes, window)
    first = np.concatenate([[0], np.cumsum(sizes)])
    wanted = [(cell,) for cell in range(first[-1])]
    for size in (2, 3, 4):
        for _ in range(40):
            slots = rng.choice(len(sizes), size, replace=False)
            wanted.append(tuple(sorted(int(first[slot] + rng.integers(sizes[slot])) for slot in slots)))
    conjunctions = Conjunctions.of(wanted)
    assert tuples(conjunctions) == wanted
    occurrences = find_occurrences(conjunctions, windows.columns)
    cells = cells_by_position(data, window)
    found = [set() for _ in wanted]
    for position, window_ in enumerate(windows.window_of):
        for i, conjunction in enumerate(wanted):
            if cells[position] >= set(conjunction):
                found[i].add(int(window_))
    assert [sorted(part) for part in found] == [
        occurrences.windows[begin:end].tolist() for begin, end in itertools.pairwise(occurrences.first)
    ]
    assert any(found[-1 - i] for i in range(40))  # some of four cells hold somewhere
    picked = rng.permutation(len(wanted))[:50]
    part, expected = pick(occurrences, picked), find_occurrences(pick(conjunctions, picked), windows.columns)
    assert_array_equal(part.first, expected.first)
    assert_array_equal(part.windows, expected.windows)
    joined = join(occurrences, part)
    both = find_occurrences(join(conjunctions, pick(conjunctions, picked)), windows.columns)
    assert_array_equal(joined.windows, both.windows)
    assert_array_equal(joined.first, both.first)


def test_two_categories_are_one_feature_and_the_edge_is_another():
    attributes = (Attribute("flag", ("no", "yes")), Attribute("letter", ("a", "b", "c")), Attribute("same", ("it",)))
    # Cells of each slot: no, yes, EDGE; a, b, c, EDGE; it, EDGE.
    assert boolean_cells(attributes, (0, 0)).tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert boolean_cells(attributes, (1, 0)).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17]


@pytest.mark.parametrize("variance", [0.1, 10.0])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_gains_equal_optimisation_token_by_token(variance, n_labels):
    data = random_set(n_labels, n_labels=n_labels)
    windows, found, tokens = draw(1, data, (1, 0), 0.6)
    assert 20 < found.first[-1] == len(tokens) < data.n_positions
    basic = tuples(basic_features(data, (1, 0), windows).conjunctions)
    wanted = [*basic, *[(*one, *other) for one, other in itertools.combinations(basic, 2)]]
    occurrences = find_occurrences(Conjunctions.of(wanted), windows.columns)
    gains = gains_of(occurrences, found, variance, RUN)
    expected = [naive_gain(cells, tokens, variance) for cells in wanted]
    assert max(expected) > 0.1
    assert_allclose(gains, expected, atol=1e-9)
    bounds = bounds_of(occurrences, found, variance)
    assert (bounds >= gains - 1e-12).all()
    assert (bounds < 2 * gains + 1e-12).mean() > 0.1  # it is no idle bound


@pytest.mark.parametrize("variance", [0.5, 10.0, 40.0])
def test_a_weight_is_fitted_wherever_newton_would_jump_to_and_fro(variance):
    # Where all of a few unlikely labels are observed, the slope falls late and fast.
    for n_tokens, probability in itertools.product((1, 2, 5), (1e-5, 1e-3, 0.03, 0.3, 0.97, 0.999)):
        probabilities = probability * np.linspace(0.5, 1.0, n_tokens)
        for n_observed in range(n_tokens + 1):
            gain, _ = fit_weight(probabilities, n_tokens, float(n_observed), variance)
            assert gain == pytest.approx(naive_label_gain(probabilities, n_observed, variance), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("probability", [1e-300, 1e-12, 0.5, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("n_observed", [0, 20, 40])
def test_a_weight_is_fitted_at_the_ends_of_probability(probability, n_observed):
    probabilities = np.full(40, probability)
    gain, weight = fit_weight(probabilities, 40, float(n_observed), 10.0)
    assert gain == pytest.approx(naive_label_gain(probabilities, n_observed, 10.0), rel=1e-9, abs=1e-9)
    slope = (
        n_observed
        - np.exp(
            weight
            + np.log(probability)
            - np.logaddexp(np.log1p(-probability) if probability < 1 else -np.inf, weight + np.log(probability))
        )
        * 40
        - weight / 10.0
    )
    assert abs(slope) < 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_induced_features_are_those_of_the_rules(seed):
    data, window, variance, n_new = random_set(seed), (1, 0), 5.0, 12
    model = Conjunctions.of([])
    for round_ in range(4):
        windows, found, tokens = draw([seed, round_], data, window)
        basic = basic_features(data, window, windows)
        expected = naive_induce(tuples(basic.conjunctions), tuples(model), tokens, variance, n_new)
        new = induce(basic, Features.find(model, windows.columns), found, variance, n_new, RUN)
        assert tuples(new) == expected
        model = join(model, new)
    assert {1, 2, 3} <= set(np.diff(model.first).tolist())
    assert len(set(tuples(model))) == model.size


@pytest.mark.parametrize("seed", range(6))
def test_rules_are_followed_whatever_the_model_has(seed):
    data, window, rng = random_set(seed, 30), (1, 0), np.random.default_rng(seed)
    windows, found, tokens = draw(seed, data, window, 0.5)
    basic = basic_features(data, window, windows)
    known = set(basic.conjunctions.cells.tolist())
    drawn = [rng.permutation(sorted(token.cells & known)).tolist() for token in tokens[:8]]
    # four cells come before two of them: what remains of the four without one may still be joined from the two
    model = Conjunctions.of(dict.fromkeys(tuple(sorted(cells[:size])) for size in (4, 2, 1) for cells in drawn))
    assert model.size > 10
    expected = naive_induce(tuples(basic.conjunctions), tuples(model), tokens, 5.0, 100)
    assert len(expected) > 10
    assert tuples(induce(basic, Features.find(model, windows.columns), found, 5.0, 100, RUN)) == expected


def test_what_equals_a_feature_of_the_model_is_left_out():
    data, window = random_set(2), (0, 0)
    windows, found, _ = draw(2, data, window)
    basic = basic_features(data, window, windows)
    nothing = Features.find(Conjunctions.of([]), windows.columns)
    best = next(cells for cells in tuples(induce(basic, nothing, found, 5.0, 50, RUN)) if len(cells) == 2)
    model = Features.find(Conjunctions.of([best]), windows.columns)
    for cells in tuples(induce(basic, model, found, 5.0, 50, RUN)):
        again = Features.find(Conjunctions.of([cells]), windows.columns)
        assert again.occurrences.windows.tolist() != model.occurrences.windows.tolist()


def test_few_tokens_induce_nothing():
    data = random_set(4).select(range(12))
    windows = Windows.of(data, (0, 0))
    basic = basic_features(data, (0, 0), windows)
    nothing = Features.find(Conjunctions.of([]), windows.columns)
    for n_tokens, is_enough in ((LEAST_TOKENS - 1, False), (LEAST_TOKENS, True)):
        marginals = np.eye(3)[data.labels]
        marginals[:n_tokens] = [0.3, 0.3, 0.4]
        found = find_error_tokens(marginals, data.labels, windows.window_of, windows.n_windows, 0.95)
        assert found.first[-1] == n_tokens
        assert bool(induce(basic, nothing, found, 5.0, 10, RUN).size) == is_enough
