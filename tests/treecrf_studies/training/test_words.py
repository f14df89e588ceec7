"""Words of learning curves, from planted frames."""

import pandas as pd
import pytest

from treecrf_studies.training.words import curve_alt, curve_caption, curve_frame, seconds_alt, seconds_caption


@pytest.fixture
def curves():
    rows = [
        ("a", "treecrf", 1, 60.0, 1.0),
        ("a", "treecrf", 2, 58.0, 2.0),
        ("a", "memm", 1, 50.0, 0.5),
        ("a", "memm", 2, 61.0, 1.0),
        ("b", "memm", 2, 70.0, 8.0),
        ("a", "stacking", 1, 99.0, 3.0),
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "iteration", "accuracy", "cpu_seconds"])
    frame = frame.assign(chosen=frame["iteration"] == 1)
    other = frame.assign(preferred=False, accuracy=1.0)
    return pd.concat([frame.assign(preferred=True), other], ignore_index=True)


def test_curves_are_those_of_the_preferred_decoder_with_iterations(curves):
    frame = curve_frame(curves)
    assert frame.drop(columns="chosen").fillna(-1).to_numpy().tolist() == [
        ["a", "memm", 50.0, 61.0, 61.0, 2, 1.0],  # the best at the end comes first
        ["a", "treecrf", 60.0, 60.0, 58.0, 2, 2.0],
        ["b", "memm", -1.0, 70.0, 70.0, 2, 8.0],
    ]
    assert frame["chosen"].tolist()[:2] == [1, 1]
    assert (
        curve_alt(frame)
        == "Learning curves of 2 methods. Highest at the end: MEMM with 70.0 % on b and MEMM with 61.0 % on a."
    )
    assert curve_caption(frame).startswith("1 of 3 curves end at least 1 point below their highest value")
    assert seconds_alt(frame).endswith("MEMM takes 1.00 s on a, MEMM takes 8.00 s on b.")
    assert seconds_caption(frame).startswith("1 to 2 times the CPU seconds")


def test_a_crowded_figure_says_that_some_lines_have_no_name(curves):
    frame = curve_frame(curves)
    nine = pd.concat([frame.iloc[:1].assign(method=f"mine_{place}") for place in range(9)])
    for text in (curve_alt, seconds_alt):
        assert "of which a panel names at most 8" in text(nine)
        assert "names" not in text(frame)


def test_captions_are_short(curves):
    assert max(len(text(curve_frame(curves)).split()) for text in (curve_caption, seconds_caption)) <= 25
