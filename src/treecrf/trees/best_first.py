"""Best-first growing of one regression tree (PhD table 3.1), with leaf values by equation 3.1 or Newton's step."""

from __future__ import annotations

from numba import float64, int64, njit

from treecrf.compiled.kernel import kernel
from treecrf.trees.best_split import best_leaf, bound_leaf
from treecrf.trees.search import SPLIT_PARAMS


@kernel(float64(float64, float64, SPLIT_PARAMS), error_model="numpy")
def leaf_value(total, weight, split_params):
    """Equation 3.1, ``G / (N + lambda)``, clipped and times the learning rate; N is the weight of the leaf's rows."""
    if total == 0.0:
        return 0.0
    value = total / (weight + split_params.l2_regularization)
    return min(max(value, -split_params.largest_value), split_params.largest_value) * split_params.learning_rate


@njit(inline="always")
def grow_best_first(init_root, bound_singles, take_sums, split, sum_of, problem, rows, sample, workspace, tree):
    """Grow one tree; return its number of splits, or -1 if there is no room for another.

    Leaves are numbered by birth: the root is leaf 0, and split ``i`` turns part of leaf ``parents[i]`` into leaf
    ``i + 1``: the rows where the test is true leave, those where it is false stay under the old number.

    ``init_root(problem, rows, sample, workspace)`` makes the root; ``bound_singles`` and ``take_sums`` are those of `treecrf.trees.best_split`;
    ``split(problem, rows, workspace, leaf, child, tree)`` writes the set of a leaf's best split to the tree, makes the split
    and returns whether there was room; ``sum_of(problem, workspace, leaf)`` returns the sum of a leaf's gradients and the
    weight of its rows.

    `rows`, shape (n_all_states, n_positions), are the packed gradients of one label, 0 where a state is not valid.
    `tree` has room for ``max_leaves`` leaves and is written from the front.
    """
    init_root(problem, rows, sample, workspace)
    leaf, n_leaves = 0, 1
    while n_leaves < problem.max_leaves:
        for i in range(min(n_leaves, 2)):  # the root, or the two leaves of the last split
            node = max(2 * n_leaves - 3, 0) + i
            bound_leaf(bound_singles, take_sums, problem, sample, node, workspace, leaf if i == 0 else n_leaves - 1)
        leaf = best_leaf(take_sums, problem, workspace, n_leaves)
        if workspace.splits.gains[leaf] <= 0.0:
            break
        tree.parents[n_leaves - 1] = leaf
        tree.columns[n_leaves - 1] = workspace.splits.columns[leaf]
        tree.gains[n_leaves - 1] = workspace.splits.gains[leaf]
        if not split(problem, rows, workspace, leaf, n_leaves, tree):
            return int64(-1)
        n_leaves += 1
    for leaf in range(n_leaves):
        total, weight = sum_of(problem, workspace, leaf)
        tree.values[leaf] = leaf_value(total, weight, problem.split_params)
    return int64(n_leaves - 1)
