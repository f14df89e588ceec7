"""Best-first growing (PhD table 3.1): the best split of each leaf, searched for no earlier than it is needed, and leaf
values.

A leaf is split only if none gains more. So a leaf is given a bound of its gain first, which takes less time than a
search, and is searched when no other leaf has a larger gain or bound. Within a leaf, too, only columns are searched
whose bound is not below the gain that has been found. The trees are those that a search of all columns of all leaves
gives.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import boolean, float64, int16, int32, int64, types, uint32, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Float64, Int32, Int64, compiled_type, struct
from treecrf.trees.packing import steps, total
from treecrf.trees.splitting import (
    INCORPORATED,
    ONE_VS_REST,
    SPLIT_PARAMS,
    SUBSETS,
    UNKNOWN,
    ColumnSums,
    allowed_gain,
    bound,
    find_test,
    write_set,
)
from treecrf.trees.tree import PROBLEM, TREE


@struct
class Sample(NamedTuple):
    """What a tree sees.

    The first node is the root, then come the false and the true child of each split. If no nodes are given, each may be
    split by all tests.
    """

    positions: Annotated[Int32, "n", "Ascending; the rows of other positions take no part."]
    considered: Annotated[Bool, "n_nodes, n_slots + order", "Whether a node may be split by that column."]


SAMPLE = compiled_type(Sample)


@kernel(boolean(SAMPLE, int64, int64))
def is_considered(sample, node, column):
    """Whether a node may be split by a column."""
    return len(sample.considered) == 0 or sample.considered[node, column]


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


# The rows of a node are a product: positions x states. A window test looks at the position alone, so the
# states of a position are summed once (`position_sums`) and one pass over the window serves them all:
# |P| (|S| + slots) additions instead of |P| |S| slots. Indices are made unsigned where they cannot be
# negative: numba then leaves out the test for Python's wraparound, a third of the time here.


_CHUNK = 1024  # positions: their sums stay in the first cache


@kernel(void(int64[:, ::1], int32[::1], int64[::1]))
def add_rows(rows, states, sums):
    """Write the sum of the rows of some states at each position, shape (n_positions,)."""
    for begin in range(0, len(sums), _CHUNK):
        chunk = sums[begin : begin + _CHUNK]
        chunk[:] = 0
        for i in range(len(states)):
            addends = rows[states[i]][begin : begin + _CHUNK]
            for j in range(uint64(len(chunk))):
                chunk[j] += addends[j]


@kernel(void(int64[::1], int64[::1], boolean))
def subtract_sibling(scanned, both, child_was_scanned):
    """Give two children their histograms from that of one of them and that of both.

    `child_was_scanned` says whether `scanned` is that of the true child. On return `scanned` is that of the true child
    and `both` that of the false one; both have shape (n_features,).
    """
    if child_was_scanned:
        for i in range(len(both)):
            both[i] -= scanned[i]
    else:
        for i in range(len(both)):
            value = scanned[i]
            scanned[i] = both[i] - value
            both[i] = value


@kernel(int64(int32[::1], int64[::1], uint32[:, ::1], int64[::1]))
def fill_window_tests(positions, position_sums, cells, histogram):
    """Overwrite a histogram's part for window cells, shape (n_cells,); return the packed sum of its rows.

    `positions` are the node's; `position_sums`, shape (n_positions,), sums the rows of each over the node's states.
    """
    n_slots = cells.shape[1]
    histogram[:] = 0
    node_sum = int64(0)
    for i in range(uint64(len(positions))):
        position = uint64(positions[i])
        value = position_sums[position]
        node_sum += value
        for slot in range(uint64(n_slots)):
            histogram[cells[position, slot]] += value
    return node_sum


@kernel(void(int32[::1], boolean, int64[:, ::1], int32[::1], int16[:, ::1], int64, int64[::1]))
def fill_label_tests(positions, whole, rows, states, labels_of_state, node_sum, histogram):
    """Overwrite the part of a histogram that belongs to the tests of previous labels, shape (order * (n_labels + 1),).

    Tests are numbered ``lag * (n_labels + 1) + label``, the last label being START. `whole` says whether `positions`
    are all of them, in order. `rows`, shape (n_all_states, n_positions), are packed gradients, 0 where a state is not
    valid; `states` are the node's, and `node_sum` is the packed sum of its rows.
    """
    histogram[:] = 0
    order = labels_of_state.shape[1]
    if order == 0:
        return
    n_codes = len(histogram) // order
    rest = node_sum
    for i in range(len(states)):
        state_rows = rows[states[i]]
        state_sum = rest  # the last state has what the others leave
        if i < len(states) - 1:
            state_sum = int64(0)
            if whole:
                for position in range(uint64(len(state_rows))):
                    state_sum += state_rows[position]
            else:
                for j in range(uint64(len(positions))):
                    state_sum += state_rows[uint64(positions[j])]
        rest -= state_sum
        for lag in range(order):
            histogram[lag * n_codes + labels_of_state[states[i], lag]] += state_sum


@struct
class NodeStats(NamedTuple):
    """Packed sums of the rows of each leaf."""

    histograms: Annotated[Int64, "n_leaves, n_features", "Window cells first, then tests of previous labels."]
    totals: Annotated[Int64, "n_leaves"]
    gains: Annotated[Float64, "n_features", "Of the tests of a leaf."]


NODE_STATS = compiled_type(NodeStats)


@kernel(types.UniTuple(float64, 2)(PROBLEM, NODE_STATS, int64))
def weight_and_total(problem, nodes, leaf):
    """Weight and sum of gradients of a leaf's rows."""
    packed, packing = nodes.totals[leaf], problem.packing
    return float64(steps(packed, packing)) * packing.weight_unit, total(packed, packing)


@kernel(void(PROBLEM, NODE_STATS, BEST_SPLITS, int64), error_model="numpy")
def bound_singles(problem, nodes, splits, leaf):
    """See `treecrf.trees.best_first.make_grower`. All columns are unpacked together: calls for each would take most of
    the time.

    The bound is the best gain itself.
    """
    split_params, packing, bounds = problem.split_params, problem.packing, splits.bounds[leaf]
    if split_params.missing != UNKNOWN:
        bounds[:] = NO_BOUND
        return
    histogram, gains = nodes.histograms[leaf], nodes.gains
    half, shift, weight_unit = int64(1) << (packing.shift - 1), packing.shift, packing.weight_unit
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    weight, gradient = weight_and_total(problem, nodes, leaf)
    for feature in range(uint64(len(histogram))):
        packed = histogram[feature]
        n_steps = (packed + half) >> shift
        weight_true = float64(n_steps) * weight_unit
        gradient_true = float64(packed - (n_steps << shift)) * unit
        gains[feature] = allowed_gain(weight_true, gradient_true, weight, gradient, split_params)
    for column in range(len(bounds)):
        best = 0.0
        for feature in range(uint64(problem.first_feature[column]), uint64(problem.first_feature[column + 1])):
            best = max(best, gains[feature])
        bounds[column] = best


@kernel(types.Tuple((int64, float64))(PROBLEM, NODE_STATS, BEST_SPLITS, int64, int64))
def take_sums(problem, nodes, splits, leaf, column):
    """See `treecrf.trees.best_first.make_grower`."""
    packing, sums = problem.packing, splits.sums
    first, last = problem.first_feature[column], problem.first_feature[column + 1]
    histogram = nodes.histograms[leaf, first:last]
    half = int64(1) << (packing.shift - 1)
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    weights, gradients, n = sums.weights, sums.gradients, uint64(last - first)
    for code in range(n):
        packed = histogram[code]
        n_steps = (packed + half) >> packing.shift
        weights[code] = float64(n_steps) * packing.weight_unit
        gradients[code] = float64(packed - (n_steps << packing.shift)) * unit
    weights[n] = gradients[n] = 0.0
    sums.total[0], sums.total[1] = weight_and_total(problem, nodes, leaf)
    has_missing = problem.split_params.missing == INCORPORATED and column < len(problem.columns.first_cell) - 1
    return last - first - has_missing, 1.0


@kernel(int64(PROBLEM, NODE_STATS, BEST_SPLITS, int64, int64, TREE))
def write_test(problem, nodes, splits, leaf, child, tree):
    """Write the set of the split that makes `child`; return the packed sum of the rows where it holds."""
    column, split = int64(tree.columns[child - 1]), child - 1
    n_codes, _ = take_sums(problem, nodes, splits, leaf, column)
    begin, kind = tree.first_code[split], int64(problem.feature_types[column])
    n_written = write_set(splits.sums, n_codes, kind, problem.split_params, splits.candidates[leaf], tree.codes[begin:])
    n_cells = problem.first_feature[column + 1] - problem.first_feature[column]
    if n_written > 0 and tree.codes[begin + n_written - 1] >= n_cells:
        n_written -= 1  # the code for missing, which columns of previous labels do not have
    tree.first_code[split + 1] = begin + n_written
    packed = int64(0)
    for i in range(begin, begin + n_written):
        packed += nodes.histograms[leaf, problem.first_feature[column] + tree.codes[i]]
    return packed


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
