"""Continued training on another set."""

import numpy as np
import pytest
from builders import assert_same_trees, larger_set, lettered_set

import treecrf
from treecrf import Attribute, SequenceSet, TreeCRF

SETTINGS = {"max_leaves": 8, "l2_regularization": 1.0, "window": (1, 1)}
VARIANTS = [
    {},
    {"order": 0},
    {"transitions": "separable", "leaf_values": "newton", "learning_rate": 0.2},
    {"leaf_values": "newton", "learning_rate": 0.3},
]


@pytest.mark.parametrize("kind", VARIANTS)
def test_another_set_adds_trees_to_those_of_the_first(kind, tmp_path):
    first, second = larger_set(), larger_set(1)
    model = TreeCRF(3, warm_start=True, **SETTINGS, **kind).fit(first)
    before, begun = model.log_likelihood(second).sum(), model.predict_proba(first)
    model.save(tmp_path / "model.npz")
    for continued in (model, treecrf.load(tmp_path / "model.npz")):
        continued.set_params(n_iterations=6).fit(second)
        np.testing.assert_array_equal(list(continued.staged_predict_proba(first))[2], begun)
        history = continued.log_likelihood_history_
        assert len(history) == 7
        assert history[3] == pytest.approx(before, abs=1e-8)
        assert history[6] == pytest.approx(continued.log_likelihood(second).sum(), abs=1e-8)
        assert history[6] > history[3]


def test_labels_and_categories_are_matched_by_name():
    first, second = larger_set(), larger_set(1)
    attributes = tuple(Attribute(a.name, a.categories[::-1]) for a in second.attributes)
    turned = second.with_values(4 - second.values, attributes).with_labels(2 - second.labels, ("C", "B", "A"))
    expected = TreeCRF(2, warm_start=True, **SETTINGS).fit(first).set_params(n_iterations=4).fit(second)
    found = TreeCRF(2, warm_start=True, **SETTINGS).fit(first).set_params(n_iterations=4).fit(turned)
    assert_same_trees(found, expected)
    assert found.label_names_ == first.label_names


def test_new_labels_and_categories():
    first, second = larger_set(), larger_set(1)
    model = TreeCRF(2, warm_start=True, **SETTINGS).fit(first).set_params(n_iterations=4)
    with pytest.raises(ValueError, match="label 'D' was not in the training set, which had A, B, C"):
        model.fit(second.with_labels(np.where(second.labels == 2, 3, second.labels), ("A", "B", "C", "D")))
    attributes = (second.attributes[0]._replace(categories=("a", "b", "c", "d", "new")), second.attributes[1])
    fresh = second.with_values(second.values, attributes)
    strict = TreeCRF(2, warm_start=True, missing="error", **SETTINGS).fit(first).set_params(n_iterations=4)
    with (
        pytest.warns(UserWarning, match="category 'new' was not in the training set"),
        pytest.raises(ValueError, match="for which missing='error' has no place"),
    ):
        strict.fit(fresh)
    holes = second.values.copy()
    holes[holes[:, 0] == 4, 0] = -1
    expected = TreeCRF(2, warm_start=True, missing="instance_weighting", **SETTINGS).fit(first)
    expected.set_params(n_iterations=4).fit(second.with_values(holes))
    with pytest.warns(UserWarning, match="they are treated as missing"):
        assert_same_trees(model.fit(fresh), expected)
    with pytest.raises(ValueError, match="category 'new' was not in the training set"):
        TreeCRF(2, warm_start=True, unseen="error", **SETTINGS).fit(first).set_params(n_iterations=4).fit(fresh)


def test_numbers_keep_the_bins_of_the_first_set():
    rng = np.random.default_rng(0)
    sets = []
    for shift in (0.0, 0.5):
        numbers = rng.normal(size=(60, 1)) + shift
        labels = (numbers[:, 0] > 0.2).astype(int)
        sets.append(
            SequenceSet(
                np.empty((60, 0)), np.arange(0, 61, 6), (), labels, ("A", "B"), numbers=numbers, number_names=("x",)
            )
        )
    model = TreeCRF(2, 4, 1.0, warm_start=True).fit(sets[0])
    bins = model.inputs_.described()
    model.set_params(n_iterations=5).fit(sets[1])
    assert model.inputs_.described() == bins
    assert model.log_likelihood_history_[-1] > model.log_likelihood_history_[2]


def test_a_label_dictionary_grows():
    rng = np.random.default_rng(0)
    first = lettered_set(rng)
    second = first.with_labels((first.labels + 1) % 5)
    model = TreeCRF(2, 4, 1.0, label_dictionary="centre", warm_start=True).fit(first)
    before = model.dictionary_
    model.set_params(n_iterations=8).fit(second)
    assert (model.dictionary_ >= before).all()
    assert np.isfinite(model.log_likelihood(second)).all()
    assert model.score(second) > 0.3


def test_a_training_without_new_iterations_changes_no_tree():
    model = TreeCRF(3, warm_start=True, **SETTINGS).fit(larger_set())
    assert_same_trees(model.fit(larger_set(1)), TreeCRF(3, **SETTINGS).fit(larger_set()))
