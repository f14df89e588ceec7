"""Growing one regression tree where cells are missing: `treecrf.trees.grower` with weighted copies of rows.

The trees are the same to the bit where no cell is missing. A window split sends the rows whose outcome is known, sets
the others aside, and gives these to one side or to both (see `treecrf.trees.missing.partition`). The weights of a row's
copies sum to its own, so one child is scanned and the other is the difference, as ever.

Histograms have a pair for each test, the weight and the gradient of the copies where it holds. Both are integers
(weights in units of 1 / `treecrf.trees.forest.FULL`, gradients in fixed point), so sums do not depend on their order
and the histogram of one child is its parent's minus its sibling's. A whole copy has the very gradient of its row, so
without missing cells all sums are those of `treecrf.trees.best_first`.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int32, int64, types, uint32, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int64, compiled_type, struct
from treecrf.trees.best_first import (
    PART_OF_FULL,
    PROBLEM,
    SAMPLE,
    NodeStats,
    add_rows,
    choose_split,
    share_of_known,
    subtract_sibling,
    write_test,
    write_values,
)
from treecrf.trees.columns import Columns
from treecrf.trees.forest import FULL, TREE, set_of
from treecrf.trees.missing.partition import (
    WeightedRows,
    distribute,
    entries_of,
    has_room,
    init_weighted_root,
    keep_some,
    split_by_label,
    take_known,
)
from treecrf.trees.packing import PACKING, steps
from treecrf.trees.splitting import ORDERED, SUBSETS, side_gain

_LARGE = 1.5 * 2.0**52
_LARGE_BITS = int(np.float64(_LARGE).view(np.int64))


@kernel(int64(float64))
def _round(value):
    """The nearest integer, for numbers of less than 2^51: it appears in the last bits of a large number.

    Packed sums are smaller: `treecrf.trees.packing.choose_packing` leaves a sum the bits that counts do not need.
    """
    return np.float64(value + _LARGE).view(np.int64) - _LARGE_BITS


@kernel(types.UniTuple(int64, 2)(int64, int64, int64[:, ::1], int32[::1], PACKING, int64[::1]))
def _weigh(position, weight, rows, states, packing, state_sums):
    """Weight and gradient of the copies of a position over some states; also added to the sums by state."""
    share = float64(weight) * PART_OF_FULL
    total_weight, total_gradient = int64(0), int64(0)
    for i in range(uint64(len(states))):
        row = rows[uint64(states[i]), uint64(position)]
        if row != 0:  # the state is possible here
            n_rows = steps(row, packing)
            gradient = _round(float64(row - (n_rows << packing.shift)) * share)
            state_sums[uint64(2) * i] += n_rows * weight
            state_sums[uint64(2) * i + uint64(1)] += gradient
            total_weight += n_rows * weight
            total_gradient += gradient
    return total_weight, total_gradient


@kernel(void(int32[::1], int32[::1], int64[:, ::1], int32[::1], uint32[:, ::1], PACKING, int64[::1]))
def scan_weights(positions, weights, rows, states, cells, packing, histogram):
    """Add the weights of copies to the window cells of a histogram of weights alone, shape (n_features,).

    The other parameters are those of `scan_copies`.
    """
    n_slots = cells.shape[1]
    for i in range(uint64(len(positions))):
        position = uint64(positions[i])
        row_sum = int64(0)
        for j in range(uint64(len(states))):
            row_sum += rows[uint64(states[j]), position]
        weight = steps(row_sum, packing) * weights[i]
        for slot in range(uint64(n_slots)):
            histogram[uint64(cells[position, slot])] += weight


@kernel(void(int32[::1], int32[::1], int64[:, ::1], int32[::1], uint32[:, ::1], PACKING, int64[::1], int64[::1]))
def scan_copies(positions, weights, rows, states, cells, packing, state_sums, histogram):
    """Add copies to the window cells of a histogram, and to the sums by state.

    `rows`, shape (n_all_states, n_positions), are packed gradients. `state_sums`, shape (2 * n_all_states,), has weight
    and gradient by place in `states`, the states of the copies; `histogram`, shape (2 * n_features,), has them by test.
    """
    n_slots = cells.shape[1]
    for i in range(uint64(len(positions))):
        position = uint64(positions[i])
        weight, gradient = _weigh(position, weights[i], rows, states, packing, state_sums)
        for slot in range(uint64(n_slots)):
            place = uint64(2) * uint64(cells[position, slot])
            histogram[place] += weight
            histogram[place + uint64(1)] += gradient


@kernel(void(int64, PACKING, int64[::1], int64))
def _unpack(packed, packing, pairs, place):
    """Write a packed sum of whole rows as weight and gradient."""
    n_rows = steps(packed, packing)
    pairs[2 * place] = n_rows * FULL
    pairs[2 * place + 1] = packed - (n_rows << packing.shift)


@kernel(void(int64[:, ::1], int32[::1], uint32[:, ::1], PACKING, int64[::1], int64[::1], int64[::1], int64[::1]))
def scan_whole_rows(rows, states, cells, packing, position_sums, part, state_sums, histogram):
    """The same as `scan_copies` for all positions, undivided; overwrites the cells and the sums by state.

    `position_sums` and `part` are work space.
    """
    add_rows(rows, states, position_sums)
    for i in range(len(states)):
        state_rows = rows[states[i]]
        packed = int64(0)
        for position in range(uint64(len(state_rows))):
            packed += state_rows[position]
        _unpack(packed, packing, state_sums, i)
    # Packed sums are unpacked once for each cell, not once for each row.
    part[:] = 0
    for position in range(uint64(len(position_sums))):
        value = position_sums[position]
        for slot in range(uint64(cells.shape[1])):
            part[cells[position, slot]] += value
    for cell in range(len(part)):
        _unpack(part[cell], packing, histogram, cell)


@kernel(void(int64[::1], int32[::1], int16[:, ::1], int64, int64[::1], int64[::1]))
def fill_weighted_label_tests(state_sums, states, labels_of_state, n_codes, node_sum, histogram):
    """Overwrite the tests of previous labels, shape (2 * order * n_codes,), from the sums by state, and sum these up.

    `state_sums` are by place in `states`; `n_codes` counts the labels and START; `node_sum` is overwritten.
    """
    histogram[:] = 0
    node_sum[:] = 0
    for i in range(len(states)):
        for which in range(2):
            value = state_sums[2 * i + which]
            node_sum[which] += value
            for lag in range(labels_of_state.shape[1]):
                histogram[2 * (lag * n_codes + labels_of_state[states[i], lag]) + which] += value


# --- surrogates (PhD section 4.3; Breiman et al. 1984, section 5.3) ---------------------------------------


@struct
class Sides(NamedTuple):
    """Weights of the rows on the two sides of a split, where its outcome is known, and work space."""

    true_weights: Annotated[Int64, "n_cells"]
    false_weights: Annotated[Int64, "n_cells"]
    totals: Annotated[Int64, "2", "Of all such rows: where the test holds, and where it does not."]
    agreements: Annotated[Float64, "n_surrogates"]
    chosen: Annotated[Int64, "n_surrogates, 3", "Slot, number among the slot's tests, and polarity of each surrogate."]


SIDES = compiled_type(Sides)


@kernel(void(SIDES, int64, int64, boolean, float64))
def _insert(sides, slot, candidate, polarity, agreement):
    """Put a surrogate in its place among the best, behind those that agree as well."""
    agreements, chosen = sides.agreements, sides.chosen
    place = len(chosen)
    while place > 0 and agreement > agreements[place - 1]:
        place -= 1
    if place == len(chosen):
        return
    for i in range(len(chosen) - 1, place, -1):
        agreements[i] = agreements[i - 1]
        for j in range(3):
            chosen[i, j] = chosen[i - 1, j]
    agreements[place] = agreement
    chosen[place, 0] = slot
    chosen[place, 1] = candidate
    chosen[place, 2] = polarity


_RESULT = types.Tuple((int64, int64, boolean))  # agreeing weight, number of the test (-1: none), polarity


@kernel(_RESULT(int64[::1], int64[::1], int64, int64, boolean))
def _agree_by_code(true, false, most, known_false, either_polarity):
    """The single code that agrees best, in more weight than `most`."""
    known, best, polarity = known_false, int64(-1), True
    for code in range(len(true)):
        known += true[code]
    for code in range(len(true)):
        agreeing = true[code] + (known_false - false[code])
        if agreeing > most:
            most, best, polarity = agreeing, code, True
        elif either_polarity and known - agreeing > most:
            most, best, polarity = known - agreeing, code, False
    return most, best, polarity


@kernel(_RESULT(int64[::1], int64[::1], int64, int64, boolean))
def _agree_by_threshold(true, false, most, known_false, either_polarity):
    """`_agree_by_code` for sets of the lowest codes: twice the number of codes, plus 1 if EDGE is one of them."""
    known_true = int64(0)
    for code in range(len(true)):
        known_true += true[code]
    edge, best, polarity = len(true) - 1, int64(-1), True
    at_edge = max(true[edge], false[edge])
    agreeing = known_false - false[edge]  # without EDGE
    for code in range(edge):
        agreeing += true[code] - false[code]
        opposite = known_true + known_false - true[edge] - false[edge] - agreeing
        if agreeing + at_edge > most:
            most, best, polarity = agreeing + at_edge, 2 * (code + 1) + (true[edge] > false[edge]), True
        elif either_polarity and opposite + at_edge > most:
            most, best, polarity = opposite + at_edge, 2 * (code + 1) + (true[edge] <= false[edge]), False
    return most, best, polarity


@kernel(_RESULT(int64[::1], int64[::1], int64))
def _agree_by_subset(true, false, most):
    """`_agree_by_code` for any set: the codes that more rows have where the test holds than where it does not."""
    agreeing = int64(0)
    for code in range(len(true)):
        agreeing += max(true[code], false[code])
    return (agreeing, int64(0), True) if agreeing > most else (most, int64(-1), True)


@kernel(void(PROBLEM, SIDES, int64, TREE, int64))
def choose_surrogates(problem, sides, slot, tree, split):
    """Find the tests that agree best with a split, by weight, among the rows where both outcomes are known.

    Each slot other than the split's offers its best test, so that a missing cell costs one surrogate. A surrogate must
    agree with the split in more of that weight than the larger side has. Tests of previous labels are no candidates: a
    leaf is a product of positions and states, so they tell nothing about a window.

    The tree gets them after the set of the split, the best agreement first; among equals the lowest cell, the test
    itself before its opposite.
    """
    first_cell, either_polarity = problem.columns.first_cell, problem.missing_policy.either_polarity
    sides.agreements[:] = 0.0
    sides.chosen[:, :] = -1
    for other in range(len(first_cell) - 1):
        first, missing, kind = first_cell[other], first_cell[other + 1] - 1, problem.feature_types[other]
        known_true = sides.totals[0] - sides.true_weights[missing]
        known_false = sides.totals[1] - sides.false_weights[missing]
        if other == slot or known_true + known_false <= 0:
            continue
        true, false = sides.true_weights[first:missing], sides.false_weights[first:missing]
        most = max(known_true, known_false)
        if kind == SUBSETS:
            agreeing, best, polarity = _agree_by_subset(true, false, most)
        elif kind == ORDERED:
            agreeing, best, polarity = _agree_by_threshold(true, false, most, known_false, either_polarity)
        else:
            agreeing, best, polarity = _agree_by_code(true, false, most, known_false, either_polarity)
        if best >= 0:
            _insert(sides, other, best, polarity, float64(agreeing) / float64(known_true + known_false))
    _write_surrogates(problem, sides, tree, split)


@kernel(void(PROBLEM, SIDES, TREE, int64))
def _write_surrogates(problem, sides, tree, split):
    """Write slots, polarities and sets of those chosen."""
    first_cell, n_surrogates = problem.columns.first_cell, len(sides.chosen)
    for i in range(n_surrogates):
        number = split * (1 + n_surrogates) + 1 + i
        end = tree.first_code[number]
        slot, candidate = sides.chosen[i, 0], sides.chosen[i, 1]
        tree.surrogates[split, i, 0] = slot
        tree.surrogates[split, i, 1] = sides.chosen[i, 2]
        if slot >= 0:
            n_codes = first_cell[slot + 1] - 1 - first_cell[slot]
            for code in range(n_codes):
                cell = first_cell[slot] + code
                if problem.feature_types[slot] == SUBSETS:
                    belongs = sides.true_weights[cell] > sides.false_weights[cell]
                elif problem.feature_types[slot] == ORDERED:
                    belongs = candidate % 2 == 1 if code == n_codes - 1 else code < candidate // 2
                else:
                    belongs = code == candidate
                if belongs:
                    tree.codes[end] = code
                    end += 1
        tree.first_code[number + 1] = end


def count_missing(columns: Columns, depths: NDArray[np.int16], n_depths: int) -> NDArray[np.int64]:
    """For each depth and slot, how often the positions of that depth where the slot is missing hold each cell.

    The depth of a position is the number of its previous labels; the last cell of each slot is "missing". Returns
    int64, shape (n_depths, n_slots, n_cells).
    """
    n_slots, n_cells = columns.cells.shape[1], int(columns.first_cell[-1])
    counts = np.zeros((n_depths, n_slots, n_cells), dtype=np.int64)
    for slot in range(n_slots):
        missing = columns.first_cell[slot + 1] - 1
        positions = columns.postings[columns.first_posting[missing] : columns.first_posting[missing + 1]]
        numbers = columns.cells[positions] + depths[positions, None].astype(np.int64) * n_cells
        counts[:, slot] = np.bincount(numbers.ravel(), minlength=n_depths * n_cells).reshape(n_depths, n_cells)
    return counts


@kernel(
    void(
        int64[:, :, ::1],
        int64,
        int32[::1],
        int16[::1],
        int32[::1],
        int16[:, ::1],
        int64,
        int64[::1],
        uint32[:, ::1],
        int64[::1],
    )
)
def count_unknown(
    missing_counts, slot, absent, depths, states, labels_of_state, n_labels, n_states_of_depth, cells, histogram
):
    """Weights of a leaf's unknown rows by cell: those of all positions less those that are not in the leaf.

    For leaves of whole copies with most positions this takes less time than `scan_weights`, with the same result.

    `missing_counts` is from `count_missing`; `absent` are the positions outside the leaf where `slot` is missing,
    `states` the leaf's. `histogram`, shape (n_cells,), is overwritten; `n_states_of_depth`, shape (n_depths,), is work
    space.
    """
    n_states_of_depth[:] = 0
    for i in range(len(states)):
        depth = 0
        for lag in range(labels_of_state.shape[1]):
            depth += labels_of_state[states[i], lag] < n_labels
        n_states_of_depth[depth] += FULL
    for cell in range(len(histogram)):
        weight = int64(0)
        for depth in range(len(missing_counts)):
            weight += n_states_of_depth[depth] * missing_counts[depth, slot, cell]
        histogram[cell] = weight
    for i in range(uint64(len(absent))):
        position = uint64(absent[i])
        weight = n_states_of_depth[depths[position]]
        for other in range(uint64(cells.shape[1])):
            histogram[uint64(cells[position, other])] -= weight


# --- growing ----------------------------------------------------------------------------------------------


@struct
class WeightedWorkspace(NamedTuple):
    """Buffers of one thread, made once per training."""

    copies: WeightedRows
    nodes: NodeStats
    state_sums: Annotated[Int64, "2 * n_all_states", "Weight and gradient of scanned copies by state."]
    sums: Annotated[Int64, "2", "Weight and gradient of scanned copies."]
    sides: Sides
    n_states_of_depth: Annotated[Int64, "n_depths"]
    position_sums: Annotated[Int64, "n_positions", "Work space of `scan_whole_rows`, as `part`."]
    part: Annotated[Int64, "n_cells"]


WEIGHTED_WORKSPACE = compiled_type(WeightedWorkspace)


# --- scans ------------------------------------------------------------------------------------------


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int32[::1], int32[::1], int64[::1]))
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
        states = copies.states[leaf, : copies.n_states[leaf]]
        scan_whole_rows(
            rows,
            states,
            columns.cells,
            problem.packing,
            workspace.position_sums,
            workspace.part,
            workspace.state_sums,
            histogram,
        )
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
        workspace.state_sums,
        states,
        problem.labels_of_state,
        problem.n_labels + 1,
        workspace.sums,
        histogram[2 * problem.columns.first_cell[-1] :],
    )


@kernel(void(WEIGHTED_WORKSPACE, int64, int64, boolean))
def _divide_sums(workspace, leaf, child, child_was_scanned):
    """Give both children their histograms: the scanned one lies at the child, that of both at the leaf."""
    subtract_sibling(workspace.nodes.histograms[child], workspace.nodes.histograms[leaf], child_was_scanned)
    for which in range(2):
        value = workspace.sums[which]
        rest = workspace.nodes.totals[leaf, which] - value
        workspace.nodes.totals[child, which] = value if child_was_scanned else rest
        workspace.nodes.totals[leaf, which] = rest if child_was_scanned else value


# --- splits -----------------------------------------------------------------------------------------


@kernel(int64(PROBLEM, WEIGHTED_WORKSPACE, int64, int64, int64, int64), error_model="numpy")
def _share_of_child(problem, workspace, leaf, slot, weight, gradient):
    """Part of an unknown copy that goes to the true child, of this weight and gradient, where no surrogate tells."""
    node_sum, missing = workspace.nodes.totals[leaf], problem.columns.first_cell[slot + 1] - 1
    missing_weight = workspace.nodes.histograms[leaf, 2 * missing]
    missing_gradient = workspace.nodes.histograms[leaf, 2 * missing + 1]
    known_weight = node_sum[0] - missing_weight
    if problem.missing_policy.learns_direction and missing_weight > 0:
        unit = 1.0 / float64(int64(1) << problem.packing.fraction_bits)
        weight_unit = PART_OF_FULL * problem.packing.weight_unit
        with_missing = float64(weight + missing_weight) * weight_unit, float64(gradient + missing_gradient) * unit
        sums = workspace.nodes.sums  # those of the slot, as the test has just been written
        gain_true = side_gain(*with_missing, sums, problem.split_params)
        gain_false = side_gain(float64(weight) * weight_unit, float64(gradient) * unit, sums, problem.split_params)
        return FULL if gain_true > gain_false else 0
    return share_of_known(problem.missing_policy, weight, known_weight)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, int64, boolean, TREE), separate=True)
def _find_surrogates(problem, workspace, rows, leaf, child, n_unknown, child_was_scanned, tree):
    """Write the surrogates of the split that makes `child`; one side's known copies have been scanned."""
    scanned, both, first_cell = (
        workspace.nodes.histograms[child],
        workspace.nodes.histograms[leaf],
        problem.columns.first_cell,
    )
    copies, sides = workspace.copies, workspace.sides
    other = sides.false_weights if child_was_scanned else sides.true_weights
    same = sides.true_weights if child_was_scanned else sides.false_weights
    states, n_absent = copies.states[leaf, : copies.n_states[leaf]], copies.used[2]
    slot = int64(tree.columns[child - 1])
    whole = copies.vector_of[leaf] >= 0 and not problem.missing_policy.blends
    if whole and len(problem.missing_counts) > 0 and n_absent < n_unknown:
        count_unknown(
            problem.missing_counts,
            slot,
            copies.absent_positions[:n_absent],
            problem.depths,
            states,
            problem.labels_of_state,
            problem.n_labels,
            workspace.n_states_of_depth,
            problem.columns.cells,
            other,
        )
    else:
        other[:] = 0
        scan_weights(
            copies.unknown_positions[:n_unknown],
            copies.unknown_weights[:n_unknown],
            rows,
            states,
            problem.columns.cells,
            problem.packing,
            other,
        )
    for cell in range(first_cell[-1]):
        same[cell] = scanned[2 * cell]
        other[cell] = both[2 * cell] - scanned[2 * cell] - other[cell]
    choose_surrogates(problem, sides, slot, tree, child - 1)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, TREE))
def _split_by_window(problem, workspace, rows, leaf, child, tree):
    """Split a leaf on codes of a slot: copies, histograms, sums; the split's share and surrogates."""
    columns, copies, scanned, sides = (
        problem.columns,
        workspace.copies,
        workspace.nodes.histograms[child],
        workspace.sides,
    )
    slot = int64(tree.columns[child - 1])
    weight, gradient = write_test(problem, workspace.nodes, leaf, child, tree)
    tree.shares[child - 1] = _share_of_child(problem, workspace, leaf, slot, weight, gradient)
    codes = set_of(tree, (child - 1) * (1 + tree.surrogates.shape[1]))
    missing = columns.first_cell[slot + 1] - 1
    sides.totals[0] = weight
    sides.totals[1] = workspace.nodes.totals[leaf, 0] - workspace.nodes.histograms[leaf, 2 * missing] - weight
    n_unknown = take_known(copies, columns, leaf, child, slot, codes)
    n_true = copies.ends[child] - copies.begins[child]
    n_false = copies.n_entries[leaf] if copies.vector_of[leaf] >= 0 else copies.ends[leaf] - copies.begins[leaf]
    child_is_smaller = n_true <= n_false
    smaller = child if child_is_smaller else leaf
    _scan_leaf(problem, workspace, rows, smaller, copies.ends[child] + n_unknown, scanned)
    if problem.missing_policy.n_surrogates > 0:
        _find_surrogates(problem, workspace, rows, leaf, child, n_unknown, child_is_smaller, tree)
    n_told = distribute(copies, columns, tree, child, n_unknown, child_is_smaller)
    _scan(problem, workspace, rows, leaf, copies.unknown_positions[:n_told], copies.unknown_weights[:n_told], scanned)
    _fill_label_part(problem, workspace, leaf, scanned)
    _divide_sums(workspace, leaf, child, child_is_smaller)


@kernel(void(PROBLEM, WEIGHTED_WORKSPACE, int64[:, ::1], int64, int64, TREE))
def _split_by_previous_label(problem, workspace, rows, leaf, child, tree):
    """Split a leaf on previous labels: both children keep its copies."""
    copies, scanned, n_sets = workspace.copies, workspace.nodes.histograms[child], 1 + tree.surrogates.shape[1]
    lag, number = tree.columns[child - 1] - (len(problem.columns.first_cell) - 1), (child - 1) * n_sets
    true_weight, _ = write_test(problem, workspace.nodes, leaf, child, tree)
    child_is_smaller = 2 * true_weight <= workspace.nodes.totals[leaf, 0]
    split_by_label(copies, problem.labels_of_state, leaf, child, lag, set_of(tree, number))
    smaller = child if child_is_smaller else leaf
    _scan_leaf(problem, workspace, rows, smaller, copies.used[0], scanned)
    _fill_label_part(problem, workspace, smaller, scanned)
    _divide_sums(workspace, leaf, child, child_is_smaller)
    tree.shares[child - 1] = 0
    tree.surrogates[child - 1, :, :] = -1
    for empty in range(number + 1, number + n_sets):
        tree.first_code[empty + 1] = tree.first_code[number + 1]


@kernel(int64(PROBLEM, int64[:, ::1], SAMPLE, WEIGHTED_WORKSPACE, TREE))
def grow_weighted_tree(problem, rows, sample, workspace, tree):
    """As `treecrf.trees.grower.grow_tree`; on return ``copies`` tell which rows of the sample are in which leaf."""
    copies, nodes, n_slots = workspace.copies, workspace.nodes, len(problem.columns.first_cell) - 1
    init_weighted_root(copies)
    keep_some(copies, sample.positions)
    _scan_leaf(problem, workspace, rows, 0, copies.used[0], nodes.histograms[0])
    _fill_label_part(problem, workspace, 0, nodes.histograms[0])
    for which in range(2):
        nodes.totals[0, which] = workspace.sums[which]
    n_leaves, leaf = int64(1), int64(0)
    while n_leaves < problem.max_leaves:
        leaf = choose_split(problem, sample, nodes, n_leaves, tree)
        if leaf < 0:
            break
        if not has_room(copies):
            return int64(-1)
        if tree.columns[n_leaves - 1] < n_slots:
            _split_by_window(problem, workspace, rows, leaf, n_leaves, tree)
        else:
            _split_by_previous_label(problem, workspace, rows, leaf, n_leaves, tree)
        n_leaves += 1
    write_values(problem, nodes, n_leaves, tree)
    return n_leaves - 1
