"""`TreeCRF` and its trees against the naive versions, and its promises: same bits, continuation, files, errors."""

import tracemalloc

import naive
import numpy as np
import pytest
from builders import assert_potentials, larger_set, named_start, random_set

from treecrf import MEMM, Attribute, SequenceSet, TreeCRF
from treecrf.models.boosted.training import DenseTraining
from treecrf.sequences import slot_sizes, window_codes


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize(("max_leaves", "l2_regularization"), [(100, 2.0), (4, 0.0), (100, 0.5)])
@pytest.mark.parametrize("pseudo", [0, 2])
def test_potentials_equal_naive_boosting(order, max_leaves, l2_regularization, pseudo):
    for seed in range(2):
        rng = np.random.default_rng([seed, order, max_leaves])
        n_labels = 3 if order < 3 else 2
        data = random_set(rng, n_sequences=4 if order < 3 else 6, n_labels=n_labels, longest=4 if order < 2 else 5)
        model = TreeCRF(
            4,
            max_leaves,
            l2_regularization,
            (1, 1),
            order,
            random_state=seed,
            start_noise=0.3,
            pseudo_likelihood_iterations=pseudo,
        ).fit(data)
        fit = naive.fit_one_hot(slot_sizes(data.attributes, (1, 1)), n_labels, max_leaves, l2_regularization)
        expected = naive.boost(
            window_codes(data, (1, 1)), data.offsets, data.labels, n_labels, order, named_start(model), 4, fit, pseudo
        )
        assert_potentials(model, data, expected)


@pytest.mark.parametrize("order", [1, 2])
def test_rows_that_are_no_sequences_equal_naive_boosting(order, monkeypatch):
    """Their two labels have opposite trees, of which one is grown."""
    data = random_set(np.random.default_rng(order), n_sequences=30, n_labels=2, longest=1)
    grown = []
    grow = DenseTraining._grow_one
    monkeypatch.setattr(DenseTraining, "_grow_one", lambda *given: grown.append(given[1]) or grow(*given))
    model = TreeCRF(4, 6, 0.5, (0, 0), order, random_state=0, start_noise=0.3).fit(data)
    assert grown == [0] * 4
    fit = naive.fit_one_hot(slot_sizes(data.attributes, (0, 0)), 2, 6, 0.5)
    codes, start = window_codes(data, (0, 0)), named_start(model)
    assert_potentials(model, data, naive.boost(codes, data.offsets, data.labels, 2, order, start, 4, fit, 0))


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(
    "settings", [{}, {"splits": "subsets"}, {"leaf_values": "newton", "learning_rate": 0.3}], ids=str
)
@pytest.mark.parametrize("labeller", [TreeCRF, MEMM])
def test_history_is_the_training_likelihood(labeller, settings, order):
    data, settings = larger_set(), settings | {"random_state": 3}
    model = labeller(7, 10, 1.0, (1, 1), order, **settings).fit(data)
    assert model.log_likelihood_history_[-1] == pytest.approx(model.log_likelihood(data).sum(), abs=1e-7)
    shorter = labeller(4, 10, 1.0, (1, 1), order, **settings).fit(data)
    assert model.log_likelihood_history_[4] == pytest.approx(shorter.log_likelihood(data).sum(), abs=1e-7)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"order": 0},
        {"order": 2, "window": (1, 0)},
        {"leaf_values": "newton", "learning_rate": 0.3},
        {"random_state": 1},
        {"missing": "instance_weighting"},
        {"pseudo_likelihood_iterations": 2},
        {"transitions": "separable"},
    ],
)
@pytest.mark.parametrize("labeller", [TreeCRF, MEMM])
def test_training_knows_what_it_predicts_for_its_own_set(labeller, settings):
    if labeller is MEMM and {"transitions", "pseudo_likelihood_iterations"} & set(settings):
        pytest.skip("of a TreeCRF alone")
    data = larger_set()
    found = labeller(4, 6, 1.0, **settings).fit_predict_proba(data)
    model = labeller(4, 6, 1.0, **settings).fit(data)
    np.testing.assert_allclose(found, model.predict_proba(data), atol=1e-12)


@pytest.mark.parametrize("missing", ["error", "instance_weighting", "surrogate_splitting", "incorporated"])
def test_expected_memory_is_what_training_takes(missing):
    rng, n = np.random.default_rng(0), 6000
    attributes = [Attribute(name, tuple(map(str, range(20)))) for name in "abc"]
    data = SequenceSet(
        rng.integers(0, 20, (n, 3)), np.arange(0, n + 1, 50), attributes, rng.integers(0, 5, n), tuple("ABCDE")
    )
    model = TreeCRF(2, 30, 5.0, (2, 2), missing=missing)
    TreeCRF(1, 3, 5.0, missing=missing).fit(data.select(range(3)))  # compiles
    tracemalloc.start()
    model.fit(data)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.expected_memory(data) == pytest.approx(taken, rel=0.15)


def test_training_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr("treecrf.io.process.available_memory", lambda: 2**20)
    words = r"^training on [\d,]+ positions with 3 labels would take 0\.\d GiB of memory and 0\.0 GiB are available"
    with pytest.raises(ValueError, match=words):
        TreeCRF(100, 500, 5.0, (5, 5), 3).fit(larger_set(n_sequences=300))


def test_perturbed_starts_differ_and_repeat():
    data = larger_set()
    runs = [TreeCRF(3, 10, 1.0, (1, 1), random_state=seed).fit(data).log_likelihood_history_[-1] for seed in (0, 1, 0)]
    assert runs[0] == runs[2] != runs[1]


# --- bad input ---------------------------------------------------------------------------------------


def test_bad_data_are_refused():
    data = larger_set()
    with pytest.raises(ValueError, match="has no sequences"):
        TreeCRF().fit(data.select([]))
    with pytest.raises(ValueError, match="at least two"):
        TreeCRF().fit(data.with_labels(np.zeros(data.n_positions), ("A",)))
    model = TreeCRF(2).fit(data)
    with pytest.raises(ValueError, match="has no sequences"):
        model.predict(data.select([]))
    with pytest.raises(ValueError, match="have the attributes"):
        model.predict(data.with_values(data.values[:, :1], data.attributes[:1]))
    with pytest.raises(ValueError, match="'Z' was not in the training set"):
        model.score(data.with_labels(np.full(data.n_positions, 3), (*data.label_names, "Z")))


def test_categories_are_matched_by_name():
    data = larger_set()
    model = TreeCRF(5, 20, 1.0, (1, 1)).fit(data)
    turned = tuple(Attribute(name, categories[::-1]) for name, categories, *_ in data.attributes)
    values = np.array([len(a.categories) - 1 for a in data.attributes]) - data.values
    np.testing.assert_array_equal(model.predict_proba(data.with_values(values, turned)), model.predict_proba(data))


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("missing", ["error", "instance_weighting", "surrogate_splitting", "default_direction"])
def test_equal_windows_are_one_in_training(monkeypatch, missing, order):
    # Some positions carry observations behind them that no label belongs to; the set has few different windows.
    rng = np.random.default_rng(order)
    lengths, unlabelled = rng.integers(1, 9, 40), rng.integers(0, 2, 40)
    offsets, observation_offsets = (np.concatenate([[0], np.cumsum(n)]) for n in (lengths, lengths + unlabelled))
    attributes = tuple(Attribute(name, ("no", "yes")) for name in "abc")
    values = rng.integers(0 if missing == "error" else -1, 2, (observation_offsets[-1], 3))
    labels = rng.integers(0, 2, offsets[-1])
    data = SequenceSet(values, offsets, attributes, labels, ("X", "Y"), observation_offsets)
    model = TreeCRF(5, 8, 1.0, order=order, missing=missing, random_state=1, start_noise=0.3).fit(data)
    every = np.arange(data.n_positions)
    monkeypatch.setattr(
        "treecrf.models.boosted.potentials.distinct_windows", lambda cells: (every, every.astype(np.int32))
    )
    expected = TreeCRF(5, 8, 1.0, order=order, missing=missing, random_state=1, start_noise=0.3).fit(data)
    for name in ("parents", "columns", "codes", "shares", "surrogates"):
        np.testing.assert_array_equal(getattr(model.forest_, name), getattr(expected.forest_, name))
    tolerance = 0.0 if missing == "error" else 1e-9  # weighted sums are rounded once for each window
    np.testing.assert_allclose(model.forest_.values, expected.forest_.values, rtol=0, atol=tolerance)
    assert model.log_likelihood_history_[-1] == pytest.approx(model.log_likelihood(data).sum(), abs=1e-8)
