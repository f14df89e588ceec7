"""Averaged stochastic gradient descent against naive steps, and `LinearCRF(solver="sgd")` against L-BFGS."""

import naive_stochastic
import numpy as np
import pytest
from builders import hidden_labels, letter_set
from numpy.testing import assert_allclose

from treecrf import LinearCRF
from treecrf.compiled.struct import allocate
from treecrf.models.linear.linear_crf import OCCURRING, Objective, Outcomes, window_cells
from treecrf.models.linear.occurring import Places
from treecrf.models.linear.stochastic import LATENESS, SCALE, Descent, Examples, Work, descend, equal_within

RATE = 0.7


def features_of(places):
    """The features of the naive version, in the order of the weights."""
    cells = np.repeat(np.arange(places.n_cells + 1), np.diff(places.starts))
    of_cells = list(zip(cells.tolist(), places.labels.tolist(), strict=True))
    return of_cells + [("pair", *pair) for pair in places.pairs.tolist()]


@pytest.mark.parametrize("case", ["all cells", "what occurs", "order 0", "unknown labels", "small variance"])
def test_steps_equal_naive_ones(case):
    data, order = letter_set(2, n_sequences=7, longest=4), int(case != "order 0")
    labels, n_labels = np.array(data.labels), len(data.label_names)
    if case == "unknown labels":
        labels[::3] = -1
    cells, n_cells = window_cells(data, (1, 0))
    if case == "what occurs":
        places = Places.occurring(cells, n_cells, labels, data.offsets, n_labels, order)
        assert len(places.labels) < n_cells * n_labels
    else:
        places = Places.of_all_cells(n_cells, labels, data.offsets, n_labels, order)
    generator = np.random.default_rng(3)
    weights = generator.uniform(0.5, 2.0, len(data))
    start = generator.normal(size=places.n_weights)
    passes = np.concatenate([generator.permutation(len(data)) for _ in range(3)])
    decay = 0.9 if case == "small variance" else 0.05
    examples = Examples(cells, labels, places.pairs_of(labels, data.offsets), data.offsets.copy(), weights)
    longest = int(data.lengths.max())
    work = allocate(Work, n_longest=longest, n_labels=n_labels, n_pairs=len(places.pairs))
    work.unknown[:] = -1
    descent = Descent.of(start)
    value = descend(examples, places, descent, work, passes, RATE, decay)
    steps = [
        (cells[begin:end], labels[begin:end], weights[sequence])
        for sequence in passes
        for begin, end in [data.offsets[sequence : sequence + 2]]
    ]
    features = features_of(places)
    expected, of_steps = naive_stochastic.descend(
        dict(zip(features, start, strict=True)), steps, len(data), n_labels, order, RATE, decay, LATENESS
    )
    assert_allclose(descent.average(), list(expected.values()), atol=1e-10)
    assert value == pytest.approx(of_steps, rel=1e-10)
    if case == "small variance":  # the factor has been multiplied into the weights
        assert descent.state[SCALE] > 2.0**-20
        product = np.prod([1 - decay / (1 / RATE + decay * number) for number in range(1, len(passes) + 1)])
        assert product < 0.1


def test_a_small_factor_is_multiplied_into_the_weights():
    data = letter_set(4, n_sequences=6, longest=3)
    labels, n_labels = np.array(data.labels), len(data.label_names)
    cells, n_cells = window_cells(data, (0, 0))
    places = Places.of_all_cells(n_cells, labels, data.offsets, n_labels, 1)
    examples = Examples(
        cells, labels, places.pairs_of(labels, data.offsets), data.offsets.copy(), np.full(len(data), 0.5)
    )
    work = allocate(Work, n_longest=3, n_labels=n_labels, n_pairs=len(places.pairs))
    work.unknown[:] = -1
    start, order = np.random.default_rng(5).normal(size=places.n_weights), np.arange(len(data))
    whole, folded = Descent.of(start), Descent.of(start * 2.0**21)
    folded.state[SCALE] = 2.0**-21
    for descent in (whole, folded):
        descend(examples, places, descent, work, order, RATE, 0.01)
    assert folded.state[SCALE] > 0.5
    assert_allclose(folded.average(), whole.average(), atol=1e-12)


def test_nothing_changes_without_a_rate():
    data = letter_set(4, n_sequences=6, longest=3)
    model = LinearCRF(features="labels", solver="sgd", variance=3.0, max_iterations=1).fit(data)
    other = LinearCRF(features="labels", variance=3.0, max_iterations=1).fit(data)
    assert model.objective_history_[0] == pytest.approx(other.objective_history_[0], rel=1e-12)


def minimized(model, data, weights=None):
    """What a model minimizes, at its weights."""
    outcomes = Outcomes(len(data.label_names), model.order, "labels")
    return Objective(data, data.labels, model.window, outcomes, model.variance, weights).value(
        model.weights_history_[-1]
    )


@pytest.mark.parametrize("features", ["labels", OCCURRING])
@pytest.mark.parametrize("order", [0, 1])
def test_many_passes_come_near_the_optimum_of_lbfgs(features, order):
    data = letter_set(7, n_sequences=60, longest=9)
    settings = {"features": features, "order": order, "window": (1, 1), "variance": 2.0}
    optimum = LinearCRF(**settings, max_iterations=500).fit(data)
    model = LinearCRF(**settings, solver="sgd", max_iterations=60, keep_stages=True).fit(data)
    assert len(model.objective_history_) == 61
    assert minimized(model, data) == pytest.approx(optimum.objective_history_[-1], rel=0.01)
    assert np.abs(model.predict_proba(data) - optimum.predict_proba(data)).max() < 0.05
    assert len(list(model.staged_predict(data))) == 60


def test_labels_that_are_not_known_are_summed_over():
    data = letter_set(7, n_sequences=60, longest=9)
    hidden = hidden_labels(data, 0.3, 1)
    settings = {"features": "labels", "window": (1, 1), "variance": 2.0}
    optimum = LinearCRF(**settings, max_iterations=500).fit(hidden)
    model = LinearCRF(**settings, solver="sgd", max_iterations=60).fit(hidden)
    assert minimized(model, hidden) == pytest.approx(optimum.objective_history_[-1], rel=0.01)


def test_a_sequence_of_weight_2_counts_as_two():
    data = letter_set(7, n_sequences=40, longest=9)
    twice = np.repeat(np.where(np.arange(len(data)) < 20, 2.0, 1.0), data.lengths)
    settings = {"features": "labels", "variance": 2.0, "max_iterations": 80}
    weighted = LinearCRF(**settings, solver="sgd").fit(data, sample_weight=twice)
    optimum = LinearCRF(**settings).fit(data, sample_weight=twice)
    assert minimized(weighted, data, twice) == pytest.approx(optimum.objective_history_[-1], rel=0.01)


def test_the_seed_decides_the_bits():
    data = letter_set(7, n_sequences=40, longest=9)
    settings = {"features": OCCURRING, "solver": "sgd", "max_iterations": 3, "start_noise": 0.0}
    first, again, other = (LinearCRF(**settings, random_state=seed).fit(data) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.weights_history_, again.weights_history_)
    assert (first.weights_history_ != other.weights_history_).any()


def test_what_the_solver_does_not_have_is_refused():
    data = letter_set(7, n_sequences=9, longest=5)
    with pytest.raises(ValueError, match="solver='sgd' has no features='pairs'; give 'labels' or 'occurring'"):
        LinearCRF(solver="sgd").fit(data)
    weights = np.ones(data.n_positions)
    weights[data.offsets[3]] = 2.0
    model = LinearCRF(solver="sgd", features="labels")
    with pytest.raises(ValueError, match="the weights differ within sequence 3; choose solver='lbfgs'"):
        model.fit(data, sample_weight=weights)
    assert_allclose(equal_within(np.repeat([1.0, 2.0], [2, 3]), np.array([0, 2, 5])), [1.0, 2.0])
