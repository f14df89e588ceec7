"""Sums by test against sums over the rows where each test holds."""

import numpy as np
import pytest

from treecrf import Attribute, SequenceSet
from treecrf.sequences import MISSING, slot_sizes, window_codes
from treecrf.trees.best_first import fill_window_tests
from treecrf.trees.columns import build_columns
from treecrf.trees.forest import FULL
from treecrf.trees.missing.grower import scan_copies, scan_whole_rows
from treecrf.trees.packing import choose_packing, pack


def draw(rng, sizes, missing=0.0):
    """40 sequences with attributes of so many categories, and with observations that have no label."""
    lengths, unlabelled = rng.integers(1, 9, 40), rng.integers(0, 3, 40)
    offsets, observation_offsets = (np.append(0, np.cumsum(n)) for n in (lengths, lengths + unlabelled))
    values = np.stack([rng.integers(0, size, observation_offsets[-1]) for size in sizes], axis=1)
    values[rng.random(values.shape) < missing] = MISSING
    attributes = [Attribute(str(i), tuple(map(str, range(size)))) for i, size in enumerate(sizes)]
    return SequenceSet(values, offsets, attributes, observation_offsets=observation_offsets)


@pytest.mark.parametrize("with_missing", [False, True])
@pytest.mark.parametrize("window", [(0, 0), (1, 0), (0, 2), (3, 4), (9, 8)])
@pytest.mark.parametrize("sizes", [[3], [200], [2, 3, 2], [2] * 12, [30, 2, 30]])
def test_cells_have_the_sums_of_the_positions_that_hold_them(sizes, window, with_missing):
    rng = np.random.default_rng([len(sizes), *window, with_missing])
    data = draw(rng, sizes, 0.3 * with_missing)
    columns = build_columns(window_codes(data, window), slot_sizes(data.attributes, window) + with_missing)
    sums = rng.integers(-(2**40), 2**40, data.n_positions)
    everyone = np.arange(data.n_positions, dtype=np.int32)
    for positions in (everyone, everyone[rng.random(len(everyone)) < 0.4], everyone[:0]):
        measured = np.full(columns.first_cell[-1], 7)
        assert fill_window_tests(positions, sums, columns.cells, measured) == sums[positions].sum()
        for slot, begin in enumerate(columns.first_cell[:-1]):
            for cell in range(begin, columns.first_cell[slot + 1]):
                assert measured[cell] == sums[positions[columns.cells[positions, slot] == cell]].sum()


@pytest.mark.parametrize("newton", [False, True])
def test_whole_rows_have_the_sums_of_copies_of_full_weight(newton):
    rng = np.random.default_rng(newton)
    data, n_states = draw(rng, [3, 2, 4], 0.2), 4
    n = data.n_positions
    columns = build_columns(window_codes(data, (1, 2)), slot_sizes(data.attributes, (1, 2)) + 1)
    packing = choose_packing(n, n * n_states, 1, newton)
    rows = np.array([[pack(rng.uniform(-1, 1), row, packing) for row in range(n)] for _ in range(n_states)])
    states = np.array([0, 1, 3], dtype=np.int32)
    state_sums, histogram = np.zeros((2, 2 * n_states), dtype=np.int64), np.zeros((2, 2 * columns.first_cell[-1]), int)
    state_sums[1, :6] = histogram[1] = 7  # overwritten
    everyone, full = np.arange(n, dtype=np.int32), np.full(n, FULL, dtype=np.int32)
    scan_copies(everyone, full, rows, states, columns.cells, packing, state_sums[0], histogram[0])
    position_sums, part = np.full(n, 7), np.full(columns.first_cell[-1], 7)
    scan_whole_rows(rows, states, columns.cells, packing, position_sums, part, state_sums[1], histogram[1])
    np.testing.assert_array_equal(*histogram)
    np.testing.assert_array_equal(*state_sums)
