"""Growing one tree on pairs of labels, of which each position has few.

A window test looks at the position alone, so the histogram of the window gets the sum of a position's rows over the leaf's
previous labels; only that sum, and the histogram of the previous labels, walk the pairs.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import int64, njit, uint64, void

from treecrf.chain._lattice_kernels import Lattice
from treecrf.chain.lattice import Predecessors
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int64, compiled_type, struct
from treecrf.trees.best_first import grow_best_first
from treecrf.trees.best_split import BestSplits
from treecrf.trees.histogram import subtract_sibling
from treecrf.trees.node_sums import NodeStats, bound_singles, take_sums, weight_and_total, write_test
from treecrf.trees.pair_leaves import PairLeaves, init_pair_root, split_pairs_by_label, split_pairs_by_window
from treecrf.trees.problem import PROBLEM
from treecrf.trees.sampling import SAMPLE
from treecrf.trees.tree import TREE, set_of


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
    splits: BestSplits


PAIR_ROWS, WORKSPACE = compiled_type(PairRows), compiled_type(PairWorkspace)


@njit(inline="always")
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
    workspace.nodes.totals[leaf] = node_sum


@njit(inline="always")
def _init_root(problem, rows, sample, workspace):
    init_pair_root(workspace.leaves, rows.predecessors, sample.positions)
    _fill_histogram(problem, rows, workspace, 0, workspace.nodes.histograms[0])


@njit(inline="always")
def _bound_singles(problem, workspace, leaf):
    bound_singles(problem, workspace.nodes, workspace.splits, leaf)


@njit(inline="always")
def _take_sums(problem, workspace, leaf, column):
    return take_sums(problem, workspace.nodes, workspace.splits, leaf, column)


@njit(inline="always")
def _split(problem, rows, workspace, leaf, child, tree):
    """Split the rows; the child with fewer positions is scanned, the histogram of the other is the difference."""
    leaves, nodes = workspace.leaves, workspace.nodes
    both_sum, histograms = nodes.totals[leaf], nodes.histograms
    child_sum = write_test(problem, nodes, workspace.splits, leaf, child, tree)
    column, codes, n_slots = (
        int64(tree.columns[child - 1]),
        set_of(tree, child - 1),
        len(problem.columns.first_cell) - 1,
    )
    if column < n_slots:
        split_pairs_by_window(leaves, problem.columns, leaf, child, column, codes)
    elif not split_pairs_by_label(leaves, rows.predecessors, leaf, child, codes):
        return False
    if child + 1 < problem.max_leaves:
        child_is_smaller = leaves.ends[child] - leaves.begins[child] <= leaves.ends[leaf] - leaves.begins[leaf]
        _fill_histogram(problem, rows, workspace, child if child_is_smaller else leaf, histograms[child])
        subtract_sibling(histograms[child], histograms[leaf], child_is_smaller)
    nodes.totals[child], nodes.totals[leaf] = child_sum, both_sum - child_sum
    return True


@njit(inline="always")
def _sum_of(problem, workspace, leaf):
    weight, gradient = weight_and_total(problem, workspace.nodes, leaf)
    return gradient, weight


@kernel(int64(PROBLEM, PAIR_ROWS, SAMPLE, WORKSPACE, TREE))
def grow_pair_tree(problem, rows, sample, workspace, tree):
    """`grow_best_first`; the sample's positions are all that may have the label, and have their leaves on return.

    A position that is not to be seen has a block of -1 and a unit of 0.
    """
    return grow_best_first(
        _init_root, _bound_singles, _take_sums, _split, _sum_of, problem, rows, sample, workspace, tree
    )
