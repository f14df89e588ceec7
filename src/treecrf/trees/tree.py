"""One tree, flat: the list of its splits and its leaf values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import float64, int32, types
from numpy.typing import NDArray

MAX_LEAVES = 2**15 - 1
"""Leaves are numbered in int16: the lanes of a large training set then stay in the first cache."""


class Tree(NamedTuple):
    """One tree as the list of its splits, in the order in which they were made.

    Attributes
    ----------
    parents, columns, codes : int32, shape (n_splits,)
        Split ``i`` is made in leaf ``parents[i]``; the rows where the test holds become leaf ``i + 1``. Column
        ``j < n_slots`` tests whether slot j holds the code, column ``n_slots + i`` whether the label ``i + 1``
        places back is the code, START being ``n_labels``.
    values : float64, shape (n_splits + 1,)
        Leaf values.
    """

    parents: NDArray[np.int32]
    columns: NDArray[np.int32]
    codes: NDArray[np.int32]
    values: NDArray[np.float64]


TREE = types.NamedTuple((int32[::1], int32[::1], int32[::1], float64[::1]), Tree)
"""The compiled type of `Tree`."""


def make_tree(max_leaves: int) -> Tree:
    """Allocate a tree for `grow_tree` to write to."""
    parents, columns, codes = (np.zeros(max_leaves - 1, dtype=np.int32) for _ in range(3))
    return Tree(parents, columns, codes, np.zeros(max_leaves))
