"""NETtalk (Sejnowski and Rosenberg 1987): a stress label, or a phoneme and a stress, for every letter of a word.

The file holds ``word <tab> phonemes <tab> stress <tab> class``, one symbol per letter. ``gunpowder`` lacks its
stress field and is dropped; words that occur more than once (with different pronunciations) are drawn once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treecrf.io.messages import quoted
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import generator
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import DataError, NTest, draw, from_words, numbered, parse_files, text_lines

STRESSES = ("0", "1", "2", "<", ">")
FILES = ("nettalk/nettalk.data",)

STRESSED = ("1", "2")
"""The positive label of the binary task (PhD section 5.4.2)."""


class Entry(NamedTuple):
    """One pronunciation."""

    word: str
    phonemes: str
    stress: str


def parse(data: bytes, file: str) -> list[Entry]:
    """All entries, in order; one without a stress field (its class stands there, and nothing behind it) is dropped.

    A DataError names a line that is no entry, or whose phonemes or stress do not have one symbol per letter.
    """
    lines = text_lines(data, "ascii")
    begin = next((i + 1 for i, line in enumerate(lines) if line.startswith("-----")), 0)
    entries = []
    for number, line in enumerate(lines[begin:], start=begin + 1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != 4 or not (fields[0].isascii() and fields[0].isalpha() and fields[0].islower()):
            raise DataError(file, number, f"expected word, phonemes, stress and class, found {line[:40]!r}")
        word, phonemes, stress = fields[:3]
        if not fields[3].strip():
            continue
        if not set(stress) <= set(STRESSES):
            raise DataError(file, number, f"{quoted(stress)} holds symbols that are no stress")
        if not len(word) == len(phonemes) == len(stress):
            raise DataError(file, number, f"{quoted(word)} does not have one phoneme and one stress per letter")
        entries.append(Entry(word, phonemes, stress))
    if not entries:
        raise DataError(file, None, "holds no entries")
    return entries


def distinct_words(entries: list[Entry]) -> list[Entry]:
    """The first pronunciation of every word."""
    first: dict[str, Entry] = {}
    for entry in entries:
        first.setdefault(entry.word, entry)
    return list(first.values())


def load(raw: Path, *, n_train: int = 1000, n_test: NTest = 1000, seed: int = 0) -> tuple[SequenceSet, SequenceSet]:
    """`n_train` and `n_test` words with five stress labels, drawn by `seed`: the papers' lists are not published.

    ``n_test="all"``: all words that do not train; the training words are those of any other `n_test`.
    """
    train, test = (
        from_words([e.word for e in part], [[STRESSES.index(s) for s in e.stress] for e in part], STRESSES)
        for part in _drawn(raw, n_train, n_test, seed)
    )
    return train, test


def load_full(
    raw: Path, *, n_train: int = 1000, n_test: NTest = 1000, seed: int = 0
) -> tuple[SequenceSet, SequenceSet]:
    """The same words; a label is a phoneme and its stress (MS section 5.2), named by the two symbols.

    Labels are numbered as they occur, training words first; those of the test words that training lacks come last.
    """
    parts = _drawn(raw, n_train, n_test, seed)
    labels = [[[phoneme + stress for phoneme, stress in zip(*e[1:], strict=True)] for e in part] for part in parts]
    codes = numbered(name for part in labels for word in part for name in word)
    train, test = (
        from_words([e.word for e in part], [[codes[name] for name in word] for word in named], tuple(codes))
        for part, named in zip(parts, labels, strict=True)
    )
    return train, test


def _drawn(raw: Path, n_train: int, n_test: NTest, seed: int) -> tuple[list[Entry], list[Entry]]:
    """Words for training and testing."""
    (entries,) = parse_files(raw, FILES, parse)
    return draw(distinct_words(entries), n_train, n_test, generator("nettalk", "words", seed=seed))


def load_binary(raw: Path, **options: Any) -> tuple[SequenceSet, SequenceSet]:
    """The same words with two labels: stressed (1, 2) or not (0, <, >); options as for `load`."""
    stressed = np.array([name in STRESSED for name in STRESSES], dtype=np.int16)
    train, test = (part.with_labels(stressed[part.labels], ("unstressed", "stressed")) for part in load(raw, **options))
    return train, test


_SOURCE = "Sejnowski and Rosenberg 1987; non-commercial research"

DESCRIPTIONS = (
    Description("nettalk", "stress of English letters", (6, 6), load, FILES, source=_SOURCE, is_drawn=True),
    Description(
        "nettalk_full",
        "phonemes and stresses, more than 130 labels",
        (1, 1),
        load_full,
        FILES,
        source=_SOURCE,
        is_drawn=True,
    ),
    Description("nettalk_binary", "stressed letters", (0, 0), load_binary, FILES, source=_SOURCE, is_drawn=True),
)
