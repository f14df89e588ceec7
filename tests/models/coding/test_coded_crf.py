"""Labels by the bits of a code, against the thesis' words for it."""

import numpy as np
import pytest
from builders import larger_set, random_set

import treecrf
from treecrf import SequenceSet, TreeCRF
from treecrf.models.coding.cascade import neighbours, windows_as_attributes, with_history
from treecrf.models.coding.coded_crf import CodedCRF
from treecrf.models.coding.codes import distances, make_code
from treecrf.models.linear.perceptron import VotedPerceptron

SMALL = TreeCRF(4, 6, 1.0, (1, 1))


def five_labels(seed=0, n_sequences=30):
    return random_set(np.random.default_rng(seed), n_sequences, 5, 2, 4, 8)


# --- codes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_labels", "length"), [(2, 1), (3, 3), (5, 10), (135, 100)])
def test_columns_and_words_differ(n_labels, length):
    code = make_code(n_labels, length, np.random.default_rng(0))
    assert code.shape == (n_labels, length)
    assert len({tuple(word) for word in code}) == n_labels
    halves = {min(tuple(column), tuple(~column)) for column in code.T}
    assert len(halves) == length
    assert not (code.all(axis=0) | (~code).all(axis=0)).any()


def test_bits_are_fair_and_shorter_codes_are_first_columns():
    code = make_code(135, 400, np.random.default_rng(3))
    assert abs(code.mean() - 0.5) < 4 * 0.5 / np.sqrt(code.size)
    np.testing.assert_array_equal(make_code(135, 100, np.random.default_rng(3)), code[:, :100])


@pytest.mark.parametrize(("n_labels", "length", "message"), [(5, 2, "at least 3 bits"), (3, 4, "3 different columns")])
def test_codes_that_cannot_be_are_refused(n_labels, length, message):
    with pytest.raises(ValueError, match=message):
        make_code(n_labels, length, np.random.default_rng(0))


def test_distances_are_summed_differences():
    rng = np.random.default_rng(0)
    bits, code = rng.random((6, 4)), rng.random((3, 4)) < 0.5
    expected = [[sum(abs(p - c) for p, c in zip(row, word, strict=True)) for word in code] for row in bits]
    np.testing.assert_allclose(distances(bits, code), expected, atol=1e-12)


# --- the cascade ------------------------------------------------------------------------------------


def test_history_is_of_the_neighbours_and_never_of_the_position():
    data = SequenceSet(np.zeros((5, 1)), [0, 3, 5], larger_set().attributes[:1])
    bits = np.array([True, False, True, True, False])
    seen = with_history(windows_as_attributes(data, (0, 0)), [neighbours(bits, data.offsets)], 7)
    assert [attribute.name for attribute in seen.attributes[1:]] == ["bit 7 before", "bit 7 after"]
    np.testing.assert_array_equal(seen.values[:, 1], [2, 1, 0, 2, 1])
    np.testing.assert_array_equal(seen.values[:, 2], [0, 1, 2, 0, 2])


def slow_bits(model, train, test, history):
    """P(bit = 1) of the test set, bit by bit, as chapter 4 of the thesis says."""
    probabilities, of_train, of_test = [], [], []
    for bit in range(model.code_length):
        first = 0 if history == "all" else max(bit - history, 0)
        sets = [
            with_history(
                windows_as_attributes(data, (1, 1)), [neighbours(one, data.offsets) for one in bits[first:bit]], first
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
    np.testing.assert_array_equal(model.predict(test), distances(expected, model.code_).argmin(axis=1))
    np.testing.assert_array_equal(model.predict(test, "viterbi"), model.predict(test))


def test_stages_are_shorter_codes():
    train, test = five_labels(), five_labels(1)
    model = CodedCRF(SMALL, 8, 2).fit(train)
    stages = [stage["viterbi"] for stage in model.staged_predict(test, ("viterbi",), every=4)]
    shorter = CodedCRF(SMALL, 4, 2).fit(train)
    np.testing.assert_array_equal(shorter.code_, model.code_[:, :4])
    np.testing.assert_array_equal(stages[0], shorter.predict(test))
    np.testing.assert_array_equal(stages[1], model.predict(test))


def test_cross_fitting_trains_later_bits_on_what_others_predict():
    train = five_labels(n_sequences=60)
    within, across = (CodedCRF(SMALL, 6, 2, cross_fit=cross_fit).fit(train) for cross_fit in (False, True))
    first, second = (model.bits_[0].forest_.values.tobytes() for model in (within, across))
    assert first == second
    assert within.bits_[1].forest_.values.tobytes() != across.bits_[1].forest_.values.tobytes()


@pytest.mark.parametrize("base", [SMALL, VotedPerceptron(3, window=(1, 1)), TreeCRF(3, 6, 1.0, (1, 0), 0)])
def test_files_keep_all_bits(base, tmp_path):
    train = five_labels()
    model = CodedCRF(base, 6, 2, seed=1).fit(train)
    model.save(tmp_path / "model.npz")
    loaded = treecrf.load(tmp_path / "model.npz")
    assert repr(loaded) == repr(model)
    np.testing.assert_array_equal(loaded.bit_probabilities(train), model.bit_probabilities(train))
    np.testing.assert_array_equal(loaded.predict(five_labels(1)), model.predict(five_labels(1)))


def test_probabilities_have_the_order_of_decoding():
    data = five_labels()
    model = CodedCRF(SMALL, 6, 2).fit(data)
    probabilities = model.predict_proba(data)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(data))
    chosen = np.log(probabilities)[np.arange(data.n_positions), data.labels]
    assert model.log_likelihood(data).sum() == pytest.approx(chosen.sum())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"history": 6, "code_length": 6}, "history=6: a code of 6 bits has fewer"),
        ({"history": "some"}, "history='some': give a whole number of at least 0 or 'all'"),
        ({"history": -1}, "history=-1: give a whole number of at least 0 or 'all'"),
        ({"code_length": 0}, "code_length=0"),
        ({"base": None}, "give a labeller with a window"),
        ({"base": TreeCRF(max_leaves=1)}, "max_leaves=1: give a whole number from 2"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        CodedCRF(**{"base": SMALL, "code_length": 6} | settings).fit(five_labels())
