"""Categories of the neighbours of each observation, alone and in pairs, as categories of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import Ints
from treecrf.sequences import MAX_CATEGORIES, MISSING

OUTSIDE = "(outside)"
"""Category of a neighbour beyond the ends of the sequence."""

RARE = "(rare)"
"""Category of pairs that occur once, where there are more pairs than categories may be; that of merged categories."""

PAIRS = {"pair_before": (-1, 0), "pair_after": (0, 1), "around": (-1, 1)}
"""Steps to the two observations of a pair, by kind."""


def shifted(
    codes: NDArray[np.int32], categories: Sequence[str], offsets: Ints, step: int
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The category some steps away from each observation, `OUTSIDE` beyond its sequence, and all categories.

    Parameters
    ----------
    codes : int32, shape (n_observations,)
    categories : sequence of str
    offsets : int64, shape (n_sequences + 1,)
        Of the observations of each sequence.
    step : int
        Below 0 for observations before.

    Returns
    -------
    codes : int32, shape (n_observations,)
    categories : tuple of str
    """
    names = tuple(categories) if OUTSIDE in categories else (*categories, OUTSIDE)
    places = np.arange(len(codes)) + step
    lengths = np.diff(offsets)
    is_there = (places >= np.repeat(offsets[:-1], lengths)) & (places < np.repeat(offsets[1:], lengths))
    moved = codes[np.clip(places, 0, max(len(codes) - 1, 0))]
    return np.where(is_there, moved, names.index(OUTSIDE)).astype(np.int32), names


def paired(
    codes: NDArray[np.int32], categories: Sequence[str], offsets: Ints, kind: str
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Two observations together (`PAIRS`), missing where one of them is; as `shifted`.

    Parameters
    ----------
    codes, categories, offsets : see `shifted`
    kind : str
        Of `PAIRS`.
    """
    (first, names), (second, _) = (shifted(codes, categories, offsets, step) for step in PAIRS[kind])
    known = (first != MISSING) & (second != MISSING)
    pairs, places, times = np.unique(
        first[known].astype(np.int64) * len(names) + second[known], return_inverse=True, return_counts=True
    )
    is_kept = times > 1 if len(pairs) >= MAX_CATEGORIES else np.ones(len(pairs), dtype=np.bool_)
    texts = [f"{names[one]} {names[other]}" for one, other in zip(*np.divmod(pairs, len(names)), strict=True)]
    texts = [text if kept else RARE for text, kept in zip(texts, is_kept.tolist(), strict=True)]
    distinct, of_pair = np.unique(np.array(texts, dtype=object), return_inverse=True) if texts else (np.array([]), [])
    paired_codes = np.full(len(codes), MISSING, dtype=np.int32)
    paired_codes[known] = np.asarray(of_pair, dtype=np.int32)[places] if texts else MISSING
    return paired_codes, tuple(distinct.tolist())
