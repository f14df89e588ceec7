"""The encoded sequence files that come with SMILE: one line a position, its window cells numbered through.

First line ``n_sequences n_labels n_features``; then ``sequence position n_slots f1 .. fn label``, all separated
by single spaces, sequence and position from 1, ``f = categories_with_edge * slot + code``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.datasets._text import DataError, text_lines


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
    lengths = np.diff(offsets)
    places = np.arange(len(table)) - np.repeat(starts, lengths) + 1
    numbers = np.repeat(np.arange(1, len(starts) + 1), lengths)
    if len(starts) != n_sequences or (places != table[:, 1]).any() or (numbers != table[:, 0]).any():
        raise DataError(file, None, f"holds {len(starts)} sequences or gaps in them, and announces {n_sequences}")
    return EncodedWindows(codes, table[:, -1], offsets)


def _numbers(line: str) -> list[int]:
    """The whole numbers of a line, each of 9 digits at most; none if a word is anything else."""
    words = line.split()
    return [int(word) for word in words] if all(word.isdigit() and len(word) <= 9 for word in words) else []
