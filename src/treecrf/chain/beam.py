"""A beam: at each position the labels with most forward mass stay, all others have probability 0.

Pal, Sutton and McCallum (2006) infer chains with many labels so; the thesis (Hao 2009, chapter 5) puts it in place of
forward-backward. What stays is a smaller `Lattice`, on which everything of `treecrf.chain.lattice` is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int64, uint64, void
from numpy.typing import NDArray

from treecrf.chain.lattice import (
    LATTICE,
    WEIGHTS,
    Lattice,
    Weights,
    agreeing_entries,
    lattice_marginals,
    predecessor_counts,
    span,
    step,
)
from treecrf.compiled.kernel import kernel
from treecrf.io.arrays import starts_of


@kernel(void(float64[::1], int64, boolean[::1]))
def _keep_best(scores, n_best, kept):
    """Keep the places of the largest scores, of equal ones the first."""
    for _ in range(min(n_best, len(scores))):
        best = int64(-1)
        for place in range(len(scores)):
            if not kept[place] and (best < 0 or scores[place] > scores[best]):
                best = place
        kept[best] = True


@kernel(void(LATTICE, WEIGHTS, int64, int64[::1], int64, int64, boolean[::1]), error_model="numpy", allocates=True)
def keep_entries(lattice, potentials, n_best, always, first, last, kept):
    """Mark the entries of the beam in the sequences ``first`` to ``last - 1``; `kept`, shape (n_entries,), is False
    before.

    At each position stay the `n_best` entries with most forward mass, and the one in `always`, shape (n_positions,),
    unless it is -1.
    """
    longest = int64(0)
    for position in range(lattice.offsets[first], lattice.offsets[last]):
        longest = max(longest, lattice.first[position + 1] - lattice.first[position])
    logs, scores = np.zeros(longest), np.zeros(longest)  # of the labels before and of these
    predecessors, values = np.zeros(longest + 1, dtype=np.int64), np.zeros(longest + 1)
    for sequence in range(first, last):
        begin = lattice.offsets[sequence]
        n_predecessors = int64(0)
        for position in range(begin, lattice.offsets[sequence + 1]):
            now, end, before, before_end = span(lattice, position, begin)
            is_first = position == begin
            n_predecessors = int64(0)
            for other in range(before, before_end):
                if is_first or kept[other]:
                    predecessors[n_predecessors] = int64(other - before)
                    n_predecessors += 1
            highest = -np.inf
            for entry in range(now, end):
                pair, largest = uint64(lattice.first_pair[position]) + (entry - now) * (before_end - before), -np.inf
                for i in range(uint64(n_predecessors)):
                    other = uint64(predecessors[i])
                    value = step(lattice, potentials, entry, before + other, pair + other, is_first)
                    values[i] = value + (0.0 if is_first else logs[other])
                    largest = max(largest, values[i])
                total = 0.0
                for i in range(uint64(n_predecessors)):
                    total += np.exp(values[i] - largest)
                scores[entry - now] = largest + np.log(total)
                highest = max(highest, scores[entry - now])
            n_labels = end - now
            _keep_best(scores[:n_labels], n_best, kept[now:end])
            if always[position] >= 0:
                kept[always[position]] = True
            for place in range(n_labels):
                logs[place] = scores[place] - highest


@kernel(void(LATTICE, float64[::1], boolean[::1], float64[::1]))
def gather_pairs(lattice, pairs, kept, gathered):
    """Write the values of the pairs of kept entries, in order."""
    n_written = uint64(0)
    for sequence in range(len(lattice.offsets) - 1):
        begin = lattice.offsets[sequence]
        for position in range(begin, lattice.offsets[sequence + 1]):
            now, end, before, before_end = span(lattice, position, begin)
            pair = uint64(lattice.first_pair[position])
            for entry in range(now, end):
                if kept[entry]:
                    for other in range(before, before_end):
                        if position == begin or kept[other]:
                            gathered[n_written] = pairs[pair + (other - before)]
                            n_written += uint64(1)
                pair += before_end - before


class Beam(NamedTuple):
    """What of a lattice is in a beam.

    Attributes
    ----------
    lattice : Lattice
    potentials : Weights
        Its potentials.
    entries : int64, shape (n_entries_in_beam,)
        Its entries in the whole lattice.
    """

    lattice: Lattice
    potentials: Weights
    entries: NDArray[np.int64]


def choose_beam(lattice: Lattice, potentials: Weights, n_best: int) -> Beam:
    """The beam of so many labels at each position; of labels with equal mass the lowest stays."""
    kept, always = np.zeros(len(lattice.labels), dtype=np.bool_), np.full(len(lattice.first) - 1, -1)
    keep_entries(lattice, potentials, n_best, always, 0, len(lattice.offsets) - 1, kept)
    return beam_of(lattice, potentials, kept)


def beam_of(lattice: Lattice, potentials: Weights, kept: NDArray[np.bool_]) -> Beam:
    """The beam of the entries that are kept, bool, shape (n_entries,); at least one at each position."""
    entries = np.flatnonzero(kept)
    first = starts_of(kept)[lattice.first]
    counts = np.diff(first)
    first_pair = starts_of(counts * predecessor_counts(lattice.offsets, counts))
    inside = Lattice(lattice.offsets, first.astype(np.int64), lattice.labels[entries], first_pair)
    pairs = np.empty(first_pair[-1] if len(potentials.pairs) else 0)
    if len(pairs):
        gather_pairs(lattice, potentials.pairs, kept, pairs)
    return Beam(inside, Weights(potentials.unary[entries], potentials.transitions, pairs), entries)


def partial_log_likelihood(lattice: Lattice, potentials: Weights, labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """As `treecrf.chain.inference.partial_log_likelihood`; minus infinity where a position may not have its label."""
    kept = agreeing_entries(lattice, labels)
    impossible = ~np.logical_or.reduceat(kept, lattice.first[:-1])
    kept |= np.repeat(impossible, np.diff(lattice.first))
    inside = beam_of(lattice, potentials, kept)
    log_probabilities = (
        lattice_marginals(inside.lattice, inside.potentials).log_partition
        - lattice_marginals(lattice, potentials).log_partition
    )
    return np.where(np.logical_or.reduceat(impossible, lattice.offsets[:-1]), -np.inf, log_probabilities)
