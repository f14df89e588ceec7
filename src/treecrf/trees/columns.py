"""The inputs of tree growing: window codes by column, and the positions that hold each code."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import Int32, Int64, UInt16, UInt32, compiled_type, struct


@struct
class Columns(NamedTuple):
    """Window codes of a set of positions, ready for histograms and for splits.

    A *cell* is one code of one slot, hence one boolean feature: cell ``first_cell[j] + c`` is the test
    "slot j holds code c". Cells are numbered slot by slot, so the number of a cell is its feature index.
    """

    cells: Annotated[UInt32, "n_positions, n_slots", "Cell of each slot; n_cells where the code belongs to none."]
    codes: Annotated[
        UInt16, "n_slots, n_positions", "The same slot by slot, numbered within each: a split reads one slot."
    ]
    first_cell: Annotated[Int64, "n_slots + 1"]
    postings: Annotated[Int32, "n_known_codes", "Positions that hold each cell, ascending, cell after cell."]
    first_posting: Annotated[Int64, "n_cells + 1"]


COLUMNS = compiled_type(Columns)


def build_columns(codes: NDArray[np.unsignedinteger], slot_sizes: NDArray[np.int64]) -> Columns:
    """Sort the positions of every slot by their code.

    Parameters
    ----------
    codes : uint8 or uint16, shape (n_positions, n_slots)
        As from `treecrf.sequences.window_codes`; a code of `slot_sizes` or more belongs to no cell.
    slot_sizes : int64, shape (n_slots,)
        Number of cells of each slot.
    """
    first_cell = np.concatenate([[0], np.cumsum(slot_sizes)]).astype(np.int64)
    n_cells = int(first_cell[-1])
    cells = np.where(codes < slot_sizes, codes + first_cell[:-1], n_cells).astype(np.uint32)
    counts = np.zeros(n_cells, dtype=np.int64)
    postings = []
    for slot, size in enumerate(slot_sizes):
        column = codes[:, slot]
        known = int((column < size).sum())
        postings.append(np.argsort(column, kind="stable")[:known].astype(np.int32))
        counts[first_cell[slot] : first_cell[slot + 1]] = np.bincount(column, minlength=size)[:size]
    return Columns(
        cells,
        np.ascontiguousarray(np.minimum(codes, slot_sizes).T, dtype=np.uint16),
        first_cell,
        np.concatenate(postings) if postings else np.empty(0, dtype=np.int32),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )


def distinct_windows(cells: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Find the windows that occur, so that work on a window is done once.

    Parameters
    ----------
    cells : uint32, shape (n_positions, n_slots)

    Returns
    -------
    examples : int64, shape (n_windows,)
        A position that has the window; all positions in order, if more than half of them differ.
    window_of : int32, shape (n_positions,)
        Window of each position.
    """
    n_positions, n_slots = cells.shape
    if n_slots:
        rows = np.ascontiguousarray(cells).view(np.dtype((np.void, cells.itemsize * n_slots))).ravel()
        _, examples, window_of = np.unique(rows, return_index=True, return_inverse=True)
        if len(examples) <= n_positions / 2:
            return examples.astype(np.int64), window_of.reshape(-1).astype(np.int32)
    return np.arange(n_positions), np.arange(n_positions, dtype=np.int32)
