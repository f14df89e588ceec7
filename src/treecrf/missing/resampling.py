"""Holes drawn like a file's own: each sequence gets those of another one."""

from __future__ import annotations

import numpy as np

from treecrf.sequences import MISSING, SequenceSet


def resample_holes(data: SequenceSet, pattern: SequenceSet, rng: np.random.Generator) -> SequenceSet:
    """Empty the cells that are missing in other sequences.

    Each sequence is laid over one of the pattern, drawn at random with replacement, from its first observation on; a pattern that is
    shorter begins again. So columns that are missing together, in runs or at the beginning of sequences stay so. What is
    missing already stays so, too.

    Parameters
    ----------
    data : SequenceSet
    pattern : SequenceSet
        With the same attributes and numbers, and with holes.
    rng : numpy.random.Generator

    Returns
    -------
    SequenceSet
    """
    first, lengths = pattern.observation_offsets[:-1], np.diff(pattern.observation_offsets)
    known = np.flatnonzero(lengths)
    if not len(known) or not len(data):
        return data
    drawn = known[rng.integers(0, len(known), len(data))]
    here = np.diff(data.observation_offsets)
    place = np.arange(len(data.values)) - np.repeat(data.observation_offsets[:-1], here)
    rows = np.repeat(first[drawn], here) + place % np.repeat(lengths[drawn], here)
    emptied = data.with_values(np.where(pattern.values[rows] == MISSING, MISSING, data.values))
    return emptied.with_numbers(np.where(np.isnan(pattern.numbers[rows]), np.nan, data.numbers))
