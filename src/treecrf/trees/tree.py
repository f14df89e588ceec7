"""One tree, flat: the list of its splits and its leaf values."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import int32, int64
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int32, Int64, allocate, compiled_type, struct

MAX_LEAVES = 2**15 - 1
"""Leaves are numbered in int16: the lanes of a large training set then stay in the first cache."""


@struct
class Tree(NamedTuple):
    """One tree as the list of its splits, in the order in which they were made.

    Split ``i`` is made in leaf ``parents[i]``; the rows where its test holds become leaf ``i + 1``. A test asks whether
    a column holds one of a set of codes: column ``j < n_slots`` is slot j, column ``n_slots + k`` the label ``k + 1``
    places back, whose codes are those of labels and START, ``n_labels``.

    Where the outcome is not known and no surrogate tells, a part of the row goes to the true child: a share of
    `treecrf.trees.missing.partition.FULL`. A surrogate is a slot, a set of its codes, and whether it stands for the
    test (1) or its opposite (0); a slot of -1 ends the list. Set ``i * (1 + n_surrogates)`` is that of split i; those
    of its surrogates follow.
    """

    parents: Annotated[Int32, "n_splits"]
    columns: Annotated[Int32, "n_splits"]
    codes: Annotated[Int32, "n_codes", "Set after set, ascending in each."]
    first_code: Annotated[Int64, "n_sets + 1", "Of each set."]
    values: Annotated[Float64, "n_splits + 1", "Leaf values."]
    shares: Annotated[Int32, "n_splits"]
    surrogates: Annotated[Int32, "n_splits, n_surrogates, 2", "Slot, and 1 for the test or 0 for its opposite."]
    gains: Annotated[Float64, "n_splits", "What each split gained in training; nothing that predicts looks at it."]

    def first(self, n_splits: int) -> Tree:
        """A copy of the tree that its first splits make."""
        n_sets = n_splits * (1 + self.surrogates.shape[1])
        others = {"codes": self.first_code[n_sets], "first_code": n_sets + 1, "values": n_splits + 1}
        ends = dict.fromkeys(self._fields, n_splits) | others
        return Tree(**{name: getattr(self, name)[:end].copy() for name, end in ends.items()})

    def opposite(self) -> Tree:
        """The same splits with the opposite values."""
        return self._replace(values=-self.values)

    def test(self, split: int) -> NDArray[np.int32]:
        """The codes for which the test of a split holds."""
        return self.set(split * (1 + self.surrogates.shape[1]))

    def set(self, number: int) -> NDArray[np.int32]:
        """The codes of a set."""
        return self.codes[self.first_code[number] : self.first_code[number + 1]]


TREE = compiled_type(Tree)


def make_tree(n_leaves: int, n_surrogates: int = 0, n_codes: int = 1) -> Tree:
    """Allocate a tree of this many leaves, whose sets have at most `n_codes` codes."""
    n_sets = (n_leaves - 1) * (1 + n_surrogates)
    sizes = {"n_splits": n_leaves - 1, "n_surrogates": n_surrogates, "n_sets": n_sets, "n_codes": n_sets * n_codes}
    return allocate(Tree, **sizes)


@kernel(int32[::1](TREE, int64), allocates=True)
def set_of(tree, number):
    """The codes of a set."""
    return tree.codes[tree.first_code[number] : tree.first_code[number + 1]]
