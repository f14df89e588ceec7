"""The list of claims, and a page for each: verdict, numbers, rule, and what other rules would say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from treecrf.io.messages import counted
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf_studies.framework.claims.judge import JUDGED, NOT_RUN, REPLICATED, UNDECIDED
from treecrf_studies.framework.claims.kinds import smallest_difference
from treecrf_studies.framework.claims.rows import FORMER, WITHOUT
from treecrf_studies.rendering.cells import DASH, number, p_text, p_value_text, signed, three_digits, with_and
from treecrf_studies.rendering.forest import Forest, Interval
from treecrf_studies.rendering.parts import (
    Markdown,
    Note,
    Page,
    Part,
    Section,
    Table,
    escaped,
    link,
    listed,
    paragraph,
)
from treecrf_studies.report.ledger import LARGER_SAMPLE, Ledger
from treecrf_studies.report.papers import (
    MISSING,
    Paper,
    claim_path,
    paper_of,
    signed_verdict,
    three_counts,
    verdict_text,
)
from treecrf_studies.training.published import INFERRED

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

MOST_NAMED = 4
"""A reason names at most so many values."""

MOST_LINES = 40
"""A forest plot has at most so many."""

INTRODUCTION = """
Each claim of the papers has up to three verdicts. The first is by the paper's own test on its test sets. The second is
by the sequence-level test on the same sets, which takes whole test sequences as independent. The third is by that test
on a larger sample, or for missing values on more damaged sets.

*Undecided* means that the test shows neither the claim nor its contrary. *Checked* are theorems and exact examples. An
id leads to the numbers behind its verdicts.
"""

CHANGED = """
The rules of {n} were changed after the first run. With the rules before, {other} would differ. The page of each such
claim has the rule before and the reason. All claims on accuracy were first judged by the paper's test, which has a
column of its own.
"""

FROZEN = " Nothing that decides a verdict has changed since they were frozen."

OF_CHAPTER = (
    "claim",
    "in few words",
    "the paper's test",
    "sequence-level test",
    "larger sample",
    "changes under other rules",
)
"""Columns of the table of claims on the page of a paper."""

SMALLEST = "Smallest difference that this experiment would have found, in points: {sizes}."

INFERRED_COLUMNS = (
    "This verdict rests only on FAQ sets, whose line features are inferred: the dissertation does not name them."
)

ABOUT_PRINTED = """
Table 4.1 prints log odds of the second method against the first. The sign is turned here: positive values mean that
the first method is better. Published points come from the log odds that it marks as significant, at the measured
accuracy.
"""

ABOUT_LIMITS = "Vertical lines mark the values at which the claim begins or ceases to hold."

ABOUT_INTERVALS = """
{limits} Each interval is of one comparison: 90 % for differences, 95 % for repeated measurements of a time. Tests
decide with a correction for the number of comparisons, so a grey interval may exclude zero.

Blue: the claim holds; light blue: in part; orange: it fails; grey: open.
"""

ABOUT_PAPERS_TEST = """
The measured difference is the mean of all trainings. The paper's test may rest on fewer of them, so the signs of the
two can differ.
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


def claims_table(judged: Ledger, paper: Paper) -> list[Part]:
    """The claims of a paper with their verdicts, one a line."""
    of_paper = judged.claims[judged.claims["id"].map(paper.has)]
    if of_paper.empty:
        return []
    return [Table(f"Claims: {paper.name}", _claims_layout(*judged._replace(claims=of_paper))[[*OF_CHAPTER]])]


def reason(row: Row, compared: pd.DataFrame) -> str:
    """Why a claim has its verdict, in one sentence."""
    is_open = row["verdict"] == UNDECIDED
    if row["verdict"] not in JUDGED:
        return str(row["explanation"])
    if is_open and not np.isfinite(compared["high"].astype(float)).any():
        return _without_intervals(compared)
    if NO_DIFFERENCE in row["test"] and (compared["holds"] == "yes").any():
        return _no_difference(row, compared)
    if len(compared) == 1:
        return _measured_sentence(compared.iloc[0].to_dict(), False)
    counts = compared["holds"].value_counts().to_dict()
    decisive = compared[compared["holds"] == ("open" if is_open else "no")]
    decisive = decisive if len(decisive) else compared[compared["holds"] != "yes"]
    words = {"yes": "hold{s}", "partly": "hold{s} in part", "no": "fail{s}", "open": "{be} open"}
    shown = ", ".join(
        f"{counts[name]} {text.format(s='s' * (counts[name] == 1), be='is' if counts[name] == 1 else 'are')}"
        for name, text in words.items()
        if name in counts
    )
    sentence = f"Of {counted(len(compared), 'comparison')}, {shown}"
    if "no" in counts and row.get("between"):
        possible = row["between"].split(" or ")
        start = "" if REPLICATED in possible else f"By the rule below, what fails rules out “{REPLICATED}”, and "
        decided = f"the open ones decide between “{possible[0]}” and “{possible[1]}”"
        sentence += f". {start or 'By the rule below, '}{decided}"
    if row["verdict"] == REPLICATED or decisive.empty:
        return f"{sentence}."
    return f"{sentence}. For example, {_measured_sentence(decisive.iloc[0].to_dict(), True)}"


def _no_difference(row: Row, compared: pd.DataFrame) -> str:
    """In how many comparisons the sequence-level test finds no difference, and where the paper's finds one."""
    level = _level(row)
    found = compared[compared["papers_p"] < level]
    papers = f"; the paper’s own test finds one on {with_and(found['dataset'].unique())}" if len(found) else ""
    n_none = f" in {(compared['holds'] == 'yes').sum()} of {len(compared)} comparisons" if len(compared) > 1 else ""
    first = f"The sequence-level test finds no difference{n_none}{papers}."
    return f"{first} This does not show that the methods are equal."


def _level(row: Row) -> float:
    """The level in the thresholds of a claim."""
    known = re.search(r"level ([\d.]+)", row["thresholds"])
    return float(known[1]) if known else SIGNIFICANCE_LEVEL


def _smallest(row: Row, compared: pd.DataFrame) -> str:
    """The smallest difference that each comparison of a claim about no difference would have found."""
    rows = compared[np.isfinite(compared[["low", "high"]].astype(float)).all(axis=1)]
    places = rows["dataset"].where(~rows["dataset"].duplicated(keep=False), rows["dataset"] + ", " + rows["what"])
    level, ends = _level(row), zip(rows["low"], rows["high"], places, strict=True)
    return ", ".join(
        f"{number(smallest_difference((low, high), 'better', level))} ({place})" for low, high, place in ends
    )


def _without_intervals(compared: pd.DataFrame) -> str:
    """The values of comparisons that were measured once, beside the published ones, and why they have no verdict."""
    texts = [
        f"{_value(row, 'measured')} on {row['dataset']}"
        + (f" (published {_value(row, 'published')})" if pd.notna(row["published"]) else "")
        for row in compared.to_dict("records")
    ]
    values = with_and(texts) if len(texts) <= MOST_NAMED else f"{len(texts)} values in the table below"
    return (
        f"{with_and(compared['what'].unique())}: {values}. Each was timed in one training, which gives no interval, so "
        "that no test decides."
    )


def key_number(compared: pd.DataFrame) -> str:
    """The value of a claim about one comparison with its name and interval; of others, how many of them hold."""
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
    rows = [
        {
            "data set": row["dataset"],
            "comparison": row["what"],
            "published": _value(row, "published"),
            "published as": row.get("printed") or DASH,
            "measured, averaged as published": _value(row, "alike"),
            "measured": _value(row, "measured"),
            "interval": _interval(row) or DASH,
            "p": p_value_text(row["p"]),
            "p, paper's test": p_value_text(row["papers_p"]),
            "claim": HOLDS[row["holds"]][0],
        }
        for row in compared.to_dict("records")
    ]
    layout = pd.DataFrame(rows, dtype=object)
    return layout.loc[
        :, [name in ("claim", "comparison") or not layout[name].isin([DASH, ""]).all() for name in layout]
    ]


# --- pages ------------------------------------------------------------------------------------------


def _list_page(claims: pd.DataFrame, by_rule: pd.DataFrame, compared: pd.DataFrame) -> Page:
    rules: list[Part] = [paragraph(OTHER_RULES), Table("Verdicts under other rules", rules_layout(claims, by_rule))]
    layout = _claims_layout(claims, by_rule, compared)
    sections = [
        Section("claims", "List", [Table("All claims", layout.drop(columns="in few words"))]),
        Section("other-rules", "Sensitivity to thresholds and tests", rules if len(by_rule) else []),
    ]
    lead: list[Part] = [
        paragraph(INTRODUCTION),
        paragraph("{n}:", n=counted(len(claims), "claim")),
        *listed(three_counts(claims)),
        *_rules_told(claims, by_rule),
    ]
    return Page(PATH, "Claims of the papers", sections, lead, "Claims")


def _rules_told(claims: pd.DataFrame, by_rule: pd.DataFrame) -> list[Part]:
    """How many rules were changed after the first run, how many verdicts that changed, and which rules are in force."""
    n_changed, rules = int((claims["former_rule"] != "").sum()), ", ".join(claims["rules"].unique())
    n_other = int((n_changes(claims, by_rule[by_rule["rule"] == FORMER]) > 0).sum())
    return [
        paragraph(CHANGED, n=counted(n_changed, "claim"), other=counted(n_other, "verdict")),
        paragraph("Digest of the rules in force: {rules}.{frozen}", rules=rules, frozen=FROZEN * ("(frozen)" in rules)),
    ]


def _claims_layout(claims: pd.DataFrame, by_rule: pd.DataFrame, compared: pd.DataFrame) -> pd.DataFrame:
    numbers = compared[compared["part"] == ""]
    changes = n_changes(claims, by_rule)
    columns = {
        "claim": claims["id"],
        "in few words": claims["statement"],
        "the paper's test": claims["verdict_papers_test"].map(signed_verdict),
        "sequence-level test": claims["verdict"].map(signed_verdict),
        "larger sample": claims["verdict_larger"].map(signed_verdict),
        "changes under other rules": [str(changes[claim]) if claim in changes else DASH for claim in claims["id"]],
        "the paper's words": "“" + claims["quote"] + "”",
        "source": claims["source"],
        "key number, sequence-level test": [key_number(numbers[numbers["id"] == claim]) for claim in claims["id"]],
    }
    return pd.DataFrame(columns, dtype=object)


def _claim_page(row: Row, compared: pd.DataFrame, rules: pd.DataFrame) -> Page:
    paper = paper_of(row["id"])
    parts = {str(name): rows for name, rows in compared.groupby("part", sort=False)}
    own = parts.pop("", compared.iloc[:0])
    sources = "Source: {source}. Data sets: {data_sets}. [All claims](site:{list})."
    sources += f" [Ties, mechanisms and other trees](site:{MISSING})." if paper.start == "P4" else ""
    lead: list[Part] = [
        *_verdict_notes(row, reason(row, own)),
        paragraph("> “{quote}”\n>\n> {title}, {place}", quote=row["quote"], title=paper.title, place=row["place"]),
        paragraph(
            sources,
            source=link(row["source"], paper.target(row["source"])),
            data_sets=row["data_sets"] or DASH,
            list=Markdown(PATH),
        ),
    ]
    sections = [Section("numbers", "Comparisons", _numbers(own) if len(own) else [])]
    for name, rows in parts.items():  # a larger sample, or what stands beside the claim and does not decide it
        heading = f"Larger sample: {row['data_sets_larger']}" if name == LARGER_SAMPLE else f"Also judged: {name}"
        sections.append(Section(re.sub(r"\W+", "-", name).strip("-").lower(), heading, _numbers(rows)[:1]))
    robustness = _robustness(row, rules, _smallest(row, own) if NO_DIFFERENCE in row["test"] else "")
    sections += [Section("rule", "Rule", [_rule(row)]), Section("robustness", "Robustness", robustness)]
    return Page(claim_path(row["id"]), f"{row['id']}: {row['statement'].removesuffix('.')}", sections, lead)


def _verdict_notes(row: Row, why: str) -> list[Part]:
    """The verdict with its reason, the other two verdicts, and what stands beside the claim."""
    others = {"By the paper’s test": row["verdict_papers_test"], "On a larger sample": row["verdict_larger"]}
    verdict = signed_verdict(row["verdict"])
    alone: list[Part] = []
    if row["verdict"] == NOT_RUN:
        verdict, why = f"{verdict}:", why.removeprefix("Not run: ")
    if row["verdict"] == UNDECIDED and row["verdict_larger"] in JUDGED and row["verdict_larger"] != UNDECIDED:
        sets, more = paper_of(row["id"]).samples
        verdict = f"On {sets}: {verdict}. On {more}: {signed_verdict(others.pop('On a larger sample'))}."
        why = f"On {sets}: {why[0].lower()}{why[1:]}"
        alone = [paragraph("**{verdict}**", verdict=verdict)]
    data_sets = [name for name in row["data_sets"].split(", ") if name]
    if data_sets and set(data_sets) <= set(INFERRED):
        why = f"{why} {INFERRED_COLUMNS}"
    texts = [f"{name}: {verdict_text(verdict)}." for name, verdict in others.items() if verdict]
    texts += [f"Also judged: {text}." for text in filter(None, row["beside"].split("; "))]
    first = (
        [*alone, paragraph("{why}", why=why)] if alone else [paragraph("**{verdict}** {why}", verdict=verdict, why=why)]
    )
    return [*first, *([paragraph("{texts}", texts=" ".join(texts))] if texts else [])]


def _numbers(compared: pd.DataFrame) -> list[Part]:
    layout = comparisons_layout(compared)
    parts: list[Part] = [Table("Comparisons of the claim", layout)]
    rows = compared.dropna(subset=["measured", "low", "high"]).to_dict("records")
    if 0 < len(rows) <= MOST_LINES:
        units, what = ({row[name] for row in rows} for name in ("unit", "what"))
        unit = (units.pop() if len(units) == 1 else "") or "value"
        lines = []
        for dataset, of_set in pd.DataFrame(rows).groupby("dataset", sort=False):
            lines += [Interval(str(dataset))] if len(what) > 1 else []
            lines += [
                Interval(
                    row["what"] if len(what) > 1 else row["dataset"],
                    row["measured"],
                    row["low"],
                    row["high"],
                    standing=HOLDS[row["holds"]][1],
                )
                for row in of_set.to_dict("records")
            ]
        limits = {float(limit) for row in rows for limit in row["limits"].split()} | (
            {0.0} if unit == "points" else set()
        )
        has_intervals = any(map(_interval, rows))
        title = what.pop() if len(what) == 1 else "Measured values"
        title += ", with intervals" if has_intervals else "; timed once, hence without intervals"
        about = paragraph(ABOUT_INTERVALS if has_intervals else "{limits}", limits=ABOUT_LIMITS)
        parts = [replace(Forest(title, lines, tuple(sorted(limits)), unit).part(), layout=layout), about]
    if "printed" in compared and (compared["printed"] != "").any():
        parts.append(paragraph(ABOUT_PRINTED))
    if compared["papers_p"].notna().any():
        parts.append(paragraph(ABOUT_PAPERS_TEST))
    return parts


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


def _robustness(row: Row, rules: pd.DataFrame, smallest: str) -> list[Part]:
    texts = {
        "smallest_difference": (
            "Smallest difference that this experiment would have found, for each open comparison: {sizes}."
        ),
        "n_needed": "The larger sample would have to be larger to decide its open comparisons: {sizes}.",
    }
    parts: list[Part] = [
        paragraph(text, sizes=row[name].replace("; ", ", ")) for name, text in texts.items() if row[name]
    ]
    if smallest:
        parts.append(paragraph(SMALLEST, sizes=smallest))
    if len(rules):
        layout = rules[["rule", "verdict"]].assign(verdict=rules["verdict"].map(signed_verdict))
        parts.append(Table("The verdict under other rules", layout))
    return parts


# --- words ------------------------------------------------------------------------------------------


def _shown(row: Row) -> Callable[[float], str]:
    """How the values of a comparison are written."""
    return signed if row["unit"] == "points" else _plain


def _plain(value: float) -> str:
    text = number(value) if abs(value) >= 0.1 or value == 0 else three_digits(value)
    return text.replace("-", "−")


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
    start, is_difference = "the" if with_names else "The", row["unit"] == "points"
    where = f" for {row['what']} on {row['dataset']}" if with_names else ""
    interval = _interval(row)
    if pd.isna(row["measured"]):
        return f"{row['numbers']}."
    if not interval:
        return f"{start} value{where} is {_value(row, 'measured')}."
    limits = [0.0] if is_difference and pd.notna(row["p"]) else []
    limits += [float(limit) for limit in row["limits"].split()]
    if not limits:  # judged by several values
        return f"{row['numbers']}."
    inside = sorted({limit for limit in limits if row["low"] <= limit <= row["high"]})
    margin = max((limit for limit in limits if limit and -limit in limits), default=0.0)
    start = f"{start} {row['level']:g} % interval {interval}{where}"
    if row["holds"] == "no" and -margin < row["low"] and row["high"] < margin:
        return f"{start} lies within ±{margin:g} points: the methods are equivalent."
    if inside:
        names = ["0" if not limit else f"the {_limit_text(limit, is_difference)}" for limit in inside]
        if len(inside) > 1 and inside[0] == -inside[-1]:
            names = [f"the ±{_limit_text(inside[-1], is_difference)}"]
        return f"{start} contains {' and '.join(names)}."
    if is_difference:
        p = f"; {p_text(row['p'])}" if pd.notna(row["p"]) else ""
        return f"{start} contains no threshold{p}."
    return f"{start} excludes the threshold{'s' * (len(limits) > 1)} {with_and(f'{limit:g}' for limit in limits)}."


def _limit_text(limit: float, is_difference: bool) -> str:
    return f"{limit:g}-point margin".replace("-0", "−0", 1) if is_difference else f"threshold {limit:g}"


# --- other rules ------------------------------------------------------------------------------------

AS_JUDGED = "as judged"

OTHER_RULES = """
The table judges every claim again: with its thresholds halved or doubled, with the paper's test, and without one of the
data sets. It counts the claims that were run. A rule that does not concern a claim leaves its verdict unchanged.
"""


def rules_layout(claims: pd.DataFrame, by_rule: pd.DataFrame) -> pd.DataFrame:
    """How many claims have each verdict, as judged and under every other rule, and which ones change.

    A rule that changes nothing for a claim leaves its verdict unchanged. Claims that were not run are left out. Frames
    are of `treecrf_studies.report.ledger.verdicts` and `treecrf_studies.report.ledger.verdicts_by_rule`.
    """
    judged = claims[claims["verdict"].isin(JUDGED)].set_index("id")["verdict"]
    rows = [_row(AS_JUDGED, judged, judged)]
    for rule in sorted(dict.fromkeys(by_rule["rule"]), key=lambda name: name.startswith(WITHOUT)):
        of_rule = by_rule[by_rule["rule"] == rule].set_index("id")["verdict"]
        rows.append(_row(rule, of_rule.reindex(judged.index).fillna(judged), judged))
    return pd.DataFrame(rows)


def n_changes(claims: pd.DataFrame, by_rule: pd.DataFrame) -> pd.Series:
    """Under how many other rules each claim that has a rule here has another verdict, by its id."""
    judged = claims[claims["verdict"].isin(JUDGED)].set_index("id")["verdict"]
    known = by_rule[by_rule["id"].isin(judged.index)]
    differs = known["verdict"] != known["id"].map(judged)
    return differs.groupby(known["id"]).sum().astype(int)


def _row(rule: str, verdicts: pd.Series, judged: pd.Series) -> dict[str, str]:
    counts = {verdict_text(name): str((verdicts == name).sum()) for name in JUDGED}
    return {"rule": rule, "claims that change": ", ".join(judged.index[verdicts != judged]) or DASH, **counts}
