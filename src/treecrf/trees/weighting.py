"""Packed rows that weigh more or less than 1: a row of weight w stands for w equal rows."""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int64, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.trees.packing import _MULTIPLIER as MULTIPLIER
from treecrf.trees.packing import _UNIT as UNIT
from treecrf.trees.packing import PACKING, Packing, choose_packing, steps

_MAX_FRACTION_BITS = 40
_MAX_WEIGHT_BITS, _MIN_WEIGHT_BITS = 24, 5
_MIN_FRACTION_BITS = 14
_SHARE_BITS = 30


def choose_weighted_packing(weights: NDArray[np.float64], n_states: int, bound: int, newton: bool = False) -> Packing:
    """As `treecrf.trees.packing.choose_packing`, for positions with weights.

    Whole weights have the packing of a set in which each position comes so often. Where rows are counted and some weight is
    no whole number, the steps of the packed weight are small parts of 1.

    Parameters
    ----------
    weights : float64, shape (n_positions,)
    n_states : int
        Rows of a position with which the packing of `choose_packing` would reckon.
    bound, newton
        As there.

    Raises
    ------
    ValueError
        If too few bits are left.
    """
    total = math.ceil(weights.sum())
    is_whole = bool((weights == np.floor(weights)).all())
    if is_whole or newton:
        n_rows = total * n_states
        try:
            return choose_packing(total, n_rows if is_whole else n_rows + 2 * len(weights) * n_states, bound, newton)
        except ValueError:
            raise _too_many(total, n_states) from None
    sum_bits = (total * bound).bit_length() + 1
    larger = max(int(math.log2(weights.mean())), 0)  # bits of the mean weight: large weights need less after the point
    for weight_bits in range(_MAX_WEIGHT_BITS, _MIN_WEIGHT_BITS - larger - 1, -1):
        # Each row may be rounded up by half a step.
        whole_bits = (total * n_states + math.ceil(len(weights) * n_states * 0.5**weight_bits)).bit_length()
        fraction_bits = min(_MAX_FRACTION_BITS, 63 - whole_bits - weight_bits - sum_bits)
        if whole_bits + weight_bits + _SHARE_BITS <= 62 and fraction_bits >= max(weight_bits, _MIN_FRACTION_BITS):
            return Packing(fraction_bits, fraction_bits + sum_bits, 0.5**weight_bits, 0.0, False)
    raise _too_many(total, n_states)


def _too_many(total: int, n_states: int) -> ValueError:
    return ValueError(
        f"weights that sum to {total:,}, with {n_states} rows for a position, are too many to sum exactly; give smaller weights, or "
        "train on a sample of the sequences."
    )


@kernel(void(int64[:, :, ::1], int64, int64, float64[::1], PACKING), error_model="numpy")
def weigh_rows(rows, begin, end, weights, packing):
    """Multiply the rows of the positions ``begin`` to ``end - 1`` by the weights of their positions.

    `rows`, shape (n_labels, n_states, n_positions), are from `treecrf.trees.packing.pack` with the same packing: rows that
    are counted are one step each. Where steps are large, parts are rounded up or down by chance, as there.
    """
    unit = packing.weight_unit if packing.curvature_scale == 0.0 else 1.0
    for label in range(rows.shape[0]):
        for state in range(rows.shape[1]):
            for position in range(begin, end):
                row = rows[label, state, position]
                chance = 0.5
                if packing.by_chance:  # whole weights need no rounding, and get none
                    mixed = (uint64(row) ^ uint64(position)) * MULTIPLIER
                    mixed = (mixed ^ (mixed >> uint64(32))) * MULTIPLIER
                    chance = float64(int64(mixed >> uint64(11))) * UNIT
                n_steps = steps(row, packing)
                gradient = float64(row - (n_steps << packing.shift)) * weights[position]
                weighted = int64(np.floor(float64(n_steps) * weights[position] / unit + chance))
                rows[label, state, position] = (weighted << packing.shift) + int64(np.floor(gradient + chance))
