"""Gradient of the local log likelihood: each label given the true labels before it, as in a MEMM (PhD section 5.2)."""

from __future__ import annotations

import numpy as np
from numba import float64, int64, void

from treecrf.compiled.kernel import kernel
from treecrf.models.boosted._gradient import SHARED
from treecrf.trees.packing import PACKING, pack


@kernel(void(*SHARED, PACKING, int64[:, :, ::1], float64[::1]), error_model="numpy")
def local_gradient(exponentials, offsets, first, last, labels, observed, packing, rows, log_likelihoods):
    """Gradients and log likelihoods of some sequences; parameters as in `treecrf.models.boosted._gradient`.

    A position has one row, that of the state which the true labels make: the rows of other states are no part of the
    likelihood and stay 0, "not valid".
    """
    n_labels = len(exponentials)
    for sequence in range(first, last):
        log_likelihood = 0.0
        for position in range(offsets[sequence], offsets[sequence + 1]):
            state = observed[position]
            total = 0.0
            for label in range(n_labels):
                total += exponentials[label, position, state]
            for label in range(n_labels):
                probability = exponentials[label, position, state] / total
                row = label * len(observed) + position
                if label == labels[position]:
                    log_likelihood += np.log(probability)
                    rows[label, state, position] = pack(1.0 - probability, row, packing)
                else:
                    rows[label, state, position] = pack(-probability, row, packing)
        log_likelihoods[sequence] = log_likelihood
