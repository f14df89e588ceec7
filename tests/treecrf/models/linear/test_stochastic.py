"""Averaged stochastic gradient descent against naive steps, and `LinearCRF(solver="sgd")` against L-BFGS."""

import naive_stochastic
import numpy as np
import pytest
from builders import hidden_labels, letter_set
from numpy.testing import assert_allclose

from treecrf import LinearCRF
from treecrf.compiled.struct import allocate
from treecrf.models.linear.linear_crf import Objective, Outcomes, window_cells
from treecrf.models.linear.stochastic import (
    LATENESS,
    SCALE,
    Descent,
    Examples,
    Work,
    descend,
    equal_within,
    occurring_pairs,
)

RATE = 0.7


def examples_of(data, labels, cells, weights, order=1):
    """The examples of a set, work space for them, and pairs of labels that occur."""
    pairs, numbers = occurring_pairs(labels, data.offsets, len(data.label_names), order)
    sizes = {"n_longest": int(data.lengths.max()), "n_labels": len(data.label_names), "n_pairs": len(pairs)}
    work = allocate(Work, **sizes)
    work.unknown[:] = -1
    return Examples(cells, labels, numbers, data.offsets.copy(), weights), work, pairs


@pytest.mark.parametrize("case", ["order 1", "order 0", "unknown labels", "small variance"])
def test_steps_equal_naive_ones(case):
    data, order = letter_set(2, n_sequences=7, longest=4), int(case != "order 0")
    labels, n_labels = np.array(data.labels), len(data.label_names)
    if case == "unknown labels":
        labels[::3] = -1
    cells, n_cells = window_cells(data, (1, 0))
    generator = np.random.default_rng(3)
    weights = generator.uniform(0.5, 2.0, len(data))
    examples, work, pairs = examples_of(data, labels, cells, weights, order)
    assert (len(pairs) > 0) == bool(order)
    assert len(pairs) < n_labels**2
    start = generator.normal(size=n_cells * n_labels + len(pairs))
    passes = np.concatenate([generator.permutation(len(data)) for _ in range(3)])
    decay = 0.9 if case == "small variance" else 0.05
    descent = Descent.of(start, n_labels, len(pairs))
    value = descend(examples, pairs, descent, work, passes, RATE, decay)
    steps = [
        (cells[begin:end], labels[begin:end], weights[sequence])
        for sequence in passes
        for begin, end in [data.offsets[sequence : sequence + 2]]
    ]
    features = [(cell, label) for cell in range(n_cells) for label in range(n_labels)]
    features += [("pair", *pair) for pair in pairs.tolist()]
    expected, of_steps = naive_stochastic.descend(
        dict(zip(features, start, strict=True)), steps, len(data), n_labels, order, RATE, decay, LATENESS
    )
    assert_allclose(descent.average(), list(expected.values()), atol=1e-10)
    assert value == pytest.approx(of_steps, rel=1e-10)


def test_a_small_factor_is_multiplied_into_the_weights():
    data = letter_set(4, n_sequences=6, longest=3)
    n_labels, (cells, n_cells) = len(data.label_names), window_cells(data, (0, 0))
    examples, work, pairs = examples_of(data, np.array(data.labels), cells, np.full(len(data), 0.5))
    start = np.random.default_rng(5).normal(size=n_cells * n_labels + len(pairs))
    whole, small = (Descent.of(start * factor, n_labels, len(pairs)) for factor in (1.0, 2.0**21))
    small.state[SCALE] = 2.0**-21
    for descent in (whole, small):
        descend(examples, pairs, descent, work, np.arange(len(data)), RATE, 0.01)
    assert small.state[SCALE] > 0.5
    assert_allclose(small.average(), whole.average(), atol=1e-12)


def test_weights_of_pairs_that_do_not_follow_one_another_are_0():
    data = letter_set(7, n_sequences=40, longest=9)
    rising = data.with_labels(np.sort(data.labels), data.label_names)
    model = LinearCRF(features="labels", solver="sgd", max_iterations=3).fit(rising)
    follows = np.zeros((3, 3), dtype=bool)
    follows[rising.labels[:-1], rising.labels[1:]] = True
    np.testing.assert_array_equal(model.transition_weights_ != 0, follows)


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


@pytest.mark.parametrize("order", [0, 1])
def test_many_passes_come_near_the_optimum_of_lbfgs(order):
    data = letter_set(7, n_sequences=60, longest=9)
    settings = {"features": "labels", "order": order, "window": (1, 1), "variance": 2.0}
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
    settings = {"features": "labels", "solver": "sgd", "max_iterations": 3, "start_noise": 0.0}
    first, again, other = (LinearCRF(**settings, random_state=seed).fit(data) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.weights_history_, again.weights_history_)
    assert (first.weights_history_ != other.weights_history_).any()


def test_what_the_solver_does_not_have_is_refused():
    data = letter_set(7, n_sequences=9, longest=5)
    with pytest.raises(ValueError, match="solver='sgd' has no features='pairs'; give features='labels'"):
        LinearCRF(solver="sgd").fit(data)
    weights = np.ones(data.n_positions)
    weights[data.offsets[3]] = 2.0
    model = LinearCRF(solver="sgd", features="labels")
    with pytest.raises(ValueError, match="the weights differ within sequence 3; choose solver='lbfgs'"):
        model.fit(data, sample_weight=weights)
    assert_allclose(equal_within(np.repeat([1.0, 2.0], [2, 3]), np.array([0, 2, 5])), [1.0, 2.0])
