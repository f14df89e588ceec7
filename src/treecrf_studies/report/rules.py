"""Verdicts in words, how many claims have each, and what other rules would say."""

from __future__ import annotations

import pandas as pd

from treecrf_studies.framework.claims.judge import JUDGED
from treecrf_studies.framework.claims.rows import WITHOUT
from treecrf_studies.rendering.cells import DASH
from treecrf_studies.rendering.parts import Part, Table, paragraph

AS_JUDGED = "as judged"

CAPTION = "Verdicts under other rules"

NOTE = """
The table judges every claim again: with its thresholds halved or doubled, with the paper's test, and without one of the data
sets. It counts the claims that were run. A rule that does not concern a claim leaves its verdict.
"""

SIGNS = {
    "replicated": "✓",
    "partly": "◐",
    "not_replicated": "✗",
    "undecided": "?",
    "checked": "=",
    "no_verdict": "–",
    "not_run": "–",
}
"""Before the word, so that colour is not needed to tell verdicts apart."""


def verdict_text(verdict: str) -> str:
    """A verdict as readers see it."""
    return verdict.replace("_", " ")


def signed_verdict(verdict: str) -> str:
    """The same after its sign."""
    return f"{SIGNS[verdict]} {verdict_text(verdict)}" if verdict else DASH


def rules_parts(claims: pd.DataFrame, by_rule: pd.DataFrame) -> list[Part]:
    """`rules_layout` with a note that explains it; nothing where no claim was run."""
    return [paragraph(NOTE), Table(CAPTION, rules_layout(claims, by_rule))] if len(by_rule) else []


def rules_layout(claims: pd.DataFrame, by_rule: pd.DataFrame) -> pd.DataFrame:
    """How many claims have each verdict, as judged and under every other rule, and which ones change.

    A rule that changes nothing for a claim leaves its verdict. Claims that were not run are left out. Frames are of
    `treecrf_studies.report.ledger.verdicts` and `treecrf_studies.report.ledger.verdicts_by_rule`.
    """
    judged = claims[claims["verdict"].isin(JUDGED)].set_index("id")["verdict"]
    rows = [_row(AS_JUDGED, judged, judged)]
    for rule in sorted(dict.fromkeys(by_rule["rule"]), key=lambda name: name.startswith(WITHOUT)):
        of_rule = by_rule[by_rule["rule"] == rule].set_index("id")["verdict"]
        rows.append(_row(rule, of_rule.reindex(judged.index).fillna(judged), judged))
    return pd.DataFrame(rows)


def _row(rule: str, verdicts: pd.Series, judged: pd.Series) -> dict[str, str]:
    counts = {verdict_text(name): str((verdicts == name).sum()) for name in JUDGED}
    return {"rule": rule, "claims that change": ", ".join(judged.index[verdicts != judged]) or DASH, **counts}
