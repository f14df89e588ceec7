"""The best test of one column: which sets of its codes may be one side of a split depends on its kind.

`ONE_VS_REST`
    A single code (PhD section 3.2: every category is a boolean feature).
`SUBSETS`
    Any set. Sorted by gradient over weight, the codes of the best set stand together at one end (Fisher 1958; Breiman
    et al. 1984, theorem 4.5): the gain is convex in the sums of gradients and weights of a side.
`ORDERED`
    The codes up to one of them, in their natural order; EDGE, which has no place in it, may join either side.

Where "missing" is a code of its own, every test is also tried with missing on the other side, and missing is tried
against all that is observed (Twala et al. 2008, "missingness incorporated in attributes"). For subsets it is a code
like any other. Where missing only joins a side, sets are those of the sorted known codes, which need not be the best of
all, since missing against observed is then no test.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, types, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int32, Int64, compiled_type, struct

ONE_VS_REST, SUBSETS, ORDERED = 0, 1, 2
"""Kinds of columns."""

UNKNOWN, EITHER_SIDE, INCORPORATED = 0, 1, 2
"""What missing is: no part of any test, a code that joins the side where the gain is larger, or a code of its own."""

MINIMUM_GAIN = 1e-10
"""A smaller gain is rounding error, not a gain (gradients are probabilities, so sums are of order 1)."""

_ROUNDING = 1.0 + 1e-9  # a bound stays one
_TINY = 1e-300  # a code that weighs nothing but has a gradient has no bound, one without rows adds nothing

_WITH_EDGE, _WITH_MISSING, _N_VARIANTS = 1, 2, 4


@struct
class SplitParams(NamedTuple):
    """Which splits gain how much, and the values of leaves."""

    l2_regularization: Annotated[float, "lambda of equation 3.1."]
    least_weight: Annotated[float, "What the rows of each side of a split must weigh, at least."]
    smoothing: Annotated[
        float, "Added to the weight of a category before categories are sorted by gradient over weight."
    ]
    missing: Annotated[int, "`UNKNOWN`, `EITHER_SIDE` or `INCORPORATED`."]
    largest_value: Annotated[float, "Leaf values are clipped to it, then multiplied by the learning rate."]
    learning_rate: float


SPLIT_PARAMS = compiled_type(SplitParams)


def gradient_leaves(l2_regularization: float) -> SplitParams:
    """The trees of the papers, on complete data."""
    return SplitParams(float(l2_regularization), 0.0, 0.0, UNKNOWN, np.inf, 1.0)


@struct
class ColumnSums(NamedTuple):
    """Sums of a node's rows by code of one column, and work space.

    The codes of the attribute come first, then EDGE or START, then missing, whose weight is 0 where there is none.
    """

    weights: Annotated[Float64, "n_most_codes + 1"]
    gradients: Annotated[Float64, "n_most_codes + 1"]
    gains: Annotated[Float64, "n_most_codes + 1"]
    keys: Annotated[Float64, "n_most_codes + 1", "Of the codes that are sorted."]
    ranked: Annotated[Int32, "n_most_codes + 1", "Codes in their order."]
    spare: Annotated[Int32, "n_most_codes + 1"]
    places: Annotated[Int64, "n_most_codes + 1"]
    side_weights: Annotated[Float64, "n_most_codes + 1", "Of the first codes in that order, together."]
    side_gradients: Annotated[Float64, "n_most_codes + 1"]
    total: Annotated[Float64, "2", "Weight and gradient of all rows whose code is known, or may join a side."]


COLUMN_SUMS = compiled_type(ColumnSums)


@kernel(float64(float64, float64, float64, float64, float64), error_model="numpy")
def gain_of(weight_true, total_true, weight, total, l2_regularization):
    """The fall of the squared error by a split, with the leaf values of equation 3.1 (PhD section 3.2).

    ``G_true^2 / (N_true + lambda) + G_false^2 / (N_false + lambda) - G^2 / (N + lambda)``; symmetric in the two
    children to the last bit, so a test and its complement tie exactly.
    """
    total_false = total - total_true
    divisor_true = weight_true + l2_regularization
    divisor_false = (weight - weight_true) + l2_regularization
    numerator = total_true * total_true * divisor_false + total_false * total_false * divisor_true
    return numerator / (divisor_true * divisor_false) - total * total / (weight + l2_regularization)


@kernel(float64(float64, float64, float64, float64, SPLIT_PARAMS), error_model="numpy")
def allowed_gain(weight_true, total_true, weight, total, split_params):
    """`gain_of`; 0 where a side weighs too little or the gain is no more than `MINIMUM_GAIN`."""
    gain = gain_of(weight_true, total_true, weight, total, split_params.l2_regularization)
    rest = weight - weight_true
    enough = (
        (weight_true > 0)
        & (rest > 0)
        & (weight_true >= split_params.least_weight)
        & (rest >= split_params.least_weight)
    )
    return gain if enough & (gain > MINIMUM_GAIN) else 0.0


@kernel(float64(float64, float64, COLUMN_SUMS, SPLIT_PARAMS), error_model="numpy")
def side_gain(weight_true, gradient_true, sums, split_params):
    """The gain with these rows on one side."""
    return allowed_gain(weight_true, gradient_true, sums.total[0], sums.total[1], split_params)


@kernel(types.Tuple((float64, int64))(float64[::1]))
def best_of(gains):
    """The largest gain and the first place that has it; 0 and -1 if none is above 0."""
    # Numbers of at least 0 keep their order as integers, whose maximum is found many at a time.
    ordered = gains.view(np.int64)
    largest = int64(0)
    for place in range(len(gains)):
        largest = max(largest, ordered[place])
    if largest > 0:
        for place in range(len(gains)):
            if ordered[place] == largest:
                return gains[place], place
    return 0.0, int64(-1)


@kernel(boolean(float64, COLUMN_SUMS, int64))
def _tells_known(weight, sums, missing):
    """Whether a set of this weight tells rows apart whose code is known, where all others are missing."""
    return (weight > 0) & (weight < sums.total[0] - sums.weights[missing])


@kernel(types.Tuple((float64, int64))(COLUMN_SUMS, int64, SPLIT_PARAMS), separate=True)
def _best_single(sums, n_codes, split_params):
    """The best test for one code, in `ONE_VS_REST`; the candidate is the code, times `_N_VARIANTS`, and its variant."""
    weights, gradients, gains = sums.weights, sums.gradients, sums.gains
    for code in range(n_codes):
        gains[code] = side_gain(weights[code], gradients[code], sums, split_params)
    if split_params.missing == UNKNOWN or weights[n_codes] == 0:
        best, code = best_of(gains[:n_codes])
        return best, code * _N_VARIANTS
    for code in range(n_codes):
        joined = side_gain(weights[code] + weights[n_codes], gradients[code] + gradients[n_codes], sums, split_params)
        gains[code] = max(gains[code], joined) if _tells_known(weights[code], sums, n_codes) else 0.0
    best, code = best_of(gains[:n_codes])
    candidate = code * _N_VARIANTS
    if code >= 0 and side_gain(weights[code], gradients[code], sums, split_params) < best:
        candidate += _WITH_MISSING
    if split_params.missing == INCORPORATED:
        gain = side_gain(weights[n_codes], gradients[n_codes], sums, split_params)
        if gain > best:
            best, candidate = gain, n_codes * _N_VARIANTS
    return best, candidate


@kernel(float64(COLUMN_SUMS, int64, SPLIT_PARAMS), error_model="numpy")
def bound(sums, n_codes, split_params):
    """No subset gains more: by Cauchy and Schwarz, a side's ``G^2 / (N + lambda)`` is at most ``N / (N + lambda)``
    times the sum of ``g^2 / n`` over its codes.

    Parameters are those of `find_test`.
    """
    weights, gradients = sums.weights, sums.gradients
    n = uint64(n_codes + (split_params.missing != UNKNOWN))
    first = second = third = fourth = 0.0  # four sums, as each addition waits for the one before it
    for i in range(uint64(0), n & ~uint64(3), uint64(4)):
        first += gradients[i] * gradients[i] / max(weights[i], _TINY)
        second += gradients[i + uint64(1)] * gradients[i + uint64(1)] / max(weights[i + uint64(1)], _TINY)
        third += gradients[i + uint64(2)] * gradients[i + uint64(2)] / max(weights[i + uint64(2)], _TINY)
        fourth += gradients[i + uint64(3)] * gradients[i + uint64(3)] / max(weights[i + uint64(3)], _TINY)
    for i in range(n & ~uint64(3), n):
        first += gradients[i] * gradients[i] / max(weights[i], _TINY)
    squares = (first + second) + (third + fourth)
    weight, gradient = sums.total[0], sums.total[1]
    return (_ROUNDING * squares * weight - gradient * gradient) / (weight + split_params.l2_regularization)


@kernel(int64(COLUMN_SUMS, int64, SPLIT_PARAMS), error_model="numpy")
def _rank_codes(sums, n_codes, split_params):
    """Sort the codes that the node's rows have by smoothed gradient over weight; return their number."""
    weights, gradients, ratios = sums.weights, sums.gradients, sums.gains
    for code in range(n_codes):
        ratios[code] = gradients[code] / (weights[code] + split_params.smoothing)
    n_present = int64(0)
    for code in range(uint64(n_codes)):
        sums.spare[uint64(n_present)] = code
        sums.keys[uint64(n_present)] = ratios[code]
        n_present += (weights[code] != 0) | (gradients[code] != 0)
    rank(sums.spare[:n_present], sums.keys, sums.ranked, sums.places)
    return n_present


@kernel(types.Tuple((float64, int64))(COLUMN_SUMS, int64, SPLIT_PARAMS), separate=True)
def _best_subset(sums, n_codes, split_params):
    """The best set of codes, in `SUBSETS`; the candidate tells how many of the first codes it has, less 1."""
    n_present = _rank_codes(sums, n_codes + (split_params.missing == INCORPORATED), split_params)
    weights, gradients, gains = sums.side_weights, sums.side_gradients, sums.gains
    weight = gradient = 0.0
    for place in range(uint64(n_present)):
        code = uint64(sums.ranked[place])
        weight += sums.weights[code]
        gradient += sums.gradients[code]
        weights[place] = weight
        gradients[place] = gradient
    for place in range(n_present - 1):
        gains[place] = side_gain(weights[place], gradients[place], sums, split_params)
    if split_params.missing == EITHER_SIDE:
        more_weight, more_gradient = sums.weights[n_codes], sums.gradients[n_codes]
        for place in range(n_present - 1):
            joined = side_gain(weights[place] + more_weight, gradients[place] + more_gradient, sums, split_params)
            gains[place] = max(gains[place], joined)
    best, place = best_of(gains[: max(n_present - 1, 0)])
    return best, place * _N_VARIANTS


@kernel(types.Tuple((float64, int64))(COLUMN_SUMS, int64, SPLIT_PARAMS), separate=True)
def _best_threshold(sums, n_codes, split_params):
    """The best set of the lowest codes, in `ORDERED`; the candidate is their number, and who joins them.

    Of sets with the same rows only the smallest is looked at: small leaves have few.
    """
    edge, n_bins = n_codes - 1, n_codes - 1
    has_edge, has_missing = sums.weights[edge] > 0, split_params.missing != UNKNOWN and sums.weights[n_codes] > 0
    low_weights, low_gradients, gains = sums.side_weights, sums.side_gradients, sums.gains
    weight = gradient = 0.0
    n_sets, differs = uint64(0), True
    for n_low in range(uint64(n_bins)):
        low_weights[n_sets], low_gradients[n_sets], sums.places[n_sets] = weight, gradient, n_low
        n_sets += uint64(differs)
        differs = (sums.weights[n_low] != 0) | (sums.gradients[n_low] != 0)
        weight += sums.weights[n_low]
        gradient += sums.gradients[n_low]
    best, candidate = 0.0, int64(-1)
    for variant in range(_N_VARIANTS):
        with_edge, with_missing = variant & _WITH_EDGE > 0, variant & _WITH_MISSING > 0
        if (with_edge and not has_edge) or (with_missing and not has_missing):
            continue
        edge_weight, edge_gradient = sums.weights[edge] * with_edge, sums.gradients[edge] * with_edge
        more_weight = edge_weight + sums.weights[n_codes] * with_missing
        more_gradient = edge_gradient + sums.gradients[n_codes] * with_missing
        for i in range(n_sets):
            gains[i] = side_gain(low_weights[i] + more_weight, low_gradients[i] + more_gradient, sums, split_params)
        if has_missing:
            alone = gains[0] if split_params.missing == INCORPORATED and variant == _WITH_MISSING else 0.0
            for i in range(n_sets):
                gains[i] = gains[i] if _tells_known(low_weights[i] + edge_weight, sums, n_codes) else 0.0
            gains[0] = max(gains[0], alone)
        gain, place = best_of(gains[:n_sets])
        chosen = sums.places[max(place, 0)] * _N_VARIANTS + variant
        if gain > best or (gain == best and gain > 0 and chosen < candidate):
            best, candidate = gain, chosen
    return best, candidate


@kernel(types.Tuple((float64, int64))(COLUMN_SUMS, int64, int64, SPLIT_PARAMS), error_model="numpy")
def find_test(sums, n_codes, kind, split_params):
    """The gain of a column's best test and its number among the tests of the column, for `write_set`.

    Parameters
    ----------
    sums : ColumnSums
        Of the node's rows; the first `n_codes` are the attribute's and EDGE.
    kind : int
        `ONE_VS_REST`, `SUBSETS` or `ORDERED`.
    """
    if kind == SUBSETS:
        return _best_subset(sums, n_codes, split_params)
    if kind == ORDERED:
        return _best_threshold(sums, n_codes, split_params)
    return _best_single(sums, n_codes, split_params)


# --- the set of a test ------------------------------------------------------------------------------


@kernel(void(COLUMN_SUMS, int64, int64, SPLIT_PARAMS, int64), error_model="numpy")
def _mark_set(sums, n_codes, kind, split_params, candidate):
    """Write to `gains` 1 for the codes of the test, -1 for other codes that the node's rows have, 0 for the rest."""
    place, variant = candidate // _N_VARIANTS, candidate % _N_VARIANTS
    marks = sums.gains
    if kind == SUBSETS:
        # Ranking uses `gains` as work space, so it comes before the marks.
        _rank_codes(sums, n_codes + (split_params.missing == INCORPORATED), split_params)
    for code in range(n_codes + 1):
        marks[code] = -1.0 if sums.weights[code] != 0 or sums.gradients[code] != 0 else 0.0
    if kind == SUBSETS:
        for i in range(place + 1):
            marks[sums.ranked[i]] = 1.0
    elif kind == ORDERED:
        for code in range(n_codes - 1):
            marks[code] = 1.0 if code < place else -1.0
        if variant & _WITH_EDGE:
            marks[n_codes - 1] = 1.0
    else:
        marks[place] = 1.0
    if split_params.missing == INCORPORATED and variant & _WITH_MISSING:
        marks[n_codes] = 1.0


@kernel(int64(COLUMN_SUMS, int64, int64, SPLIT_PARAMS, int64, int32[::1]), error_model="numpy", separate=True)
def write_set(sums, n_codes, kind, split_params, candidate, codes):
    """Write the codes of one side of a test, ascending; return their number.

    It is the side that weighs less, so that what no row of the node shows goes the way of most. In `ONE_VS_REST` it is
    always the single code, as in the papers; with missing, if that goes the way of most.
    """
    _mark_set(sums, n_codes, kind, split_params, candidate)
    n_known = n_codes + (split_params.missing == INCORPORATED)
    inside = outside = 0.0
    for code in range(n_known):
        if sums.gains[code] > 0:
            inside += sums.weights[code]
        elif sums.gains[code] < 0:
            outside += sums.weights[code]
    wanted = 1.0 if kind == ONE_VS_REST or inside <= outside else -1.0
    if kind == ONE_VS_REST and split_params.missing == INCORPORATED and sums.gains[n_codes] == 0.0 and inside > outside:
        sums.gains[n_codes] = 1.0
    n_written = 0
    for code in range(n_known):
        if sums.gains[code] == wanted:
            codes[n_written] = code
            n_written += 1
    return n_written


_FEW = 64  # up to so many, comparing all with all takes less time than sorting: it has no branches
_FREE = -1


@kernel(void(int32[::1], float64[::1], int32[::1], int64[::1]))
def rank(codes, keys, ranked, places):
    """Write codes in the order of their keys; of equal keys the first stays first.

    Parameters
    ----------
    codes : int32, shape (n,)
        Used up where they are many.
    keys : float64, shape (at least n,)
        Key of each; used up, too.
    ranked : int32, shape (at least n,)
        What is written.
    places : int64, shape (at least n,)
        Work space.
    """
    if len(codes) <= _FEW:
        _rank_few(codes, keys, ranked, places)
    else:
        _sort_many(codes, keys)
        for i in range(len(codes)):
            ranked[i] = codes[i]


@kernel(void(int32[::1], float64[::1], int32[::1], int64[::1]))
def _rank_few(codes, keys, ranked, places):
    """The place of a code is the number of codes before it."""
    n = uint64(len(codes))
    for i in range(n):
        places[i] = 0
        ranked[i] = _FREE
    for i in range(n):
        key = keys[i]
        for j in range(n):  # many at a time
            places[j] += key < keys[j]
    for i in range(n):
        place = uint64(places[i])
        while ranked[place] != _FREE:  # of equal keys the first have come already
            place += uint64(1)
        ranked[place] = codes[i]


@kernel(void(int32[::1], float64[::1], int64, int64))
def _sift_down(codes, keys, root, end):
    """Let an entry sink in the heap ``[0, end)`` until those below it come before it; of equal keys the lower code
    does.
    """
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and _is_before(codes, keys, child, child + 1):
            child += 1
        if not _is_before(codes, keys, root, child):
            return
        _exchange(codes, keys, root, child)
        root = child


@kernel(int64(int32[::1], float64[::1], int64, int64))
def _is_before(codes, keys, first, second):
    return keys[first] < keys[second] or (keys[first] == keys[second] and codes[first] < codes[second])


@kernel(void(int32[::1], float64[::1], int64, int64))
def _exchange(codes, keys, first, second):
    codes[first], codes[second] = codes[second], codes[first]
    keys[first], keys[second] = keys[second], keys[first]


@kernel(void(int32[::1], float64[::1]), separate=True)
def _sort_many(codes, keys):
    """Heapsort of codes, which are ascending, and keys."""
    n = len(codes)
    for root in range(n // 2 - 1, -1, -1):
        _sift_down(codes, keys, root, n)
    for end in range(n - 1, 0, -1):
        _exchange(codes, keys, 0, end)
        _sift_down(codes, keys, 0, end)
