"""One tree, flat: the list of its splits and its leaf values."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from treecrf.compiled.struct import Float64, Int32, allocate, compiled_type, struct

MAX_LEAVES = 2**15 - 1
"""Leaves are numbered in int16: the lanes of a large training set then stay in the first cache."""


@struct
class Tree(NamedTuple):
    """One tree as the list of its splits, in the order in which they were made.

    Split ``i`` is made in leaf ``parents[i]``; the rows where the test holds become leaf ``i + 1``. Column
    ``j < n_slots`` tests whether slot j holds the code, column ``n_slots + i`` whether the label ``i + 1``
    places back is the code, START being ``n_labels``.

    Where the outcome is not known and no surrogate tells, a part of the row goes to the true child: a share of
    `treecrf.trees.holes.leaves.FULL`. A surrogate is a slot, a code, and whether it stands for the test (1) or its
    opposite (0); a slot of -1 ends the list.
    """

    parents: Annotated[Int32, "n_splits"]
    columns: Annotated[Int32, "n_splits"]
    codes: Annotated[Int32, "n_splits"]
    values: Annotated[Float64, "n_splits + 1", "Leaf values."]
    shares: Annotated[Int32, "n_splits"]
    surrogates: Annotated[Int32, "n_splits, n_surrogates, 3"]

    def first(self, n_splits: int) -> Tree:
        """A copy of the tree that its first splits make."""
        parts = {name: array[:n_splits].copy() for name, array in self._asdict().items()}
        return Tree(**parts | {"values": self.values[: n_splits + 1].copy()})


TREE = compiled_type(Tree)


def make_tree(n_leaves: int, n_surrogates: int = 0) -> Tree:
    """Allocate a tree of this many leaves."""
    return allocate(Tree, n_splits=n_leaves - 1, n_surrogates=n_surrogates)
