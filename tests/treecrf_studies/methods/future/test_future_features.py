"""Future features: bags, line searches, patterns, and the labellers that discover them."""

import naive
import numpy as np
import pytest
from builders import assert_gradient, larger_set

from treecrf import Attribute, SequenceSet, SlidingWindow, TreeCRF, chain
from treecrf.sequences import MISSING, window_codes
from treecrf.trees.forest import Evaluator
from treecrf_studies.datasets.synthetic import future_splits
from treecrf_studies.methods import FutureFeatureMEMM, FutureFeatureTreeCRF
from treecrf_studies.methods.future._bag_kernels import (
    WHOLE_FUTURE,
    instance_gradient,
    log_likelihood_along,
    noisy_or,
    residuals_of,
    slope_along,
)
from treecrf_studies.methods.future.features import (
    NO_STATES,
    Bags,
    columns_of,
    cut_windows,
    even_thresholds,
    thermometer,
)
from treecrf_studies.methods.future.training import best_concave_step, best_step, tree_grower

# Sequences of different lengths, one of them 1; the second has two observations beyond its positions.
OFFSETS = np.array([0, 4, 7, 8, 17])
INSTANCE_OFFSETS = np.array([0, 4, 9, 10, 19])


def random_scores(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0.0, 2.0, INSTANCE_OFFSETS[-1]), rng.normal(0.0, 1.0, (OFFSETS[-1], 3))


def logistic(score):
    return 1.0 / (1.0 + np.exp(-score))


def naive_bag(bag, t):
    """The instances of the bag of position t, by the text of section 5.3."""
    sequence = np.searchsorted(OFFSETS, t, side="right") - 1
    instance = INSTANCE_OFFSETS[sequence] + t - OFFSETS[sequence]
    end = INSTANCE_OFFSETS[sequence + 1]
    return range(instance + 1, end if bag == WHOLE_FUTURE else min(instance + 1 + bag, end))


def naive_probabilities(scores, bag):
    return [1.0 - np.prod([1.0 - logistic(scores[i]) for i in naive_bag(bag, t)]) for t in range(OFFSETS[-1])]


def bag_probabilities(scores, bag):
    found = np.full(OFFSETS[-1], np.nan)
    noisy_or(logistic(scores), OFFSETS, INSTANCE_OFFSETS, bag, found)
    return found


BAGS = [1, 2, 6, 100, WHOLE_FUTURE]


@pytest.mark.parametrize("bag", BAGS)
def test_noisy_or_is_that_of_equation_5_11(bag):
    scores, _ = random_scores()
    np.testing.assert_allclose(bag_probabilities(scores, bag), naive_probabilities(scores, bag), rtol=1e-13, atol=1e-15)
    assert bag_probabilities(scores, bag)[3] == 0.0  # nothing comes after the end
    assert bag_probabilities(scores, bag)[6] > 0.0  # an observation beyond the last position is seen


def test_the_likelihood_along_a_step_is_that_of_equation_5_4_with_its_slope():
    """And its gradient that of proposition 5.1."""
    _, scores = random_scores()
    direction = random_scores(5)[1]
    labels = np.random.default_rng(1).integers(0, 3, len(scores)).astype(np.int16)

    def along(step):
        return log_likelihood_along(scores, direction, step, labels)

    for step in (0.0, 0.7, 40.0, 900.0):
        after = scores + step * direction
        expected = sum(after[t, label] - naive.log_sum(list(after[t])) for t, label in enumerate(labels))
        assert along(step) == pytest.approx(expected, rel=1e-12)
        slope = (along(step + 1e-5) - along(step - 1e-5)) / 2e-5
        assert slope_along(scores, direction, step, labels) == pytest.approx(slope, rel=1e-5, abs=1e-5)
    residuals = np.empty_like(scores)
    residuals_of(scores, labels, residuals)

    def at(values):
        return log_likelihood_along(values.reshape(scores.shape), scores, 0.0, labels)

    assert_gradient(at, scores.ravel(), residuals.ravel(), atol=1e-8)


@pytest.mark.parametrize("bag", BAGS)
def test_proposition_5_2_equals_finite_differences(bag):
    patterns, scores = random_scores()
    labels = np.random.default_rng(2).integers(0, 3, len(scores)).astype(np.int16)
    label, eta = 1, 1.7

    def likelihood(patterns):
        direction = np.zeros_like(scores)
        direction[:, label] = bag_probabilities(patterns, bag)
        return log_likelihood_along(scores, direction, eta, labels)

    probabilities = bag_probabilities(patterns, bag)
    now, residuals = scores.copy(), np.empty_like(scores)
    now[:, label] += eta * probabilities
    residuals_of(now, labels, residuals)
    sums, counts = np.full(len(patterns), np.nan), np.full(len(patterns), -1)
    instance_gradient(
        residuals[:, label].copy(), probabilities, logistic(patterns), OFFSETS, INSTANCE_OFFSETS, bag, sums, counts
    )
    for i in range(len(patterns)):
        step = 1e-5 * (np.arange(len(patterns)) == i)
        difference = (likelihood(patterns + step) - likelihood(patterns - step)) / 2e-5
        assert eta * sums[i] == pytest.approx(difference, abs=1e-8)
        assert counts[i] == sum(i in naive_bag(bag, t) for t in range(OFFSETS[-1]))


def test_thermometer_has_a_bit_for_every_threshold_that_is_reached():
    values = np.array([0.1, 0.2, 0.6, 1.1])
    thresholds = even_thresholds(values, 5)
    np.testing.assert_allclose(thresholds, [0.3, 0.5, 0.7, 0.9])
    assert thermometer(values, thresholds).tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]]


def test_cut_windows_hold_what_windows_see():
    data = larger_set(longest=6)
    values = data.values.copy()
    values[3, 0] = MISSING
    data = data.with_values(values)
    cut = cut_windows(data, (1, 2))
    codes, sizes = window_codes(data, (1, 2)), np.array([len(a.categories) for a in data.attributes] * 4)
    np.testing.assert_array_equal(cut.values == MISSING, codes == sizes + 1)
    np.testing.assert_array_equal(cut.values[codes <= sizes], codes[codes <= sizes])
    assert [len(a.categories) for a in cut.attributes] == (sizes + 1).tolist()
    assert cut_windows(data, (0, 0)) == data


# --- training ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def xor():
    return future_splits("xor")


@pytest.fixture(scope="module")
def found(xor):
    return FutureFeatureMEMM(100, order=0, g0=-7.0, each_label=False).fit(xor.train, validation=xor.validation)


def best_stage(model, splits):
    """Accuracy on the test set at the stage that validation prefers."""
    return model.staged_score(splits.test)[model.staged_score(splits.validation)[:, 0].argmax(), 0]


@pytest.mark.parametrize("kind", ["xor", "or", "extra"])
@pytest.mark.parametrize("g0", [-5.0, pytest.param(-7.0, marks=pytest.mark.slow)])
def test_generated_sets_are_learnt(kind, g0):
    splits = future_splits(kind)
    model = FutureFeatureMEMM(100, order=0, g0=g0, each_label=False).fit(splits.train, validation=splits.validation)
    assert best_stage(model, splits) >= 0.999


def test_training_likelihood_rises_and_steps_keep_their_bounds(found):
    history = found.stages_["log_likelihood"]
    assert (np.diff(history) > 0).all()
    assert found.stages_["step"].max() <= found.alpha_upper
    assert found.lower_steps_.max() <= found.beta_upper
    assert max(feature.weight for feature in found.features_) <= found.eta_upper
    assert len(found.lower_steps_) == sum(len(feature.trees) for feature in found.features_)
    assert all(len(feature.trees) <= found.max_lower_iterations for feature in found.features_)
    assert len(found.stages_["step"]) <= found.n_iterations
    assert sum(len(t.values) > 10 for f in found.features_ for t in f.trees) == 0


def test_history_is_the_likelihood_of_the_model(found, xor):
    assert found.log_likelihood(xor.train).sum() == pytest.approx(found.stages_["log_likelihood"][-1], rel=1e-9)
    validation = found.stages_["validation_log_likelihood"]
    assert found.log_likelihood(xor.validation).sum() == pytest.approx(validation[-1], rel=1e-9)
    assert validation[-1] == validation.max()


def test_features_are_those_of_the_text(found, xor):
    """Q from G by equations 5.10 and 5.11, and the bits that the trees see."""
    values, scores = found.future_features(xor.test), found.instance_scores(xor.test)
    assert values.shape == (3000, len(found.features_)) == scores.shape
    for t in (0, 11, 24, 28, 29, 60):
        following = scores[t + 1 : min(t + 7, 30 * (t // 30) + 30)]
        np.testing.assert_allclose(values[t], 1.0 - np.prod(1.0 - logistic(following), axis=0), rtol=1e-12, atol=1e-12)
    seen = found.add_features(xor.test)
    assert len(seen.attributes) == 8 + 19 * len(found.features_)
    np.testing.assert_array_equal(seen.values[:, 8:27], values[:, [0]] >= found.features_[0].thresholds)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("each_label", [False, True])
def test_potentials_are_normalized(order, each_label):
    splits = future_splits("or", n_train=30, n_validation=15, n_test=3, length=5)
    model = FutureFeatureMEMM(12, 4, order=order, bag=2, each_label=each_label)
    model.fit(splits.train, validation=splits.validation)
    np.testing.assert_allclose(np.exp(model.potentials(splits.test)).sum(axis=0), 1.0)


def three_ways(n_sequences, seed):
    """Three labels: which of "x" and "y" comes later, if one does; letters between them say nothing."""
    rng = np.random.default_rng(seed)
    symbols = rng.integers(0, 3, (n_sequences, 8))
    sign, place = rng.integers(0, 3, n_sequences), rng.integers(3, 8, n_sequences)
    symbols[np.arange(n_sequences), place] = np.array([0, 3, 4])[sign]
    labels = np.where(np.arange(8) < place[:, None], sign[:, None], 0)
    attribute = Attribute("letter", ("a", "b", "c", "x", "y"))
    offsets = np.arange(0, 8 * n_sequences + 1, 8)
    return SequenceSet(symbols.reshape(-1, 1), offsets, (attribute,), labels.ravel(), ("none", "x", "y"))


def test_every_label_has_features_of_its_own():
    train, validation, test = three_ways(150, 0), three_ways(80, 1), three_ways(80, 2)
    model = FutureFeatureMEMM(40, order=0, bag=None).fit(train, validation=validation)
    assert {1, 2} <= {feature.label for feature in model.features_}
    assert model.score(test) > 0.99
    assert SlidingWindow(40, 10, 0.0).fit(train).score(test) < 0.75


def test_a_crf_uses_the_features_that_are_found(xor):
    model = FutureFeatureTreeCRF(40, g0=-7.0, order=1, n_iterations=60).fit(xor.train, validation=xor.validation)
    assert model.score(xor.test) > 0.99
    assert model.get_params()["g0"] == -7.0
    assert model.get_params()["crf_iterations"] == 40
    expected = TreeCRF(40, 10, 20.0).fit(model.add_features(xor.train)).potentials(model.add_features(xor.test))
    np.testing.assert_array_equal(model.potentials(xor.test), expected)


# --- edges ------------------------------------------------------------------------------------------


def test_without_a_validation_set_some_sequences_are_held_out():
    train = future_splits("or", n_train=40).train
    first, again, other = (FutureFeatureMEMM(10, random_state=seed).fit(train) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.potentials(train), again.potentials(train))
    assert not np.array_equal(first.potentials(train), other.potentials(train))


@pytest.mark.parametrize("bag", [1, 50, None])
def test_short_sequences_and_labels_that_never_occur(bag):
    train = future_splits("or", n_train=20, length=3).train
    first = SequenceSet(train.values[:8], np.arange(9), train.attributes, train.labels[:8], train.label_names)
    model = FutureFeatureMEMM(10, bag=bag).fit(first, validation=first)  # nothing comes after any position
    assert not model.features_
    assert model.predict(first).shape == (8,)
    negative = train.with_labels(np.zeros(train.n_positions, dtype=np.int16))
    model = FutureFeatureMEMM(10, bag=bag, each_label=False).fit(negative, validation=negative)
    assert (model.predict(negative) == 0).all()
    assert model.predict(first).shape == (8,)


def test_bags_of_cut_instances_see_their_surroundings():
    data = larger_set(longest=5)
    bags = Bags(data, 2, (1, 0))
    assert len(bags.instances.attributes) == 2 * len(data.attributes)
    assert len(bags.instances.values) == len(data.values)


@pytest.mark.parametrize(
    ("objective", "upper", "expected"),
    [
        (lambda step: -((step - 7.3) ** 2), 40.0, 7.3),
        (lambda step: -((step - 7.3) ** 2), 5.0, 5.0),
        (lambda step: -((step + 1.0) ** 2), 40.0, 0.0),
        (lambda step: 3 * np.exp(-((step - 2000) ** 2) / 1e6) + np.exp(-((step - 2) ** 2)), 1e6, 2000.0),
    ],
)
def test_steps_are_found_between_the_bounds(objective, upper, expected):
    found = best_step(objective, upper)
    assert found.step == pytest.approx(expected, rel=2e-3, abs=1e-3)
    assert found.value == objective(found.step) or found.step == 0.0
    assert 0.0 <= found.step <= found.reach <= upper
    assert best_step(objective, found.reach).step == pytest.approx(found.step, rel=2e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("best", "upper", "expected"), [(7.3, 40.0, 7.3), (7.3, 5.0, 5.0), (-1.0, 40.0, 0.0), (0.01, 9.0, 0.01)]
)
def test_steps_of_concave_objectives_are_found_by_their_slope(best, upper, expected):
    step, reach = best_concave_step(lambda step: np.tanh(best - step), upper)
    assert step == pytest.approx(expected, rel=2e-3, abs=1e-3)
    assert 0.0 <= step <= reach <= upper
    assert best_concave_step(lambda step: np.tanh(best - step), reach) == (step, reach)


@pytest.mark.parametrize("l2_regularization", [0.0, 2.0])
def test_patterns_are_grown_on_every_instance_of_every_bag(l2_regularization):
    """Section 5.3.2 fits g(x_{t+j}) of all t and j; equal instances never part, so their sums are enough."""
    rng = np.random.default_rng(7)
    attributes = tuple(Attribute(name, ("a", "b", "c")) for name in "xyz")
    data = SequenceSet(rng.integers(0, 3, (40, 3)), np.array([0, 40]), attributes)
    counts = rng.integers(0, 4, 40)
    instance = np.repeat(np.arange(40), counts)
    gradients = rng.normal(0.0, 1e-6, len(instance))  # of many bags, hence tiny
    columns = columns_of(data)
    grow = tree_grower(columns, chain.StateSpace(1, 0), np.zeros(40, dtype=np.int32), 6, l2_regularization)
    tree = grow(np.bincount(instance, gradients, 40), counts)
    found = np.zeros((40, 1))
    Evaluator(columns, NO_STATES, len(tree.values)).add(tree, found)
    sizes = [4] * 3  # the last is outside the sequence
    features = np.array([naive.one_hot(data.values[i], (), sizes, 1) for i in instance])
    expected = naive.cart(features, 1e6 * gradients, 6, l2_regularization)
    assert len(tree.values) == 6
    np.testing.assert_allclose(1e6 * found[instance, 0], expected, atol=1e-6)
