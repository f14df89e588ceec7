"""Best-first growing of one regression tree (PhD table 3.1), with leaf values by equation 3.1."""

from __future__ import annotations

from numba import int64, njit, types

from treecrf.compiled.kernel import kernel
from treecrf.trees.sampling import pass_over
from treecrf.trees.splitting import best_of


@kernel(types.UniTuple(int64, 2)(int64, int64[::1], int64))
def _column_of(feature, first_cell, n_labels):
    """Column and code of a feature: slots by their cells, then one column for each lag."""
    n_slots = len(first_cell) - 1
    if feature >= first_cell[n_slots]:
        label_test = feature - first_cell[n_slots]
        return n_slots + label_test // (n_labels + 1), label_test % (n_labels + 1)
    column = 0
    while first_cell[column + 1] <= feature:
        column += 1
    return column, feature - first_cell[column]


@njit(inline="always")
def grow_best_first(plant, score, split, sum_of, problem, rows, sample, workspace, tree):
    """Grow one tree; return its number of splits, or -1 if there is no room for another.

    Leaves are numbered by birth: the root is leaf 0, and split ``i`` turns part of leaf ``parents[i]`` into leaf
    ``i + 1``: the rows where the test is true leave, those where it is false stay under the old number.

    ``plant(problem, rows, sample, workspace)`` makes the root; ``score(problem, workspace, leaf)`` writes the gain of
    each test of a leaf to ``workspace.scores``; ``split(problem, rows, workspace, leaf, child, tree)`` makes the split
    that has been written to the tree and returns whether there was room; ``sum_of(problem, workspace, leaf)`` returns
    the sum of a leaf's gradients and the number of its rows.

    `rows`, shape (n_all_states, n_positions), are the packed gradients of one label, 0 where a state is not valid.
    `tree` has room for ``max_leaves`` leaves and is written from the front.
    """
    first_cell, n_labels, gains = problem.columns.first_cell, problem.n_labels, workspace.gains
    plant(problem, rows, sample, workspace)
    leaf, n_leaves = 0, 1
    while n_leaves < problem.max_leaves:
        for i in range(min(n_leaves, 2)):  # the root, or the two leaves of the last split
            new = leaf if i == 0 else n_leaves - 1
            score(problem, workspace, new)
            pass_over(sample, max(2 * n_leaves - 3, 0) + i, first_cell, n_labels + 1, workspace.scores)
            gains[new], workspace.features[new] = best_of(workspace.scores)
        leaf = 0
        for other in range(1, n_leaves):
            if gains[other] > gains[leaf]:
                leaf = other
        if gains[leaf] <= 0.0:
            break
        column, code = _column_of(workspace.features[leaf], first_cell, n_labels)
        tree.parents[n_leaves - 1] = leaf
        tree.columns[n_leaves - 1] = column
        tree.codes[n_leaves - 1] = code
        if not split(problem, rows, workspace, leaf, n_leaves, tree):
            return -1
        n_leaves += 1
    for leaf in range(n_leaves):
        total, n_rows = sum_of(problem, workspace, leaf)
        tree.values[leaf] = total / (n_rows + problem.l2_regularization)
    return n_leaves - 1
