"""Handwritten words: a small invented file, the counts of the real ones, and the parts that they are cut into."""

import re

import numpy as np
import pytest
from builders import contents

from treecrf_studies import datasets
from treecrf_studies.datasets import ocr


def spelled(data):
    """The words, from their labels."""
    names = np.array(data.label_names)[data.labels]
    return ["".join(word) for word in np.split(names, data.offsets[1:-1])]


@pytest.fixture
def words(data):
    return ocr.parse((data / "letters.txt").read_bytes(), "letters.txt")


def test_words_are_parsed(words):
    assert spelled(words.as_set("categories")) == ["ab", "cab", "z", "abc", "a", "bz"]
    black = [(np.flatnonzero(image) + 1).tolist() for image in words.pixels]
    assert black[1] == [1, 8, 128]
    assert black[9] == []  # a letter without a black pixel
    assert black[11] == [127]


def test_pixels_are_named_row_by_row(words):
    names = [name for name, black in zip(ocr.PIXELS, words.pixels[1], strict=True) if black]
    assert names == ["row_1_column_1", "row_1_column_8", "row_16_column_8"]


def test_pixels_are_categories_or_numbers(words):
    categories, numbers = words.as_set("categories"), words.as_set("numbers")
    assert [attribute.categories for attribute in categories.attributes] == [("0", "1")] * 128
    assert (categories.number_names, numbers.number_names, numbers.attributes) == ((), ocr.PIXELS, ())
    assert np.array_equal(categories.values, words.pixels)
    assert np.array_equal(numbers.numbers, words.pixels)
    assert np.array_equal(numbers.labels, categories.labels)
    with pytest.raises(ValueError, match=r"inputs='pixels': give 'categories' or 'numbers'\."):
        words.as_set("pixels")


# --- the real files -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def halves(mirror):
    return datasets.load("ocr_half", raw=mirror)


def test_counts_of_the_real_files(halves):
    train, test = halves
    assert (len(train), train.n_positions) == (3_438, 25_953)
    assert (len(test), test.n_positions) == (3_439, 26_198)
    assert train.label_names == test.label_names == tuple("abcdefghijklmnopqrstuvwxyz")
    for part in halves:
        assert (part.lengths.min(), part.lengths.max()) == (3, 14)
        assert len(np.unique(part.labels)) == 26
        assert part.values.sum(axis=1).min() == 5


def test_there_are_55_words_one_of_which_lacks_a_letter_once(halves):
    every = [word for part in halves for word in spelled(part)]
    assert len(set(every)) == 56
    assert every.count("mmanding") == 1
    assert "ommanding" in every


def test_the_first_letter_is_drawn_as_its_line_says(halves, mirror):
    first = (mirror / ocr.FILES[0]).read_text().split("\n", 1)[0].split(" ")
    assert first[:3] == ["1", "qid:1", "26:1"]
    assert [f"{i + 1}:1" for i in np.flatnonzero(halves[0].values[0])] == first[2:]


def test_a_tenth_trains_and_the_rest_tests(halves, mirror):
    train, test = datasets.load("ocr", raw=mirror)
    assert (len(train), len(test)) == (688, 6_189)
    assert (train.n_positions, train.n_positions + test.n_positions) == (5_192, 52_151)
    assert contents(train, test) == contents(*halves)


# --- sets made from a file of our own ---------------------------------------------------------------


@pytest.fixture
def own(data, put_raw_files):
    """A folder with the invented file, and in the place of the second one the same with one more black pixel a
    letter.
    """
    content = (data / "letters.txt").read_bytes()
    blackened = re.sub(rb"(qid:\d+)( 1:1)?", rb"\1 1:1", content)
    return put_raw_files(dict(zip(ocr.FILES, (content, blackened), strict=True)))


def test_each_word_trains_in_one_of_ten_parts(own):
    whole, trained = contents(*ocr.load_half(own)), []
    for number in range(10):
        options = datasets.describe("ocr").draw(number)
        assert options == {"fold": number, "seed": 0}
        train, test = ocr.load(own, **options)
        assert len(train) in (1, 2)
        assert contents(train, test) == whole
        trained.append(train)
    assert contents(*trained) == whole


def test_a_seed_decides_the_parts_alike_for_both_inputs(own):
    assert datasets.describe("ocr").draw(13) == {"fold": 3, "seed": 1}
    parts = [ocr.load(own, fold=3, seed=seed)[0] for seed in range(6)]
    assert ocr.load(own, fold=3, seed=1)[0] == parts[1]
    assert any(other != parts[0] for other in parts[1:])
    for numbers, categories in zip(ocr.load(own, seed=2, inputs="numbers"), ocr.load(own, seed=2), strict=True):
        assert np.array_equal(numbers.numbers, categories.values)
        assert np.array_equal(numbers.labels, categories.labels)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fold": 10}, "fold=10: give a whole number from 0 to 9"),
        ({"fold": -1}, "fold=-1: give a whole number from 0 to 9"),
        ({"seed": -1}, "seed=-1: give a whole number from 0 on"),
        ({"inputs": None}, "inputs=None: give 'categories' or 'numbers'"),
    ],
)
def test_wrong_options(options, message, own):
    with pytest.raises(ValueError, match=message):
        ocr.load(own, **options)
