"""How much memory a training takes, before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecrf import chain
from treecrf.compiled.struct import size_of
from treecrf.models.boosted.dictionary import learn_dictionary, make_lattice
from treecrf.models.boosted.growth import WHOLE_ROWS
from treecrf.models.boosted.lattice_training import N_SHARES
from treecrf.sequences import SequenceSet, slot_sizes
from treecrf.trees.growing import Workspace
from treecrf.trees.holes.growing import WeightedWorkspace
from treecrf.trees.tree import Tree

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF

_INTEGER, _FLOAT, _CELL = 8, 8, 4  # bytes
_ENTRY = 5 * 8 + 2 + 4  # weight, gradient, recursions, number; label; position
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
    separable, n_positions = labeller.transitions == "separable", train.n_positions
    space = chain.StateSpace(len(train.label_names), 0 if separable else labeller.order)
    divides = labeller.missing not in WHOLE_ROWS
    sizes = slot_sizes(train.attributes, labeller.window) + (labeller.missing != "error")
    n_cells, n_surrogates = int(sizes.sum()), labeller.n_surrogates if labeller.missing == "surrogate_splitting" else 0
    most = int(sizes.max(initial=1)) if labeller.splits == "subsets" else 1
    n_codes = labeller.max_leaves * min(most, 1 + n_positions // labeller.max_leaves) // 2 + labeller.max_leaves
    rows = space.n_labels * space.n_states * n_positions * (_FLOAT + _INTEGER)  # exp(F) and gradients
    forward = n_positions * space.n_labels ** max(space.order, 1) * _FLOAT
    if separable:
        rows, forward = _entry_bytes(labeller, train), 0
    windows = n_positions * len(sizes) * (2 * _CELL + 2)  # cells, postings, codes
    of_trees = {
        "n_leaves": labeller.max_leaves, "n_splits": labeller.max_leaves, "n_all_states": space.n_states,
        "n_positions": n_positions, "n_cells": n_cells, "n_features": n_cells + space.order * (space.n_labels + 1),
        "n_columns": len(sizes) + space.order, "n_most_codes": int(sizes.max(initial=1)), "n_surrogates": n_surrogates,
        "n_depths": space.order + 1, "n_spaced": 2 * n_positions, "n_table": _TABLE, "n_codes": n_codes,
        "n_sets": labeller.max_leaves * (1 + n_surrogates),
    }  # fmt: skip
    buffers = size_of(WeightedWorkspace if divides else Workspace, **of_trees)
    buffers += labeller.max_leaves * (1 + n_surrogates) * most * _CELL
    if divides:
        buffers += n_positions * space.n_states * _FLOAT
    forest = labeller.n_iterations * space.n_labels * size_of(Tree, **of_trees)
    return rows + forward + windows + min(labeller.n_threads, space.n_labels) * buffers + forest


def _entry_bytes(labeller: TreeCRF, train: SequenceSet) -> int:
    """Bytes of what is kept for each label that a position may have, and of transitions."""
    dictionary = learn_dictionary(train, labeller.label_dictionary)
    n_entries, n_labels = len(make_lattice(train, dictionary, labeller.label_dictionary).labels), len(train.label_names)
    stages = labeller.n_iterations + 2 * N_SHARES
    return n_entries * _ENTRY + stages * n_labels * (n_labels + 1) * _FLOAT
