"""Training and labelling in a beam."""

import numpy as np
import pytest
from builders import assert_same_bits, lettered_set

import treecrf
from treecrf import SequenceSet, TreeCRF

SETTINGS = [
    {"transitions": "full"},
    {"transitions": "full", "label_dictionary": "centre"},
    {"transitions": "full", "leaf_values": "newton", "learning_rate": 0.3},
    {"transitions": "separable", "leaf_values": "newton", "learning_rate": 0.3},
    {"transitions": "separable", "label_dictionary": "centre"},
]


@pytest.mark.parametrize("beam", [5, 8])
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_beam_of_all_labels_is_none(settings, beam):
    data = lettered_set(np.random.default_rng(0))
    settings = {"max_leaves": 6, "l2_regularization": 1.0, "window": (1, 1), "most_halvings": 0} | settings
    wide, exact = (TreeCRF(5, **settings, beam=b).fit(data) for b in (beam, None))
    for name in ("parents", "columns", "codes"):
        np.testing.assert_array_equal(getattr(wide.forest_, name), getattr(exact.forest_, name))
    np.testing.assert_allclose(wide.forest_.values, exact.forest_.values, atol=1e-4)
    np.testing.assert_allclose(wide.log_likelihood_history_, exact.log_likelihood_history_, rtol=1e-5)
    np.testing.assert_allclose(wide.predict_proba(data), exact.predict_proba(data), atol=1e-4)


def test_first_gradient_by_hand():
    # Before the first iteration labels 0 and 1 of three are in a beam of 2, and the true one: all in it are as likely.
    labels = np.array([2, 0, 1, 2])
    data = SequenceSet(np.zeros((4, 1)), [0, 2, 4], (treecrf.Attribute("x", ("a",)),), labels, tuple("XYZ"))
    model = TreeCRF(1, 2, 0.0, transitions="separable", beam=2).fit(data)
    # Gradients of label 0: -1/3 beside a true 2, and 1/2 or -1/2 where 0 and 1 are all. Others are 0, but count.
    expected = [(-1 / 3 + 1 / 2 - 1 / 2 - 1 / 3) / 4, (-1 / 3 - 1 / 2 + 1 / 2 - 1 / 3) / 4, (2 / 3 + 0 + 0 + 2 / 3) / 4]
    np.testing.assert_allclose(model.forest_.values, expected, atol=1e-9)


def test_pairs_outside_the_beam_count_in_leaves_as_in_the_papers():
    # Label 0 and the true ones are in the beam: 0 and 2, then 0. The rows of label 0: -1/2 after START and after 0, 1/2 after 2,
    # and after 1, which is not in the beam, 0.
    data = SequenceSet(np.zeros((2, 1)), [0, 2], (treecrf.Attribute("x", ("a",)),), np.array([2, 0]), tuple("XYZ"))
    model = TreeCRF(1, 2, 0.0, transitions="full", beam=1).fit(data)
    tree = model.forest_.tree(0)
    assert (tree.columns.tolist(), tree.codes.tolist()) == ([1], [2])
    np.testing.assert_allclose(tree.values, [-1 / 3, 1 / 2], atol=1e-9)


@pytest.mark.parametrize("settings", SETTINGS)
def test_files_threads_stages_and_warm_starts_give_the_same(settings, tmp_path):
    data = lettered_set(np.random.default_rng(1))
    settings = {"max_leaves": 6, "window": (1, 1), "beam": 2} | settings
    model = TreeCRF(5, **settings).fit(data)
    assert_same_bits(TreeCRF(5, **settings, n_threads=2).fit(data), model)
    model.save(tmp_path / "model.npz")
    loaded = treecrf.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict_proba(data), model.predict_proba(data))
    stages = list(model.staged_predict_proba(data))
    np.testing.assert_array_equal(stages[-1], model.predict_proba(data))
    np.testing.assert_array_equal(stages[2], model.truncated(3).predict_proba(data))
    part = TreeCRF(3, **settings, warm_start=True).fit(data).set_params(n_iterations=5).fit(data)
    assert_same_bits(part, model)


def test_marginals_are_0_outside_the_beam():
    data = lettered_set(np.random.default_rng(1))
    model = TreeCRF(5, beam=2).fit(data)
    marginals = model.predict_proba(data)
    assert ((marginals > 0).sum(axis=1) == 2).all()
    np.testing.assert_allclose(marginals.sum(axis=1), 1.0)
    assert (marginals[np.arange(data.n_positions), model.predict(data, "viterbi")] > 0).all()
