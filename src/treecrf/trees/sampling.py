"""The part of a data set that one tree is grown from: some positions, and at each node some columns."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import boolean, int64

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


@kernel(boolean(SAMPLE, int64, int64))
def is_considered(sample, node, column):
    """Whether a node may be split by a column."""
    return len(sample.considered) == 0 or sample.considered[node, column]
