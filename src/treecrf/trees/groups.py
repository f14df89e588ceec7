"""Neighbouring slots taken together, so that one addition in a large histogram serves several slots.

A group of slots with few cells each has a joint table, one entry for each combination of their codes. A scan
adds once per group to the joint table instead of once per slot to the histogram; the table's margins, worked
out afterwards, are the histogram. It pays for nodes with many positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import int64, njit, types, uint16, void
from numpy.typing import NDArray

_LARGEST_TABLE = 512  # entries: a scan keeps all tables in the first cache


class Groups(NamedTuple):
    """Groups of slots.

    Attributes
    ----------
    entries : uint16, shape (n_positions, n_groups)
        For each position, its entry in each group's table; tables are numbered through.
    first_slot, first_entry : int64, shape (n_groups + 1,)
    """

    entries: NDArray[np.uint16]
    first_slot: NDArray[np.int64]
    first_entry: NDArray[np.int64]


GROUPS = types.NamedTuple((uint16[:, ::1], int64[::1], int64[::1]), Groups)
"""The compiled type of `Groups`."""


def build_groups(codes: NDArray[np.uint8], slot_sizes: NDArray[np.int64]) -> Groups:
    """Group slots from the left while their table stays small.

    Parameters
    ----------
    codes : uint8, shape (n_positions, n_slots)
        All known: each below its slot's size.
    slot_sizes : int64, shape (n_slots,)
    """
    firsts, sizes = [0], [1]
    for slot, size in enumerate(slot_sizes):
        if slot > firsts[-1] and sizes[-1] * size > _LARGEST_TABLE:
            firsts.append(slot)
            sizes.append(1)
        sizes[-1] *= int(size)
    first_slot = np.array([*firsts, len(slot_sizes)], dtype=np.int64)
    first_entry = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if first_entry[-1] > np.iinfo(np.uint16).max:  # a very wide window: nothing is grouped
        first_slot = np.arange(len(slot_sizes) + 1)
        first_entry = np.concatenate([[0], np.cumsum(slot_sizes)]).astype(np.int64)
    entries = np.zeros((len(codes), len(first_slot) - 1), dtype=np.int64)
    for group in range(len(first_slot) - 1):
        for slot in range(first_slot[group], first_slot[group + 1]):
            entries[:, group] = entries[:, group] * slot_sizes[slot] + codes[:, slot]
        entries[:, group] += first_entry[group]
    return Groups(entries.astype(np.uint16), first_slot, first_entry)


@njit(void(int64[::1], GROUPS, int64[::1], int64[::1]), cache=True, nogil=True)
def add_margins(tables, groups, first_cell, histogram):
    """Add the margins of the joint tables to a histogram of window cells.

    Parameters
    ----------
    tables : int64, shape (n_entries,)
        Used up: each table is summed out slot by slot, the last slot of a group first.
    groups : Groups
    first_cell : int64, shape (n_slots + 1,)
    histogram : int64, shape (n_cells,)
    """
    for group in range(len(groups.first_slot) - 1):
        table = tables[groups.first_entry[group] : groups.first_entry[group + 1]]
        n_outer = len(table)
        for slot in range(groups.first_slot[group + 1] - 1, groups.first_slot[group] - 1, -1):
            margin = histogram[first_cell[slot] : first_cell[slot + 1]]
            size = len(margin)
            n_outer = n_outer // size
            for outer in range(n_outer):
                value = int64(0)
                for code in range(size):
                    entry = table[outer * size + code]
                    margin[code] += entry
                    value += entry
                table[outer] = value
