"""Chunk F1 by hand, and against a loop."""

import numpy as np
import pytest
from naive_statistics import chunks_of, segments_of
from seqeval import metrics
from seqeval.scheme import BILOU, IOB2, IOBES, IOE2

from treecrf.statistics.chunks import MIXED, SCHEMES, chunk_f1, chunk_f1_by_type, chunk_scheme, segment_f1


def test_no_positions():
    assert chunk_f1(np.array([], dtype=str), np.array([], dtype=str), [0]) == (0, 0, 0, 0, 0, 0)


def random_offsets(rng):
    return np.concatenate([[0], np.cumsum(rng.integers(0, 8, rng.integers(1, 6)))])


@pytest.mark.parametrize(
    "tags",
    [
        ["B", "I", "O"],
        ["B-x", "I-x", "B-y", "I-y", "O"],
        ["B-x", "I-yy", "B", "I", "O"],
        [f"{letter}-{kind}" for letter in "BIES" for kind in "xy"] + ["O"],
        [f"{letter}-{kind}" for letter in "BILU" for kind in "xy"] + ["O"],
        [*"BMES"],
        ["I-x", "E-x", "O"],
    ],
)
def test_many_sequences_as_by_a_loop(tags):
    rng = np.random.default_rng(0)
    for _ in range(200):
        offsets = random_offsets(rng)
        true, predicted = (rng.choice(tags, offsets[-1], p=rng.dirichlet(np.ones(len(tags)))) for _ in range(2))
        one, two = (set(chunks_of(tags, offsets)) for tags in (true, predicted))
        assert chunk_f1(true, predicted, offsets)[3:] == (len(one), len(two), len(one & two))
        of_type = chunk_f1_by_type(true, predicted, offsets)
        assert sorted({kind for *_, kind in one | two}) == list(of_type)
        for name, found in of_type.items():
            here, there = ({chunk for chunk in chunks if chunk[2] == name} for chunks in (one, two))
            assert found[3:] == (len(here), len(there), len(here & there))


@pytest.mark.parametrize("letters", ["BI", "BIES", "IE"])
def test_types_as_seqeval_counts_them(letters):
    rng = np.random.default_rng(1)
    tags = [f"{letter}-{kind}" for letter in letters for kind in "xy"] + ["O"]
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 8, 40))])
    true, predicted = (rng.choice(tags, offsets[-1]) for _ in range(2))
    lists = [[part.tolist() for part in np.split(tags, offsets[1:-1])] for tags in (true, predicted)]
    ours = chunk_f1(true, predicted, offsets)
    theirs = [score(*lists) for score in (metrics.precision_score, metrics.recall_score, metrics.f1_score)]
    assert ours[:3] == pytest.approx([100 * value for value in theirs], rel=1e-12)


@pytest.mark.parametrize(
    ("scheme", "theirs"), [("BIO", IOB2), ("IOE", IOE2), ("IOBES", IOBES), ("BILOU", BILOU), ("BMES", IOBES)]
)
def test_chunks_of_a_scheme_as_seqeval_counts_them_strictly(scheme, theirs):
    rng = np.random.default_rng(1)
    tags = [f"{letter}-{kind}" for letter in SCHEMES[scheme] for kind in "xy"] + ["O"]
    for _ in range(20):
        offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 8, 40))])
        true, predicted = (rng.choice(tags, offsets[-1], p=rng.dirichlet(np.ones(len(tags)))) for _ in range(2))
        lists = [
            [[tag.replace("M-", "I-") for tag in part.tolist()] for part in np.split(tags, offsets[1:-1])]
            for tags in (true, predicted)
        ]
        ours = chunk_f1(true, predicted, offsets, scheme)
        expected = [
            score(*lists, mode="strict", scheme=theirs, zero_division=0)
            for score in (metrics.precision_score, metrics.recall_score, metrics.f1_score)
        ]
        assert ours[:3] == pytest.approx([100 * value for value in expected], rel=1e-12)


def test_labels_of_another_scheme_are_refused():
    with pytest.raises(
        ValueError, match=r"^the label 'E-x' is none of the scheme BIO, which has O, B, I, alone or with a"
    ):
        chunk_f1(["O", "E-x"], ["O", "O"], [0, 2], "BIO")
    with pytest.raises(ValueError, match=r"^the scheme 'IOB' is not known; choose one of IO, BIO, "):
        chunk_f1(["O"], ["O"], [0, 1], "IOB")


def test_segments_as_by_a_loop():
    rng = np.random.default_rng(2)
    for _ in range(100):
        offsets = random_offsets(rng)
        true, predicted = (rng.integers(0, 3, offsets[-1]) for _ in range(2))
        one, two = (set(segments_of(labels, offsets)) for labels in (true, predicted))
        assert segment_f1(true, predicted, offsets)[3:] == (len(one), len(two), len(one & two))


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        ("B-NP I-NP O", "BIO"),
        ("B O", "BIO"),
        ("I-PER I-LOC O", "IO"),
        ("I-LOC E-LOC O", "IOE"),
        ("B-LOC I-LOC E-LOC S-PER O", "IOBES"),
        ("S-LOC O", "IOBES"),
        ("B-LOC I-LOC L-LOC U-LOC O", "BILOU"),
        ("B-A M-A E-A S-A", "BMES"),
        ("B M E S", "BMES"),
        ("B-LOC L-LOC E-LOC O", MIXED),
        ("O", None),
        ("B-NP Ix O", None),
        ("B- O", None),
        ("S E", None),
        ("U O", None),
    ],
)
def test_schemes_of_labels(labels, scheme):
    assert chunk_scheme(labels.split()) == scheme


def test_errors():
    with pytest.raises(ValueError, match=r"chunk_f1: predicted has shape \(2,\) and offsets end at 3; give a label a"):
        chunk_f1(list("BIO"), list("BI"), [0, 3])
    with pytest.raises(ValueError, match="chunk_f1: there is a tag 'X-NP'; give O, and letters of a scheme"):
        chunk_f1(["O", "X-NP"], ["O", "B"], [0, 2])
