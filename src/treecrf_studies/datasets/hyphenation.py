"""Hyphenation: for every gap between two letters, whether a hyphen may stand there.

A word of n letters has n - 1 positions, its gaps; gap t lies behind letter t, and the window of the last gap
still sees the last letter: an observation without a label. The published window, 3 letters on either side of
the gap, is letters t-2 .. t+3.

The published set is one of the encoded sequence files that come with SMILE: one line a position, its window cells
numbered through. First line ``n_sequences n_labels n_features``; then ``sequence position n_slots f1 .. fn label``, all
separated by single spaces, sequence and position from 1, ``f = categories_with_edge * slot + code``.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import places_in
from treecrf.io.messages import needs_extra
from treecrf.sequences import SequenceSet, window_codes
from treecrf.statistics.selection import generator
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import LETTERS, DataError, NTest, draw, from_words, parse_files, text_lines

FILES = tuple(f"hyphenation/sparse.hyphen.6.{part}" for part in ("train", "test"))
MOBY_FILES = ("hyphenation/mhyph.txt",)

LABELS = ("no_hyphen", "hyphen")
WINDOW = (2, 3)
_N_CODES = len(LETTERS) + 1
_HYPHEN_POINT = b"\xa5"  # Mac Roman's bullet


def decode(data: bytes, file: str) -> SequenceSet:
    """Read the words back from SMILE's encoded windows; DataError where windows contradict each other."""
    windows = read_encoded(data, file, _N_CODES, sum(WINDOW) + 1, len(LABELS))
    words, labels = [], []
    for begin, end in zip(windows.offsets[:-1], windows.offsets[1:], strict=True):
        codes = np.append(windows.codes[begin:end, WINDOW[0]], windows.codes[end - 1, WINDOW[0] + 1])
        if codes.max() >= len(LETTERS):
            raise DataError(file, int(begin) + 2, "a word has a gap inside")
        words.append("".join(LETTERS[code] for code in codes))
        labels.append(windows.labels[begin:end].tolist())
    result = from_words(words, labels, LABELS)
    if not np.array_equal(window_codes(result, WINDOW), windows.codes):
        raise DataError(file, None, "the windows of a word contradict each other")
    return result


def load(raw: Path) -> tuple[SequenceSet, SequenceSet]:
    """The papers' own words: 1,951 for training, 908 for testing."""
    train, test = parse_files(raw, FILES, decode)
    return train, test


def parse_moby(data: bytes, file: str) -> list[list[str]]:
    """Words of the Moby list as their syllables, for words of a-z alone.

    Left out: spellings with more than one hyphenation, and entries whose hyphen points stand at an end or side
    by side (a letter was lost).
    """
    variants: dict[str, set[bytes]] = {}
    n_lines = 0
    for line in data.replace(b"\r\n", b"\n").split(b"\n"):
        if not line:
            continue
        n_lines += 1
        syllables = line.split(_HYPHEN_POINT)
        if all(part.isalpha() and part.islower() and part.isascii() for part in syllables):
            variants.setdefault(b"".join(syllables).decode("ascii"), set()).add(line)
    if not variants:
        raise DataError(file, None, f"none of its {n_lines} lines is a hyphenated word")
    single = [next(iter(lines)) for lines in variants.values() if len(lines) == 1]
    return [line.decode("mac_roman").split(_HYPHEN_POINT.decode("mac_roman")) for line in single]


def from_syllables(words: list[list[str]]) -> SequenceSet:
    """Words given by their syllables; each needs at least two letters."""
    labels = []
    for syllables in words:
        ends = set(np.cumsum([len(part) for part in syllables])[:-1].tolist())
        labels.append([int(gap in ends) for gap in range(1, sum(map(len, syllables)))])
    return from_words(["".join(syllables) for syllables in words], labels, LABELS)


def load_moby(raw: Path, *, n_train: int = 1951, n_test: NTest = 908, seed: int = 0) -> tuple[SequenceSet, SequenceSet]:
    """`n_train` and `n_test` words drawn from the Moby list (public domain); `seed` decides which."""
    (parsed,) = parse_files(raw, MOBY_FILES, parse_moby)
    words = [word for word in parsed if sum(map(len, word)) > 1]
    train, test = draw(words, n_train, n_test, generator("hyphen_moby", "words", seed=seed))
    return from_syllables(train), from_syllables(test)


def load_tex(*, n_train: int = 300, n_test: int = 150, seed: int = 0) -> tuple[SequenceSet, SequenceSet]:
    """Common English words of a list in the package, hyphenated by the patterns that `pyphen` carries.

    Needs no download. The labels are those of a program, not of people: good only for a demonstration.
    """
    with needs_extra("workflow"):
        import pyphen

    words = Path(__file__).with_name("english_words.txt").read_text(encoding="ascii").split()
    patterns = pyphen.Pyphen(lang="en_US")
    syllables = [patterns.inserted(word).split("-") for word in words]
    train, test = draw(syllables, n_train, n_test, generator("hyphen_tex", "words", seed=seed))
    return from_syllables(train), from_syllables(test)


DESCRIPTIONS = (
    Description(
        "hyphen",
        "hyphenation of English words, the papers' own set",
        WINDOW,
        load,
        FILES,
        source="Dietterich, Hao and Ashenfelter 2008, as encoded in SMILE's tests",
    ),
    Description(
        "hyphen_moby",
        "hyphenation of English words of the Moby list",
        WINDOW,
        load_moby,
        MOBY_FILES,
        source="Grady Ward, Moby Hyphenator II; public domain",
    ),
    Description(
        "hyphen_tex",
        "hyphenation of English words by pattern",
        WINDOW,
        load_tex,
        stand_in="labels are those of TeX's patterns, not of people: for demonstration",
        source="patterns of pyphen",
        kind="generated",
    ),
)


class EncodedWindows(NamedTuple):
    """Windows of all positions: codes (n_positions, n_slots), labels (n_positions,), offsets (n_sequences + 1,)."""

    codes: NDArray[np.int64]
    labels: NDArray[np.int64]
    offsets: NDArray[np.int64]


def read_encoded(data: bytes, file: str, n_codes: int, n_slots: int, n_labels: int) -> EncodedWindows:
    """Decode a file whose windows have `n_slots` slots of `n_codes` codes, the last one for "outside the sequence".

    A DataError names a line with a number too many, too few or out of range, and counts that contradict the header.
    """
    lines = text_lines(data, "ascii")
    header = _numbers(lines[0]) if lines else []
    if len(header) != 3:
        raise DataError(file, 1, "the first line must hold three numbers")
    n_sequences = header[0]
    if header[2] != n_slots * n_codes:
        raise DataError(file, 1, f"{header[2]} features are not {n_slots} slots of {n_codes} codes")
    if header[1] != n_labels:
        raise DataError(file, 1, f"{header[1]} labels are announced, and the data set has {n_labels}")
    expected = n_slots + 4
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        row = _numbers(line)
        if len(row) != expected:
            raise DataError(file, number, f"expected {expected} numbers")
        rows.append(row)
    table = np.array(rows, dtype=np.int64).reshape(-1, expected)
    codes = table[:, 3:-1] - n_codes * np.arange(n_slots)
    starts = np.flatnonzero(table[:, 1] == 1)
    wrong = (codes < 0).any(axis=1) | (codes >= n_codes).any(axis=1) | (table[:, 2] != n_slots)
    wrong |= table[:, -1] >= n_labels
    if wrong.any():
        raise DataError(file, int(wrong.argmax()) + 2, "a feature or label is out of its range")
    if len(table) and table[0, 1] != 1:
        raise DataError(file, 2, f"the first sequence begins with its position {table[0, 1]}, not 1")
    offsets = np.append(starts, len(table))
    numbers = np.repeat(np.arange(1, len(starts) + 1), np.diff(offsets))
    if len(starts) != n_sequences or (places_in(offsets) + 1 != table[:, 1]).any() or (numbers != table[:, 0]).any():
        raise DataError(file, None, f"holds {len(starts)} sequences or gaps in them, and announces {n_sequences}")
    return EncodedWindows(codes, table[:, -1], offsets)


def _numbers(line: str) -> list[int]:
    """The whole numbers of a line, each of 9 digits at most; none if a word is anything else."""
    words = line.split()
    return [int(word) for word in words] if all(word.isdigit() and len(word) <= 9 for word in words) else []
