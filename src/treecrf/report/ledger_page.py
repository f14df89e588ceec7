"""The ledger as HTML: a table for the page of a run, and a page of its own."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from treecrf.io.files import write_frame, write_text
from treecrf.rendering.templates import render, render_page
from treecrf.report.ledger import BY_RULE, CLAIMS
from treecrf.report.rules import changes_text, rules_parts, verdict_text
from treecrf.studies.framework.claims.judge import VERDICTS

HEADINGS = ("claim", "verdict", "what the paper says", "what was measured", "where it differs, or why not")

SIGNS = {"replicated": "✓", "partly": "◐", "not_replicated": "✗", "undecided": "?", "no_verdict": "–", "not_run": "–"}
"""Before the word, so that colour is not needed to tell verdicts apart."""


def ledger_summary(frame: pd.DataFrame) -> str:
    """How many claims have each verdict, as text."""
    counts = frame["verdict"].value_counts()
    parts = ", ".join(f"{counts.get(verdict, 0)} {verdict_text(verdict)}" for verdict in VERDICTS)
    return f"{len(frame)} claims: {parts}."


def ledger_fragment(frame: pd.DataFrame, by_rule: pd.DataFrame) -> Markup:
    """The ledger as an HTML table of class "ledger" with a caption.

    Parameters are from `treecrf.report.ledger.verdicts` and `treecrf.report.ledger.verdicts_by_rule`.

    The verdict is a cell of the classes "verdict" and "verdict-" followed by the verdict, with data-verdict for scripts
    that sort or filter. On narrow screens cells stand below one another, each with its data-label; roles keep it a
    table for screen readers.
    """
    rules = dict(list(by_rule.groupby("id")))
    claims = [_claim(row, rules.get(row["id"], by_rule.iloc[:0])) for row in frame.to_dict("records")]
    digest = ", ".join(dict.fromkeys(frame["rules"]))
    return render("ledger.html", headings=HEADINGS, summary=ledger_summary(frame), digest=digest, claims=claims)


def write_ledger(frame: pd.DataFrame, by_rule: pd.DataFrame, folder: str | os.PathLike[str]) -> None:
    """Write `CLAIMS` and `BY_RULE`, and ``claims.html``, a page that needs no other file."""
    write_frame(frame, Path(folder) / CLAIMS)
    write_frame(by_rule, Path(folder) / BY_RULE)
    ledger, rules = ledger_fragment(frame, by_rule), rules_parts(frame, by_rule)
    write_text(
        render_page("ledger_page.html", title="Ledger of claims", ledger=ledger, rules=rules),
        Path(folder) / "claims.html",
    )


def _claim(row: dict[Any, Any], rules: pd.DataFrame) -> dict[str, Any]:
    """A claim with what the template shows beside its columns."""
    return {
        **row,
        "sign": SIGNS[row["verdict"]],
        "word": verdict_text(row["verdict"]),
        "word_of_paper": verdict_text(row["verdict_papers_test"]),
        "numbers": _lines(row["numbers"]),
        "explanation": _lines(row["explanation"]),
        "other_rules": changes_text(row["verdict"], rules),
    }


def _lines(text: str) -> list[str]:
    """The parts of a text that end in semicolons; a p-value does not break."""
    return re.sub(r"p ([=<]) ", "p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text).split("; ")
