"""Summaries of the study of many labels, and their tests, tables and figures."""

import numpy as np
import pandas as pd
import pytest
from planted_predictions import at_random
from scipy.stats import ttest_rel

from treecrf_studies.coding.figures import accuracy_by_length, accuracy_by_seconds
from treecrf_studies.coding.summary import (
    choose_by_held_out,
    compare_gains,
    compare_lengths,
    make_frames,
    score_draws,
)
from treecrf_studies.coding.tables import (
    find_compared,
)
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.resamples import Rules, count_correct

RULES = Rules(exact_under=25, equivalence_margin=0.5, test_per_train=0.0)
METHODS = {
    "gtb_iid": 0.3,
    "gtb_secoc": 0.4,
    "gtb_cascade_1": 0.5,
    "gtb_cascade_all": 0.55,
    "vp_cascade_1": 0.35,
    "separable": 0.8,
}
"""Share of correct positions."""

SETTINGS = {"exact_under": 25, "equivalence_margin": 0.5}


def predictions(windows=(1, 3), n_positions=400):
    """Predictions of one size; with window 3 every method is right more often."""
    parts = [
        at_random(
            {method: share + 0.05 * (window == 3) for method, share in METHODS.items()},
            1,
            window,
            n_positions,
            dataset="transition",
            window=window,
        )[0]
        for window in windows
    ]
    found = pd.concat(parts, ignore_index=True)
    return found.assign(size=np.where(found["method"] == "separable", 0, 20))


def runs(found, held_out):
    """The runs of these predictions, and of a shorter code that is right less often."""
    right = found.assign(accuracy=100.0 * (found["label"] == found["predicted"]))
    names = ["dataset", "method", "window", "draw", "size"]
    frame = right.groupby(names, sort=False)["accuracy"].mean().reset_index()
    frame["held_out_accuracy"] = frame["method"].map(held_out)
    short = frame[frame["size"] == 20].assign(size=10, accuracy=lambda rows: rows["accuracy"] - 5)
    both = pd.concat([short, frame], ignore_index=True)
    values = {
        "precision": np.nan,
        "recall": np.nan,
        "f1": np.nan,
        "settings": "",
        "n_train": 800,
        "n_test": 400,
        "shared_part": 1.0,
        "n_iterations": 7,
    }
    return both.assign(cpu_seconds=1.0 + both["size"] + both["draw"], **values)


HELD_OUT = {"gtb_cascade_1": 60.0, "gtb_cascade_all": 58.0, "vp_cascade_1": 40.0}


@pytest.fixture(scope="module")
def frames():
    found = predictions()
    of_jobs = {
        "runs": [runs(found, HELD_OUT)],
        "predictions": [found],
        "timings": [runs(found, HELD_OUT).assign(repeat=0)],
    }
    return make_frames(SummaryContext(of_jobs, SETTINGS, source="transition"))


def test_held_out_sequences_choose_and_the_test_set_stands_beside_it(frames):
    best = frames["best"].set_index(["learner", "window"])
    assert best.loc[("gtb", 1), ["method", "size", "best_on_test"]].tolist() == ["gtb_cascade_1", 20, "gtb_cascade_all"]
    assert best.loc[("gtb", 1), "best_value"] > best.loc[("gtb", 1), "value"]
    assert best.loc[("vp", 3), "method"] == "vp_cascade_1"


def test_without_held_out_accuracies_nothing_is_chosen():
    assert choose_by_held_out(score_draws(runs(predictions(), {}))).empty


def test_one_draw_is_compared_by_a_t_test_over_sequences(frames):
    pair = find_compared(frames["comparisons"], frames["best"], 1, "separable", "gtb_cascade_best")
    assert (pair.method, pair.other) == ("separable", "gtb_cascade_1")
    share = frames["scores"].set_index(["method", "window", "size"])["value"]
    assert pair.points == pytest.approx(share["separable", 1, 0] - share["gtb_cascade_1", 1, 20])
    assert (pair.p, pair.decision) == (pytest.approx(0, abs=1e-6), "better")
    turned = find_compared(frames["comparisons"], frames["best"], 1, "gtb_cascade_1", "separable")
    assert (turned.points, turned.decision) == (-pair.points, "worse")
    assert turned.interval == (-pair.interval[1], -pair.interval[0])
    assert find_compared(frames["comparisons"], frames["best"], 1, "full", "separable") is None


def test_correct_positions_are_counted_by_group():
    found = predictions((1,), 30)
    found["group"] = found["group"] % 2  # the third sequence belongs to the first
    counts = count_correct(found)
    assert counts.positions.tolist() == [[20, 10]]
    right = (found["label"] == found["predicted"]) & (found["method"] == "gtb_secoc")
    assert counts.correct[1, 0].tolist() == [int((right & (found["group"] == group)).sum()) for group in (0, 1)]


def test_the_difference_of_gains_is_that_of_accuracies():
    found = predictions()
    row = compare_gains(found, [("gtb_secoc", "gtb_iid"), ("vp_secoc", "vp_iid")], RULES).iloc[0]
    share = found.assign(right=found["label"] == found["predicted"]).groupby(["method", "window"])["right"].mean()
    gains = [share["gtb_secoc", window] - share["gtb_iid", window] for window in (1, 3)]
    assert row["value"] == pytest.approx(100 * (gains[0] - gains[1]))
    assert row["window"] == "1 - 3"
    assert compare_gains(predictions(windows=(1,)), [("gtb_secoc", "gtb_iid")], RULES).empty


def test_the_longest_code_is_compared_with_the_one_before():
    longest = predictions(windows=(1,))
    shorter = longest.assign(size=15, predicted=longest["label"] * (longest["position"] % 3 > 0))
    found = pd.concat([longest[longest["size"] > 0], shorter[longest["size"] > 0]], ignore_index=True)
    rows = compare_lengths(found, RULES).set_index("method")
    assert set(rows.index) == {method for method in METHODS if method != "separable"}
    assert rows[["size", "longest"]].drop_duplicates().to_numpy().tolist() == [[15, 20]]
    of_one = found[found["method"] == "gtb_secoc"]
    of_one = of_one.assign(right=of_one["label"] == of_one["predicted"])
    right = of_one.pivot_table(index="group", columns="size", values="right", aggfunc="sum")
    expected = ttest_rel(right[15], right[20])  # sequences of one length
    row = rows.loc["gtb_secoc"]
    assert row["value"] == pytest.approx(100 * (right[15] - right[20]).sum() / 400)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert compare_lengths(longest, RULES).empty


def test_figures_have_a_panel_for_each_learner_and_window(frames):
    figure = accuracy_by_length(frames["scores"])
    assert titles(figure) == ["5.6a: GTB, window 1", "GTB, window 3", "VP, window 1", "VP, window 3"]
    lengths = sorted(set(frames["scores"].query("size > 0 and method == 'gtb_secoc'")["size"]))
    assert figure.axes[0].get_xticks().tolist() == lengths
    figure = accuracy_by_seconds(frames["scores"], frames["best"])
    assert len(figure.axes) == 2
    assert all(axes.get_xscale() == "log" for axes in figure.axes)


def test_panels_that_are_figures_of_the_thesis_have_its_numbers(frames):
    lines = frames["scores"].assign(dataset="nettalk_full")
    assert titles(accuracy_by_length(lines)) == [
        "5.1a: GTB, window 1",
        "5.1b: GTB, window 3",
        "5.2a: VP, window 1",
        "5.2b: VP, window 3",
    ]
    assert titles(accuracy_by_seconds(lines, frames["best"])) == ["5.3a: window 1", "5.3b: window 3"]


def test_a_code_of_one_length_has_no_curve(frames):
    longest = frames["scores"].groupby("method")["size"].transform("max")
    lines = frames["scores"][frames["scores"]["size"] == longest]
    assert "one length" in accuracy_by_length(lines).texts[0].get_text()


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def test_figures_without_codes_are_a_sentence(frames):
    lines = frames["scores"][frames["scores"]["method"] == "separable"]
    assert "No method with an output code" in accuracy_by_length(lines).texts[0].get_text()
    assert "No method" in accuracy_by_seconds(lines, frames["best"][:0]).texts[0].get_text()
