"""Choosing the surrogates of a split (PhD section 4.3; Breiman et al. 1984, section 5.3)."""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int16, int32, int64, uint16, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.trees.columns import Columns
from treecrf.trees.holes.leaves import FULL


@kernel(void(int32[:, ::1], float64[::1], int64, int64, boolean, float64))
def _insert(surrogates, agreements, slot, code, polarity, agreement):
    """Put a surrogate in its place among the best, behind those that agree as well."""
    place = len(surrogates)
    while place > 0 and agreement > agreements[place - 1]:
        place -= 1
    if place == len(surrogates):
        return
    for i in range(len(surrogates) - 1, place, -1):
        agreements[i] = agreements[i - 1]
        for j in range(3):
            surrogates[i, j] = surrogates[i - 1, j]
    agreements[place] = agreement
    surrogates[place, 0] = slot
    surrogates[place, 1] = code
    surrogates[place, 2] = polarity


@kernel(void(int64[::1], int64[::1], int64, int64, int64, int64[::1], boolean, float64[::1], int32[:, ::1]))
def choose_surrogates(
    true_histogram, false_histogram, true_weight, false_weight, slot, first_cell, either_polarity, agreements,
    surrogates,
):  # fmt: skip
    """Find the tests that agree best with a split, by weight, among the rows where both outcomes are known.

    Each slot other than the split's offers its best test, so that a missing cell costs one surrogate. A surrogate must agree with the split in more of that weight than the larger side has. Tests of previous labels are
    no candidates: a leaf is a product of positions and states, so they tell nothing about a window.

    The histograms, shape (n_cells,), have the weights of the rows where the split's test holds and of those where it
    does not; `true_weight` and `false_weight` are those of all such rows, and `slot` is the split's. `surrogates`,
    shape (n_surrogates, 3), is overwritten: slot, code, and 1 for the test itself or 0 for its opposite; a slot of -1
    ends the list. The best agreement comes first, among equals the lowest cell, the test itself before its opposite.
    `agreements` is work space.
    """
    agreements[:] = 0.0
    surrogates[:, :] = -1
    for other in range(len(first_cell) - 1):
        missing = first_cell[other + 1] - 1
        known_true = true_weight - true_histogram[missing]
        known_false = false_weight - false_histogram[missing]
        known = known_true + known_false
        if other == slot or known <= 0:
            continue
        most, best, polarity = max(known_true, known_false), int64(-1), True
        for cell in range(first_cell[other], missing):
            agreeing = true_histogram[cell] + (known_false - false_histogram[cell])
            if agreeing > most:
                most, best, polarity = agreeing, cell, True
            elif either_polarity and known - agreeing > most:
                most, best, polarity = known - agreeing, cell, False
        if best >= 0:
            agreement = float64(most) / float64(known)
            _insert(surrogates, agreements, other, best - first_cell[other], polarity, agreement)


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
        int64[:, :, ::1], int64, int32[::1], int16[::1], int32[::1], int16[:, ::1], int64, int64[::1],
        uint16[:, ::1], int64[::1],
    )
)  # fmt: skip
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
