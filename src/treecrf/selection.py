"""Choosing settings on training data alone: seeds derived from names, folds, the best candidate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def derive_seed(*names: object) -> int:
    """A seed that depends on `names` alone: the first 8 bytes of the SHA-256 of their texts."""
    text = "\0".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def sequence_folds(n_sequences: int, n_folds: int, seed: int) -> list[NDArray[np.int64]]:
    """Cut sequences into folds of nearly equal size, at random.

    Parameters
    ----------
    n_sequences, n_folds : int
    seed : int

    Returns
    -------
    list of int64 arrays
        The sequences held out in each fold, rising; together each sequence once.
    """
    if n_sequences < n_folds:
        raise ValueError(f"{n_folds} folds need as many sequences and there are {n_sequences}; lower n_folds.")
    order = np.random.default_rng(seed).permutation(n_sequences)
    return [np.sort(part).astype(np.int64) for part in np.array_split(order, n_folds)]


def best_candidate(scores: pd.DataFrame, keys: Sequence[str], score: str) -> pd.Series:
    """The row with the highest score; among equals the first one in rising order of `keys`.

    Parameters
    ----------
    scores : DataFrame
        One row per candidate.
    keys : sequence of str
        Columns that tell candidates apart; the order in which they are named breaks ties.
    score : str
        Column with the score.

    Returns
    -------
    Series
        The chosen row.
    """
    ordered = scores.sort_values(list(keys), kind="stable")
    return ordered.iloc[int(ordered[score].to_numpy().argmax())]
