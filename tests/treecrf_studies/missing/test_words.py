"""Words of effects of missing values, from a planted frame."""

import pandas as pd

from treecrf_studies.missing.words import effect_alt, effect_caption, effect_frame


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
