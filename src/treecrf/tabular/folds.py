"""Folds of a file's sequences; of one or two long sequences, folds of their parts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.datasets.grouping import group_copies, join_groups
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import sequence_folds

N_FOLDS, N_FOLDS_OF_SMALL = 3, 5
"""The more folds, the nearer are trainings to one with the whole file; of a small file more can be afforded."""

SMALL = 5000
"""Positions below which a file is small."""

FEW_GROUPS = 3
"""Fewer unrelated sequences are cut into blocks: to hold one out would leave too little to train with."""

N_BLOCKS = 12
"""Of all sequences together, nearly: enough for an interval, and as long as they can then be."""


class Folds(NamedTuple):
    """Sequences, or blocks of sequences, in folds.

    Attributes
    ----------
    data : SequenceSet
        What the folds number; of blocks, each is a sequence by itself.
    parts : list of int64 arrays
        The sequences held out in each fold.
    are_blocks : bool
    """

    data: SequenceSet
    parts: list[NDArray[np.int64]]
    are_blocks: bool

    def split(self, fold: int) -> tuple[SequenceSet, SequenceSet]:
        """What trains and what is held out."""
        held_out = self.parts[fold]
        return self.data.select(np.setdiff1d(np.arange(len(self.data)), held_out)), self.data.select(held_out)

    def split_part(self, fold: int, most_positions: int, seed: int) -> tuple[SequenceSet, SequenceSet]:
        """The same, but of a large training set only groups drawn at random up to so many positions."""
        train, held_out = self.split(fold)
        return draw_part(train, seed, most_positions, N_FOLDS - 1), held_out


def make_folds(data: SequenceSet, seed: int, most_positions: int) -> Folds:
    """Cut a set into folds, `N_FOLDS` or `N_FOLDS_OF_SMALL`, but no more than there are unrelated sequences.

    Sequences stay whole, and related ones (`SequenceSet.groups`, and copies) together. Fewer than `FEW_GROUPS` unrelated
    sequences are cut into blocks of consecutive observations, each of which counts as a sequence: what they tell is then about
    other parts of the same sequences, and windows do not see across a cut.

    Parameters
    ----------
    data : SequenceSet
    seed : int
    most_positions : int
        Of a larger set, unrelated sequences are drawn up to so many positions, but `N_FOLDS` groups at least.
    """
    related = data.with_groups(join_groups(data.groups, group_copies(data)))
    are_blocks = len(np.unique(related.groups)) < FEW_GROUPS
    if are_blocks:
        related = cut_into_blocks(data, N_BLOCKS)
    part = draw_part(related, seed, most_positions, N_FOLDS)
    n_folds = min(N_FOLDS_OF_SMALL if part.n_positions < SMALL else N_FOLDS, len(np.unique(part.groups)))
    return Folds(part, sequence_folds(part.groups, n_folds, seed), are_blocks)


def draw_part(data: SequenceSet, seed: int, most_positions: int, least_groups: int) -> SequenceSet:
    """Whole groups at random, up to so many positions but so many groups at least, in their order."""
    if data.n_positions <= most_positions:
        return data
    groups, member = np.unique(data.groups, return_inverse=True)
    sizes = np.bincount(member, weights=data.lengths)
    order = np.random.default_rng(seed).permutation(len(groups))
    taken = (np.cumsum(sizes[order]) <= most_positions) | (np.arange(len(order)) < least_groups)
    return data.select(np.flatnonzero(np.isin(member, order[taken])))


def cut_into_blocks(data: SequenceSet, n_blocks: int) -> SequenceSet:
    """Sequences cut into blocks of nearly equally many positions, each a sequence and a group by itself.

    Observations that no label belongs to stay with the last block.

    Parameters
    ----------
    data : SequenceSet
    n_blocks : int
        Blocks in all, nearly: each sequence has its share of them, but none without a position.

    Raises
    ------
    ValueError
        If fewer than three blocks have a position each.
    """
    starts, observations = [], []
    for sequence, length in enumerate(data.lengths):
        n_here = min(max(round(n_blocks * length / data.n_positions), 1), length)
        cuts = np.arange(n_here) * length // max(n_here, 1)
        starts.append(data.offsets[sequence] + cuts)
        observations.append(data.observation_offsets[sequence] + cuts)
    offsets = np.append(np.concatenate(starts), data.offsets[-1])
    if len(offsets) <= FEW_GROUPS:
        raise ValueError(
            f"{data.n_positions} positions cannot be cut into three parts that choose; give a longer file, or name a --method."
        )
    of_observations = np.append(np.concatenate(observations), data.observation_offsets[-1])
    return SequenceSet(
        data.values, offsets, data.attributes, data.labels, data.label_names, of_observations,
        numbers=data.numbers, number_names=data.number_names,
    )  # fmt: skip
