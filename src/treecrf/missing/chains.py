"""Holes along chains of cells: whether a cell is missing depends on whether the one before it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Chains:
    """Chains of cells, one after another.

    Parameters
    ----------
    places : int array, shape (n_cells,)
        The place of each cell in its chain, 0 for the first; the cell before a cell is the one before it in its chain.
    """

    def __init__(self, places: NDArray[np.int64]) -> None:
        order = np.argsort(places, kind="stable")
        self._first, *self._later = np.split(order, np.cumsum(np.bincount(places))[:-1]) if len(places) else [order]

    def walk(self, start: float, after_seen: Floats, after_hole: float, draws: Floats | None = None) -> Floats:
        """Follow all chains from their first cells to their last.

        Parameters
        ----------
        start : float
            Probability with which the first cell of a chain is missing.
        after_seen : float64, shape (n_cells,)
            That of each other cell where the one before it is not missing.
        after_hole : float
            The same where it is.
        draws : float64, shape (n_cells,), optional
            Numbers from 0 to 1; a cell is missing if its own is below its probability.

        Returns
        -------
        float64, shape (n_cells,)
            1 for a missing cell and 0 for others; without `draws` the probability of being missing.
        """
        missing = np.full(len(after_seen), float(start))

        def settle(cells: NDArray[np.int64]) -> None:
            if draws is not None:
                missing[cells] = draws[cells] < missing[cells]

        settle(self._first)
        for cells in self._later:
            before = missing[cells - 1]
            missing[cells] = before * after_hole + (1 - before) * after_seen[cells]
            settle(cells)
        return missing
