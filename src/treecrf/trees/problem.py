"""The data that a tree is grown from, and the settings of its growth."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.chain import StateSpace
from treecrf.compiled.struct import Int8, Int16, Int64, compiled_type, struct
from treecrf.trees.columns import Columns
from treecrf.trees.packing import Packing
from treecrf.trees.search import INCORPORATED, ONE_VS_REST, Growth
from treecrf.trees.sweep import Sweep, n_spaced, n_table
from treecrf.trees.tree import Tree, make_tree


@struct
class Handling(NamedTuple):
    """What happens to a row where the tested cell is missing.

    With a learned direction, the row goes to one side, that with the larger gain in training (default direction).
    Otherwise gains are taken from the rows where the test's outcome is known. Where no surrogate or direction tells, the
    row goes to the side with more of the known rows, or blends: it goes to both sides, with weights in proportion to the
    known rows there (instance weighting, PhD section 4.2).
    """

    learns_direction: bool
    scales_gain: Annotated[bool, "Whether a gain is multiplied by the known share of the node's rows, as C4.5 does."]
    n_surrogates: Annotated[int, "So many surrogate tests are tried first, best first (PhD section 4.3; 0: none)."]
    either_polarity: Annotated[bool, "Whether the opposite of a test may be a surrogate too."]
    blends: bool


HANDLING = compiled_type(Handling)
NO_HANDLING = Handling(False, False, 0, False, False)
"""Where no cell is missing, or missing is a code like another."""

NO_DEPTHS, NO_COUNTS = np.zeros(0, dtype=np.int16), np.zeros((0, 0, 0), dtype=np.int64)
"""Where nothing needs what `Problem` has of them."""


@struct
class Problem(NamedTuple):
    """The windows of a training set, and the settings of its trees.

    Where cells may be missing, the last cell of each slot is "missing". A *column* is a slot, or a previous label; its
    tests have the numbers ``first_feature[j]`` to ``first_feature[j + 1] - 1``: first those of window cells. The number of previous labels of each
    position, and what `treecrf.trees.holes.surrogates.count_missing` gives, are empty where windows stand for several
    positions or nothing needs them.
    """

    columns: Columns
    sweep: Sweep
    labels_of_state: Annotated[Int16, "n_all_states, order"]
    kinds: Annotated[Int8, "n_columns", "As in `treecrf.trees.search`."]
    first_feature: Annotated[Int64, "n_columns + 1"]
    n_labels: int
    max_leaves: int
    growth: Growth
    packing: Packing
    handling: Handling
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
            "n_columns": len(self.kinds),
            "n_most_codes": self.most_codes,
            "n_surrogates": self.handling.n_surrogates,
            "n_depths": order + 1,
            "n_spaced": n_spaced(self.sweep),
            "n_table": n_table(self.sweep),
        }

    @property
    def most_codes(self) -> int:
        """Codes of the column that has most."""
        return int(np.diff(self.first_feature).max(initial=1))

    def make_tree(self) -> Tree:
        """A buffer for the largest tree."""
        n_codes = 1 if (self.kinds == ONE_VS_REST).all() and self.growth.missing != INCORPORATED else self.most_codes
        return make_tree(self.max_leaves, self.handling.n_surrogates, n_codes)


PROBLEM = compiled_type(Problem)


def make_problem(
    columns: Columns,
    sweep: Sweep,
    space: StateSpace,
    kinds: NDArray[np.int8],
    max_leaves: int,
    growth: Growth,
    packing: Packing,
    handling: Handling = NO_HANDLING,
    depths: NDArray[np.int16] = NO_DEPTHS,
    missing_counts: NDArray[np.int64] = NO_COUNTS,
) -> Problem:
    """A `Problem`, of whose columns `kinds` tells those of the slots and then those of the previous labels."""
    lags = np.full(space.order, space.n_labels + 1, dtype=np.int64)
    first_feature = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(columns.first_cell), lags]))])
    return Problem(
        columns, sweep, space.labels_of_state, kinds.astype(np.int8), first_feature.astype(np.int64), space.n_labels,
        max_leaves, growth, packing, handling, depths, missing_counts,
    )  # fmt: skip
