"""Growing one regression tree where cells are missing: `treecrf.trees.growing` with weighted copies of rows.

The trees are the same to the bit where no cell is missing. A window split sends the
rows whose outcome is known, sets the others aside, and gives these to one side or to both (see
`treecrf.trees.holes.leaves`). The weights of a row's copies sum to its own, so one child is scanned and the other is
the difference, as ever.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from numba import boolean, float64, int32, int64, njit, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int64, compiled_type, struct
from treecrf.trees.best_first import grow_best_first
from treecrf.trees.histogram import take_rest
from treecrf.trees.holes.histogram import fill_weighted_label_tests, scan_copies, scan_weights, sweep_whole_rows
from treecrf.trees.holes.leaves import (
    FULL,
    Copies,
    distribute,
    entries_of,
    has_room,
    keep_some,
    plant_copies,
    split_by_label,
    take_known,
)
from treecrf.trees.holes.splitting import direction_is_true, score_weighted_tests
from treecrf.trees.holes.surrogates import choose_surrogates, count_unknown
from treecrf.trees.problem import PROBLEM
from treecrf.trees.sampling import SAMPLE
from treecrf.trees.tree import TREE

_ONE = 1.0 / FULL


@struct
class WeightedWorkspace(NamedTuple):
    """Buffers of one thread, made once per training."""

    copies: Copies
    histograms: Annotated[Int64, "n_leaves, 2 * n_features", "Weight and gradient of a leaf's copies by test."]
    node_sums: Annotated[Int64, "n_leaves, 2", "Weight and gradient of all copies of a leaf."]
    gains: Annotated[Float64, "n_leaves", "Of each leaf's best split."]
    features: Annotated[Int64, "n_leaves", "Of each leaf's best split."]
    scores: Annotated[Float64, "n_features"]
    state_sums: Annotated[Int64, "2 * n_all_states", "Weight and gradient of scanned copies by state."]
    sums: Annotated[Int64, "2", "Weight and gradient of scanned copies."]
    true_weights: Annotated[Int64, "n_cells", "Weights of the known copies on the true side of a split."]
    false_weights: Annotated[Int64, "n_cells"]
    agreements: Annotated[Float64, "n_surrogates"]
    n_states_of_depth: Annotated[Int64, "n_depths"]
    position_sums: Annotated[Int64, "n_positions", "Work space of `sweep_whole_rows`, as those that follow."]
    spaced: Annotated[Int64, "n_spaced"]
    table: Annotated[Int64, "n_table"]
    part: Annotated[Int64, "n_cells"]


WEIGHTED_WORKSPACE = compiled_type(WeightedWorkspace)


# --- scans ------------------------------------------------------------------------------------------


@kernel(
    void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int32[::1], int32[::1], int64[::1])
)  # fmt: skip
def _scan(problem, workspace, rows, leaf, positions, weights, histogram):
    """Add copies, with the states of `leaf`, to the sums by state and to the window cells of a histogram."""
    columns, copies = problem.columns, workspace.copies
    states = copies.states[leaf, : copies.n_states[leaf]]
    scan_copies(positions, weights, rows, states, columns.cells, problem.packing, workspace.state_sums, histogram)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, int64[::1]))
def _scan_leaf(problem, workspace, rows, leaf, free, histogram):
    """Scan the copies of a leaf into an empty histogram; lists may be written from `free` on."""
    copies, columns = workspace.copies, problem.columns
    if copies.whole[leaf]:
        sweep_whole_rows(
            rows, copies.states[leaf, : copies.n_states[leaf]], problem.sweep, columns.first_cell, problem.packing,
            workspace.position_sums, workspace.spaced, workspace.table, workspace.part, workspace.state_sums, histogram,
        )  # fmt: skip
        return
    begin, end = entries_of(copies, leaf, free)
    histogram[:] = 0
    workspace.state_sums[:] = 0
    positions, weights = copies.positions[begin:end], copies.weights[begin:end]
    _scan(problem, workspace, rows, leaf, positions, weights, histogram)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64, int64[::1]))
def _fill_label_part(problem, workspace, leaf, histogram):
    """Write the label tests of the copies that were scanned, which have the states of `leaf`, and their sum."""
    copies = workspace.copies
    states = copies.states[leaf, : copies.n_states[leaf]]
    fill_weighted_label_tests(
        workspace.state_sums, states, problem.labels_of_state, problem.n_labels + 1, workspace.sums,
        histogram[2 * problem.columns.first_cell[-1] :],
    )  # fmt: skip


@kernel(void(WEIGHTED_WORKSPACE, int64, int64, boolean))
def _divide_sums(workspace, leaf, child, child_was_scanned):
    """Give both children their histograms: the scanned one lies at the child, that of both at the leaf."""
    take_rest(workspace.histograms[child], workspace.histograms[leaf], child_was_scanned)
    for which in range(2):
        value = workspace.sums[which]
        rest = workspace.node_sums[leaf, which] - value
        workspace.node_sums[child, which] = value if child_was_scanned else rest
        workspace.node_sums[leaf, which] = rest if child_was_scanned else value


# --- splits -----------------------------------------------------------------------------------------


@kernel(int64(PROBLEM, WEIGHTED_WORKSPACE, int64, int64, int64))
def _share_of_child(problem, workspace, leaf, cell, missing):
    """Part of an unknown copy that goes to the true child where no surrogate tells, of `FULL`."""
    histogram, node_sum, handling = workspace.histograms[leaf], workspace.node_sums[leaf], problem.handling
    true_weight, known_weight = histogram[2 * cell], node_sum[0] - histogram[2 * missing]
    if handling.learns_direction and known_weight < node_sum[0]:
        goes = direction_is_true(histogram, cell, missing, node_sum, problem.l2_regularization, problem.packing)
        return FULL if goes else 0
    if handling.blends:
        return int64(math.floor(float64(FULL) * (float64(true_weight) / float64(known_weight)) + 0.5))
    return FULL if 2 * true_weight > known_weight else 0


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, int64, boolean, TREE))
def _find_surrogates(problem, workspace, rows, leaf, child, n_unknown, child_was_scanned, tree):
    """Write the surrogates of the split that makes `child`; one side's known copies have been scanned."""
    scanned, both, first_cell = workspace.histograms[child], workspace.histograms[leaf], problem.columns.first_cell
    copies, true_weights, false_weights = workspace.copies, workspace.true_weights, workspace.false_weights
    other = false_weights if child_was_scanned else true_weights
    same = true_weights if child_was_scanned else false_weights
    states, n_absent = copies.states[leaf, : copies.n_states[leaf]], copies.used[2]
    slot = int64(tree.columns[child - 1])
    whole = copies.vector_of[leaf] >= 0 and not problem.handling.blends
    if whole and len(problem.missing_counts) > 0 and n_absent < n_unknown:
        count_unknown(
            problem.missing_counts, slot, copies.absent_positions[:n_absent], problem.depths, states,
            problem.labels_of_state, problem.n_labels, workspace.n_states_of_depth, problem.columns.cells, other,
        )  # fmt: skip
    else:
        other[:] = 0
        scan_weights(
            copies.unknown_positions[:n_unknown], copies.unknown_weights[:n_unknown], rows, states,
            problem.columns.cells, problem.packing, other,
        )  # fmt: skip
    for cell in range(first_cell[-1]):
        same[cell] = scanned[2 * cell]
        other[cell] = both[2 * cell] - scanned[2 * cell] - other[cell]
    true_weight = both[2 * (first_cell[slot] + tree.codes[child - 1])]
    false_weight = workspace.node_sums[leaf, 0] - both[2 * (first_cell[slot + 1] - 1)] - true_weight
    choose_surrogates(
        true_weights, false_weights, true_weight, false_weight, slot, first_cell, problem.handling.either_polarity,
        workspace.agreements, tree.surrogates[child - 1],
    )  # fmt: skip


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, TREE))
def _split_by_window(problem, workspace, rows, leaf, child, tree):
    """Split a leaf on a window cell: copies, histograms, sums; the split's share and surrogates."""
    columns, copies, scanned = problem.columns, workspace.copies, workspace.histograms[child]
    slot, code = int64(tree.columns[child - 1]), int64(tree.codes[child - 1])
    share = _share_of_child(problem, workspace, leaf, columns.first_cell[slot] + code, columns.first_cell[slot + 1] - 1)
    n_unknown = take_known(copies, columns, leaf, child, slot, code)
    n_true = copies.ends[child] - copies.begins[child]
    n_false = copies.n_entries[leaf] if copies.vector_of[leaf] >= 0 else copies.ends[leaf] - copies.begins[leaf]
    child_is_smaller = n_true <= n_false
    smaller = child if child_is_smaller else leaf
    _scan_leaf(problem, workspace, rows, smaller, copies.ends[child] + n_unknown, scanned)
    if problem.handling.n_surrogates > 0:
        _find_surrogates(problem, workspace, rows, leaf, child, n_unknown, child_is_smaller, tree)
    n_told = distribute(copies, columns, leaf, child, n_unknown, tree.surrogates[child - 1], share, child_is_smaller)
    _scan(problem, workspace, rows, leaf, copies.unknown_positions[:n_told], copies.unknown_weights[:n_told], scanned)
    _fill_label_part(problem, workspace, leaf, scanned)
    _divide_sums(workspace, leaf, child, child_is_smaller)
    tree.shares[child - 1] = share


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, TREE))
def _split_by_previous_label(problem, workspace, rows, leaf, child, tree):
    """Split a leaf on a previous label: both children keep its copies."""
    copies, scanned = workspace.copies, workspace.histograms[child]
    lag, code = tree.columns[child - 1] - (len(problem.columns.first_cell) - 1), int64(tree.codes[child - 1])
    true_weight = workspace.histograms[leaf, 2 * workspace.features[leaf]]
    child_is_smaller = 2 * true_weight <= workspace.node_sums[leaf, 0]
    split_by_label(copies, problem.labels_of_state, leaf, child, lag, code)
    smaller = child if child_is_smaller else leaf
    _scan_leaf(problem, workspace, rows, smaller, copies.used[0], scanned)
    _fill_label_part(problem, workspace, smaller, scanned)
    _divide_sums(workspace, leaf, child, child_is_smaller)
    tree.shares[child - 1] = 0
    tree.surrogates[child - 1, :, :] = -1


@njit(inline="always")
def _plant(problem, rows, sample, workspace):
    copies = workspace.copies
    plant_copies(copies)
    keep_some(copies, sample.positions)
    _scan_leaf(problem, workspace, rows, 0, copies.used[0], workspace.histograms[0])
    _fill_label_part(problem, workspace, 0, workspace.histograms[0])
    workspace.node_sums[0, 0] = workspace.sums[0]
    workspace.node_sums[0, 1] = workspace.sums[1]


@njit(inline="always")
def _score(problem, workspace, leaf):
    score_weighted_tests(
        workspace.histograms[leaf], workspace.node_sums[leaf], problem.columns.first_cell, problem.l2_regularization,
        problem.packing, problem.handling, workspace.scores,
    )  # fmt: skip


@kernel(boolean(PROBLEM, int64[:, ::1], WEIGHTED_WORKSPACE, int64, int64, TREE))
def _split(problem, rows, workspace, leaf, child, tree):
    if not has_room(workspace.copies):
        return False
    if tree.columns[child - 1] < len(problem.columns.first_cell) - 1:
        _split_by_window(problem, workspace, rows, leaf, child, tree)
    else:
        _split_by_previous_label(problem, workspace, rows, leaf, child, tree)
    return True


@njit(inline="always")
def _sum_of(problem, workspace, leaf):
    unit = 1.0 / float64(int64(1) << problem.packing.fraction_bits)
    return float64(workspace.node_sums[leaf, 1]) * unit, float64(workspace.node_sums[leaf, 0]) * _ONE


@kernel(int64(PROBLEM, int64[:, ::1], SAMPLE, WEIGHTED_WORKSPACE, TREE))
def grow_weighted_tree(problem, rows, sample, workspace, tree):
    """`grow_best_first`; on return ``copies`` tells which rows of the sample are in which leaf."""
    return grow_best_first(_plant, _score, _split, _sum_of, problem, rows, sample, workspace, tree)
