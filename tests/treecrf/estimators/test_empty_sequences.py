"""Sequences without observations, in the forms of lists that users have."""

import numpy as np
import pandas as pd
import pytest

from treecrf import LinearCRF

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
    with pytest.raises(ValueError, match="sequence 1 has no observations, and 1 labels or others; give none"):
        LinearCRF().fit(TOKENS, [LABELS[0], ["x"], LABELS[2]])
