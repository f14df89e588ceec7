"""The numbers of the guide: deciding p-values, losses, accuracies, costs, certainty."""

import pandas as pd
import pytest
from guides import (
    COMMAND,
    IM,
    IN,
    IW,
    NAN,
    SECONDS,
    SS,
    always,
    cases,
    comparisons_of,
    costs_of,
    evaluations_of,
    guide,
    never,
    section,
    table,
)

from treecrf.studies.missing.guide import missing_values_guide


def test_the_papers_test_decides_nothing():
    page = guide(cases("mine", (IW, IM)), never)  # its p-values are below 0.05
    assert "no method was significantly worse than another" in page
    assert "Of 2 pairs of methods in a case, 0 are equivalent" in page
    assert "other lines" not in page


def test_the_page_says_where_blocks_of_lines_decide():
    percent = cases("protein", (IW, IM)) | cases("faq_perl", (IW, IM)) | cases("faq_x", (IW, IM))
    page = guide(percent, lambda dataset, *_: dataset == "faq_x", of_lines=("faq_x", "faq_perl"))
    assert [row[1:4] for row in table(section(page, 1))[1:]] == [["6", "6", "0"], ["6", "0", "4"]]
    assert "(on `faq_perl` and `faq_x` for other lines of the same documents only: section 6)." in section(page, 1)
    assert "`faq_perl` and `faq_x` have too few test sequences to vary. Blocks of consecutive lines" in section(page, 6)


def test_the_page_says_where_one_training_set_decides():
    page = guide(cases("mine", (IW, IM)), always, with_own_holes=("mine",))
    assert "On `mine`, some methods were trained on one training set only." in section(page, 6)
    assert "one training set only" not in guide(cases("mine", (IW, IM)), always)


def test_comparisons_without_any_test_are_counted():
    percent = cases("mine", (IW, IM), (0.1,))
    comparisons = comparisons_of(percent, never).assign(valid_p_holm=NAN)
    page = missing_values_guide(evaluations_of(percent), comparisons, costs_of(percent, SECONDS), command=COMMAND)
    assert "For 1 of 1 pair no test is possible" in page
    assert "in the one case no method was significantly worse than another" in page


def test_losses_by_rate():
    percent = cases("protein", (IW, IM)) | cases("faq_x", (IM, IW), top=81.5)
    page = guide(percent, lambda dataset, rate, *_: dataset == "protein" and rate == 0.4)
    assert table(section(page, 2)) == [
        ["holes", "lost, best method", "lost, worst method", "gap", "gap clear in", "never significantly worse"],
        # protein 82 - 80, 82 - 78; faq_x 82 - 81.5, 82 - 79.5
        ["10 %", "1.2 (0.5 to 2.0)", "3.2 (2.5 to 4.0)", "2.0 (2.0 to 2.0)", "0 of 2", "all"],
        ["40 %", "6.2 (5.5 to 7.0)", "8.2 (7.5 to 9.0)", "2.0 (2.0 to 2.0)", "1 of 2", "instance weighting"],
    ]
    assert "- The choice matters in 1 of 4 cases: there, some method is significantly worse than another." in page
    assert (
        "- At 40 % the holes themselves cost more than the wrong method does (6.2 points with the best method, against "
        "2.0 between best and worst)." in page
    )
    assert (
        "- With the best method, expect to lose 1.2 points at 10 % holes and 6.2 points at 40 % holes; with the worst "
        "method of each case, a further 2.0 and 2.0 points (section 2)." in page
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
    assert "The choice matters in the one case: there, some method is significantly worse than another." in page


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
    assert "Cost: about that of imputation." in page


def test_certainty_names_what_the_numbers_rest_on():
    percent = cases("faq_x", (IW, IM)) | cases("faq_perl", (IW, IM))
    deviance = pd.DataFrame(
        {
            "dataset": "faq_x",
            "rate": [0.1, 0.1, 0.2, 0.2],
            "term": ["none", *["method"] * 3],
            "p_value": [NAN, 0.01, 0.2, 0.01],
        }
    )
    sure = section(guide(percent, always, deviance=deviance), 6)
    assert "finds some difference between the methods in 1 of 2 cases." in sure
    assert "`faq_x` and `faq_perl` are stand-ins for published data" in sure
    assert "±0.8 on `faq_x` (1,000 test positions), ±0.8 on `faq_perl` (1,000 test positions)" in sure
    assert "Nothing corrects for the number of cases (4)" in sure
    assert "called significantly worse in up to 5 % of the cases" in sure
    assert "- The 2 damaged test sets of a rate are the same data with different holes:" in sure
    assert "There are 2 data sets." in sure


def test_data_sets_may_have_more_or_fewer_damaged_sets():
    percent = cases("mine", (IW, IM)) | cases("protein", (IW, IM))
    evaluations = evaluations_of(percent)
    third = evaluations[(evaluations["dataset"] == "mine") & (evaluations["test_set"] == 1)].assign(test_set=2)
    page = missing_values_guide(
        pd.concat([evaluations, third]), comparisons_of(percent, never), costs_of(percent, SECONDS), command=COMMAND
    )
    assert "- The 2 to 3 damaged test sets of a rate are the same data" in section(page, 6)


def test_frames_that_do_not_belong_together():
    percent = cases("mine", (IW, IM), (0.1,))
    evaluations, costs = evaluations_of(percent), costs_of(percent, SECONDS)
    other = comparisons_of(cases("mine", (IW, SS), (0.1,)), always)
    with pytest.raises(ValueError, match=r"the comparisons have surrogate_splitting on mine at rate 0\.1"):
        missing_values_guide(evaluations, other, costs, command=COMMAND)
    with pytest.raises(ValueError, match="no evaluations"):
        missing_values_guide(evaluations[:0], other, costs, command=COMMAND)
