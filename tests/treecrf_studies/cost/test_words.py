"""Words of the growth of cost, from a planted frame."""

import pandas as pd

from treecrf_studies.cost.words import growth_words


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
