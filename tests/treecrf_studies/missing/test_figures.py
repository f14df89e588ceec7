"""Figures and tables of the study of missing values, on frames worked by hand."""

import numpy as np
import pandas as pd
import pytest
from runs import shown

from treecrf_studies.missing.figures import accuracy_by_rate, effects_by_rate, feature_frequencies
from treecrf_studies.missing.tables import (
    accuracy_layout,
    coefficients_layout,
    costs_layout,
    effects_layout,
    missing_value_coefficients,
    significance_layout,
)
from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.rendering.style import NOTHING

NAN, INF = np.nan, np.inf

UNCOMPARED = pd.DataFrame(
    columns=[
        "dataset",
        "rate",
        "other",
        "method",
        "value",
        "standard_error",
        "degrees_of_freedom",
        "decision",
    ]
)


def evaluations_of(cells):
    """Evaluations out of 200 positions; `cells` maps (dataset, rate, method) to the numbers correct."""
    rows = [
        (dataset, dataset.startswith("faq"), rate, method, place // 2, place % 2, 200, n_correct)
        for (dataset, rate, method), numbers in cells.items()
        for place, n_correct in enumerate(numbers)
    ]
    names = ["dataset", "stand_in", "rate", "method", "draw", "test_set", "n_positions", "n_correct"]
    return pd.DataFrame(rows, columns=names)


@pytest.fixture
def evaluations():
    return evaluations_of(
        {
            ("protein", 0.1, "imputation"): (120, 124, 128, 132),  # 60, 62, 64, 66: mean 63, variance 20 / 3
            ("protein", 0.0, "imputation"): (140,),
            ("protein", 0.1, "instance_weighting"): (130, 130, 132, 132),  # 65, 65, 66, 66: mean 65.5, variance 1 / 3
            ("protein", 0.0, "instance_weighting"): (140,),
            ("faq_x", 0.1, "imputation"): (190, 194),  # 95, 97: mean 96, variance 2
        }
    )


OF_GROUPS = {"decision": "undecided", "cluster": "group", "n_clusters": 17, "n_training_sets": 5}


def comparison(dataset, rate, other, method, coefficient, **values):
    """One row of a frame of comparisons; what is not given is NaN."""
    names = (
        "coefficient_standard_error",
        "z",
        "papers_p",
        "papers_p_holm",
        "likelihood_ratio",
        "likelihood_ratio_p_value",
        "value",
        "standard_error",
        "degrees_of_freedom",
        "low",
        "high",
        "p_value",
        "family_low",
        "family_high",
        "p_holm",
        "decision",
        "cluster",
        "n_clusters",
        "n_training_sets",
    )
    assert set(values) <= set(names)
    row = {"dataset": dataset, "stand_in": dataset.startswith("faq"), "rate": rate, "other": other}
    return row | {"method": method, "coefficient": coefficient} | dict.fromkeys(names, NAN) | OF_GROUPS | values


@pytest.fixture
def comparisons():
    weighting = "instance_weighting"
    return pd.DataFrame(
        [
            comparison(
                "protein",
                0.4,
                weighting,
                "imputation",
                -0.0714,
                coefficient_standard_error=0.0121,
                papers_p=1e-9,
                papers_p_holm=4e-9,
                likelihood_ratio_p_value=2e-4,
                standard_error=0.333,
                p_value=0.0123,
                degrees_of_freedom=4.0,
                p_holm=0.0492,
                value=-1.234,
                low=-1.9,
                high=-0.6,
                family_low=-2.0,
                family_high=-0.456,
                decision="worse",
            ),
            comparison("protein", 0.05, weighting, "default_direction", -0.0004, papers_p=0.05, p_holm=0.05),
            comparison(
                "protein",
                0.05,
                weighting,
                "imputation",
                0.0306,
                papers_p=0.0499,
                p_holm=0.9,
                value=0.5,
                low=-0.2,
                high=1.2,
                family_low=-0.25,
                family_high=1.25,
            ),
            comparison("faq_perl", 0.1, "imputation", weighting, -INF, value=INF, low=-INF, family_low=-INF),
            comparison("mine", 0.1, weighting, "imputation", 0.2, value=1.0),
        ]
    )


def cells(frame, *heads):
    """The texts under a heading."""
    return list(map(str, frame[heads if len(heads) > 1 else heads[0]]))


# --- tables -----------------------------------------------------------------------------------------


def test_published_values_of_table_4_1():
    published = missing_value_coefficients()
    assert published.groupby("dataset").size().to_dict() == dict.fromkeys(
        ["protein", "nettalk", "hyphen", "faq_ai_general"], 12
    )
    values = published.set_index(["dataset", "rate", "method"])
    assert tuple(values.loc[("hyphen", 0.05, "surrogate_splitting"), ["coefficient", "significant"]]) == (0.036, True)
    assert tuple(values.loc[("protein", 0.1, "indicator"), ["coefficient", "significant"]]) == (0.001, False)


def test_coefficients_stand_under_the_published_ones(comparisons):
    layout = coefficients_layout(comparisons, "instance_weighting")
    assert shown(layout) == [
        ["(a) protein", "5 %", "published", "−0.072*", "–"],
        ["(a) protein", "5 %", "measured", "0.031*", "0.000"],
        ["(a) protein", "40 %", "published", "−0.072*", "–"],
        ["(a) protein", "40 %", "measured", "−0.071*†", "–"],
        ["mine", "10 %", "measured", "0.200", "–"],
    ]


def test_stand_ins_are_marked_and_have_no_published_values(comparisons):
    layout = coefficients_layout(comparisons, "imputation")
    assert shown(layout) == [["faq_perl (stand-in)", "10 %", "measured", "−∞"]]
    real = comparisons.assign(dataset=comparisons["dataset"].replace("faq_perl", "faq_ai_general"), rate=0.05)
    layout = coefficients_layout(real, "imputation")
    published = layout[layout["", "values"] == "published"]
    assert cells(published, "methods of the dissertation", "instance weighting") == ["0.000"]  # printed as -8.824E-16


def test_published_values_need_the_same_baseline(comparisons):
    other = comparisons.assign(other="indicator").query("dataset == 'protein'")
    layout = coefficients_layout(other, "indicator")
    assert set(layout["", "values"]) == {"measured"}
    assert set(layout["", "data set"]) == {"protein"}  # no letter of table 4.1


@pytest.mark.parametrize("layout", [coefficients_layout, effects_layout])
def test_a_method_that_none_was_compared_with_has_no_rows(comparisons, layout):
    assert layout(comparisons, "indicator").empty
    assert significance_layout(comparisons, comparisons, "indicator").empty


def test_effects_show_points_and_interval(comparisons):
    layout = effects_layout(comparisons, "instance_weighting")
    assert shown(layout) == [
        ["protein", "5 %", "+0.50 [−0.25, +1.25]", "–"],
        ["protein", "40 %", "−1.23† [−2.00, −0.46]", "–"],
        ["mine", "10 %", "+1.00", "–"],
    ]
    assert cells(effects_layout(comparisons, "imputation"), "instance weighting") == ["+∞ [−∞, –]"]


def test_every_table_and_figure_says_where_blocks_of_lines_decide(comparisons):
    blocks = comparisons.assign(cluster="block", n_clusters=9)
    of_lines = "(other lines of these documents only)"
    for layout, name in ((effects_layout, "protein"), (coefficients_layout, "(a) protein")):
        names = layout(blocks, "instance_weighting").iloc[:, 0]
        assert list(dict.fromkeys(map(str, names))) == [f"{name} {of_lines}", f"mine {of_lines}"]
    over = cells(significance_layout(blocks, blocks, "instance_weighting"), "by the sequence-level test", "over")
    assert over == ["9 blocks of these documents' lines × 5 training sets"] * 4
    titles = [axes.get_title(loc="left") for axes in effects_by_rate(blocks, "instance_weighting").axes]
    assert titles == ["protein (other lines only)"]


def test_one_training_set_is_said(comparisons):
    one = comparisons.assign(n_training_sets=1)
    over = significance_layout(one, one, "instance_weighting")["by the sequence-level test", "over"]
    assert over.iloc[0] == "17 groups of sequences, this training set only"


def test_tests_on_all_damaged_sets_stand_beside_those_on_the_papers(comparisons):
    more = comparisons.assign(n_training_sets=20, value=0.75)[::-1]  # in another order
    layout = significance_layout(comparisons, more, "instance_weighting")
    found = {heading: cells(layout, heading, "points") for heading, name in layout.columns if name == "points"}
    on_all = "by the sequence-level test on all damaged sets"
    assert found == {"by the sequence-level test": ["+0.50", "–", "−1.23", "+1.00"], on_all: ["+0.75"] * 4}
    assert cells(layout, on_all, "over") == ["17 groups of sequences × 20 training sets"] * 4


def test_accuracies_mark_the_best_of_each_row(evaluations):
    layout = accuracy_layout(evaluations, UNCOMPARED)
    assert shown(layout) == [
        ["protein", "0 %", "70.00 ▲", "70.00 ▲"],  # a tie
        ["protein", "10 %", "65.50 ± 0.58 ▲", "63.00 ± 2.58"],
        ["faq_x (stand-in)", "10 %", "–", "96.00 ▲"],
    ]
    pair = {"dataset": "protein", "rate": 0.1, "other": "instance_weighting", "method": "imputation"}
    points = {"value": -2.5, "standard_error": 2.0, "degrees_of_freedom": 9.0}
    marks = {}
    for decision in ("equivalent", "undecided"):
        compared = pd.DataFrame([pair | points | {"decision": decision}])
        marks[decision] = accuracy_layout(evaluations, compared)["imputation"][1]
    assert marks == {"equivalent": "63.00 ± 2.58 ▲", "undecided": "63.00 ± 2.58"}


def test_costs_are_means_over_training_sets():
    seconds = {  # method, phase: the two training sets
        ("imputation", "windows"): (1.0, 2.0),
        ("imputation", "trees"): (3.0, 6.0),  # trainings of 4 and 8 seconds, 10 and 40 iterations
        ("imputation", "prediction"): (0.25, 0.75),
        ("imputation", "choice"): (150.0, 170.0),
        ("surrogate_splitting", "windows"): (10.0, 12.0),
        ("surrogate_splitting", "trees"): (14.0, 24.0),  # 24 and 36 seconds, 20 and 20 iterations
        ("surrogate_splitting", "prediction"): (0.0, 0.75),
    }
    iterations = {"imputation": (10, 40), "surrogate_splitting": (20, 20)}
    rows = [
        ("protein", False, 0.2, method, index, phase, value, iterations[method][index])
        for (method, phase), values in seconds.items()
        for index, value in enumerate(values)
    ]
    names = ["dataset", "stand_in", "rate", "method", "draw", "phase", "cpu_seconds", "n_iterations"]
    layout = costs_layout(pd.DataFrame(rows, columns=names))
    assert shown(layout) == [
        ["protein", "20 %", "surrogate splitting", "20.0", "30.0", "5.00", "1.50", "5.00", "0.375", "1.00", "–", "–"],
        ["protein", "20 %", "imputation", "25.0", "6.00", "1.00", "0.300", "1.00", "0.500", "1.33", "160", "1.00"],
    ]


def test_costs_of_one_phase_and_no_time():
    row = ("protein", False, 0.0, "imputation", 0, "prediction", 0.0, 5)
    names = ["dataset", "stand_in", "rate", "method", "draw", "phase", "cpu_seconds", "n_iterations"]
    layout = costs_layout(pd.DataFrame([row], columns=names))
    assert shown(layout) == [["protein", "0 %", "imputation", "0.000", "–"]]


# --- figures ----------------------------------------------------------------------------------------


def drawn(axes):
    """By label: x, y, and the lower and upper end of every bar."""
    marks = {}
    for container in axes.containers:
        line, _, bars = container.lines
        ends = [np.asarray(segment)[:, 1] for part in bars for segment in part.get_segments() if len(segment)]
        marks[container.get_label()] = (line.get_xdata(), line.get_ydata(), ends)
    return marks


def test_accuracy_draws_means_at_their_rates(evaluations):
    more = evaluations_of({("faq_x", 0.0, "imputation"): (196,)})
    figure = accuracy_by_rate(pd.concat([evaluations, more]))
    protein, faq = figure.axes
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["protein", "faq_x (stand-in)"]
    marks = drawn(protein)
    assert list(marks) == ["instance weighting", "imputation"]
    x, y, ends = marks["imputation"]
    assert (x.tolist(), y.tolist(), ends) == ([0.0, 0.1], [70.0, 63.0], [])
    assert marks["instance weighting"][0].tolist() == [0.0, 0.1]
    assert drawn(faq)["imputation"][1].tolist() == [98.0, 96.0]
    assert protein.get_xticks().tolist() == [0, 0.1]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["instance weighting", "imputation"]
    assert figure.legends[0].get_title().get_text() == "mean of 1 to 4 evaluations"


@pytest.mark.parametrize("n_sets", [1, 3, 7])
def test_figures_have_a_panel_per_data_set(n_sets, tmp_path):
    cells = [(f"set_{index}", rate) for index in range(n_sets) for rate in (0.2, 0.4)]
    numbers = {(name, rate, "indicator"): (100, 110) for name, rate in cells}
    figure = accuracy_by_rate(evaluations_of(numbers))
    assert len(figure.axes) == n_sets
    assert all(list(drawn(axes)) == ["indicator"] for axes in figure.axes)
    save_figure(figure, tmp_path / "figure.svg", "svg")  # no warning: the layout has room
    comparisons = [comparison(*cell, "imputation", "indicator", 0.0, value=1.0) for cell in cells]
    assert len(effects_by_rate(pd.DataFrame(comparisons), "imputation").axes) == n_sets


def test_one_rate_makes_no_figure():
    comparisons = pd.DataFrame([comparison("a", 0.2, "imputation", "indicator", 0.0)])
    numbers = {("a", 0.2, "indicator"): (100,)}
    for figure in (accuracy_by_rate(evaluations_of(numbers)), effects_by_rate(comparisons, "imputation")):
        assert (figure.axes, figure.get_label()) == ([], NOTHING)


def test_single_evaluations_are_said_to_be_single():
    figure = accuracy_by_rate(evaluations_of({("protein", rate, "imputation"): (150,) for rate in (0.0, 0.1)}))
    (axes,) = figure.axes
    x, y, _ = drawn(axes)["imputation"]
    assert (x.tolist(), y.tolist()) == ([0.0, 0.1], [75.0, 75.0])
    assert axes.get_ylabel() == "accuracy on the test sets (%)"
    assert figure.legends[0].get_title().get_text() == "mean of 1 evaluation"


def test_effects_draw_intervals_and_leave_out_what_is_not_finite(comparisons, tmp_path):
    figure = effects_by_rate(comparisons, "instance_weighting")
    (protein,) = figure.axes  # the other data set has one rate
    marks = drawn(protein)
    assert marks["imputation"][1].tolist() == [0.5, -1.234]
    assert np.array(marks["imputation"][2]) == pytest.approx(np.array([[-0.25, 1.25], [-2.0, -0.456]]))
    assert marks["default direction"][1].tolist() == []
    assert protein.get_lines()[0].get_ydata() == [0, 0]
    assert protein.get_xticks().tolist() == [0, 1]  # a slot for each rate, and no mark in the slot of another
    assert [label.get_text() for label in protein.get_xticklabels()] == ["5", "40"]
    assert all(abs(x - place) < 0.5 for x, place in zip(marks["imputation"][0], (0, 1), strict=True))
    assert protein.get_ylabel() == "accuracy minus that of instance weighting (points)"
    finite = comparison("faq_perl", 0.2, "imputation", "instance_weighting", 0.0, value=1.0)
    infinite = effects_by_rate(pd.concat([comparisons, pd.DataFrame([finite])]), "imputation")
    assert drawn(infinite.axes[0])["instance weighting"][1].tolist() == [1.0]
    save_figure(infinite, tmp_path / "figure.svg", "svg")
    with pytest.raises(ValueError, match="no comparison has the baseline 'indicator'"):
        effects_by_rate(comparisons, "indicator")


def test_features_are_sorted_by_their_numbers():
    rows = [
        ("faq_perl", True, "blank", 1, 0.2),
        ("faq_perl", True, "indented", 2, 0.0),
        ("faq_perl", True, "contains-http", 3, 0.9),
        ("sectlabel", False, "blank", 1, 0.3),
        ("sectlabel", False, "indented", 5, 0.4),
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "stand_in", "feature", "number", "share_true"])
    figure = feature_frequencies(frame)
    faq, sectlabel = figure.axes
    labels = [label.get_text() for label in faq.get_yticklabels()]  # from below
    assert labels == ["contains-http (3)", "indented (2, 5)", "blank (1)"]
    bars = {round(bar.get_y() + bar.get_height() / 2, 6): bar.get_width() for bar in sectlabel.patches}
    assert bars == pytest.approx({1: 40.0, 2: 30.0})
    assert [text.get_text() for text in faq.texts] == ["20.0", "0.0", "90.0"]
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["faq_perl (stand-in)", "sectlabel"]
    alone = feature_frequencies(frame[frame["dataset"] == "faq_perl"]).axes[0]
    bars = {round(bar.get_y() + bar.get_height() / 2, 6): bar.get_width() for bar in alone.patches}
    assert bars == pytest.approx({0: 90.0, 1: 0.0, 2: 20.0})
