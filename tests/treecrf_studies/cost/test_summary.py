"""The repeats of measurements, reduced."""

import pandas as pd
import pytest

from treecrf_studies.cost.summary import summarise
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
    found = summarise(
        SummaryContext({"windows": [windows, windows.assign(dataset="xor")]}, {}, stand_ins={"hmm": False, "xor": True})
    )["windows_medians"]
    assert found["dataset"].tolist() == ["hmm", "hmm", "xor", "xor"]
    assert found["window_size"].tolist() == [3, 1, 3, 1]
    assert found["seconds_per_iteration"].tolist() == [6, 2, 6, 2]
    assert found["seconds_per_iteration_low"].tolist() == [3, 1, 3, 1]
    assert found["seconds_per_iteration_high"].tolist() == [12, 4, 12, 4]
    assert found["accuracy"].tolist() == [60, 50, 60, 50]
    assert found["stand_in"].tolist() == [False, False, True, True]
    assert "repeat" not in found


def test_measurements_on_generated_sequences_are_of_no_data_set():
    scaling = pd.DataFrame(
        {"repeat": [0, 0, 1, 1], "axis": "length", "value": [10, 20] * 2, "method": "treecrf", "quantity": "evaluation"}
    ).assign(seconds=[1.0, 3.0, 2.0, 7.0], n_positions=[10, 20] * 2)
    found = summarise(SummaryContext({"scaling": [scaling]}, {}))["scaling_medians"]
    assert found.drop(columns=["axis", "method", "quantity"]).to_dict("list") == {
        "value": [10, 20],
        "seconds": [1.5, 5],
        "seconds_low": [1, 3],
        "seconds_high": [2, 7],
        "n_positions": [10, 20],
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
        summarise(SummaryContext({"sampling": [sampling]}, {}, stand_ins={"hmm": False}))["sampling_medians"]
        .set_index("option")
        .loc["row_fraction"]
    )
    assert found["relative_seconds"] == 0.5
    assert (found["cpu_seconds_low"], found["cpu_seconds"], found["cpu_seconds_high"]) == (4, 5, 50)
    assert (found["accuracy_low"], found["accuracy"], found["accuracy_high"]) == (60, 61, 62)
    assert [found[f"seconds_speed_up{end}"] for end in ("", "_low", "_high")] == pytest.approx([4, 4, 4])
