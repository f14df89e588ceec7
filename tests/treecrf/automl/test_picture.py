"""The page of ``treecrf explain --plot``."""

import re

import numpy as np
import pandas as pd

from treecrf.automl.picture import write_picture

EVIL = "<script>alert('x')</script>"


def page(**changes):
    n = 3
    arguments = {
        "title": "model on file",
        "rows": pd.DataFrame({"word": ["a", None, EVIL], "x": [1.5, np.nan, 2.0]}),
        "probabilities": np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]),
        "predicted": ["A", "B", "B"],
        "labels": ["A", "B"],
        "true": ["A", "A", "B"],
    }
    return write_picture(**(arguments | changes)), n


def test_wrong_positions_are_marked_and_counted():
    text, n = page()
    assert len(re.findall('<tr class="right">', text)) == n - 1
    assert len(re.findall('<tr class="wrong">', text)) == 1
    assert "3 positions, 1 of them labelled wrongly" in text
    assert "width:90.00%" in text


def test_texts_of_the_file_are_escaped():
    text, _ = page(title=EVIL, labels=[EVIL, "B"], predicted=["B", "B", EVIL], true=None)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in text
