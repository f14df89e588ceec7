"""Words of learning curves and of effects of missing values, from planted frames."""

import pandas as pd
import pytest

from treecrf_studies.report.paper_plots import (
    curve_alt,
    curve_caption,
    curve_frame,
    effect_alt,
    effect_caption,
    effect_frame,
    growth_words,
    seconds_alt,
    seconds_caption,
)


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


def test_growth_of_cost_is_told_at_the_largest_value():
    rows = [(10, "mallet", 1.0), (100, "treecrf", 0.5), (10, "treecrf", 0.1), (100, "mallet", 10.0)]
    frame = pd.DataFrame(rows, columns=["size", "method", "value"]).assign(axis="length", quantity="induction")
    frame = frame.assign(low=frame["value"] / 2, high=2 * frame["value"], n_positions=1000)
    words = growth_words(frame, "sequence length", "CPU seconds of an induction")
    assert words.sentence == "20 times the CPU seconds of TreeCRF are taken by MALLET at a sequence length of 100."
    assert words.alt.endswith("of 2 methods. At a sequence length of 100: TreeCRF 0.500 and MALLET 10.0.")
    assert words.numbers[["sequence length", "method", "seconds_low"]].to_numpy().tolist() == [
        ["10", "TreeCRF", "0.0500"],
        ["10", "MALLET", "0.500"],
        ["100", "TreeCRF", "0.250"],
        ["100", "MALLET", "5.00"],
    ]


def test_effects_are_those_against_the_baseline():
    rows = [
        ("a", 0.1, "imputation", "instance_weighting", -2.0, "worse"),
        ("a", 0.4, "indicator", "instance_weighting", 0.5, "undecided"),
        ("b", 0.4, "imputation", "instance_weighting", -1.0, "worse"),
        ("b", 0.4, "imputation", "indicator", -9.0, "worse"),
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "rate", "method", "other", "value", "decision"])
    frame = frame.assign(low=-3.0, high=3.0, family_low=-4.0, family_high=4.0)
    found = effect_frame(frame, "instance_weighting")
    assert found["low"].tolist() == [-4.0] * 3
    assert effect_alt(found).endswith(
        "from −2.00 points (imputation on a, 10 %) to +0.50 points (indicator on a, 40 %)."
    )
    assert (
        effect_caption(found)
        == "2 of 3 differences show instance weighting to be better, 0 worse; imputation loses most, −1.50 points on "
        "average."
    )


def test_captions_are_short(curves):
    assert max(len(text(curve_frame(curves)).split()) for text in (curve_caption, seconds_caption)) <= 25
