"""Kernel of `treecrf_studies.methods.coded_crf`."""

from __future__ import annotations

from numba import boolean, float64, int64, uint64, void

from treecrf.compiled.kernel import kernel


@kernel(void(float64[:, ::1], boolean[:, ::1], int64, int64, float64[:, ::1]))
def add_distances(bits, columns, first, last, distances):
    """Add the distance of each position to each word in the bits from `first` to before `last`, in their order.

    Parameters
    ----------
    bits : float64, shape (n_positions, n_bits)
        Probabilities of 1.
    columns : bool, shape (n_bits, n_labels)
        The words, bit by bit.
    distances : float64, shape (n_positions, n_labels)
    """
    for position in range(uint64(len(bits))):
        of_position = distances[position]
        for bit in range(uint64(first), uint64(last)):
            to_zero, column = bits[position, bit], columns[bit]
            to_one = 1.0 - to_zero
            for label in range(uint64(len(of_position))):
                of_position[label] += to_one if column[label] else to_zero
