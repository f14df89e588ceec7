"""Samples of the training set for each tree: of the positions, the rows that matter, the tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_POSITIONS, _COLUMNS = 1, 2  # streams of random numbers


class Sampling(NamedTuple):
    """The part of the training set that trees are grown from, as the settings of `TreeCRF` say; all unless given."""

    row_fraction: float = 1.0
    feature_fraction: float = 1.0
    influence_trimming: float = 0.0
    seed: int = 0


WHOLE = Sampling()
"""Trees are grown from all of the training set."""


def make_sampling(
    row_fraction: float,
    feature_fraction: float,
    influence_trimming: float,
    sampling_seed: int,
    pseudo_likelihood_iterations: int,
) -> Sampling:
    """The sampling that settings of `TreeCRF` ask for; a ValueError if one does not go with another."""
    if influence_trimming and pseudo_likelihood_iterations:
        raise ValueError(
            f"influence_trimming={influence_trimming!r}: rows have no such influence on the pseudo-likelihood; give 0 "
            "or set pseudo_likelihood_iterations=0."
        )
    return Sampling(float(row_fraction), float(feature_fraction), float(influence_trimming), int(sampling_seed))


def _share(fraction: float, number: int) -> int:
    """The nearest whole number to a part of some things, but at least one."""
    return max(round(fraction * number), 1)


def draw_positions(sampling: Sampling, n_positions: int, iteration: int) -> NDArray[np.int32]:
    """Draw the positions that the trees of an iteration see, int32, shape (n,), ascending, without replacement."""
    if sampling.row_fraction == 1.0:
        return np.arange(n_positions, dtype=np.int32)
    rng = np.random.default_rng([sampling.seed, _POSITIONS, iteration])
    drawn = np.zeros(n_positions, dtype=np.bool_)
    drawn[rng.choice(n_positions, _share(sampling.row_fraction, n_positions), replace=False, shuffle=False)] = True
    return np.flatnonzero(drawn).astype(np.int32)


def draw_columns(sampling: Sampling, max_leaves: int, n_columns: int, iteration: int, label: int) -> NDArray[np.bool_]:
    """Draw the columns whose tests each node of a tree may be split by, without replacement.

    Returns bool, shape (2 * max_leaves - 1, n_columns): the root first, then the two children of each split. There are
    no rows if every node may test all columns.
    """
    if sampling.feature_fraction == 1.0:
        return np.ones((0, n_columns), dtype=np.bool_)
    rng = np.random.default_rng([sampling.seed, _COLUMNS, iteration, label])
    permutations = rng.random((2 * max_leaves - 1, n_columns)).argsort(axis=1)
    return permutations < _share(sampling.feature_fraction, n_columns)
