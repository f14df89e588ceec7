"""Choosing settings on training data alone: seeds derived from names, splits, folds, the best candidate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

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


def hold_out(n_sequences: int, share: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sequences to fit and sequences to choose by, drawn at random, each rising; at least one of either.

    Parameters
    ----------
    n_sequences : int
    share : float
        Of the sequences that choose.
    seed : int
    """
    if n_sequences < 2:
        raise ValueError("the training set has one sequence, so none can be held out; give at least two.")
    n_held_out = min(max(round(share * n_sequences), 1), n_sequences - 1)
    order = np.random.default_rng(seed).permutation(n_sequences)
    return np.sort(order[n_held_out:]), np.sort(order[:n_held_out])


class Split(NamedTuple):
    """Sequences to train with and sequences to test with.

    Attributes
    ----------
    train, test : int64 arrays
        Indices of sequences, rising.
    """

    train: NDArray[np.int64]
    test: NDArray[np.int64]


class Trial(NamedTuple):
    """One training that helps to choose settings, and the sequences that judge it.

    Attributes
    ----------
    train : int64 array
        Indices of the sequences to train with.
    held_out : tuple of (int, int, int64 array)
        Split whose settings are chosen, fold within it, indices of the sequences to judge by.
    """

    train: NDArray[np.int64]
    held_out: tuple[tuple[int, int, NDArray[np.int64]], ...]


def outer_splits(n_train: int, n_test: int, protocol: str) -> list[Split]:
    """How a data set is tested.

    Parameters
    ----------
    n_train, n_test : int
        Sequences of the training set and of the test set, which follow one another.
    protocol : "split" or "leave_one_out"
        One split, as given; or each sequence tests what the others have trained.
    """
    everything = np.arange(n_train + n_test)
    if protocol == "split":
        return [Split(everything[:n_train], everything[n_train:])]
    return [Split(np.delete(everything, i), everything[i : i + 1]) for i in everything]


def inner_trials(splits: Sequence[Split], n_folds: int, seed: int) -> list[Trial]:
    """The trainings of internal cross-validation.

    One split is cut into folds. Of several splits (documents that test in turn), training documents are held out one by
    one, at most `n_folds` of them (at least the two next to the testing one, on a circle, and those farther away as far as
    folds are left); what trains without documents i and j judges by j where i tests, and by i where j tests, so it is
    trained once.

    Parameters
    ----------
    splits : sequence of Split
    n_folds : int
    seed : int
    """
    if len(splits) == 1:
        train = splits[0].train
        folds = sequence_folds(len(train), n_folds, seed)
        return [Trial(np.delete(train, fold), ((0, i, train[fold]),)) for i, fold in enumerate(folds)]
    documents = np.arange(len(splits))
    if len(documents) < 3:
        raise ValueError(f"{len(documents)} documents cannot be left out in turn for testing and choosing; give three.")
    distances = [d for d in range(1, len(documents) // 2 + 1) if d == 1 or min(2 * d, len(documents) - 1) <= n_folds]
    pairs = [(i, j) for i in documents for j in documents if i < j and min(j - i, len(documents) + i - j) in distances]
    return [
        Trial(np.delete(documents, [i, j]), ((int(i), int(j), documents[[j]]), (int(j), int(i), documents[[i]])))
        for i, j in pairs
    ]


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
