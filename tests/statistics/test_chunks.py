"""Chunk F1 by hand, and against a loop."""

import numpy as np
import pytest
from naive_statistics import chunks_of

from treecrf.statistics.chunks import chunk_f1


def score(true, predicted, offsets=None):
    """Of tags written as text."""
    return chunk_f1(list(true), list(predicted), [0, len(true)] if offsets is None else offsets)


def test_by_hand():
    #               0123456789
    found = score("BIOBBIOIIO", "BIOBIIOBIO")
    # True: 0-1, 3, 4-5, 7-8. Predicted: 0-1, 3-5, 7-8.
    assert found[3:] == (4, 3, 2)
    assert found[:3] == pytest.approx((100 * 2 / 3, 100 * 2 / 4, 100 * 4 / 7))


@pytest.mark.parametrize(
    ("true", "predicted", "offsets", "counts"),
    [
        ("I", "B", None, (1, 1, 1)),  # an I first in a sequence begins a chunk
        ("OI", "OB", None, (1, 1, 1)),  # and after an O
        ("BI", "BB", None, (1, 2, 0)),  # but not after a B or an I
        ("BII", "BIO", None, (1, 1, 0)),  # the last position counts
        ("BII", "OBI", None, (1, 1, 0)),  # and the first
        ("BI", "BI", [0, 1, 2], (2, 2, 2)),  # a chunk ends with its sequence
        ("BII", "BIB", [0, 2, 3], (2, 2, 2)),
        ("BII", "BII", [0, 0, 3, 3], (1, 1, 1)),  # sequences of no positions
        ("BB", "BO", None, (2, 1, 1)),
        ("IOB", "OOO", None, (2, 0, 0)),
        ("OO", "OB", None, (0, 1, 0)),
        ("OO", "OO", None, (0, 0, 0)),
    ],
)
def test_borders(true, predicted, offsets, counts):
    n_true, n_predicted, n_correct = counts
    found = score(true, predicted, offsets)
    assert found[3:] == counts
    assert found.precision == (100 * n_correct / n_predicted if n_predicted else 0)
    assert found.recall == (100 * n_correct / n_true if n_true else 0)
    assert found.f1 == pytest.approx(200 * n_correct / (n_true + n_predicted) if n_true + n_predicted else 0)


def test_no_positions():
    assert chunk_f1(np.array([], dtype=str), np.array([], dtype=str), [0]) == (0, 0, 0, 0, 0, 0)


def test_many_sequences_as_by_a_loop():
    rng = np.random.default_rng(0)
    for _ in range(200):
        offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 8, rng.integers(1, 6)))])
        true, predicted = (rng.choice(list("BIO"), offsets[-1], p=rng.dirichlet([1, 1, 1])) for _ in range(2))
        one, two = (chunks_of(tags, offsets) for tags in (true, predicted))
        assert chunk_f1(true, predicted, offsets)[3:] == (len(one), len(two), len(set(one) & set(two)))


def test_errors():
    with pytest.raises(ValueError, match=r"chunk_f1: predicted has shape \(2,\) and offsets end at 3; give a tag a"):
        chunk_f1(list("BIO"), list("BI"), [0, 3])
    with pytest.raises(ValueError, match="chunk_f1: true holds 'B-NP'; give the tags B, I and O"):
        chunk_f1(["O", "B-NP"], ["O", "B"], [0, 2])
