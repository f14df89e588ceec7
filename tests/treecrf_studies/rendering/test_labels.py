"""Names beside marks."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.optimize import minimize

from treecrf_studies.rendering.panels import label_points, spread


@pytest.mark.parametrize("seed", range(5))
def test_spread_names_are_as_near_as_their_gap_allows(seed):
    wanted = np.random.default_rng(seed).normal(size=6)
    places = spread(wanted, 0.5)
    order = np.argsort(wanted)
    assert np.diff(places[order]).min() > 0.5 - 1e-9
    apart = {"type": "ineq", "fun": lambda x: np.diff(x[order]) - 0.5}
    start = np.empty(6)
    start[order] = np.arange(6) * 0.6
    nearest = minimize(lambda x: np.sum((x - wanted) ** 2), start, constraints=apart, tol=1e-12).x
    assert places == pytest.approx(nearest, abs=1e-4)


def test_names_with_room_stay_where_they_are_wanted():
    assert spread([3.0, 1.0], 1.0).tolist() == [3.0, 1.0]


def test_names_of_near_marks_hide_no_mark_and_no_name():
    figure = Figure(figsize=(4, 3), dpi=100)
    axes = figure.subplots()
    axes.set(xlim=(0, 10), ylim=(0, 10))
    at = np.array([[5.0, 5.0], [5.1, 5.05], [5.2, 5.1], [8.8, 5.0]])
    label_points(figure, axes, at, ["first name", "second name", "third name", "at the edge"], ["k"] * 4)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[:place])
    marks = axes.transData.transform(at)
    assert not any(box.contains(*mark) for box in boxes for mark in marks)
    assert all(axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1 for box in boxes)
