"""Layouts as Markdown."""

import pandas as pd

from treecrf_studies.rendering.cells import Cell
from treecrf_studies.rendering.layouts import to_markdown


def test_markdown_escapes_and_marks_the_best():
    frame = pd.DataFrame({"data set": ["a|b", "a|b"], "x": [Cell("1.00*", is_best=True), "<0.001"]})
    assert to_markdown(frame).splitlines() == [
        "| data set | x |",
        "| :-- | --: |",
        r"| a\|b | **1.00\*** |",
        r"|  | \<0.001 |",
    ]
