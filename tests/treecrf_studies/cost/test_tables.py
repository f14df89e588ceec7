"""Tables of what training costs."""

import pandas as pd

from treecrf_studies.cost.tables import SPEED_UP, sampling_layout, windows_layout


def test_windows_and_sampling():
    rows = [("a", 3, "treecrf", 0.25, 24, 61.0), ("a", 1, "treecrf", 0.125, 24, 60.0), ("a", 1, "mine", 0.5, 9, 59.0)]
    names = ["dataset", "window_size", "method", "seconds_per_iteration", "n_iterations", "accuracy"]
    layout = windows_layout(pd.DataFrame(rows, columns=names))
    assert layout.columns.get_level_values(1).tolist() == ["data set", "method", "1", "3", "1", "3"]
    assert layout.to_numpy().tolist() == [
        ["a", "TreeCRF", "0.125", "0.250", "60.00", "61.00"],
        ["a", "mine", "0.500", "–", "59.00", "–"],
    ]
    names = ["dataset", "option", "value", "cpu_seconds", "tree_seconds", "accuracy"]
    names += ["relative_seconds", *SPEED_UP]
    rows = [
        ("a", "none", 1.0, 8.0, 6.0, 60.0, 1, 1, 1, 1),
        ("a", "row_fraction", 0.25, 2.0, 1.5, 59.5, 0.25, 1.5, 1.2, 1.875),
    ]
    assert sampling_layout(pd.DataFrame(rows, columns=names)).to_numpy().tolist() == [
        ["a", "all rows and features", "6.00", "8.00", "1.00", "60.00", "1.00"],
        ["a", "share of the rows: 0.25", "1.50", "2.00", "0.25", "59.50", "1.50 (1.20 to 1.88)"],
    ]
