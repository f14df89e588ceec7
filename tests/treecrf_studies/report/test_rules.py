"""Verdicts under other rules, as a table."""

import pandas as pd

from treecrf_studies.report.claim_pages import rules_layout

CLAIMS = pd.DataFrame({"id": ["A", "B", "C"], "verdict": ["replicated", "partly", "not_run"]})
BY_RULE = pd.DataFrame(
    [
        ("A", "thresholds halved", "partly"),
        ("A", "without protein", "replicated"),
        ("A", "without hyphen", "partly"),
        ("B", "thresholds halved", "partly"),
        ("B", "the papers' tests", "undecided"),
    ],
    columns=["id", "rule", "verdict"],
)


def test_claims_without_a_rule_keep_their_verdict_in_the_counts():
    layout = rules_layout(CLAIMS, BY_RULE).set_index("rule")
    assert layout.index.tolist() == [
        "as judged",
        "thresholds halved",
        "the papers' tests",
        "without protein",
        "without hyphen",
    ]
    counted = layout[["replicated", "partly", "not replicated", "undecided"]].astype(int)
    assert counted.to_numpy().tolist() == [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 2, 0, 0]]
    assert layout["claims that change"].tolist() == ["–", "A", "B", "–", "A"]
