"""Kernel of second derivatives: covariances with a direction in the scores of order-1 chains."""

from __future__ import annotations

import numpy as np
from numba import float64, int32, int64, void

from treecrf.compiled.kernel import kernel


@kernel(
    void(
        int32[::1],
        int64[::1],
        float64[:, ::1],
        float64[:, :, ::1],
        float64[:, ::1],
        float64[:, ::1],
        float64[:, ::1],
        float64[:, ::1],
    ),
    allocates=True,
)
def covary(window_of, offsets, nodes, pairs, node_direction, pair_direction, of_nodes, of_pairs):
    """Covariances of label and pair counts with what a direction adds to the scores of whole sequences.

    The sum over a sequence, given a label of a position, is what is expected before it plus what is expected from it
    on: both follow from the probabilities of neighbours given each other.

    Parameters
    ----------
    window_of : int32, shape (n_positions,); offsets : int64, shape (n_sequences + 1,)
    nodes : float64, shape (n_positions, n_labels)
        P(y_t | X).
    pairs : float64, shape (n_positions, n_labels, n_labels)
        P(y_{t-1}, y_t | X); what is at the first position of a sequence does not count.
    node_direction : float64, shape (n_windows, n_labels)
    pair_direction : float64, shape (n_labels, n_labels)
        By previous label and label.
    of_nodes : float64, shape (n_windows, n_labels)
        Overwritten: covariances of the number of times that a window has a label.
    of_pairs : float64, shape (n_labels, n_labels)
        Overwritten: the same of pairs.
    """
    n_labels = nodes.shape[1]
    of_nodes[:, :] = 0.0
    of_pairs[:, :] = 0.0
    until, since = np.empty(nodes.shape), np.empty(n_labels)
    next_since = np.empty(n_labels)
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        if begin == end:
            continue
        for position in range(begin, end):
            window = window_of[position]
            for label in range(n_labels):
                value = 0.0
                if position > begin and nodes[position, label] > 0.0:
                    for before in range(n_labels):
                        reached = until[position - 1, before] + pair_direction[before, label]
                        value += pairs[position, before, label] * reached
                    value /= nodes[position, label]
                until[position, label] = value + node_direction[window, label]
        expected = 0.0
        for label in range(n_labels):
            expected += nodes[end - 1, label] * until[end - 1, label]
        since[:] = 0.0
        for position in range(end - 1, begin - 1, -1):
            window = window_of[position]
            for label in range(n_labels):
                deviation = until[position, label] + since[label] - expected
                of_nodes[window, label] += nodes[position, label] * deviation
            if position == begin:
                continue
            for before in range(n_labels):
                value = 0.0
                for label in range(n_labels):
                    later = pair_direction[before, label] + node_direction[window, label] + since[label]
                    share = pairs[position, before, label]
                    of_pairs[before, label] += share * (until[position - 1, before] + later - expected)
                    value += share * later
                next_since[before] = value / nodes[position - 1, before] if nodes[position - 1, before] > 0.0 else 0.0
            for before in range(n_labels):
                since[before] = next_since[before]
