"""Positions packed by class and by which experts are right: all that boosting sees of them (protocol, section 7)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.voting import MOST_PACKED


class Cells(NamedTuple):
    """Kinds of positions.

    Attributes
    ----------
    classes : int64, shape (n_cells,)
        Rising.
    right : bool, shape (n_cells, n_experts)
        Which experts are right.
    of : int64, shape (n_positions,)
        The cell of each position.
    """

    classes: NDArray[np.int64]
    right: NDArray[np.bool_]
    of: NDArray[np.int64]

    @classmethod
    def pack(cls, predictions: NDArray[np.uint8], labels: NDArray[Any], classes: NDArray[np.int64]) -> Cells:
        """The cells of some positions."""
        right = predictions == np.asarray(labels)[:, None]
        n_experts = right.shape[1]
        octets = np.packbits(right, axis=1, bitorder="little")
        if n_experts > MOST_PACKED:
            rows = np.column_stack([classes, octets])
            _, first, of = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            return cls(classes[first], right[first], of)
        codes = classes << n_experts
        for octet in range(octets.shape[1]):
            codes |= octets[:, octet].astype(np.int64) << 8 * octet
        occupied = np.flatnonzero(np.bincount(codes))
        number = np.empty(occupied[-1] + 1, dtype=np.int64)
        number[occupied] = np.arange(len(occupied))
        bits = occupied[:, None] >> np.arange(n_experts) & 1
        return cls(occupied >> n_experts, bits.astype(np.bool_), number[codes])

    def sizes(self, weights: NDArray[Any] | None = None) -> NDArray[np.float64]:
        """Positions of each cell, or the sum of their weights; float64, shape (n_cells,)."""
        return np.bincount(self.of, weights, len(self.classes)).astype(np.float64)

    def right_on(self, path: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether a path expert (int64, shape (n_classes,): the expert of each class) is right, by cell."""
        return self.right[np.arange(len(self.classes)), path[self.classes]]


class PathErrors:
    """The weight of the positions where an expert is wrong, by class, of any weights of cells."""

    def __init__(self, cells: Cells, n_classes: int) -> None:
        self._wrong = np.ascontiguousarray(~cells.right.T, dtype=np.float64)
        self._occupied, self._starts = np.unique(cells.classes, return_index=True)
        self._found = np.zeros((n_classes, len(self._wrong)))  # 0 in classes without positions

    def of(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Float64, shape (n_classes, n_experts), from weights of shape (n_cells,)."""
        self._found[self._occupied] = np.add.reduceat(self._wrong * weights, self._starts, axis=1).T
        return self._found
