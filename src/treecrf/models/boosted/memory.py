"""Memory that a training takes, estimated before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.lattice import predecessor_counts
from treecrf.compiled.struct import size_of
from treecrf.models.boosted.label_dictionary import learn_dictionary, make_lattice, make_predecessors
from treecrf.models.boosted.lattice_training import N_SHARES, pair_sizes
from treecrf.models.boosted.params import divides_rows, uses_lattice
from treecrf.sequences import MISSING, SequenceSet, slot_sizes
from treecrf.trees.growing import Workspace
from treecrf.trees.holes.growing import WeightedWorkspace
from treecrf.trees.pair_growing import PairWorkspace
from treecrf.trees.tree import Tree

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF


_INTEGER, _FLOAT, _CELL = 8, 8, 4  # bytes
_ENTRY = 5 * 8 + 2 + 4  # weight, recursions, number, first pair; label; position
_TABLE = 2**16  # entries, at most about, of the table of a sweep


def training_bytes(labeller: TreeCRF, train: SequenceSet) -> int:
    """Bytes that the arrays of a training take at its end, nearly.

    Parameters
    ----------
    labeller : TreeCRF
        Its settings count.
    train : SequenceSet
        As the trees see it: categories alone.
    """
    if uses_lattice(labeller):
        return _lattice_bytes(labeller, train)
    space = chain.StateSpace(len(train.label_names), labeller.order)
    n_positions, divides = train.n_positions, divides_rows(labeller, train)
    sizes = _sizes(labeller, train, space)
    n_kept = n_positions + _n_partial(labeller, train)
    rows = space.n_labels * space.n_states * n_kept * (_FLOAT + _INTEGER)  # exp(F) and gradients
    forward = n_kept * space.n_labels ** max(space.order, 1) * _FLOAT
    buffers = size_of(WeightedWorkspace if divides else Workspace, **sizes)
    buffers += labeller.max_leaves * (1 + sizes["n_surrogates"]) * _most_codes(labeller, train) * _CELL
    if divides:
        buffers += n_positions * space.n_states * _FLOAT
    forest = labeller.n_iterations * space.n_labels * size_of(Tree, **sizes)
    return rows + forward + _windows(labeller, train) + min(labeller.n_threads, space.n_labels) * buffers + forest


def _n_partial(labeller: TreeCRF, train: SequenceSet) -> int:
    """Positions of sequences with unknown labels, whose chains are kept a second time."""
    if not (train.n_unknown_labels and labeller.order) or labeller._criterion == "local":
        return 0
    return int(train.lengths[np.logical_or.reduceat(train.labels == MISSING, train.offsets[:-1])].sum())


def _lattice_bytes(labeller: TreeCRF, train: SequenceSet) -> int:
    """`training_bytes` where what is kept follows the labels that positions may have."""
    dictionary, n_labels = learn_dictionary(train, labeller.label_dictionary), len(train.label_names)
    lattice = make_lattice(train, dictionary, labeller.label_dictionary)
    predecessors = make_predecessors(train, dictionary, labeller.label_dictionary)
    n_entries, n_pairs = len(lattice.labels), int(lattice.first_pair[-1])
    full = labeller.transitions == "full"
    rows = n_entries * _ENTRY + full * n_pairs * _FLOAT
    if labeller.beam is None:
        rows += n_pairs * _INTEGER if full else n_entries * _INTEGER
    else:
        n_active = np.minimum(np.diff(lattice.first), labeller.beam + 1)
        rows += int(n_active.sum()) * _ENTRY
        rows += 3 * _FLOAT * int((n_active * predecessor_counts(lattice.offsets, n_active)).sum()) if full else 0
    buffers = 0
    if full:
        sizes = _sizes(labeller, train, chain.StateSpace(n_labels, 1))
        buffers += size_of(PairWorkspace, **sizes, **pair_sizes(predecessors)) + train.n_positions * _INTEGER
    else:
        sizes = _sizes(labeller, train, chain.StateSpace(n_labels, 0))
        buffers += size_of(Workspace, **sizes) + train.n_positions * _INTEGER
    matrices = (0 if full else labeller.n_iterations + N_SHARES + 6) * n_labels * (n_labels + 1) * _FLOAT
    forest = labeller.n_iterations * n_labels * size_of(Tree, **sizes)
    return rows + matrices + _windows(labeller, train) + min(labeller.n_threads, n_labels) * buffers + forest


def _windows(labeller: TreeCRF, train: SequenceSet) -> int:
    """Bytes of cells, postings and codes."""
    return train.n_positions * len(slot_sizes(train.attributes, labeller.window)) * (2 * _CELL + 2)


def _cells(labeller: TreeCRF, train: SequenceSet) -> NDArray[np.int64]:
    """Cells of each slot."""
    return slot_sizes(train.attributes, labeller.window) + (labeller.missing != "error")


def _most_codes(labeller: TreeCRF, train: SequenceSet) -> int:
    """Codes of the largest set."""
    return int(_cells(labeller, train).max(initial=1)) if labeller.splits == "subsets" else 1


def _sizes(labeller: TreeCRF, train: SequenceSet, space: chain.StateSpace) -> dict[str, int]:
    """Lengths of the buffers of growing, and of a large tree."""
    cells, n_positions = _cells(labeller, train), train.n_positions
    n_surrogates = labeller.n_surrogates if labeller.missing == "surrogate_splitting" else 0
    n_codes = labeller.max_leaves * min(_most_codes(labeller, train), 1 + n_positions // labeller.max_leaves) // 2
    return {
        "n_leaves": labeller.max_leaves, "n_splits": labeller.max_leaves, "n_all_states": space.n_states,
        "n_positions": n_positions, "n_cells": int(cells.sum()),
        "n_features": int(cells.sum()) + space.order * (space.n_labels + 1), "n_columns": len(cells) + space.order,
        "n_most_codes": int(cells.max(initial=1)), "n_surrogates": n_surrogates, "n_depths": space.order + 1,
        "n_spaced": 2 * n_positions, "n_table": _TABLE, "n_codes": n_codes + labeller.max_leaves,
        "n_sets": labeller.max_leaves * (1 + n_surrogates),
    }  # fmt: skip
