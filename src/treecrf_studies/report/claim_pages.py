"""The list of claims, and a page for each: verdict, numbers, rule, and what other rules would say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.framework.claims.judge import JUDGED, REPLICATED, UNDECIDED
from treecrf_studies.rendering.cells import DASH, framed, number, p_value_text, signed, three_digits, with_and
from treecrf_studies.rendering.forest import Forest, Interval
from treecrf_studies.rendering.parts import (
    Group,
    Markdown,
    Note,
    Page,
    Part,
    Section,
    Table,
    escaped,
    link,
    listed,
    md,
    paragraph,
)
from treecrf_studies.report.ledger import LARGER_SAMPLE
from treecrf_studies.report.papers import (
    MISSING,
    PAPERS,
    claim_path,
    counts_text,
    paper_of,
    rules_parts,
    signed_verdict,
    three_counts,
    verdict_text,
)

PATH = "claims.md"

HOLDS = {
    "yes": ("✓ holds", "replicated"),
    "partly": ("◐ in part", "partly"),
    "no": ("✗ fails", "not_replicated"),
    "open": ("? open", "undecided"),
}
"""What the comparisons table shows of each value of "holds", and the verdict whose colour it has."""

NO_DIFFERENCE = "which does not show that the methods are equal"
"""In the tests of claims that hold where no difference is found."""

MOST_LINES = 40
"""A forest plot has at most so many."""

INTRODUCTION = """
Each claim of the papers has up to three verdicts. The first is by the paper's own test on its test sets. The second is by the
sequence-level test on the same sets, which takes whole test sequences as independent. The third is by that test on a larger
sample, or for missing values on more damaged sets.

*Undecided* means that the test shows neither the claim nor its contrary. *Checked* are theorems and exact examples. An id leads
to the numbers behind its verdicts.
"""

ABOUT_LIMITS = "Vertical lines mark the values at which the claim begins or ceases to hold."

ABOUT_INTERVALS = """
{limits} Each interval is of one comparison, without a
correction for their number: 90 % for differences, 95 % for repeated measurements of a time. Blue: the claim holds; light blue:
in part; orange: it fails; grey: open. Tests decide with a correction, so a grey interval may exclude zero.
"""

ABOUT_PAPERS_TEST = """
The measured difference is the mean of all trainings. The paper's test may rest on fewer of them, so the signs of the two can differ.
"""

Row = Mapping[Any, Any]


def claim_pages(claims: pd.DataFrame, by_rule: pd.DataFrame, compared: pd.DataFrame) -> list[Page]:
    """The list of claims (frames of `treecrf_studies.report.ledger`), then a page for each."""
    rows = dict(list(with_thresholds(compared).groupby("id")))
    rules = dict(list(by_rule.groupby("id")))
    pages = [
        _claim_page(row, rows.get(row["id"], compared.iloc[:0]), rules.get(row["id"], by_rule.iloc[:0]))
        for row in claims.to_dict("records")
    ]
    return [_list_page(claims, by_rule, compared), *pages]


def reason(row: Row, compared: pd.DataFrame) -> str:
    """Why a claim has its verdict, in one sentence."""
    if row["verdict"] not in JUDGED:
        return str(row["explanation"])
    if row["verdict"] == UNDECIDED and not np.isfinite(compared["high"].astype(float)).any():
        return _without_intervals(compared)
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
    if NO_DIFFERENCE in row["test"]:
        found += "; no test finds a difference, which does not show that there is none"
    return f"{found}." if row["verdict"] == REPLICATED or not example else f"{found}; for example, {example}"


def _without_intervals(compared: pd.DataFrame) -> str:
    """The values of comparisons that were measured once, beside the published ones, and why they have no verdict."""
    texts = [
        f"{_value(row, 'measured')} on {row['dataset']}"
        + (f" (published {_value(row, 'published')})" if pd.notna(row["published"]) else "")
        for row in compared.to_dict("records")
    ]
    what = with_and(compared["what"].unique())
    return (
        f"{what}: {with_and(texts)}. Each was timed in one training, which gives no interval, so that no test decides."
    )


def key_number(compared: pd.DataFrame) -> str:
    """The value of a claim about one comparison, with what it is of and its interval; of others, how many of them hold."""
    if len(compared) == 1 and compared["measured"].notna().all():
        row = compared.iloc[0].to_dict()
        return f"{row['what']}: {_with_interval(row)}"
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
        "claim": [HOLDS[row["holds"]][0] for row in rows],
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
        Section(f"claims-{paper.start}", paper.title, [_list_table(of_paper, compared)])
        for paper in PAPERS
        if len(of_paper := claims[claims["id"].map(paper.has)])
    ]
    rules = rules_parts(claims, by_rule)
    digest = ", ".join(dict.fromkeys(claims["rules"]))
    lead: list[Part] = [
        paragraph(INTRODUCTION),
        paragraph("{n}:", n=counted(len(claims), "claim")),
        *listed(three_counts(claims)),
        paragraph("Digest of the rules: {digest}.", digest=digest),
    ]
    others = [Section("other-rules", "Sensitivity to thresholds and tests", rules)] if rules else []
    return Page(PATH, "Claims of the papers", "Claims", [Group("", [*sections, *others])], lead)


def _list_table(claims: pd.DataFrame, compared: pd.DataFrame) -> Table:
    rows = claims.to_dict("records")
    numbers = dict(list(compared[compared["part"] == ""].groupby("id")))
    nothing = compared.iloc[:0]
    columns: dict[str, list[Any]] = {
        "claim": [row["id"] for row in rows],
        "the paper's test": [signed_verdict(row["verdict_papers_test"]) for row in rows],
        "sequence-level test": [signed_verdict(row["verdict"]) for row in rows],
        "larger sample": [signed_verdict(row["verdict_larger"]) for row in rows],
        "the paper's words": [f"“{row['quote']}”" for row in rows],
        "source": [row["source"] for row in rows],
        "key number, sequence-level test": [key_number(numbers.get(row["id"], nothing)) for row in rows],
    }
    return Table(f"Claims: {counts_text(claims)}", framed(columns))


def _claim_page(row: Row, compared: pd.DataFrame, rules: pd.DataFrame) -> Page:
    paper = paper_of(row["id"])
    parts = {str(name): rows for name, rows in compared.groupby("part", sort=False)}
    own = parts.pop("", compared.iloc[:0])
    sources = "Source: {source}. Data sets: {data_sets}. [All claims of the paper](site:{list}#claims-{start})."
    sources += f" [Ties, mechanisms and other trees](site:{MISSING})." if paper.start == "P4" else ""
    lead: list[Part] = [
        *_verdict_notes(row, reason(row, own)),
        paragraph("> “{quote}”\n>\n> {title}, {place}", quote=row["quote"], title=paper.title, place=row["place"]),
        paragraph(
            sources,
            source=link(row["source"], paper.target(row["source"])),
            data_sets=row["data_sets"] or DASH,
            list=Markdown(PATH),
            start=paper.start,
        ),
    ]
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


def _verdict_notes(row: Row, why: str) -> list[Part]:
    """The verdict with its reason, the other two verdicts, and what stands beside the claim."""
    others = {"By the paper’s test": row["verdict_papers_test"], "On a larger sample": row["verdict_larger"]}
    texts = [f"{name}: {verdict_text(verdict)}." for name, verdict in others.items() if verdict]
    texts += [f"Beside it, {text}." for text in filter(None, row["beside"].split("; "))]
    verdict = paragraph("**{verdict}** {why}", verdict=signed_verdict(row["verdict"]), why=why)
    return [verdict, *([paragraph("{texts}", texts=" ".join(texts))] if texts else [])]


def _numbers(compared: pd.DataFrame) -> list[Part]:
    layout = comparisons_layout(compared)
    parts: list[Part] = [Table("Comparisons of the claim", layout)]
    rows = compared.dropna(subset=["measured", "low", "high"]).to_dict("records")
    limits = sorted({float(limit) for row in rows for limit in row["limits"].split()})
    if rows and len(rows) <= MOST_LINES:
        units = {row["unit"] for row in rows}
        unit = units.pop() or "value" if len(units) == 1 else "value"
        sets = {row["dataset"] for row in rows}
        lines = [
            Interval(
                f"{row['dataset']}, {row['what']}" if len(sets) > 1 else row["what"],
                row["measured"],
                row["low"],
                row["high"],
                standing=HOLDS[row["holds"]][1],
            )
            for row in rows
        ]
        zero = (0.0,) if unit == "points" else ()
        has_intervals = any(map(_interval, rows))
        title = _drawn(rows) + (", with intervals" if has_intervals else "; timed once, hence without intervals")
        drawn = Forest(title, lines, tuple(sorted({*limits, *zero})), unit).part()
        about = paragraph(ABOUT_INTERVALS if has_intervals else "{limits}", limits=ABOUT_LIMITS)
        parts = [replace(drawn, layout=layout), about]
    if compared["papers_p"].notna().any():
        parts.append(paragraph(ABOUT_PAPERS_TEST))
    return parts


def _drawn(rows: Sequence[Row]) -> str:
    """What a plot shows, where all of its values are of one thing."""
    what = {row["what"] for row in rows}
    return what.pop() if len(what) == 1 else "Measured values"


def _rule(row: Row) -> Note:
    items = {
        "Claim": row["statement"],
        "Check": row["check"],
        "Test": row["test"],
        "Thresholds": row["thresholds"],
        "Rule before": row["former_rule"],
        "Changed because": row["former_reason"],
    }
    return Note(Markdown("\n".join(f"- **{name}:** {escaped(text)}" for name, text in items.items() if text)))


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
            {"rule": rules["rule"].tolist(), "verdict": [signed_verdict(name) for name in rules["verdict"]]}
        )
        parts.append(Table("The verdict under other rules", layout))
    return parts


# --- words ------------------------------------------------------------------------------------------


def _is_difference(row: Row) -> bool:
    """Whether a value is a difference in points of accuracy."""
    return bool(row["unit"] == "points")


def _plain(value: float) -> str:
    text = number(value) if abs(value) >= 0.1 or value == 0 else three_digits(value)
    return text.replace("-", "−")


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


def papers_list(claims: pd.DataFrame) -> list[Part]:
    """The papers with links to their pages, and the verdicts on their claims."""
    items = []
    for paper in PAPERS:
        of_paper = claims[claims["id"].map(paper.has)]
        texts = {"paper": link(paper.title, paper.path), "n": counted(len(of_paper), "claim")}
        items.append(md("{paper}: {n}; {counts}", **texts, counts=counts_text(of_paper) or "none judged"))
    return listed(items)
