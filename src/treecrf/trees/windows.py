"""From positions to the windows that differ, and back."""

from __future__ import annotations

from numba import float64, int32, int64, uint64, void

from treecrf.compiled.kernel import kernel


@kernel(void(int64[:, ::1], int32[::1], int64[:, ::1]))
def sum_by_window(rows, window_of, sums):
    """Add the packed rows of all positions with the same window to `sums`, shape (n_all_states, n_windows)."""
    for state in range(len(rows)):
        for position in range(uint64(len(window_of))):
            sums[state, uint64(window_of[position])] += rows[state, position]


@kernel(void(float64[:, ::1], int32[::1], float64[:, ::1]))
def multiply_by_window(factors, window_of, exponentials):
    """Multiply the exp(F) of each position, shape (n_positions, n_all_states), by the factors of its window."""
    n_states = exponentials.shape[1]
    for position in range(uint64(len(window_of))):
        window = uint64(window_of[position])
        for state in range(uint64(n_states)):
            exponentials[position, state] *= factors[window, state]
