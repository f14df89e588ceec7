"""Figures of the first page, from small frames: what they draw, and what their words say."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from treecrf_studies.framework.views import VIEWS
from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.report.figures import (
    LOOKS,
    cost_alt,
    cost_caption,
    cost_figure,
    cost_frame,
    gap_alt,
    gap_caption,
    gap_figure,
    gap_frame,
    published_alt,
    published_caption,
    published_figure,
    published_frame,
    strip_alt,
    strip_caption,
    strip_figure,
    strip_frame,
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
def published():
    """Printed accuracies: within a point, below it, inferred, at the ceiling, printed twice, ours, and without a peak."""
    rows = [("PhD table 3.5", 60.0, 60.5), ("PhD table 3.4", 70.0, 67.5), ("PhD table 3.4", 92.0, 80.0)]
    rows += [("PhD table 5.3", 100.0, 100.0), *[("PhD table 3.4", 70.0, 67.5)] * 3]
    frame = pd.DataFrame(rows, columns=["source", "published", "at_choice"])
    frame = frame.assign(
        study="training", dataset=list("abcdefg"), method="mallet", quantity="accuracy", point="peak",
        sample="the paper's own split", counted=frame.index != 4, own=frame.index != 5, inferred=frame.index == 2,
        measured=frame["at_choice"].where(frame.index != 6),
    )  # fmt: skip
    frame.loc[1, "measured"] = 70.5  # the peak is near, the choice is not
    return frame.reindex(columns=["study", *VIEWS["published"]])


def test_published_accuracies_are_counted_as_the_page_counts_them(published, tmp_path):
    frame = published_frame(published)
    assert frame["source"].tolist() == ["PhD table 3.4"] * 3 + ["PhD table 3.5", "PhD table 5.3"]
    assert frame["not counted"].tolist() == ["", "columns inferred", "no peak measured", "", "published 99 % or more"]
    assert published_caption(frame).startswith("2 of 2 published accuracies are met within 1 point.")
    assert "5 marks" in published_alt(frame)
    assert "Of the filled ones, 2 of 2 lie within 1 point" in published_alt(frame)
    assert "−12.00 points away: MALLET on c (PhD table 3.4)" in published_alt(frame)
    both, away = published_figure(frame).axes
    drawn = np.concatenate([np.asarray(marks.get_offsets()) for marks in both.collections[1:]])
    assert sorted(map(tuple, drawn)) == [(60.0, 60.5), (70.0, 67.5), (70.0, 70.5), (92.0, 80.0), (100.0, 100.0)]
    assert [label.get_text() for label in away.get_yticklabels()] == ["PhD table 3.4", "PhD table 3.5", "PhD table 5.3"]
    saved(published_figure(frame), tmp_path)


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
def claims():
    frame = pd.DataFrame({"id": ["P3.1", "P3.2", "P4.1", "M1", "E1"]})
    verdict = ["replicated", "undecided", "not_replicated", "checked", "not_run"]
    return frame.assign(
        verdict=verdict, verdict_papers_test=["partly", "replicated", "replicated", "", ""], verdict_larger=""
    )


def test_claims_are_squares_by_group_with_the_sign_of_their_verdict(claims, tmp_path):
    frame = strip_frame(claims)
    assert frame["group"].unique().tolist() == [
        "Dissertation, chapter 3: P3",
        "Dissertation, chapter 4: P4",
        "M.S. thesis: M",
        "ESPBoost 2014: E",
    ]
    assert len(frame) == 8  # pairs of claim and way with a verdict
    figure = strip_figure(frame)
    squares = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    assert len(squares) == 8 + frame["verdict"].nunique()  # the legend has each verdict once
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts.count("✓") == 3 + 1
    assert "claims/P4.1.html" in saved(figure, tmp_path)
    assert strip_caption(strip_frame(claims)).startswith(
        "1 of 5 claims hold by the sequence-level test and 2 by the papers' own tests"
    )
    assert "2 replicated, 1 partly" in strip_alt(strip_frame(claims))


def test_verdicts_differ_in_sign_or_frame():
    from treecrf_studies.report.papers import SIGNS

    filled = [name for name, (fill, _) in LOOKS.items() if fill != "none"]
    assert len({SIGNS[name] for name in filled}) == len(filled)
    assert set(LOOKS) == set(SIGNS)


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
        ("a", "memm"): 0.04, ("a", "treecrf"): 2.0, ("b", "treecrf"): 0.0, ("a", "mallet"): 0.0, ("b", "mallet"): 5.5,
    }  # fmt: skip
    assert table.index[table["is_shown"]].tolist() == [("a", "treecrf")]
    texts = [text.get_text() for text in gap_figure(frame).axes[0].texts]
    assert texts == ["best", "5.5", "tie", "2.0*", "best"]
    assert gap_caption(frame).startswith("1 of 3 gaps to the best method are shown")
    assert "Best: MALLET on a; TreeCRF on b. Marked: 0 of 1 on b and 1 of 2 on a." in gap_alt(frame)
    saved(gap_figure(frame), tmp_path)


def test_captions_are_short(published, summary, claims, ranks):
    captions = [
        published_caption(published_frame(published)),
        cost_caption(cost_frame(summary)),
        strip_caption(strip_frame(claims)),
    ]
    captions.append(gap_caption(gap_frame(ranks, pd.DataFrame())))
    assert max(len(text.split()) for text in captions) <= MOST_WORDS
