"""Trees on the labels that positions may have: separable and full transitions, label dictionaries, beams."""

import tracemalloc
from itertools import pairwise

import naive_pairs
import numpy as np
import pytest
from builders import assert_same_bits, larger_set, lasting_set, lettered_set, random_set

from treecrf import MEMM, Attribute, SequenceSet, TreeCRF
from treecrf.models.boosted.boosting import draw_positions
from treecrf.models.boosted.lattice import LatticeTraining
from treecrf.models.boosted.potentials import learn_dictionary, make_candidates, rows_by_label
from treecrf.models.boosted.training import CompleteGrower
from treecrf.models.execution import Workers
from treecrf.trees.best_first import Sample
from treecrf.trees.packing import unpack

NEWTON = {"leaf_values": "newton", "learning_rate": 0.2, "window": (1, 1), "missing": "error"}
SEPARABLE = NEWTON | {"transitions": "separable"}
FULL = NEWTON | {"label_dictionary": "centre"}
LATTICES = [
    SEPARABLE,
    SEPARABLE | {"label_dictionary": "centre"},
    FULL,
    FULL | {"splits": "subsets"},
    FULL | {"leaf_values": "gradient"},
]
BEAMS = [
    {"transitions": "full"},
    {"transitions": "full", "label_dictionary": "centre"},
    {"transitions": "full", "leaf_values": "newton", "learning_rate": 0.3},
    {"transitions": "separable", "leaf_values": "newton", "learning_rate": 0.3},
    {"transitions": "separable", "label_dictionary": "centre"},
]


def begin(model, data):
    """The training of a model from F = 0, and the labels that positions may have."""
    n_labels = len(data.label_names)
    dictionary = learn_dictionary(data, model.label_dictionary)
    candidates = make_candidates(data, dictionary, model.label_dictionary)
    start = np.zeros((n_labels, n_labels + 1))
    return LatticeTraining(model.boosting_params(), data, candidates, start, Workers()), candidates


# --- both kinds of transitions ------------------------------------------------------------------------


@pytest.mark.parametrize("settings", LATTICES, ids=str)
def test_likelihood_rises_and_is_that_of_the_model(settings):
    data = lettered_set(np.random.default_rng(0))
    model = TreeCRF(12, 6, 1.0, **settings).fit(data)
    assert (np.diff(model.log_likelihood_history_) > 0).all()
    assert model.log_likelihood_history_[-1] == pytest.approx(model.log_likelihood(data).sum(), abs=1e-8)
    np.testing.assert_allclose(model.predict_proba(data).sum(axis=1), 1.0)
    assert (model.forest_.columns == 3).any() == (settings.get("transitions") != "separable")  # the previous label


@pytest.mark.parametrize(
    ("settings", "n_iterations", "data"),
    [
        (SEPARABLE | {"learning_rate": 1.0, "max_leaves": 8, "l2_regularization": 0.1}, 10, lasting_set()),
        (
            FULL | {"learning_rate": 1.0, "max_leaves": 12, "l2_regularization": 0.01, "splits": "subsets"},
            12,
            lettered_set(np.random.default_rng(3)),
        ),
    ],
    ids=["separable", "full"],
)
def test_steps_that_lower_the_likelihood_are_halved(settings, n_iterations, data):
    model = TreeCRF(n_iterations, **settings).fit(data)
    assert (model.steps_ < 1).any()
    assert (np.diff(model.log_likelihood_history_) >= -1e-6).all()
    part = TreeCRF(5, **settings, warm_start=True).fit(data).set_params(n_iterations=n_iterations).fit(data)
    assert_same_bits(part, model)


@pytest.mark.parametrize("settings", [SEPARABLE, FULL], ids=["separable", "full"])
def test_a_symbol_that_training_did_not_show_may_have_all_labels(settings):
    train = lettered_set(np.random.default_rng(0))
    model = TreeCRF(5, 6, 1.0, **settings | {"label_dictionary": "centre"}).fit(train)
    test = SequenceSet(np.array([[4], [0], [4]]), [0, 3], (Attribute("letter", tuple("abcde")),))
    with pytest.warns(UserWarning, match="'e'"):
        marginals = model.predict_proba(test)
    assert (marginals[[0, 2]] > 0).all()
    assert (marginals[1, :2] > 0).all()
    assert (marginals[1, 2:] == 0).all()


# --- separable transitions ----------------------------------------------------------------------------


def test_first_transitions_are_observed_less_expected_counts():
    data = larger_set()
    model = TreeCRF(1, 6, 1.0, **SEPARABLE).fit(data)
    observed = np.zeros((3, 4))
    for begin, end in pairwise(data.offsets):
        for position in range(begin, end):
            observed[data.labels[position], 3 if position == begin else data.labels[position - 1]] += 1
    expected = np.full((3, 4), (data.n_positions - len(data)) / 9)
    expected[:, 3] = len(data) / 3
    step = 0.2 * ((observed - expected) / (expected + 1.0)).clip(-4, 4)
    np.testing.assert_allclose(model.transitions_[0], step, atol=1e-12)


def test_gradient_is_the_slope_of_the_likelihood():
    # The slope along a transition, by finite differences of the likelihood at the model's potentials.
    data = larger_set(n_sequences=10)
    model = TreeCRF(3, 6, 1.0, largest_step=1e9, **SEPARABLE).fit(data)
    part = TreeCRF(2, 6, 1.0, largest_step=1e9, **SEPARABLE).fit(data)
    before = part.transitions_[-1].copy()
    for label, other in ((0, 1), (2, 2), (1, 3)):
        values = []
        for step in (1e-4, -1e-4):
            part.transitions_[-1] = before
            part.transitions_[-1][label, other] += step
            values.append(part.log_likelihood(data).sum())
        slope = (values[0] - values[1]) / 2e-4
        observed = sum(
            data.labels[p] == label and (3 if p in data.offsets else data.labels[p - 1]) == other
            for p in range(data.n_positions)
        )
        expected = observed - slope
        assert model.transitions_[2][label, other] == pytest.approx(0.2 * slope / (expected + 1.0), abs=1e-6)


def test_a_dictionary_keeps_labels_to_their_symbols():
    data = lettered_set(np.random.default_rng(0))
    with_it, without = (TreeCRF(5, 6, 1.0, label_dictionary=d, **SEPARABLE).fit(data) for d in ("centre", None))
    marginals = with_it.predict_proba(data)
    labels, letters = np.arange(5), data.values[:, :1]
    impossible = (labels < letters) | (labels > letters + 1)
    assert (marginals[impossible] == 0).all()
    assert (without.predict_proba(data)[impossible] > 0).all()
    assert set(with_it.predict(data, "viterbi") - data.values[:, 0]) <= {0, 1}
    candidates = make_candidates(data, learn_dictionary(data, "letter"), "letter")
    assert (np.diff(candidates.lattice.first) == 2).all()


def test_a_label_outside_the_dictionary_has_likelihood_0():
    train = lettered_set(np.random.default_rng(0))
    model = TreeCRF(5, 6, 1.0, label_dictionary="centre", **SEPARABLE).fit(train)
    test = SequenceSet(np.array([[0], [0]]), [0, 1, 2], train.attributes, np.array([0, 4]), train.label_names)
    likely, impossible = model.log_likelihood(test)
    assert np.isfinite(likely)
    assert impossible == -np.inf


# --- full transitions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("beam", [None, 2])
@pytest.mark.parametrize("settings", [{}, {"splits": "subsets"}, {"leaf_values": "gradient"}, {"row_fraction": 0.5}])
def test_trees_are_those_of_dense_rows(settings, beam):
    data = lettered_set(np.random.default_rng(2), 40)
    model = TreeCRF(3, 9, 1.0, **FULL | settings, beam=beam)
    (training, candidates), n_labels = begin(model, data), 5
    possible, problem = rows_by_label(candidates.lattice, n_labels), training.trees.problem
    unit = problem.packing.unit if beam else 0
    for iteration in range(3):
        training.compute_gradient("likelihood")
        inference = training.inference
        drawn = np.zeros(data.n_positions, dtype=bool)
        drawn[draw_positions(model.boosting_params(), data.n_positions, iteration)] = True
        expected = []
        for label, of_label in enumerate(rows_by_label(inference.lattice, n_labels)):
            has_label = np.isin(np.arange(data.n_positions), possible[label].positions)
            rows = naive_pairs.dense_rows(
                inference.lattice,
                candidates.predecessors,
                of_label,
                inference.gradients,
                unit,
                drawn & has_label,
                n_labels,
            )
            everything = Sample(possible[label].positions, np.ones((0, 4), dtype=bool))
            expected.append(CompleteGrower(problem).grow(rows, everything))
        for tree, other in zip(training.grow(iteration).trees, expected, strict=True):
            for name, part in tree._asdict().items():
                assert part.tobytes() == getattr(other, name).tobytes(), name


@pytest.mark.parametrize("settings", [{}, {"splits": "subsets"}, {"leaf_values": "gradient", "learning_rate": 1.0}])
def test_a_dictionary_with_all_labels_is_none(settings):
    data = random_set(np.random.default_rng(0), 60, 3, 1, 2, 8)
    with_it, without = (
        TreeCRF(6, 6, 1.0, **FULL | settings | {"label_dictionary": d}).fit(data) for d in ("centre", None)
    )
    assert with_it.dictionary_.all()
    for name in ("parents", "columns", "codes"):
        np.testing.assert_array_equal(getattr(with_it.forest_, name), getattr(without.forest_, name))
    np.testing.assert_allclose(with_it.forest_.values, without.forest_.values, atol=1e-5)
    np.testing.assert_allclose(with_it.log_likelihood_history_, without.log_likelihood_history_, atol=1e-4)
    np.testing.assert_allclose(with_it.predict_proba(data), without.predict_proba(data), atol=1e-5)
    np.testing.assert_array_equal(with_it.predict(data, "viterbi"), without.predict(data, "viterbi"))


def test_a_dictionary_that_leaves_one_label():
    rng = np.random.default_rng(0)
    letters = rng.integers(0, 3, 60)
    labels = np.where(letters == 0, 0, letters + (rng.random(60) < 0.5))
    data = SequenceSet(letters[:, None], np.arange(0, 61, 6), (Attribute("x", tuple("abc")),), labels, tuple("WXYZ"))
    model = TreeCRF(5, 6, 1.0, **FULL).fit(data)
    np.testing.assert_allclose(
        model.predict_proba(data)[letters == 0], np.tile([1.0, 0, 0, 0], ((letters == 0).sum(), 1))
    )
    assert np.isfinite(model.log_likelihood_history_).all()


def test_gradients_of_pairs_are_slopes():
    # One tree of two leaves at the START of sequences alone cannot be had; so the slope of one pair's potential, by
    # differences.
    data = lettered_set(np.random.default_rng(4), 6)
    training, _ = begin(TreeCRF(2, 5, 1.0, **FULL | {"leaf_values": "gradient"}), data)
    for iteration in range(2):
        training.compute_gradient("likelihood")
        training.grow(iteration)
    training.compute_gradient("likelihood")
    _, slopes = unpack(training.inference.gradients, training.trees.problem.packing)
    pairs = training.potentials.pairs
    for pair in range(0, len(pairs), 7):
        values, before = [], pairs[pair]
        for step in (1e-5, -1e-5):
            pairs[pair] = before * np.exp(step)
            values.append(training.compute_gradient("likelihood"))
        pairs[pair] = before
        assert (values[0] - values[1]) / 2e-5 == pytest.approx(slopes[pair], abs=1e-6)


# --- beams ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beam", [5, 8])
@pytest.mark.parametrize("settings", BEAMS)
def test_a_beam_of_all_labels_is_none(settings, beam):
    data = lettered_set(np.random.default_rng(0))
    settings = {
        "max_leaves": 6,
        "l2_regularization": 1.0,
        "window": (1, 1),
        "most_halvings": 0,
        "missing": "error",
    } | settings
    wide, exact = (TreeCRF(5, **settings, beam=b).fit(data) for b in (beam, None))
    for name in ("parents", "columns", "codes"):
        np.testing.assert_array_equal(getattr(wide.forest_, name), getattr(exact.forest_, name))
    np.testing.assert_allclose(wide.forest_.values, exact.forest_.values, atol=1e-4)
    np.testing.assert_allclose(wide.log_likelihood_history_, exact.log_likelihood_history_, rtol=1e-5)
    np.testing.assert_allclose(wide.predict_proba(data), exact.predict_proba(data), atol=1e-4)


def test_first_gradient_by_hand():
    # Before the first iteration labels 0 and 1 of three are in a beam of 2, and the true one: all in it are as likely.
    labels = np.array([2, 0, 1, 2])
    data = SequenceSet(np.zeros((4, 1)), [0, 2, 4], (Attribute("x", ("a",)),), labels, tuple("XYZ"))
    model = TreeCRF(1, 2, 0.0, transitions="separable", beam=2).fit(data)
    # Gradients of label 0: -1/3 beside a true 2, and 1/2 or -1/2 where 0 and 1 are all. Others are 0, but count.
    expected = [(-1 / 3 + 1 / 2 - 1 / 2 - 1 / 3) / 4, (-1 / 3 - 1 / 2 + 1 / 2 - 1 / 3) / 4, (2 / 3 + 0 + 0 + 2 / 3) / 4]
    np.testing.assert_allclose(model.forest_.values, expected, atol=1e-9)


def test_pairs_outside_the_beam_count_in_leaves_as_in_the_papers():
    # Label 0 and the true ones are in the beam: 0 and 2, then 0. The rows of label 0: -1/2 after START and after 0, 1/2
    # after 2,
    # and after 1, which is not in the beam, 0.
    data = SequenceSet(np.zeros((2, 1)), [0, 2], (Attribute("x", ("a",)),), np.array([2, 0]), tuple("XYZ"))
    model = TreeCRF(1, 2, 0.0, transitions="full", beam=1).fit(data)
    tree = model.forest_.tree(0)
    assert (tree.columns.tolist(), tree.codes.tolist()) == ([1], [2])
    np.testing.assert_allclose(tree.values, [-1 / 3, 1 / 2], atol=1e-9)


def test_marginals_are_0_outside_the_beam():
    data = lettered_set(np.random.default_rng(1))
    model = TreeCRF(5, beam=2).fit(data)
    marginals = model.predict_proba(data)
    assert ((marginals > 0).sum(axis=1) == 2).all()
    np.testing.assert_allclose(marginals.sum(axis=1), 1.0)
    assert (marginals[np.arange(data.n_positions), model.predict(data, "viterbi")] > 0).all()


# --- memory and settings --------------------------------------------------------------------------------


def many_labels(n_words=900):
    """9 letters with 12 labels each, of 108."""
    rng = np.random.default_rng(0)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(4, 11, n_words))])
    letters = rng.integers(0, 9, offsets[-1])
    labels = 12 * letters + rng.integers(0, 12, offsets[-1])
    attribute = Attribute("letter", tuple("abcdefghi"))
    return SequenceSet(letters[:, None], offsets, (attribute,), labels, tuple(f"y{i}" for i in range(108)))


@pytest.mark.parametrize(
    ("settings", "most"),
    [
        ({"transitions": "separable"}, 4000),
        ({"transitions": "separable", "label_dictionary": None}, 30_000),
        ({}, 4000),
        ({"leaf_values": "gradient", "max_leaves": 20}, 4000),
        ({"beam": 3}, 4000),
    ],
)
def test_expected_memory_is_what_training_takes(settings, most):
    data = many_labels()
    model = TreeCRF(2, 8, 3.0, **FULL).set_params(**settings)
    model.fit(data)  # compiles
    tracemalloc.start()
    model.fit(data)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.expected_memory(data) == pytest.approx(taken, rel=0.15)
    assert taken < most * data.n_positions


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (TreeCRF, {"order": 2}, "order=2: transitions='separable' needs 1"),
        (TreeCRF, {"missing": "instance_weighting"}, "needs 'error' or 'incorporated'"),
        (TreeCRF, {"pseudo_likelihood_iterations": 3}, "pseudo_likelihood_iterations=3"),
        (TreeCRF, {"influence_trimming": 0.1}, "influence_trimming=0.1: transitions='separable' needs 0"),
        (
            TreeCRF,
            {"transitions": "full", "influence_trimming": 0.1, "pseudo_likelihood_iterations": 2},
            r"influence_trimming=0\.1: .*pseudo",
        ),
        (TreeCRF, {"order": 2, "transitions": "full", "label_dictionary": "a0"}, "order=2: label_dictionary needs 1"),
        (TreeCRF, {"order": 0, "transitions": "full", "beam": 2}, "order=0: beam needs 1"),
        (MEMM, {}, "a MEMM has none"),
        (MEMM, {"transitions": "full", "beam": 2}, "a MEMM has none"),
        (MEMM, {"transitions": "full", "pseudo_likelihood_iterations": 2}, "pseudo_likelihood_iterations=2: a MEMM"),
        (TreeCRF, {"label_dictionary": "letter"}, "one of a0, a1"),
        (TreeCRF, {"label_dictionary": "centre"}, "2 attributes with categories; name one of a0, a1"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(kind, settings, message):
    with pytest.raises(ValueError, match=message):
        kind(2, **SEPARABLE | settings).fit(larger_set())
