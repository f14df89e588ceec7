"""Figures of the cost study: what is drawn is what was given."""

import numpy as np
import pandas as pd
import pytest

from treecrf_studies.cost.figures import (
    evaluation_by_length,
    forward_backward_by_length,
    induction_by_features,
    sampling_trade_off,
)
from treecrf_studies.cost.methods import OPTION, SECONDS


@pytest.fixture
def scaling():
    rows = [
        ("length", 20, "treecrf", "forward_backward", 0.4, 2000),
        ("length", 10, "treecrf", "forward_backward", 0.2, 1000),
        ("length", 10, "mine", "forward_backward", 0.1, 1000),
        ("length", 10, "treecrf", "induction", 9.0, 1000),
        ("length", 10, "treecrf", "evaluation", 0.003, 1000),
        ("length", 20, "treecrf_flat", "evaluation", 0.002, 2000),
        ("n_features", 75, "induced_crf", "induction", 3.0, 1000),
        ("n_features", 125, "induced_crf", "induction", 5.0, 1000),
    ]
    frame = pd.DataFrame(rows, columns=["axis", "size", "method", "quantity", "value", "n_positions"])
    return frame.assign(low=frame["value"] / 2, high=frame["value"] * 2)


def lines_of(figure):
    (axes,) = figure.axes
    return {
        line.get_label(): (line.get_xdata().tolist(), np.asarray(line.get_ydata()).tolist())
        for line in axes.get_lines()
    }


def test_costs_draw_the_seconds(scaling):
    lines = lines_of(forward_backward_by_length(scaling))
    assert lines["TreeCRF"] == ([10, 20], [0.2, 0.4])
    assert lines["mine"] == ([10], [0.1])
    x, y = lines["in proportion"]
    assert (x, y[1] / y[0]) == ([10, 20], pytest.approx(2.0))
    lines = lines_of(induction_by_features(scaling))
    assert lines["CRF with induction"] == ([75, 125], [3.0, 5.0])
    assert set(lines) == {"CRF with induction", "in proportion"}


def test_bands_reach_from_the_smallest_to_the_largest_measurement(scaling):
    (axes,) = forward_backward_by_length(scaling[scaling["method"] == "treecrf"]).axes
    (band,) = axes.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (pytest.approx(0.1), pytest.approx(0.8))


def test_evaluation_is_in_microseconds_per_position(scaling):
    lines = lines_of(evaluation_by_length(scaling))
    assert lines == {
        "TreeCRF": ([10], [pytest.approx(3.0)]),
        "TreeCRF (flattened)": ([20], [pytest.approx(1.0)]),
    }


def test_costs_that_were_not_measured(scaling):
    figure = induction_by_features(scaling[scaling["axis"] == "length"])
    assert figure.axes == []
    assert [text.get_text() for text in figure.texts] == ["Nothing was measured along this axis."]


def test_sampling_lines_start_at_everything():
    rows = [
        ("a", "none", 1.0, 8.0, 60.0),
        ("a", "row_fraction", 0.25, 2.0, 59.0),
        ("a", "row_fraction", 0.5, 4.0, 59.5),
        ("b", "none", 1.0, 9.0, 90.0),
    ]
    frame = pd.DataFrame(rows, columns=[*OPTION, SECONDS, "accuracy"]).melt(OPTION, var_name="quantity")
    figure = sampling_trade_off(frame.assign(low=frame["value"] - 1, high=frame["value"] + 1))
    first, second = figure.axes
    lines = {line.get_label(): (line.get_xdata().tolist(), line.get_ydata().tolist()) for line in first.get_lines()}
    assert lines["all rows and features"] == ([8.0], [60.0])
    assert lines["share of the rows"] == ([8.0, 4.0, 2.0], [60.0, 59.5, 59.0])
    assert [(text.get_text(), text.xy) for text in first.texts] == [("0.5", (4.0, 59.5)), ("0.25", (2.0, 59.0))]
    assert "share of the rows" not in [line.get_label() for line in second.get_lines()]
