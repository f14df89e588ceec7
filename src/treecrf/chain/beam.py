"""A beam: at each position the labels with most forward mass stay, all others have probability 0.

Pal, Sutton and McCallum (2006) infer chains with many labels so; the thesis (Hao 2009, chapter 5) puts it in place of
forward-backward. What stays is a smaller `Lattice`, on which everything of `treecrf.chain.lattice` is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.chain._beam_kernels import gather_pairs, keep_entries
from treecrf.chain._lattice_kernels import Lattice, Weights
from treecrf.chain.lattice import predecessor_counts


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
    first = np.concatenate([[0], np.cumsum(kept)])[lattice.first]
    counts = np.diff(first)
    first_pair = np.concatenate([[0], np.cumsum(counts * predecessor_counts(lattice.offsets, counts))]).astype(np.int64)
    inside = Lattice(lattice.offsets, first.astype(np.int64), lattice.labels[entries], first_pair)
    pairs = np.empty(first_pair[-1] if len(potentials.pairs) else 0)
    if len(pairs):
        gather_pairs(lattice, potentials.pairs, kept, pairs)
    return Beam(inside, Weights(potentials.unary[entries], potentials.transitions, pairs), entries)
