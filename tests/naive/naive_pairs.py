"""Rows of a tree on pairs of labels, slow and obvious: one dense row for every position and previous label."""

import numpy as np


def dense_rows(lattice, predecessors, of_label, gradients, unit, drawn, n_labels):
    """Packed rows of one label, shape (n_labels + 1, n_positions): `unit` plus values of pairs, else 0.

    `gradients` are those of the pairs of `lattice`, packed; `of_label` tells where it has the label; `drawn` are the
    positions that are seen, and `unit` what every possible pair weighs, if the pairs' own weights do not count.
    """
    rows = np.zeros((n_labels + 1, len(predecessors.kinds)), dtype=np.int64)
    starts = set(lattice.offsets[:-1].tolist())
    for position in range(len(predecessors.kinds)):
        if drawn[position] and unit:
            kind = predecessors.kinds[position]
            rows[predecessors.labels[predecessors.first[kind] : predecessors.first[kind + 1]], position] = unit
    for position, block in zip(of_label.positions, of_label.blocks, strict=True):
        before = (
            [n_labels] if position in starts else lattice.labels[slice(*lattice.first[position - 1 : position + 1])]
        )
        for place, label in enumerate(before):
            if drawn[position]:
                rows[label, position] = gradients[block + place]
    return rows
