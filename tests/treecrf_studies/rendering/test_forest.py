"""Interval plots: what they draw and what they say."""

import numpy as np
import pytest

from treecrf_studies.rendering.forest import STANDINGS, Forest, Interval, forest_alt, forest_figure

ROWS = [
    Interval("near", 1.0, 0.5, 1.5, dots=(0.9, 1.1), standing="replicated"),
    Interval("far", 2.0, -100.0, 104.0, "note"),
    Interval("once", 0.5, -np.inf, np.inf),
]


def test_lines_are_where_values_and_intervals_are():
    (axes,) = forest_figure(Forest("A caption", ROWS, (0.0, 0.5))).axes
    lines = {tuple(line.get_xdata()): line for line in axes.lines}
    assert {(0.5, 1.5), (0.9, 1.1), (1.0,), (2.0,), (0.5,)} <= set(lines)
    assert lines[0.5, 1.5].get_color() == STANDINGS["replicated"]
    low, high = axes.get_xlim()
    assert low < 0 < 2 < high
    assert high - low < 200  # the longest interval is cut, and arrows say so
    assert {line.get_marker() for line in axes.lines} >= {"<", ">"}


def test_texts_have_values_intervals_and_notes():
    forest = Forest("A caption.", ROWS)
    assert forest.text(ROWS[0]) == "+1.00 (+0.50 to +1.50)"
    assert forest.text(ROWS[2]) == "+0.50"
    assert forest.part().layout["note"].tolist() == ["", "note", ""]
    assert forest_alt(forest).startswith("A caption, in points. near: +1.00 (+0.50 to +1.50); far:")
    assert forest.part().caption == "A caption."


@pytest.mark.parametrize("n_rows", [1, 40])
def test_no_text_leaves_the_figure(n_rows):
    figure = forest_figure(
        Forest("", [ROWS[1]._replace(label="a label of some forty letters, which is long")] * n_rows)
    )
    figure.draw_without_rendering()
    for text in figure.axes[0].texts:
        extent = text.get_window_extent()
        assert extent.x0 >= 0
        assert extent.x1 <= figure.bbox.x1
