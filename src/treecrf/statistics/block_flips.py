"""Sign flips for few long sequences: methods change places in blocks of consecutive positions inside sequences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from treecrf.statistics.equivalence import CONFIDENCE
from treecrf.statistics.holm import adjust_holm
from treecrf.statistics.pairs import make_pairs
from treecrf.statistics.sign_flip import N_FLIPS, compare_flips
from treecrf.statistics.two_way import estimate_trainings

LEAST_LENGTH = 50
"""Positions of a block, at least."""

TIMES = 10
"""Length of a block in autocorrelation times. Flips then miss about 1 / (2 TIMES) of the variance, across borders."""


def compare_block_flips(
    methods: Sequence[str],
    correct: Sequence[NDArray[np.bool_]],
    offsets: NDArray[np.int64],
    seed: int,
    least_length: int = LEAST_LENGTH,
    n_flips: int = N_FLIPS,
) -> pd.DataFrame:
    """Every pair of methods by flips of blocks, all trainings of each.

    Parameters
    ----------
    methods : sequence of str
        Names.
    correct : sequence of bool arrays, shape (n_trainings, n_positions)
        Where each training of each method is right; the number of trainings may differ.
    offsets : int array, shape (n_sequences + 1,)
        Sequence i has the positions offsets[i] to offsets[i + 1] - 1.
    seed : int
        Of the flips.
    least_length : int
        Positions of a block, at least.
    n_flips : int
        As for `treecrf.statistics.sign_flip.compare_flips`.

    Returns
    -------
    DataFrame
        As of `treecrf.statistics.sign_flip.compare_flips`, with n_blocks in the place of n_clusters,
        autocorrelation_time (of the difference of errors, in positions) and block_length.

    Notes
    -----
    The null hypothesis is that of `treecrf.statistics.sign_flip.flip_p_values` with blocks in the place of clusters: it
    is about other lines of *these* sequences. What one method has over the other in a whole document, and would not
    have in the next one, counts as a difference of the methods. Who uses the test has to say so, and should take flips
    of sequences where there are enough.

    A block is long enough for its ends to matter little: at least `TIMES` integrated autocorrelation times. The blocks
    of a sequence are nearly equal; a sequence shorter than two blocks is one.
    """
    right = [np.atleast_2d(some).astype(np.int64) for some in correct]
    frames = []
    for first, second in combinations(range(len(right)), 2):
        time, length, starts = choose_blocks(right[first], right[second], offsets, least_length)
        blocks = [np.add.reduceat(some, starts, axis=1) for some in (right[first], right[second])]
        row = compare_flips([methods[first], methods[second]], blocks, int(offsets[-1]), seed, n_flips)
        estimates = estimate_trainings(make_pairs(blocks), np.diff(starts, append=offsets[-1]))
        (low, high), (low_90, high_90) = (estimates.interval(confidence) for confidence in (0.95, CONFIDENCE))
        ends = {"low": low, "high": high, "low_90": low_90, "high_90": high_90}
        row = row.rename(columns={"n_clusters": "n_blocks"})
        frames.append(row.assign(autocorrelation_time=time, block_length=length, **ends))
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(p_holm=adjust_holm(frame["p_value"].to_numpy()))


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
        As for `compare_block_flips`.
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
