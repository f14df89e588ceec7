"""What labellers see: bins and rare categories in every labeller, their files, and inputs that do not fit."""

import numpy as np
import pandas as pd
import pytest
from builders import hidden_labels, larger_set, number_set, random_set
from contract import assert_learns_from_numbers_alone, assert_missing_numbers_are_refused
from numpy.testing import assert_allclose, assert_array_equal

import treecrf
from treecrf import (
    MEMM,
    MISSING,
    Attribute,
    InducedCRF,
    LinearCRF,
    NeuralNetwork,
    SequenceSet,
    SlidingWindow,
    TreeCRF,
    WindowLightGBM,
)
from treecrf.models.custom import CustomLabeller
from treecrf.models.inputs import RARE, Inputs, position_weights, without_silent

SMALL = (
    TreeCRF(n_iterations=8, max_leaves=8, n_bins=8),
    MEMM(n_iterations=8, max_leaves=8, n_bins=8),
    SlidingWindow(n_iterations=8, max_leaves=8, n_bins=8),
    LinearCRF(max_iterations=30),
    InducedCRF(n_iterations=20),
    NeuralNetwork(n_epochs=20, batch_size=20, window=(1, 1)),
    WindowLightGBM(n_iterations=8, window=(1, 1)),
)


@pytest.mark.parametrize("labeller", SMALL, ids=lambda labeller: type(labeller).__name__)
def test_every_labeller_learns_from_numbers_alone(labeller, tmp_path):
    assert_learns_from_numbers_alone(labeller, tmp_path / "model.npz")


@pytest.mark.parametrize("labeller", SMALL, ids=lambda labeller: type(labeller).__name__)
def test_missing_numbers_are_refused_where_they_cannot_be_handled(labeller):
    if not isinstance(labeller, WindowLightGBM | TreeCRF):
        assert_missing_numbers_are_refused(labeller)
        return
    data = number_set(0)
    holes = data.numbers.copy()
    holes[4, 1] = np.nan
    assert labeller.fit(data.with_numbers(holes)).score(data) > 0.4


@pytest.mark.parametrize("missing", ["instance_weighting", "surrogate_splitting", "default_direction"])
def test_trees_handle_missing_numbers_as_missing_categories(missing):
    train, test = number_set(0, 80), number_set(1)
    rng = np.random.default_rng(0)
    damaged = [
        data.with_numbers(np.where(rng.random(data.numbers.shape) < 0.2, np.nan, data.numbers))
        for data in (train, test)
    ]
    settings = {"n_iterations": 5, "max_leaves": 8, "missing": missing}
    model = TreeCRF(**settings).fit(damaged[0])
    binner = model.inputs_.binner
    by_hand = TreeCRF(**settings).fit(binner.transform(damaged[0]))
    expected = by_hand.predict_proba(binner.transform(damaged[1]))
    assert model.predict_proba(damaged[1]).tobytes() == expected.tobytes()


def words(counts, seed=0, n_labels=2):
    """A category for each count, as often as it says, in one sequence; labels by halves of the categories."""
    values = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    attribute = Attribute("word", tuple(f"w{i}" for i in range(len(counts))))
    labels = values * n_labels // len(counts)
    return SequenceSet(values[:, None], [0, len(values)], (attribute,), labels, ("A", "B"))


def test_rare_categories_become_one_and_unseen_ones_join_it():
    train = words([5, 1, 4, 2])
    inputs = Inputs.learn(train, 10, 3)
    assert inputs.attributes == (Attribute("word", ("w0", "w2", RARE)),)
    names = np.array(["w0", "w1", "w2", "w3"])[train.values.ravel()]
    found = np.array(inputs.attributes[0].categories)[inputs.apply(train, "error").values.ravel()]
    assert found.tolist() == [name if name in ("w0", "w2") else RARE for name in names]
    other = SequenceSet([[0], [1], [MISSING]], [0, 3], (Attribute("word", ("new", "w2")),))
    assert inputs.apply(other, "error").values.ravel().tolist() == [2, 1, MISSING]
    assert Inputs.learn(train, 10, 1).attributes == train.attributes
    assert Inputs.learn(words([5, 4]), 10, 3).attributes == words([5, 4]).attributes  # nothing is rare


def test_unseen_categories_of_all_columns_are_one_warning_and_one_of_a_stream():
    frame = pd.DataFrame({"sequence": 0, "label": list("uv") * 5, "x": list("ab") * 5, "y": list("cd") * 5})
    model = LinearCRF(max_iterations=5, window=(1, 1)).fit(
        SequenceSet.from_frame(frame, sequence="sequence", label="label")
    )
    new = SequenceSet.from_frame(frame.assign(x="X", y="Y"), sequence="sequence", label="label")
    with pytest.warns(UserWarning, match="category 'X' was not .*category 'Y' was not") as caught:
        model.predict(new)
    assert len(caught) == 1
    for stream in (model.stream(1), model.stream(1)):
        with pytest.warns(UserWarning, match="category 'new 0' was not") as caught:
            labels = [stream.push({"x": f"new {i}", "y": "c"}) for i in range(5)]
        assert (len(caught), labels[-1].position) == (1, 3)


def test_nothing_is_merged_by_default_even_what_a_fold_does_not_show():
    train = words([5, 0, 4])
    assert TreeCRF(n_iterations=1).fit(train).attributes_ == train.attributes
    assert TreeCRF(n_iterations=1, min_count=2).fit(train).attributes_[0].categories == ("w0", "w2", RARE)


def test_intervals_are_not_merged():
    data = number_set(0)
    assert len(TreeCRF(n_iterations=1, n_bins=50, min_count=10**6).fit(data).attributes_[1].categories) == 50


def test_too_many_categories_are_refused_and_min_count_is_the_cure():
    data = words([1] * 69_990 + [20] * 10)
    message = (
        r"^attribute 'word' has 70,000 categories and 65,534 are the most; merge the rare ones by "
        r"min_count=2 or more\.$"
    )
    for labeller in (TreeCRF(n_iterations=1), LinearCRF(max_iterations=1), WindowLightGBM(n_iterations=1)):
        with pytest.raises(ValueError, match=message):
            labeller.fit(data)
        labeller.set_params(min_count=2)
        assert labeller.fit(data).attributes_[0].categories[-2:] == ("w69999", RARE)


def test_inputs_of_another_kind_are_refused():
    data = number_set(0)
    model = TreeCRF(n_iterations=1).fit(data)
    n = len(data.values)
    as_category = data.with_numbers(data.numbers[:, 1:], data.number_names[1:]).with_values(
        np.zeros((n, 2)), (*data.attributes, Attribute("x1", ("0.5",)))
    )
    message = (
        r"^'x1' has categories here and numbers in the training set; read both as the same \(SequenceSet\.from_frame"
    )
    with pytest.raises(ValueError, match=message):
        model.predict(as_category)
    as_number = data.with_values(np.empty((n, 0)), ()).with_numbers(
        np.column_stack([data.numbers, np.zeros(n)]), (*data.number_names, "letter")
    )
    with pytest.raises(ValueError, match=r"^'letter' has numbers here and categories in the training set; read both"):
        model.predict(as_number)


def test_a_set_that_is_aligned_already_is_left_alone():
    data = number_set(0)
    model = TreeCRF(n_iterations=1).fit(data)
    once = model.align_inputs(data, "error")
    assert model.align_inputs(once, "error") is once


def test_a_training_that_fails_leaves_the_labeller_as_it_was():
    data = number_set(0)
    model = TreeCRF(n_iterations=2, max_leaves=4).fit(data)
    before = model.predict_proba(data)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(data.with_numbers(100 * data.numbers), monitor=stop)
    assert model.predict_proba(data).tobytes() == before.tobytes()


class SumOfNumbers:
    def fit(self, train):
        self.seen = train.number_names

    def predict_proba(self, data):
        above = (data.numbers.sum(axis=1) > 0).astype(float)
        return np.column_stack([1 - above, above])


def test_a_class_of_a_users_own_gets_the_numbers(monkeypatch):
    monkeypatch.setattr("treecrf.models.custom.find_class", lambda _: SumOfNumbers)
    data = number_set(0, n_labels=2)
    model = CustomLabeller("my:Own").fit(data)
    assert model.inner_.seen == data.number_names
    assert model.predict(data).tolist() == (data.numbers.sum(axis=1) > 0).astype(int).tolist()


# --- weights ---------------------------------------------------------------------------------------


def test_weights_are_those_of_positions():
    data = random_set(np.random.default_rng(0), n_sequences=3)
    by_sequence = position_weights(data, [1, 2, 0.5], None)
    assert_array_equal(by_sequence, np.repeat([1, 2, 0.5], data.lengths))
    assert_array_equal(position_weights(data, by_sequence, None), by_sequence)
    assert_array_equal(
        position_weights(data, [1, 2, 0.5], {"B": 4.0}), by_sequence * np.where(data.labels == 1, 4.0, 1.0)
    )
    assert position_weights(data, None, None) is None
    assert position_weights(data, np.ones(3), {"A": 1.0}) is None


def test_balanced_labels_weigh_the_same_in_all():
    from sklearn.utils.class_weight import compute_sample_weight

    data = larger_set()
    expected = compute_sample_weight("balanced", data.labels)
    assert_allclose(position_weights(data, None, "balanced"), expected)
    hidden = hidden_labels(data)
    found, known = position_weights(hidden, None, "balanced"), hidden.labels >= 0
    assert_allclose(found[known], compute_sample_weight("balanced", hidden.labels[known]))
    assert_array_equal(found[~known], 1.0)


def test_silent_sequences_are_left_out():
    data = random_set(np.random.default_rng(0), n_sequences=4)
    labels = np.array(data.labels)
    labels[data.offsets[1] : data.offsets[2]] = -1
    weights = np.repeat([0.0, 1.0, 2.0, 3.0], data.lengths)
    kept, left = without_silent(data.with_labels(labels), weights)
    assert kept == data.select([2, 3])
    assert_array_equal(left, np.repeat([2.0, 3.0], data.lengths[2:]))
    assert without_silent(data, None)[0] is data


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 2], r"sample_weight has shape \(2,\) and type int64; give numbers, one for each of 40 sequences"),
        (["a"] * 40, "give numbers"),
        ([1] * 39 + [-1], r"sample_weight\[39\] is -1; a weight must be finite and at least 0"),
        ([np.nan] + [1] * 39, r"sample_weight\[0\] is nan"),
        ([0] * 40, "all weights are 0"),
        ([1e300] + [1] * 39, r"weights go up to 1e\+300; divide all by one number, so that none is above 1e\+100\.$"),
        (
            [5e-324] * 40,
            "weights go up to 4.94066e-324 alone; multiply all by one number, so that the largest is at least",
        ),
    ],
)
def test_unusable_weights_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        treecrf.TreeCRF(2, 4).fit(larger_set(), sample_weight=weights)


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ({"D": 1.0}, "class_weight names 'D', which is no label; the labels are A, B, C"),
        ("even", "class_weight='even': give None, 'balanced' or weights"),
        ({"A": -1.0}, "weights of at least 0"),
    ],
)
def test_unusable_weights_of_labels_are_refused(class_weight, words):
    with pytest.raises(ValueError, match=words):
        treecrf.TreeCRF(2, 4, class_weight=class_weight).fit(larger_set())


FACTORS = {
    "LinearCRF": lambda factor: treecrf.LinearCRF(variance=10 / factor, max_iterations=40),
    "LinearCRF of labels": lambda factor: treecrf.LinearCRF(variance=10 / factor, features="labels", order=0),
    "NeuralNetwork": lambda factor: treecrf.NeuralNetwork(l2_regularization=1e-2 * factor, n_epochs=3, window=(1, 1)),
    "NeuralCRF": lambda factor: treecrf.NeuralCRF(width=6, n_epochs=2),  # whose decay is of weights alone
}
"""Labellers with penalties that are multiplied by a factor; those of trees are in their own tests."""


@pytest.mark.parametrize("make", FACTORS.values(), ids=FACTORS)
def test_a_factor_of_weights_and_penalties_changes_nothing(make):
    data = larger_set(n_sequences=20, longest=8)
    weights = np.random.default_rng(0).uniform(0.1, 2, 20)
    fitted = [make(factor).fit(data, sample_weight=factor * weights) for factor in (1.0, 1e-7, 1e7)]
    expected = fitted[0].predict_proba(data)
    for other in fitted[1:]:
        assert_allclose(other.predict_proba(data), expected, rtol=0, atol=1e-9)
        if hasattr(other, "objective_history_"):
            share = fitted[0].variance / other.variance
            assert_allclose(other.objective_history_[-1], share * fitted[0].objective_history_[-1], rtol=1e-9)
