"""Published and measured values of a table side by side, from planted ones."""

import numpy as np
import pandas as pd
import pytest

from treecrf_studies.framework.views import VIEWS
from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.report.paper_plots import (
    STEP_SECONDS,
    beside_alt,
    beside_caption,
    beside_figure,
    beside_frames,
    peak_frame,
    step_frame,
)
from treecrf_studies.report.papers import PAPERS
from treecrf_studies.training.published import training_costs

NAN = np.nan
NOTHING_MEASURED = pd.DataFrame()
*CHAPTERS, ESPBOOST = *PAPERS[:3], PAPERS[-1]


def frames_of(published, *papers):
    """By source, those of several papers or chapters."""
    found = [beside_frames(published, NOTHING_MEASURED, NOTHING_MEASURED, paper) for paper in papers]
    return {source: frame for frames in found for source, frame in frames.items()}


@pytest.fixture
def published():
    rows = [
        ("training", "PhD table 3.4", "a", "", "treecrf", "viterbi", "peak", 60.0, 60.5, 62.0),
        ("training", "PhD table 3.4", "a", "", "treecrf", "forward_backward", "peak", 61.0, NAN, 63.5),
        ("training", "PhD table 3.4", "b", "", "treecrf", "viterbi", "peak", 70.0, 72.0, 71.0),
        ("future", "PhD table 5.3", "c", "G0 = -5", "ff_memm_0 (bag 6)", "", "choice", 100.0, 99.5, 99.5),
        ("missing", "PhD table 4.1", "a", "5 % missing vs imputation", "indicator", "", "choice", -0.1, 0.2, NAN),
        ("missing", "PhD table 4.1", "a", "9 % missing vs imputation", "indicator", "", "choice", -0.1, -0.2, NAN),
        ("ensembles", "ESPBoost table 1", "ads1", "", "espboost", "", "choice", 0.02, 0.03, NAN),
    ]
    names = [
        "study",
        "source",
        "dataset",
        "variant",
        "method",
        "decoder",
        "point",
        "published",
        "measured",
        "at_choice",
    ]
    frame = pd.DataFrame(rows, columns=names).assign(low=59.0, high=61.0)
    quantity = {"PhD table 4.1": "log odds vs the baseline", "ESPBoost table 1": "Hamming loss"}
    frame = frame.assign(
        quantity=frame["source"].map(quantity).fillna("accuracy"), own=True, counted=True, inferred=False
    )
    return frame.reindex(columns=["study", *VIEWS["published"]])


def test_rows_say_what_tells_them_apart(published):
    frames = frames_of(published, *CHAPTERS)
    assert list(frames) == ["PhD table 3.4", "PhD table 4.1", "PhD table 5.3"]
    assert frames["PhD table 3.4"]["row"].tolist() == ["TreeCRF, Viterbi", "TreeCRF, forward-backward", "TreeCRF"]
    assert frames["PhD table 5.3"]["row"].tolist() == ["FF-MEMM-0 (bag 6), G0 = −5"]
    assert frames["PhD table 4.1"][["row", "against"]].to_numpy().tolist() == [
        ["indicator, 5 %", "imputation"],
        ["indicator, 9 %", "imputation"],
    ]
    assert frames["PhD table 5.3"]["at_choice"].isna().all()  # the measured value is that
    assert list(frames_of(published, ESPBOOST)) == ["ESPBoost table 1"]
    assert frames_of(published.iloc[:0], *CHAPTERS) == {}


def test_marks_stand_at_the_values(published, tmp_path):
    frames = frames_of(published, *CHAPTERS)
    figure = beside_figure(frames["PhD table 3.4"])
    first = figure.axes[0]
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["a", "b"]
    drawn = {line.get_label(): np.array(line.get_xdata(), float) for line in first.get_lines()}
    assert drawn["published"].tolist() == [60.0, 61.0]
    assert drawn["measured in the paper's way"][0] == 60.5
    assert drawn["at the cross-validated choice"].tolist() == [62.0, 63.5]
    assert [label.get_text() for label in first.get_yticklabels()] == [
        "TreeCRF, Viterbi",
        "TreeCRF, forward-backward",
    ]
    assert beside_figure(frames["PhD table 4.1"]).axes[0].get_title(loc="left") == "a (vs imputation)"
    save_figure(figure, tmp_path / "figure.svg", "svg")


def test_words_have_the_numbers(published):
    frames = frames_of(published, *CHAPTERS, ESPBOOST)
    captions = {source: beside_caption(frame) for source, frame in frames.items()}
    assert captions["PhD table 3.4"] == (
        "1 of 2 peaks, and 0 of 1 accuracies at the cross-validated choice (peak not kept) are within 1 point of PhD "
        "table 3.4."
    )
    assert captions["PhD table 5.3"] == "1 of 1 accuracies are within 1 point of PhD table 5.3."
    assert captions["PhD table 4.1"] == "1 of 2 measured log odds have the sign that PhD table 4.1 prints."
    assert captions["ESPBoost table 1"] == "Measured values are 1.5 times those of ESPBoost table 1 in the median."
    assert max(len(text.split()) for text in captions.values()) <= 25
    alt = beside_alt(frames["PhD table 3.4"])
    assert alt.startswith("3 printed values of PhD table 3.4 and measured ones, on 2 data sets.")
    assert "Of 2 peaks, measured minus published is +0.50 to +2.00, +1.25 in the median." in alt
    assert alt.endswith("choice (peak not kept), measured minus published is +2.50 to +2.50, +2.50 in the median.")


def test_other_programs_stand_last_and_are_not_counted(published):
    ours = published.iloc[:1].assign(method="linear_crf", own=False, published=75.0)
    frame = frames_of(pd.concat([ours, published.iloc[:3]], ignore_index=True), CHAPTERS[0])["PhD table 3.4"]
    assert frame["row"].tolist()[-1] == "linear CRF, ours"
    assert beside_caption(frame).startswith("1 of 2 peaks")
    assert beside_alt(frame).startswith("3 printed values")


def test_seconds_of_steps_are_ratios_on_a_logarithmic_axis():
    known = training_costs().query("dataset == 'protein' and method == 'treecrf'")
    costs = known[["dataset", "method"]].assign(
        forward_backward_seconds=known["forward_backward_seconds"] / 4,
        induction_seconds=known["induction_seconds"] / 100,
    )
    frame = step_frame(costs)
    assert frame["row"].tolist() == ["TreeCRF: forward-backward", "TreeCRF: feature induction"]
    assert frame["quantity"].unique().tolist() == [STEP_SECONDS]
    assert beside_alt(frame).endswith("Measured are 0.010 to 0.25 times the published seconds.")
    assert beside_figure(frame).axes[0].get_xscale() == "log"
    assert list(beside_frames(NOTHING_MEASURED, costs, NOTHING_MEASURED, CHAPTERS[0])) == ["PhD table 3.6"]
    assert beside_frames(NOTHING_MEASURED, costs.iloc[:0], NOTHING_MEASURED, CHAPTERS[0]) == {}


def test_seconds_to_the_peak_stand_beside_those_of_table_3_5(tmp_path):
    known = training_costs().query("dataset == 'protein' and method in ('treecrf', 'mallet')")
    summary = known[["dataset", "method"]].assign(decoder="better", point="peak", cpu_seconds=known["cpu_seconds"] / 10)
    others = summary.assign(decoder="viterbi", cpu_seconds=1.0), summary.assign(point="choice", cpu_seconds=1.0)
    frame = peak_frame(pd.concat([summary, *others], ignore_index=True))
    assert frame["row"].tolist() == ["TreeCRF", "MALLET"]
    assert (frame["measured"] / frame["published"]).tolist() == pytest.approx([0.1, 0.1])
    assert (
        beside_caption(frame)
        == "Measured CPU seconds are 0.10 times those of PhD table 3.5 in the median; machines differ."
    )
    save_figure(beside_figure(frame), tmp_path / "figure.svg", "svg")
