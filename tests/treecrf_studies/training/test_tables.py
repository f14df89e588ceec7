"""Tables of the training study, on frames worked by hand."""

import numpy as np
import pandas as pd
import pytest
from planted_summary import outcome
from runs import shown

from treecrf.statistics.ranking import BEST, EQUIVALENT, NOT_SEPARATED
from treecrf_studies.training.tables import (
    accuracy_layout,
    choices_layout,
    estimates_layout,
    highest_layout,
    methods_layout,
    notes_layout,
    pairs_layout,
    peaks_layout,
    ranks_layout,
    shrinkage_layout,
    step_seconds_layout,
    steps_layout,
)

NAN = np.nan


def comparison(dataset, decoder, method, other, points, papers_p, decision="undecided", **values):
    """One row of a frame of comparisons."""
    row = {
        "dataset": dataset,
        "decoder": decoder,
        "method": method,
        "other": other,
        "papers_value": points,
        "only_method": 9,
        "only_other": 4,
        "papers_p": papers_p,
        "papers_p_holm": NAN,
        "value": points,
        "low": NAN,
        "high": NAN,
        "family_low": NAN,
        "family_high": NAN,
        "n_clusters": 17,
        "n_blocks": NAN,
        "about": "methods",
        "test": "sequences",
        "p_value": NAN,
        "p_holm": NAN,
        "decision": decision,
    }
    assert set(values) <= set(row)
    return row | values


NO_COMPARISONS = pd.DataFrame([comparison("elsewhere", "better", "memm", "smile", 1.0, 1e-9, "better")])


def cells(frame, *heads):
    """The texts under a heading."""
    return frame[heads if len(heads) > 1 else heads[0]].tolist()


def column(layout, name, *leading):
    """The texts of a column by its values, of the block with these leading names."""
    heads = layout.columns.get_level_values(-1)
    frame = layout.set_axis(heads, axis=1)
    here = (frame[heads[: len(leading)]] == np.array(leading)).all(axis=1)
    return dict(zip(frame.loc[here, "values"], frame.loc[here, name], strict=True))


def test_a_method_without_iterations_shows_none():
    plain = {"iteration": 1, "iteration_low": 1, "iteration_high": 1, "peak_iteration": 1}
    summary = pd.concat(
        [
            outcome("protein", method, decoder, 60.0, **(plain if method == "mallet" else {}))
            for method in ("treecrf", "mallet")
            for decoder in ("viterbi", "better")
        ]
    )
    layout = methods_layout(summary, NO_COMPARISONS, NO_COMPARISONS)
    assert column(layout, "protein", "iterations", "TreeCRF") == {
        "published": "142",
        "peak of the test curve": "40",
        "cross-validated choice": "30",
    }
    assert column(layout, "protein", "iterations", "MALLET") == {"published": "123"}
    assert cells(choices_layout(summary), "Viterbi", "iteration") == ["30", "–"]


# --- table 3.4 --------------------------------------------------------------------------------------


def variants(dataset="mine", decoder="viterbi"):
    """TreeCRF with shrinkage and the original, 62 and 60 percent."""
    return pd.concat([outcome(dataset, "treecrf", decoder, 62.0), outcome(dataset, "treecrf_original", decoder, 60.0)])


def shrinkage(summary, comparisons=None, at_peak=None):
    tests = [pd.DataFrame(rows) if rows else NO_COMPARISONS for rows in (comparisons, at_peak)]
    return shrinkage_layout(summary, *tests)


@pytest.mark.parametrize(
    ("p_value", "stars"),
    [(0.026, ""), (0.025, ""), (0.0249, "*"), (0.005, "*"), (0.0049, "**"), (0.001, "**"), (0.0009, "***"), (NAN, "")],
)
def test_shrinkage_has_a_star_for_each_level(p_value, stars):
    first = comparison("mine", "viterbi", "treecrf", "treecrf_original", 2.0, p_value)
    turned = comparison("mine", "viterbi", "treecrf_original", "treecrf", -2.0, p_value)
    for row in (first, turned):
        layout = shrinkage(variants(), [row])
        assert shown(layout) == [
            ["mine", "peak of the test curve", "63.00 (40)", "61.00 (40)"],
            ["mine", "cross-validated choice", f"62.00{stars}", "60.00"],
        ]


def test_the_better_algorithm_has_the_stars():
    worse = comparison("mine", "viterbi", "treecrf", "treecrf_original", -2.0, 0.001)
    other = comparison("mine", "forward_backward", "treecrf", "treecrf_original", 2.0, 1e-9)  # another decoder
    assert shrinkage(variants(), [worse, other]).iloc[1].tolist()[2:] == ["62.00", "60.00**"]


def test_peaks_have_the_stars_of_tests_at_the_peak():
    at_peak = comparison("mine", "viterbi", "treecrf", "treecrf_original", 2.0, 0.001)
    assert shrinkage(variants(), None, [at_peak])["Viterbi", "shrinkage"].tolist() == ["63.00** (40)", "62.00"]


@pytest.mark.parametrize(
    ("p_value", "decision", "marks"),
    [
        (0.01, "better", "*†"),
        (0.01, "undecided", "*"),
        (0.01, "worse", "*"),
        (0.5, "better", ""),
        (1e-4, "better", "***†"),
    ],
)
def test_a_dagger_says_that_the_sequence_level_test_agrees(p_value, decision, marks):
    row = comparison("mine", "viterbi", "treecrf", "treecrf_original", 2.0, p_value, decision)
    assert cells(shrinkage(variants(), [row]), "Viterbi", "shrinkage")[1] == f"62.00{marks}"


def test_shrinkage_stands_below_what_is_published():
    """Data sets of the dissertation come first, in its order."""
    spread = {"value": 61.5, "sd": 0.25, "n": 5}
    summary = pd.concat(
        [
            outcome("faq_perl", "treecrf", "forward_backward", 95.0),
            outcome("faq_perl", "treecrf", "viterbi", 94.0),
            outcome("protein", "treecrf", "forward_backward", 62.0, **spread),
            outcome("protein", "treecrf", "viterbi", 61.0),
            outcome("protein", "treecrf", "better", 62.0),
            outcome("protein", "treecrf_original", "forward_backward", 60.0),
            outcome("protein", "treecrf_original", "viterbi", 59.0),
            outcome("protein", "memm", "forward_backward", 58.0),
        ]
    )
    layout = shrinkage(summary, [comparison("protein", "viterbi", "treecrf", "treecrf_original", 2.0, 0.02)])
    assert layout.columns.tolist()[2:] == [
        ("forward-backward", "shrinkage"),
        ("forward-backward", "original"),
        ("Viterbi", "shrinkage"),
        ("Viterbi", "original"),
    ]
    assert shown(layout) == [
        ["protein", "published", "64.52**", "62.70", "62.05***", "59.20"],  # PhD table 3.4
        ["protein", "peak of the test curve", "63.00 (40)", "61.00 (40)", "62.00 (40)", "60.00 (40)"],
        ["protein", "cross-validated choice", "62.00", "60.00", "61.00*", "59.00"],
        ["protein", "cross-validated choice, mean ± sd", "61.50 ± 0.25", "–", "–", "–"],
        ["faq_perl (stand-in)", "peak of the test curve", "96.00 (40)", "–", "95.00 (40)", "–"],
        ["faq_perl (stand-in)", "cross-validated choice", "95.00", "–", "94.00", "–"],
    ]


def test_an_unknown_peak_is_a_dash():
    known = variants()
    is_of_trees, is_peak = known["method"] == "treecrf", known["point"] == "peak"
    layout = shrinkage(known[is_of_trees & ~is_peak])
    assert layout.iloc[:, 1].tolist() == ["cross-validated choice"]
    both = shrinkage(known[~(is_of_trees & is_peak)])
    assert both.iloc[0].tolist()[2:] == ["–", "61.00 (40)"]


# --- table 3.5 --------------------------------------------------------------------------------------


def methods(summary, comparisons=None, at_peak=None):
    tests = [pd.DataFrame(rows) if rows else NO_COMPARISONS for rows in (comparisons, at_peak)]
    return methods_layout(pd.concat(summary), *tests)


def accuracies(layout, dataset, method):
    return column(layout, dataset, "accuracy (%)", method)


@pytest.mark.parametrize(
    ("p_value", "stars"), [(0.2, ""), (0.005, ""), (0.0049, "*"), (0.001, "*"), (0.0009, "**"), (NAN, "")]
)
@pytest.mark.parametrize("points", [3.0, -3.0])
def test_methods_have_a_star_for_each_level_against_the_baseline(p_value, stars, points):
    summary = [outcome("mine", "treecrf", "better", 70.0), outcome("mine", "mallet_linear", "better", 67.0)]
    rows = [comparison("mine", "better", "mallet_linear", "treecrf", -points, p_value)]
    marks = f"{stars} (worse)" if stars and points < 0 else stars
    for tests, line in (((rows, None), "cross-validated choice"), ((None, rows), "peak of the test curve")):
        layout = methods(summary, *tests)
        marked = [accuracies(layout, "mine", method)[line] for method in ("TreeCRF", "MALLET (no induction)")]
        assert marked == ([f"70.00{marks}", "67.00"] if line.startswith("cross") else [f"71.00{marks}", "68.00"])


def test_methods_stand_below_what_is_published():
    summary = [
        outcome("mine", "treecrf", "better", 70.0),
        outcome("nettalk", "mallet_linear", "better", 82.0, iteration_low=30, iteration_high=33, cpu_seconds=0.25),
        outcome("nettalk", "treecrf", "better", 85.0, value=84.5, sd=0.125, n=5, cpu_seconds=12.34),
        outcome("nettalk", "treecrf", "viterbi", 1.0),
        outcome("nettalk", "memm", "better", 1.0),
        outcome("nettalk", "linear_crf", "better", 83.0),
        outcome("nettalk", "induced_crf", "better", 84.0),
    ]
    layout = methods(summary)
    assert layout.columns.tolist() == ["quantity", "method", "values", "nettalk", "mine"]
    peak, choice, end = "peak of the test curve", "cross-validated choice", "at the end of training"
    baseline = "MALLET (no induction)"
    assert shown(layout)[:12] == [  # published: PhD table 3.5
        ["accuracy (%)", "TreeCRF", "published", "85.20**", "–"],
        ["accuracy (%)", "TreeCRF", peak, "86.00", "71.00"],
        ["accuracy (%)", "TreeCRF", choice, "85.00", "70.00"],
        ["accuracy (%)", "TreeCRF", f"{choice}, mean ± sd", "84.50 ± 0.12", "–"],
        ["accuracy (%)", "MALLET", "published", "85.94**", "–"],
        ["accuracy (%)", baseline, "published", "82.81", "–"],
        ["accuracy (%)", baseline, peak, "83.00", "–"],
        ["accuracy (%)", baseline, end, "81.00", "–"],
        ["accuracy (%)", baseline, choice, "82.00", "–"],
        ["accuracy (%)", "linear CRF", peak, "84.00", "–"],
        ["accuracy (%)", "linear CRF", end, "82.00", "–"],
        ["accuracy (%)", "linear CRF", choice, "83.00", "–"],
    ]
    assert shown(layout)[-2:] == [
        ["accuracy (%), other methods", "CRF with induction", peak, "85.00", "–"],
        ["accuracy (%), other methods", "CRF with induction", choice, "84.00", "–"],
    ]
    seconds, iterations = (column(layout, "nettalk", quantity, baseline) for quantity in ("CPU seconds", "iterations"))
    assert seconds == {"published": "13.7", peak: "2.50", end: "3.50", choice: "0.250"}
    assert iterations == {"published": "34", peak: "40", end: "50", choice: "30–33"}
    assert column(layout, "mine", "iterations", "TreeCRF")[choice] == "30"


def test_stand_ins_are_marked_and_have_no_published_values_and_ranges_have_dashes():
    layout = methods([outcome(name, "mallet_linear", "better", 92.0) for name in ("faq_x", "faq_ai_general", "mine")])
    assert layout.columns.tolist()[3:] == ["faq_ai_general", "faq_x (stand-in)", "mine"]
    published = layout[(layout["quantity"] == "iterations") & (layout["values"] == "published")].set_index("method")
    assert published.loc["MALLET (no induction)"].tolist()[2:] == ["128–195", "–", "–"]


def test_published_stars_say_which_way():
    """BASELINE has the highest accuracy of faq_ai_neural; a number without a star says nothing."""
    layout = methods([outcome(name, "treecrf", "better", 92.0) for name in ("faq_ai_general", "faq_ai_neural")])
    found = layout[(layout["quantity"] == "accuracy (%)") & (layout["values"] == "published")].set_index("method")
    assert found.loc["TreeCRF"].tolist()[2:] == ["95.65**", "99.20** (worse)"]
    assert found.loc["MALLET"].tolist()[2:] == ["92.70", "99.31* (worse)"]


@pytest.mark.parametrize(
    ("points", "p_value", "decision", "text"),
    [
        (1.0, 1e-9, "better", "80.00**†"),
        (1.0, 0.005, "better", "80.00"),  # nothing is marked, so nothing is found too
        (-1.0, 1e-9, "worse", "80.00**† (worse)"),
        (-1.0, 1e-9, "better", "80.00** (worse)"),
    ],
)
def test_the_dagger_is_about_the_difference_from_the_baseline(points, p_value, decision, text):
    summary = [outcome("mine", method, "better", 80.0) for method in ("treecrf", "linear_crf", "mallet_linear")]
    rows = [
        comparison("mine", "better", "treecrf", "mallet_linear", points, p_value, decision),
        comparison("mine", "better", "treecrf", "linear_crf", -9.0, 1e-9, "worse"),
    ]
    assert accuracies(methods(summary, rows), "mine", "TreeCRF")["cross-validated choice"] == text


# --- other tables -----------------------------------------------------------------------------------


def ranks(*rows):
    names = ["dataset", "method", "value", "rank", "standing", "rank_low", "rank_high", "test"]
    frame = pd.DataFrame(rows, columns=names)
    gap = -1.0 * (frame["rank"] - 1)
    return frame.assign(
        gap_points=gap.where(gap < 0), gap_low=(gap - 1).where(gap < 0), gap_high=(gap + 1).where(gap < 0)
    )


def test_all_methods_mark_the_best_and_those_equivalent_to_it_alone():
    spread = {"value": 70.004, "sd": 0.5, "n": 5}
    summary = pd.concat(
        [
            outcome("b", "my_method", "better", 64.0),  # no perturbed runs
            outcome("b", "memm", "better", 90.0, **spread),  # the mean counts
            outcome("b", "memm", "viterbi", 99.0),
            outcome("faq_a", "treecrf", "better", 80.0),
            outcome("faq_a", "memm", "better", 79.0),
        ]
    )
    tied = ranks(
        ("b", "memm", 70.0, 1, BEST, 1, 2, "sequences"),
        ("b", "my_method", 64.0, 2, EQUIVALENT, 1, 2, "sequences"),
        ("faq_a", "treecrf", 80.0, 1, BEST, 1, 2, "blocks"),
        ("faq_a", "memm", 79.0, 2, NOT_SEPARATED, 1, 2, "blocks"),
    )
    layout = accuracy_layout(summary, tied)
    assert layout.columns.tolist() == ["method", "b", "faq_a (stand-in)"]
    assert shown(layout) == [
        ["TreeCRF", "–", "80.00 ▲"],
        ["MEMM", "70.00 ± 0.50 ▲", "79.00"],
        ["my_method", "64.00 ▲", "–"],
    ]
    assert peaks_layout(summary)["b"].tolist() == ["–", "91.00", "65.00"]
    assert highest_layout(summary)["b"].tolist() == ["–", "92.00", "66.00"]
    assert shown(ranks_layout(tied))[3] == [
        "faq_a",
        "MEMM",
        "79.00",
        "−1.00",
        "−2.00 to 0.00",
        NOT_SEPARATED,
        "2",
        "1–2",
        "blocks",
    ]


def test_tests_say_what_they_are_over():
    rows = [
        comparison(
            "a",
            "better",
            "treecrf",
            "memm",
            0.5,
            1.0,
            test="blocks",
            n_blocks=29.0,
            n_clusters=5,
            about="these trainings",
        ),
    ]
    valid = "by the sequence-level test"
    better = pairs_layout(pd.DataFrame(rows), "better")
    assert [cells(better, valid, name) for name in ("95 %, uncorrected", "over")] == [
        ["–"],
        ["29 blocks, these trainings"],
    ]


def test_choices_are_shown_by_decoder():
    several = {"candidate": "l2_regularization=5 / l2_regularization=40", "iteration_low": 7, "iteration_high": 12}
    summary = pd.concat(
        [
            outcome("a", "treecrf", "forward_backward", 1.0, held_out_accuracy=61.234, **several),
            outcome("a", "treecrf", "viterbi", 1.0, candidate="max_leaves=30"),
            outcome("a", "treecrf", "better", 1.0),
            outcome("a", "mine", "forward_backward", 1.0, candidate="depth=3"),
            outcome("a", "mine", "better", 1.0, chosen_decoder="forward_backward"),
            outcome("b", "mine", "viterbi", 1.0, candidate=NAN, iteration_low=1, iteration_high=1),  # nothing to choose
            outcome("b", "mine", "better", 1.0),
        ]
    )
    layout = choices_layout(summary)
    assert layout.columns.get_level_values(0).tolist() == ["", "", *["forward-backward"] * 3, *["Viterbi"] * 3, ""]
    assert shown(layout) == [
        ["a", "TreeCRF", "lambda 5 / lambda 40", "7–12", "61.23", "leaves 30", "30", "60.00", "Viterbi"],
        ["a", "mine", "depth=3", "30", "60.00", "–", "–", "–", "forward-backward"],
        ["b", "mine", "–", "–", "–", "–", "1", "60.00", "Viterbi"],
    ]


def test_estimates_stand_beside_the_test_set():
    rows = [
        outcome("a", "treecrf", "better", 1.0, held_out_accuracy=68.5, unperturbed=60.0, value=63.3),
        outcome("a", "treecrf", "viterbi", 1.0, held_out_accuracy=70.0),
        outcome("a", "mallet", "better", 1.0, held_out_accuracy=68.5, chosen_by="induced_crf"),
        outcome("b", "mine", "better", 62.0, held_out_accuracy=61.0),
    ]
    assert shown(estimates_layout(pd.concat(rows))) == [
        ["a", "TreeCRF", "68.50", "63.30", "+5.20"],
        ["b", "mine", "61.00", "62.00", "−1.00"],
    ]


def test_methods_that_take_the_choice_of_another_do_not_repeat_it():
    """Cross-validation chose nothing for MALLET: its digits are those of another method."""
    choosers = {"induced_crf": "induced_crf", "mallet": "induced_crf", "smile": "treecrf_original"}
    rows = [
        outcome("a", name, d, 1.0, chosen_by=other) for name, other in choosers.items() for d in ("viterbi", "better")
    ]
    layout = choices_layout(pd.concat(rows))
    found = dict(zip(layout["", "method"], layout["Viterbi"].to_numpy().tolist(), strict=True))
    assert found["CRF with induction"] == ["variance 5", "30", "60.00"]
    assert found["MALLET"] == ["settings of CRF with induction", "–", "–"]
    assert found["SMILE"] == ["settings of TreeCRF-2004", "–", "–"]


STEPS = pd.DataFrame(
    [
        ("mine", "mallet", 9.5, 20, 0.25, 0.0625, 10.0, 33.5),
        ("protein", "linear_crf", 163.1, 231, 0.00123456, NAN, 2.5, 60.0),
        ("protein", "treecrf", 163.1, 231, 0.5, 12.345, 1234.5, 200.0),
        ("protein", "memm", 163.1, 231, 0.5, 12.345, 1234.5, 200.0),
    ],
    columns=[
        "dataset",
        "method",
        "average_length",
        "n_features",
        "forward_backward_seconds",
        "induction_seconds",
        "total_seconds",
        "n_iterations",
    ],
)


def test_seconds_of_steps_stand_below_what_is_published():
    assert shown(step_seconds_layout(STEPS)) == [  # published: PhD table 3.6
        ["protein", "published", "163", "231", "1.493", "0.736", "1.433", "48.889"],
        ["protein", "measured", "163", "231", "0.500", "–", "12.3", "–"],
        ["mine", "measured", "10", "20", "–", "0.250", "–", "0.0625"],
    ]


def test_steps_of_all_chains():
    layout = steps_layout(STEPS)
    assert shown(layout) == [
        ["mine", "MALLET", "0.250", "0.0625", "34", "10.0"],
        ["protein", "TreeCRF", "0.500", "12.3", "200", "1234"],
        ["protein", "linear CRF", "0.00123", "–", "60", "2.50"],
    ]


def test_equal_notes_share_a_row():
    rows = [("a", "smile", "no Java."), ("b", "smile", "no Java."), ("b", "mine", "too long.")]
    layout = notes_layout(pd.DataFrame(rows, columns=["dataset", "method", "note"]))
    assert shown(layout) == [["a, b", "SMILE", "no Java."], ["b", "mine", "too long."]]
    assert notes_layout(pd.DataFrame(columns=["dataset", "method", "note"])).empty


def test_nothing_published_has_no_line():
    layout = methods([outcome("my_set", "treecrf", "better", 80.0)])
    assert "published" not in layout["values"].tolist()
    assert "published" not in shrinkage(variants())["", "values"].tolist()
    assert "published" not in step_seconds_layout(STEPS[:1])["", "values"].tolist()
