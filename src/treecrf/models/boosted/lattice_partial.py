"""Forward-backward on a lattice where some labels of the training set are not known (`treecrf.models.boosted.partial`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.beam import beam_of, gather_pairs
from treecrf.chain.lattice import Lattice, Weights
from treecrf.chain.partial import agreeing_entries
from treecrf.models.boosted.lattice_inference import LatticeInference
from treecrf.models.boosted.partial import gradients_of
from treecrf.models.resources import Runner
from treecrf.sequences import MISSING
from treecrf.trees.packing import Packing


def completed_in(lattice: Lattice, labels: NDArray[np.int16]) -> NDArray[np.int16]:
    """Labels that complete the known ones: the first that a position may have where none is known."""
    return np.where(labels == MISSING, lattice.labels[lattice.first[:-1]], labels)


class PartialLatticeInference(LatticeInference):
    """The difference of two: on the lattice, and on its entries that agree with the known labels.

    Parameters
    ----------
    lattice : Lattice
    labels : int16, shape (n_positions,)
        `MISSING` where not known.
    n_labels, by_pair, sequence_weights
        As of `LatticeInference`.
    """

    def __init__(
        self, lattice: Lattice, labels: NDArray[np.int16], n_labels: int, by_pair: bool,
        sequence_weights: NDArray[np.float64] | None = None,
    ) -> None:  # fmt: skip
        complete = completed_in(lattice, labels)
        super().__init__(lattice, complete, n_labels, by_pair, sequence_weights)
        self._kept = agreeing_entries(lattice, labels)
        everything = Weights(np.empty(len(lattice.labels)), np.empty((0, 0)), np.empty(0))
        inside = beam_of(lattice, everything, self._kept)
        self._agreeing = LatticeInference(inside.lattice, complete, n_labels, by_pair, sequence_weights)
        self._places = inside.entries
        if by_pair:
            numbers = np.arange(lattice.first_pair[-1], dtype=np.float64)
            found = np.empty(inside.lattice.first_pair[-1])
            gather_pairs(lattice, numbers, self._kept, found)
            self._places = found.astype(np.int64)

    def excess(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `LatticeInference`; what is observed is expected of the labels that agree."""
        found, expected = super().excess()
        return found - self._agreeing.excess()[0], expected

    def infer(self, run: Runner, weights: Weights, packing: Packing, seconds: dict[str, float]) -> float:
        """See `LatticeInference`."""
        log_likelihood = super().infer(run, weights, packing, seconds)
        inside = beam_of(self.lattice, weights, self._kept).potentials
        log_likelihood -= self._agreeing.infer(run, inside, packing, seconds)
        self.gradients[self._places] -= gradients_of(self._agreeing.gradients, packing)
        return log_likelihood
