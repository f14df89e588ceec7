"""Findings of the training study, from small frames: what they draw, and what their words say."""

import pandas as pd
import pytest

from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.training.findings import (
    cost_alt,
    cost_caption,
    cost_figure,
    cost_frame,
    gap_alt,
    gap_caption,
    gap_figure,
    gap_frame,
)

MOST_WORDS = 25
"""Of a caption."""


def saved(figure, path):
    """The bytes of a figure, the same each time."""
    for name in ("one.svg", "two.svg"):
        save_figure(figure, path / name, "svg")
    first, second = ((path / name).read_bytes() for name in ("one.svg", "two.svg"))
    assert first == second
    return first.decode()


@pytest.fixture
def summary():
    """Three methods that share one data set, and one that has another alone."""
    rows = [
        ("one", "treecrf", 60.0, 1.0),
        ("one", "mallet", 62.0, 100.0),
        ("one", "memm", 59.0, 2.0),
        ("two", "treecrf", 80.0, 4.0),
        ("two", "mallet", 81.0, 100.0),
        ("three", "smile", 99.0, 1.0),
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "value", "cpu_seconds"])
    return frame.assign(decoder="better", point="choice")


def test_costs_are_means_over_data_sets_that_all_shown_methods_have(summary, tmp_path):
    frame = cost_frame(summary)
    assert frame[["method", "accuracy", "seconds"]].to_numpy().tolist() == [
        ["mallet", 71.5, pytest.approx(100.0)],
        ["treecrf", 70.0, pytest.approx(2.0)],
    ]
    assert frame["datasets"].unique().tolist() == ["one and two"]
    shared = cost_frame(summary[summary["dataset"] == "one"])
    assert shared["method"].tolist() == ["mallet", "treecrf", "memm"]
    assert shared["is_optimal"].tolist() == [True, True, False]
    assert (
        cost_caption(frame)
        == "71.50 % is the highest mean over one and two (MALLET); TreeCRF reaches 70.00 % in 2 % of its CPU time."
    )
    assert "No other method beats these in both: MALLET and TreeCRF." in cost_alt(shared)
    (axes,) = cost_figure(shared).axes
    assert sorted(text.get_text() for text in axes.texts) == ["MALLET", "MEMM", "TreeCRF"]
    saved(cost_figure(shared), tmp_path)


@pytest.fixture
def ranks():
    rows = [("a", "treecrf", 60.0, 2), ("a", "mallet", 62.0, 1), ("b", "mallet", 70.0, 2), ("b", "treecrf", 75.5, 1)]
    rows += [("a", "memm", 61.96, 3)]
    return pd.DataFrame(rows, columns=["dataset", "method", "value", "rank"])


def test_gaps_to_the_best_are_marked_where_a_test_shows_them(ranks, tmp_path):
    tests = pd.DataFrame(
        [
            ("a", "treecrf", "mallet", "worse"),
            ("a", "mallet", "memm", "undecided"),
            ("b", "treecrf", "mallet", "undecided"),
        ],
        columns=["dataset", "method", "other", "decision"],
    ).assign(value=0.0, low=0.0, high=0.0)
    frame = gap_frame(ranks, tests)
    assert frame["method"].tolist() == ["mallet", "mallet", "memm", "treecrf", "treecrf"]  # on a, which all have
    table = frame.set_index(["dataset", "method"])
    assert table["gap"].round(2).to_dict() == {
        ("a", "memm"): 0.04,
        ("a", "treecrf"): 2.0,
        ("b", "treecrf"): 0.0,
        ("a", "mallet"): 0.0,
        ("b", "mallet"): 5.5,
    }
    assert table.index[table["is_shown"]].tolist() == [("a", "treecrf")]
    texts = [text.get_text() for text in gap_figure(frame).axes[0].texts]
    assert texts == ["best", "5.5", "tie", "2.0*", "best"]
    assert gap_caption(frame).startswith("1 of 3 gaps to the best are significant")
    assert "Best: MALLET on a; TreeCRF on b. Marked: 0 of 1 on b and 1 of 2 on a." in gap_alt(frame)
    saved(gap_figure(frame), tmp_path)


def test_captions_are_short(summary, ranks):
    captions = [cost_caption(cost_frame(summary)), gap_caption(gap_frame(ranks, pd.DataFrame()))]
    assert max(len(text.split()) for text in captions) <= MOST_WORDS
