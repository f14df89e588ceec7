"""The page of what was learnt, from planted comparisons."""

import numpy as np
import pandas as pd
import pytest
from runs import own_settings

from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.views import VIEWS
from treecrf_studies.report import lessons
from treecrf_studies.report.lessons import FAMILY, LEARNT, Gap, Pair, gaps, learnt_page


@pytest.fixture
def comparisons():
    """TreeCRF-Newton before and after the linear CRF, in either order of the pair."""
    return pd.DataFrame(
        [
            {
                "dataset": "one",
                "method": "treecrf_newton",
                "other": "linear_crf",
                "value": 2.0,
                "family_low": 1.0,
                "family_high": 3.0,
                "decision": "better",
            },
            {
                "dataset": "two",
                "method": "linear_crf",
                "other": "treecrf_newton",
                "value": 0.5,
                "family_low": 0.25,
                "family_high": 0.75,
                "decision": "better",
            },
        ]
    ).assign(decoder="better", papers_p_holm=[0.01, 0.2], p_holm=[0.3, 0.4])


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


def test_a_pair_in_the_other_order_is_turned(comparisons):
    one, two = gaps(comparisons, "treecrf_newton", "linear_crf", FAMILY)
    assert one == Gap("one", 2.0, 1.0, 3.0, "better")
    assert two == Gap("two", -0.5, -0.75, -0.25, "worse")


def sentences(*found, larger=()):
    return list(Pair("A", "B", found, larger).sentences())


def test_without_a_decision_no_winner_is_named():
    found = [Gap("one", 2.0, -1.0, 5.0, "undecided"), Gap("two", 0.1, -0.1, 0.3, "equivalent")]
    assert sentences(*found) == ["A vs B: equivalent on two; undecided on one."]
    assert (
        sentences(*found, larger=[Gap("big", 2.0, 1.0, 3.0, "better")])[1] == "On larger samples: more accurate on big."
    )
    assert sentences() == []


def test_many_data_sets_have_a_mean_with_its_interval():
    pair = Pair("A", "B", [Gap(f"s{x:g}", x, x - 1, x + 1, "better") for x in (2.0, 1.0, 4.0, 3.0)])
    assert list(pair.sentences()) == [
        "A vs B: more accurate on s2, s1, s4 and s3.",
        "Mean over 4 data sets: +2.50 points.",
    ]
    # Student's t with 3 degrees of freedom: 2.5 ± 3.182 · 1.291 / 2
    mean, interval = pair.mean()
    assert [mean, *interval] == pytest.approx([2.5, 0.45, 4.55], abs=0.01)
    assert pair._replace(gaps=pair.gaps[:3]).mean() is None
    assert pair._replace(is_averaged=False).mean() is None


def test_a_mean_over_some_faq_sets_is_given_without_them_too():
    points = {"a": 1.0, "faq_b": 10.0, "c": 2.0, "d": 3.0}
    found = [Gap(name, x, x - 1, x + 1, "better") for name, x in points.items()]
    assert sentences(*found)[-1] == "Mean over 4 data sets: +4.00 points, without FAQ sets +2.00."
    of_faq = [gap._replace(dataset=f"faq_{gap.dataset}") for gap in found]
    assert sentences(*of_faq)[-1] == "Mean over 4 data sets: +4.00 points."


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
    text = text_of(learnt_page(Frames(settings)))
    assert "TreeCRF-Newton vs linear CRF: undecided on protein and nettalk." in text
    assert expected in text


def test_the_page_has_numbers_of_the_run_and_links_to_what_is_there(settings):
    page = learnt_page(Frames(settings))
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
    text = text_of(learnt_page(Frames(own_settings("protein", "nettalk", profile="protocol", results=str(tmp_path)))))
    assert "MALLET takes 15 to 40 times the CPU seconds of TreeCRF (2 data sets)." in text


def test_published_accuracies_are_counted_within_a_point(monkeypatch, tmp_path):
    values = pd.DataFrame({"published": [60.0, 70.0, 80.0, 99.0], "at_choice": [60.5, 71.5, 79.8, 99.0]})
    values = values.assign(
        quantity="accuracy", point="choice", sample="the paper's own split", measured=values["at_choice"]
    )
    values = values.assign(counted=True, own=True, inferred=False, low=np.nan, high=np.nan)
    monkeypatch.setattr(lessons, "published_values", lambda settings: values)
    text = text_of(learnt_page(Frames(own_settings("protein", profile="protocol", results=str(tmp_path)))))
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
    text = text_of(learnt_page(Frames(settings)))
    assert "The highest are those of TreeCRF-Newton and linear CRF (a tie) on protein and nettalk." in text
    assert (
        "Methods that tests find worse than any other one, not only than the best: 1 of 4 on protein and 1 of 4 on "
        "nettalk." in text
    )
