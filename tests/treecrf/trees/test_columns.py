"""Window codes by column."""

import numpy as np
import pytest

from treecrf.trees.columns import distinct_windows, number_cells


@pytest.mark.parametrize("n_codes", [2, 4, 30])
def test_windows_are_told_apart_unless_most_differ(n_codes):
    cells = np.random.default_rng(0).integers(0, n_codes, (500, 3)).astype(np.uint32)
    examples, window_of = distinct_windows(cells)
    n_distinct = len({tuple(row) for row in cells})
    assert (n_distinct > 250) == (n_codes == 30)
    assert len(examples) == (500 if n_codes == 30 else n_distinct)
    np.testing.assert_array_equal(cells[examples][window_of], cells)


def test_codes_are_numbered_slot_by_slot_and_unknown_ones_have_no_cell():
    codes = np.array([[0, 1], [2, 0], [1, 3], [200, 2]], dtype=np.uint8)
    cells = number_cells(codes, np.array([0, 2, 5]))
    assert cells.dtype == np.uint32
    np.testing.assert_array_equal(cells, [[0, 3], [5, 2], [1, 5], [5, 4]])
