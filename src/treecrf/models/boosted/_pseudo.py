"""Functional gradient of the log pseudo-likelihood (ICML 2004, section 3), for the first iterations.

The pseudo-likelihood of a label is its probability when all other labels are the true ones. It involves the
potentials at the label's own position and at the next ``order`` positions, which have it among their
previous labels; no forward-backward pass is needed.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64, void

from treecrf.compiled.kernel import kernel
from treecrf.models.boosted._gradient import SHARED, first_state
from treecrf.trees.packing import PACKING, pack


@kernel(void(*SHARED, int64, PACKING, int64[:, :, ::1], float64[::1]), allocates=True, error_model="numpy")
def pseudo_likelihood_gradient(
    exponentials, offsets, first, last, labels, observed, order, packing, rows, log_likelihoods
):
    """Gradients and log pseudo-likelihoods of some sequences; parameters as in `treecrf.models.boosted._gradient`."""
    n_labels = len(exponentials)
    zero_row = pack(0.0, 0, packing)
    weights = np.empty(n_labels)
    for sequence in range(first, last):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            depth = min(position - begin, order)
            base = first_state(n_labels, order, depth)
            for label in range(n_labels):
                rows[label, base : base + n_labels**depth, position] = zero_row
        log_likelihood = 0.0
        for position in range(begin, end):
            true_label = labels[position]
            reach = min(order, end - 1 - position)
            weight_sum = 0.0
            for label in range(n_labels):
                weight = exponentials[label, position, observed[position]]
                for lag in range(1, reach + 1):
                    later = position + lag
                    step = n_labels ** (min(later - begin, order) - lag)
                    state = observed[later] + (label - true_label) * step
                    weight *= exponentials[labels[later], later, state]
                weights[label] = weight
                weight_sum += weight
            log_likelihood += np.log(weights[true_label] / weight_sum)
            for label in range(n_labels):
                gradient = (1.0 if label == true_label else 0.0) - weights[label] / weight_sum
                addend = pack(gradient, label * len(observed) + position, packing) - zero_row
                rows[label, observed[position], position] += addend
                for lag in range(1, reach + 1):
                    later = position + lag
                    step = n_labels ** (min(later - begin, order) - lag)
                    state = observed[later] + (label - true_label) * step
                    rows[labels[later], state, later] += addend
        log_likelihoods[sequence] = log_likelihood
