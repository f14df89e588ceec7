"""Packed sums of the rows of each leaf, and what the search for its best split takes from them."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import float64, int64, types, uint64

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int64, compiled_type, struct
from treecrf.trees.best_split import BEST_SPLITS
from treecrf.trees.packing import steps, total
from treecrf.trees.problem import PROBLEM
from treecrf.trees.search import INCORPORATED, write_set
from treecrf.trees.tree import TREE


@struct
class NodeSums(NamedTuple):
    """Packed sums of the rows of each leaf."""

    histograms: Annotated[Int64, "n_leaves, n_features", "Window cells first, then tests of previous labels."]
    totals: Annotated[Int64, "n_leaves"]


NODE_SUMS = compiled_type(NodeSums)


@kernel(types.UniTuple(float64, 2)(PROBLEM, NODE_SUMS, int64))
def weight_and_total(problem, nodes, leaf):
    """Weight and sum of gradients of a leaf's rows."""
    packed, packing = nodes.totals[leaf], problem.packing
    return float64(steps(packed, packing)) * packing.weight_unit, total(packed, packing)


@kernel(types.Tuple((int64, float64))(PROBLEM, NODE_SUMS, BEST_SPLITS, int64, int64))
def take_sums(problem, nodes, splits, leaf, column):
    """See `treecrf.trees.best_split.bound_leaf`."""
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
    has_missing = problem.growth.missing == INCORPORATED and column < len(problem.columns.first_cell) - 1
    return last - first - has_missing, 1.0


@kernel(int64(PROBLEM, NODE_SUMS, BEST_SPLITS, int64, int64, TREE))
def write_test(problem, nodes, splits, leaf, child, tree):
    """Write the set of the split that makes `child`; return the packed sum of the rows where it holds."""
    column, split = int64(tree.columns[child - 1]), child - 1
    n_codes, _ = take_sums(problem, nodes, splits, leaf, column)
    begin, kind = tree.first_code[split], int64(problem.kinds[column])
    n_written = write_set(splits.sums, n_codes, kind, problem.growth, splits.candidates[leaf], tree.codes[begin:])
    tree.first_code[split + 1] = begin + n_written
    packed = int64(0)
    for i in range(begin, begin + n_written):
        packed += nodes.histograms[leaf, problem.first_feature[column] + tree.codes[i]]
    return packed
