"""The page of what was learnt, from planted comparisons."""

import numpy as np
import pandas as pd
import pytest
from runs import own_settings, pair_comparisons

from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.views import VIEWS
from treecrf_studies.report import lessons
from treecrf_studies.report.lessons import LEARNT, learnt_pages


@pytest.fixture
def comparisons():
    return pair_comparisons()


@pytest.fixture
def settings(tmp_path, comparisons):
    """A run of two data sets that has these comparisons."""
    settings = own_settings("protein", "nettalk", profile="protocol", results=str(tmp_path))
    for name, place in (("one", "protein"), ("two", "nettalk")):
        folder = tmp_path / "training" / place
        folder.mkdir(parents=True)
        comparisons[comparisons["dataset"] == name].assign(dataset=place).to_csv(
            folder / "comparisons.csv", index=False
        )
    return settings


@pytest.fixture(autouse=True)
def nothing_published(monkeypatch):
    """Planted frames have no columns to compare with published values."""
    monkeypatch.setattr(lessons, "published_values", lambda settings: pd.DataFrame(columns=VIEWS["published"]))


def text_of(page):
    return " ".join(str(part.text) for section in page.sections for part in section.parts)


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        ("worse", "On larger samples: more accurate on moby (second population); undecided on folds."),
        ("equivalent", "On larger samples: equivalent on moby (second population); undecided on folds."),
    ],
)
def test_larger_samples_are_named_with_their_decisions(settings, comparisons, tmp_path, decision, expected):
    for name, sample, population, decided in (
        ("protein", "folds", "same", "undecided"),
        ("nettalk", "moby", "second", decision),
    ):
        folder = tmp_path / "training" / name
        pairs = pd.read_csv(folder / "comparisons.csv").assign(decision="undecided")
        pairs.to_csv(folder / "comparisons.csv", index=False)
        row = {
            "dataset": name,
            "sample": sample,
            "population": population,
            "method": "linear_crf",
            "other": "treecrf_newton",
            "value": -0.97,
            "family_low": -1.5,
            "family_high": -0.25,
            "p_holm": 0.012,
            "decision": decided,
        }
        pd.DataFrame([row, row | {"other": "mallet", "decision": "better"}]).to_csv(
            folder / "larger_comparisons.csv", index=False
        )
    text = text_of(*learnt_pages(Frames(settings)))
    assert "TreeCRF-Newton vs linear CRF: undecided on protein and nettalk." in text
    assert expected in text


def test_the_page_has_numbers_of_the_run_and_links_to_what_is_there(settings):
    (page,) = learnt_pages(Frames(settings))
    text = text_of(page)
    assert page.path == LEARNT
    assert "TreeCRF-Newton vs linear CRF: more accurate on protein; less accurate on nettalk." in text
    assert "](site:chapter-3.md#training-published)" in text
    assert "Of 2 pairs of methods, McNemar's test on positions separates 1; a test on sequences" in text


def test_seconds_are_multiples_of_those_of_trees(tmp_path):
    for name, seconds in (("protein", [2.0, 30.0]), ("nettalk", [0.5, 20.0])):
        folder = tmp_path / "training" / name
        folder.mkdir(parents=True)
        frame = pd.DataFrame({"method": ["treecrf", "mallet"], "cpu_seconds": seconds})
        frame.assign(dataset=name, decoder="better", point="choice").to_csv(folder / "summary.csv", index=False)
    text = text_of(*learnt_pages(Frames(own_settings("protein", "nettalk", profile="protocol", results=str(tmp_path)))))
    assert "MALLET takes 15 to 40 times the CPU seconds of TreeCRF (2 data sets)." in text


def test_published_accuracies_are_counted_within_a_point(monkeypatch, tmp_path):
    values = pd.DataFrame({"published": [60.0, 70.0, 80.0, 99.0], "at_choice": [60.5, 71.5, 79.8, 99.0]})
    values = values.assign(
        quantity="accuracy", point="choice", sample="the paper's own split", measured=values["at_choice"]
    )
    values = values.assign(counted=True, own=True, inferred=False, low=np.nan, high=np.nan)
    monkeypatch.setattr(lessons, "published_values", lambda settings: values)
    text = text_of(*learnt_pages(Frames(own_settings("protein", profile="protocol", results=str(tmp_path)))))
    assert "2 of 3 are met within 1 point: 2 of 3 at the iteration that validation chose." in text
    assert "Counted apart: 1 of 1 printed as 99 % or more." in text
    assert "+0.50 in the median" in text


def test_a_tie_is_named_and_whom_a_method_below_the_best_beats_counts_too(settings, tmp_path):
    accuracies = {"treecrf_newton": 70.001, "linear_crf": 69.999, "mallet": 60.0, "memm": 50.0}
    for name in ("protein", "nettalk"):
        folder = tmp_path / "training" / name
        frame = pd.DataFrame({"method": [*accuracies], "value": [*accuracies.values()], "cpu_seconds": 1.0})
        frame.assign(dataset=name, decoder="better", point="choice").to_csv(folder / "summary.csv", index=False)
        pairs = pd.read_csv(folder / "comparisons.csv").assign(method="memm", other="mallet", decision="worse")
        pairs.to_csv(folder / "comparisons.csv", index=False)
    text = text_of(*learnt_pages(Frames(settings)))
    assert "The highest are those of TreeCRF-Newton and linear CRF (a tie) on protein and nettalk." in text
    assert (
        "Methods that tests find worse than any other one, not only than the best: 1 of 4 on protein and 1 of 4 on "
        "nettalk." in text
    )
