"""Chains of which some labels are known: what is in conflict with these has probability 0 (Tsuboi et al. 2008).

The probability of partial labels sums over all that complete them, so that its logarithm is the log partition function of
the chain without the labels in conflict, less that of the whole chain. The recursions are those of `treecrf.chain` and
`treecrf.chain.lattice`, which training is fast with: a label in conflict has the lowest potential that is allowed, or no entry.
Questions to a trained model forbid labels exactly (`treecrf.chain.trellis`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.chain._kernels import MAX_POTENTIAL
from treecrf.chain.inference import forward_backward
from treecrf.chain.inference import log_likelihood as log_likelihood_of_all
from treecrf.chain.lattice import Lattice, Weights
from treecrf.chain.lattice import forward_backward as infer_lattice
from treecrf.io.frames import MISSING


def allows(labels: NDArray[np.int16], n_labels: int) -> NDArray[np.bool_]:
    """Whether each position may have each label: its own, or any where it is not known; shape (n_labels, n_positions)."""
    return (labels == np.arange(n_labels)[:, None]) | (labels == MISSING)


def log_likelihood(
    potentials: NDArray[np.float64], labels: NDArray[np.int16], offsets: NDArray[np.int64], order: int
) -> NDArray[np.float64]:
    """log P(known labels | X) of each sequence, shape (n_sequences,); `MISSING` where a label is not known.

    Parameters and errors are those of `treecrf.chain.log_likelihood`, which this is where all labels are known.
    """
    if (labels != MISSING).all():
        return log_likelihood_of_all(potentials, labels, offsets, order)
    return partial_log_likelihood(potentials, labels, offsets, order)


def partial_log_likelihood(
    potentials: NDArray[np.float64], labels: NDArray[np.int16], offsets: NDArray[np.int64], order: int
) -> NDArray[np.float64]:
    """`log_likelihood` of sequences some of whose labels are not known."""
    allowed = np.where(allows(labels, len(potentials))[:, :, None], potentials, -MAX_POTENTIAL)
    agreeing = forward_backward(allowed, offsets, order).log_partition
    return np.asarray(agreeing - forward_backward(potentials, offsets, order).log_partition)


def agreeing_entries(lattice: Lattice, labels: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Which entries are the label of their position, or any label of one whose label is not known; shape (n_entries,)."""
    of_entries = np.repeat(labels, np.diff(lattice.first))
    return np.asarray((of_entries == MISSING) | (of_entries == lattice.labels))


def lattice_log_likelihood(lattice: Lattice, potentials: Weights, labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """As `log_likelihood`; minus infinity where a position may not have its label."""
    from treecrf.chain.beam import beam_of  # its kernels are loaded where they run

    kept = agreeing_entries(lattice, labels)
    impossible = ~np.logical_or.reduceat(kept, lattice.first[:-1])
    kept |= np.repeat(impossible, np.diff(lattice.first))
    inside = beam_of(lattice, potentials, kept)
    log_probabilities = (
        infer_lattice(inside.lattice, inside.potentials).log_partition
        - infer_lattice(lattice, potentials).log_partition
    )
    return np.where(np.logical_or.reduceat(impossible, lattice.offsets[:-1]), -np.inf, log_probabilities)
