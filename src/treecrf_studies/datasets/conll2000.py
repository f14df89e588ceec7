"""CoNLL-2000 (Tjong Kim Sang and Buchholz 2000): the part of speech and the noun phrase of every word of a sentence.

A line of the file is ``word part-of-speech chunk-tag``, and a blank line ends a sentence. A label is the part of speech
with B at the first word of a noun phrase, I at its other words and O outside (MS section 5.3): these are the 121 labels
of the thesis. A word is itself, in capitals or not; those of the test sentences that training lacks are categories too
and come last, as the thesis counts 21,589 words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from treecrf.io.arrays import check_count
from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import DataError, numbered, parse_files, text_lines

FILES = ("conll2000/train.txt", "conll2000/test.txt")

TAGS = ("B", "I", "O")
"""What begins the chunk tag of a word."""


class Token(NamedTuple):
    """A word and its label."""

    word: str
    label: str


def parse(data: bytes, file: str) -> list[list[Token]]:
    """Sentences; a DataError names a line that is no word with its part of speech and chunk tag."""
    sentences: list[list[Token]] = [[]]
    for place, line in enumerate(text_lines(data), start=1):
        if line:
            sentences[-1].append(_token(line, file, place))
        elif sentences[-1]:
            sentences.append([])
    if not sentences[-1]:
        sentences.pop()
    if not sentences:
        raise DataError(file, None, "holds no sentences")
    return sentences


def _token(line: str, file: str, place: int) -> Token:
    fields = line.split(" ")
    if len(fields) != 3 or not all(fields):
        raise DataError(file, place, f"expected word, part of speech and chunk tag, found {quoted(line)}")
    word, part_of_speech, chunk = fields
    if chunk != "O" and not (chunk[:2] in ("B-", "I-") and chunk[2:]):
        raise DataError(file, place, f"{quoted(chunk)} is no chunk tag")
    return Token(word, f"{part_of_speech}-{chunk[0] if chunk[1:] == '-NP' else 'O'}")


def load(raw: Path, *, n_train: int = 8936, n_test: int = 2012) -> tuple[SequenceSet, SequenceSet]:
    """The first `n_train` and `n_test` sentences of the two files: all of them, unless given.

    Words and labels are numbered as they occur, training sentences first; those that training lacks come last.
    """
    parts = []
    sizes = {"n_train": n_train, "n_test": n_test}
    for sentences, (option, n_sentences) in zip(parse_files(raw, FILES, parse), sizes.items(), strict=True):
        check_count(option, n_sentences, most=len(sentences))
        parts.append(sentences[:n_sentences])
    train, test = from_sentences(parts)
    return train, test


def from_sentences(parts: Sequence[list[list[Token]]]) -> list[SequenceSet]:
    """Sets that share words and labels, numbered as they occur."""
    everything = [[token for sentence in sentences for token in sentence] for sentences in parts]
    words = numbered(token.word for tokens in everything for token in tokens)
    labels = numbered(token.label for tokens in everything for token in tokens)
    return [
        SequenceSet(
            np.array([[words[token.word]] for token in tokens]),
            np.cumsum([0, *map(len, sentences)]),
            (Attribute("word", tuple(words)),),
            np.array([labels[token.label] for token in tokens]),
            tuple(labels),
        )
        for sentences, tokens in zip(parts, everything, strict=True)
    ]


def np_tags(label_names: Iterable[str]) -> tuple[str, ...]:
    """The noun-phrase tags, "B", "I" or "O", of labels such as "NN-B"; for `treecrf.statistics.metrics.chunk_f1`.

    A ValueError names a label that does not end in one.
    """
    tags = []
    for name in label_names:
        _, dash, tag = name.rpartition("-")
        if not dash or tag not in TAGS:
            raise ValueError(f"np_tags: label {quoted(name)} does not end in -B, -I or -O; give those of conll2000_np.")
        tags.append(tag)
    return tuple(tags)


DESCRIPTIONS = (
    Description(
        "conll2000_np",
        "parts of speech and noun phrases of English words, 121 labels",
        (1, 1),
        load,
        FILES,
        source="Tjong Kim Sang and Buchholz 2000, from the Penn Treebank; research, not to be passed on",
    ),
)
