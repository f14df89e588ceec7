"""What adds trees to potentials: with whole rows, or with rows that missing cells divide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf.trees.columns import Columns
from treecrf.trees.forest import Evaluator

if TYPE_CHECKING:
    from treecrf.trees.holes.blending import BlendingEvaluator


def make_evaluator(
    columns: Columns, labels_of_state: NDArray[np.int16], divides: bool, most_leaves: int, n_surrogates: int
) -> Evaluator | BlendingEvaluator:
    """An evaluator of trees with so many leaves and surrogates at most, on the windows of `columns`.

    `divides` says whether the trees divide rows; the kernels for that are loaded where they do alone.
    """
    if not divides:
        return Evaluator(columns, labels_of_state, most_leaves)
    from treecrf.trees.holes.blending import BlendingEvaluator

    return BlendingEvaluator(columns, labels_of_state, most_leaves, n_surrogates)
