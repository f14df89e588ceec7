"""States of the leaves of a growing tree."""

from __future__ import annotations

from numba import boolean, int16, int32, int64, void

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


@kernel(boolean(int32[::1], int64))
def has_code(codes, code):
    """Whether a small set has a code."""
    for i in range(len(codes)):
        if codes[i] == code:
            return True
    return False


@kernel(void(int32[:, ::1], int64[::1], int16[:, ::1], int64, int64, int64, int32[::1]))
def divide_states(states, n_states, labels_of_state, leaf, child, lag, codes):
    """Give the states whose label at `lag` is one of `codes` to the child; the states of each leaf stay ascending."""
    n_true = 0
    n_false = 0
    for i in range(n_states[leaf]):
        state = states[leaf, i]
        if has_code(codes, labels_of_state[state, lag]):
            states[child, n_true] = state
            n_true += 1
        else:
            states[leaf, n_false] = state
            n_false += 1
    n_states[child] = n_true
    n_states[leaf] = n_false
