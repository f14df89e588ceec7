"""Padded arrays against the lists that they stand for."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from treecrf import LinearCRF, TreeCRF
from treecrf.estimators.labels import Padding
from treecrf.missing import Imputer

RNG = np.random.default_rng(0)
LENGTHS = [4, 7, 2, 7, 5, 3]
X = [RNG.normal(size=(n, 2)) for n in LENGTHS]
Y = [["a" if row[0] > 0 else "b" for row in rows] for rows in X]
PADDED = np.full((6, 7, 2), np.nan)
PADDED_Y = np.full((6, 7), None, dtype=object)
for number, rows in enumerate(X):
    PADDED[number, : len(rows)], PADDED_Y[number, : len(rows)] = rows, Y[number]
LEFT_OUT = r"^14 rows at the ends of 4 sequences left out as padding, as all is missing there; lengths= says which"


def labeller():
    return LinearCRF(max_iterations=10)


def same(found, expected):
    return len(found) == len(expected) and all(map(np.array_equal, found, expected))


def test_padding_is_left_out_with_one_warning():
    expected = labeller().fit(X, Y)
    with pytest.warns(UserWarning, match=LEFT_OUT) as caught:
        model = labeller().fit(PADDED, PADDED_Y)
    assert len(caught) == 1
    with pytest.warns(UserWarning, match=LEFT_OUT):
        probabilities = model.predict_proba(PADDED)
    assert same(probabilities, expected.predict_proba(X))
    with pytest.warns(UserWarning, match=LEFT_OUT):
        filled = Imputer().fit_transform(PADDED)
    assert [len(part) for part in filled] == LENGTHS


def test_lengths_say_it_without_a_warning():
    expected, model = labeller().fit(X, Y), labeller().fit(PADDED, PADDED_Y, lengths=LENGTHS)
    whole = np.nan_to_num(PADDED, nan=-1.0)  # padding with a value of its own
    assert same(labeller().fit(whole, PADDED_Y, lengths=LENGTHS).predict(X), expected.predict(X))
    numbers = np.where(PADDED_Y == "a", 1, np.where(PADDED_Y == "b", 0, -1)).astype(int)  # padding, too
    assert labeller().fit(whole, numbers, lengths=LENGTHS).classes_.tolist() == [0, 1]
    assert same(model.predict(PADDED, lengths=LENGTHS), expected.predict(X))
    assert same(model.predict_proba(whole, lengths=np.array(LENGTHS)), expected.predict_proba(X))
    assert model.score(PADDED, PADDED_Y, lengths=LENGTHS) == expected.score(X, Y)
    assert model.score(PADDED, Y, lengths=LENGTHS) == expected.score(X, Y)
    np.testing.assert_array_equal(model.log_likelihood(whole, PADDED_Y, lengths=LENGTHS), expected.log_likelihood(X, Y))
    known = np.full((6, 7), None, dtype=object)
    known[:, 0] = "b"
    assert all(labels[0] == "b" for labels in model.predict(PADDED, lengths=LENGTHS, known=known))
    weights = np.ones((6, 7))
    weights[:, 0] = 2.0
    weighted = labeller().fit(PADDED, PADDED_Y, lengths=LENGTHS, sample_weight=weights)
    by_list = labeller().fit(X, Y, sample_weight=[part[:n] for part, n in zip(weights, LENGTHS, strict=True)])
    assert same(weighted.predict_proba(X), by_list.predict_proba(X))
    best = model.predict_n_best(PADDED, 1, lengths=LENGTHS)
    assert [len(each[0].labels) for each in best] == LENGTHS


def test_rows_with_labels_or_amid_a_sequence_are_observations():
    array, labels = PADDED.copy(), PADDED_Y.copy()
    array[1, 3], array[3, 6], labels[0, 4] = np.nan, np.nan, "a"
    with pytest.warns(UserWarning, match=r"^13 rows at the ends of 4 sequences"):
        padding = Padding.find(array, labels, None)
    assert padding.lengths.tolist() == [5, *LENGTHS[1:]]
    with pytest.warns(UserWarning, match="left out as padding"):
        model = TreeCRF(2, 4, missing="instance_weighting").fit(array, labels)
    assert [len(part) for part in model.predict(array, lengths=[5, *LENGTHS[1:]])] == [5, *LENGTHS[1:]]
    assert Padding.find(array[1:2], None, None) is None  # a hole amid a sequence is no padding
    assert Padding.find(np.ones((2, 3, 1), dtype=int), None, None) is None


@pytest.mark.parametrize(
    ("lengths", "sentence"),
    [
        (LENGTHS[:5], r"^lengths have the shape \(5,\) and type int64; give a whole number for each of 6 sequences\.$"),
        ([4.5] * 6, r"^lengths have the shape \(6,\) and type float64"),
        ([8] * 6, r"^lengths: sequence 0 has 8 observations; give 0 to 7\.$"),
    ],
)
def test_lengths_that_do_not_fit_are_named(lengths, sentence):
    with pytest.raises(ValueError, match=sentence):
        labeller().fit(PADDED, PADDED_Y, lengths=lengths)


def test_transforms_leave_padding_out_in_front_of_labellers():
    with pytest.warns(UserWarning, match=LEFT_OUT):
        pipeline = make_pipeline(Imputer(), labeller()).fit(PADDED, PADDED_Y)
    with pytest.warns(UserWarning, match=LEFT_OUT):
        found = pipeline.predict(PADDED)
    assert same(found, labeller().fit(X, Y).predict(X))
    surplus = PADDED_Y.copy()
    surplus[0, 5] = "b"
    with (
        pytest.warns(UserWarning, match=LEFT_OUT),
        pytest.raises(ValueError, match="sequence 0 has 7 labels and 4 observations; give one label for each"),
    ):
        make_pipeline(Imputer(), labeller()).fit(PADDED, surplus)


# --- empty sequences -------------------------------------------------------------------------------


TOKENS = [["a", "b", "a"], [], ["b", "b"]]
LABELS = [["x", "y", "x"], [], ["y", "y"]]
FORMS = {
    "tokens": TOKENS,
    "dicts": [[{"word": token} for token in sequence] for sequence in TOKENS],
    "frames": [pd.DataFrame({"word": pd.Series(sequence, dtype=object)}) for sequence in TOKENS],
    "arrays": [np.array([[ord(token)] for token in sequence], dtype=float).reshape(-1, 1) for sequence in TOKENS],
}


@pytest.mark.parametrize("form", FORMS)
def test_empty_sequences_have_empty_answers(form):
    sequences = FORMS[form]
    with pytest.warns(UserWarning, match="1 sequence without observations left out of training"):
        model = LinearCRF(window=(0, 0), max_iterations=20).fit(sequences, LABELS)
    assert [list(labels) for labels in model.predict(sequences)] == LABELS
    assert [part.shape for part in model.predict_proba(sequences)] == [(3, 2), (0, 2), (2, 2)]
    likelihoods = model.log_likelihood(sequences, LABELS)
    assert likelihoods[1] == 0.0
    assert (likelihoods[[0, 2]] < 0).all()
    assert model.score(sequences, LABELS) == 1.0
    known = [[None, "x", None], [], [None, None]]
    assert model.predict(sequences, known=known)[0][1] == "x"
    with pytest.raises(ValueError, match="sequence 1 has no observations; leave it out"):
        model.predict_n_best(sequences, 1)


def test_nothing_to_label():
    model = LinearCRF(window=(0, 0), max_iterations=5).fit([TOKENS[0], TOKENS[2]], [LABELS[0], LABELS[2]])
    assert model.predict([]) == []
    assert [list(labels) for labels in model.predict([[], []])] == [[], []]
    assert model.predict_proba([[]])[0].shape == (0, 2)


def test_labels_of_an_empty_sequence_are_refused():
    with pytest.raises(ValueError, match="sequence 1 has no observations, and 1 label or others; give none"):
        LinearCRF().fit(TOKENS, [LABELS[0], ["x"], LABELS[2]])
