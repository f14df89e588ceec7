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
    shares : int32, shape (n_splits,)
        Part of a row whose outcome is not known that goes to the true child where no surrogate tells, of
        `treecrf.trees.holes.copies.FULL`.
    surrogates : int32, shape (n_splits, n_surrogates, 3)
        Slot, code, and whether the surrogate stands for the test (1) or its opposite (0); a slot of -1 ends
        the list.
    """

    parents: NDArray[np.int32]
    columns: NDArray[np.int32]
    codes: NDArray[np.int32]
    values: NDArray[np.float64]
    shares: NDArray[np.int32]
    surrogates: NDArray[np.int32]

    def first(self, n_splits: int) -> Tree:
        """A copy of the tree that its first splits make."""
        return Tree(
            parents=self.parents[:n_splits].copy(),
            columns=self.columns[:n_splits].copy(),
            codes=self.codes[:n_splits].copy(),
            values=self.values[: n_splits + 1].copy(),
            shares=self.shares[:n_splits].copy(),
            surrogates=self.surrogates[:n_splits].copy(),
        )


TREE = types.NamedTuple((int32[::1], int32[::1], int32[::1], float64[::1], int32[::1], int32[:, :, ::1]), Tree)
"""The compiled type of `Tree`."""


def make_tree(max_leaves: int, n_surrogates: int = 0) -> Tree:
    """Allocate a tree for `grow_tree` to write to."""
    parents, columns, codes, shares = (np.zeros(max_leaves - 1, dtype=np.int32) for _ in range(4))
    surrogates = np.zeros((max_leaves - 1, n_surrogates, 3), dtype=np.int32)
    return Tree(parents, columns, codes, np.zeros(max_leaves), shares, surrogates)
