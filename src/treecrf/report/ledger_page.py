"""The ledger as HTML: a table for the page of a run, and a page of its own."""

from __future__ import annotations

import os
import re
from html import escape
from typing import Any

import pandas as pd

from treecrf.io.files import write_frame, write_text
from treecrf.studies.claims import VERDICTS

HEADINGS = ("claim", "what the paper says", "verdict", "what was measured", "where it differs, or why not")

STYLE = """body { font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; margin: 1rem; color: #1a1a1a; background: #fff }
table { border-collapse: collapse } caption { text-align: left; padding-bottom: .5rem }
th, td { padding: .35rem .6rem; border-bottom: 1px solid #ccc; text-align: left; vertical-align: top }
tbody th { font-weight: normal; white-space: nowrap } small { color: #444 } td small { display: block }
thead th:nth-child(2) { width: 24% } thead th:nth-child(4) { width: 36% } thead th:nth-child(5) { width: 24% }
.verdict { font-weight: bold; white-space: nowrap }
.verdict-replicated { color: #00563f } .verdict-partly { color: #7a4a00 }
.verdict-not_replicated { color: #a32a00 } .verdict-not_run { color: #555; font-weight: normal }
@media (max-width: 45rem) { table, caption, tbody, tr, tbody th, td { display: block } tbody th, td { border: 0; padding: .1rem 0 }
thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
td::before { content: attr(data-label); display: block; font-weight: bold; font-size: .85rem; color: #444; margin-top: .3rem }
td:empty::before { content: none }
tbody tr { border-bottom: 1px solid #ccc; padding: .6rem 0 } }"""

SIGNS = {"replicated": "✓", "partly": "◐", "not_replicated": "✗", "not_run": "–"}
"""Before the word, so that colour is not needed to tell verdicts apart."""


def ledger_summary(frame: pd.DataFrame) -> str:
    """How many claims have each verdict, as one sentence of text."""
    counts = frame["verdict"].value_counts()
    parts = ", ".join(f"{counts.get(verdict, 0)} {verdict_text(verdict)}" for verdict in VERDICTS)
    return f"{len(frame)} claims: {parts}."


def verdict_text(verdict: str) -> str:
    """A verdict as readers see it."""
    return verdict.replace("_", " ")


def ledger_fragment(frame: pd.DataFrame) -> str:
    """The ledger as an HTML table.

    Parameters
    ----------
    frame : DataFrame
        From `treecrf.report.ledger.verdicts`; some rows of it will do.

    Returns
    -------
    str
        A table of class "ledger" with a caption; the verdict is a cell of the classes "verdict" and "verdict-" followed by
        the verdict, with data-verdict for scripts that sort or filter. On narrow screens cells stand below one another, each
        with its data-label; roles keep it a table for screen readers.
    """
    head = "".join(f'<th scope="col" role="columnheader">{heading}</th>' for heading in HEADINGS)
    rows = "".join(_row(row) for row in frame.to_dict("records"))
    return (
        f'<table class="ledger" role="table"><caption>{escape(ledger_summary(frame))}</caption>'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead><tbody role="rowgroup">{rows}</tbody></table>'
    )


def write_ledger(frame: pd.DataFrame, csv: str | os.PathLike[str], html: str | os.PathLike[str]) -> None:
    """Write the verdicts as CSV and as an HTML page that needs no other file."""
    write_frame(frame, csv)
    page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Ledger of claims</title><style>{STYLE}</style>'
    write_text(f"{page}{ledger_fragment(frame)}</html>\n", html)


def _row(row: dict[Any, Any]) -> str:
    verdict = str(row["verdict"])
    word = f"{SIGNS[verdict]} {verdict_text(verdict)}"
    of_verdict = f' class="verdict verdict-{verdict}" data-verdict="{verdict}"'
    cells = (
        ("", f"{escape(row['statement'])}{_small('Check: ', row['check'])}"),
        (of_verdict, f"{word}{_small('', _stand_in_text(row))}"),
        ("", f"{_lines(row['numbers'])}{_small('Data: ', row['data_sets'])}{_small('Test: ', row['test'])}"),
        ("", _lines(row["explanation"])),
    )
    labelled = "".join(
        f'<td role="cell" data-label="{heading}"{more}>{inside}</td>'
        for heading, (more, inside) in zip(HEADINGS[1:], cells, strict=True)
    )
    claim = escape(row["id"])
    head = f'<th scope="row" role="rowheader" id="claim-{claim}">{claim}<br><small>{escape(row["source"])}</small></th>'
    return f'<tr role="row">{head}{labelled}</tr>'


def _lines(text: str) -> str:
    """A text whose parts end in semicolons, each part on a line of its own."""
    together = re.sub(r"p ([=<]) ", "p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)
    return ";<br>".join(escape(part) for part in together.split("; "))


def _stand_in_text(row: dict[Any, Any]) -> str:
    """Whether the data sets behind a verdict are stand-ins."""
    if not row["stand_in"]:
        return ""
    return "on stand-ins" if "stand-in" in row["data_sets"].split("; ")[0] else "in part on stand-ins"


def _small(title: str, text: str) -> str:
    return f"<small>{title}{escape(text)}</small>" if text else ""
