"""Kernels of `treecrf.models.linear.conjunctions`: windows where a conjunction holds, scores, gradients."""

from __future__ import annotations

from numba import float64, int32, int64, uint32, void

from treecrf.compiled.kernel import kernel


@kernel(int64(int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], uint32[:, ::1], int64[::1], int32[::1]))
def find_windows(first, cells, slot_of_cell, postings, first_posting, windows, first_window, found):
    """Find the windows where each conjunction holds.

    Walks the postings of a conjunction's rarest cell and looks the others up.

    Parameters
    ----------
    first : int64, shape (n_conjunctions + 1,); cells : int32
        The conjunctions, as in `treecrf.models.linear.conjunctions.Conjunctions`.
    slot_of_cell : int64, shape (n_cells,)
    postings, first_posting : as in `treecrf.trees.columns.Columns`
    windows : uint32, shape (n_windows, n_slots)
        Cells.
    first_window : int64, shape (n_conjunctions + 1,); found : int32
        Overwritten: windows of each conjunction, ascending. `found` may be empty, to count only.

    Returns
    -------
    int64
        Number of windows found.
    """
    n_found = int64(0)
    for conjunction in range(len(first) - 1):
        first_window[conjunction] = n_found
        begin, end = first[conjunction], first[conjunction + 1]
        rarest = cells[begin]
        for i in range(begin + 1, end):
            cell = cells[i]
            if first_posting[cell + 1] - first_posting[cell] < first_posting[rarest + 1] - first_posting[rarest]:
                rarest = cell
        for i in range(first_posting[rarest], first_posting[rarest + 1]):
            window = postings[i]
            holds = True
            for j in range(begin, end):
                if windows[window, slot_of_cell[cells[j]]] != cells[j]:
                    holds = False
                    break
            if holds:
                if n_found < len(found):
                    found[n_found] = window
                n_found += 1
    first_window[len(first) - 1] = n_found
    return n_found


@kernel(void(int64[::1], int32[::1], float64[:, ::1], float64[:, ::1]))
def add_scores(first_window, windows, weights, scores):
    """Add each feature's weights, shape (n_features, n_labels), to the scores of its windows."""
    n_labels = scores.shape[1]
    for feature in range(len(weights)):
        for i in range(first_window[feature], first_window[feature + 1]):
            window = windows[i]
            for label in range(n_labels):
                scores[window, label] += weights[feature, label]


@kernel(void(int64[::1], int32[::1], float64[:, ::1], float64[:, ::1]))
def sum_errors(first_window, windows, errors, gradient):
    """Write the sum of the errors, shape (n_windows, n_labels), of each feature's windows."""
    n_labels = errors.shape[1]
    for feature in range(len(gradient)):
        for label in range(n_labels):
            gradient[feature, label] = 0.0
        for i in range(first_window[feature], first_window[feature + 1]):
            window = windows[i]
            for label in range(n_labels):
                gradient[feature, label] += errors[window, label]
