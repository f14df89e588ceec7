"""The recursions of chains of order 1 whose potentials are a score of the label and one of the pair with the label
before.

They go along the labels, from one label before to the next, so that sums and maxima of all labels run side by side.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int16, int64, void

from treecrf.chain._kernels import longest
from treecrf.compiled.kernel import kernel

_SCORES = (float64[:, ::1], float64[:, ::1], int64[::1])


@kernel(void(*_SCORES, float64[:, ::1]), error_model="numpy", allocates=True)
def infer_scored(scores, transitions, offsets, marginals):
    """Write P(y_t | X), shape (n_positions, n_labels), by the scaled recursions (PhD section 2.3).

    Parameters
    ----------
    scores : float64, shape (n_positions, n_labels)
        Exponentials, of which no product over three positions may underflow.
    transitions : float64, shape (n_labels + 1, n_labels)
        Exponentials, by the label before (START last) and the label.
    """
    n_labels = scores.shape[1]
    inverses, following, buffers = np.empty(len(scores)), np.empty((n_labels, n_labels)), np.empty((3, n_labels))
    weights, betas, next_betas = buffers[0], buffers[1], buffers[2]
    for before in range(n_labels):
        for label in range(n_labels):
            following[label, before] = transitions[before, label]
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            alphas, total = marginals[position], 0.0
            if position == begin:
                for label in range(n_labels):
                    alphas[label] = transitions[n_labels, label]
            else:
                alphas[:] = 0.0
                for before in range(n_labels):
                    alpha = marginals[position - 1, before]
                    for label in range(n_labels):
                        alphas[label] += alpha * transitions[before, label]
            for label in range(n_labels):
                alphas[label] *= scores[position, label]
                total += alphas[label]
            inverses[position] = 1.0 / total
            for label in range(n_labels):
                alphas[label] *= inverses[position]
        betas[:] = 1.0
        for position in range(end - 2, begin - 1, -1):
            for label in range(n_labels):
                weights[label] = betas[label] * scores[position + 1, label] * inverses[position + 1]
            next_betas[:] = 0.0
            for label in range(n_labels):
                weight = weights[label]
                for before in range(n_labels):
                    next_betas[before] += weight * following[label, before]
            betas, next_betas = next_betas, betas
            total = 0.0
            for label in range(n_labels):
                marginals[position, label] *= betas[label]
                total += marginals[position, label]
            for label in range(n_labels):
                marginals[position, label] /= total


@kernel(void(*_SCORES, int16[::1]), error_model="numpy", allocates=True)
def find_scored_paths(scores, transitions, offsets, labels):
    """Write the likeliest labels, of the same potentials in logs; of equal ones as `treecrf.chain.viterbi`."""
    n_labels = scores.shape[1]
    origins = np.empty((longest(offsets), n_labels), dtype=np.int64)
    here, best = np.empty(n_labels), np.empty(n_labels)
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            score, origin = scores[position], origins[position - begin]
            if position == begin:
                for label in range(n_labels):
                    best[label] = score[label] + transitions[n_labels, label]
            else:
                best[:] = -np.inf
                for before in range(n_labels):
                    value_before = here[before]
                    for label in range(n_labels):
                        value = value_before + (score[label] + transitions[before, label])
                        is_better = value > best[label]
                        best[label] = value if is_better else best[label]
                        origin[label] = before if is_better else origin[label]
            highest = best[0]
            for label in range(n_labels):
                highest = max(highest, best[label])
            for label in range(n_labels):
                here[label] = best[label] - highest
        label = 0
        for other in range(n_labels):
            label = other if here[other] > here[label] else label
        for position in range(end - 1, begin - 1, -1):
            labels[position] = label
            if position > begin:
                label = origins[position - begin, label]
