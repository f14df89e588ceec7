"""Claims under other rules."""

from fractions import Fraction

import pytest
from planted_claims import CHAPTER_3, RATES, WEIGHTING, against_others, plant_coefficients, plant_comparisons
from planted_verdicts import PLANTED, plant_growth

from treecrf_studies.framework.claims.rows import (
    DOUBLED,
    HALVED,
    HOLM_WITHIN,
    PAPERS_TEST,
    WITHOUT_EQUIVALENCE,
    other_rules,
    parts_of,
    scaled,
    thresholds_text,
    without,
)
from treecrf_studies.report.ledger import claim_rows, verdicts, verdicts_by_rule

ROW = {
    "id": "X",
    "kind": "better",
    "datasets": ["a", "b", "c"],
    "bound": 99.9,
    "about": 100,
    "level": {"a": 0.005, "otherwise": 0.01},
    "enough": "2/3",
    "quorum": 2,
    "thresholds": {"bound": "paper", "level": "ours", "enough": "ours"},
    "test": "< {bound}",
}


def by_rule(folder, claim):
    rows = [row for row in claim_rows() if row["id"] == claim]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treecrf_studies.report.ledger.claim_rows", lambda: rows)
        return verdicts_by_rule(folder).set_index("rule")["verdict"]


def test_thresholds_are_distances_from_a_value():
    row = {"bound": 99.9, "about": 100, "thresholds": {"bound": "paper"}}
    assert scaled(row, Fraction(2))["bound"] == pytest.approx(99.8)
    assert scaled(row, Fraction(1, 2))["bound"] == pytest.approx(99.95)


def test_levels_by_data_set_and_shares_are_scaled():
    row = {**ROW, "about": 0}
    assert scaled(row, Fraction(2))["level"] == {"a": 0.01, "otherwise": 0.02}
    assert scaled(row, Fraction(2))["enough"] == 1  # and not 4/3
    assert scaled(row, Fraction(1, 2))["enough"] == Fraction(1, 3)


def test_parts_have_thresholds_of_their_own_and_shared_ones():
    row = {
        "margin": 2.0,
        "thresholds": {"margin": "ours"},
        "parts": [{"bound": 4.0, "thresholds": {"bound": "paper"}}, {}],
    }
    doubled = parts_of(scaled(row, Fraction(2)))
    assert [part["margin"] for part in doubled] == [4.0, 4.0]
    assert doubled[0]["bound"] == 8.0
    assert thresholds_text(row) == "bound 4 (paper), margin 2 (ours)"


def test_without_a_data_set_the_quorum_can_still_be_reached():
    changed = without({**ROW, "quorum": 3}, "b")
    assert [part["datasets"] for part in parts_of(changed)] == [["a", "c"]]
    assert changed["quorum"] == 2


def test_a_part_about_a_data_set_alone_goes_with_it():
    row = {"parts": [{"datasets": ["a"]}, {"datasets": ["a", "b"]}]}
    assert [part["datasets"] for part in parts_of(without(row, "a"))] == [["b"]]


def test_a_claim_about_one_data_set_is_not_judged_without_it():
    rules = [rule for rule, *_ in other_rules({**ROW, "datasets": ["a"]})]
    assert rules == [HALVED, DOUBLED, PAPERS_TEST, HOLM_WITHIN, WITHOUT_EQUIVALENCE]


def test_every_claim_with_a_threshold_names_it():
    """Values that a kind compares with are thresholds; the others say what is measured or how much."""
    for row in claim_rows():
        for part in parts_of(row) if "study" in row else ():
            named = part.get("thresholds", {})
            values = {"bound", "tolerance", "recovered", "points", "enough", "share", "margin"} & part.keys()
            fixed = (
                {"bound"} if part.get("bound") in (1, 0.5) and {"enough", "share", "quorum"} & part.keys() else set()
            )
            values -= fixed | ({"bound"} if part["measure"] in ("ratio_at_smallest_window", "slack") else set())
            values -= {"bound"} if part.get("bound") == 0 else set()  # a sign
            assert values or "level" not in part or "level" in named, row["id"]
            assert values <= set(named), row["id"]
            assert set(named.values()) <= {"paper", "ours"}


@pytest.mark.parametrize("claim", PLANTED)
def test_every_rule_gives_a_verdict(tmp_path, claim):
    next(iter(PLANTED[claim].values()))(tmp_path)
    found = by_rule(tmp_path, claim)
    assert len(found) or claim in ("P5.1", "M1", "E2", "E3", "I5", "P3.21")  # exact, an order, no verdict
    assert "not_run" not in set(found)


def test_halved_and_doubled_thresholds_move_a_verdict(tmp_path):
    for dataset in CHAPTER_3:
        plant_growth(tmp_path, dataset, 1.2, half_width=0.01)
    assert verdicts(tmp_path).set_index("id").loc["P3.8", "verdict"] == "replicated"
    assert by_rule(tmp_path, "P3.8")[[HALVED, DOUBLED]].tolist() == ["not_replicated", "replicated"]


def test_the_papers_test_decides_at_its_own_level(tmp_path):
    """The sequence-level test finds something at 0.05; McNemar's p is below 0.05, but not below the paper's 0.001."""
    for papers_p, expected in ((0.002, "not_replicated"), (0.0005, "replicated")):
        plant_comparisons(tmp_path, "faq_ai_general", ("treecrf", "mallet", 1.0, 0.01), papers_p=papers_p)
        assert verdicts(tmp_path).set_index("id").loc["P3.3", "verdict"] == "replicated"
        assert by_rule(tmp_path, "P3.3")[PAPERS_TEST] == expected


def test_the_papers_test_of_missing_values(tmp_path):
    plant_coefficients(tmp_path, "nettalk", WEIGHTING, against_others(0, RATES, otherwise=(-0.1, 0.2)), paper=(1, 1e-9))
    assert by_rule(tmp_path, "P4.2")[PAPERS_TEST] == "replicated"


def test_a_verdict_that_hangs_on_one_data_set_shows_it(tmp_path):
    for dataset in CHAPTER_3:
        plant_growth(tmp_path, dataset, 1.3 if dataset == "hyphen" else 1.0)
    found = by_rule(tmp_path, "P3.8")
    assert found["without hyphen"] == "replicated"
    assert found["without protein"] == "partly"
