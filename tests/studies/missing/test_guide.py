"""The page on missing values, on frames worked by hand."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml
from builders import ROOT

from treecrf.rendering.style import METHOD_NAMES
from treecrf.studies.missing.guide import missing_values_guide
from treecrf.studies.settings import load_settings

IW, SS, IM, IN, DD = METHOD_NAMES
COMMAND = "snakemake --cores 3 missing --configfile 'my own.yaml'"
NAN = np.nan

ALONE = "it alone was never clearly worse than another method"


def evaluations_of(percent):
    """Two evaluations of 1,000 positions at rates above 0, one at rate 0; `percent` maps cells to mean accuracies."""
    rows = []
    for (dataset, rate, method), mean in percent.items():
        for test_set, shift in enumerate((-10, 10) if rate else (0,)):
            n_correct = round(10 * mean) + shift
            rows.append((dataset, dataset.startswith("faq"), rate, method, 0, test_set, 1000, n_correct))
    names = ["dataset", "stand_in", "rate", "method", "training_set", "test_set", "n_positions", "n_correct"]
    return pd.DataFrame(rows, columns=names)


def comparisons_of(percent, clear, unclustered=(), with_own_holes=()):
    """Every ordered pair of methods of each case; `clear` decides about (dataset, rate, better, worse)."""
    rows = []
    for dataset, rate, baseline in percent:
        if not rate and dataset not in with_own_holes:
            continue
        for method in METHOD_NAMES:
            if method == baseline or (dataset, rate, method) not in percent:
                continue
            points = percent[dataset, rate, method] - percent[dataset, rate, baseline]
            better, worse = (baseline, method) if points < 0 else (method, baseline)
            p = 0.049 if clear(dataset, rate, better, worse) else 0.05
            # where errors are clustered, the plain p-value says the opposite
            plain, clustered = (p, NAN) if dataset in unclustered else (0.09 - p, p)
            rows.append(
                {
                    "dataset": dataset, "stand_in": dataset.startswith("faq"), "rate": rate, "baseline": baseline,
                    "method": method, "coefficient": points / 20, "p_value": 0.001, "p_holm": plain,
                    "clustered_p_value": clustered, "clustered_p_holm": clustered, "accuracy_points": points,
                    "points_low": points - 0.75, "points_high": points + 0.75,
                }
            )  # fmt: skip
    names = ["dataset", "stand_in", "rate", "baseline", "method", "coefficient", "p_holm", "clustered_p_holm"]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*names, "points_low", "points_high"])


def costs_of(percent, seconds):
    """Ten iterations of each cell; `seconds` maps methods to those of one iteration."""
    rows = [
        (dataset, False, rate, method, 0, phase, value, 10)
        for dataset, rate, method in percent
        if method in seconds
        for phase, value in (
            ("choice", 1e6),  # no part of a training
            ("gradient", 4 * seconds[method]),
            ("trees", 6 * seconds[method]),
            ("prediction", 2 * seconds[method]),
        )
    ]
    names = ["dataset", "stand_in", "rate", "method", "training_set", "phase", "cpu_seconds", "n_iterations"]
    return pd.DataFrame(rows, columns=names)


def never(dataset, rate, better, worse):
    return False


def always(dataset, rate, better, worse):
    return True


SECONDS = {IW: 0.6, SS: 1.2, IM: 0.4, IN: 0.2, DD: 0.41}


def guide(percent, clear, seconds=SECONDS, deviance=None, **options):
    comparisons = comparisons_of(percent, clear, **options)
    return missing_values_guide(
        evaluations_of(percent), comparisons, costs_of(percent, seconds), deviance, command=COMMAND
    )


def cases(dataset, methods=(IW, IM, SS), rates=(0.1, 0.4), top=80.0, reference=82.0):
    """The first method at `top`, each next one two points below; five points lower at each further rate."""
    percent = {} if reference is None else {(dataset, 0.0, method): reference for method in methods}
    return percent | {
        (dataset, rate, method): top - 5 * place - 2 * rank
        for place, rate in enumerate(rates)
        for rank, method in enumerate(methods)
    }


def section(page, number):
    return re.search(rf"^## {number}\. .*?(?=^## |\Z)", page, flags=re.DOTALL | re.MULTILINE).group()


def table(text, place=0):
    """The rows of a Markdown table as lists of cells, the rule left out."""
    blocks = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    lines = blocks[place].strip().splitlines()
    assert set(lines[1]) <= set("|-: ")
    assert len({line.count("|") for line in lines}) == 1
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in [lines[0], *lines[2:]]]


# --- the short answer -------------------------------------------------------------------------------


def test_one_method_clearly_best_everywhere():
    page = guide(cases("protein") | cases("mine"), always)
    short = section(page, 1)
    assert f"**Use instance weighting: {ALONE} (4 cases).**" in short
    assert "Highest mean accuracy over the rates, on every data set: instance weighting." in short
    assert "Least behind" not in short
    assert table(short)[1:] == [
        ["instance weighting", "4", "4", "0", "0", "0.0"],
        ["imputation", "4", "0", "0", "4", "2.0"],
        ["surrogate splitting", "4", "0", "0", "4", "4.0"],
    ]


def test_worse_than_another_has_a_column_where_it_differs():
    def clear(dataset, rate, better, worse):
        return (better, worse) == (IM, SS)  # not against the best, instance weighting

    short = section(guide(cases("mine"), clear), 1)
    assert "**Use instance weighting: like imputation, it was never clearly worse than another method" in short
    assert table(short)[0][4:] == [
        "clearly worse than the best",
        "clearly worse than another",
        "points behind the best",
    ]
    assert table(short)[3] == ["surrogate splitting", "2", "0", "2", "0", "2", "4.0"]


@pytest.mark.parametrize("seconds", [{}, {IW: 9.0, IM: 1.0, SS: 2.0}, {IW: 1.0, IM: 2.0, SS: 9.0}])
def test_all_within_noise_takes_the_closest_whatever_it_cost(seconds):
    page = guide(cases("mine"), never, seconds=seconds)
    short = section(page, 1)
    assert (
        "**Take instance weighting, the closest to the best on average; in all 2 cases no method was clearly worse than "
        "another.**" in short
    )
    assert "Least behind" not in short
    assert ("CPU time of one" in page) is bool(seconds)
    assert section(page, 4).endswith("No CPU time was measured.\n\n") is not bool(seconds)
    assert [row[:5] for row in table(short)[1:]] == [
        ["instance weighting", "2", "2", "0", "0"], ["imputation", "2", "0", "2", "0"],
        ["surrogate splitting", "2", "0", "2", "0"],
    ]  # fmt: skip


def test_best_method_depends_on_the_data():
    percent = cases("protein", (IW, IM, DD)) | cases("faq_x", (IM, DD, IW))
    page = guide(percent, always)
    short = section(page, 1)
    assert "**It depends on the data.**" in short
    assert "- One letter or symbol per position, seen through a window (`protein`): **instance weighting**.\n" in short
    assert "- Many yes-or-no features per line (`faq_x`): **imputation**.\n" in short
    # behind: imputation 2, 0; instance weighting 0, 4; default direction 4, 2
    assert (
        "Over all cases, imputation was clearly worse than another method least often: in 2 of 4 cases, as rarely as "
        "instance weighting but closer to the best on average. None was always safe." in short
    )
    assert (
        "The highest mean accuracy over the rates depends on the data: instance weighting on `protein`; imputation on "
        "`faq_x`." in short
    )
    decisions = section(page, 5)
    assert (
        f"- **Many yes-or-no features per line (`faq_x`).** Use imputation: {ALONE} (2 cases). Often clearly "
        "worse than another: default direction (2 of 2, 2.0 points behind the best) and instance weighting (2 of 2, 4.0 "
        "points behind the best). From best to worst: 4.0 points on average.\n" in decisions
    )
    assert (
        "- **Instance weighting.** Often beaten: clearly worse than another in 2 of 4 cases (every rate on `faq_x`). "
        "Best in 2 of 4 cases, 2.0 points behind on average. Cost: 1.5 times imputation." in decisions
    )


def test_one_method_may_be_the_choice_for_every_kind_of_data():
    rows = [(IW, IM), (IW, IM), (IM, IW)]
    percent = {}
    for name in ("protein", "faq_x"):
        for rate, order in zip((0.1, 0.2, 0.4), rows, strict=True):
            percent |= cases(name, order, (rate,))
    short = section(guide(percent, always), 1)
    assert "**Use instance weighting: it is the choice for each kind of data of this run.**" in short
    assert "in 2 of 6 cases" in short
    assert "It depends on the data" not in short


def test_no_method_is_safe_on_one_kind_of_data():
    percent = cases("mine", (IW, IM), (0.1,)) | cases("mine", (IM, IW), (0.2,)) | cases("mine", (IM, IW), (0.4,))
    short = section(guide(percent, always), 1)
    assert "**Over all cases, imputation was clearly worse than another method least often: in 1 of 3 cases." in short
    assert "It depends on the data" not in short


def test_equal_bests_count_for_each():
    percent = {("mine", 0.1, IW): 80.0, ("mine", 0.1, IM): 80.0, ("mine", 0.1, SS): 70.0}
    short = section(guide(percent, lambda dataset, rate, better, worse: worse == SS), 1)
    assert [row[:5] for row in table(short)[1:3]] == [
        ["instance weighting", "1", "1", "0", "0"], ["imputation", "1", "1", "0", "0"],
    ]  # fmt: skip
    assert "Equal bests count for each." in short


def test_a_significant_lead_is_no_loss():
    """Only a negative coefficient makes a method worse: the rows of the better method are significant too."""
    page = guide(cases("mine", (IW, IM)), always)
    assert f"Use instance weighting: {ALONE} (2 cases)" in page
    swapped = guide(cases("mine", (IM, IW)), always)
    assert f"Use imputation: {ALONE} (2 cases)" in swapped


# --- which p-value decides --------------------------------------------------------------------------


def test_clustered_p_value_decides_where_there_is_one():
    page = guide(cases("mine", (IW, IM)), never)  # the plain p-values are below 0.05
    assert "no method was clearly worse than another" in page
    assert "not clustered" not in page
    assert "Clustered errors need" not in page


def test_plain_p_value_decides_elsewhere_and_the_page_says_so():
    percent = cases("protein", (IW, IM)) | cases("faq_perl", (IW, IM)) | cases("faq_x", (IW, IM))
    page = guide(percent, lambda dataset, *_: dataset == "faq_x", unclustered=("faq_x", "faq_perl"))
    assert [row[1:5] for row in table(section(page, 1))[1:]] == [["6", "6", "0", "0"], ["6", "0", "4", "2"]]
    assert "clustered by test sequence (on `faq_perl` and `faq_x` not clustered: section 6)." in section(page, 1)
    assert "are not available for `faq_perl` and `faq_x`. There positions count as independent" in section(page, 6)


def test_comparisons_without_any_test_are_counted():
    percent = cases("mine", (IW, IM), (0.1,))
    comparisons = comparisons_of(percent, always).assign(p_holm=NAN, clustered_p_holm=NAN)
    page = missing_values_guide(evaluations_of(percent), comparisons, costs_of(percent, SECONDS), command=COMMAND)
    assert "In 2 of 2 comparisons no test is possible" in page
    assert "in the one case no method was clearly worse than another" in page


# --- losses and accuracies --------------------------------------------------------------------------


def test_losses_by_rate():
    percent = cases("protein", (IW, IM)) | cases("faq_x", (IM, IW), top=81.5)
    page = guide(percent, lambda dataset, rate, *_: dataset == "protein" and rate == 0.4)
    assert table(section(page, 2)) == [
        ["holes", "lost, best method", "lost, worst method", "gap", "gap clear in", "never clearly worse"],
        # protein 82 - 80, 82 - 78; faq_x 82 - 81.5, 82 - 79.5
        ["10 %", "1.2 (0.5 to 2.0)", "3.2 (2.5 to 4.0)", "2.0 (2.0 to 2.0)", "0 of 2", "all"],
        ["40 %", "6.2 (5.5 to 7.0)", "8.2 (7.5 to 9.0)", "2.0 (2.0 to 2.0)", "1 of 2", "instance weighting"],
    ]
    assert "- The choice matters now and then: in 1 of 4 cases, some method is clearly worse than the best." in page
    assert (
        "- At 40 % the holes themselves cost more than the wrong method does (6.2 points with the best method, against "
        "2.0 between best and worst)." in page
    )
    assert (
        "- With the best method, expect to lose 1.2 points at 10 % holes and 6.2 points at 40 % holes; accuracy is another "
        "2.0 and 2.0 points lower with the worst method of each case (section 2)." in page
    )


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        (86.0, "At 10 % the holes themselves cost more than the wrong method does (6.0 points with the best method"),
        (82.0, "At 10 % the wrong method costs about as much as the holes themselves do (2.0 points with"),
        (80.5, "At 10 % the wrong method costs more than the holes themselves do (0.5 points with the best method"),
    ],
)
def test_whether_holes_or_the_choice_cost_more(reference, sentence):
    page = guide(cases("mine", (IW, IM), (0.1,), reference=reference), always)
    assert sentence in page
    assert "The choice mostly matters: in every case, some method is clearly worse than the best." in page


def test_a_gain_is_no_loss():
    page = guide(cases("mine", (IW, IM), (0.1,), reference=79.0), always)
    assert "expect to lose nothing that shows at 10 % holes" in page
    assert table(section(page, 2))[1][1:4] == ["−1.0", "1.0", "2.0"]
    assert "Negative: accuracy was higher with holes than without" in page


def test_accuracy_tables_mark_best_and_clearly_worse():
    percent = cases("protein", (IM, SS, IW)) | cases("faq_x", (IW, IM))
    page = guide(percent, lambda dataset, rate, better, worse: worse == IW and rate == 0.4)
    accuracies = section(page, 3)
    assert "### protein\n" in accuracies
    assert "### faq_x (stand-in)\n" in accuracies
    assert table(accuracies) == [
        ["holes", "instance weighting", "surrogate splitting", "imputation"],
        ["0 %", "82.0", "82.0", "82.0"],
        ["10 %", "76.0", "78.0", "**80.0**"],
        ["40 %", "71.0 ▼", "73.0", "**75.0**"],
    ]
    assert table(accuracies, 1)[2:] == [["10 %", "**80.0**", "78.0"], ["40 %", "**75.0**", "73.0"]]
    assert "At 0 % nothing is missing, so the methods agree." in accuracies


# --- few of something -------------------------------------------------------------------------------


def test_one_rate_without_reference():
    page = guide(cases("mine", (IW, IM), (0.1,), reference=None), always)
    assert (
        "- With holes in 10 % of the cells, accuracy is 2.0 points lower with the worst method than with the best.\n"
        in page
    )
    assert table(section(page, 2))[1] == ["10 %", "–", "–", "2.0", "1 of 1", "instance weighting"]
    assert "No loss can be given for `mine`: rate 0 was not run." in page
    assert "At 0 %" not in page


def test_one_data_set_names_no_kinds():
    page = guide(cases("mine"), always)
    assert "By kind of data" not in page
    assert "There is one data set, `mine`" in page
    assert "mean over the data sets" not in page
    assert "stand-in" not in page


def test_two_methods_without_imputation_cost_relative_to_the_cheapest():
    page = guide(cases("mine", (IW, SS), (0.1,)), always)
    assert table(section(page, 4)) == [
        ["method", "0 % holes", "10 % holes", "prediction", "iterations"],
        ["instance weighting", "1.0", "1.0", "1.0", "10"],
        ["surrogate splitting", "2.0", "2.0", "2.0", "10"],
    ]
    assert "CPU time of one training iteration, the cheapest method = 1: instance weighting 1.0, surrogate" in page
    assert "- **Surrogate splitting.** Often beaten" in page
    assert "Cost: 2.0 times the cheapest method." in page
    assert "Imputation" not in page


def test_one_method_has_nothing_to_be_compared_with():
    page = guide(cases("mine", (IW,)), always)
    assert page.count("This run has one method, instance weighting, and so nothing to compare it with.") == 2
    assert table(section(page, 3))[1:] == [["0 %", "82.0"], ["10 %", "80.0"], ["40 %", "75.0"]]
    assert "p < 0.05" not in page


def test_only_rate_0_compares_nothing():
    page = guide({("mine", 0.0, IW): 80.0, ("mine", 0.0, IM): 80.0}, always)
    assert "This run compared no methods" in page
    assert "The run made no holes" in page


def test_own_table_with_holes_has_a_case_at_rate_0():
    percent = cases("mine", (IN, IM), (0.0, 0.2)) | cases("protein", (IN, IM), (0.2,))
    page = guide(percent, always, with_own_holes=("mine",))
    assert f"**Use indicator: {ALONE} (3 cases).**" in page
    assert table(section(page, 2))[1:] == [
        ["0 % (`mine`)", "0.0", "2.0", "2.0", "1 of 1", "indicator"],
        ["20 %", "3.5 (2.0 to 5.0)", "5.5 (4.0 to 7.0)", "2.0 (2.0 to 2.0)", "2 of 2", "indicator"],
    ]
    assert "`mine` has holes of its own: row 0 % compares the methods on them" in page
    assert "All holes of this run (apart from those that `mine` had) were made completely at random" in page
    assert "Only `mine`, through the holes it had before, can show that advantage here." in page
    assert table(section(page, 3))[1] == ["0 %", "78.0 ▼", "**80.0**"]


def test_holes_at_random_cannot_show_what_an_indicator_is_for():
    page = guide(cases("mine", (IN, IM)), never)
    assert "All holes of this run were made completely at random" in page
    assert page.count("This run cannot show that advantage: its holes were made completely at random.") == 1


# --- costs ------------------------------------------------------------------------------------------


def test_costs_relative_to_imputation():
    percent = cases("mine", (IW, IM, IN), (0.1,), reference=None) | cases(
        "protein", (IW, IM, IN), (0.1,), reference=None
    )
    costs = costs_of(percent, {IW: 0.6, IM: 0.3, IN: 0.3})
    costs.loc[(costs["dataset"] == "protein") & (costs["method"] == IW), "cpu_seconds"] *= 4  # ratios 2 and 8
    page = missing_values_guide(evaluations_of(percent), comparisons_of(percent, always), costs, command=COMMAND)
    assert table(section(page, 4))[1:] == [
        ["instance weighting", "4.0", "4.0", "10"], ["imputation", "1.0", "1.0", "10"], ["indicator", "1.0", "1.0", "10"],
    ]  # fmt: skip
    assert "One training iteration with imputation took 0.3 (`mine`) CPU seconds" in page
    # whole trainings: mine (6 + 3 + 3) / 3, protein (24 + 3 + 3) / 3
    assert "a whole training took 4 (`mine`) to 10 (`protein`) on average." in page
    assert "Cost: 4.0 times imputation." in page
    assert "called clearly worse in up to 7.5 % of the cases" in page  # 3 methods
    assert "Cost: about that of imputation." in page


# --- how sure, and once more ------------------------------------------------------------------------


def test_certainty_names_what_the_numbers_rest_on():
    percent = cases("faq_x", (IW, IM)) | cases("faq_perl", (IW, IM))
    deviance = pd.DataFrame(
        {"dataset": "faq_x", "rate": 0.1, "term": ["none", "method", "method"], "p_value": [NAN, 0.01, 0.2]}
    )
    sure = section(guide(percent, always, deviance=deviance), 6)
    assert "finds some difference between the methods in 1 of 2 cases." in sure
    assert "`faq_x` and `faq_perl` are stand-ins for published data" in sure
    assert "±0.8 on `faq_x` (1,000 test positions), ±0.8 on `faq_perl` (1,000 test positions)" in sure
    assert "Nothing corrects for the number of baselines or of cases (4)" in sure
    assert "called clearly worse in up to 5 % of the cases" in sure  # 2 methods
    assert "- The 2 damaged test sets of a rate are the same data with different holes:" in sure
    assert "There are 2 data sets." in sure


def test_command_and_configuration():
    page = guide(cases("mine"), always)
    assert f"```sh\n{COMMAND}\n```" in page
    example = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, flags=re.DOTALL).group(1))
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    config["datasets"] |= example["datasets"]
    config["missing"] = config.get("missing", {}) | example["missing"]
    assert load_settings(config).missing.datasets == ["mine"]


def test_page_has_its_parts_in_order():
    page = guide(cases("protein") | cases("faq_x"), always)
    assert [int(number) for number in re.findall(r"^## (\d)\. ", page, flags=re.MULTILINE)] == list(range(1, 8))
    assert page.startswith("# Missing values")
    assert page.endswith("```\n")
    assert "nan" not in page
    assert "\n\n\n" not in page


def test_frames_that_do_not_belong_together():
    percent = cases("mine", (IW, IM), (0.1,))
    evaluations, costs = evaluations_of(percent), costs_of(percent, SECONDS)
    other = comparisons_of(cases("mine", (IW, SS), (0.1,)), always)
    with pytest.raises(ValueError, match=r"the comparisons have surrogate_splitting on mine at rate 0\.1"):
        missing_values_guide(evaluations, other, costs, command=COMMAND)
    with pytest.raises(ValueError, match="no evaluations"):
        missing_values_guide(evaluations[:0], other, costs, command=COMMAND)
