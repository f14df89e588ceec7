"""The packed gradient of labels that positions may have."""

from __future__ import annotations

from numba import float64, int64, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.trees.packing import PACKING, pack


@kernel(void(int64[::1], int64[::1], float64[::1], int64, int64, PACKING, int64[::1]))
def write_rows(first_entry, true_entries, marginals, first, last, packing, rows):
    """Write packed ``I(y) - P(y | X)`` to `rows`, shape (n_entries,), at the positions ``first`` to ``last - 1``."""
    for position in range(first, last):
        for entry in range(uint64(first_entry[position]), uint64(first_entry[position + 1])):
            observed = 1.0 if int64(entry) == true_entries[position] else 0.0
            rows[entry] = pack(observed - marginals[entry], int64(entry), packing)
