"""The forest plot of what was learnt, from planted lessons."""

import numpy as np
import pandas as pd
import pytest

from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.framework.lessons import Gap, Pair
from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.report.lessons import (
    LARGER,
    MEAN,
    SET,
    Lesson,
    lesson_alt,
    lesson_caption,
    lesson_figure,
    lesson_frame,
)


@pytest.fixture
def frame():
    """A pair with a mean and a larger sample, and one of two data sets, far from zero."""
    many = [
        Gap(f"s{place}", value, value - 1, value + 1, "undecided") for place, value in enumerate((1.0, 2.0, 3.0, 4.0))
    ]
    few = [Gap("near", -3.0, -4.0, -2.0, "worse"), Gap("far", 25.0, 20.0, np.inf, "better")]
    pairs = [Pair("A", "B", many, [Gap("sample", 2.5, 2.0, 3.0, "better")])]
    return lesson_frame(
        [
            Lesson("Averages", ["A text."], "chapter-3.md#place", pairs),
            Lesson("Words only", ["No pair."], "thesis.md#place"),
            Lesson("Extremes", ["A text."], "missing-values.md#other", [Pair("A, if long", "C", few)]),
        ]
    )


def test_marks_are_means_where_there_are_several_data_sets(frame):
    assert frame["kind"].tolist() == [MEAN, SET, SET, SET, SET, LARGER, SET, SET]
    mean, (low, high) = mean_with_interval(pd.Series([1.0, 2.0, 3.0, 4.0]))
    assert frame.loc[0, ["value", "low", "high"]].tolist() == [mean, low, high]
    assert frame["source"].unique().tolist() == ["Dissertation, chapter 3", "Missing values"]
    assert frame["comparison"].unique().tolist() == ["A minus B", "A if long minus C"]
    assert frame["target"].iloc[-1] == "missing-values.md#other"


def test_each_comparison_has_a_row_with_its_intervals(frame, tmp_path):
    figure = lesson_figure(frame)
    (axes,) = figure.axes
    texts = [text.get_text() for text in axes.texts]
    assert [text for text in texts if text in ("Averages", "Extremes")] == ["Averages", "Extremes"]
    assert {"A minus B", "+25.00  far", "+2.50 (+2.00 to +3.00)  sample"} <= set(texts)
    marks = [(line.get_marker(), line.get_xdata()[0]) for line in axes.get_lines() if line.get_marker() in "Ds"]
    assert marks == [("D", 2.5), ("s", 2.5)]
    low, high = axes.get_xlim()
    assert low <= -4 < 25 < high < np.inf
    save_figure(figure, tmp_path / "figure.svg", "svg")


def test_pairs_of_one_comparison_share_a_row():
    pairs = [Pair("A", "B", [Gap(name, 1.0, 0.5, 2.0, "better")]) for name in ("one", "two")]
    (axes,) = lesson_figure(lesson_frame([Lesson("Shared", ["A text."], "thesis.md#place", pairs)])).axes
    texts = [text.get_text() for text in axes.texts]
    assert texts[0] == "Shared"
    assert texts[2:] == ["A minus B", "+1.00 (+0.50 to +2.00)  one", "", "+1.00 (+0.50 to +2.00)  two"]


def test_words_have_the_numbers(frame):
    assert lesson_alt(frame) == (
        "2 comparisons of two methods, from −3.00 (A if long minus C on near) to +25.00 (A if long minus C on far). "
        "In addition: 1 larger sample."
    )
    assert lesson_caption(frame).startswith("In 2 of 2 comparisons an interval excludes zero.")
    assert len(lesson_caption(frame).split()) <= 25
