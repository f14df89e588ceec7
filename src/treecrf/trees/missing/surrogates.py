"""Choosing the surrogates of a split (PhD section 4.3; Breiman et al. 1984, section 5.3)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int32, int64, types, uint32, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int64, compiled_type, struct
from treecrf.trees.columns import Columns
from treecrf.trees.splitting import ORDERED, SUBSETS
from treecrf.trees.tree import FULL, PROBLEM, TREE


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
    """The same for sets of the lowest codes; the number is twice that of its codes, plus 1 if EDGE is one of them."""
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
    """The same for any set: the codes that more rows have where the test holds than where it does not."""
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
