"""The entries of a lattice label by label: a tree's rows are those of one label."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.lattice import Lattice, predecessor_counts


class LabelRows(NamedTuple):
    """Where a lattice has a label.

    Attributes
    ----------
    entries : int64, shape (n,)
        Ascending.
    positions : int32, shape (n,)
    blocks : int64, shape (n,)
        First pair of each entry.
    """

    entries: NDArray[np.int64]
    positions: NDArray[np.int32]
    blocks: NDArray[np.int64]


def rows_by_label(lattice: Lattice, n_labels: int) -> list[LabelRows]:
    """Where a lattice has each label."""
    counts = np.diff(lattice.first)
    before = predecessor_counts(lattice.offsets, counts)
    positions = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    blocks = (np.arange(len(lattice.labels)) - lattice.first[positions]) * before[positions]
    blocks += lattice.first_pair[positions]
    order = np.argsort(lattice.labels, kind="stable")
    bounds = np.searchsorted(lattice.labels[order], np.arange(n_labels + 1))
    parts = [order[begin:end] for begin, end in pairwise(bounds)]
    return [LabelRows(part, positions[part], blocks[part]) for part in parts]
