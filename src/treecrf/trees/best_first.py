"""Best-first growing (PhD table 3.1): the best split of each leaf, searched for no earlier than it is needed, and leaf
values.

A leaf is split only if none gains more. So a leaf is given a bound of its gain first, which takes less time than a
search, and is searched when no other leaf has a larger gain or bound. Within a leaf, too, only columns are searched
whose bound is not below the gain that has been found. The trees are those that a search of all columns of all leaves
gives.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import float64, int64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Float64, Int64, compiled_type, struct
from treecrf.trees.problem import PROBLEM
from treecrf.trees.sampling import SAMPLE, is_considered
from treecrf.trees.splitting import ONE_VS_REST, SPLIT_PARAMS, SUBSETS, ColumnSums, bound, find_test
from treecrf.trees.tree import TREE

NO_BOUND, _NOT_CONSIDERED = float("inf"), -1.0


@struct
class BestSplits(NamedTuple):
    """What is known of the best split of each leaf."""

    gains: Annotated[Float64, "n_leaves", "Of the best split; until it is searched for, what no split gains more than."]
    searched: Annotated[Bool, "n_leaves"]
    columns: Annotated[Int64, "n_leaves"]
    candidates: Annotated[Int64, "n_leaves", "Number of the best split among the tests of its column."]
    bounds: Annotated[Float64, "n_leaves, n_columns", "No test of the column gains more."]
    sums: ColumnSums


BEST_SPLITS = compiled_type(BestSplits)


@kernel(float64(float64, float64, SPLIT_PARAMS), error_model="numpy")
def leaf_value(total, weight, split_params):
    """Equation 3.1, ``G / (N + lambda)``, clipped and times the learning rate; N is the weight of the leaf's rows."""
    if total == 0.0:
        return 0.0
    value = total / (weight + split_params.l2_regularization)
    return min(max(value, -split_params.largest_value), split_params.largest_value) * split_params.learning_rate


def make_grower(rows, workspace, init_root, bound_singles, take_sums, split, sum_of):
    """A kernel ``grow(problem, rows, sample, workspace, tree)``, from kernels for one kind of rows and work space.

    It grows one tree, and returns its number of splits, or -1 if there is no room for another. Leaves are numbered by
    birth: the root is leaf 0, and split ``i`` turns part of leaf ``parents[i]`` into leaf ``i + 1``: the rows where the
    test is true leave, those where it is false stay under the old number. `tree` has room for ``max_leaves`` leaves and
    is written from the front.

    Parameters
    ----------
    rows, workspace : numba types
        Of the packed gradients of one label, 0 where a state is not valid, and of a struct with `BestSplits` as
        ``splits``.
    init_root : kernel
        ``init_root(problem, rows, sample, workspace)`` makes the root.
    bound_singles : kernel
        ``bound_singles(problem, workspace, leaf)`` writes the bounds of columns in `ONE_VS_REST`, infinity where there
        is none.
    take_sums : kernel
        ``take_sums(problem, workspace, leaf, column)`` unpacks a column of a leaf's histogram to
        ``workspace.splits.sums``, and returns its number of codes, missing not counted, and what gains are to be
        multiplied by.
    split : kernel
        ``split(problem, rows, workspace, leaf, child, tree)`` writes the set of a leaf's best split to the tree, makes
        the split and returns whether there was room.
    sum_of : kernel
        ``sum_of(problem, workspace, leaf)`` returns the sum of a leaf's gradients and the weight of its rows.
    """

    @kernel(void(PROBLEM, SAMPLE, int64, workspace, int64))
    def bound_leaf(problem, sample, node, workspace, leaf):
        """Write what no split of a leaf gains more than; `node` is its row in the sample."""
        splits, bounds = workspace.splits, workspace.splits.bounds[leaf]
        most = 0.0
        bound_singles(problem, workspace, leaf)
        for column in range(len(problem.feature_types)):
            value = _NOT_CONSIDERED
            if is_considered(sample, node, column):
                value = bounds[column] if problem.feature_types[column] == ONE_VS_REST else NO_BOUND
                if problem.feature_types[column] == SUBSETS:
                    n_codes, factor = take_sums(problem, workspace, leaf, column)
                    value = factor * bound(splits.sums, n_codes, problem.split_params)
            bounds[column] = value
            most = max(most, value)
        splits.gains[leaf] = most
        splits.searched[leaf] = False

    @kernel(void(PROBLEM, workspace, int64))
    def search_leaf(problem, workspace, leaf):
        """Write the best split of a leaf that has bounds; of equal gains that of the first column."""
        splits, bounds = workspace.splits, workspace.splits.bounds[leaf]
        likeliest = int64(0)
        for column in range(len(bounds)):
            if bounds[column] > bounds[likeliest]:
                likeliest = column
        best, best_column = float64(0.0), int64(-1)
        for i in range(-1, len(bounds)):
            column = likeliest if i < 0 else i
            if bounds[column] > 0.0 and bounds[column] >= best and i != likeliest:
                n_codes, factor = take_sums(problem, workspace, leaf, column)
                kind = int64(problem.feature_types[column])
                gain, candidate = find_test(splits.sums, n_codes, kind, problem.split_params)
                gain *= factor
                if gain > best or (gain == best and column < best_column):
                    best, best_column = gain, column
                    splits.candidates[leaf] = candidate
        splits.gains[leaf], splits.columns[leaf] = best, best_column
        splits.searched[leaf] = True

    @kernel(int64(PROBLEM, workspace, int64))
    def best_leaf(problem, workspace, n_leaves):
        """The leaf whose best split gains most, the first of equal ones; that split is known on return, unless none
        gains.
        """
        gains, searched = workspace.splits.gains, workspace.splits.searched
        while True:
            leaf = 0
            for other in range(1, n_leaves):
                if gains[other] > gains[leaf]:
                    leaf = other
            if searched[leaf] or gains[leaf] <= 0.0:
                return leaf
            search_leaf(problem, workspace, leaf)

    def grow(problem, rows, sample, workspace, tree):
        init_root(problem, rows, sample, workspace)
        leaf, n_leaves = 0, 1
        while n_leaves < problem.max_leaves:
            for i in range(min(n_leaves, 2)):  # the root, or the two leaves of the last split
                node = max(2 * n_leaves - 3, 0) + i
                bound_leaf(problem, sample, node, workspace, leaf if i == 0 else n_leaves - 1)
            leaf = best_leaf(problem, workspace, n_leaves)
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

    # The name of the file of its compiled form: no two growers may share one.
    grow.__qualname__ = f"{grow.__name__}_{workspace.instance_class.__name__}"
    return kernel(int64(PROBLEM, rows, SAMPLE, workspace, TREE))(grow)
