"""One tree, flat: the data and the settings that it is grown from, and the list of its splits with its leaf values."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numba import float64, int32, int64
from numpy.typing import NDArray

from treecrf.chain import StateSpace
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int8, Int16, Int32, Int64, allocate, compiled_type, struct
from treecrf.trees.columns import Columns
from treecrf.trees.packing import Packing
from treecrf.trees.splitting import INCORPORATED, ONE_VS_REST, SplitParams

MAX_LEAVES = 2**15 - 1
"""Leaves are numbered in int16: the lanes of a large training set then stay in the first cache."""


@struct
class Tree(NamedTuple):
    """One tree as the list of its splits, in the order in which they were made.

    Split ``i`` is made in leaf ``parents[i]``; the rows where its test holds become leaf ``i + 1``. A test asks whether
    a column holds one of a set of codes: column ``j < n_slots`` is slot j, column ``n_slots + k`` the label ``k + 1``
    places back, whose codes are those of labels and START, ``n_labels``.

    Where the outcome is not known and no surrogate tells, a part of the row goes to the true child: a share of
    `FULL`. A surrogate is a slot, a set of its codes, and whether it stands for the
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


@struct
class MissingPolicy(NamedTuple):
    """What happens to a row where the tested cell is missing.

    With a learned direction, the row goes to one side, that with the larger gain in training (default direction).
    Otherwise gains are taken from the rows where the test's outcome is known. Where no surrogate or direction tells,
    the row goes to the side with more of the known rows, or blends: it goes to both sides, with weights in proportion
    to the known rows there (instance weighting, PhD section 4.2).
    """

    learns_direction: bool
    scales_gain: Annotated[bool, "Whether a gain is multiplied by the known share of the node's rows, as C4.5 does."]
    n_surrogates: Annotated[int, "So many surrogate tests are tried first, best first (PhD section 4.3; 0: none)."]
    either_polarity: Annotated[bool, "Whether the opposite of a test may be a surrogate too."]
    blends: bool


MISSING_POLICY = compiled_type(MissingPolicy)
NO_POLICY = MissingPolicy(False, False, 0, False, False)
"""Where no cell is missing, or missing is a code like another."""

FULL = 1 << 30
"""The weight of a whole row; weights are integers, so the weights of a row's copies sum to it exactly."""


@kernel(int64(MISSING_POLICY, int64, int64), error_model="numpy")
def share_of_known(missing_policy, weight, known_weight):
    """Part of an unknown copy that goes to the true child, of this weight, where no direction or surrogate tells."""
    if missing_policy.blends:
        return int64(math.floor(float64(FULL) * (float64(weight) / float64(known_weight)) + 0.5))
    return FULL if 2 * weight > known_weight else 0


NO_DEPTHS, NO_COUNTS = np.zeros(0, dtype=np.int16), np.zeros((0, 0, 0), dtype=np.int64)
"""Where nothing needs what `Problem` has of them."""


@struct
class Problem(NamedTuple):
    """The windows of a training set, and the settings of its trees.

    Where cells may be missing, the last cell of each slot is "missing". A *column* is a slot, or a previous label; its
    tests have the numbers ``first_feature[j]`` to ``first_feature[j + 1] - 1``: first those of window cells. The number
    of previous labels of each position, and what `treecrf.trees.missing.surrogates.count_missing` gives, are empty
    where windows stand for several positions or nothing needs them.
    """

    columns: Columns
    labels_of_state: Annotated[Int16, "n_all_states, order"]
    feature_types: Annotated[Int8, "n_columns", "As in `treecrf.trees.splitting`."]
    first_feature: Annotated[Int64, "n_columns + 1"]
    n_labels: int
    max_leaves: int
    split_params: SplitParams
    packing: Packing
    missing_policy: MissingPolicy
    depths: Annotated[Int16, "n_positions"]
    missing_counts: Annotated[Int64, "n_depths, n_slots, n_cells"]

    def sizes(self) -> dict[str, int]:
        """Lengths of the buffers that growing needs."""
        n_all_states, order = self.labels_of_state.shape
        return {
            "n_leaves": self.max_leaves,
            "n_all_states": n_all_states,
            "n_positions": len(self.columns.cells),
            "n_cells": int(self.columns.first_cell[-1]),
            "n_features": int(self.first_feature[-1]),
            "n_columns": len(self.feature_types),
            "n_most_codes": self.most_codes,
            "n_surrogates": self.missing_policy.n_surrogates,
            "n_depths": order + 1,
        }

    @property
    def most_codes(self) -> int:
        """Codes of the column that has most."""
        return int(np.diff(self.first_feature).max(initial=1))

    def make_tree(self) -> Tree:
        """A buffer for the largest tree."""
        n_codes = (
            1
            if (self.feature_types == ONE_VS_REST).all() and self.split_params.missing != INCORPORATED
            else self.most_codes
        )
        return make_tree(self.max_leaves, self.missing_policy.n_surrogates, n_codes)


PROBLEM = compiled_type(Problem)


def make_problem(
    columns: Columns,
    space: StateSpace,
    feature_types: NDArray[np.int8],
    max_leaves: int,
    split_params: SplitParams,
    packing: Packing,
    missing_policy: MissingPolicy = NO_POLICY,
    depths: NDArray[np.int16] = NO_DEPTHS,
    missing_counts: NDArray[np.int64] = NO_COUNTS,
) -> Problem:
    """A `Problem`, of whose columns `feature_types` tells those of the slots and then those of the previous labels."""
    lags = np.full(space.order, space.n_labels + 1, dtype=np.int64)
    first_feature = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(columns.first_cell), lags]))])
    return Problem(
        columns,
        space.labels_of_state,
        feature_types.astype(np.int8),
        first_feature.astype(np.int64),
        space.n_labels,
        max_leaves,
        split_params,
        packing,
        missing_policy,
        depths,
        missing_counts,
    )
