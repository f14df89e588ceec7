"""Prominent words: a small invented file, the counts of the real ones, attributes by hand, and folds."""

from collections import Counter
from math import log10

import numpy as np
import pytest
from builders import contents

from treecrf_studies import datasets
from treecrf_studies.datasets import prosody


@pytest.fixture
def sentences(data):
    return prosody.parse((data / "prominence.txt").read_bytes(), "prominence.txt")


def named(counts, texts):
    """Names of the categories of each word of a sentence, by attribute."""
    return [
        {attribute.name: attribute.categories[code] for attribute, code in zip(counts.attributes, codes, strict=True)}
        for codes in counts.describe(texts)
    ]


def test_sentences_are_parsed(sentences):
    assert [sentence.speaker for sentence in sentences] == ["11", "11", "12", "13", "13", "14", "15"]
    assert sentences[1].rows == [
        ("'Hush", 1),
        ("!", None),
        ("'", None),
        ("said", 0),
        ("mr", None),
        ("Owl", 1),
        (".", None),
    ]


# --- attributes -------------------------------------------------------------------------------------


def test_words_are_counted(sentences):
    counts = prosody.WordCounts.of(sentence.texts for sentence in sentences)
    assert counts.words == {
        "the": 5,
        "mill": 3,
        "hums": 3,
        "say": 3,
        "they": 2,
        "owl": 2,
        "old": 1,
        "hush": 1,
        "said": 1,
        "mr": 1,
        "i'll": 1,
        "it": 1,
        "again": 1,
        "don't": 1,
        "of": 1,
        "miller": 1,
        "notwithstanding": 1,
        "all": 1,
        "that": 1,
    }
    assert counts.before.total() == counts.words.total() == 31
    assert (counts.before[""], counts.before["the"], counts.before["hums"]) == (7, 5, 0)
    assert (counts.pairs["they", "say"], counts.pairs["mill", "they"], counts.pairs["", "the"]) == (2, 1, 2)
    assert list(counts.common)[:6] == ["the", "hums", "mill", "say", "owl", "they"]


def test_probabilities_of_the_words_after_a_word_add_up_to_one(sentences):
    counts = prosody.WordCounts.of(sentence.texts for sentence in sentences)
    for previous in ("", "the", "hums", "never seen"):
        unseen = counts.probability("not counted", previous)
        assert unseen > 0
        assert sum(counts.probability(word, previous) for word in counts.words) + unseen == pytest.approx(1, abs=1e-12)
    assert counts.probability("say", "they") == (2 + 4 / 51) / 3


def test_attributes_of_a_sentence(sentences):
    counts = prosody.WordCounts.of(sentence.texts for sentence in sentences)
    found = named(counts, ["'The", "Miller", ",", "unhappily", "'", "I'll", "doubt", "?"])
    names = ("word", "group", "letters", "vowel_groups", "log2_count", "log10_probability", "punctuation", "capital")
    the, miller, _, unhappily, _, ill, doubt, _ = (tuple(row[name] for name in names) for row in found)
    assert the == ("the", "determiner", "3", "1", "2", "-1", "none", "yes")
    assert miller == ("miller", "content", "6", "2", "1", "-1", ",", "yes")
    assert unhappily == ("other words", "content", "9+", "4+", "0", "-2", "other", "no")
    assert ill == ("i'll", "pronoun", "3", "1", "1", "-2", "none", "yes")
    assert doubt == ("other words", "content", "5", "1", "0", "-3", ".!?", "no")  # (1 / 51) / 2 is 0.0098
    assert log10(counts.probability("doubt", "i'll")) == pytest.approx(-2.0086, abs=1e-4)


def test_most_bins_hold_what_is_beyond():
    counts = prosody.WordCounts.of([["so"] * 5000])
    [row] = named(counts, ["pneumonoultramicroscopicsilicovolcanoconiosis"])
    assert (row["letters"], row["vowel_groups"], row["log2_count"]) == ("9+", "4+", "0")
    assert [row["log2_count"] for row in named(counts, ["so", "so"])] == ["7+", "7+"]
    counts = prosody.WordCounts(Counter({("a", "b"): 10_000_000, ("", "a"): 1}))
    assert [row["log10_probability"] for row in named(counts, ["a", "never"])] == ["-1", "-6"]
    [alone] = named(prosody.WordCounts.of([]), ["so"])  # which has the probability 1
    assert (alone["word"], alone["log10_probability"]) == ("other words", "-1")


def test_of_equally_common_words_the_first_in_the_alphabet_are_categories():
    common = list(prosody.WordCounts.of([[f"w{i}" for i in range(200)], ["w99"]]).common)
    assert (len(common), common[:4]) == (100, ["w99", "w0", "w1", "w10"])


def test_a_set_has_a_position_for_each_word_with_a_prominence(sentences):
    found = prosody.from_sentences(sentences, prosody.WordCounts.of([]))
    assert found.lengths.tolist() == [6, 3, 7, 1, 5, 4, 5]
    assert found.labels[:16].tolist() == [0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1]
    assert found.label_names == ("plain", "prominent")
    assert len(found.attributes) == 8
    punctuation = found.values[found.offsets[1] : found.offsets[2], 6]
    assert [found.attributes[6].categories[code] for code in punctuation] == [".!?", "none", ".!?"]


# --- the real files -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folds(mirror):
    return [datasets.load("prosody", raw=mirror, **datasets.describe("prosody").draw(number)) for number in range(5)]


def test_counts_of_the_real_files(mirror):
    for file, n_sentences, n_words in zip(
        prosody.FILES, (5_727, 4_822), ((47_535, 27_454, 24_211), (43_234, 24_543, 22_286)), strict=True
    ):
        content = (mirror / file).read_bytes()
        found = prosody.parse(content, file)
        assert len(found) == n_sentences
        labels = Counter(row.label for sentence in found for row in sentence.rows)
        assert (labels[0], labels[1]) == (n_words[0], n_words[1] + n_words[2])
    assert len({sentence.speaker for sentence in found}) == 39


def test_seed_0_draws_the_words_of_the_protocol(folds):
    tests = [test for _, test in folds]
    labels = np.concatenate([test.labels for test in tests])
    assert len(labels) == 8_758
    assert round(100 * labels.mean(), 1) == 51.8
    assert [len(test) for test in tests] == [100] * 5


def test_each_sentence_tests_once(folds):
    everything = contents(*folds[0])
    assert contents(*(test for _, test in folds)) == everything
    assert all(contents(*sets) == everything for sets in folds)


# --- sets made from a file of our own ---------------------------------------------------------------


@pytest.fixture
def own(data, put_raw_files):
    """A folder with the invented file in the place of both real ones."""
    return put_raw_files(dict.fromkeys(prosody.FILES, (data / "prominence.txt").read_bytes()))


def test_labels_of_the_counted_sentences_are_not_used(own, put_raw_files):
    before = prosody.load(own, n_sentences=7)
    content = (own / prosody.FILES[0]).read_bytes()
    other = content.replace(b"\t2\t", b"\t0\t").replace(b"\tNA\t", b"\t1\t")
    put_raw_files(dict(zip(prosody.FILES, (content, other), strict=True)))
    assert prosody.load(own, n_sentences=7) == before


def test_folds_by_speaker_share_none(own):
    counted = []
    for fold in range(5):
        train, test = prosody.load(own, fold=fold, by="speaker", n_sentences=7)
        assert len(train) + len(test) == 7
        counted.append(len(test))
        related, _ = datasets.load("prosody", raw=own, fold=fold, by="speaker", n_sentences=7)
        assert len(np.unique(related.groups)) == 4  # what trains and chooses within a fold shares no speaker, too
    assert sorted(counted) == [1, 1, 1, 2, 2]  # five speakers, two of whom have two sentences


def test_too_few_speakers_are_refused(own, put_raw_files):
    put_raw_files(dict.fromkeys(prosody.FILES, (own / prosody.FILES[0]).read_bytes().replace(b"\t15_", b"\t14_")))
    message = "by='speaker': the 7 sentences have 4 speakers, too few for 5 folds; draw more sentences."
    with pytest.raises(ValueError, match=message):
        prosody.load(own, by="speaker", n_sentences=7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fold": 5}, "fold=5: give a whole number from 0 to 4"),
        ({"seed": "0"}, "seed='0': give a whole number from 0 on"),
        ({"n_sentences": 4}, "n_sentences=4: give a whole number from 5 to 7"),
        ({"n_sentences": 8}, "n_sentences=8: give a whole number from 5 to 7"),
        ({"by": "word"}, "by='word': give 'sentence' or 'speaker'"),
    ],
)
def test_wrong_options(options, message, own):
    with pytest.raises(ValueError, match=message):
        prosody.load(own, **{"n_sentences": 7} | options)
