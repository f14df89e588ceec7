"""The part of a data set that one tree is grown from: some positions, and at each node some columns."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import float64, int64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Int32, compiled_type, struct


@struct
class Sample(NamedTuple):
    """What a tree sees.

    The first node is the root, then come the false and the true child of each split. If no nodes are given, each may be
    split by all tests.
    """

    positions: Annotated[Int32, "n", "Ascending; the rows of other positions take no part."]
    considered: Annotated[Bool, "n_nodes, n_slots + order", "Whether a node may be split by that column."]


SAMPLE = compiled_type(Sample)


@kernel(void(SAMPLE, int64, int64[::1], int64, float64[::1]))
def pass_over(sample, node, first_cell, n_codes, gains):
    """Set the gains, shape (n_features,), of the tests that a node may not be split by to 0.

    `node` is a row of `Sample.considered`; `n_codes` is the number of tests of one previous label.
    """
    if len(sample.considered) == 0:
        return
    n_slots = len(first_cell) - 1
    for column in range(sample.considered.shape[1]):
        if not sample.considered[node, column]:
            begin, end = first_cell[min(column, n_slots)], first_cell[min(column + 1, n_slots)]
            if column >= n_slots:
                begin += (column - n_slots) * n_codes
                end = begin + n_codes
            gains[begin:end] = 0.0
