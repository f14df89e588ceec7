"""The compiled recursions of `treecrf.chain.lattice`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int64, types, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int16, Int64, compiled_type, struct


@struct
class Lattice(NamedTuple):
    """The labels that each position may have: its *entries*, position after position.

    The *pairs* of a position are its labels with those that may stand before them, label by label; before a first
    position stands START alone.
    """

    offsets: Annotated[Int64, "n_sequences + 1"]
    first: Annotated[Int64, "n_positions + 1", "First entry of each position."]
    labels: Annotated[Int16, "n_entries", "Ascending within a position."]
    first_pair: Annotated[Int64, "n_positions + 1", "First pair of each position."]


@struct
class Weights(NamedTuple):
    """Weights of labels and pairs: exponentials of potentials, or in `find_paths` potentials.

    Where there are weights of pairs, those of transitions take no part.
    """

    unary: Annotated[Float64, "n_entries"]
    transitions: Annotated[
        Float64, "n_labels, n_labels + 1", "Of a label after another, or after START, which comes last."
    ]
    pairs: Annotated[Float64, "n_pairs", "Or empty."]


@struct
class Recursions(NamedTuple):
    """What the recursions leave."""

    alphas: Annotated[Float64, "n_entries", "Sum to one at each position after `forward`; P(y_t | X) after `backward`."]
    betas: Annotated[Float64, "n_entries"]
    scales: Annotated[Float64, "n_positions", "Inverses of what the alphas grew by."]


LATTICE, WEIGHTS, RECURSIONS = compiled_type(Lattice), compiled_type(Weights), compiled_type(Recursions)


@kernel(types.UniTuple(uint64, 4)(LATTICE, int64, int64))
def span(lattice, position, begin):
    """First entry of a position and the one after its last, and those of the position before; START counts as one."""
    first, last = lattice.first[position], lattice.first[position + 1]
    if position == begin:
        return uint64(first), uint64(last), uint64(0), uint64(1)
    return uint64(first), uint64(last), uint64(lattice.first[position - 1]), uint64(first)


@kernel(uint64(LATTICE, WEIGHTS, int64, boolean))
def _before(lattice, weights, entry, is_first):
    """Label of an entry of the position before, or START."""
    return uint64(weights.transitions.shape[0]) if is_first else uint64(lattice.labels[entry])


@kernel(void(LATTICE, WEIGHTS, int64, int64, RECURSIONS), error_model="numpy")
def forward(lattice, weights, first, last, recursions):
    """Forward recursion on the sequences ``first`` to ``last - 1``."""
    alphas, scales = recursions.alphas, recursions.scales
    has_pairs = len(weights.pairs) > 0
    for sequence in range(first, last):
        begin = lattice.offsets[sequence]
        for position in range(begin, lattice.offsets[sequence + 1]):
            now, end, before, before_end = span(lattice, position, begin)
            pair, scale = uint64(lattice.first_pair[position]), 0.0
            for entry in range(now, end):
                transitions = weights.transitions[uint64(lattice.labels[entry])]
                value = 0.0
                for other in range(before, before_end):
                    alpha = 1.0 if position == begin else alphas[other]
                    if has_pairs:
                        value += alpha * weights.pairs[pair]
                        pair += uint64(1)
                    else:
                        value += alpha * transitions[_before(lattice, weights, other, position == begin)]
                value *= weights.unary[entry]
                alphas[entry] = value
                scale += value
            scales[position] = 1.0 / scale
            for entry in range(now, end):
                alphas[entry] *= scales[position]


@kernel(void(LATTICE, WEIGHTS, int64, int64, RECURSIONS, float64[::1], float64[:, ::1]), error_model="numpy")
def backward(lattice, weights, first, last, recursions, pair_marginals, counts):
    """Backward recursion, after `forward`.

    `pair_marginals`, shape (n_pairs,), become P(y_t, y_{t-1} | X), and are added to `counts` of transitions, shape
    (n_labels, n_labels + 1); either may be empty.
    """
    alphas, betas, scales = recursions.alphas, recursions.betas, recursions.scales
    has_counts = len(counts) > 0
    has_pairs, has_marginals = len(weights.pairs) > 0, len(pair_marginals) > 0
    for sequence in range(first, last):
        begin, stop = lattice.offsets[sequence], lattice.offsets[sequence + 1]
        for entry in range(lattice.first[stop - 1], lattice.first[stop]):
            betas[entry] = 1.0
        for position in range(stop - 1, begin - 1, -1):
            now, end, before, before_end = span(lattice, position, begin)
            pair = uint64(lattice.first_pair[position])
            if position > begin:
                for other in range(before, before_end):
                    betas[other] = 0.0
            for entry in range(now, end):
                transitions = weights.transitions[uint64(lattice.labels[entry])]
                after = betas[entry] * weights.unary[entry] * scales[position]
                for other in range(before, before_end):
                    before_label = _before(lattice, weights, other, position == begin)
                    value = after * (weights.pairs[pair] if has_pairs else transitions[before_label])
                    if position > begin:
                        betas[other] += value
                        value *= alphas[other]
                    if has_marginals:
                        pair_marginals[pair] = value
                    if has_counts:
                        counts[lattice.labels[entry], before_label] += value
                    pair += uint64(1)
                alphas[entry] *= betas[entry]


@kernel(float64(LATTICE, WEIGHTS, uint64, uint64, uint64, boolean))
def step(lattice, potentials, entry, other, pair, is_first):
    """Potential of an entry after another."""
    if len(potentials.pairs) > 0:
        return potentials.unary[entry] + potentials.pairs[pair]
    before = _before(lattice, potentials, other, is_first)
    return potentials.unary[entry] + potentials.transitions[uint64(lattice.labels[entry]), before]


@kernel(void(LATTICE, WEIGHTS, RECURSIONS), error_model="numpy")
def infer_in_logs(lattice, potentials, recursions):
    """Both recursions where exponentials could underflow: `alphas` become P(y_t | X), `scales` what log Z grows by."""
    alphas, betas, scales = recursions.alphas, recursions.betas, recursions.scales
    for sequence in range(len(lattice.offsets) - 1):
        begin, stop = lattice.offsets[sequence], lattice.offsets[sequence + 1]
        for position in range(begin, stop):
            now, end, before, before_end = span(lattice, position, begin)
            pair, highest = uint64(lattice.first_pair[position]), -np.inf
            for entry in range(now, end):
                largest, total = -np.inf, 0.0
                for other in range(before, before_end):
                    value = step(lattice, potentials, entry, other, pair, position == begin)
                    value += 0.0 if position == begin else alphas[other]
                    pair += uint64(1)
                    if value > largest:
                        total, largest = total * np.exp(largest - value) + 1.0, value
                    else:
                        total += np.exp(value - largest)
                alphas[entry] = largest + np.log(total)
                highest = max(highest, alphas[entry])
            total = 0.0
            for entry in range(now, end):
                total += np.exp(alphas[entry] - highest)
            scales[position] = highest + np.log(total)
            for entry in range(now, end):
                alphas[entry] -= scales[position]
        for entry in range(lattice.first[stop - 1], lattice.first[stop]):
            betas[entry] = 0.0
        for position in range(stop - 1, begin, -1):
            now, end, before, before_end = span(lattice, position, begin)
            first_pair = uint64(lattice.first_pair[position])
            for other in range(before, before_end):
                pair, largest, total = first_pair + (other - before), -np.inf, 0.0
                for entry in range(now, end):
                    value = step(lattice, potentials, entry, other, pair, False) + betas[entry] - scales[position]
                    pair += before_end - before
                    if value > largest:
                        total, largest = total * np.exp(largest - value) + 1.0, value
                    else:
                        total += np.exp(value - largest)
                betas[other] = largest + np.log(total)
        for entry in range(lattice.first[begin], lattice.first[stop]):
            alphas[entry] = np.exp(alphas[entry] + betas[entry])


@kernel(void(LATTICE, WEIGHTS, float64[::1], int64[::1], int16[::1]))
def find_paths(lattice, weights, scores, origins, labels):
    """Write the likeliest labels; of equally likely ones the lowest, compared from the last label backwards.

    `scores` and `origins`, shape (n_entries,), are work space; `weights` are potentials.
    """
    has_pairs = len(weights.pairs) > 0
    for sequence in range(len(lattice.offsets) - 1):
        begin, stop = lattice.offsets[sequence], lattice.offsets[sequence + 1]
        for position in range(begin, stop):
            now, end, before, before_end = span(lattice, position, begin)
            pair = uint64(lattice.first_pair[position])
            for entry in range(now, end):
                transitions = weights.transitions[uint64(lattice.labels[entry])]
                best = -np.inf
                for other in range(before, before_end):
                    value = (
                        weights.pairs[pair]
                        if has_pairs
                        else transitions[_before(lattice, weights, other, position == begin)]
                    )
                    value += 0.0 if position == begin else scores[other]
                    pair += uint64(1)
                    if value > best:
                        best = value
                        origins[entry] = int64(other)
                scores[entry] = best + weights.unary[entry]
        entry = lattice.first[stop - 1]
        for other in range(lattice.first[stop - 1], lattice.first[stop]):
            if scores[other] > scores[entry]:
                entry = other
        for position in range(stop - 1, begin - 1, -1):
            labels[position] = lattice.labels[entry]
            entry = origins[entry]


@kernel(void(LATTICE, float64[:, ::1], float64[::1]))
def spread_transitions(lattice, transitions, pairs):
    """Write the transition of each pair."""
    start = transitions.shape[0]
    for sequence in range(len(lattice.offsets) - 1):
        begin = lattice.offsets[sequence]
        for position in range(begin, lattice.offsets[sequence + 1]):
            now, end, before, before_end = span(lattice, position, begin)
            pair = uint64(lattice.first_pair[position])
            for entry in range(now, end):
                row = transitions[uint64(lattice.labels[entry])]
                for other in range(before, before_end):
                    pairs[pair] = row[uint64(start) if position == begin else uint64(lattice.labels[other])]
                    pair += uint64(1)
