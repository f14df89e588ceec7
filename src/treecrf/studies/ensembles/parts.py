"""The parts of a data set: A trains experts, B trains what combines them, C tests (protocol of ensembles)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treecrf.datasets.synthetic import Splits
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import sequence_folds


def divide(data: SequenceSet, sizes: Sequence[float], seed: int) -> Splits:
    """Draw the three parts, as train, validation and test; related sequences are in the same one.

    Parameters
    ----------
    data : SequenceSet
    sizes : sequence of float
        Sequences of each part, at least, as far as the set has so many; shares of all if they sum to at most 1.
    seed : int

    Raises
    ------
    ValueError
        If the set is too small.
    """
    wanted = np.array(sizes) * (len(data) if sum(sizes) <= 1 else 1)
    if round(wanted.sum()) > len(data):
        raise ValueError(
            f"parts of {', '.join(f'{size:g}' for size in wanted)} sequences were asked for and there are {len(data)}; lower sizes."
        )
    order = _shuffled(data.groups, seed)
    lengths = np.cumsum([len(group) for group in order])
    ends = np.minimum(np.searchsorted(lengths, np.round(np.cumsum(wanted))) + 1, len(order))
    parts = [order[first:last] for first, last in zip([0, *ends], ends, strict=False)]
    if not all(parts):
        raise ValueError(f"{len(order)} unrelated sequences do not make three parts; give more, or other sizes.")
    return Splits(*(data.select(np.sort(np.concatenate(part))) for part in parts))


def _shuffled(groups: NDArray[np.int64], seed: int) -> list[NDArray[np.int64]]:
    """The sequences of each group, the groups in random order."""
    n_groups = len(np.unique(groups))
    return sequence_folds(groups, n_groups, seed)
