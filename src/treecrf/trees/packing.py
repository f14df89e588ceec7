"""Counts and gradients packed into one integer, so that sums are exact and cost one addition.

A packed value is ``count << shift`` plus the gradient in fixed point. Sums of packed values are the packed
sums, whatever the order of the additions; differences are exact, so the larger child of a split is its
parent minus its sibling to the last bit.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import float64, int64
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import compiled_type, struct

_MAX_FRACTION_BITS = 40  # beyond it a float64 gradient of order 1 has no more to give after summation


@struct
class Packing(NamedTuple):
    """How a count and a gradient share an int64."""

    fraction_bits: Annotated[int, "Bits of the gradient after the binary point."]
    shift: Annotated[int, "Bits below the count."]


PACKING = compiled_type(Packing)


def choose_packing(n_positions: int, n_rows: int, bound: int) -> Packing:
    """Give the gradient all the bits that the counts leave.

    `n_rows` counts rows (position, state); `bound` is the largest absolute sum of gradients of one label over the
    states of one position.
    """
    count_bits = int(n_rows).bit_length()
    sum_bits = int(n_positions * bound).bit_length() + 1
    fraction_bits = min(_MAX_FRACTION_BITS, 63 - count_bits - sum_bits)
    if fraction_bits < 16:
        raise ValueError(
            f"{n_positions} positions with {n_rows} rows are too many to sum exactly; train on a sample of the sequences."
        )
    return Packing(fraction_bits, fraction_bits + sum_bits)


@kernel(int64(float64, PACKING))
def pack(gradient, packing):
    """One row with this gradient (round half up)."""
    offset = int64(1) << 44  # makes the number positive: truncation becomes rounding
    scaled = gradient * float64(int64(1) << packing.fraction_bits)
    return (int64(1) << packing.shift) + (int64(scaled + (float64(offset) + 0.5)) - offset)


@kernel(int64(int64, PACKING))
def count(packed, packing):
    """Number of rows in a packed sum."""
    return (packed + (int64(1) << (packing.shift - 1))) >> packing.shift


@kernel(float64(int64, PACKING))
def total(packed, packing):
    """Sum of gradients in a packed sum."""
    return float64(packed - (count(packed, packing) << packing.shift)) / float64(int64(1) << packing.fraction_bits)


def unpack(packed: NDArray[np.int64], packing: Packing) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts and gradient sums of an array of packed values."""
    counts = (packed + (1 << (packing.shift - 1))) >> packing.shift
    return counts, (packed - (counts << packing.shift)) / float(1 << packing.fraction_bits)


def pack_sums(counts: NDArray[np.int64], gradients: NDArray[np.float64], packing: Packing) -> NDArray[np.int64]:
    """What `unpack` undoes: rows that stand for several each."""
    return (counts << packing.shift) + np.floor(gradients * float(1 << packing.fraction_bits) + 0.5).astype(np.int64)
