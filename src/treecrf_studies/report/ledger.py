"""All claims and the verdicts on them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treecrf.io.files import write_frame
from treecrf.io.messages import repeated
from treecrf_studies.framework.claims.frozen import claims_of, rules_text
from treecrf_studies.framework.claims.judge import (
    FAILS,
    HOLDS,
    JUDGED,
    LEANS,
    NO_VERDICT,
    NOT_RUN,
    Finding,
    Observation,
    Results,
)
from treecrf_studies.framework.claims.rows import (
    AS_JUDGED,
    BY_PAPER,
    LARGER,
    Rule,
    check_claim,
    former_rules,
    other_rules,
    thresholds_text,
)
from treecrf_studies.registry import registry

SNAPSHOT = "claims.md"
"""A file that the folder of a snapshot has, and that of a run has not."""

PAPERS = "PMIUE"
"""The letters that ids of claims begin with, in the order of the ledger: PhD, MS, ICML, UAI, ESPBoost."""

WORDED = ("id", "source", "statement", "quote", "place", "check")
"""Columns of `verdicts` that are keys of a claim."""

LARGER_SAMPLE = "larger sample"
"""Of `part` in `comparisons`: on a larger sample; other values are names of what stands beside a claim, empty for the
claim itself.
"""

COMPARED_COLUMNS = (
    "id",
    "part",
    "dataset",
    "method",
    "other",
    "what",
    "published",
    "printed",
    "measured",
    "alike",
    "low",
    "high",
    "level",
    "unit",
    "p",
    "papers_p",
    "limits",
    "holds",
    "numbers",
)
"""Of `comparisons`."""

COMPARED_TEXTS = ("id", "part", "dataset", "method", "other", "what", "printed", "unit", "limits", "holds", "numbers")
"""Columns of `comparisons` that are no numbers."""

SHORTENED = "Shortened protocol: it decides no claim."
"""Instead of verdicts, where `verdicts` is told so."""

FILES = CLAIMS, BY_RULE, COMPARED = "claims.csv", "claims_by_rule.csv", "claims_compared.csv"
"""The files of `verdicts`, `verdicts_by_rule` and `comparisons` in the folder of results."""


def claim_rows() -> list[dict[str, Any]]:
    """The rows of all files, each with one key more: "study" (its `Study`)."""
    rows = [
        row | {"study": study}
        for study in registry()
        for row in claims_of(study.module_name("claims").rpartition(".")[0])
    ]
    if twice := repeated(row["id"] for row in rows):
        raise ValueError(f"claims.yaml: the claim {twice} appears twice; give one of the two another id.")
    return sorted(rows, key=lambda row: _number(row["id"]))


def verdicts(results: str | os.PathLike[str] = "results", decides: bool = True) -> pd.DataFrame:
    """What the results of a run say of every claim of the papers.

    A claim is "not_run" unless all data sets that it is about were run, or as many as its row asks for (`quorum`); one
    that was not run beyond these counts neither for nor against it. A data set counts only if its ``description.json``
    says that its data are those of its name.

    Parameters
    ----------
    results : path-like
        The folder with the results (``results/demo`` after ``make demo``), or the evidence of a snapshot
        (``docs/results/evidence``); it may be empty or not there, or hold some studies only.
    decides : bool, default=True
        Whether the run follows the papers' protocol; a shortened one shows its numbers and decides no claim.

    Returns
    -------
    DataFrame
        One row per claim, paper by paper.

        id, source, statement, quote, place, check
            As in the ``claims.yaml`` of the study.
        verdict
            By the sequence-level test on the paper's test sets: one of
            `treecrf_studies.framework.claims.judge.VERDICTS`.
        verdict_papers_test
            By the paper's test or, where it has none, by the values alone; empty without a verdict.
        verdict_larger
            By the sequence-level test on a larger sample of the same population; empty for a claim without one.
        beside
            What stands beside the claim and does not decide it, such as equivalence, with its own verdict.
        data_sets, data_sets_larger
            The data sets and larger samples behind the verdicts.
        numbers, test
            What was measured, and what decides whether it agrees with the claim.
        straddled, smallest_difference
            Of an undecided claim, one for each open comparison: the thresholds that its interval contains, and the
            smallest difference that this experiment would have found (`treecrf_studies.framework.claims.kinds`).
        n_needed
            Of a claim that a larger sample leaves undecided: how many sequences or documents would decide each open
            comparison.
        between
            Of an undecided claim: the best and the worst verdict that its open comparisons leave possible.
        thresholds
            The thresholds in the test, and whether they are the paper's or ours.
        explanation
            One sentence: where the numbers differ from the claim, or what was not run; empty if it is replicated.
        former_rule, former_reason
            The rule that results had been judged by before, and why it was changed; its verdict is in
            `verdicts_by_rule`.
        rules
            The digest of all rules, and whether they are the frozen ones (`treecrf_studies.framework.claims.frozen`).

    Raises
    ------
    ValueError
        If the folder is a snapshot (``docs/results``), whose evidence is one level below.
    """
    measured, rules = _open(results), rules_text()
    return pd.DataFrame([_judged(row, measured, decides) | {"rules": rules} for row in claim_rows()])


def verdicts_by_rule(results: str | os.PathLike[str] = "results", decides: bool = True) -> pd.DataFrame:
    """What the same results would say under other rules (`treecrf_studies.framework.claims.rows`).

    Parameters
    ----------
    results : path-like
    decides : bool, default=True
        As for `verdicts`.

    Returns
    -------
    DataFrame
        id, rule, verdict: a row for each rule that changes something for a claim, whether or not the verdict changes;
        none for claims without a verdict.
    """
    measured = _open(results)
    rows = []
    for row in claim_rows() if decides else ():
        verdict = _find(row, measured).verdict
        if verdict in JUDGED:
            rules = other_rules(row)
        elif verdict == NO_VERDICT:
            rules = former_rules(row)
        else:
            continue
        rows += [
            {"id": row["id"], "rule": name, "verdict": _find(changed, measured, rule).verdict}
            for name, changed, rule in rules
        ]
    return pd.DataFrame(rows, columns=["id", "rule", "verdict"])


def comparisons(results: str | os.PathLike[str] = "results") -> pd.DataFrame:
    """The numbers behind the verdicts: a row for each thing that a claim says of a data set.

    Returns
    -------
    DataFrame
        id; part: empty, `LARGER_SAMPLE`, or the name of what stands beside the claim; dataset; method, other: what
        readers see of the methods, empty where it is about none; what is compared or measured; published and measured
        value; printed: the published one in the quantity that the paper prints, where that is another; alike: the
        measured value averaged as the published one where the test averages otherwise; low and high, the ends of the
        interval; level of the interval, percent; unit of the values; p, papers_p: p-values by the sequence-level test
        and by the paper's; limits: the values at which the claim begins or ceases to hold, parted by spaces; holds:
        "yes", "partly", "no" or "open"; numbers: the same in words. Values are missing where the claim is not about a
        number.
    """
    measured = _open(results)
    rows = [
        {"id": row["id"], "part": part, **_compared(each)}
        for row in claim_rows()
        for part, finding in _findings(row, measured)
        for each in finding.observations
        if each.measured is not None
    ]
    frame = pd.DataFrame(rows, columns=COMPARED_COLUMNS)
    return frame.astype({name: np.float64 for name in frame if name not in COMPARED_TEXTS})


COMPARED_DIGITS = 10
"""Significant ones of what `COMPARED` holds: the last ones of a sum depend on threads and processor."""


class Ledger(NamedTuple):
    """What a run says of claims: `verdicts`, `verdicts_by_rule` and `comparisons`."""

    claims: pd.DataFrame
    by_rule: pd.DataFrame
    compared: pd.DataFrame


def judge(results: str | os.PathLike[str], decides: bool) -> Ledger:
    """All of it from results; `decides` as for `verdicts`."""
    return Ledger(verdicts(results, decides), verdicts_by_rule(results, decides), comparisons(results))


def write_ledger(results: str | os.PathLike[str], decides: bool, folder: str | os.PathLike[str] | None = None) -> None:
    """Write `CLAIMS`, `BY_RULE` and `COMPARED`.

    Parameters
    ----------
    results : path
        A run's results.
    decides : bool
        As for `verdicts`.
    folder : path, optional
        Where the files go; that of the results unless given.
    """
    judged = judge(results, decides)
    numbers = judged.compared.select_dtypes("float")
    judged.compared[numbers.columns] = numbers.map(lambda value: float(f"{value:.{COMPARED_DIGITS}g}"))
    for name, frame in zip(FILES, judged, strict=True):
        write_frame(frame, Path(folder or results) / name)


def read_ledger(results: str | os.PathLike[str]) -> Ledger:
    """What the run has written of it."""
    claims, by_rule = (pd.read_csv(Path(results, name), keep_default_na=False) for name in (CLAIMS, BY_RULE))
    texts = dict.fromkeys(COMPARED_TEXTS, str)
    compared = pd.read_csv(Path(results, COMPARED), dtype=texts).fillna(dict.fromkeys(COMPARED_TEXTS, ""))
    return Ledger(claims, by_rule, compared)


def _findings(row: Mapping[str, Any], results: Results) -> Iterator[tuple[str, Finding]]:
    """The finding on a claim, on its larger sample, and on what stands beside it, by the names of `comparisons`."""
    finding = _find(row, results)
    yield "", finding
    if "larger" in row:
        yield LARGER_SAMPLE, _find(row, results, LARGER)
    yield from finding.beside


def _compared(each: Observation) -> dict[str, Any]:
    """The columns of `comparisons` of an observation."""
    measured = each.measured
    low, high = measured.repeated or measured.interval or (np.nan, np.nan)
    value = measured.value if isinstance(measured.value, int | float) else np.nan
    what = measured.what or measured.numbers.removeprefix(f"{each.dataset}: ")
    method, other = (*measured.methods, "", "")[:2]
    signs = {HOLDS: "yes", LEANS: "partly", FAILS: "no"}
    is_tested = (
        measured.p is not None
        or measured.papers is not None
        or (measured.interval is not None and not measured.repeated)
    )
    unit = measured.unit if measured.unit is not None else "points" if is_tested else ""
    return {
        "dataset": each.dataset,
        "method": method,
        "other": other,
        "what": what,
        "published": measured.published,
        "printed": measured.printed,
        "measured": value,
        "alike": measured.alike,
        "low": low,
        "high": high,
        "level": 95 if measured.repeated else 90,
        "unit": unit,
        "p": measured.p,
        "papers_p": measured.papers[1] if measured.papers else None,
        "limits": " ".join(f"{limit:g}" for limit in each.limits),
        "holds": signs[each.degree] if each.is_decided else "open",
        "numbers": measured.numbers,
    }


def _open(results: str | os.PathLike[str]) -> Results:
    if (Path(results) / SNAPSHOT).is_file():
        raise ValueError(
            f"{results} has the tables of a snapshot, not the results behind them; name its folder evidence, or that "
            "of a run, such as results."
        )
    return Results(results)


def _number(claim: str) -> tuple[int, ...]:
    """The place of a claim: that of its paper in `PAPERS`, then its numbers."""
    if claim[0] not in PAPERS:
        raise ValueError(
            f"claims.yaml: the id {claim} begins with none of {', '.join(PAPERS)}; add the paper to PAPERS."
        )
    return PAPERS.index(claim[0]), *map(int, claim[1:].split("."))


def _find(row: Mapping[str, Any], results: Results, rule: Rule = AS_JUDGED) -> Finding:
    if not results.any_of(study.name for study in registry()):
        return Finding(
            NOT_RUN,
            explanation=f"{results.folder} has no results of a study; name the folder of a run, such as results/demo.",
        )
    return check_claim(row, row["study"].module("claims"), results, rule)


def _judged(row: Mapping[str, Any], results: Results, decides: bool) -> dict[str, Any]:
    """The columns of a claim."""
    finding = _find(row, results)
    if not decides and finding.verdict != NOT_RUN:
        finding = replace(finding, verdict=NO_VERDICT, explanation=SHORTENED, straddled="", smallest="", between="")
    larger = _find(row, results, LARGER) if decides and "larger" in row else Finding("")
    changed = row.get("changed", {})
    return {
        **{name: row[name] for name in WORDED},
        "verdict": finding.verdict,
        "verdict_papers_test": _find(row, results, BY_PAPER).verdict if finding.verdict in JUDGED else "",
        "verdict_larger": larger.verdict,
        "beside": "; ".join(f"{name}: {other.verdict.replace('_', ' ')}" for name, other in finding.beside),
        "data_sets": ", ".join(finding.datasets),
        "data_sets_larger": ", ".join(larger.datasets),
        "numbers": finding.numbers,
        "straddled": finding.straddled,
        "smallest_difference": finding.smallest,
        "n_needed": larger.n_needed,
        "between": finding.between,
        "test": finding.test,
        "thresholds": thresholds_text(row),
        "explanation": finding.explanation,
        "former_rule": changed.get("rule", ""),
        "former_reason": changed.get("reason", ""),
    }
