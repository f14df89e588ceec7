"""Training on sequences some of whose labels are not known, against enumeration."""

import naive
import numpy as np
import pytest
from builders import assert_potentials, hidden_labels, larger_set, named_start, random_set

from treecrf import MEMM, Attribute, SequenceSet, SlidingWindow, TreeCRF, chain
from treecrf.sequences import slot_sizes, window_codes

SEPARABLE = {"transitions": "separable"}
DICTIONARY = {"label_dictionary": "a0"}
NEWTON = {"leaf_values": "newton", "learning_rate": 0.3, "splits": "subsets"}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("max_leaves", [4, 100])
def test_potentials_equal_naive_boosting(order, max_leaves):
    for seed in range(3):
        rng = np.random.default_rng([seed, order])
        data = hidden_labels(random_set(rng, n_sequences=4, longest=4), seed=seed)
        model = TreeCRF(3, max_leaves, 1.0, (1, 1), order, random_state=seed, start_noise=0.3).fit(data)
        assert_equal_to_naive(model, data, order, max_leaves)


def assert_equal_to_naive(model, data, order, max_leaves):
    with_known = data.select(
        [i for i, labels in enumerate(np.split(data.labels, data.offsets[1:-1])) if (labels >= 0).any()]
    )
    fit = naive.fit_one_hot(slot_sizes(data.attributes, (1, 1)), 3, max_leaves, 1.0)
    expected = naive.boost(
        window_codes(with_known, (1, 1)), with_known.offsets, with_known.labels, 3, order, named_start(model), 3, fit
    )
    assert_potentials(model, with_known, expected)


@pytest.mark.parametrize(
    "settings", [{}, {"order": 2}, NEWTON, SEPARABLE, SEPARABLE | NEWTON, DICTIONARY, {"order": 0}]
)
def test_likelihood_of_the_training_set_is_that_of_its_known_labels(settings):
    data = hidden_labels(larger_set(n_sequences=12, longest=8))
    model = TreeCRF(4, 6, 1.0, (1, 1), **settings).fit(data)
    found = model.log_likelihood(data).sum()
    assert found == pytest.approx(model.log_likelihood_history_[-1], abs=1e-9)
    assert found > model.log_likelihood_history_[0]


@pytest.mark.parametrize("settings", [SEPARABLE, DICTIONARY])
def test_lattices_take_the_steps_of_full_tables(settings):
    # With nothing to tell windows apart, a first tree of one split looks at the previous label, or its step is of
    # transitions.
    data = hidden_labels(random_set(np.random.default_rng(1), n_sequences=10, n_attributes=1, n_categories=1))
    data = data.with_values(data.values, (Attribute("a0", ("a",)),))
    lattice = TreeCRF(1, 6, 1.0, **settings).fit(data)
    full = TreeCRF(1, 6, 1.0).fit(data)
    if settings == DICTIONARY:  # all labels are seen with the only symbol
        np.testing.assert_allclose(lattice.predict_proba(data), full.predict_proba(data), atol=1e-12)
        return
    rows = {}
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        if (data.labels[begin:end] >= 0).any():
            keys = [(y, p, s) for p in range(begin, end) for s in naive.states_at(p - begin, 3, 1) for y in range(3)]
            rows |= naive.row_gradients(dict.fromkeys(keys, 0.0), int(begin), data.labels[begin:end], 3, 1)
    excess, expected = np.zeros((3, 4)), np.zeros((3, 4))
    for (y, p, (before,)), gradient in rows.items():
        excess[y, before] += gradient
        expected[y, before] += 1 / 3 if p in data.offsets else 1 / 9
    np.testing.assert_allclose(lattice.transitions_[0], excess / (expected + 1.0), atol=1e-9)


@pytest.mark.parametrize("labeller", [SlidingWindow, MEMM])
def test_positions_by_themselves_are_left_out(labeller):
    # Without windows beyond a position, a sequence can be cut where a position is left out.
    data = hidden_labels(larger_set(n_sequences=20, longest=6))
    order = 0 if labeller is SlidingWindow else 1
    pieces = []
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        for p in range(begin, end):
            if data.labels[p] >= 0 and (order == 0 or p == begin or data.labels[p - 1] >= 0):
                pieces.append(p)
    model = labeller(4, 6, 1.0).fit(data)
    if order == 0:
        kept = SequenceSet(
            data.values[pieces], np.arange(len(pieces) + 1), data.attributes, data.labels[pieces], data.label_names
        )
        np.testing.assert_array_equal(labeller(4, 6, 1.0).fit(kept).predict_proba(data), model.predict_proba(data))
        return
    log_potentials = model.potentials(data)
    states = chain.state_sequence(np.maximum(data.labels, 0), data.offsets, 3, 1)
    found = sum(log_potentials[data.labels[p], p, states[p]] for p in pieces)
    assert found == pytest.approx(model.log_likelihood_history_[-1], abs=1e-9)


@pytest.mark.parametrize("settings", [{}, SEPARABLE])
def test_sequences_without_known_labels_say_nothing(settings):
    data = larger_set(n_sequences=10, longest=6)
    labels = np.array(data.labels)
    labels[data.offsets[3] : data.offsets[5]] = -1
    model = TreeCRF(3, 6, 1.0, **settings).fit(data.with_labels(labels))
    without = TreeCRF(3, 6, 1.0, **settings).fit(data.select([0, 1, 2, 5, 6, 7, 8, 9]))
    np.testing.assert_array_equal(model.predict_proba(data), without.predict_proba(data))


def test_marginals_of_the_training_set_are_those_of_predictions():
    data = hidden_labels(larger_set())
    found = TreeCRF(3, 8, 1.0).fit_predict_proba(data)
    np.testing.assert_allclose(found, TreeCRF(3, 8, 1.0).fit(data).predict_proba(data), atol=1e-12)


def test_scores_skip_unknown_labels():
    data = larger_set()
    model, hidden = TreeCRF(3, 8, 1.0).fit(data), hidden_labels(data)
    known = hidden.labels >= 0
    assert model.score(hidden) == (model.predict(data) == data.labels)[known].mean()
    assert model.staged_score(hidden)[-1, 0] == model.score(hidden)
    renamed = hidden.with_labels(np.where(known, 2 - hidden.labels, -1), ("C", "B", "A"))
    np.testing.assert_array_equal(model.log_likelihood(renamed), model.log_likelihood(hidden))
    with pytest.raises(ValueError, match="no label of the set is known"):
        model.score(data.with_labels(np.full(data.n_positions, -1)))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"pseudo_likelihood_iterations": 1}, "pseudo_likelihood_iterations=1 does not go with unknown labels"),
        ({"beam": 2}, "beam=2 does not go with unknown labels"),
        ({"class_weight": {"A": 2.0}}, "has unknown labels and weights that differ"),
    ],
)
def test_what_cannot_learn_from_unknown_labels_says_so(settings, words):
    with pytest.raises(ValueError, match=words):
        TreeCRF(2, 4, 1.0, **settings).fit(hidden_labels(larger_set()))


def test_a_set_without_known_labels_is_refused():
    data = larger_set()
    with pytest.raises(ValueError, match="no label of the training set is known"):
        TreeCRF(2, 4).fit(data.with_labels(np.full(data.n_positions, -1)))
