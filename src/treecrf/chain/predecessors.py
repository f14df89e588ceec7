"""Possible predecessors of the labels of each position of a lattice: a few kinds of positions."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treecrf.compiled.struct import Int16, Int32, Int64, compiled_type, struct


@struct
class Predecessors(NamedTuple):
    """The labels that may stand before each position; before a first position START alone, whose number is n_labels."""

    kinds: Annotated[Int32, "n_positions", "The last kind is that of first positions."]
    first: Annotated[Int64, "n_kinds + 1", "First label of each kind."]
    labels: Annotated[Int16, "n_labels_of_kinds", "Ascending within a kind."]


PREDECESSORS = compiled_type(Predecessors)


def build_predecessors(offsets: ArrayLike, candidates: ArrayLike, kinds: ArrayLike) -> Predecessors:
    """The labels before the positions of the lattice that `treecrf.chain.lattice.build_lattice` makes of the same."""
    starts, table, kind_of = np.asarray(offsets), np.asarray(candidates, dtype=np.bool_), np.asarray(kinds)
    kinds_before = np.concatenate([[0], kind_of[:-1]]).astype(np.int32)
    kinds_before[starts[:-1]] = len(table)
    rows, labels = np.nonzero(table)
    first = np.searchsorted(rows, np.arange(len(table) + 1))
    return Predecessors(
        kinds_before,
        np.concatenate([first, first[-1:] + 1]).astype(np.int64),
        np.concatenate([labels, [table.shape[1]]]).astype(np.int16),
    )
