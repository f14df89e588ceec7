"""Memory that a training takes, estimated before it begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.lattice import predecessor_counts
from treecrf.compiled.struct import size_of
from treecrf.models.boosted.params import BoostingParams
from treecrf.models.boosted.potentials import Candidates, pair_sizes
from treecrf.models.boosted.training import N_SHARES
from treecrf.sequences import MISSING, SequenceSet, slot_sizes
from treecrf.trees.grower import Workspace
from treecrf.trees.missing.grower import WeightedWorkspace
from treecrf.trees.pair_grower import PairWorkspace
from treecrf.trees.tree import Tree

_INTEGER, _FLOAT, _CELL = 8, 8, 4  # bytes
_ENTRY = 5 * 8 + 2 + 4  # weight, recursions, number, first pair; label; position


def training_bytes(params: BoostingParams, train: SequenceSet, candidates: Candidates | None) -> int:
    """Approximate peak memory in bytes, on a lattice where there are candidates."""
    n_labels = len(train.label_names)
    space = chain.StateSpace(n_labels, params.order if params.sees_labels else 0)
    cells = slot_sizes(train.attributes, params.window) + params.codes_missing
    sizes = _sizes(params, train, space, cells)
    windows = train.n_positions * len(cells) * (2 * _CELL + 2)  # cells, postings and codes
    forest = params.n_iterations * n_labels * size_of(Tree, **sizes)
    rows, buffers = (
        _dense_bytes(params, train, space, sizes, _most_codes(params, cells))
        if candidates is None
        else _lattice_bytes(params, candidates, n_labels, sizes)
    )
    return rows + windows + min(params.n_threads, n_labels) * buffers + forest


def _dense_bytes(
    params: BoostingParams, train: SequenceSet, space: chain.StateSpace, sizes: dict[str, int], most_codes: int
) -> tuple[int, int]:
    """Bytes of rows, and of the buffers of a thread."""
    n_positions, divides = train.n_positions, params.divides_rows(train)
    n_kept = n_positions + _n_partial(params, train)
    rows = space.n_labels * space.n_states * n_kept * (_FLOAT + _INTEGER)  # exp(F) and gradients
    rows += n_kept * space.n_labels ** max(space.order, 1) * _FLOAT  # forward values
    buffers = size_of(WeightedWorkspace if divides else Workspace, **sizes)
    buffers += params.max_leaves * (1 + sizes["n_surrogates"]) * most_codes * _CELL
    return rows, buffers + (n_positions * space.n_states * _FLOAT if divides else 0)


def _n_partial(params: BoostingParams, train: SequenceSet) -> int:
    """Positions of sequences with unknown labels, whose chains are kept a second time."""
    if not (train.n_unknown_labels and params.order) or params.criterion == "local":
        return 0
    return int(train.lengths[np.logical_or.reduceat(train.labels == MISSING, train.offsets[:-1])].sum())


def _lattice_bytes(
    params: BoostingParams, candidates: Candidates, n_labels: int, sizes: dict[str, int]
) -> tuple[int, int]:
    """The same where what is kept follows the labels that positions may have."""
    lattice, full = candidates.lattice, params.sees_labels
    n_entries, n_pairs = len(lattice.labels), int(lattice.first_pair[-1])
    rows = n_entries * _ENTRY + full * n_pairs * _FLOAT
    if params.beam is None:
        rows += n_pairs * _INTEGER if full else n_entries * _INTEGER
    else:
        n_active = np.minimum(np.diff(lattice.first), params.beam + 1)
        rows += int(n_active.sum()) * _ENTRY
        rows += 3 * _FLOAT * int((n_active * predecessor_counts(lattice.offsets, n_active)).sum()) if full else 0
    if not full:
        rows += (params.n_iterations + N_SHARES + 6) * n_labels * (n_labels + 1) * _FLOAT  # transitions
    buffers = (
        size_of(PairWorkspace, **sizes, **pair_sizes(candidates.predecessors)) if full else size_of(Workspace, **sizes)
    )
    return rows, buffers + sizes["n_positions"] * _INTEGER


def _most_codes(params: BoostingParams, cells: NDArray[np.int64]) -> int:
    """Most codes that a test may name."""
    return int(cells.max(initial=1)) if params.splits == "subsets" else 1


def _sizes(
    params: BoostingParams, train: SequenceSet, space: chain.StateSpace, cells: NDArray[np.int64]
) -> dict[str, int]:
    """Lengths of the buffers of growing, and of a large tree; `cells` are those of each slot."""
    max_leaves, n_positions, n_cells = params.max_leaves, train.n_positions, int(cells.sum())
    n_surrogates = params.missing_policy.n_surrogates
    n_codes = max_leaves * min(_most_codes(params, cells), 1 + n_positions // max_leaves) // 2
    return {
        "n_leaves": max_leaves,
        "n_splits": max_leaves,
        "n_all_states": space.n_states,
        "n_positions": n_positions,
        "n_cells": n_cells,
        "n_features": n_cells + space.order * (space.n_labels + 1),
        "n_columns": len(cells) + space.order,
        "n_most_codes": int(cells.max(initial=1)),
        "n_surrogates": n_surrogates,
        "n_depths": space.order + 1,
        "n_codes": n_codes + max_leaves,
        "n_sets": max_leaves * (1 + n_surrogates),
    }
