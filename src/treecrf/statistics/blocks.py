"""Blocks of consecutive positions inside sequences, which take the place of sequences where these are few and long."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from treecrf.statistics.estimates import Estimates
from treecrf.statistics.pairs import make_pairs
from treecrf.statistics.two_way import estimate_trainings

LEAST_LENGTH = 50
"""Positions of a block, at least."""

TIMES = 10
"""Length of a block in autocorrelation times. Blocks then miss about 1 / (2 TIMES) of the variance, across borders."""


class BlockEstimates(NamedTuple):
    """Differences of every pair of methods by block; arrays of shape (n_pairs,), pairs as of `make_pairs`."""

    estimates: Estimates
    n_blocks: NDArray[np.int64]
    block_length: NDArray[np.int64]


def estimate_blocks(
    correct: Sequence[NDArray[np.bool_]], offsets: NDArray[np.int64], least_length: int = LEAST_LENGTH
) -> BlockEstimates:
    """Every pair of methods over blocks of positions, all trainings of each (`estimate_trainings`).

    Parameters
    ----------
    correct : sequence of bool arrays, shape (n_trainings, n_positions)
        Where each training of each method is right; the number of trainings may differ.
    offsets : int array, shape (n_sequences + 1,)
        Sequence i has the positions offsets[i] to offsets[i + 1] - 1.
    least_length : int
        Positions of a block, at least.

    Notes
    -----
    What it says is about other lines of *these* sequences. What one method has over the other in a whole document, and
    would not have in the next one, counts as a difference of the methods. Who uses it has to say so, and should take
    sequences where there are enough.

    A block is long enough for its ends to matter little: at least `TIMES` integrated autocorrelation times. The blocks
    of a sequence are nearly equal; a sequence shorter than two blocks is one.
    """
    right = [np.atleast_2d(some).astype(np.int64) for some in correct]
    found, counts, lengths = [], [], []
    for first, second in combinations(range(len(right)), 2):
        _, length, starts = choose_blocks(right[first], right[second], offsets, least_length)
        blocks = [np.add.reduceat(some, starts, axis=1) for some in (right[first], right[second])]
        found.append(estimate_trainings(make_pairs(blocks), np.diff(starts, append=offsets[-1])))
        counts.append(len(starts))
        lengths.append(length)
    return BlockEstimates(Estimates.joined(found), np.array(counts), np.array(lengths))


def choose_blocks(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    offsets: NDArray[np.int64],
    least_length: int = LEAST_LENGTH,
) -> tuple[float, int, NDArray[np.int64]]:
    """Autocorrelation time of the difference of errors, length of blocks, and their first positions.

    Parameters
    ----------
    first, second : int arrays, shape (n_trainings, n_positions)
        1 where a training of either method is right, 0 where it is wrong.
    offsets : int array, shape (n_sequences + 1,)
    least_length : int
        As for `estimate_blocks`.
    """
    difference = first.sum(axis=0) * len(second) - second.sum(axis=0) * len(first)
    time = autocorrelation_time(difference, offsets)
    length = max(least_length, int(np.ceil(TIMES * time)))
    return time, length, cut_blocks(offsets, length)


def cut_blocks(offsets: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """First positions of blocks of at least `length` positions, nearly equal in each sequence; at least one for each.

    Sequences without positions have none.

    Parameters
    ----------
    offsets : int array, shape (n_sequences + 1,)
    length : int
    """
    starts = [
        begin + (end - begin) * np.arange(n_blocks) // n_blocks
        for begin, end in pairwise(offsets.tolist())
        if (n_blocks := max(1, (end - begin) // length)) and end > begin
    ]
    return np.concatenate(starts).astype(np.int64)


def autocorrelation_time(values: NDArray[np.integer], offsets: NDArray[np.int64]) -> float:
    """Integrated autocorrelation time 1 + 2 (r_1 + r_2 + ..) of sequences that share mean and correlations; at least 1.

    Parameters
    ----------
    values : int array, shape (n_positions,)
    offsets : int array, shape (n_sequences + 1,)

    Returns
    -------
    float
        In positions; 1 where no value differs from another.

    Notes
    -----
    Autocovariances are sums over all sequences, none across a border, of deviations from the mean of all: a mean of its
    own for each sequence would hide what is correlated over a whole sequence. The sum stops where two neighbouring ones
    (2m, 2m + 1) add up to nothing or less (the initial positive sequence, Geyer 1992, Statistical Science 7:473-483).
    """
    if np.ptp(values) == 0:
        return 1.0
    deviations = values - values.mean()
    longest = int(np.diff(offsets).max())
    size = next_fast_len(2 * longest, real=True)
    spectrum = np.zeros(size // 2 + 1)
    for begin, end in pairwise(offsets.tolist()):
        spectrum += np.abs(rfft(deviations[begin:end], size)) ** 2
    covariances = irfft(spectrum, size)[: longest - longest % 2].reshape(-1, 2).sum(axis=1)
    n_positive = int(np.argmin(np.append(covariances, 0.0) > 0))
    return max(1.0, float(2 * covariances[:n_positive].sum() / (deviations**2).sum() - 1))
