"""Packed sums of the rows of each leaf, and what the search for its best split takes from them."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import float64, int64, types, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int64, compiled_type, struct
from treecrf.trees.best_first import BEST_SPLITS, NO_BOUND
from treecrf.trees.packing import steps, total
from treecrf.trees.problem import PROBLEM
from treecrf.trees.splitting import INCORPORATED, UNKNOWN, allowed_gain, write_set
from treecrf.trees.tree import TREE


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
    """See `treecrf.trees.best_first.make_grower`. All columns are unpacked together: calls for each would take most of the time.

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
