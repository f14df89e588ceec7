"""What splits gained: against the squared error that they explain, and planted inputs at planted distances."""

import numpy as np
import pytest
from builders import larger_set, number_set

import treecrf
from treecrf import MEMM, Attribute, SequenceSet, TreeCRF, WindowLightGBM


@pytest.mark.parametrize("missing", ["error", "instance_weighting"])
def test_the_gains_of_a_tree_sum_to_the_squared_error_that_it_explains(missing):
    data = larger_set(n_sequences=20)
    model = TreeCRF(1, 20, 0.0, (1, 1), order=0, missing=missing).fit(data)
    gradients = (data.labels[:, None] == np.arange(3)) - 1 / 3
    means = model.potentials(data)[:, :, 0].T  # without a penalty, leaf values are means of gradients
    explained = ((gradients - gradients.mean(axis=0)) ** 2 - (gradients - means) ** 2).sum()
    assert model.split_gains().sum() == pytest.approx(explained, rel=1e-5)  # gradients are packed


def test_gains_are_found_where_they_were_planted():
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 601, 6)
    values = rng.integers(0, 3, (600, 2))
    before = np.roll(values[:, 1], 1)
    before[offsets[:-1]] = 0
    attributes = (Attribute("noise", ("a", "b", "c")), Attribute("told", ("a", "b", "c")))
    data = SequenceSet(values, offsets, attributes, before == 2, ("A", "B"))
    model = TreeCRF(3, 4, 1.0, (2, 1), order=0).fit(data)
    gains = model.split_gains()
    assert gains.shape == (2, 4)
    assert gains[1, 1] > 0.9 * gains.sum()  # one observation before
    assert model.feature_importances_ == pytest.approx(gains.sum(axis=1) / gains.sum())
    assert model.feature_names_in_[model.feature_importances_.argmax()] == "told"


def test_previous_labels_gain_where_nothing_else_tells():
    labels = np.tile([0, 0, 1, 1], 50)
    data = SequenceSet(np.zeros((200, 1)), np.arange(0, 201, 20), (Attribute("same", ("a",)),), labels, ("A", "B"))
    model = MEMM(3, 4, 1.0, order=2).fit(data)
    of_slot, nearest, second = np.bincount(model.forest_.columns, model.forest_.gains, 3)
    assert model.split_gains().tolist() == [[of_slot]]
    assert second > 10 * (nearest + of_slot)  # the label is never the second one before it


@pytest.mark.parametrize(
    "labeller", [TreeCRF(5, 8, 1.0, (1, 0)), WindowLightGBM(5, window=(1, 0), min_samples_leaf=5)], ids=repr
)
def test_importances_are_shares_of_inputs_and_stay_in_files(labeller, tmp_path):
    data = number_set(0, n_numbers=2)
    model = labeller.fit(data)
    shares = model.feature_importances_
    assert shares.shape == (model.n_features_in_,) == (3,)
    assert shares.sum() == pytest.approx(1)
    assert (shares > 0).all()
    model.save(tmp_path / "model.npz")
    assert treecrf.load(tmp_path / "model.npz").feature_importances_.tolist() == shares.tolist()


def test_nothing_is_gained_by_an_input_that_is_always_the_same():
    same = SequenceSet(np.zeros((20, 1)), [0, 20], (Attribute("same", ("a",)),), [0, 1] * 10, ("A", "B"))
    assert TreeCRF(2, 4, order=0).fit(same).feature_importances_.tolist() == [0.0]
