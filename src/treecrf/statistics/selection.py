"""Choosing settings on training data alone: seeds derived from names, splits, folds, the best candidate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treecrf.io.arrays import Ints, check_count, integers
from treecrf.io.messages import counted

if TYPE_CHECKING:
    import pandas as pd


def derive_seed(*names: object) -> int:
    """A seed that depends on `names` alone: the first 8 bytes of the SHA-256 of their texts."""
    text = "\0".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def generator(*names: object, seed: int) -> np.random.Generator:
    """A generator for some names (of the data set, of the part drawn) and a seed >= 0; the same on every machine."""
    check_count("seed", seed, least=0)
    return np.random.default_rng([int(seed), derive_seed(*names)])


def sequence_folds(groups: Ints, n_folds: int, seed: int | np.random.Generator) -> list[Ints]:
    """Cut sequences into folds of nearly equally many groups, at random.

    Parameters
    ----------
    groups : int64, shape (n_sequences,)
        Sequences with the same number are held out together (`treecrf.SequenceSet.groups`).
    n_folds : int
    seed : int or numpy Generator

    Returns
    -------
    list of int64 arrays
        The sequences held out in each fold, rising; together each sequence once.
    """
    members = _members(_checked(groups))
    if len(members) < n_folds:
        raise ValueError(
            f"{n_folds} folds need as many unrelated sequences and there are {len(members)}; lower n_folds."
        )
    order = np.random.default_rng(seed).permutation(len(members))
    return [_joined(members, part) for part in np.array_split(order, n_folds)]


def hold_out(groups: Ints, share: float, seed: int | np.random.Generator) -> tuple[Ints, Ints]:
    """Sequences to fit and sequences to choose by, drawn at random, each rising; at least one group of either.

    Parameters
    ----------
    groups : int64, shape (n_sequences,)
        Sequences with the same number stay together (`treecrf.SequenceSet.groups`).
    share : float
        Of the groups that choose.
    seed : int or numpy Generator
    """
    members = _members(_checked(groups))
    if len(members) < 2:
        raise ValueError("the training set has no two unrelated sequences, so none can be held out; give at least two.")
    n_held_out = min(max(round(share * len(members)), 1), len(members) - 1)
    order = np.random.default_rng(seed).permutation(len(members))
    return _joined(members, order[n_held_out:]), _joined(members, order[:n_held_out])


_MOST_GROUP = 2**62
"""As in a `treecrf.SequenceSet`."""


def _checked(groups: ArrayLike) -> Ints:
    return integers(groups, "groups", ("n_sequences",), least=-_MOST_GROUP, most=_MOST_GROUP, some=False)


def _members(groups: Ints) -> list[Ints]:
    """The sequences of each group, in order of the groups' first appearance."""
    _, first, counts = np.unique(groups, return_index=True, return_counts=True)
    members = np.split(np.argsort(groups, kind="stable"), np.cumsum(counts)[:-1])
    return [members[number] for number in np.argsort(first)]


def _joined(members: list[Ints], chosen: Ints) -> Ints:
    """All sequences of some groups, rising."""
    return np.sort(np.concatenate([members[group] for group in chosen])).astype(np.int64)


class Split(NamedTuple):
    """Sequences to train with and sequences to test with.

    Attributes
    ----------
    train, test : int64 arrays
        Indices of sequences, rising.
    """

    train: Ints
    test: Ints


class Trial(NamedTuple):
    """One training that helps to choose settings, and the sequences that judge it.

    Attributes
    ----------
    train : int64 array
        Indices of the sequences to train with.
    held_out : tuple of (int, int, int64 array)
        Split whose settings are chosen, fold within it, indices of the sequences to judge by.
    """

    train: Ints
    held_out: tuple[tuple[int, int, Ints], ...]


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


def repeated_folds(groups: Ints, n_folds: int | None, n_repeats: int, seed: int) -> list[Split]:
    """Repeated cross-validation: in each repeat every sequence tests once what the other folds have trained.

    Parameters
    ----------
    groups : int64, shape (n_sequences,)
        Sequences with the same number stay together (`treecrf.SequenceSet.groups`).
    n_folds : int or None
        None: each group in turn tests, which has nothing to repeat.
    n_repeats : int
        Each with folds of its own; a later repeat changes no earlier one.
    seed : int

    Returns
    -------
    list of Split
        The folds of one repeat after those of another.
    """
    groups = _checked(groups)
    everything = np.arange(len(groups))
    if n_folds is None:
        n_folds, n_repeats = len(np.unique(groups)), 1
    seeds = [derive_seed(seed, "repeat", repeat) for repeat in range(n_repeats)]
    return [
        Split(np.delete(everything, fold), fold) for each in seeds for fold in sequence_folds(groups, n_folds, each)
    ]


def training_draws(groups: Ints, n_train: int, n_draws: int, seed: int) -> list[Split]:
    """Training sets drawn from one sample; all sequences that a draw does not take test it.

    Parameters
    ----------
    groups : int64, shape (n_sequences,)
        Sequences with the same number stay together; draws are of groups.
    n_train : int
        Sequences of a training set, nearly: the share of groups is that of sequences.
    n_draws : int
        A later draw changes no earlier one.
    seed : int
    """
    groups = _checked(groups)
    if not 0 < n_train < len(groups):
        raise ValueError(
            f"{n_train} of {counted(len(groups), 'sequence')} cannot train with some left to test; draw fewer."
        )
    share = 1 - n_train / len(groups)
    return [Split(*hold_out(groups, share, derive_seed(seed, "draw", draw))) for draw in range(n_draws)]


def inner_trials(splits: Sequence[Split], groups: Ints, n_folds: int, seed: int) -> list[Trial]:
    """The trainings of internal cross-validation.

    One split is cut into folds of whole groups. Of several splits (documents that test in turn), training documents are
    held out one by one, at most `n_folds` of them (at least the two next to the testing one, on a circle, and those
    farther away as far as folds are left); what trains without documents i and j judges by j where i tests, and by i
    where j tests, so it is trained once.

    Parameters
    ----------
    splits : sequence of Split
    groups : int64
        Of the sequences that the splits number; documents that test in turn count as unrelated.
    n_folds : int
    seed : int
    """
    if len(splits) == 1:
        groups = _checked(groups)
        train = integers(splits[0].train, "train", ("n_sequences",), least=0, most=len(groups) - 1)
        folds = sequence_folds(groups[train], n_folds, seed)
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
