"""What the columns of a file seem to be: sequences, labels, groups of sequences, times, and numbers of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treecrf.inputs.derived import SHARE_OF_STAMPS, are_times
from treecrf.io.columns import MISSING, CellError, Column, infer_kind
from treecrf.io.frames import find_sequences
from treecrf.readers.tables import TypedTable

LABEL_NAMES = frozenset(("label", "labels", "tag", "tags", "target", "class", "y", "ner", "pos", "activity", "state"))
"""Names that columns of labels often have, in small letters."""

MOST_LABELS = 200
"""A column with more different values is taken for no column of labels."""


LEAST_IDENTIFIERS = 50
"""Rows from which on values that are all different identify them."""


def guess_sequence(table: TypedTable, label: str | None = None) -> str | None:
    """The column that seems to name the sequences; None where several readings are possible, or none is.

    It has each of its values in one run of rows, more than one row in some run, and more values than any other such
    column, each of which has one value in each of its runs.
    """
    starts_of = {}
    for name in table:
        starts = None if name == label else _starts(table[name])
        if starts is not None and 1 < len(starts) < len(table.frame):
            starts_of[name] = starts
    if not starts_of:
        return None
    finest = max(starts_of, key=lambda name: len(starts_of[name]))
    is_plain = all(np.isin(starts, starts_of[finest]).all() for starts in starts_of.values())
    is_only = sum(len(starts) == len(starts_of[finest]) for starts in starts_of.values()) == 1
    return finest if is_plain and is_only else None


def _starts(column: Column) -> NDArray[np.int64] | None:
    """The first rows of a column's runs, where each value has one run and none is missing; numbers have none."""
    if not column.strange.any() and (column.numbers != np.floor(column.numbers)).any():
        return None
    try:
        return find_sequences(column)[:-1]
    except CellError:
        return None


def guess_label(table: TypedTable, sequence: str | None) -> str | None:
    """The column that seems to hold the labels: the only one with a usual name, else the last; None if it cannot be.

    It has categories, two or more, but at most `MOST_LABELS`, and fewer than half as many as rows.
    """
    names = [name for name in table if name != sequence]
    usual = [name for name in names if name.casefold() in LABEL_NAMES]
    if not names or len(usual) > 1:
        return None
    guess = usual[0] if usual else names[-1]
    n_values = len(table[guess].distinct[1])
    is_likely = 2 <= n_values <= min(MOST_LABELS, len(table.frame) // 2)
    return guess if is_likely and infer_kind(table[guess], is_written=True) == "category" else None


def rises(numbers: Column, sequence: Column) -> bool:
    """Whether numbers rise from each observation to the next within every sequence."""
    same = np.diff(sequence.distinct[0]) == 0
    return bool(same.any()) and bool((np.diff(numbers.numbers)[same] > 0).all())


def likely_groups(table: TypedTable, names: Sequence[str], sequence: str) -> dict[str, int]:
    """The columns that seem to say what sequences share, such as a person, and how many different values they have.

    Such a column has one value in each sequence, the same in some of them, and no fractions. A labeller that sees it
    learns of these persons what does not hold for others.
    """
    try:
        starts = find_sequences(table[sequence])[:-1]
    except CellError as error:
        raise table.error(error) from None
    n_sequences = len(starts)
    found: dict[str, int] = {}
    if n_sequences == len(table.frame):
        return found
    for name in names:
        codes, texts = table[name].distinct
        of_sequences = codes[starts]
        numbers = table[name].numbers
        is_whole = table[name].strange.any() or (np.isfinite(numbers) & (numbers == np.floor(numbers))).all()
        varies = codes[1:] != codes[:-1]
        varies[starts[1:] - 1] = False
        if is_whole and 1 < len(texts) < n_sequences and not varies.any() and (of_sequences != MISSING).all():
            found[name] = len(texts)
    return found


def is_order(column: Column, sequence: Column) -> bool:
    """Whether texts with digits, nearly all different, rise within sequences, as times of the day or row numbers do."""
    codes, texts = column.distinct
    same = (np.diff(sequence.distinct[0]) == 0) & (codes[1:] != MISSING) & (codes[:-1] != MISSING)
    if same.sum() < LEAST_IDENTIFIERS or not all(any(map(str.isdigit, text)) for text in texts):
        return False
    place = np.argsort(np.argsort(texts))
    return bool((np.diff(place[codes])[same] > 0).mean() >= SHARE_OF_STAMPS)


def is_identifier(column: Column) -> bool:
    """Whether a column numbers the rows of the file, or has another code with digits in nearly each, but no time in ISO
    8601.
    """
    codes, texts = column.distinct
    n_known = int((codes != MISSING).sum())
    if n_known < LEAST_IDENTIFIERS:
        return False
    if not column.strange.any():
        return bool((np.diff(column.numbers) == 1).all())
    has_digit = [any(map(str.isdigit, text)) for text in texts]
    return len(texts) >= SHARE_OF_STAMPS * n_known and all(has_digit) and not are_times(tuple(texts))
