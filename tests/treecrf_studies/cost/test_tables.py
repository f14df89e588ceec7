"""Tables of what training costs."""

import pandas as pd

from treecrf_studies.cost.methods import OPTION, RELATIVE, SECONDS, SPEED_UP, TREE_SECONDS
from treecrf_studies.cost.tables import sampling_layout, windows_layout


def long(rows, keys, quantities):
    """A row for each of the quantities, which follow the keys."""
    return pd.DataFrame(rows, columns=[*keys, *quantities]).melt(keys, var_name="quantity")


def test_windows_and_sampling():
    rows = [("a", 3, "treecrf", 0.25, 61.0), ("a", 1, "treecrf", 0.125, 60.0), ("a", 1, "mine", 0.5, 59.0)]
    layout = windows_layout(long(rows, ["dataset", "window_size", "method"], [SECONDS, "accuracy"]))
    assert layout.columns.get_level_values(1).tolist() == ["data set", "method", "1", "3", "1", "3"]
    assert layout.to_numpy().tolist() == [
        ["a", "TreeCRF", "0.125", "0.250", "60.00", "61.00"],
        ["a", "mine", "0.500", "–", "59.00", "–"],
    ]
    rows = [("a", "none", 1.0, 8.0, 6.0, 60.0, 1, 1), ("a", "row_fraction", 0.25, 2.0, 1.5, 59.5, 0.25, 1.5)]
    frame = long(rows, OPTION, [SECONDS, TREE_SECONDS, "accuracy", RELATIVE, SPEED_UP]).assign(low=1.2, high=1.875)
    assert sampling_layout(frame).to_numpy().tolist() == [
        ["a", "all rows and features", "6.00", "8.00", "1.00", "60.00", "1.00"],
        ["a", "share of the rows: 0.25", "1.50", "2.00", "0.25", "59.50", "1.50 (1.20 to 1.88)"],
    ]
