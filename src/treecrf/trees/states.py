"""States of the leaves of a growing tree."""

from __future__ import annotations

from numba import int16, int32, int64, void

from treecrf.compiled.kernel import kernel


@kernel(void(int32[:, ::1], int64[::1], int64))
def take_all_states(states, n_states, leaf):
    """Give a leaf every state."""
    for state in range(states.shape[1]):
        states[leaf, state] = state
    n_states[leaf] = states.shape[1]


@kernel(void(int32[:, ::1], int64[::1], int64, int64))
def copy_states(states, n_states, leaf, child):
    """Give the child the leaf's states, as a window split does."""
    n_states[child] = n_states[leaf]
    for i in range(n_states[leaf]):
        states[child, i] = states[leaf, i]


@kernel(void(int32[:, ::1], int64[::1], int16[:, ::1], int64, int64, int64, int64))
def divide_states(states, n_states, labels_of_state, leaf, child, lag, code):
    """Give the states that have the label `code` at `lag` to the child; the states of each leaf stay ascending."""
    n_true = 0
    n_false = 0
    for i in range(n_states[leaf]):
        state = states[leaf, i]
        if labels_of_state[state, lag] == code:
            states[child, n_true] = state
            n_true += 1
        else:
            states[leaf, n_false] = state
            n_false += 1
    n_states[child] = n_true
    n_states[leaf] = n_false
