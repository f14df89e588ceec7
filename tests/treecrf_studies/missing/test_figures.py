"""Figures and tables of the study of missing values, on frames worked by hand."""

import numpy as np
import pandas as pd
import pytest
from runs import shown

from treecrf_studies.missing.figures import effects_by_rate
from treecrf_studies.missing.published import missing_value_coefficients
from treecrf_studies.missing.tables import (
    accuracy_layout,
    coefficients_layout,
    costs_layout,
    deviance_layout,
    effects_layout,
    significance_layout,
    variances_layout,
)

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
    names = ["dataset", "stand_in", "rate", "method", "training_set", "test_set", "n_positions", "n_correct"]
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
        "coefficient_standard_error", "z", "papers_p", "papers_p_holm", "likelihood_ratio", "likelihood_ratio_p_value",
        "value", "standard_error", "degrees_of_freedom", "low", "high", "p_value",
        "family_low", "family_high", "p_holm", "decision", "cluster", "n_clusters", "n_training_sets",
    )  # fmt: skip
    assert set(values) <= set(names)
    row = {"dataset": dataset, "stand_in": dataset.startswith("faq"), "rate": rate, "other": other}
    return row | {"method": method, "coefficient": coefficient} | dict.fromkeys(names, NAN) | OF_GROUPS | values


@pytest.fixture
def comparisons():
    weighting = "instance_weighting"
    return pd.DataFrame(
        [
            comparison(
                "protein", 0.4, weighting, "imputation", -0.0714, coefficient_standard_error=0.0121, papers_p=1e-9, papers_p_holm=4e-9,
                likelihood_ratio_p_value=2e-4, standard_error=0.333, p_value=0.0123, degrees_of_freedom=4.0,
                p_holm=0.0492, value=-1.234, low=-1.9, high=-0.6, family_low=-2.0, family_high=-0.456, decision="worse",
            ),
            comparison("protein", 0.05, weighting, "default_direction", -0.0004, papers_p=0.05, p_holm=0.05),
            comparison(
                "protein", 0.05, weighting, "imputation", 0.0306, papers_p=0.0499, p_holm=0.9,
                value=0.5, low=-0.2, high=1.2, family_low=-0.25, family_high=1.25,
            ),
            comparison("faq_perl", 0.1, "imputation", weighting, -INF, value=INF, low=-INF, family_low=-INF),
            comparison("mine", 0.1, weighting, "imputation", 0.2, value=1.0),
        ]
    )  # fmt: skip


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
    assert layout.columns.tolist() == [
        ("", "data set"), ("", "missing rate"), ("", "values"),
        ("methods of the dissertation", "imputation"), ("other methods", "default direction"),
    ]  # fmt: skip
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


def test_every_p_value_is_shown(comparisons):
    layout = significance_layout(comparisons, comparisons, "instance_weighting")
    assert shown(layout)[2] == [
        "protein", "40 %", "imputation", "−0.071", "0.012", "<0.001", "<0.001", "<0.001",
        "−1.23", "0.33", "4.0", "0.012", "0.049", "worse", "17 groups of sequences × 5 training sets",
    ]  # fmt: skip
    assert shown(layout)[1] == [
        "protein", "5 %", "default direction", "0.000", "–", "0.050", "–", "–",
        "–", "–", "–", "–", "0.050", "undecided", "17 groups of sequences × 5 training sets",
    ]  # fmt: skip
    assert cells(layout, "", "data set") == ["protein", "protein", "protein", "mine"]


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


def test_variances_have_a_column_for_each_component():
    names = ["dataset", "rate", "cluster", "component", "accuracy_points", "stand_in"]
    rows = [
        ("nettalk", 0.2, "group", "sequence", 1.234, False),
        ("nettalk", 0.2, "group", "method x training_set", 0.5, False),
        ("faq", 0.1, "block", "sequence", 2.0, True),
    ]
    layout = variances_layout(pd.DataFrame(rows, columns=names))
    assert layout.columns.tolist() == ["data set", "missing rate", "clusters are", "cluster", "method × training set"]
    assert shown(layout) == [
        ["nettalk", "20 %", "group", "1.23", "0.50"],
        ["faq (stand-in)", "10 %", "block", "2.00", "–"],
    ]


def test_accuracies_mark_the_best_of_each_row(evaluations):
    layout = accuracy_layout(evaluations, UNCOMPARED)
    assert layout.columns.tolist() == ["data set", "missing rate", "instance weighting", "imputation"]
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
    names = ["dataset", "stand_in", "rate", "method", "training_set", "phase", "cpu_seconds", "n_iterations"]
    layout = costs_layout(pd.DataFrame(rows, columns=names))
    assert [head for head in layout.columns if head[0]] == [
        ("training", "iterations"), ("training", "CPU s"), ("training", "ratio"),
        ("one iteration", "CPU s"), ("one iteration", "ratio"),
        ("prediction", "CPU s"), ("prediction", "ratio"),
        ("choice of settings", "CPU s"), ("choice of settings", "ratio"),
    ]  # fmt: skip
    assert shown(layout) == [
        ["protein", "20 %", "surrogate splitting", "20.0", "30.0", "5.00", "1.50", "5.00", "0.375", "1.00", "–", "–"],
        ["protein", "20 %", "imputation", "25.0", "6.00", "1.00", "0.300", "1.00", "0.500", "1.33", "160", "1.00"],
    ]


def test_costs_of_one_phase_and_no_time():
    row = ("protein", False, 0.0, "imputation", 0, "prediction", 0.0, 5)
    names = ["dataset", "stand_in", "rate", "method", "training_set", "phase", "cpu_seconds", "n_iterations"]
    layout = costs_layout(pd.DataFrame([row], columns=names))
    assert shown(layout) == [["protein", "0 %", "imputation", "0.000", "–"]]


def test_analysis_of_deviance():
    names = ["dataset", "rate", "term", "degrees_of_freedom", "deviance"]
    names += ["residual_degrees_of_freedom", "residual_deviance", "p_value"]
    names += ["dispersion", "pearson_dispersion", "f", "f_p_value"]
    rows = [
        ("hyphen", 0.2, "constant", NAN, NAN, 24, 400.126, NAN, 16.672, 16.5, NAN, NAN),
        ("hyphen", 0.2, "method", 4, 100.0, 20, 300.1, 9e-4, 15.005, 14.0, 1.786, 0.171),
    ]
    frame = pd.DataFrame(rows, columns=names).assign(n_training_sets=20, n_test_sets=[5, 20])
    assert shown(deviance_layout(frame)) == [
        ["hyphen", "20 %", "20 × 5", "constant only", *"–––––", "24", "400.13", "16.67", "16.50"],
        [
            "hyphen",
            "20 %",
            "20 × 20",
            "method",
            "4",
            "100.00",
            "<0.001",
            "1.79",
            "0.171",
            "20",
            "300.10",
            "15.01",
            "14.00",
        ],
    ]
