"""The windows of a data set as the trees of a labeller see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf.sequences import SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import Columns, build_columns, distinct_windows

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF


def columns_of(labeller: TreeCRF, data: SequenceSet, with_missing: bool | None = None) -> Columns:
    """The windows of all positions; `with_missing` says whether each slot has a cell for "missing", if not its setting."""
    sizes = slot_sizes(data.attributes, labeller.window)
    with_missing = labeller.missing != "error" if with_missing is None else with_missing
    return build_columns(window_codes(data, labeller.window), sizes + with_missing)


def distinct_windows_of(
    labeller: TreeCRF, data: SequenceSet, with_missing: bool | None = None
) -> tuple[Columns, SequenceSet, NDArray[np.int32] | None]:
    """Windows that differ, if a window is one observation, as columns and as data, and the window of every position.

    Else, and if all differ, the windows of all positions, and None. Parameters are those of `columns_of`.
    """
    columns = columns_of(labeller, data, with_missing)
    if tuple(labeller.window) == (0, 0):
        examples, window_of = distinct_windows(columns.cells)
        if len(examples) < len(window_of):
            place = np.arange(data.n_positions) - np.repeat(data.offsets[:-1], data.lengths)
            observations = (np.repeat(data.observation_offsets[:-1], data.lengths) + place)[examples]
            distinct = SequenceSet(data.values[observations], np.array([0, len(examples)]), data.attributes)
            return columns_of(labeller, distinct, with_missing), distinct, window_of
    return columns, data, None
