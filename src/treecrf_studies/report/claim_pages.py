"""The list of claims, and a page for each: verdict, numbers, rule, and what other rules would say."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from treecrf.io.files import write_text
from treecrf.io.messages import counted
from treecrf_studies.framework.claims.judge import JUDGED, REPLICATED, UNDECIDED, VERDICTS
from treecrf_studies.rendering.cells import (
    DASH,
    Cell,
    Link,
    framed,
    number,
    p_value_text,
    signed,
    three_digits,
    with_and,
)
from treecrf_studies.rendering.parts import Forest, Group, Interval, Note, Page, Part, Section, Table, paragraph
from treecrf_studies.rendering.templates import render_page
from treecrf_studies.report.ledger import LARGER_SAMPLE, read_comparisons, read_ledger
from treecrf_studies.report.papers import PAPERS, claim_path, counts_text, paper_of, three_counts
from treecrf_studies.report.rules import rules_parts, signed_verdict, verdict_text

PATH = "claims.html"

HOLDS = {
    "yes": ("✓ holds", "replicated"),
    "partly": ("◐ in part", "partly"),
    "no": ("✗ fails", "not_replicated"),
    "open": ("? open", "undecided"),
}
"""What the comparisons table shows of each value of "holds", and the verdict whose colour it has."""

MOST_LINES = 40
"""A forest plot has at most so many."""

INTRODUCTION = """
What the papers claim, judged by the results of this run in three ways: by the paper's own test on its test sets; by the
sequence-level test, which takes whole test sequences as independent, on the same sets; and by that test on a larger sample of the
same population, where there is one (of missing values: more damaged sets of the same test sequences). Undecided means that the tests leave open what decides the claim. Checked are theorems and
exact examples. Follow an id to the numbers behind a verdict.
"""

ABOUT_INTERVALS = """
Intervals are of single comparisons, without a correction for their number: 90 % of differences, 95 % over repeated measurements of
a time. Lines mark the values at which the claim begins or ceases to hold.
"""

ABOUT_PAPERS_TEST = """
The paper's test may rest on fewer trainings than the measured difference, which is the mean of all: the signs of the two can differ.
"""

Row = Mapping[Any, Any]


def claim_pages(
    claims: pd.DataFrame, by_rule: pd.DataFrame, compared: pd.DataFrame, papers: Collection[str] = ()
) -> list[Page]:
    """The list of claims (frames of `treecrf_studies.report.ledger`), then a page for each; `papers` are the files of their pages."""
    rows = dict(list(with_thresholds(compared).groupby("id")))
    rules = dict(list(by_rule.groupby("id")))
    pages = [
        _claim_page(row, rows.get(row["id"], compared.iloc[:0]), rules.get(row["id"], by_rule.iloc[:0]), papers)
        for row in claims.to_dict("records")
    ]
    return [_list_page(claims, by_rule, compared), *pages]


def write_list(results: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Write the list of claims of a run as one HTML file."""
    claims, _ = read_ledger(results)
    table = _list_table(claims, read_comparisons(results), is_linked=False)
    write_text(render_page("table_page.html", title="Claims of the papers", table=table.html()), path)


def reason(row: Row, compared: pd.DataFrame) -> str:
    """Why a claim has its verdict, in one sentence."""
    if row["verdict"] not in JUDGED:
        return str(row["explanation"])
    counts = compared["holds"].value_counts()
    decisive = compared[compared["holds"] == ("open" if row["verdict"] == UNDECIDED else "no")]
    decisive = decisive if len(decisive) else compared[compared["holds"] != "yes"]
    example = _measured_sentence(decisive.iloc[0].to_dict(), len(compared) > 1) if len(decisive) else ""
    if len(compared) == 1:
        return example or _measured_sentence(compared.iloc[0].to_dict(), False)
    words = {
        "yes": ("holds", "hold"),
        "partly": ("holds in part", "hold in part"),
        "no": ("fails", "fail"),
        "open": ("is open", "are open"),
    }
    shown = ", ".join(f"{counts[name]} {text[int(counts[name] > 1)]}" for name, text in words.items() if name in counts)
    found = f"Of {counted(len(compared), 'comparison')}, {shown}"
    return f"{found}." if row["verdict"] == REPLICATED or not example else f"{found}; for example, {example}"


def key_number(compared: pd.DataFrame) -> str:
    """The value of a claim about one comparison, with its interval; of others, how many of them hold."""
    if len(compared) == 1 and compared["measured"].notna().all():
        return _with_interval(compared.iloc[0].to_dict())
    return f"{int((compared['holds'] == 'yes').sum())} of {len(compared)} hold" if len(compared) else DASH


def with_thresholds(compared: pd.DataFrame) -> pd.DataFrame:
    """The comparisons; what is compared with several thresholds names each."""
    repeats = compared.duplicated(["id", "part", "dataset", "what"], keep=False)
    limits = compared["limits"].str.replace(" ", " and ")
    return compared.assign(what=compared["what"].where(~repeats, compared["what"] + ", threshold " + limits))


def comparisons_layout(compared: pd.DataFrame) -> pd.DataFrame:
    """A line for each comparison: published, measured, interval, p-values, and whether the claim holds."""
    rows = compared.to_dict("records")
    shown: dict[str, list[Any]] = {
        "data set": [row["dataset"] for row in rows],
        "comparison": [row["what"] for row in rows],
        "published": [_value(row, "published") for row in rows],
        "measured, averaged as published": [_value(row, "alike") for row in rows],
        "measured": [_value(row, "measured") for row in rows],
        "interval": [_interval(row) or DASH for row in rows],
        "p": [p_value_text(row["p"]) for row in rows],
        "p, paper's test": [p_value_text(row["papers_p"]) for row in rows],
        "claim": [Cell(HOLDS[row["holds"]][0], verdict=HOLDS[row["holds"]][1]) for row in rows],
    }
    return framed(
        {
            name: cells
            for name, cells in shown.items()
            if name in ("claim", "comparison") or {*map(str, cells)} - {DASH, ""}
        }
    )


# --- pages ------------------------------------------------------------------------------------------


def _list_page(claims: pd.DataFrame, by_rule: pd.DataFrame, compared: pd.DataFrame) -> Page:
    sections = [
        Section(f"claims-{paper.letter}", paper.title, [_list_table(of_paper, compared)])
        for paper in PAPERS
        if len(of_paper := claims[claims["id"].str[0] == paper.letter])
    ]
    rules = rules_parts(claims, by_rule)
    digest = ", ".join(dict.fromkeys(claims["rules"]))
    lead: list[Part] = [
        paragraph(INTRODUCTION),
        paragraph(
            "{n}. {counts} Digest of the rules: {digest}.",
            n=counted(len(claims), "claim"),
            counts=three_counts(claims),
            digest=digest,
        ),
    ]
    others = [Section("other-rules", "Sensitivity to thresholds and tests", rules)] if rules else []
    return Page(PATH, "Claims of the papers", "Claims", [Group("", [*sections, *others])], lead)


def _list_table(claims: pd.DataFrame, compared: pd.DataFrame, is_linked: bool = True) -> Table:
    rows = claims.to_dict("records")
    numbers = dict(list(compared[compared["part"] == ""].groupby("id")))
    nothing = compared.iloc[:0]
    columns: dict[str, list[Any]] = {
        "claim": [
            Cell("", links=(Link(row["id"], claim_path(row["id"])),)) if is_linked else row["id"] for row in rows
        ],
        "the paper's test": [_verdict(row["verdict_papers_test"]) for row in rows],
        "sequence-level test": [_verdict(row["verdict"]) for row in rows],
        "larger sample": [_verdict(row["verdict_larger"]) for row in rows],
        "the paper's words": [f"“{row['quote']}”" for row in rows],
        "source": [row["source"] for row in rows],
        "key number": [key_number(numbers.get(row["id"], nothing)) for row in rows],
    }
    return Table(f"Claims: {counts_text(claims)}", framed(columns), is_list=True)


def _claim_page(row: Row, compared: pd.DataFrame, rules: pd.DataFrame, papers: Collection[str]) -> Page:
    paper = paper_of(row["id"])
    source = (
        Cell("", links=(Link(row["source"], paper.target(row["source"])),)) if paper.path in papers else row["source"]
    )
    parts = {str(name): rows for name, rows in compared.groupby("part", sort=False)}
    own = parts.pop("", compared.iloc[:0])
    lead: list[Part] = [
        _verdict_note(row, reason(row, own)),
        Note(Markup("<blockquote>“{}”<footer>{}</footer></blockquote>").format(row["quote"], f"{paper.title}, {row['place']}")),
        Table("Sources", pd.DataFrame({
            "source": [source],
            "data sets": [row["data_sets"] or DASH],
            "all claims": [Cell("", links=(Link(f"Claims: {paper.name}", f"{PATH}#claims-{paper.letter}"),))],
        }, dtype=object), is_list=True),
    ]  # fmt: skip
    sections = [Section("numbers", "Comparisons", _numbers(own))] if len(own) else []
    sections += [Section(_identifier(name), _heading(name, row), _numbers(rows)) for name, rows in parts.items()]
    sections += [Section("rule", "Rule", [_rule(row)]), Section("robustness", "Robustness", _robustness(row, rules))]
    title = f"Claim {row['id']}"
    return Page(claim_path(row["id"]), title, title, [Group("", [s for s in sections if s.parts])], lead)


def _identifier(part: str) -> str:
    return re.sub(r"\W+", "-", part).strip("-").lower()


def _heading(part: str, row: Row) -> str:
    """Of a section on a larger sample, or on what stands beside the claim and does not decide it."""
    if part == LARGER_SAMPLE:
        return f"Larger sample: {row['data_sets_larger']}"
    return f"Beside it: {part}"


def _verdict_note(row: Row, why: str) -> Note:
    """The verdict with its reason, the other two verdicts, and what stands beside the claim."""
    others = {"By the paper’s test": row["verdict_papers_test"], "On a larger sample": row["verdict_larger"]}
    texts = [f"{name}: {verdict_text(verdict)}." for name, verdict in others.items() if verdict]
    texts += [f"Beside it, {text}." for text in filter(None, row["beside"].split("; "))]
    other = Markup(' <span class="quiet">{}</span>').format(" ".join(texts)) if texts else ""
    text = '<p class="decision"><span class="verdict verdict-{}">{}</span> {}{}</p>'
    return Note(Markup(text).format(row["verdict"], signed_verdict(row["verdict"]), why, other))


def _numbers(compared: pd.DataFrame) -> list[Part]:
    parts: list[Part] = [Table("A line for each comparison of the claim", comparisons_layout(compared), is_list=True)]
    if compared["papers_p"].notna().any():
        parts.append(paragraph(ABOUT_PAPERS_TEST))
    rows = compared.dropna(subset=["measured", "low", "high"]).to_dict("records")
    limits = sorted({float(limit) for row in rows for limit in row["limits"].split()})
    if rows and len(rows) <= MOST_LINES:
        units = {row["unit"] for row in rows}
        unit = units.pop() or "value" if len(units) == 1 else "value"
        lines = [
            Interval(
                f"{row['dataset']}, {row['what']}",
                row["measured"],
                row["low"],
                row["high"],
                standing=HOLDS[row["holds"]][1],
            )
            for row in rows
        ]
        zero = (0.0,) if unit == "points" else ()
        parts += [Forest("Measured values with their intervals", lines, tuple(sorted({*limits, *zero})), unit)]
        parts += [paragraph(ABOUT_INTERVALS)]
    return parts


def _rule(row: Row) -> Note:
    items = {
        "Claim": row["statement"], "Check": row["check"], "Test": row["test"], "Thresholds": row["thresholds"],
        "Rule before": row["former_rule"], "Changed because": row["former_reason"],
    }  # fmt: skip
    lines = [Markup("<dt>{}</dt><dd>{}</dd>").format(name, text) for name, text in items.items() if text]
    return Note(Markup("<dl>{}</dl>").format(Markup("").join(lines)))


def _robustness(row: Row, rules: pd.DataFrame) -> list[Part]:
    parts: list[Part] = []
    if row["smallest_difference"]:
        text = "Smallest difference that this experiment would have found, for each open comparison: {sizes}."
        parts.append(paragraph(text, sizes=row["smallest_difference"].replace("; ", ", ")))
    if row["n_needed"]:
        text = "The larger sample would have to be larger to decide its open comparisons: {sizes}."
        parts.append(paragraph(text, sizes=row["n_needed"].replace("; ", ", ")))
    if len(rules):
        layout = pd.DataFrame(
            {"rule": rules["rule"].tolist(), "verdict": [_verdict(name) for name in rules["verdict"]]}
        )
        parts.append(Table("The verdict under other rules", layout))
    return parts


# --- words ------------------------------------------------------------------------------------------


def _verdict(verdict: str) -> Cell:
    return Cell(signed_verdict(verdict), verdict=verdict)


def _is_difference(row: Row) -> bool:
    """Whether a value is a difference in points of accuracy."""
    return bool(row["unit"] == "points")


def _plain(value: float) -> str:
    return number(value) if abs(value) >= 0.1 or value == 0 else three_digits(value)


def _shown(row: Row) -> Callable[[float], str]:
    """How the values of a comparison are written."""
    return signed if _is_difference(row) else _plain


def _value(row: Row, name: str) -> str:
    return DASH if pd.isna(row[name]) else _shown(row)(row[name])


def _interval(row: Row) -> str:
    if not np.isfinite([row["low"], row["high"]]).all():  # a time that was measured once has no interval
        return ""
    return " to ".join(_shown(row)(row[end]) for end in ("low", "high"))


def _with_interval(row: Row) -> str:
    unit = f" {row['unit']}" if row["unit"] else ""
    value = f"{_value(row, 'measured')}{unit}"
    return f"{value} ({_interval(row)})" if _interval(row) else value


def _measured_sentence(row: Row, with_names: bool) -> str:
    """What an interval says of the thresholds, or the value where there is none."""
    where = f" for {row['what']} on {row['dataset']}" if with_names else ""
    the = "the" if with_names else "The"
    if pd.isna(row["measured"]):
        return f"{row['numbers']}."
    interval = _interval(row)
    if not interval:
        return f"{the} value{where} is {_value(row, 'measured')}."
    limits = [0.0] if _is_difference(row) and pd.notna(row["p"]) else []
    limits += [float(limit) for limit in row["limits"].split()]
    inside = sorted({limit for limit in limits if row["low"] <= limit <= row["high"]})
    around = [limit for limit in limits if limit and -limit in limits]
    start = f"{the} {row['level']:g} % interval {interval}{where}"
    if row["holds"] == "no" and around and -max(around) < row["low"] and row["high"] < max(around):
        return f"{start} lies within ±{max(around):g} points: the methods are equivalent."
    if inside:
        both = len(inside) > 1 and inside[0] == -inside[-1]
        names = [f"the ±{_limit_text(inside[-1], row)}"] if both else []
        names = names or ["0" if not limit else f"the {_limit_text(limit, row)}" for limit in inside]
        return f"{start} contains {' and '.join(names)}."
    p = (
        f"; p {'' if p_value_text(row['p']).startswith('<') else '= '}{p_value_text(row['p'])}"
        if pd.notna(row["p"])
        else ""
    )
    if not limits:  # judged by several values
        return f"{row['numbers']}."
    names = f"the threshold{'s' * (len(limits) > 1)} {with_and(f'{limit:g}' for limit in limits)}"
    return f"{start} contains no threshold{p}." if _is_difference(row) else f"{start} excludes {names}."


def _limit_text(limit: float, row: Row) -> str:
    return f"{limit:g}-point margin".replace("-0", "−0", 1) if _is_difference(row) else f"threshold {limit:g}"


def papers_table(claims: pd.DataFrame, paths: Sequence[str]) -> Table:
    """The papers with links to those pages that there are, and their verdicts."""
    rows = [(paper, claims[claims["id"].str[0] == paper.letter]) for paper in PAPERS]
    there = set(claims["verdict"])
    verdicts = [verdict for verdict in VERDICTS if verdict in there]
    columns: dict[str, list[Any]] = {
        "paper": [
            Cell(paper.title, links=(Link(paper.title, paper.path),)) if paper.path in paths else paper.title
            for paper, _ in rows
        ],
        "claims": [str(len(of)) for _, of in rows],
    }
    for verdict in verdicts:
        counts = [int((of["verdict"] == verdict).sum()) for _, of in rows]
        columns[verdict_text(verdict)] = [Cell(str(n), verdict=verdict) if n else DASH for n in counts]
    return Table("The five papers and the verdicts on their claims", framed(columns), is_list=True)
