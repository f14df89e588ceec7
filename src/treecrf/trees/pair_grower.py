"""Growing one tree on pairs (position, previous label), where each position may have few previous labels.

A leaf's rows are a product of positions and previous labels, less the pairs that a position cannot have. Each leaf has
a list of its positions, exactly those where it has a row; a window split divides the list, a split by the previous
label copies it.

A window test looks at the position alone, so the histogram of the window gets the sum of a position's rows over the
leaf's previous labels; only that sum, and the histogram of the previous labels, walk the pairs.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, uint64, void

from treecrf.chain.lattice import PREDECESSORS, Lattice, Predecessors
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Int32, Int64, compiled_type, struct
from treecrf.trees.best_first import (
    PROBLEM,
    SAMPLE,
    NodeStats,
    choose_split,
    subtract_sibling,
    write_test,
    write_values,
)
from treecrf.trees.columns import COLUMNS
from treecrf.trees.forest import TREE, set_of


@struct
class PairLeaves(NamedTuple):
    """The rows of all leaves."""

    masks: Annotated[Int64, "n_leaves, n_all_states", "-1 for the previous labels that a leaf has, 0 for others."]
    n_of_kind: Annotated[Int64, "n_leaves, n_kinds", "How many of them may stand before a position of each kind."]
    begins: Annotated[Int64, "n_leaves", "A leaf has positions[begin:end]."]
    ends: Annotated[Int64, "n_leaves"]
    positions: Annotated[Int32, "2 * n_positions", "Ascending within a leaf."]
    used: Annotated[Int64, "1", "Entries of `positions` that are in use."]
    spare: Annotated[Int32, "n_positions", "Work space, as `holds` and `places`."]
    holds: Annotated[Bool, "n_most_codes + 1"]
    places: Annotated[Int32, "n_places", "Where the labels of a leaf stand among those of each kind."]


PAIR_LEAVES = compiled_type(PairLeaves)


def with_longer_list(leaves: PairLeaves) -> PairLeaves:
    """The same buffers with a list of twice the length, for when a split finds no room."""
    return leaves._replace(positions=np.zeros(2 * len(leaves.positions), dtype=np.int32))


@kernel(void(PAIR_LEAVES, PREDECESSORS, int64))
def _count_labels(leaves, predecessors, leaf):
    """Write `n_of_kind` of a leaf."""
    mask = leaves.masks[leaf]
    for kind in range(len(predecessors.first) - 1):
        n = int64(0)
        for i in range(uint64(predecessors.first[kind]), uint64(predecessors.first[kind + 1])):
            n -= mask[predecessors.labels[i]]
        leaves.n_of_kind[leaf, kind] = n


@kernel(void(PAIR_LEAVES, PREDECESSORS, int32[::1]))
def init_pair_root(leaves, predecessors, positions):
    """Make the root, leaf 0: these positions with every previous label."""
    leaves.masks[0, :] = -1
    _count_labels(leaves, predecessors, 0)
    for i in range(len(positions)):
        leaves.positions[i] = positions[i]
    leaves.begins[0], leaves.ends[0] = 0, len(positions)
    leaves.used[0] = len(positions)


@kernel(void(PAIR_LEAVES, COLUMNS, int64, int64, int64, int32[::1]))
def split_pairs_by_window(leaves, columns, leaf, child, slot, codes):
    """Divide the list of a leaf: the positions where the slot holds one of the codes become the child's, behind the
    others.
    """
    positions, holds, of_slot = leaves.positions, leaves.holds, columns.codes[slot]
    for code in codes:
        holds[code] = True
    kept, moved = leaves.begins[leaf], int64(0)
    for i in range(uint64(leaves.begins[leaf]), uint64(leaves.ends[leaf])):  # no branch: it would be mispredicted
        position = positions[i]
        true = holds[of_slot[uint64(position)]]
        positions[uint64(kept)] = position
        leaves.spare[uint64(moved)] = position
        kept += not true
        moved += true
    for i in range(uint64(moved)):
        positions[uint64(kept) + i] = leaves.spare[i]
    for code in codes:
        holds[code] = False
    leaves.begins[child], leaves.ends[child] = kept, leaves.ends[leaf]
    leaves.ends[leaf] = kept
    for state in range(leaves.masks.shape[1]):
        leaves.masks[child, state] = leaves.masks[leaf, state]
    for kind in range(leaves.n_of_kind.shape[1]):
        leaves.n_of_kind[child, kind] = leaves.n_of_kind[leaf, kind]


@kernel(void(PAIR_LEAVES, PREDECESSORS, int64))
def _drop_empty(leaves, predecessors, leaf):
    """Keep the positions where the leaf has a row."""
    positions, counts = leaves.positions, leaves.n_of_kind[leaf]
    kept = leaves.begins[leaf]
    for i in range(uint64(kept), uint64(leaves.ends[leaf])):
        position = positions[i]
        positions[uint64(kept)] = position
        kept += counts[uint64(predecessors.kinds[uint64(position)])] > 0
    leaves.ends[leaf] = kept


@kernel(boolean(PAIR_LEAVES, PREDECESSORS, int64, int64, int32[::1]))
def split_pairs_by_label(leaves, predecessors, leaf, child, codes):
    """Give the rows whose previous label is one of the codes to the child; return whether there was room."""
    n_members = leaves.ends[leaf] - leaves.begins[leaf]
    begin = leaves.used[0]
    if begin + n_members > len(leaves.positions):
        return False
    leaves.masks[child, :] = 0
    for code in codes:
        leaves.masks[child, code] = leaves.masks[leaf, code]
        leaves.masks[leaf, code] = 0
    for i in range(uint64(n_members)):
        leaves.positions[uint64(begin) + i] = leaves.positions[uint64(leaves.begins[leaf]) + i]
    leaves.begins[child], leaves.ends[child] = begin, begin + n_members
    for part in (leaf, child):
        _count_labels(leaves, predecessors, part)
        _drop_empty(leaves, predecessors, part)
    leaves.used[0] = leaves.ends[child]
    return True


@kernel(boolean(TREE, COLUMNS, PREDECESSORS, int32[::1], PAIR_LEAVES))
def route_pairs(tree, columns, predecessors, positions, leaves):
    """Send these positions' rows through a tree by making its splits again; return whether there was room."""
    n_slots = len(columns.first_cell) - 1
    init_pair_root(leaves, predecessors, positions)
    for split in range(len(tree.parents)):
        leaf, column, codes = int64(tree.parents[split]), int64(tree.columns[split]), set_of(tree, split)
        if column < n_slots:
            split_pairs_by_window(leaves, columns, leaf, split + 1, column, codes)
        elif not split_pairs_by_label(leaves, predecessors, leaf, split + 1, codes):
            return False
    return True


@kernel(void(PAIR_LEAVES, PREDECESSORS, int64))
def _write_places(leaves, predecessors, leaf):
    """Write where the labels of a leaf stand among those of each kind, from the first label of that kind on."""
    mask = leaves.masks[leaf]
    for kind in range(len(predecessors.first) - 1):
        begin = predecessors.first[kind]
        n_written = int64(begin)
        for i in range(uint64(begin), uint64(predecessors.first[kind + 1])):
            leaves.places[uint64(n_written)] = int64(i) - begin
            n_written -= mask[predecessors.labels[i]]


@kernel(void(float64[::1], PAIR_LEAVES, PREDECESSORS, int64[::1], boolean, float64[::1]))
def add_to_pairs(values, leaves, predecessors, blocks, exponentiated, pairs):
    """Add each row's leaf value to its potential.

    Parameters
    ----------
    values : float64, shape (n_leaves,)
    leaves : PairLeaves
        From `route_pairs` or `treecrf.trees.pair_grower.grow_pair_tree`.
    predecessors : Predecessors
    blocks : int64, shape (n_positions,)
        First pair of the tree's label at each position of the root.
    exponentiated : bool
        Whether `values` and `pairs` are exponentials; then they are multiplied.
    pairs : float64, shape (n_pairs,)
    """
    for leaf in range(len(values)):
        value, counts = values[leaf], leaves.n_of_kind[leaf]
        _write_places(leaves, predecessors, leaf)
        for i in range(uint64(leaves.begins[leaf]), uint64(leaves.ends[leaf])):
            position = uint64(leaves.positions[i])
            kind, block = uint64(predecessors.kinds[position]), uint64(blocks[position])
            begin = uint64(predecessors.first[kind])
            for j in range(begin, begin + uint64(counts[kind])):
                pair = block + uint64(leaves.places[j])
                if exponentiated:
                    pairs[pair] *= value
                else:
                    pairs[pair] += value


@struct
class PairRows(NamedTuple):
    """The rows of a training, and where those of one label are."""

    gradients: Annotated[Int64, "n_pairs", "Packed, by pair of `lattice`."]
    lattice: Annotated[Lattice, "It may lack pairs that are possible, whose gradient is 0."]
    predecessors: Annotated[
        Predecessors, "The labels that may stand before each position, whether or not the lattice has them."
    ]
    blocks: Annotated[Int64, "n_positions", "First pair of the label at each position; -1 where the lattice has none."]
    units: Annotated[Int64, "n_positions", "What every possible pair weighs, packed; 0: as `gradients` say."]


@struct
class PairWorkspace(NamedTuple):
    """Buffers of one thread, made once per training."""

    leaves: PairLeaves
    nodes: NodeStats
    units_of_kind: Annotated[Int64, "n_kinds"]


PAIR_ROWS, WORKSPACE = compiled_type(PairRows), compiled_type(PairWorkspace)


@kernel(int64(PAIR_ROWS, int64[::1], int64, boolean, int64[::1]))
def _add_position(rows, mask, position, is_first, tests):
    """Add the rows of a position to the tests of previous labels; return their sum."""
    pair, unit = rows.blocks[position], rows.units[position]
    if pair < 0:
        return int64(0)
    if is_first:
        value = (rows.gradients[pair] - unit) & mask[len(mask) - 1]
        tests[len(mask) - 1] += value
        return value
    first, total = rows.lattice.first, int64(0)
    labels = rows.lattice.labels
    place = uint64(pair)
    for other in range(uint64(first[position - 1]), uint64(first[position])):
        label = uint64(labels[other])
        value = (rows.gradients[place] - unit) & mask[label]
        tests[label] += value
        total += value
        place += uint64(1)
    return total


@kernel(void(PROBLEM, PAIR_ROWS, WORKSPACE, int64, int64[::1]))
def _fill_histogram(problem, rows, workspace, leaf, histogram):
    """Write the histogram of a leaf."""
    cells, leaves, predecessors = problem.columns.cells, workspace.leaves, rows.predecessors
    n_cells, n_slots, start = problem.columns.first_cell[-1], cells.shape[1], len(predecessors.first) - 2
    mask, counts, units_of_kind = leaves.masks[leaf], leaves.n_of_kind[leaf], workspace.units_of_kind
    histogram[:] = 0
    units_of_kind[:] = 0
    tests, node_sum = histogram[n_cells:], int64(0)
    for i in range(uint64(leaves.begins[leaf]), uint64(leaves.ends[leaf])):
        position = int64(leaves.positions[i])
        kind, unit = predecessors.kinds[position], rows.units[position]
        value = _add_position(rows, mask, position, kind == start, tests) + counts[kind] * unit
        units_of_kind[kind] += unit
        if value != 0:
            node_sum += value
            for slot in range(uint64(n_slots)):
                histogram[cells[position, slot]] += value
    for kind in range(len(units_of_kind)):
        if units_of_kind[kind] != 0:
            for i in range(uint64(predecessors.first[kind]), uint64(predecessors.first[kind + 1])):
                tests[predecessors.labels[i]] += units_of_kind[kind] & mask[predecessors.labels[i]]
    workspace.nodes.totals[leaf, 0] = node_sum


@kernel(boolean(PROBLEM, PAIR_ROWS, WORKSPACE, int64, int64, TREE))
def _split(problem, rows, workspace, leaf, child, tree):
    """Split the rows; the child with fewer positions is scanned, the histogram of the other is the difference."""
    leaves, nodes = workspace.leaves, workspace.nodes
    both_sum, histograms = nodes.totals[leaf, 0], nodes.histograms
    child_sum, _ = write_test(problem, nodes, leaf, child, tree)
    column, codes = int64(tree.columns[child - 1]), set_of(tree, child - 1)
    if column < len(problem.columns.first_cell) - 1:
        split_pairs_by_window(leaves, problem.columns, leaf, child, column, codes)
    elif not split_pairs_by_label(leaves, rows.predecessors, leaf, child, codes):
        return False
    if child + 1 < problem.max_leaves:
        child_is_smaller = leaves.ends[child] - leaves.begins[child] <= leaves.ends[leaf] - leaves.begins[leaf]
        _fill_histogram(problem, rows, workspace, child if child_is_smaller else leaf, histograms[child])
        subtract_sibling(histograms[child], histograms[leaf], child_is_smaller)
    nodes.totals[child, 0], nodes.totals[leaf, 0] = child_sum, both_sum - child_sum
    return True


@kernel(int64(PROBLEM, PAIR_ROWS, SAMPLE, WORKSPACE, TREE))
def grow_pair_tree(problem, rows, sample, workspace, tree):
    """As `treecrf.trees.grower.grow_tree`; the sample's positions are all that may have the label, and have their
    leaves on return.

    A position that is not to be seen has a block of -1 and a unit of 0.
    """
    init_pair_root(workspace.leaves, rows.predecessors, sample.positions)
    _fill_histogram(problem, rows, workspace, 0, workspace.nodes.histograms[0])
    n_leaves, leaf = int64(1), int64(0)
    while n_leaves < problem.max_leaves:
        leaf = choose_split(problem, sample, workspace.nodes, n_leaves, tree)
        if leaf < 0:
            break
        if not _split(problem, rows, workspace, leaf, n_leaves, tree):
            return int64(-1)
        n_leaves += 1
    write_values(problem, workspace.nodes, n_leaves, tree)
    return n_leaves - 1
