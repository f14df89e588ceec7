"""Labels by the bits of a code, against the thesis' words for it."""

import itertools

import naive_coding
import numpy as np
import pytest
from builders import larger_set, random_set

from treecrf import SequenceSet, TreeCRF
from treecrf.models.linear.perceptron import VotedPerceptron
from treecrf.statistics.selection import sequence_folds
from treecrf_studies.methods.coded_crf import (
    CodedCRF,
    make_code,
    neighbours,
    staged_distances,
    windows_as_attributes,
    with_history,
)

SMALL = TreeCRF(4, 6, 1.0, (1, 1))


def five_labels(seed=0, n_sequences=30):
    return random_set(np.random.default_rng(seed), n_sequences, 5, 2, 4, 8)


# --- codes ------------------------------------------------------------------------------------------


def test_bits_are_fair_and_shorter_codes_are_first_columns():
    code = make_code(135, 400, np.random.default_rng(3))
    assert abs(code.mean() - 0.5) < 4 * 0.5 / np.sqrt(code.size)
    np.testing.assert_array_equal(make_code(135, 100, np.random.default_rng(3)), code[:, :100])


@pytest.mark.parametrize(
    ("n_labels", "length", "message"),
    [(5, 2, "at least 3 bits"), (3, 4, "3 different columns"), (30, 5, "no code with a word for each of 30 labels")],
)
def test_codes_that_cannot_be_are_refused(n_labels, length, message):
    with pytest.raises(ValueError, match=message):
        make_code(n_labels, length, np.random.default_rng(0))


@pytest.mark.parametrize(("n_labels", "length"), [(4, 3), (5, 4), (9, 12)])
def test_codes_are_those_of_the_slow_drawing(n_labels, length):
    for seed in range(20):  # of which some are drawn again
        code = make_code(n_labels, length, np.random.default_rng(seed))
        words = naive_coding.draw_code(n_labels, length, np.random.default_rng(seed))
        np.testing.assert_array_equal(code, words)


@pytest.mark.parametrize("every", [1, 2, 3, 5])
def test_positions_get_the_nearest_word_at_every_stage(every):
    rng = np.random.default_rng(0)
    bits, code = rng.integers(0, 5, (200, 5)) / 4, rng.random((6, 5)) < 0.5  # exact sums, many ties
    stages = [distances.argmin(axis=1) for distances in staged_distances(bits, code, every)]
    lengths = range(every, 6, every)
    assert len(stages) == len(lengths)
    for length, labels in zip(lengths, stages, strict=True):
        assert labels.tolist() == naive_coding.decode(bits[:, :length].tolist(), code[:, :length].astype(int).tolist())


# --- the cascade ------------------------------------------------------------------------------------


def test_history_is_of_the_neighbours_and_never_of_the_position():
    data = SequenceSet(np.zeros((5, 1)), [0, 3, 5], larger_set().attributes[:1])
    bits = np.array([True, False, True, True, False])
    seen = with_history(windows_as_attributes(data, (0, 0)), neighbours(bits, data.offsets), 7)
    assert [attribute.name for attribute in seen.attributes[1:]] == ["bit 7 before", "bit 7 after"]
    np.testing.assert_array_equal(seen.values[:, 1], [2, 1, 0, 2, 1])
    np.testing.assert_array_equal(seen.values[:, 2], [0, 1, 2, 0, 2])


def test_the_cascade_is_the_slow_one_given_its_classifiers():
    train, test = five_labels(), five_labels(1)
    model = CodedCRF(VotedPerceptron(2, window=(1, 1)), 8, 3, seed=4).fit(train)
    windows = windows_as_attributes(model.align_inputs(test, "error"), (1, 1)).values.tolist()
    expected = []
    for begin, end in itertools.pairwise(test.offsets):

        def classifier(labeller, length=end - begin):
            def classify(inputs):
                one = SequenceSet(inputs, [0, length], labeller.attributes_)
                return (labeller.predict_proba(one)[:, 1] > 0.5).astype(int).tolist()

            return classify

        found = naive_coding.cascade(windows[begin:end], 3, [classifier(labeller) for labeller in model.bits_])
        expected += np.transpose(found).tolist()
    np.testing.assert_array_equal(model.bit_probabilities(test) > 0.5, expected)


def slow_bits(model, train, test, history):
    """P(bit = 1) of the test set, bit by bit, as chapter 4 of the thesis says."""
    probabilities, of_train, of_test = [], [], []
    for bit in range(model.code_length):
        first = 0 if history == "all" else max(bit - history, 0)
        sets = [
            with_history(
                windows_as_attributes(data, (1, 1)),
                np.hstack(
                    [np.empty((data.n_positions, 0), int), *(neighbours(one, data.offsets) for one in bits[first:bit])]
                ),
                first,
            )
            for data, bits in ((train, of_train), (test, of_test))
        ]
        labels = model.code_[train.labels, bit].astype(int)
        one = TreeCRF(4, 6, 1.0, (0, 0)).fit(sets[0].with_labels(labels, ("0", "1")))
        of_train.append(one.predict_proba(sets[0])[:, 1] > 0.5)
        probabilities.append(one.predict_proba(sets[1])[:, 1])
        of_test.append(probabilities[-1] > 0.5)
    return np.stack(probabilities, axis=1)


@pytest.mark.parametrize("history", [0, 2, "all"])
def test_bits_are_learnt_one_after_another(history):
    train, test = five_labels(), five_labels(1)
    model = CodedCRF(SMALL, 8, history, seed=4).fit(train)
    expected = slow_bits(model, train, test, history)
    np.testing.assert_allclose(model.bit_probabilities(test), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(test), naive_coding.decode(expected, model.code_.astype(int)))
    np.testing.assert_array_equal(model.predict(test, "viterbi"), model.predict(test))


def test_cross_fitting_trains_later_bits_on_what_others_predict():
    train = five_labels(n_sequences=60)
    within, across = (CodedCRF(SMALL, 6, 2, cross_fit=cross_fit).fit(train) for cross_fit in (False, True))
    first, second = (model.bits_[0].forest_.values.tobytes() for model in (within, across))
    assert first == second
    windows, bit = windows_as_attributes(train, (1, 1)), across.code_[train.labels, 0]
    predicted = np.zeros(train.n_positions, dtype=np.bool_)
    for fold in sequence_folds(train.groups, 5, 0):
        told = windows.with_labels(bit, ("0", "1"))
        others = TreeCRF(4, 6, 1.0).fit(told.select(np.setdiff1d(np.arange(len(train)), fold)))
        of_fold = np.isin(np.repeat(np.arange(len(train)), train.lengths), fold)
        predicted[of_fold] = others.predict_proba(told)[of_fold, 1] > 0.5
    seen = with_history(windows, neighbours(predicted, train.offsets), 0)
    expected = TreeCRF(4, 6, 1.0).fit(seen.with_labels(across.code_[train.labels, 1], ("0", "1")))
    assert across.bits_[1].forest_.values.tobytes() == expected.forest_.values.tobytes()
    assert within.bits_[1].forest_.values.tobytes() != expected.forest_.values.tobytes()


def test_cross_fitting_keeps_groups_together():
    train = five_labels(n_sequences=60).with_groups(np.arange(60) // 20)
    with pytest.raises(ValueError, match="fewer than 5 sequences that are not related"):
        CodedCRF(SMALL, 6, 2, cross_fit=True).fit(train)


@pytest.mark.parametrize(
    "settings", [{"beam": 2}, {"transitions": "separable"}, {"missing": "incorporated"}, {"order": 0}]
)
def test_bases_of_all_kinds_are_trained(settings):
    """With two labels a beam of two is exact."""
    data = five_labels()
    model = CodedCRF(TreeCRF(3, 6, 1.0, (1, 0), **settings), 5, 1).fit(data)
    exact = {name: value for name, value in settings.items() if name != "beam"}
    expected = CodedCRF(TreeCRF(3, 6, 1.0, (1, 0), **exact), 5, 1).fit(data)
    np.testing.assert_allclose(model.bit_probabilities(data), expected.bit_probabilities(data), atol=1e-9)


def test_stages_beyond_the_code_are_refused():
    model = CodedCRF(VotedPerceptron(2), 5, 1).fit(five_labels())
    with pytest.raises(ValueError, match="every=6: give 1 to 5, the bits of the code"):
        next(model.staged_predict(five_labels(), every=6))


def test_a_label_that_training_lacks_keeps_its_word():
    data = five_labels()
    lacks = data.with_labels(np.where(data.labels == 3, 0, data.labels))
    full, part = CodedCRF(SMALL, 6, 2).fit(data), CodedCRF(SMALL, 6, 2).fit(lacks)
    np.testing.assert_array_equal(part.code_, full.code_)
    assert part.predict_proba(data).shape == (data.n_positions, 5)
    assert 0.0 < part.score(data) < 1.0


def test_a_category_that_training_did_not_have_is_as_a_place_outside():
    train = random_set(np.random.default_rng(0), 30, 5, 1, 4, 8)
    model = CodedCRF(SMALL, 6, 2).fit(train)
    (attribute,) = train.attributes
    longer = [attribute._replace(categories=(*attribute.categories, "new"))]
    test = SequenceSet([[len(attribute.categories)], [1]], [0, 2], longer)
    with pytest.warns(UserWarning, match="new"):
        found = model.bit_probabilities(test)
    windows = windows_as_attributes(model.align_inputs(test.with_values([[0], [1]]), "error"), (1, 1)).values.copy()
    outside = len(attribute.categories)
    windows[0, 1] = windows[1, 0] = outside
    first = SequenceSet(windows, [0, 2], model.bits_[0].attributes_)
    np.testing.assert_array_equal(found[:, 0], model.bits_[0].predict_proba(first)[:, 1])
