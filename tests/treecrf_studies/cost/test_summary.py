"""The repeats of measurements, reduced."""

import pandas as pd
import pytest

from treecrf_studies.cost.methods import RELATIVE, SECONDS, SPEED_UP
from treecrf_studies.cost.summary import make_frames
from treecrf_studies.framework.jobs import SummaryContext


def test_repeats_become_medians_between_the_smallest_and_the_largest():
    windows = pd.DataFrame(
        [
            (repeat, size, "treecrf", seconds * size)
            for repeat, seconds in enumerate((4.0, 1.0, 2.0))
            for size in (3, 1)
        ],
        columns=["repeat", "window_size", "method", "seconds_per_iteration"],
    ).assign(dataset="hmm", n_iterations=9, accuracy=[60.0, 50.0] * 3)
    found = make_frames(
        SummaryContext({"windows": [windows, windows.assign(dataset="xor")]}, {}, stand_ins={"hmm": False, "xor": True})
    )["windows_medians"]
    seconds, accuracies = (rows for _, rows in found.groupby("quantity", sort=False))
    assert seconds["dataset"].tolist() == ["hmm", "hmm", "xor", "xor"]
    assert seconds["window_size"].tolist() == [3, 1, 3, 1]
    assert seconds[["value", "low", "high"]].to_numpy().tolist() == [[6, 3, 12], [2, 1, 4]] * 2
    assert seconds["cpu_seconds"].tolist() == [9 * 6, 9 * 2] * 2
    assert accuracies["value"].tolist() == [60, 50, 60, 50]
    assert seconds["stand_in"].tolist() == [False, False, True, True]
    assert "repeat" not in found


def test_measurements_on_generated_sequences_are_of_no_data_set():
    scaling = pd.DataFrame(
        {"repeat": [0, 0, 1, 1], "axis": "length", "value": [10, 20] * 2, "method": "treecrf", "quantity": "evaluation"}
    ).assign(seconds=[1.0, 3.0, 2.0, 7.0], n_positions=[10, 20] * 2)
    found = make_frames(SummaryContext({"scaling": [scaling]}, {}))["scaling_medians"]
    assert found.drop(columns=["axis", "method", "quantity", "sd"]).to_dict("list") == {
        "size": [10, 20],
        "unit": ["s", "s"],
        "n_positions": [10, 20],
        "value": [1.5, 5],
        "low": [1, 3],
        "high": [2, 7],
        "n": [2, 2],
    }


def test_ratios_of_sampling_are_to_plain_training_of_the_same_repeat():
    """The machine is ten times slower in the second repeat: medians of seconds say nothing about the ratio."""
    rows = [
        (0, "none", 1.0, 10.0, 10.0, 10.0),
        (0, "row_fraction", 0.5, 5.0, 2.0, 8.0),
        (1, "none", 1.0, 100.0, 100.0, 100.0),
        (1, "row_fraction", 0.5, 50.0, 20.0, 80.0),
        (2, "none", 1.0, 10.0, 10.0, 10.0),
        (2, "row_fraction", 0.5, 4.0, 2.0, 8.0),
    ]
    names = ["repeat", "option", "value", "cpu_seconds", "seconds_to_likelihood", "plain_seconds_to_likelihood"]
    sampling = pd.DataFrame(rows, columns=names).assign(dataset="hmm", tree_seconds=1.0, log_likelihood=-2.0)
    sampling["accuracy"] = 60.0 + sampling["repeat"]
    found = (
        make_frames(SummaryContext({"sampling": [sampling]}, {}, stand_ins={"hmm": False}))["sampling_medians"]
        .set_index("option")
        .loc["row_fraction"]
        .set_index("quantity")
    )
    assert found.loc[RELATIVE, "value"] == 0.5
    spread = found[["low", "value", "high"]]
    assert spread.loc[SECONDS].tolist() == [4, 5, 50]
    assert spread.loc["accuracy"].tolist() == [60, 61, 62]
    assert spread.loc[SPEED_UP].tolist() == pytest.approx([4, 4, 4])
