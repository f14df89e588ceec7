"""The fixed work of `treecrf.records.calibration`. A change makes new seconds incomparable with recorded ones."""

from __future__ import annotations

from math import exp

from numba import float64, uint8, uint64

from treecrf.compiled.kernel import kernel


@kernel(float64(uint8[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1]))
def fixed_work(codes, gradients, sums, chain):
    """Histograms of gradients, as trees need them, then forward sums along one sequence, as chains need them.

    Parameters
    ----------
    codes : uint8, shape (n_columns, n_positions)
    gradients : float64, shape (n_positions,)
    sums : float64, shape (n_columns, 256)
        The sum of gradients by column and code is added.
    chain : float64, shape (2, n_labels)
        Room for the forward sums.

    Returns
    -------
    float64
        The first of the last forward sums, so that no part of the work is idle.
    """
    n_columns, n_positions, n_labels = uint64(codes.shape[0]), uint64(codes.shape[1]), uint64(chain.shape[1])
    for column in range(n_columns):
        for position in range(n_positions):
            sums[column, codes[column, position]] += gradients[position]
    before, after = uint64(0), uint64(1)
    for label in range(n_labels):
        chain[0, label] = 1.0
    for position in range(n_positions):
        total = 0.0
        for label in range(n_labels):
            value = 0.0
            for previous in range(n_labels):
                value += chain[before, previous] * exp(gradients[position] * (1.0 + float64(label) - float64(previous)))
            chain[after, label] = value
            total += value
        for label in range(n_labels):
            chain[after, label] /= total
        before, after = after, before
    return chain[before, 0]
