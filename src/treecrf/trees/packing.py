"""Weights and gradients packed into one integer, so that sums are exact and cost one addition.

A packed value is the row's weight, shifted, plus its gradient, both in fixed point. Sums of packed values are the
packed sums, whatever the order of the additions; differences are exact, so the larger child of a split is its
parent minus its sibling to the last bit.

For gradient leaves each row weighs 1 (PhD equation 3.1: the weight is the number of rows). For Newton leaves it weighs
``p (1 - p)``, the curvature of the log likelihood at a row whose gradient is ``-p`` or ``1 - p``.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Annotated, NamedTuple

import numpy as np
from numba import float64, int32, int64, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int32, Int64, compiled_type, struct
from treecrf.io.messages import counted

_MAX_FRACTION_BITS = 40  # beyond it a float64 gradient of order 1 has no more to give after summation
_ENOUGH_FRACTION_BITS, _MIN_BITS = 14, 4  # rounding by chance loses nothing on average
_MAX_WEIGHT_BITS = 24
_FINE_BITS = 20  # rounding then loses nothing, and equal rows stay equal
_SHARE_BITS = 30  # of the weight of a divided row (`treecrf.trees.forest.FULL`), which multiplies that of the row


_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits as good as random (Knuth, volume 3, section 6.4)
_UNIT = 2.0**-53
_SEED_SHIFT = 40  # rows are fewer
_AGAIN = 1 << 39  # a row that is rounded twice has another chance then


@struct
class Packing(NamedTuple):
    """How a weight and a gradient share an int64."""

    fraction_bits: Annotated[int, "Bits of the gradient after the binary point."]
    shift: Annotated[int, "Bits below the weight."]
    weight_unit: Annotated[float, "Weight of one step of the packed weight: 1 where rows are counted."]
    curvature_scale: Annotated[float, "Steps of a row of curvature 1: 0 where rows are counted."]
    by_chance: Annotated[bool, "Whether rows are rounded up or down by chance, as the steps are large."]
    seed: Annotated[int, "Of that chance: the iteration."]

    @property
    def unit(self) -> int:
        """A row whose gradient is 0."""
        return 0 if self.curvature_scale else 1 << self.shift


PACKING = compiled_type(Packing)


def choose_packing(n_positions: int, n_rows: int, bound: int, newton: bool = False) -> Packing:
    """Give weight and gradient all the bits that their sums leave.

    Parameters
    ----------
    n_positions : int
    n_rows : int
        Rows (position, state).
    bound : int
        The largest absolute sum of gradients of one label over the states of one position; their curvatures sum to no
        more.
    newton : bool
        Whether rows weigh ``p (1 - p)``, instead of 1.

    Raises
    ------
    ValueError
        If too few bits are left for the gradient: with two labels, from about 100 million positions on.
    """
    sum_bits = int(n_positions * bound).bit_length() + 1
    if newton:
        return _divide_bits(n_positions * bound, n_rows, sum_bits, True)
    fraction_bits = min(_MAX_FRACTION_BITS, 63 - int(n_rows).bit_length() - sum_bits)
    if fraction_bits < _MIN_BITS:
        raise _too_many(n_rows)
    return Packing(fraction_bits, fraction_bits + sum_bits, 1.0, 0.0, fraction_bits < _FINE_BITS, 0)


def _divide_bits(weight: int, n_rows: int, sum_bits: int, newton: bool) -> Packing:
    """The packing of rows whose weights are no whole numbers and sum to `weight`."""
    for least, weight_bits in product((_ENOUGH_FRACTION_BITS, _MIN_BITS), range(_MAX_WEIGHT_BITS, _MIN_BITS - 1, -1)):
        # Each row may be rounded up by one step.
        whole_bits = int(weight + (n_rows >> weight_bits)).bit_length()
        fraction_bits = min(_MAX_FRACTION_BITS, 63 - whole_bits - weight_bits - sum_bits)
        fits_divided = whole_bits + weight_bits + _SHARE_BITS <= 62
        if fits_divided and fraction_bits >= max(weight_bits, least):
            steps, shift = float(1 << weight_bits), fraction_bits + sum_bits
            return Packing(fraction_bits, shift, 1.0 / steps, steps * newton, weight_bits < _FINE_BITS, 0)
    raise _too_many(n_rows)


def _too_many(n_rows: int) -> ValueError:
    return ValueError(f"{counted(n_rows, 'row')} are too many to sum exactly; train on a sample of the sequences.")


@kernel(float64(int64, PACKING))
def chance_of(row, packing):
    """What is added to a number of steps before it is cut: a half, or by chance between 0 and 1.

    That is a hash of the row's number and of the iteration: it does not hang on the last bits of the gradient.
    """
    if not packing.by_chance:
        return 0.5
    mixed = (uint64(row) ^ (uint64(packing.seed) << uint64(_SEED_SHIFT))) * _MULTIPLIER
    mixed = (mixed ^ (mixed >> uint64(32))) * _MULTIPLIER
    return float64(int64((mixed ^ (mixed >> uint64(32))) >> uint64(11))) * _UNIT


@kernel(int64(float64, int64, PACKING))
def pack(gradient, row, packing):
    """One row with this gradient (round half up); `row` numbers it among all rows of a training.

    With large steps both parts are rounded up or down by chance, so that many small ones are not lost.
    """
    offset = int64(1) << 44  # makes the number positive: truncation becomes rounding
    scaled = gradient * float64(int64(1) << packing.fraction_bits)
    if packing.curvature_scale == 0.0 and not packing.by_chance:
        return (int64(1) << packing.shift) + (int64(scaled + (float64(offset) + 0.5)) - offset)
    size, chance = abs(gradient), chance_of(row, packing)
    n_steps = int64(1)
    if packing.curvature_scale != 0.0:
        n_steps = int64(size * (1.0 - size) * packing.curvature_scale + chance)
    return (n_steps << packing.shift) + (int64(np.floor(scaled + (1.0 - chance))))


@kernel(int64(int64, PACKING))
def steps(packed, packing):
    """Weight of a packed sum in steps: the number of rows where each weighs 1."""
    return (packed + (int64(1) << (packing.shift - 1))) >> packing.shift


@kernel(float64(int64, PACKING))
def total(packed, packing):
    """Sum of gradients in a packed sum."""
    return float64(packed - (steps(packed, packing) << packing.shift)) / float64(int64(1) << packing.fraction_bits)


def unpack(packed: NDArray[np.int64], packing: Packing) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Weights, in steps, and gradient sums of an array of packed values."""
    counts = (packed + (1 << (packing.shift - 1))) >> packing.shift
    return counts, (packed - (counts << packing.shift)) / float(1 << packing.fraction_bits)


def pack_sums(counts: NDArray[np.int64], gradients: NDArray[np.float64], packing: Packing) -> NDArray[np.int64]:
    """What `unpack` undoes: rows that stand for several each."""
    return (counts << packing.shift) + np.floor(gradients * float(1 << packing.fraction_bits) + 0.5).astype(np.int64)


# --- rows that weigh more or less than 1: one of weight w stands for w equal rows -------------------------


def choose_weighted_packing(weights: NDArray[np.float64], n_states: int, bound: int, newton: bool = False) -> Packing:
    """As `choose_packing`, for positions with weights of about 1 on average, or whole ones
    (`treecrf.io.arrays.in_units`).

    Whole weights have the packing of a set in which each position comes so often. Where rows are counted and some
    weight is no whole number, the steps of the packed weight are small parts of 1.

    Raises
    ------
    ValueError
        If too few bits are left.
    """
    total = math.ceil(weights.sum())
    if (weights == np.floor(weights)).all():
        return choose_packing(total, total * n_states, bound, newton)
    sum_bits, n_rows = int(total * bound).bit_length() + 1, len(weights) * n_states
    if newton:
        return _divide_bits(total * bound, total * n_states + 2 * n_rows, sum_bits, newton)
    return _divide_bits(total * n_states, n_rows, sum_bits, newton)


@kernel(void(int64[:, :, ::1], int64, int64, float64[::1], PACKING), error_model="numpy")
def weigh_rows(rows, begin, end, weights, packing):
    """Multiply the rows of the positions ``begin`` to ``end - 1`` by the weights of their positions.

    `rows`, shape (n_labels, n_states, n_positions), are from `pack` with the same packing: rows that
    are counted are one step each. Where steps are large, parts are rounded up or down by chance, as there.
    """
    unit = packing.weight_unit if packing.curvature_scale == 0.0 else 1.0
    for label in range(rows.shape[0]):
        for state in range(rows.shape[1]):
            first_row = (label * rows.shape[1] + state) * rows.shape[2] + _AGAIN
            for position in range(begin, end):
                row = rows[label, state, position]
                chance = chance_of(first_row + position, packing)  # whole weights need no rounding, and get none
                n_steps = steps(row, packing)
                gradient = float64(row - (n_steps << packing.shift)) * weights[position]
                weighted = int64(np.floor(float64(n_steps) * weights[position] / unit + chance))
                rows[label, state, position] = (weighted << packing.shift) + int64(np.floor(gradient + chance))


# --- influence trimming leaves out the rows that hardly bear on a tree (Friedman 2001, sections 4.5.1 and 4.6)


_SCALE = 2.0**32  # influences, at most 1/4, become integers of 31 bits, whose sums are exact
_HALF_BITS = 15
_LOW_HALF = (1 << _HALF_BITS) - 1


@struct
class Influences(NamedTuple):
    """Buffers of `trim_rows`."""

    values: Annotated[Int32, "n_all_states, n", "Influence of each row in fixed point; n positions count."]
    sums: Annotated[Int64, f"{_LOW_HALF} + 2", "Sums of influences with the same upper, or the same lower, bits."]


INFLUENCES = compiled_type(Influences)


@kernel(void(int64[:, ::1], int32[::1], PACKING, INFLUENCES))
def _find_influences(rows, positions, packing, influences):
    """Write the influence of every row; 0 for a row that is not there."""
    unit = 1.0 / float64(int64(1) << packing.fraction_bits)
    for state in range(uint64(len(rows))):
        for i in range(uint64(len(positions))):
            row = rows[state, uint64(positions[i])]
            gradient = abs(float64(row - (steps(row, packing) << packing.shift)) * unit)
            influences.values[state, i] = int64(gradient * (1.0 - gradient) * _SCALE)


@kernel(int64(int64[::1], int64))
def _how_many_fit(sums, limit):
    """How many of the first numbers add up to `limit` or less; all of them together are more."""
    n_fitting, total = 0, sums[0]
    while total <= limit:
        n_fitting += 1
        total += sums[n_fitting]
    return n_fitting


@kernel(int64(int64, float64, INFLUENCES))
def _find_threshold(n_positions, share, influences):
    """The least influence that stays: the rows below it have at most this share of the sum."""
    values, sums = influences.values, influences.sums
    sums[:] = 0
    total = int64(0)
    for state in range(uint64(len(values))):
        for i in range(uint64(n_positions)):
            value = int64(values[state, i])
            sums[uint64(value >> _HALF_BITS)] += value
            total += value
    if total == 0:
        return int64(0)
    limit = min(int64(share * float64(total)), total - 1)
    upper = _how_many_fit(sums, limit)
    for smaller in range(upper):
        limit -= sums[smaller]
    sums[:] = 0
    for state in range(uint64(len(values))):
        for i in range(uint64(n_positions)):
            value = int64(values[state, i])
            if value >> _HALF_BITS == upper:
                sums[uint64(value & _LOW_HALF)] += value
    return (upper << _HALF_BITS) + _how_many_fit(sums, limit)


@kernel(void(int64[:, ::1], int32[::1], float64, PACKING, INFLUENCES))
def trim_rows(rows, positions, share, packing, influences):
    """Leave out the rows of least influence, together at most a share of the influence of all.

    The influence of a row is ``|gradient| (1 - |gradient|)``; with ``gradient = I(y, s) - P(y, s | X)`` it is ``P (1 -
    P)``, the size of the second derivative of the log likelihood with respect to the row's potential. Rows of equal
    influence (in units of 2^-32) stay or go together. A row that is left out is not counted in leaf values either, so
    these shrink less than those of all rows.

    `rows`, shape (n_all_states, n_positions), are the packed gradients of one label; those left out become 0, and those
    of other positions than `positions` are neither counted nor touched. `share` is at least 0 and below 1.
    """
    _find_influences(rows, positions, packing, influences)
    threshold = _find_threshold(len(positions), share, influences)
    for state in range(uint64(len(rows))):
        for i in range(uint64(len(positions))):
            position = uint64(positions[i])
            row = rows[state, position]
            rows[state, position] = row if influences.values[state, i] >= threshold else 0
