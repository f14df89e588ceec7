"""The inputs of tree growing: window codes by column, and the positions that hold each code."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import int32, int64, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int32, Int64, UInt16, UInt32, compiled_type, struct
from treecrf.io.arrays import starts_of


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
    first_cell = starts_of(slot_sizes)
    most = np.minimum(slot_sizes, np.iinfo(np.uint16).max).astype(np.uint16)  # in small integers, for memory
    by_slot = np.ascontiguousarray(np.minimum(codes, most).T, dtype=np.uint16)
    counts = np.zeros(first_cell[-1], dtype=np.int64)
    postings = []
    for slot, (column, size) in enumerate(zip(by_slot, slot_sizes, strict=True)):
        of_codes = np.bincount(column, minlength=size)[:size]
        postings.append(np.argsort(column, kind="stable")[: of_codes.sum()].astype(np.int32))
        counts[first_cell[slot] : first_cell[slot + 1]] = of_codes
    return Columns(
        number_cells(codes, first_cell),
        by_slot,
        first_cell,
        np.concatenate(postings) if postings else np.empty(0, dtype=np.int32),
        starts_of(counts),
    )


def number_cells(codes: NDArray[np.unsignedinteger], first_cell: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The cell of each code, uint32, shape (n_positions, n_slots); the number of cells where it belongs to none."""
    cells = np.add(codes, first_cell[:-1].astype(np.uint32), dtype=np.uint32)
    unknown = codes >= np.diff(first_cell).astype(np.uint32)
    if unknown.any():
        cells[unknown] = first_cell[-1]
    return cells


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
    if n_slots and _least_distinct(cells) <= n_positions / 2:
        rows = np.ascontiguousarray(cells).view(np.dtype((np.void, cells.itemsize * n_slots))).ravel()
        _, examples, window_of = np.unique(rows, return_index=True, return_inverse=True)
        if len(examples) <= n_positions / 2:
            return examples.astype(np.int64), window_of.reshape(-1).astype(np.int32)
    return np.arange(n_positions), np.arange(n_positions, dtype=np.int32)


def _least_distinct(cells: NDArray[np.uint32]) -> int:
    """The number of different hashes of windows, at most that of windows: numbers are sorted faster than rows."""
    multipliers: NDArray[np.uint64] = np.random.default_rng(0).integers(1, 2**63, (cells.shape[1],), dtype=np.uint64)
    hashes = np.zeros(len(cells), dtype=np.uint64)
    for slot in range(cells.shape[1]):
        hashes += cells[:, slot] * multipliers[slot]  # modulo 2 ** 64
    return len(np.unique(hashes))


@kernel(void(int64[:, ::1], int32[::1], int64[:, ::1]))
def sum_by_window(rows, window_of, sums):
    """Add the packed rows of all positions with the same window to `sums`, shape (n_all_states, n_windows)."""
    for state in range(len(rows)):
        for position in range(uint64(len(window_of))):
            sums[state, uint64(window_of[position])] += rows[state, position]
