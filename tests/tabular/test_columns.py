"""Columns of numbers, and columns of too many values."""

import pandas as pd

from treecrf.tabular.columns import RARE, TableColumns


def test_bins():
    frame = pd.DataFrame({"x": ["0", "1", "2", "3", None, "4", "5", "6", "7"], "y": ["a"] * 9})
    columns = TableColumns.learn(frame, "s", "l", ["x", "y"], n_bins=4)
    assert columns.edges == {"x": (1.75, 3.5, 5.25)}
    binned = columns.apply(frame, "f.csv")["x"].tolist()
    names = ["0: under 1.75", "1: 1.75 to 3.5", "2: 3.5 to 5.25", "3: from 5.25"]
    assert binned == [names[0], names[0], names[1], names[1], None, names[2], names[2], names[3], names[3]]


def test_too_many_values():
    frame = pd.DataFrame({"word": [str(i) for i in range(300)] + ["common", "common", None]})
    columns = TableColumns.learn(frame, "s", "l", ["word"])
    assert (len(columns.kept["word"]), columns.kept["word"][0]) == (253, "common")
    changed = columns.apply(frame, "f.csv")["word"]
    assert (changed == RARE).sum() == 300 - 252
    assert changed.iloc[-1] is None or pd.isna(changed.iloc[-1])
