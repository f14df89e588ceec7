"""All claims and the verdicts on them."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from treecrf.io.messages import repeated
from treecrf.studies import registry
from treecrf.studies.claim_rows import check_claim
from treecrf.studies.claims import NOT_RUN, Finding, Results
from treecrf.studies.sensitivity import other_rules, thresholds_text

SNAPSHOT = "claims.md"
"""A file that the folder of a snapshot has, and that of a run has not."""

PAPERS = "PMIUE"
"""The letters that ids of claims begin with, in the order of the ledger: PhD, MS, ICML, UAI, ESPBoost."""

COLUMNS = [
    "id", "source", "statement", "check", "verdict", "data_sets", "numbers", "test", "thresholds", "explanation",
]  # fmt: skip

CLAIMS, BY_RULE = "claims.csv", "claims_by_rule.csv"
"""The files of `verdicts` and of `verdicts_by_rule` in the folder of results."""


def claim_rows() -> list[dict[str, Any]]:
    """The rows of all files, each with one key more: "study" (its `Study`)."""
    rows = [
        row | {"study": study}
        for study in registry()
        for row in _read(study.module_name("claims").rpartition(".")[0], "claims.yaml")
    ]
    if twice := repeated(row["id"] for row in rows):
        raise ValueError(f"claims.yaml: the claim {twice} appears twice; give one of the two another id.")
    return sorted(rows, key=lambda row: _number(row["id"]))


def verdicts(results: str | os.PathLike[str] = "results") -> pd.DataFrame:
    """What the results of a run say of every claim of the papers.

    A claim is "not_run" unless all data sets that it is about were run, or as many as its row asks for (`quorum`); one that
    was not run beyond these counts neither for nor against it. A data set counts only if its
    ``description.json`` says that its data are those of its name.

    Parameters
    ----------
    results : path-like
        The folder with the results (``results/demo`` after ``make demo``), or the evidence of a snapshot
        (``docs/results/evidence``); it may be empty or not there, or hold some studies only.

    Returns
    -------
    DataFrame
        One row per claim, paper by paper.

        id, source, statement, check
            As in the ``claims.yaml`` of the study.
        verdict
            "replicated", "partly", "not_replicated", "undecided" (neither the claim nor its contrary is shown) or
            "not_run".
        data_sets
            The data sets behind the verdict.
        numbers, test
            What was measured, and what decides whether it agrees with the claim.
        thresholds
            The thresholds in the test, and whether they are the paper's or ours.
        explanation
            One sentence: where the numbers differ from the claim, or what was not run; empty if it is replicated.

    Raises
    ------
    ValueError
        If the folder is a snapshot (``docs/results``), whose evidence is one level below.
    """
    found = _open(results)
    rows = [row | _verdict(_find(row, found)) | {"thresholds": thresholds_text(row)} for row in claim_rows()]
    return pd.DataFrame(rows)[COLUMNS]


def verdicts_by_rule(results: str | os.PathLike[str] = "results") -> pd.DataFrame:
    """What the same results would say under other rules (`treecrf.studies.sensitivity`).

    Parameters
    ----------
    results : path-like
        As for `verdicts`.

    Returns
    -------
    DataFrame
        id, rule, verdict: a row for each rule that changes something for a claim, whether or not the verdict changes; none
        for claims that were not run.
    """
    found = _open(results)
    rows = [
        {"id": row["id"], "rule": rule, "verdict": check_claim(changed, row["study"].module("claims"), found, papers_test).verdict}
        for row in claim_rows()
        if _find(row, found).verdict != NOT_RUN
        for rule, changed, papers_test in other_rules(row)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["id", "rule", "verdict"])


def read_ledger(results: str | os.PathLike[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the run has written of `verdicts` and of `verdicts_by_rule`."""
    claims, by_rule = (pd.read_csv(Path(results) / name, keep_default_na=False) for name in (CLAIMS, BY_RULE))
    return claims, by_rule


def _open(results: str | os.PathLike[str]) -> Results:
    if (Path(results) / SNAPSHOT).is_file():
        raise ValueError(
            f"{results} has the tables of a snapshot, not the results behind them; name its folder evidence, or that of a "
            "run, such as results."
        )
    return Results(results)


def _read(package: str, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml.safe_load(files(package).joinpath(name).read_text(encoding="utf-8"))
    return rows


def _number(claim: str) -> tuple[int, ...]:
    """The place of a claim: that of its paper in `PAPERS`, then its numbers."""
    if claim[0] not in PAPERS:
        raise ValueError(
            f"claims.yaml: the id {claim} begins with none of {', '.join(PAPERS)}; add the paper to PAPERS."
        )
    return PAPERS.index(claim[0]), *map(int, claim[1:].split("."))


def _find(row: dict[str, Any], results: Results) -> Finding:
    if not results.any_of(study.name for study in registry()):
        return Finding(
            NOT_RUN,
            explanation=f"{results.folder} has no results of a study; name the folder of a run, such as results/demo.",
        )
    return check_claim(row, row["study"].module("claims"), results)


def _verdict(finding: Finding) -> dict[str, object]:
    return {
        "verdict": finding.verdict,
        "data_sets": ", ".join(finding.datasets),
        "numbers": finding.numbers,
        "test": finding.test,
        "explanation": finding.explanation,
    }
