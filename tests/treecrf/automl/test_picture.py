"""The page of ``treecrf explain --plot``."""

import re

import numpy as np
import pandas as pd

from treecrf.automl.picture import MOST_ROWS, write_picture

EVIL = "<script>alert('x')</script>"


def page(**changes):
    n = 3
    arguments = {
        "title": "model on file", "rows": pd.DataFrame({"word": ["a", None, EVIL], "x": [1.5, np.nan, 2.0]}),
        "probabilities": np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]), "predicted": ["A", "B", "B"], "labels": ["A", "B"],
        "true": ["A", "A", "B"],
    }  # fmt: skip
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


def test_confusion_and_importance():
    confusion = pd.DataFrame([[3, 1], [0, 2]], index=["A", "B"], columns=["A", "B"])
    importance = pd.DataFrame({"attribute": ["word", "x"], "lost": [4.0, -0.5], "low": [2.0, -1.0], "high": [6.0, 0.0]})
    text, _ = page(confusion=confusion, importance=importance)
    assert re.search(r">3</td>.*>1</td>", text)
    assert "4.00" in text
    assert "width:100.0%" in text


def test_long_sequences_are_cut():
    n = MOST_ROWS + 5
    text, _ = page(
        rows=pd.DataFrame({"x": np.arange(n) / 2}),
        probabilities=np.full((n, 2), 0.5),
        predicted=["A"] * n,
        true=["A"] * n,
    )
    assert text.count('<tr class="right">') == MOST_ROWS
    assert f"The first {MOST_ROWS} positions are shown." in text
