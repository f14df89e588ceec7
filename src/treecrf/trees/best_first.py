"""Best-first growing (PhD table 3.1): what trees are grown from, and the best split of each leaf, searched for no
earlier than it is needed.

A leaf is split only if none gains more. So a leaf is given a bound of its gain first, which takes less time than a
search, and is searched when no other leaf has a larger gain or bound. Within a leaf, too, only columns are searched
whose bound is not below the gain that has been found. The trees are those that a search of all columns of all leaves
gives.

Growing is the same for rows of each kind (`treecrf.trees.grower`, `treecrf.trees.missing.grower`,
`treecrf.trees.pair_grower`): the root's sums are written; then `choose_split` says which leaf to split by what, the
rows of that leaf are divided and its children's sums written, until there are enough leaves or none gains; last come
the leaf values.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int32, int64, types, uint32, uint64, void
from numpy.typing import NDArray

from treecrf.chain import StateSpace
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Bool, Float64, Int8, Int16, Int32, Int64, compiled_type, struct
from treecrf.io.arrays import starts_of
from treecrf.trees.columns import Columns
from treecrf.trees.forest import FULL, TREE, Tree, make_tree
from treecrf.trees.packing import Packing, steps, total
from treecrf.trees.splitting import (
    INCORPORATED,
    ONE_VS_REST,
    SUBSETS,
    UNKNOWN,
    ColumnSums,
    SplitParams,
    allowed_gain,
    bound,
    find_test,
    write_set,
)


@struct
class MissingPolicy(NamedTuple):
    """What happens to a row where the tested cell is missing.

    With a learned direction, the row goes to one side, that with the larger gain in training (default direction).
    Otherwise gains are taken from the rows where the test's outcome is known. Where no surrogate or direction tells,
    the row goes to the side with more of the known rows, or blends: it goes to both sides, with weights in proportion
    to the known rows there (instance weighting, PhD section 4.2).
    """

    learns_direction: bool
    scales_gain: Annotated[bool, "Whether a gain is multiplied by the known share of the node's rows, as C4.5 does."]
    n_surrogates: Annotated[int, "So many surrogate tests are tried first, best first (PhD section 4.3; 0: none)."]
    either_polarity: Annotated[bool, "Whether the opposite of a test may be a surrogate too."]
    blends: bool


MISSING_POLICY = compiled_type(MissingPolicy)
NO_POLICY = MissingPolicy(False, False, 0, False, False)
"""Where no cell is missing, or missing is a code like another."""

PART_OF_FULL = 1.0 / FULL


@kernel(int64(MISSING_POLICY, int64, int64), error_model="numpy")
def share_of_known(missing_policy, weight, known_weight):
    """Part of an unknown copy that goes to the true child, of this weight, where no direction or surrogate tells."""
    if missing_policy.blends:
        return int64(math.floor(float64(FULL) * (float64(weight) / float64(known_weight)) + 0.5))
    return FULL if 2 * weight > known_weight else 0


NO_DEPTHS, NO_COUNTS = np.zeros(0, dtype=np.int16), np.zeros((0, 0, 0), dtype=np.int64)
"""Where nothing needs what `Problem` has of them."""


@struct
class Problem(NamedTuple):
    """The windows of a training set, and the settings of its trees.

    Where cells may be missing, the last cell of each slot is "missing". A *column* is a slot, or a previous label; its
    tests have the numbers ``first_feature[j]`` to ``first_feature[j + 1] - 1``: first those of window cells. The number
    of previous labels of each position, and what `treecrf.trees.missing.grower.count_missing` gives, are empty
    where windows stand for several positions or nothing needs them.
    """

    columns: Columns
    labels_of_state: Annotated[Int16, "n_all_states, order"]
    feature_types: Annotated[Int8, "n_columns", "As in `treecrf.trees.splitting`."]
    first_feature: Annotated[Int64, "n_columns + 1"]
    n_labels: int
    max_leaves: int
    split_params: SplitParams
    packing: Packing
    missing_policy: MissingPolicy
    depths: Annotated[Int16, "n_positions"]
    missing_counts: Annotated[Int64, "n_depths, n_slots, n_cells"]

    def sizes(self) -> dict[str, int]:
        """Lengths of the buffers that growing needs."""
        n_all_states, order = self.labels_of_state.shape
        return {
            "n_leaves": self.max_leaves,
            "n_all_states": n_all_states,
            "n_positions": len(self.columns.cells),
            "n_cells": int(self.columns.first_cell[-1]),
            "n_features": int(self.first_feature[-1]),
            "n_columns": len(self.feature_types),
            "n_most_codes": self.most_codes,
            "n_surrogates": self.missing_policy.n_surrogates,
            "n_depths": order + 1,
        }

    @property
    def most_codes(self) -> int:
        """Codes of the column that has most."""
        return int(np.diff(self.first_feature).max(initial=1))

    def make_tree(self) -> Tree:
        """A buffer for the largest tree."""
        n_codes = (
            1
            if (self.feature_types == ONE_VS_REST).all() and self.split_params.missing != INCORPORATED
            else self.most_codes
        )
        return make_tree(self.max_leaves, self.missing_policy.n_surrogates, n_codes)


PROBLEM = compiled_type(Problem)


def make_problem(
    columns: Columns,
    space: StateSpace,
    feature_types: NDArray[np.int8],
    max_leaves: int,
    split_params: SplitParams,
    packing: Packing,
    missing_policy: MissingPolicy = NO_POLICY,
    depths: NDArray[np.int16] = NO_DEPTHS,
    missing_counts: NDArray[np.int64] = NO_COUNTS,
) -> Problem:
    """A `Problem`, of whose columns `feature_types` tells those of the slots and then those of the previous labels."""
    lags = np.full(space.order, space.n_labels + 1, dtype=np.int64)
    first_feature = starts_of(np.concatenate([np.diff(columns.first_cell), lags]))
    return Problem(
        columns,
        space.labels_of_state,
        feature_types.astype(np.int8),
        first_feature.astype(np.int64),
        space.n_labels,
        max_leaves,
        split_params,
        packing,
        missing_policy,
        depths,
        missing_counts,
    )


@struct
class Sample(NamedTuple):
    """What a tree sees.

    The first node is the root, then come the false and the true child of each split. If no nodes are given, each may be
    split by all tests.
    """

    positions: Annotated[Int32, "n", "Ascending; the rows of other positions take no part."]
    considered: Annotated[Bool, "n_nodes, n_slots + order", "Whether a node may be split by that column."]


SAMPLE = compiled_type(Sample)


NO_BOUND, _NOT_CONSIDERED = float("inf"), -1.0


@struct
class NodeStats(NamedTuple):
    """Sums of the rows of each leaf by test, and what is known of its best split.

    A sum is one packed number, or where rows divide two: weight, in parts of `FULL`, and gradient.
    """

    histograms: Annotated[Int64, "n_leaves, n_sums * n_features", "Window cells first, then tests of previous labels."]
    totals: Annotated[Int64, "n_leaves, n_sums", "Of all rows."]
    gains: Annotated[Float64, "n_leaves", "Of the best split; until it is searched for, what no split gains more than."]
    searched: Annotated[Bool, "n_leaves"]
    columns: Annotated[Int64, "n_leaves"]
    candidates: Annotated[Int64, "n_leaves", "Number of the best split among the tests of its column."]
    bounds: Annotated[Float64, "n_leaves, n_columns", "No test of the column gains more."]
    test_gains: Annotated[Float64, "n_features", "Of the tests of a leaf."]
    sums: ColumnSums


NODE_STATS = compiled_type(NodeStats)


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


@kernel(types.UniTuple(float64, 2)(PROBLEM, NODE_STATS, int64))
def weight_and_total(problem, nodes, leaf):
    """Weight and sum of gradients of a leaf's rows."""
    packing, totals = problem.packing, nodes.totals[leaf]
    if len(totals) == 2:
        unit = 1.0 / float64(int64(1) << packing.fraction_bits)
        return float64(totals[0]) * (PART_OF_FULL * packing.weight_unit), float64(totals[1]) * unit
    return float64(steps(totals[0], packing)) * packing.weight_unit, total(totals[0], packing)


@kernel(void(PROBLEM, NODE_STATS, int64), error_model="numpy")
def _bound_singles(problem, nodes, leaf):
    """Write the bounds of columns in `ONE_VS_REST`: the best gain itself, which takes no search.

    All columns are unpacked together: calls for each would take most of the time. There is no bound where what is
    missing differs by column.
    """
    split_params, packing, bounds = problem.split_params, problem.packing, nodes.bounds[leaf]
    if split_params.missing != UNKNOWN or nodes.totals.shape[1] == 2:
        bounds[:] = NO_BOUND
        return
    histogram, gains = nodes.histograms[leaf], nodes.test_gains
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


@kernel(types.Tuple((int64, float64))(PROBLEM, NODE_STATS, int64, int64), error_model="numpy")
def _take_sums(problem, nodes, leaf, column):
    """Unpack a column of a leaf's histogram to ``nodes.sums``; return its number of codes, missing not counted, and
    what gains are to be multiplied by.
    """
    packing, sums, divides = problem.packing, nodes.sums, nodes.totals.shape[1] == 2
    first, last = problem.first_feature[column], problem.first_feature[column + 1]
    weights, gradients, n = sums.weights, sums.gradients, uint64(last - first)
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    weight, gradient = weight_and_total(problem, nodes, leaf)
    has_missing = column < len(problem.columns.first_cell) - 1 and (
        divides or problem.split_params.missing == INCORPORATED
    )
    factor = 1.0
    if divides:
        histogram, weight_unit = nodes.histograms[leaf, 2 * first : 2 * last], PART_OF_FULL * packing.weight_unit
        for code in range(n):
            weights[code] = float64(histogram[uint64(2) * code]) * weight_unit
            gradients[code] = float64(histogram[uint64(2) * code + uint64(1)]) * unit
        if has_missing and problem.split_params.missing == UNKNOWN:
            weight = float64(nodes.totals[leaf, 0] - histogram[len(histogram) - 2]) * weight_unit
            gradient = float64(nodes.totals[leaf, 1] - histogram[len(histogram) - 1]) * unit
        if problem.missing_policy.scales_gain:
            factor = weight / (float64(max(nodes.totals[leaf, 0], 1)) * weight_unit)
    else:
        histogram, half = nodes.histograms[leaf, first:last], int64(1) << (packing.shift - 1)
        for code in range(n):
            packed = histogram[code]
            n_steps = (packed + half) >> packing.shift
            weights[code] = float64(n_steps) * packing.weight_unit
            gradients[code] = float64(packed - (n_steps << packing.shift)) * unit
    weights[n] = gradients[n] = 0.0
    sums.total[0], sums.total[1] = weight, gradient
    return last - first - has_missing, factor


@kernel(types.UniTuple(int64, 2)(PROBLEM, NODE_STATS, int64, int64, TREE))
def write_test(problem, nodes, leaf, child, tree):
    """Write the set of the split that makes `child`; return the sum of the rows where it holds: one number and 0, or
    two.
    """
    column, number = int64(tree.columns[child - 1]), (child - 1) * (1 + tree.surrogates.shape[1])
    n_codes, _ = _take_sums(problem, nodes, leaf, column)
    begin, kind, n_sums = tree.first_code[number], int64(problem.feature_types[column]), nodes.totals.shape[1]
    n_written = write_set(nodes.sums, n_codes, kind, problem.split_params, nodes.candidates[leaf], tree.codes[begin:])
    n_cells = problem.first_feature[column + 1] - problem.first_feature[column]
    if n_written > 0 and tree.codes[begin + n_written - 1] >= n_cells:
        n_written -= 1  # the code for missing, which columns of previous labels do not have
    tree.first_code[number + 1] = begin + n_written
    first = second = int64(0)
    for i in range(begin, begin + n_written):
        place = n_sums * (problem.first_feature[column] + tree.codes[i])
        first += nodes.histograms[leaf, place]
        if n_sums == 2:
            second += nodes.histograms[leaf, place + 1]
    return first, second


@kernel(void(PROBLEM, SAMPLE, NODE_STATS, int64, int64))
def _bound_leaf(problem, sample, nodes, node, leaf):
    """Write what no split of a leaf gains more than; `node` is its row in the sample."""
    bounds, most = nodes.bounds[leaf], 0.0
    _bound_singles(problem, nodes, leaf)
    for column in range(len(bounds)):
        value = _NOT_CONSIDERED
        if len(sample.considered) == 0 or sample.considered[node, column]:
            value = bounds[column] if problem.feature_types[column] == ONE_VS_REST else NO_BOUND
            if problem.feature_types[column] == SUBSETS:
                n_codes, factor = _take_sums(problem, nodes, leaf, column)
                value = factor * bound(nodes.sums, n_codes, problem.split_params)
        bounds[column] = value
        most = max(most, value)
    nodes.gains[leaf] = most
    nodes.searched[leaf] = False


@kernel(void(PROBLEM, NODE_STATS, int64))
def _search_leaf(problem, nodes, leaf):
    """Write the best split of a leaf that has bounds; of equal gains that of the first column."""
    bounds, likeliest = nodes.bounds[leaf], int64(0)
    for column in range(len(bounds)):
        if bounds[column] > bounds[likeliest]:
            likeliest = column
    best, best_column = float64(0.0), int64(-1)
    for i in range(-1, len(bounds)):
        column = likeliest if i < 0 else i
        if bounds[column] > 0.0 and bounds[column] >= best and i != likeliest:
            n_codes, factor = _take_sums(problem, nodes, leaf, column)
            kind = int64(problem.feature_types[column])
            gain, candidate = find_test(nodes.sums, n_codes, kind, problem.split_params)
            gain *= factor
            if gain > best or (gain == best and column < best_column):
                best, best_column = gain, column
                nodes.candidates[leaf] = candidate
    nodes.gains[leaf], nodes.columns[leaf] = best, best_column
    nodes.searched[leaf] = True


@kernel(int64(PROBLEM, SAMPLE, NODE_STATS, int64, TREE), separate=True)
def choose_split(problem, sample, nodes, n_leaves, tree):
    """Write leaf, column and gain of the next split, the first of the largest gain; return the leaf, -1 if none gains.

    Leaves are numbered by birth: the root is leaf 0, and split ``i`` turns part of leaf ``parents[i]`` into leaf ``i +
    1``: the rows where the test is true leave, those where it is false stay under the old number.
    """
    last = int64(0) if n_leaves == 1 else int64(tree.parents[n_leaves - 2])
    for i in range(min(n_leaves, 2)):  # the root, or the two leaves of the last split
        _bound_leaf(problem, sample, nodes, max(2 * n_leaves - 3, 0) + i, last if i == 0 else n_leaves - 1)
    gains = nodes.gains
    while True:
        leaf = int64(0)
        for other in range(1, n_leaves):
            if gains[other] > gains[leaf]:
                leaf = other
        if gains[leaf] <= 0.0:
            return int64(-1)
        if nodes.searched[leaf]:
            tree.parents[n_leaves - 1] = leaf
            tree.columns[n_leaves - 1] = nodes.columns[leaf]
            tree.gains[n_leaves - 1] = gains[leaf]
            return leaf
        _search_leaf(problem, nodes, leaf)


@kernel(void(PROBLEM, NODE_STATS, int64, TREE), error_model="numpy")
def write_values(problem, nodes, n_leaves, tree):
    """Write the leaf values of equation 3.1, ``G / (N + lambda)``, clipped and times the learning rate; N is the weight
    of the leaf's rows.
    """
    split_params = problem.split_params
    for leaf in range(n_leaves):
        weight, gradient = weight_and_total(problem, nodes, leaf)
        value = 0.0 if gradient == 0.0 else gradient / (weight + split_params.l2_regularization)
        value = min(max(value, -split_params.largest_value), split_params.largest_value)
        tree.values[leaf] = value * split_params.learning_rate
