"""Full transitions with a label dictionary: trees on the pairs of labels that are possible."""

import tracemalloc

import naive_pairs
import numpy as np
import pytest
from builders import assert_same_bits, lettered_set, random_set

from treecrf import Attribute, SequenceSet, TreeCRF
from treecrf.models.boosted.beginning import begin_training
from treecrf.models.boosted.checkpoint import Checkpoint
from treecrf.models.boosted.growers import CompleteGrower
from treecrf.models.boosted.label_dictionary import learn_dictionary, make_predecessors
from treecrf.models.boosted.lattice import rows_by_label
from treecrf.models.boosted.params import draw_positions
from treecrf.trees.packing import unpack
from treecrf.trees.sampling import Sample

FULL = {"leaf_values": "newton", "learning_rate": 0.2, "window": (1, 1), "label_dictionary": "centre"}
KINDS = [{}, {"splits": "subsets"}, {"leaf_values": "gradient"}]


def run(tasks):
    return [task() for task in tasks]


def no_seconds():
    return dict.fromkeys(("windows", "gradient", "trees", "update"), 0.0)


def begin(model, data):
    model.inputs_ = model._learn_inputs(data)
    n_labels = len(data.label_names)
    dictionary = learn_dictionary(data, model.label_dictionary)
    return begin_training(model, data, np.zeros((n_labels, n_labels + 1)), dictionary, no_seconds())


@pytest.mark.parametrize("beam", [None, 2])
@pytest.mark.parametrize("settings", [{}, {"splits": "subsets"}, {"leaf_values": "gradient"}, {"row_fraction": 0.5}])
def test_trees_are_those_of_dense_rows(settings, beam):
    data = lettered_set(np.random.default_rng(2), 40)
    model = TreeCRF(3, 9, 1.0, **FULL | settings, beam=beam)
    training, n_labels = begin(model, data), 5
    predecessors = make_predecessors(data, learn_dictionary(data, "letter"), "letter")
    for iteration in range(3):
        training.compute_gradient(run, 1, "likelihood", no_seconds())
        inference, problem = training._inference, training._trees.problem
        drawn = np.zeros(data.n_positions, dtype=bool)
        drawn[draw_positions(training._trees._sampling, data.n_positions, iteration)] = True
        unit = problem.packing.unit if beam else 0
        possible = rows_by_label(training._candidates.lattice, n_labels)
        expected = []
        for label, of_label in enumerate(rows_by_label(inference.lattice, n_labels)):
            has_label = np.isin(np.arange(data.n_positions), possible[label].positions)
            rows = naive_pairs.dense_rows(
                inference.lattice, predecessors, of_label, inference.gradients, unit, drawn & has_label, n_labels
            )
            everything = Sample(possible[label].positions, np.ones((0, 4), dtype=bool))
            expected.append(CompleteGrower(problem).grow(rows, everything))
        stage = training.grow(run, iteration, no_seconds())
        for tree, other in zip(stage.trees, expected, strict=True):
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


def test_where_no_label_stands_before_trees_are_those_of_separable_transitions():
    # Every position is a sequence: a row is a label of a position, with START before it, which no test tells apart.
    data = lettered_set(np.random.default_rng(0), 80)
    alone = SequenceSet(data.values, np.arange(data.n_positions + 1), data.attributes, data.labels, data.label_names)
    full, separable = (TreeCRF(1, 6, 1.0, **FULL, transitions=kind).fit(alone) for kind in ("full", "separable"))
    for name in ("parents", "columns", "codes", "first_split"):
        np.testing.assert_array_equal(getattr(full.forest_, name), getattr(separable.forest_, name))
    np.testing.assert_allclose(full.forest_.values, separable.forest_.values, atol=1e-5)


@pytest.mark.parametrize("settings", KINDS)
def test_likelihood_rises_and_is_that_of_the_model(settings):
    data = lettered_set(np.random.default_rng(0))
    model = TreeCRF(8, 6, 1.0, **FULL | settings).fit(data)
    assert (np.diff(model.log_likelihood_history_) > 0).all()
    assert model.log_likelihood_history_[-1] == pytest.approx(model.log_likelihood(data).sum(), abs=1e-8)
    np.testing.assert_allclose(model.predict_proba(data).sum(axis=1), 1.0)
    assert (model.forest_.columns == 3).any()  # the previous label


def test_a_stopped_training_goes_on(tmp_path):
    data, settings = lettered_set(np.random.default_rng(1)), FULL | {"max_leaves": 6}
    whole = TreeCRF(5, **settings).fit(data)

    def stop(iteration, *_):
        if iteration == 4:
            raise KeyboardInterrupt

    checkpoint = Checkpoint(tmp_path / "state.npz", seconds=0)
    with pytest.raises(KeyboardInterrupt):
        TreeCRF(5, **settings).fit(data, monitor=stop, checkpoint=checkpoint)
    heard = []
    resumed = TreeCRF(5, **settings).fit(data, monitor=lambda i, *_: heard.append(i), checkpoint=checkpoint)
    assert_same_bits(resumed, whole)
    assert heard == [1, 2, 3, 4, 5]


def test_steps_that_lower_the_likelihood_are_halved():
    data = lettered_set(np.random.default_rng(3))
    settings = FULL | {"learning_rate": 1.0, "max_leaves": 12, "l2_regularization": 0.01, "splits": "subsets"}
    model = TreeCRF(12, **settings).fit(data)
    assert (model.steps_ < 1).any()
    assert (np.diff(model.log_likelihood_history_) >= -1e-6).all()
    part = TreeCRF(5, **settings, warm_start=True).fit(data).set_params(n_iterations=12).fit(data)
    assert_same_bits(part, model)


def test_a_symbol_that_training_did_not_show_may_have_all_labels():
    train = lettered_set(np.random.default_rng(0))
    model = TreeCRF(5, 6, 1.0, **FULL).fit(train)
    test = SequenceSet(np.array([[4], [0], [4]]), [0, 3], (Attribute("letter", tuple("abcde")),))
    with pytest.warns(UserWarning, match="'e'"):
        marginals = model.predict_proba(test)
    assert (marginals[[0, 2]] > 0).all()
    assert (marginals[1, :2] > 0).all()
    assert (marginals[1, 2:] == 0).all()


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
    # One tree of two leaves at the START of sequences alone cannot be had; so the slope of one pair's potential, by differences.
    data = lettered_set(np.random.default_rng(4), 6)
    training = begin(TreeCRF(2, 5, 1.0, **FULL | {"leaf_values": "gradient"}), data)
    for iteration in range(2):
        training.compute_gradient(run, 1, "likelihood", no_seconds())
        training.grow(run, iteration, no_seconds())
    training.compute_gradient(run, 1, "likelihood", no_seconds())
    packing = training._trees.problem.packing
    _, slopes = unpack(training._inference.gradients, packing)
    pairs = training._potentials.pairs
    for pair in range(0, len(pairs), 7):
        values, before = [], pairs[pair]
        for step in (1e-5, -1e-5):
            pairs[pair] = before * np.exp(step)
            values.append(training.compute_gradient(run, 1, "likelihood", no_seconds()))
        pairs[pair] = before
        assert (values[0] - values[1]) / 2e-5 == pytest.approx(slopes[pair], abs=1e-6)


def test_flattening_and_potentials_are_refused():
    data = lettered_set(np.random.default_rng(0))
    model = TreeCRF(2, **FULL).fit(data)
    with pytest.raises(ValueError, match="flattened: "):
        model.flattened()
    with pytest.raises(ValueError, match="kept in parts"):
        model.potentials(data)


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
