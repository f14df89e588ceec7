"""The polynomial kernel of indicators as an explicit expansion: products of the indicators of up to `degree` cells.

Two windows that share s cells have the inner product s, and ``(s + c)^d`` is a sum over j = 0 .. d of a weight times the
number of sets of j shared cells. So the kernel is an inner product of indicators of sets of cells, each multiplied by the
square root of its weight.
"""

from __future__ import annotations

from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Monomials(NamedTuple):
    """Sets of cells of different slots that some windows have.

    Attributes
    ----------
    sizes : int64, shape (n_slots,)
        Number of cells of each slot.
    degree : int
        Most cells of a set.
    keys : int64, shape (n_monomials,)
        The codes of a set's cells as one number, ascending among the sets of the same slots.
    first : int64, shape (n_slot_sets + 1,)
        Where the keys of each set of slots begin.
    """

    sizes: NDArray[np.int64]
    degree: int
    keys: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def learn(cls, codes: NDArray[Any], sizes: NDArray[np.int64], degree: int) -> tuple[Self, NDArray[np.int32]]:
        """The sets of cells that windows have, and those of each window.

        Parameters
        ----------
        codes : uint8 or uint16, shape (n_windows, n_slots)
            Without codes that belong to no cell.
        sizes : int64, shape (n_slots,)
        degree : int

        Returns
        -------
        monomials : Monomials
        columns : int32, shape (n_windows, n_slot_sets)
            The number of the set of cells that a window has in each set of slots.
        """
        keys: list[NDArray[np.int64]] = []
        first = [0]
        columns = np.empty((len(codes), n_slot_sets(len(sizes), degree)), dtype=np.int32)
        for place, slots in enumerate(slot_sets(len(sizes), degree)):
            found, numbers = np.unique(_keys(codes, sizes, slots), return_inverse=True)
            columns[:, place] = first[-1] + numbers
            keys.append(found)
            first.append(first[-1] + len(found))
        return cls(sizes, degree, np.concatenate(keys), np.array(first)), columns

    def find(self, codes: NDArray[Any]) -> NDArray[np.int32]:
        """The sets of cells of other windows, as the columns of `learn`; -1 for a set that is not known."""
        columns = np.empty((len(codes), len(self.first) - 1), dtype=np.int32)
        known = codes < self.sizes
        for place, slots in enumerate(slot_sets(len(self.sizes), self.degree)):
            keys, begin = self.keys[self.first[place] : self.first[place + 1]], self.first[place]
            wanted = _keys(codes, self.sizes, slots)
            numbers = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            is_there = (keys[numbers] == wanted) & known[:, list(slots)].all(axis=1)
            columns[:, place] = np.where(is_there, begin + numbers, -1)
        return columns

    def features(self, columns: NDArray[np.int32], weights: NDArray[np.float64]) -> csr_array:
        """Square-rooted weights of the sets of cells that windows have, shape (n_windows, n_monomials).

        Parameters
        ----------
        columns : int32, shape (n_windows, n_slot_sets)
        weights : float64, shape (degree + 1,)
            Of a set of 0, 1, .. cells (`monomial_weights`).
        """
        from scipy.sparse import csr_array  # takes long to import

        n_cells = np.array([len(slots) for slots in slot_sets(len(self.sizes), self.degree)])
        values = np.broadcast_to(np.sqrt(weights)[n_cells], columns.shape)
        known = columns >= 0
        first = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int32)
        return csr_array((values[known], columns[known], first), shape=(len(columns), len(self.keys)))


def monomial_weights(degree: int, coef0: float) -> NDArray[np.float64]:
    """The weight of a set of 0, 1, .. `degree` shared cells in ``(s + coef0)^degree``, shape (degree + 1,).

    A polynomial of s is the sum of its j-th differences at 0 times the binomial coefficients of s and j.
    """
    values = (np.arange(degree + 1) + float(coef0)) ** degree
    return np.array([np.diff(values, n=j)[0] for j in range(degree + 1)])


def slot_sets(n_slots: int, degree: int) -> chain[tuple[int, ...]]:
    """All sets of at most `degree` slots, the empty one first."""
    return chain.from_iterable(combinations(range(n_slots), j) for j in range(degree + 1))


def n_slot_sets(n_slots: int, degree: int) -> int:
    """How many `slot_sets` there are."""
    return sum(comb(n_slots, j) for j in range(degree + 1))


def _keys(codes: NDArray[Any], sizes: NDArray[np.int64], slots: tuple[int, ...]) -> NDArray[np.int64]:
    keys = np.zeros(len(codes), dtype=np.int64)
    for slot in slots:
        keys = keys * sizes[slot] + codes[:, slot]
    return keys
