"""`LinearCRF` with unknown labels and with weights, against enumeration."""

import naive
import numpy as np
import pytest
from builders import hidden_labels, larger_set, random_set

from treecrf import LinearCRF
from treecrf.models.linear.linear_crf import Objective, Outcomes
from treecrf.sequences import SequenceSet, window_codes


def naive_objective(data, order, features, weights_of_positions, parameters, variance):
    """The penalized weighted log likelihood from explicit potentials; partial labels where weights are equal."""
    n_labels = len(data.label_names)
    sizes = [len(attribute.categories) + 1 for attribute in data.attributes]
    codes, first = window_codes(data, (0, 0)), np.concatenate([[0], np.cumsum(sizes)])
    n_rows = n_labels + 1 if features == "pairs" else 1  # of labels before, START last
    n_cell_weights = int(first[-1]) * n_rows * n_labels
    of_cells = parameters[:n_cell_weights].reshape(-1, n_rows, n_labels)
    pairs = parameters[n_cell_weights:].reshape(n_labels, n_labels) if order else None
    potential, value = {}, 0.0
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        for p in range(begin, end):
            scores = sum(of_cells[first[slot] + code] for slot, code in enumerate(codes[p]))
            for s in naive.states_at(p - begin, n_labels, order):
                row = s[0] if n_rows > 1 else 0
                for y in range(n_labels):
                    step = pairs[s[0], y] if order and s[0] < n_labels else 0.0
                    potential[y, p, s] = scores[row, y] + step
        labels, weights = data.labels[begin:end], weights_of_positions[begin:end]
        if (labels >= 0).all():
            value += naive.chain_rule_gradients(potential, int(begin), labels, weights, n_labels, order)[0]
        else:
            value += weights[0] * naive.partial_log_likelihood(potential, int(begin), labels, n_labels, order)
    return parameters @ parameters / (2 * variance) - value


@pytest.mark.parametrize(("order", "features"), [(0, "labels"), (1, "labels"), (1, "pairs")])
@pytest.mark.parametrize("kind", ["unknown", "unknown by sequence", "by position", "by sequence"])
def test_objective_and_gradient_equal_enumeration(order, features, kind):
    rng = np.random.default_rng(order)
    data = random_set(rng, n_sequences=5, longest=4)
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
    value, gradient = objective(parameters)
    assert value == pytest.approx(naive_objective(data, order, features, weights, parameters, 3.0), abs=1e-10)
    for index in range(0, objective.n_weights, 5):
        step = np.zeros_like(parameters)
        step[index] = 1e-5
        up, down = (naive_objective(data, order, features, weights, parameters + sign * step, 3.0) for sign in (1, -1))
        assert gradient[index] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_unknown_labels_of_positions_by_themselves_are_left_out():
    data = hidden_labels(larger_set(n_sequences=10, longest=8))
    known = np.flatnonzero(data.labels >= 0)
    kept = SequenceSet(
        data.values[known], np.arange(len(known) + 1), data.attributes, data.labels[known], data.label_names
    )
    model, expected = (LinearCRF(order=0, tolerance=1e-15).fit(train) for train in (data, kept))
    np.testing.assert_allclose(model.predict_proba(data), expected.predict_proba(data), atol=1e-5)


def test_likelihood_of_the_training_set_is_that_of_its_known_labels():
    data = hidden_labels(larger_set(n_sequences=10, longest=8))
    reported = []
    model = LinearCRF(max_iterations=5).fit(data, monitor=lambda stage, seconds, value: reported.append(value))
    assert model.log_likelihood(data).sum() == pytest.approx(reported[-1], abs=1e-9)


def test_unknown_labels_and_weights_that_differ_within_a_sequence_are_refused():
    with pytest.raises(ValueError, match="has unknown labels and weights that differ between its positions"):
        LinearCRF(class_weight={"B": 8.0}).fit(hidden_labels(larger_set()))
    assert isinstance(LinearCRF(order=0, class_weight={"B": 8.0}).fit(hidden_labels(larger_set())), LinearCRF)
