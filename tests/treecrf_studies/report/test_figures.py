"""Findings on the papers, from small frames: what they draw, and what their words say."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from treecrf_studies.framework.views import VIEWS
from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.report.figures import (
    LOOKS,
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
    """Printed accuracies: near, far, inferred, at the ceiling, printed twice, ours, and without a peak."""
    rows = [("PhD table 3.5", 60.0, 60.5), ("PhD table 3.4", 70.0, 67.5), ("PhD table 3.4", 92.0, 80.0)]
    rows += [("PhD table 5.3", 100.0, 100.0), *[("PhD table 3.4", 70.0, 67.5)] * 3]
    frame = pd.DataFrame(rows, columns=["source", "published", "at_choice"])
    frame = frame.assign(
        study="training",
        dataset=list("abcdefg"),
        method="mallet",
        quantity="accuracy",
        point="peak",
        sample="the paper's own split",
        counted=frame.index != 4,
        own=frame.index != 5,
        inferred=frame.index == 2,
        measured=frame["at_choice"].where(frame.index != 6),
    )
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
        "1 of 5 claims hold by the sequence-level test, 2 by the papers' own;"
    )
    assert "2 replicated, 1 partly" in strip_alt(strip_frame(claims))


def test_verdicts_differ_in_sign_or_frame():
    from treecrf_studies.report.papers import SIGNS

    filled = [name for name, (fill, _) in LOOKS.items() if fill != "none"]
    assert len({SIGNS[name] for name in filled}) == len(filled)
    assert set(LOOKS) == set(SIGNS)


def test_captions_are_short(published, claims):
    captions = [published_caption(published_frame(published)), strip_caption(strip_frame(claims))]
    assert max(len(text.split()) for text in captions) <= MOST_WORDS
