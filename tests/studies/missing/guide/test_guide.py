"""The sentences and parts of the guide, on frames worked by hand."""

import re

import pytest
import yaml
from builders import ROOT
from guides import (
    COMMAND,
    DD,
    IM,
    IN,
    IW,
    SS,
    always,
    cases,
    guide,
    never,
    section,
    table,
)

from treecrf.studies.framework.settings import load_settings

ALONE = "it is the only method that was never significantly worse than another"


# --- the short answer -------------------------------------------------------------------------------


def test_one_method_clearly_best_everywhere():
    page = guide(cases("protein") | cases("mine"), always)
    short = section(page, 1)
    assert f"**Use instance weighting: {ALONE} (4 cases).**" in short
    assert "Least behind" not in short
    assert table(short)[1:] == [
        ["instance weighting", "4", "4", "0", "0", "0.0"],
        ["imputation", "4", "0", "0", "4", "2.0"],
        ["surrogate splitting", "4", "0", "0", "4", "4.0"],
    ]


def test_who_is_worse_than_another_but_the_best_is_worse():
    def clear(dataset, rate, better, worse):
        return (better, worse) == (IM, SS)  # not against the best, instance weighting

    short = section(guide(cases("mine"), clear), 1)
    assert (
        "**Use instance weighting: like imputation, it was not significantly worse than another method in any of the 2 cases"
        in short
    )
    assert table(short)[0][2:] == [
        "best or equivalent",
        "not separated",
        "significantly worse than another",
        "points behind the best",
    ]
    assert table(short)[3] == ["surrogate splitting", "2", "0", "0", "2", "4.0"]


@pytest.mark.parametrize("seconds", [{}, {IW: 9.0, IM: 1.0, SS: 2.0}, {IW: 1.0, IM: 2.0, SS: 9.0}])
def test_all_within_noise_takes_the_closest_whatever_it_cost(seconds):
    page = guide(cases("mine"), never, seconds=seconds)
    short = section(page, 1)
    assert (
        "**Take instance weighting, the closest to the best on average; in all 2 cases no method was significantly worse than "
        "another.**" in short
    )
    assert "Least behind" not in short
    assert ("CPU time of one" in page) is bool(seconds)
    assert section(page, 4).endswith("No CPU time was measured.\n\n") is not bool(seconds)
    assert [row[:4] for row in table(short)[1:]] == [
        ["instance weighting", "2", "2", "0"], ["imputation", "2", "0", "2"],
        ["surrogate splitting", "2", "0", "2"],
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
        "Imputation was least often significantly worse than another method: in 2 of 4 cases, as was instance weighting, but "
        "closer to the best on average. No method was safe in every case." in short
    )
    decisions = section(page, 5)
    assert (
        f"- **Many yes-or-no features per line (`faq_x`).** Use imputation: {ALONE} (2 cases). Clearly worse "
        "than another in at least half of these cases: default direction (2 of 2, 2.0 points behind the best) and instance weighting (2 of 2, 4.0 "
        "points behind the best). From best to worst: 4.0 points on average.\n" in decisions
    )
    assert (
        "- **Instance weighting.** Clearly worse than another in 2 of 4 cases (every rate on `faq_x`). "
        "Best or equivalent to the best in 2 of 4 cases, 2.0 points behind the highest on average. Cost: 1.5 times imputation."
        in decisions
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
    assert "**Imputation was least often significantly worse than another method: in 1 of 3 cases." in short
    assert "It depends on the data" not in short


def test_equal_bests_count_for_each():
    percent = {("mine", 0.1, IW): 80.0, ("mine", 0.1, IM): 80.0, ("mine", 0.1, SS): 70.0}
    short = section(guide(percent, lambda dataset, rate, better, worse: worse == SS), 1)
    assert [row[:4] for row in table(short)[1:3]] == [
        ["instance weighting", "1", "1", "0"], ["imputation", "1", "1", "0"],
    ]  # fmt: skip
    assert "equals counting for each" in short


def test_a_significant_lead_is_no_loss():
    """Only a negative coefficient makes a method worse: the rows of the better method are significant too."""
    page = guide(cases("mine", (IW, IM)), always)
    assert f"Use instance weighting: {ALONE} (2 cases)" in page
    swapped = guide(cases("mine", (IM, IW)), always)
    assert f"Use imputation: {ALONE} (2 cases)" in swapped


# --- few of something -------------------------------------------------------------------------------


def test_one_rate_without_reference():
    page = guide(cases("mine", (IW, IM), (0.1,), reference=None), always)
    assert "- With holes in 10 % of the cells, the worst method is 2.0 points less accurate than the best.\n" in page
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
    assert "- **Surrogate splitting.** Clearly worse than another in" in page
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


# --- the whole page ---------------------------------------------------------------------------------


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
