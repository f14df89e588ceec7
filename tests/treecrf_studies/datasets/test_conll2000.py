"""Parts of speech and noun phrases: a small invented file with the traps of the real one, and the counts of the real
one.
"""

import numpy as np
import pytest

from treecrf.statistics.chunks import chunk_f1
from treecrf_studies import datasets
from treecrf_studies.datasets import conll2000


def test_sentences_are_parsed(data):
    found = conll2000.parse((data / "chunks.txt").read_bytes(), "chunks.txt")
    assert [[token.word for token in sentence] for sentence in found] == [
        ["The", "red", "kite", "flies", "."],
        ["Red", "kites", "of", "the", "day"],
        ["a", "kite", "before", "kites", "."],
    ]
    assert [token.label for token in found[0]] == ["DT-B", "JJ-I", "NN-I", "VBZ-O", ".-O"]
    assert [token.label for token in found[1]] == ["NNP-B", "NNS-I", "IN-O", "DT-B", "NN-I"]


def test_blank_lines_are_no_sentences(data):
    content = (data / "chunks.txt").read_bytes()
    expected = conll2000.parse(content, "file")
    assert conll2000.parse(b"\n\n" + content.replace(b"\n\n", b"\n\n\n"), "file") == expected
    assert conll2000.parse(content.rstrip(b"\n"), "file") == expected


def test_other_spaces_are_a_part_of_words():
    [[token]] = conll2000.parse("10\u00a0000 CD B-NP\n".encode(), "file")
    assert token == ("10\u00a0000", "CD-B")


def test_tags_of_labels():
    assert conll2000.np_tags(["NN-B", "NN-I", ".-O", "PRP$-B", "-LRB--O"]) == ("B", "I", "O", "B", "O")
    for name in ("NN", "NN-", "NN-b", "B", "NN-BI"):
        with pytest.raises(ValueError, match=f"np_tags: label '{name}' does not end in -B, -I or -O"):
            conll2000.np_tags(["NN-B", name])


@pytest.fixture(scope="module")
def parts(mirror):
    return datasets.load("conll2000_np", raw=mirror)


def test_counts_of_the_thesis(parts):
    """MS section 5.3: 121 labels, 21,589 words, 8,936 and 2,012 sentences."""
    train, test = parts
    assert (len(train), len(test)) == (8_936, 2_012)
    assert (train.n_positions, test.n_positions) == (211_727, 47_377)
    assert train.label_names == test.label_names
    assert (len(train.label_names), len(train.attributes[0].categories)) == (121, 21_589)


def test_what_training_lacks_comes_last(parts):
    train, test = parts
    assert np.unique(train.labels).tolist() == list(range(118))
    assert np.unique(train.values).tolist() == list(range(19_122))
    assert (test.labels >= 118).sum() == 3
    assert (test.values >= 19_122).sum() == 3_302
    for codes in (train.labels, train.values[:, 0]):
        assert (np.diff(np.unique(codes, return_index=True)[1]) > 0).all()  # in order of first appearance


def test_codes_stand_for_the_text(parts, mirror):
    for part, file in zip(parts, conll2000.FILES, strict=True):
        rows = [line.split(" ") for line in (mirror / file).read_text(encoding="utf-8").split("\n") if line]
        words = np.array(part.attributes[0].categories)[part.values[:, 0]]
        names = np.array(part.label_names)[part.labels]
        tags = {"B-NP": "B", "I-NP": "I"}
        assert words.tolist() == [word for word, _, _ in rows]
        assert names.tolist() == [f"{part_of_speech}-{tags.get(chunk, 'O')}" for _, part_of_speech, chunk in rows]


def test_noun_phrases_of_the_test_sentences(parts):
    """12,422 of them, as conlleval prints for every system of the shared task."""
    _, test = parts
    tags = np.array(conll2000.np_tags(test.label_names))[test.labels]
    assert chunk_f1(tags, tags, test.offsets) == (100, 100, 100, 12_422, 12_422, 12_422)


def test_the_first_sentences(parts, mirror):
    train, test = datasets.load("conll2000_np", raw=mirror, n_train=3, n_test=2)
    assert (len(train), len(test)) == (3, 2)
    assert train.values[:, 0].tolist() == parts[0].values[: train.n_positions, 0].tolist()
    assert set(test.values[:, 0].tolist()) | set(train.values[:, 0].tolist()) == set(
        range(len(train.attributes[0].categories))
    )
    for option, most in (("n_train", "8,936"), ("n_test", "2,012")):
        with pytest.raises(ValueError, match=rf"{option}=9000: give a whole number from 1 to {most}\."):
            datasets.load("conll2000_np", raw=mirror, **{option: 9000})


def test_splits(parts, mirror):
    """A third of the different sentences validates, copies with them."""
    splits = datasets.load_splits("conll2000_np", raw=mirror, seed=0)
    train, test = parts
    assert splits.test == test
    assert len(splits.train) + len(splits.validation) == 8_936
    assert not set(splits.train.groups) & set(splits.validation.groups)
    assert len(np.unique(splits.validation.groups)) == round(len(np.unique(train.groups)) / 3)
