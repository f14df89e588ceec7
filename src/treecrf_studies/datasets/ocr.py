"""Handwritten words (Kassel 1995; Taskar, Guestrin and Koller 2003): a letter a-z for every image of 16 by 8 black or
white pixels.

A line of the files is ``label qid:word pixel:1 pixel:1 ...``: a letter, its label from 1 for a to 26 for z, the number
of its word and its black pixels, numbered from 1 row by row. The two files have other words, both numbered from 1. The
first letters of words, which were capitals, are not there, so a sequence is a word from its second letter on. There are
55 different words, so most words of a test set are in the training set by another hand. One letter of the original is
missing from this copy, and so are the ten parts that Taskar et al. tested by: the words of both files are cut anew.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import check_count
from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.selection import generator, sequence_folds
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import LETTERS, DataError, parse_files, text_lines

FILES = ("ocr/train_struct.txt", "ocr/test_struct.txt")

N_ROWS, N_COLUMNS = 16, 8
N_PIXELS = N_ROWS * N_COLUMNS
PIXELS = tuple(f"row_{row}_column_{column}" for row in range(1, N_ROWS + 1) for column in range(1, N_COLUMNS + 1))
"""Names of the pixels in their order."""

N_FOLDS = 10

Inputs = Literal["categories", "numbers"]

_LETTER = re.compile(r"([1-9][0-9]?) qid:([1-9][0-9]{0,8})((?: [1-9][0-9]{0,2}:1)*)")


class Words(NamedTuple):
    """Words as images of their letters.

    Attributes
    ----------
    pixels : bool, shape (n_letters, 128)
    labels : int16, shape (n_letters,)
        From 0 for a to 25 for z.
    offsets : int64, shape (n_words + 1,)
        Word i owns the letters ``offsets[i]`` to ``offsets[i + 1] - 1``.
    """

    pixels: NDArray[np.bool_]
    labels: NDArray[np.int16]
    offsets: NDArray[np.int64]

    def as_set(self, inputs: Inputs) -> SequenceSet:
        """The words with their pixels as 128 attributes of two categories, or as 128 numbers, 0 or 1."""
        if inputs == "categories":
            attributes = tuple(Attribute(name, ("0", "1")) for name in PIXELS)
            return SequenceSet(self.pixels.astype(np.int32), self.offsets, attributes, self.labels, LETTERS)
        if inputs == "numbers":
            nothing = np.empty((len(self.pixels), 0), dtype=np.int32)
            return SequenceSet(
                nothing,
                self.offsets,
                (),
                self.labels,
                LETTERS,
                numbers=self.pixels.astype(np.float64),
                number_names=PIXELS,
            )
        raise ValueError(f"inputs={quoted(inputs)}: give 'categories' or 'numbers'.")


def parse(data: bytes, file: str) -> Words:
    """All words, in order; a DataError names a line that is no letter, or whose word is not the last one or the
    next.
    """
    labels: list[int] = []
    begins: list[int] = []
    black: list[list[int]] = []
    for number, line in enumerate(text_lines(data, "ascii"), start=1):
        fields = _LETTER.fullmatch(line)
        if fields is None:
            raise DataError(file, number, f"expected a label, a word and pixels, found {quoted(line)}")
        label, word = int(fields[1]), int(fields[2])
        pixels = [int(pixel[:-2]) for pixel in fields[3].split()]
        if label > len(LETTERS):
            raise DataError(file, number, f"the label {label} is none of 1 to {len(LETTERS)}")
        if pixels != sorted({*pixels}) or pixels[-1:] > [N_PIXELS]:
            raise DataError(file, number, f"its pixels are not rising numbers from 1 to {N_PIXELS}")
        if word == len(begins) + 1:
            begins.append(len(labels))
        elif word != len(begins) or not begins:
            raise DataError(file, number, f"word {word} stands where word {len(begins) + 1} should begin")
        labels.append(label - 1)
        black.append(pixels)
    if not labels:
        raise DataError(file, None, "holds no letters")
    images = np.zeros((len(labels), N_PIXELS), dtype=np.bool_)
    for image, pixels in zip(images, black, strict=True):
        image[np.array(pixels, dtype=np.int64) - 1] = True
    return Words(images, np.array(labels, dtype=np.int16), np.array([*begins, len(labels)], dtype=np.int64))


def load_half(raw: Path, *, inputs: Inputs = "categories") -> tuple[SequenceSet, SequenceSet]:
    """The words of the one file for training, those of the other for testing.

    `inputs`: pixels as "categories" or as "numbers".
    """
    train, test = (words.as_set(inputs) for words in parse_files(raw, FILES, parse))
    return train, test


def load(raw: Path, *, fold: int = 0, seed: int = 0, inputs: Inputs = "categories") -> tuple[SequenceSet, SequenceSet]:
    """One of ten parts of all words for training, the other nine for testing (Taskar et al. 2003).

    `fold`: which part, from 0 to 9; `seed` cuts the words into parts; `inputs`: pixels as "categories" or as "numbers".
    """
    check_count("fold", fold, least=0, most=N_FOLDS - 1)
    rng = generator("ocr", "parts", seed=seed)
    words = SequenceSet.concatenate(load_half(raw, inputs=inputs))
    part = sequence_folds(words.groups, N_FOLDS, rng)[fold]
    return words.select(part), words.select(np.setdiff1d(np.arange(len(words)), part))


_SOURCE = "Kassel 1995, distributed by Taskar; no terms stated"

DESCRIPTIONS = (
    Description(
        "ocr",
        "letters of handwritten words, one tenth trains",
        (0, 0),
        load,
        FILES,
        source=_SOURCE,
        is_drawn=True,
        n_folds=N_FOLDS,
    ),
    Description(
        "ocr_half", "letters of handwritten words, half of them trains", (0, 0), load_half, FILES, source=_SOURCE
    ),
)
