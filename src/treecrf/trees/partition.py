"""The rows of the leaves of a growing tree.

A leaf's rows are a product P x S of positions and states. Which leaf a row (p, s) is in is kept in *lanes*:
``membership[lane, p]`` is the number of the leaf, where the lane of a leaf is the smallest of its states.
Two leaves that share a position share no state, so they never meet in a lane. A window split writes only the
positions that leave; they are found by walking the postings of the tested cell or the leaf's own list,
whichever is shorter, so the larger child is not touched.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, int16, int32, int64, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Int16, Int32, Int64, compiled_type, struct
from treecrf.trees.columns import COLUMNS


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
    is_member = False
    for i in range(len(codes)):
        is_member |= codes[i] == code
    return is_member


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


@struct
class Leaves(NamedTuple):
    """The rows of all leaves."""

    membership: Annotated[Int16, "n_all_states, n_positions", "Leaf that a row is in; -1 where a lane holds no row."]
    states: Annotated[Int32, "n_leaves, n_all_states", "States of each leaf, ascending."]
    n_states: Annotated[Int64, "n_leaves"]
    whole: Annotated[Bool, "n_leaves", "Whether a leaf has all positions; its list is then all of them in order."]
    begins: Annotated[Int64, "n_leaves", "A leaf has those of positions[begin:end] whose membership it is."]
    ends: Annotated[Int64, "n_leaves"]
    positions: Annotated[Int32, "6 * n_positions"]
    exact: Annotated[Bool, "n_leaves", "Whether a leaf's list has no strangers."]
    used: Annotated[Int64, "1", "Entries of `positions` that are in use."]
    holds: Annotated[Bool, "n_most_codes + 1", "Whether the test of the split that is being made holds for a code."]


LEAVES = compiled_type(Leaves)


def with_longer_list(leaves: Leaves) -> Leaves:
    """The same buffers with a list of twice the length, for when `has_room` is false."""
    return leaves._replace(positions=np.zeros(2 * len(leaves.positions), dtype=np.int32))


@kernel(boolean(LEAVES))
def has_room(leaves):
    """Whether the list is long enough for one more split."""
    return leaves.used[0] + leaves.membership.shape[1] <= len(leaves.positions)


@kernel(void(LEAVES, int32[::1]))
def init_root(leaves, positions):
    """Make the root, leaf 0: these positions, ascending, with every state."""
    n_members, n_positions = len(positions), leaves.membership.shape[1]
    take_all_states(leaves.states, leaves.n_states, 0)
    leaves.whole[0] = n_members == n_positions
    leaves.exact[0] = True
    leaves.begins[0] = 0
    leaves.ends[0] = n_members
    leaves.used[0] = n_positions
    leaves.membership[0, :] = 0 if leaves.whole[0] else -1
    for state in range(1, len(leaves.membership)):
        leaves.membership[state, :] = -1
    for i in range(n_members):
        leaves.positions[i] = positions[i]
    if not leaves.whole[0]:
        for i in range(uint64(n_members)):
            leaves.membership[0, uint64(positions[i])] = 0


@kernel(int64(LEAVES, COLUMNS, int64, int64, int64, int32[::1], int64))
def _split_by_postings(leaves, columns, leaf, child, slot, codes, begin):
    """Collect the true child at ``positions[begin:]`` from the postings of the set's cells; return its end."""
    membership = leaves.membership[leaves.states[leaf, 0]]
    positions = leaves.positions
    end = begin
    for code in codes:
        cell = columns.first_cell[slot] + code
        for i in range(uint64(columns.first_posting[cell]), uint64(columns.first_posting[cell + 1])):
            position = uint64(columns.postings[i])
            member_of = membership[position]
            moves = member_of == leaf  # no branch: it would be mispredicted every few positions
            membership[position] = child if moves else member_of
            positions[uint64(end)] = position
            end += moves
    return end


@kernel(void(LEAVES, COLUMNS, int64, int64, int64, int32[::1]))
def _split_by_list(leaves, columns, leaf, child, slot, codes):
    """Partition the leaf's own list, keeping order: the false child's stays in place, the true child's follows all
    others.

    before   [ begin                      end )   the leaf, perhaps with strangers in between      ...  used ) after
    [ begin  false  kept )                                                                ...  used  true  free )
    """
    membership = leaves.membership[leaves.states[leaf, 0]]
    positions, holds, of_slot = leaves.positions, leaves.holds, columns.codes[slot]
    for code in codes:
        holds[code] = True
    begin, used = leaves.begins[leaf], leaves.used[0]
    kept, free = begin, used
    if leaves.exact[leaf]:  # no branches in these loops: they would be mispredicted
        for i in range(uint64(begin), uint64(leaves.ends[leaf])):
            position = positions[i]
            true = holds[of_slot[uint64(position)]]
            positions[uint64(kept)] = position
            positions[uint64(free)] = position
            kept += not true
            free += true
    else:
        for i in range(uint64(begin), uint64(leaves.ends[leaf])):
            position = positions[i]
            is_member, true = membership[uint64(position)] == leaf, holds[of_slot[uint64(position)]]
            positions[uint64(kept)] = position
            positions[uint64(free)] = position
            kept += is_member & (not true)
            free += is_member & true
    for i in range(uint64(used), uint64(free)):
        membership[uint64(positions[i])] = child
    for code in codes:
        holds[code] = False
    leaves.ends[leaf] = kept
    leaves.begins[child] = used
    leaves.ends[child] = leaves.used[0] = free
    leaves.exact[leaf] = True


@kernel(void(LEAVES, COLUMNS, int64, int64, int64, int32[::1], boolean))
def split_by_window(leaves, columns, leaf, child, slot, codes, child_is_smaller):
    """Split a leaf on a set of a slot's codes; the smaller child, which will be scanned, has an exact list then."""
    n_postings = int64(0)
    for code in codes:
        cell = columns.first_cell[slot] + code
        n_postings += columns.first_posting[cell + 1] - columns.first_posting[cell]
    begin, end = leaves.begins[leaf], leaves.ends[leaf]
    if n_postings < end - begin and child_is_smaller:
        leaves.begins[child] = leaves.used[0]
        leaves.ends[child] = _split_by_postings(leaves, columns, leaf, child, slot, codes, leaves.used[0])
        leaves.used[0] = leaves.ends[child]
        leaves.exact[leaf] = False
    else:
        _split_by_list(leaves, columns, leaf, child, slot, codes)
    leaves.exact[child] = True
    copy_states(leaves.states, leaves.n_states, leaf, child)
    leaves.whole[leaf] = leaves.whole[child] = False


@kernel(void(LEAVES, int16[:, ::1], int64, int64, int64, int32[::1]))
def split_by_label(leaves, labels_of_state, leaf, child, lag, codes):
    """Split a leaf on a set of previous labels: both children keep its positions, each in a lane of its own."""
    begin, end, used = leaves.begins[leaf], leaves.ends[leaf], leaves.used[0]
    positions = leaves.positions
    membership = leaves.membership[leaves.states[leaf, 0]]
    divide_states(leaves.states, leaves.n_states, labels_of_state, leaf, child, lag, codes)
    leaf_membership = leaves.membership[leaves.states[leaf, 0]]
    child_membership = leaves.membership[leaves.states[child, 0]]
    n_members = 0
    if leaves.whole[leaf]:
        leaf_membership[:] = leaf
        child_membership[:] = child
        n_members = end - begin
    else:
        for i in range(uint64(begin), uint64(end)):
            position = uint64(positions[i])
            positions[uint64(begin + n_members)] = position
            if membership[position] == leaf:
                leaf_membership[position] = leaf
                child_membership[position] = child
                n_members += 1
    for i in range(uint64(n_members)):
        positions[uint64(used) + i] = positions[uint64(begin) + i]
    leaves.whole[child] = leaves.whole[leaf]
    leaves.exact[leaf] = leaves.exact[child] = True
    leaves.ends[leaf] = begin + n_members
    leaves.begins[child] = used
    leaves.ends[child] = leaves.used[0] = used + n_members
