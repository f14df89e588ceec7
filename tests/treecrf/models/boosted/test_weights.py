"""Weights of sequences, positions and labels: a weight is a number of copies."""

import naive
import numpy as np
import pytest
from builders import larger_set, lettered_set, random_set

from treecrf import TreeCRF, WindowLightGBM, chain
from treecrf.models.boosted import lattice, training
from treecrf.models.boosted.training import DenseTraining
from treecrf.models.execution import Workers
from treecrf.trees import packing
from treecrf.trees.packing import unpack

SETTINGS = [
    {},
    {"order": 0},
    {"order": 2},
    {"leaf_values": "newton", "learning_rate": 0.3},
    {"splits": "subsets"},
    {"window": (0, 0)},
    {"pseudo_likelihood_iterations": 2},
    {"missing": "instance_weighting"},
    {"label_dictionary": "a0"},
]
SEPARABLE = {"transitions": "separable", "leaf_values": "newton"}


@pytest.mark.parametrize("order", [0, 1, 2])
def test_weights_of_positions_weigh_the_chain_rule(order):
    # Value and gradient by enumeration.
    for seed in range(3):
        rng = np.random.default_rng([seed, order])
        data = random_set(rng, n_sequences=4, longest=4)
        weights = rng.integers(0, 8, data.n_positions) / 4
        space = chain.StateSpace(3, order)
        params = TreeCRF(order=order).boosting_params()
        state = DenseTraining(params, data, np.zeros((3, space.n_states)), Workers(), weights)
        potentials = rng.normal(size=(3, data.n_positions, space.n_states))
        state.rows.exponentials[:] = np.exp(potentials)
        value = state.compute_gradient("likelihood")
        counts, gradients = unpack(state.rows.gradients.swapaxes(1, 2), state.rows.packing)
        names = [tuple(int(label) for label in row) for row in space.labels_of_state]
        potential = {
            (y, p, s): potentials[y, p, i]
            for y in range(3)
            for p in range(data.n_positions)
            for i, s in enumerate(names)
        }
        expected = 0.0
        for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
            part = (potential, int(begin), data.labels[begin:end], weights[begin:end], 3, order)
            of_sequence, rows = naive.chain_rule_gradients(*part)
            expected += of_sequence
            for (y, p, s), gradient in rows.items():
                place = y, p, names.index(s)
                assert gradients[place] == pytest.approx(gradient, abs=1e-6)
                assert counts[place] * state.rows.packing.weight_unit == pytest.approx(weights[p], abs=1e-6)
        assert value == pytest.approx(expected, abs=1e-9)


def test_weights_of_labels_are_weights_of_positions():
    data = larger_set(n_sequences=12, longest=10)
    by_name = TreeCRF(4, 6, 1.0, (1, 1), class_weight={"B": 3.0, "C": 0.5}).fit(data)
    of_positions = np.array([1.0, 3.0, 0.5])[data.labels]
    by_position = TreeCRF(4, 6, 1.0, (1, 1)).fit(data, sample_weight=of_positions)
    np.testing.assert_array_equal(by_name.predict_proba(data), by_position.predict_proba(data))
    both = TreeCRF(4, 6, 1.0, (1, 1), class_weight={"B": 3.0}).fit(
        data, sample_weight=np.array([1, 1, 0.5])[data.labels]
    )
    np.testing.assert_array_equal(both.predict_proba(data), by_name.predict_proba(data))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"influence_trimming": 0.1}, "influence_trimming=0.1 does not go with weights"),
        ({"pseudo_likelihood_iterations": 1}, "pseudo_likelihood_iterations=1 does not go with weights that differ"),
        ({"beam": 2}, "beam=2 does not go with weights"),
        ({"transitions": "separable"}, "take weights by sequence alone"),
    ],
)
def test_what_cannot_take_weights_says_so(settings, words):
    data = larger_set()
    with pytest.raises(ValueError, match=words):
        TreeCRF(2, 4, 1.0, class_weight="balanced", **settings).fit(data)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("settings", [{}, {"order": 0}, {"leaf_values": "newton"}, SEPARABLE])
def test_the_bits_that_10_million_positions_leave_are_enough(settings, weighted, monkeypatch):
    data = lettered_set(np.random.default_rng(0), 1000)
    weights = np.random.default_rng(0).uniform(0.5, 2, 1000) if weighted else None
    chosen = packing.choose_packing, packing._divide_bits
    likelihoods = []
    for times in (1, 10**7 // data.n_positions):

        def rows(n_positions, n_rows, *rest, times=times):
            return chosen[0](times * n_positions, times * n_rows, *rest)

        def parts(weight, n_rows, sum_bits, newton, times=times):
            return chosen[1](times * weight, times * n_rows, sum_bits + times.bit_length() - 1, newton)

        for module in (training, lattice):
            monkeypatch.setattr(module, "choose_packing", rows)
        monkeypatch.setattr(packing, "_divide_bits", parts if weighted else chosen[1])
        model = TreeCRF(10, 6, 1.0, (1, 1), learning_rate=0.5, **settings).fit(data, sample_weight=weights)
        likelihoods.append(model.log_likelihood_history_[[0, -1]] / data.n_positions)
    (start, exact), (_, found) = likelihoods
    assert found - start == pytest.approx(exact - start, rel=0.02)


@pytest.mark.parametrize("kind", ["equal", "whole", "any", "of positions"])
@pytest.mark.parametrize("settings", [*SETTINGS, SEPARABLE, {"class_weight": "balanced"}, {"labeller": WindowLightGBM}])
def test_a_factor_of_weights_and_penalties_changes_nothing(settings, kind):
    data = larger_set(n_sequences=30, longest=12)
    rng = np.random.default_rng(0)
    if kind == "of positions" and {"label_dictionary", "pseudo_likelihood_iterations", "transitions"} & set(settings):
        pytest.skip("by sequence alone")
    weights = {
        "equal": np.full(30, 0.7),
        "whole": rng.integers(0, 4, 30),
        "any": rng.lognormal(0, 2, 30),
        "of positions": rng.uniform(0, 2, data.n_positions),
    }[kind]
    for penalty in (0.0, 3.0):
        fitted = []
        for factor in (1.0, 1e-7, 3e-5, 1e7, 1e90):
            penalties = {"l2_regularization": factor * penalty, "n_iterations": 4, "max_leaves": 6, "window": (1, 1)}
            if "labeller" not in settings:
                penalties |= {"category_smoothing": factor, "least_weight": 0.2 * factor}
            rest = dict(settings)
            labeller = rest.pop("labeller", TreeCRF)
            fitted.append(labeller(**penalties | rest).fit(data, sample_weight=factor * weights))
            np.testing.assert_allclose(fitted[-1].predict_proba(data), fitted[0].predict_proba(data), rtol=0, atol=1e-9)
            if labeller is TreeCRF:
                history, gains = fitted[-1].log_likelihood_history_ / factor, fitted[-1].forest_.gains / factor
                np.testing.assert_allclose(history, fitted[0].log_likelihood_history_, rtol=1e-9)
                np.testing.assert_allclose(gains, fitted[0].forest_.gains, rtol=1e-6)
