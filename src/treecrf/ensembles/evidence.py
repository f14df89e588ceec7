"""`Evidence`: what experts say of some sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.classes import position_classes
from treecrf.models.base import Labeller
from treecrf.sequences import SequenceSet


class Evidence(NamedTuple):
    """What the experts say of some sequences.

    Attributes
    ----------
    marginals : float64, shape (n_positions, n_experts, n_labels)
    offsets : int64, shape (n_sequences + 1,)
    groups : int64, shape (n_sequences,)
        Of related sequences.
    """

    marginals: NDArray[np.float64]
    offsets: NDArray[np.int64]
    groups: NDArray[np.int64]

    @property
    def predictions(self) -> NDArray[np.uint8]:
        """The likeliest label of each expert, uint8, shape (n_positions, n_experts)."""
        return np.ascontiguousarray(self.marginals.argmax(axis=2), dtype=np.uint8)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.marginals.shape[2]

    @property
    def group_of_positions(self) -> NDArray[np.int64]:
        """The group of the sequence of every position, shape (n_positions,)."""
        return np.repeat(self.groups, np.diff(self.offsets))

    @classmethod
    def ask(cls, experts: Sequence[Labeller], data: SequenceSet) -> Evidence:
        """What trained experts say of a set."""
        marginals = np.stack([expert.predict_proba(data) for expert in experts], axis=1)
        return cls(marginals, data.offsets, data.groups)

    def classes(self, class_map: str) -> tuple[NDArray[np.int64], int]:
        """The class of every position, and how many there are (`treecrf.ensembles.classes.position_classes`)."""
        return position_classes(class_map, self.offsets, self.predictions, self.n_labels)

    @property
    def sequences(self) -> NDArray[np.int64]:
        """The sequence of every position, shape (n_positions,)."""
        return np.repeat(np.arange(len(self.groups)), np.diff(self.offsets))
