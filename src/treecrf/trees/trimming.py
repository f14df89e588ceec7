"""Influence trimming leaves out the rows that hardly bear on a tree (Friedman 2001, sections 4.5.1 and 4.6)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from numba import float64, int32, int64, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int32, Int64, compiled_type, struct
from treecrf.trees.packing import PACKING, steps

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
